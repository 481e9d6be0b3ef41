//===- Regions.cpp - Regions as functions of the graph --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/Regions.h"

using namespace llvm;

namespace ingot::stablehlo {

std::vector<TensorType> typesOf(ArrayRef<Tensor> tensors) {
  std::vector<TensorType> types;
  for (const Tensor &one : tensors)
    types.push_back({one->type, one->shape, ""});
  return types;
}

proto::AttrValue shapesOf(ArrayRef<TensorType> types) {
  proto::AttrValue attribute;
  attribute.mutable_list();
  for (const TensorType &type : types)
    *attribute.mutable_list()->add_shape() = exporter::toShape(type.shape);
  return attribute;
}

// The values around an op that its regions use.
std::optional<Tensors> captured(Translation &t, ArrayRef<unsigned> names) {
  Tensors found;
  for (unsigned name : names) {
    auto value = t.values().find(name);
    if (value == t.values().end())
      return std::nullopt;
    found.push_back(value->second);
  }
  return found;
}

// The values within a region, whose function has been given `arguments` for
// the block's arguments and for the captured values.
Translation::Values valuesOf(const Block &block, ArrayRef<unsigned> names,
                             ArrayRef<Tensor> arguments) {
  Translation::Values values;
  for (auto [index, tensor] : enumerate(arguments)) {
    size_t own = block.arguments.size();
    values[index < own ? block.arguments[index] : names[index - own]] = tensor;
  }
  return values;
}

} // namespace ingot::stablehlo
