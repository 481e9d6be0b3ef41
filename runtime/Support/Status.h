//===- Status.h - Success, or what went wrong and where ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Status, the runtime's type for failures: a code and a message, to which each
// layer can add its context (file, shard, tensor, offset). The runtime does not
// use exceptions. Functions that return a value return an Expected
// (Expected.h).
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_STATUS_H
#define INGOT_RUNTIME_SUPPORT_STATUS_H

#include "runtime/Support/StatusCode.h"

#include <string>
#include <string_view>
#include <utility>

namespace ingot {

/// Success, or a code with a message for the user.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(StatusCode code, std::string message)
      : theCode(code), theMessage(std::move(message)) {}

  static Status ok() { return Status(); }

  bool isOk() const { return theCode == StatusCode::Ok; }
  StatusCode code() const { return theCode; }
  const std::string &message() const { return theMessage; }

  /// Returns the failure with "`context`: " before its message.
  Status withContext(std::string_view context) && {
    if (!isOk())
      theMessage = std::string(context) + ": " + theMessage;
    return std::move(*this);
  }

private:
  StatusCode theCode = StatusCode::Ok;
  std::string theMessage;
};

} // namespace ingot

/// Returns a failure from the enclosing function.
#define INGOT_RETURN_IF_ERROR(expression)                                      \
  do {                                                                         \
    if (::ingot::Status ingotStatus = (expression); !ingotStatus.isOk())       \
      return ingotStatus;                                                      \
  } while (false)

#endif // INGOT_RUNTIME_SUPPORT_STATUS_H
