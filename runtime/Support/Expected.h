//===- Expected.h - A value or a failure ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Expected, the result type of functions that return a value or fail.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_EXPECTED_H
#define INGOT_RUNTIME_SUPPORT_EXPECTED_H

#include "runtime/Support/Status.h"

#include <cassert>
#include <optional>

namespace ingot {

/// A value, or the Status of the failure that prevented it.
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

#define INGOT_CONCAT_IMPL(a, b) a##b
#define INGOT_CONCAT(a, b) INGOT_CONCAT_IMPL(a, b)
#define INGOT_ASSIGN_OR_RETURN_IMPL(holder, declaration, expression)           \
  auto holder = (expression);                                                  \
  if (!holder)                                                                 \
    return holder.takeStatus();                                                \
  declaration = std::move(*holder)

/// Assigns the value of an Expected to a new or existing variable, or returns
/// its failure from the enclosing function.
#define INGOT_ASSIGN_OR_RETURN(declaration, expression)                        \
  INGOT_ASSIGN_OR_RETURN_IMPL(INGOT_CONCAT(ingotExpected, __LINE__),           \
                              declaration, expression)

#endif // INGOT_RUNTIME_SUPPORT_EXPECTED_H
