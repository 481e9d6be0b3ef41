//===- TensorValues.h - Elements in a TensorProto's fields ------*- C++ -*-===//
//
// V1 checkpoints keep elements as protocol buffers do: each type in a field of
// its own, small integers as varints.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_TENSORVALUES_H
#define INGOT_RUNTIME_CHECKPOINT_TENSORVALUES_H

#include <cstdint>
#include <string>
#include <string_view>

namespace ingot {

/// Decodes the `count` elements of type `dtype` that `message`, a serialized
/// TensorProto, holds in its typed field, into `destination`: elements as in
/// memory, or std::string; null to check only. Returns what is wrong, "" where
/// nothing is.
std::string decodeTensorValues(std::string_view message, int32_t dtype,
                               int64_t count, void *destination);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_TENSORVALUES_H
