//===- TensorState.h - Tensors in an iterator's state -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_INPUT_TENSORSTATE_H
#define INGOT_RUNTIME_INPUT_TENSORSTATE_H

#include "proto/IteratorState.pb.h"
#include "runtime/Input/Tensor.h"
#include "runtime/Support/Expected.h"

namespace ingot::input {

/// Copies `tensor`, which is not a variant, into a state.
void saveTensor(const Tensor &tensor, proto::TensorState &state);

/// The tensor that a state holds; DataLoss where it holds none.
Expected<Tensor> restoreTensor(BlockPool &pool,
                               const proto::TensorState &state);

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_TENSORSTATE_H
