//===- Status.h - Success, or what went wrong and where ---------*- C++ -*-===//
//
// The one way the runtime reports failure: a code and a message to which each
// layer may add what it knows (file, shard, tensor, offset). No exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_STATUS_H
#define INGOT_RUNTIME_SUPPORT_STATUS_H

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ingot {

/// What kind of failure it was, numbered as TensorFlow numbers its codes.
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

  /// The same failure with "`context`: " before its message.
  Status withContext(std::string_view context) && {
    if (!isOk())
      theMessage = std::string(context) + ": " + theMessage;
    return std::move(*this);
  }

private:
  StatusCode theCode = StatusCode::Ok;
  std::string theMessage;
};

/// A value, or the failure that prevented it.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : theValue(std::move(value)) {}
  Expected(Status status) : theStatus(std::move(status)) {
    assert(!theStatus.isOk() && "success needs a value");
  }

  explicit operator bool() const { return theValue.has_value(); }
  T &operator*() { return *theValue; }
  const T &operator*() const { return *theValue; }
  T *operator->() { return &*theValue; }
  const T *operator->() const { return &*theValue; }

  const Status &status() const { return theStatus; }
  Status takeStatus() { return std::move(theStatus); }

private:
  std::optional<T> theValue;
  Status theStatus;
};

} // namespace ingot

/// Hands a failure on to the caller.
#define INGOT_RETURN_IF_ERROR(expression)                                      \
  do {                                                                         \
    if (::ingot::Status ingotStatus = (expression); !ingotStatus.isOk())       \
      return ingotStatus;                                                      \
  } while (false)

#define INGOT_CONCAT_IMPL(a, b) a##b
#define INGOT_CONCAT(a, b) INGOT_CONCAT_IMPL(a, b)
#define INGOT_ASSIGN_OR_RETURN_IMPL(holder, declaration, expression)           \
  auto holder = (expression);                                                  \
  if (!holder)                                                                 \
    return holder.takeStatus();                                                \
  declaration = std::move(*holder)

/// Declares or assigns from an Expected, or hands its failure on.
#define INGOT_ASSIGN_OR_RETURN(declaration, expression)                        \
  INGOT_ASSIGN_OR_RETURN_IMPL(INGOT_CONCAT(ingotExpected, __LINE__),           \
                              declaration, expression)

#endif // INGOT_RUNTIME_SUPPORT_STATUS_H
