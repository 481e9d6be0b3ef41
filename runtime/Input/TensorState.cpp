//===- TensorState.cpp - Saves tensors in iterator states -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Saves and restores those tensors of a pipeline's state that a restore cannot
// compute again from the input, such as the accumulator of a scan.
//===----------------------------------------------------------------------===//
#include "runtime/Input/TensorState.h"
#include "runtime/Input/Dataset.h"
#include "runtime/Support/DType.h"

#include <cstring>

namespace ingot::input {

void saveTensor(const Tensor &tensor, proto::TensorState &state) {
  state.set_dtype(tensor.dtype());
  for (int64_t dim : tensor.shape())
    state.add_dims(dim);
  if (tensor.dtype() != INGOT_STRING) {
    state.set_data(tensor.data(), tensor.byteSize());
    return;
  }
  const auto *strings = static_cast<const ingot_string *>(tensor.data());
  for (int64_t i = 0; i < tensor.numElements(); ++i)
    state.add_strings(strings[i].data, strings[i].size);
}

Expected<Tensor> restoreTensor(TensorMemoryPool &pool,
                               const proto::TensorState &state) {
  std::vector<int64_t> dims(state.dims().begin(), state.dims().end());
  int64_t count = 0;
  size_t size = elementSize(state.dtype());
  bool isString = state.dtype() == INGOT_STRING;
  bool isWhole =
      size != 0 && countElements(dims, count) &&
      (isString ? count == state.strings_size()
                : static_cast<uint64_t>(count) == state.data().size() / size &&
                      state.data().size() % size == 0);
  if (!isWhole)
    return badState("a tensor has " + std::to_string(state.data().size()) +
                    " bytes and " + std::to_string(state.strings_size()) +
                    " texts as " + dtypeName(state.dtype()) + shapeText(dims));
  if (!isString)
    return Tensor::copy(pool, state.dtype(), dims, state.data().data());
  std::vector<ingot_string> strings;
  for (const std::string &text : state.strings())
    strings.push_back({text.data(), text.size()});
  return Tensor::copy(pool, INGOT_STRING, dims, strings.data());
}

void saveTensors(
    std::span<const Tensor> tensors,
    google::protobuf::RepeatedPtrField<proto::TensorState> &state) {
  for (const Tensor &tensor : tensors)
    saveTensor(tensor, *state.Add());
}

Expected<Element> restoreTensors(
    TensorMemoryPool &pool,
    const google::protobuf::RepeatedPtrField<proto::TensorState> &state) {
  Element element;
  for (const proto::TensorState &saved : state) {
    INGOT_ASSIGN_OR_RETURN(Tensor tensor, restoreTensor(pool, saved));
    element.push_back(std::move(tensor));
  }
  return element;
}

} // namespace ingot::input
