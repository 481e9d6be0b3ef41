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

/// Checks that `given` matches `spec`: its type, its shape, its number of
/// bytes, and that its strings are not null. Messages call the tensor `what`,
/// such as "feed".
Status checkTensor(const ingot_trainer_tensor &given,
                   const ingot_tensor_spec &spec, const char *what);

/// Converts a caller's tensor to the form that compiled code requires: aligned,
/// and bools 0 or 1. The memory for copies is reused from call to call.
class CallerTensorConverter {
public:
  /// Returns `given`, which has passed checkTensor(), or a copy of it if it is
  /// unaligned or has bools. The result may refer to the caller's memory.
  Expected<ingot_tensor> take(const ingot_trainer_tensor &given);

private:
  AlignedBuffer buffer;
};

/// Returns a non-owning view, for the caller, of the elements at `data` in the
/// trainer's memory. `spec` has its type and shape.
ingot_trainer_tensor showTensor(const ingot_tensor_spec &spec,
                                const void *data);

} // namespace ingot::embedding

#endif // INGOT_RUNTIME_EMBEDDING_TENSORS_H
