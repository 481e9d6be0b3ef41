//===- ProgramTables.cpp - info's tables for people -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/ProgramInfo.h"

#include "runtime/Device/LaunchSetup.h"
#include "runtime/Session/Program.h"

#include <cstdio>

using namespace ingot;

size_t ingot::kernelsOnDevice(const ingot_device_image &image) {
  size_t count = 0;
  for (uint32_t i = 0; i < image.num_kernels; ++i)
    count += image.kernels[i].entry != nullptr;
  return count;
}

/// Returns names and types as "x:0 float32[64,10], y:0 int64[64]".
static std::string specList(std::span<const ingot_tensor_spec> specs) {
  std::string text;
  for (const ingot_tensor_spec &spec : specs)
    text += (text.empty() ? "" : ", ") + std::string(spec.name) + " " +
            typeText(spec);
  return text.empty() ? "-" : text;
}

static std::string cell(std::string text, size_t width) {
  text.resize(text.size() < width ? width : text.size() + 1, ' ');
  return text;
}

/// Returns a line for each device and its images: "cuda       sm_90a PTX (14
/// kernels of 18), sm_80 PTX (...)".
static std::string deviceLines(const ingot_program &program) {
  std::string text;
  for (uint32_t i = 0; i < program.num_devices; ++i) {
    const ingot_device &device = program.devices[i];
    text += cell(device.name, 11);
    for (uint32_t j = 0; j < device.num_images; ++j) {
      const ingot_device_image &image = device.images[j];
      text += std::string(j > 0 ? ", " : "") + image.arch +
              (image.is_binary ? " machine code (" : " PTX (") +
              std::to_string(kernelsOnDevice(image)) + " kernels of " +
              std::to_string(image.num_kernels) + ")";
    }
    text += program.default_device == i + 1 ? ", by default\n" : "\n";
  }
  return text;
}

std::string ingot::infoTable(const ingot_program &program) {
  std::string text = "source     " + std::string(program.source) +
                     "\nsha256     " + program.source_hash + "\ncompiler   " +
                     program.compiler + "\ntargets    ";
  for (uint32_t i = 0; i < program.num_targets; ++i)
    text += std::string(i > 0 ? ", " : "") + program.targets[i];
  if (program.slices > 0)
    text += "\nslices     " + std::to_string(program.slices);
  text += "\n" + deviceLines(program) + "loss       " +
          std::string(program.loss ? program.loss : "-") + "\n\nentries\n";
  for (uint32_t i = 0; i < program.num_entries; ++i) {
    const ingot_entry &entry = program.entries[i];
    text += "  " + cell(entry.name, 24) + cell(roleName(entry.role), 22) +
            "feeds " + specList(feedsOf(entry)) + "\n" + std::string(48, ' ') +
            "fetches " + specList(fetchesOf(entry)) + "\n";
    if (entry.arena_size > 0)
      text += std::string(48, ' ') + "memory " +
              std::to_string(entry.arena_size) + " bytes\n";
  }
  uint64_t total = 0;
  text += "\nvariables\n";
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    const ingot_variable &variable = program.variables[i];
    total += variable.byte_size;
    text += "  " + cell(variable.spec.name, 40) +
            cell(typeText(variable.spec), 24) +
            cell(std::to_string(variable.byte_size) + " bytes", 16) +
            (variable.flags & INGOT_VARIABLE_TRAINABLE ? "trainable" : "") +
            (variable.flags & INGOT_VARIABLE_LOCAL ? "local" : "") +
            (isRandomState(variable) ? "random state" : "") + "\n";
    while (text.ends_with(" \n"))
      text.erase(text.size() - 2, 1);
  }
  text += "  " + std::to_string(program.num_variables) + " variables, " +
          std::to_string(total) + " bytes\n\niterators\n";
  for (uint32_t i = 0; i < program.num_iterators; ++i)
    text += "  " + cell(program.iterators[i].name, 24) +
            specList({program.iterators[i].components,
                      program.iterators[i].num_components}) +
            "\n";
  text += "\nkernels\n";
  for (uint32_t i = 0; i < program.num_kernels; ++i)
    text += "  " + std::string(program.kernels[i].name) + "\n";
  return text;
}

