//===- OutOfMemory.h - Ends a process without memory ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_OUTOFMEMORY_H
#define INGOT_RUNTIME_SUPPORT_OUTOFMEMORY_H

#include <cstddef>

namespace ingot {

/// Prints that `bytes` bytes could not be allocated for `what` ("a tensor"),
/// and ends the process. For code whose callers cannot receive a Status.
/// Allocates no memory itself.
[[noreturn]] void endWithoutMemory(size_t bytes, const char *what);

/// Ends the process because the system cannot start a thread.
[[noreturn]] void endWithoutThread();

/// Ends the process because operator new failed, for an unknown size.
[[noreturn]] void endWithoutObject();

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_OUTOFMEMORY_H
