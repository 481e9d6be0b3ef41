//===- ProgramMemory.h - Programs that run out of memory say so -*- C++ -*-===//
//
// For the file of a program's main(): libraries leave operator new, and what is
// said of exceptions that nobody catches, to whoever links them. Nothing of
// ours throws; the standard library does, where it gets no memory or thread.
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

// The sanitizer's own know what they gave.
#if !defined(__SANITIZE_ADDRESS__)
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__
#endif
#endif
#endif

#if !defined(__SANITIZE_ADDRESS__)
void *operator new(size_t size) {
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  ingot::endWithoutMemory(size, "an object");
}
void *operator new(size_t size, const std::nothrow_t &) noexcept {
  return std::malloc(size ? size : 1);
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
#endif

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
