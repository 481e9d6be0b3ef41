//===- Tensors.cpp - Tensors of programs that embed a trainer -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Embedding/Tensors.h"

#include "runtime/Session/Program.h"

#include <cstring>

using namespace ingot;
using namespace ingot::embedding;

// The types of ingot/trainer.h have the same layout and enum values as those of
// the ABI. So a caller's tensor can be passed to compiled code without
// conversion.
static_assert(sizeof(ingot_trainer_string) == sizeof(ingot_string) &&
              offsetof(ingot_trainer_string, size) ==
                  offsetof(ingot_string, size));
static_assert(int(INGOT_TRAINER_FLOAT) == int(INGOT_FLOAT) &&
              int(INGOT_TRAINER_STRING) == int(INGOT_STRING) &&
              int(INGOT_TRAINER_UINT64) == int(INGOT_UINT64) &&
              int(INGOT_TRAINER_HALF) == int(INGOT_HALF));

/// Checks the strings of a caller's tensor: their sizes, and that no address is
/// null. `who` names the tensor in error messages.
static Status checkTexts(const ingot_trainer_tensor &given, int64_t count,
                         const std::string &who) {
  auto *texts = static_cast<const ingot_trainer_string *>(given.data);
  for (int64_t i = 0; i < count; ++i) {
    // Whether the string's address is valid cannot be checked, but an absurd
    // size can be rejected.
    if (texts[i].size > INT64_MAX)
      return Status(StatusCode::InvalidArgument,
                    who + ": string " + std::to_string(i) +
                        " is too large: its size is " +
                        std::to_string(texts[i].size) +
                        " bytes, expected less than 2^63");
    if (texts[i].size != 0 && !texts[i].data)
      return Status(StatusCode::InvalidArgument,
                    who + ": string " + std::to_string(i) + " has " +
                        std::to_string(texts[i].size) +
                        " bytes, but its data is null");
  }
  return Status::ok();
}

Status embedding::checkTensor(const ingot_trainer_tensor &given,
                              const ingot_tensor_spec &spec, const char *what) {
  auto who = [&] { return std::string(what) + " '" + spec.name + "'"; };
  auto wrong = [&](const std::string &text) {
    return Status(StatusCode::InvalidArgument, who() + text);
  };
  if (given.rank != 0 && !given.dims)
    return wrong(": its dims are null, and its rank is " +
                 std::to_string(given.rank));
  // Checks the rank first: typeText() prints as many dimensions as `rank` says,
  // so a wrong rank could make it read beyond the caller's array.
  if (given.rank != spec.rank)
    return wrong(" must be " + typeText(spec) + ", but has rank " +
                 std::to_string(given.rank));
  ingot_tensor_spec found = {spec.name, given.dtype, given.rank, given.dims};
  bool fits = given.dtype == spec.dtype;
  for (uint32_t i = 0; i < spec.rank; ++i)
    fits &= given.dims[i] >= 0 &&
            (spec.dims[i] < 0 || spec.dims[i] == given.dims[i]);
  if (!fits)
    return wrong(" must be " + typeText(spec) + ", but is " + typeText(found));
  int64_t bytes = byteSizeOf(found);
  if (bytes < 0)
    return wrong(" cannot be " + typeText(found) +
                 ": it has 2^63 bytes or more");
  if (given.size != static_cast<uint64_t>(bytes))
    return wrong(": " + typeText(found) + " has " + std::to_string(bytes) +
                 " bytes, found " + std::to_string(given.size));
  if (bytes != 0 && !given.data)
    return wrong(": its data is null");
  return spec.dtype == INGOT_STRING
             ? checkTexts(given, elementCountOf(found), who())
             : Status::ok();
}

Expected<ingot_tensor>
CallerTensorConverter::take(const ingot_trainer_tensor &given) {
  ingot_tensor tensor = {const_cast<void *>(given.data),
                         const_cast<int64_t *>(given.dims), given.rank,
                         given.dtype};
  bool isAligned =
      reinterpret_cast<uintptr_t>(given.data) % INGOT_ALIGNMENT == 0;
  if (isAligned && given.data && given.dtype != INGOT_BOOL)
    return tensor;
  // A null address could make compiled code fail even if the tensor is empty,
  // so a buffer of at least one byte is provided.
  if (!buffer.data() || buffer.size() < given.size) {
    INGOT_ASSIGN_OR_RETURN(buffer,
                           AlignedBuffer::allocate(given.size + 1, "a feed"));
  }
  if (given.dtype == INGOT_BOOL) {
    auto *from = static_cast<const uint8_t *>(given.data);
    for (uint64_t i = 0; i < given.size; ++i)
      buffer.data()[i] = from[i] != 0;
  } else if (given.size != 0) {
    std::memcpy(buffer.data(), given.data, given.size);
  }
  tensor.data = buffer.data();
  return tensor;
}

ingot_trainer_tensor embedding::showTensor(const ingot_tensor_spec &spec,
                                           const void *data) {
  int64_t bytes = byteSizeOf(spec);
  return {spec.name, spec.dtype, spec.rank,
          spec.dims, data,       bytes < 0 ? 0 : static_cast<uint64_t>(bytes)};
}
