//===- ProgramMemory.h - Programs that run out of memory say so -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// For the file of a program's main(): libraries leave the new handler, and the
// messages of uncaught exceptions, to the program that links them. The runtime
// throws nothing; the standard library does, where it gets no memory or thread.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_PROGRAMMEMORY_H
#define INGOT_RUNTIME_SUPPORT_PROGRAMMEMORY_H

#include "runtime/Support/OutOfMemory.h"

#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <new>
#include <typeinfo>

namespace {
/// operator new calls it where it gets no memory. It does not know how much was
/// asked for, and operators of our own, which would, cannot be: a library made
/// by ingotc would take them out of the runtime's archive, main() included.
[[maybe_unused]] const std::new_handler previousNewHandler =
    std::set_new_handler(ingot::endWithoutObject);
} // namespace

/// libstdc++'s own prints the type of the exception, for which it brings along
/// a demangler: 45 KB of a trainer that throws nothing.
namespace __gnu_cxx {
void __verbose_terminate_handler() {
  const std::type_info *type = abi::__cxa_current_exception_type();
  if (type && std::strstr(type->name(), "system_error"))
    ingot::endWithoutThread();
  std::abort();
}
} // namespace __gnu_cxx

#endif // INGOT_RUNTIME_SUPPORT_PROGRAMMEMORY_H
