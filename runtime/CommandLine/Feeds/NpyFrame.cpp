//===- NpyFrame.cpp - Reads .npy arrays from a stream ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Formats/Npy.h"

#include "runtime/CommandLine/Feeds/FeedValue.h"
#include "runtime/Formats/NpyFormat.h"
#include "runtime/Input/ByteStream.h"
#include "runtime/Session/Program.h"
#include "runtime/Support/DType.h"

using namespace ingot;
using namespace ingot::npy;

Expected<bool> ingot::readNpyFrame(input::ByteStream &stream,
                                   const ingot_tensor_spec &spec,
                                   FeedValue &value) {
  std::string name = spec.name;
  std::string_view bytes;
  INGOT_RETURN_IF_ERROR(stream.peek(12, bytes));
  if (bytes.empty())
    return false;
  INGOT_ASSIGN_OR_RETURN(auto extent, headerExtent(bytes, name));
  auto [start, length] = extent;
  INGOT_RETURN_IF_ERROR(stream.read(start, bytes));
  INGOT_RETURN_IF_ERROR(stream.read(length, bytes));
  INGOT_ASSIGN_OR_RETURN(NpyHeader header, parseHeader(bytes, name));
  if (header.shape.size() != spec.rank)
    return checkArray(header, name, spec);
  INGOT_RETURN_IF_ERROR(value.allocateLike(spec, header.shape));
  ingot_tensor tensor = value.tensor();
  ingot_tensor_spec own = {spec.name, spec.dtype, tensor.rank, tensor.dims};
  INGOT_RETURN_IF_ERROR(checkArray(header, name, own));
  uint64_t size =
      static_cast<uint64_t>(elementCountOf(own)) *
      (spec.dtype == INGOT_BFLOAT16 ? sizeof(float) : dtypeSize(spec.dtype));
  INGOT_RETURN_IF_ERROR(stream.read(size, bytes));
  if (bytes.size() != size)
    return badFile(name, "found " + std::to_string(bytes.size()) +
                             " bytes of data, expected " +
                             std::to_string(size));
  decode(header, own, bytes, tensor.data);
  return true;
}
