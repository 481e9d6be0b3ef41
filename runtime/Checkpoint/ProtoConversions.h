//===- ProtoConversions.h - Converts protobuf messages ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Converts shapes and slices from protobuf messages, for the readers of V1 and
// V2 checkpoints.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_PROTOCONVERSIONS_H
#define INGOT_RUNTIME_CHECKPOINT_PROTOCONVERSIONS_H

#include "runtime/Checkpoint/TensorSlice.h"

#include "proto/Types.pb.h"

namespace ingot {

/// Parses the value of a table's record as a protobuf message. Returns false if
/// it is malformed or larger than 2 GiB, as protobuf counts bytes in an int.
template <typename Message>
bool parseMessage(Message &message, std::string_view value) {
  return value.size() <= INT32_MAX &&
         message.ParseFromArray(value.data(), static_cast<int>(value.size()));
}

inline Shape shapeFrom(const proto::TensorShapeProto &proto) {
  Shape shape;
  for (const auto &dim : proto.dim())
    shape.push_back(dim.size());
  return shape;
}

inline TensorSlice sliceFrom(const proto::TensorSliceProto &proto) {
  TensorSlice slice;
  for (const auto &extent : proto.extent())
    slice.extents.push_back(
        {extent.start(),
         extent.has_length_case() == proto::TensorSliceProto::Extent::kLength
             ? extent.length()
             : TensorSlice::Extent::full});
  return slice;
}

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_PROTOCONVERSIONS_H
