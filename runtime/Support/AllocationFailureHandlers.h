//===- AllocationFailureHandlers.h - Failed allocations ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Installs handlers for failed allocations and uncaught exceptions. Only the
// source file with a program's main() includes this header, because a library
// must not change the handlers of the program that links it. The runtime itself
// throws no exceptions, but the standard library throws if it gets no memory or
// cannot start a thread.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_ALLOCATIONFAILUREHANDLERS_H
#define INGOT_RUNTIME_SUPPORT_ALLOCATIONFAILUREHANDLERS_H

#include "runtime/Support/OutOfMemory.h"

#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <new>
#include <typeinfo>

namespace {
/// Makes operator new call endWithoutObject() if it gets no memory. This
/// handler does not know the requested size. A replacement of operator new
/// would know the size, but the libraries that ingotc makes call operator new.
/// They would then link the object file that defines the replacement, and this
/// file also has main().
[[maybe_unused]] const std::new_handler previousNewHandler =
    std::set_new_handler(ingot::endWithoutObject);
} // namespace

/// Replaces libstdc++'s handler, which prints the type of an uncaught
/// exception: its demangler would add 45 KB to a trainer that throws nothing.
namespace __gnu_cxx {
void __verbose_terminate_handler() {
  const std::type_info *type = abi::__cxa_current_exception_type();
  if (type && std::strstr(type->name(), "system_error"))
    ingot::endWithoutThread();
  std::abort();
}
} // namespace __gnu_cxx

#endif // INGOT_RUNTIME_SUPPORT_ALLOCATIONFAILUREHANDLERS_H
