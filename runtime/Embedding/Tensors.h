//===- Tensors.h - Tensors of programs that embed a trainer -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_EMBEDDING_TENSORS_H
#define INGOT_RUNTIME_EMBEDDING_TENSORS_H

#include "ingot/trainer.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Session/AlignedBuffer.h"

#include <string>
#include <vector>

namespace ingot::embedding {

/// Checks that `given`, which messages call `what`, matches `spec`: its type,
/// its shape, its number of bytes, and that its strings are not null.
Status checkTensor(const ingot_trainer_tensor &given,
                   const ingot_tensor_spec &spec, const char *what);

/// A caller's tensor as compiled code takes it: aligned, and bools 0 or 1. The
/// memory for copies is kept from call to call.
class FedTensor {
public:
  /// `given` has been checked; it is read only while the result is used.
  Expected<ingot_tensor> take(const ingot_trainer_tensor &given);

private:
  AlignedBuffer buffer;
};

/// A tensor of the trainer's as callers see it: of `spec`, at `data`.
ingot_trainer_tensor showTensor(const ingot_tensor_spec &spec,
                                const void *data);

} // namespace ingot::embedding

#endif // INGOT_RUNTIME_EMBEDDING_TENSORS_H
