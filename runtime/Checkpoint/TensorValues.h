//===- TensorValues.h - Elements in a TensorProto's fields ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// V1 checkpoints keep elements as protocol buffers do: each type in a field of
// its own, small integers as varints.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_TENSORVALUES_H
#define INGOT_RUNTIME_CHECKPOINT_TENSORVALUES_H

#include "runtime/Checkpoint/RecordStream.h"

#include <cstdint>
#include <functional>
#include <string>

namespace ingot {

/// Where decoded elements go: nowhere, where they are only checked; to memory
/// for all of them; or, in runs from the first to the last, to a function.
struct ValueDestination {
  /// Elements as in memory, or std::string.
  void *whole = nullptr;
  std::function<void(int64_t first, int64_t count, const char *bytes)> run =
      nullptr;
  std::function<void(int64_t index, std::string text)> text = nullptr;
};

/// Decodes the `count` elements of type `dtype` that the next `size` bytes of
/// `message`, a serialized TensorProto, hold in their typed field. Needs memory
/// for a run of elements only. Returns an error message, "" for success.
std::string decodeTensorValues(RecordStream &message, uint64_t size,
                               int32_t dtype, int64_t count,
                               const ValueDestination &destination);

/// Appends the fields of a TensorProto with `count` elements of type `dtype` at
/// `data` (std::string[] for strings), as decodeTensorValues() reads them;
/// false where a TensorProto has no field for the type.
bool appendTensorValues(std::string &out, int32_t dtype, int64_t count,
                        const void *data);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_TENSORVALUES_H
