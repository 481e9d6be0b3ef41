//===- MemberLosses.cpp - Losses of members and candidates ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/MemberLosses.h"

#include "runtime/Support/DType.h"
#include "runtime/Support/Numeric.h"

using namespace ingot;
using namespace ingot::adanet;

int32_t adanet::findAverage(const ingot_program &program,
                            std::string_view ensemble) {
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    const ingot_tensor_spec &spec = program.variables[i].spec;
    auto name = parseName(spec.name);
    if (name && name->kind == AdaNetVariableName::Candidate &&
        name->owner == ensemble && name->rest == "adanet_loss" &&
        spec.dtype == INGOT_FLOAT && spec.rank == 0)
      return static_cast<int32_t>(i);
  }
  return -1;
}

std::optional<float> adanet::averageOf(const ingot_context &context,
                                       std::string_view ensemble) {
  int32_t variable = findAverage(*context.program, ensemble);
  if (variable < 0)
    return std::nullopt;
  return *static_cast<const float *>(
      readVariable(context, static_cast<uint32_t>(variable)));
}

std::vector<size_t> adanet::findLossFetches(const ingot_entry &entry,
                                            std::string_view member,
                                            int64_t iteration) {
  auto fetches = fetchesOf(entry);
  std::string own = "subnetwork/" + std::string(member) + "/loss";
  std::vector<size_t> found;
  for (size_t i = 0; i < fetches.size(); ++i) {
    if (!isFloating(fetches[i].dtype))
      continue;
    if (fetches[i].name == own)
      return {i};
    // TensorFlow names tensors of the collection tf.GraphKeys.LOSSES like
    // ".../head/losses/mean_squared_error/Mul:0".
    auto name = parseName(fetches[i].name);
    if (name && name->kind == AdaNetVariableName::Member &&
        name->owner == member && name->iteration == iteration &&
        name->rest.find("losses/") != std::string_view::npos)
      found.push_back(i);
  }
  return found;
}

static double meanOf(const BoundEntryPoint &step, size_t fetch) {
  ingot_tensor_spec spec = step.fetchSpec(fetch);
  auto *data = static_cast<const uint8_t *>(step.fetch(fetch));
  int64_t count = elementCountOf(spec);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += elementAsDouble(spec.dtype, data + static_cast<size_t>(i) *
                                                  dtypeSize(spec.dtype));
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

std::optional<double> MemberLosses::lossOf(const std::string &member,
                                           const BoundEntryPoint &step) {
  auto [byName, isNew] = fetches.try_emplace(&step.entry());
  if (isNew)
    for (const MemberOrEnsemble &spec : iteration.members)
      byName->second[spec.name] =
          findLossFetches(step.entry(), spec.name, iteration.number);
  const std::vector<size_t> &indices = byName->second[member];
  if (indices.empty())
    return std::nullopt;
  double loss = 0;
  for (size_t index : indices)
    loss += meanOf(step, index);
  return loss;
}
