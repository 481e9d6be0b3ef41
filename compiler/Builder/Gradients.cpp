//===- Gradients.cpp - Gradients of an entry's values ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Builder/GraphImpl.h"
#include "compiler/Graph/Differentiate.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace ingot::graph {

// Returns the gradient of `loss` with respect to each input, or an empty vector
// after an error.
static SmallVector<Value> derive(Tensor loss, ValueRange inputs) {
  GraphImpl &data = *loss.data();
  DiagnosticCollector collect(data);
  auto derivatives =
      differentiate(data.builder, unwrap(loss), ValueRange(), inputs);
  if (failed(derivatives))
    return {};
  return std::move(*derivatives);
}

std::vector<Tensor> gradients(Tensor loss, const std::vector<Tensor> &inputs) {
  std::vector<Tensor> result(inputs.size());
  auto values = unwrap(ArrayRef<Tensor>(inputs));
  if (!loss || !values)
    return result;
  for (auto [tensor, value] : llvm::zip(result, derive(loss, *values)))
    if (value)
      tensor = wrap(*loss.data(), value);
  return result;
}

std::vector<Tensor> gradients(Tensor loss,
                              const std::vector<Variable> &variables) {
  std::vector<Tensor> result(variables.size());
  if (!loss)
    return result;
  GraphImpl &data = *loss.data();
  if (!data.builder.getInsertionBlock()) {
    data.error("gradients", "no open entry; begin one first");
    return result;
  }
  llvm::StringMap<size_t> places;
  for (auto [place, variable] : llvm::enumerate(variables))
    if (variable)
      places[data.variables[variable.number()].symbol] = place;
  // A variable may be read by several ops. The gradient with respect to the
  // variable is the sum of the gradients with respect to the results of these
  // reads.
  SmallVector<Value> reads;
  SmallVector<size_t> placeOf;
  for (Operation &op : *data.builder.getInsertionBlock()) {
    if (op.getName().getStringRef() != "ingot.read")
      continue;
    auto symbol = op.getAttrOfType<FlatSymbolRefAttr>("variable");
    if (auto place = places.find(symbol.getValue()); place != places.end()) {
      reads.push_back(op.getResult(0));
      placeOf.push_back(place->second);
    }
  }
  for (auto [place, value] : llvm::zip(placeOf, derive(loss, reads))) {
    if (!value)
      continue;
    Tensor part = wrap(data, value);
    result[place] = result[place] ? result[place] + part : part;
  }
  return result;
}

} // namespace ingot::graph
