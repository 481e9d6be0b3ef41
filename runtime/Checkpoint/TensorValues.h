//===- TensorValues.h - Elements in a TensorProto's fields ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// V1 checkpoints store elements in the fields of TensorProto: a field for each
// type, small integers as varints.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_TENSORVALUES_H
#define INGOT_RUNTIME_CHECKPOINT_TENSORVALUES_H

#include "runtime/Checkpoint/TableRecordByteStream.h"

#include <cstdint>
#include <functional>
#include <string>

namespace ingot {

/// The destination of decoded elements: an array for all of them (`whole`), or
/// a function to which they are passed in order (`run` for numbers, `text` for
/// strings). If no member is set, the elements are checked and dropped.
struct TensorValueSink {
  /// If set, an array that receives all elements: numbers in their in-memory
  /// form, strings as std::string.
  void *whole = nullptr;
  std::function<void(int64_t first, int64_t count, const char *bytes)> run =
      nullptr;
  std::function<void(int64_t index, std::string text)> text = nullptr;
};

/// Decodes `count` elements of type `dtype` from the next `size` bytes of
/// `message`, a serialized TensorProto. Besides the destination, it needs
/// memory for one batch of elements only. Returns an error message, or "" on
/// success.
std::string decodeTensorValues(TableRecordByteStream &message, uint64_t size,
                               int32_t dtype, int64_t count,
                               const TensorValueSink &destination);

/// Appends to `out` the fields of a TensorProto with `count` elements of type
/// `dtype` at `data` (std::string[] for strings), as decodeTensorValues() reads
/// them. Returns false if TensorProto has no field for the type.
bool appendTensorValues(std::string &out, int32_t dtype, int64_t count,
                        const void *data);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_TENSORVALUES_H
