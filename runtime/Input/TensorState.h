//===- TensorState.h - Saves tensors in iterator states ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_INPUT_TENSORSTATE_H
#define INGOT_RUNTIME_INPUT_TENSORSTATE_H

#include "proto/IteratorState.pb.h"
#include "runtime/Input/Tensor.h"
#include "runtime/Support/Expected.h"

namespace ingot::input {

/// Copies `tensor`, which must not be a variant, into a state.
void saveTensor(const Tensor &tensor, proto::TensorState &state);

/// Returns the tensor in a state. Returns DataLoss if it contains none.
Expected<Tensor> restoreTensor(TensorMemoryPool &pool,
                               const proto::TensorState &state);

/// Copies the tensors of an element into a state, and reads them from it.
void saveTensors(std::span<const Tensor> tensors,
                 google::protobuf::RepeatedPtrField<proto::TensorState> &state);
Expected<Element> restoreTensors(
    TensorMemoryPool &pool,
    const google::protobuf::RepeatedPtrField<proto::TensorState> &state);

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_TENSORSTATE_H
