//===- StatusCode.h - Kinds of failure --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_STATUSCODE_H
#define INGOT_RUNTIME_SUPPORT_STATUSCODE_H

#include <cstdint>

namespace ingot {

/// The kind of a failure, with the numbers of TensorFlow's error codes.
enum class StatusCode : int32_t {
  Ok = 0,
  Cancelled = 1,
  Unknown = 2,
  InvalidArgument = 3,
  DeadlineExceeded = 4,
  NotFound = 5,
  AlreadyExists = 6,
  PermissionDenied = 7,
  ResourceExhausted = 8,
  FailedPrecondition = 9,
  Aborted = 10,
  OutOfRange = 11,
  Unimplemented = 12,
  Internal = 13,
  Unavailable = 14,
  DataLoss = 15,
};

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_STATUSCODE_H