/// Formats a number with an SI prefix: 51400000 and "FLOP" give "51.4 MFLOP".
static std::string amount(double number, const char *unit) {
  const char *prefixes[] = {"", "k", "M", "G", "T"};
  size_t prefix = 0;
  for (; number >= 1000 && prefix + 1 < std::size(prefixes); ++prefix)
    number /= 1000;
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f %s%s", prefix > 0 ? 1 : 0, number,
                prefixes[prefix], unit);
  return text;
}

/// Returns the types of a kernel's inputs and outputs as "float32[64,784],
/// float32[784,128] -> float32[64,128]".
static std::string argumentList(const ingot_kernel_info &kernel) {
  std::string text;
  for (uint32_t i = 0; i < kernel.num_arguments; ++i) {
    if (i == kernel.num_inputs)
      text += text.empty() ? "-> " : " -> ";
    else if (i > 0)
      text += ", ";
    // INGOT_DTYPE_OTHER stands for types that no feed or fetch can have, such
    // as the key of a random generator.
    std::string type = typeText(kernel.arguments[i]);
    if (kernel.arguments[i].dtype == INGOT_DTYPE_OTHER)
      type = "other" + type.substr(type.find('['));
    text += type;
  }
  return text;
}

/// Describes the arithmetic, the memory traffic and the scratch memory of a
/// kernel: totals over its grid, or per iteration if the grid is dynamic.
static std::string costs(const ingot_kernel_code &code) {
  bool isDynamic = code.num_terms > 0;
  int64_t iterations = isDynamic ? 1 : countIterations(code, nullptr);
  auto total = [&](int64_t each) {
    return static_cast<double>(each) * static_cast<double>(iterations);
  };
  return (isDynamic
              ? "iterations by dynamic sizes, each of "
              : std::to_string(iterations) +
                    (iterations == 1 ? " iteration, " : " iterations, ")) +
         amount(total(code.flops), "FLOP") + ", " +
         amount(total(code.bytes), "B") +
         (code.scratch_size > 0
              ? ", " + amount(static_cast<double>(code.scratch_size), "B") +
                    " of scratch memory"
              : "");
}

/// Returns a line for each device image, such as "cuda sm_80: 32 blocks of 256
/// threads". The line also says whether the kernel is part of the step kernel,
/// the one GPU kernel that runs a whole step.
static std::string deviceGrids(const ingot_program &program, uint32_t kernel) {
  std::string text;
  for (uint32_t i = 0; i < program.num_devices; ++i)
    for (uint32_t j = 0; j < program.devices[i].num_images; ++j) {
      const ingot_device_image &image = program.devices[i].images[j];
      const ingot_device_kernel &code = image.kernels[kernel];
      text += "    " + std::string(program.devices[i].name) + " " + image.arch +
              (image.is_binary ? " (machine code): " : ": ");
      if (!code.entry) {
        text += "runs on the host\n";
        continue;
      }
      ingot_kernel_code grid = {};
      grid.grid_base = code.grid_base;
      grid.grid_step = code.grid_step;
      text +=
          (code.num_terms > 0
               ? "blocks by dynamic sizes"
               : std::to_string(countIterations(grid, nullptr)) + " blocks") +
          " of " + std::to_string(code.threads) + " threads" +
          (code.step != 0 ? ", part of the step kernel\n" : "\n");
    }
  return text;
}

std::string ingot::kernelTable(const ingot_program &program) {
  std::string text = std::to_string(program.num_kernels) + " kernels, for " +
                     program.targets[program.num_targets - 1] + "\n";
  for (uint32_t i = 0; i < program.num_kernels; ++i) {
    const ingot_kernel_info &kernel = program.kernels[i];
    text += "\n  " + std::string(kernel.name) + "\n    " +
            argumentList(kernel) + "\n    " +
            costs(kernel.code[program.num_targets - 1]) + "\n" +
            deviceGrids(program, i);
  }
  return text;
}
