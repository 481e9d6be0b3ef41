//===- ProgramJson.cpp - info --json --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/ProgramInfo.h"

#include "runtime/Device/LaunchSetup.h"
#include "runtime/Session/Program.h"
#include "runtime/Support/DType.h"

#include <nlohmann/json.hpp>

using namespace ingot;
using Json = nlohmann::ordered_json;

static Json textOf(const char *text) { return text ? text : ""; }

static Json specJson(const ingot_tensor_spec &spec) {
  return {{"name", textOf(spec.name)},
          {"dtype", dtypeName(spec.dtype)},
          {"shape", std::vector<int64_t>(spec.dims, spec.dims + spec.rank)}};
}

static Json specsJson(std::span<const ingot_tensor_spec> specs) {
  Json list = Json::array();
  for (const ingot_tensor_spec &spec : specs)
    list.push_back(specJson(spec));
  return list;
}

/// Returns the JSON array of `item(row)` for all `count` rows of a table.
template <typename Row, typename Item>
static Json listOf(const Row *rows, uint32_t count, Item item) {
  Json list = Json::array();
  for (uint32_t i = 0; i < count; ++i)
    list.push_back(item(rows[i]));
  return list;
}

/// Describes a kernel by its code for the highest CPU target, which is the last
/// one in the program's table of targets.
static Json kernelJson(const ingot_program &program,
                       const ingot_kernel_info &kernel) {
  const ingot_kernel_code &code = kernel.code[program.num_targets - 1];
  Json json = {{"name", kernel.name}};
  // The iterations of a dynamic grid depend on sizes that are known only at run
  // time.
  if (code.num_terms == 0)
    json["iterations"] = countIterations(code, nullptr);
  json["flops_per_iteration"] = code.flops;
  json["bytes_per_iteration"] = code.bytes;
  json["scratch_bytes"] = code.scratch_size;
  return json;
}

/// Describes a device and all of its images. Which image runs is the driver's
/// choice at run time, so the JSON does not mark one.
static Json deviceJson(const ingot_device &device, bool isDefault) {
  auto image = [](const ingot_device_image &image) -> Json {
    return {{"arch", image.arch},
            {"format", image.is_binary ? "cubin" : "ptx"},
            {"step_kernel", image.step != nullptr},
            {"bytes", image.size},
            {"kernels", kernelsOnDevice(image)}};
  };
  return {{"name", device.name},
          {"default", isDefault},
          {"images", listOf(device.images, device.num_images, image)}};
}

static Json exchangeJson(const ingot_exchange &exchange) {
  Json json = {{"node", exchange.node},
               {"bucket", exchange.bucket},
               {"kind", exchangeKindName(exchange.kind)},
               {"dtype", dtypeName(exchange.dtype)},
               {"elements", exchange.elements},
               {"overlaps", exchange.starts_in_loop != 0}};
  if (exchange.elements < 0)
    json["elements"] = nullptr;
  return json;
}

static Json entryJson(const ingot_program &program, const ingot_entry &entry) {
  Json json = {{"name", entry.name},
               {"role", roleName(entry.role)},
               {"arena_bytes", entry.arena_size},
               {"feeds", specsJson(feedsOf(entry))},
               {"fetches", specsJson(fetchesOf(entry))}};
  if (entry.of >= 0)
    json["of"] = program.entries[entry.of].name;
  if (entry.num_exchanges > 0) {
    json["exchanges"] =
        listOf(entry.exchanges, entry.num_exchanges, exchangeJson);
    for (unsigned ranks = 2; ranks <= program.slices && ranks <= 64; ranks *= 2)
      json["bytes_sent"][std::to_string(ranks)] =
          mostBytesSent(entry, program.slices, ranks);
  }
  return json;
}

static Json variableJson(const ingot_variable &variable) {
  Json json = specJson(variable.spec);
  json["bytes"] = variable.byte_size;
  json["trainable"] = (variable.flags & INGOT_VARIABLE_TRAINABLE) != 0;
  json["local"] = (variable.flags & INGOT_VARIABLE_LOCAL) != 0;
  json["device"] = textOf(variable.device);
  return json;
}

static Json iteratorJson(const ingot_iterator &iterator) {
  return {{"name", iterator.name},
          {"components",
           specsJson({iterator.components, iterator.num_components})}};
}

static Json saverJson(const ingot_saver &saver) {
  return {{"name", saver.name},
          {"items", saver.num_items},
          {"shards", saver.num_shards}};
}

std::string ingot::infoJson(const ingot_program &program) {
  auto kernel = [&](const ingot_kernel_info &info) {
    return kernelJson(program, info);
  };
  auto entry = [&](const ingot_entry &row) { return entryJson(program, row); };
  auto device = [&](const ingot_device &row) {
    return deviceJson(row, program.default_device ==
                               static_cast<size_t>(&row - program.devices) + 1);
  };
  Json json = {
      {"source", textOf(program.source)},
      {"source_sha256", textOf(program.source_hash)},
      {"compiler", textOf(program.compiler)},
      {"artifact_format", program.abi_version},
      {"targets", listOf(program.targets, program.num_targets, textOf)},
      {"slices", program.slices},
      {"devices", listOf(program.devices, program.num_devices, device)},
      {"entries", listOf(program.entries, program.num_entries, entry)},
      {"variables",
       listOf(program.variables, program.num_variables, variableJson)},
      {"iterators",
       listOf(program.iterators, program.num_iterators, iteratorJson)},
      {"savers", listOf(program.savers, program.num_savers, saverJson)},
      {"loss", textOf(program.loss)},
      {"global_step",
       textOf(program.global_step >= 0
                  ? program.variables[program.global_step].spec.name
                  : nullptr)},
      {"kernels", listOf(program.kernels, program.num_kernels, kernel)},
  };
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}
