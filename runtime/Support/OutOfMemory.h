//===- OutOfMemory.h - Ends a process without memory ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_OUTOFMEMORY_H
#define INGOT_RUNTIME_SUPPORT_OUTOFMEMORY_H

#include <cstddef>

namespace ingot {

/// Prints that `bytes` bytes could not be allocated for `what` ("a tensor"),
/// and ends the process. Called where a failure cannot be returned as a Status.
/// Allocates no memory itself.
[[noreturn]] void endWithoutMemory(size_t bytes, const char *what);

/// Prints that the system cannot start a thread, and ends the process.
[[noreturn]] void endWithoutThread();

/// Prints that memory could not be allocated, and ends the process. Used as the
/// handler of operator new, which does not receive the size.
[[noreturn]] void endWithoutObject();

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_OUTOFMEMORY_H
