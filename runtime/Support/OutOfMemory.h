//===- OutOfMemory.h - The end of a process without memory ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_OUTOFMEMORY_H
#define INGOT_RUNTIME_SUPPORT_OUTOFMEMORY_H

#include <cstddef>

namespace ingot {

/// Ends the process where a Status cannot reach anyone: prints how many bytes
/// could not be allocated, and for what ("a tensor"). Allocates nothing.
[[noreturn]] void endWithoutMemory(size_t bytes, const char *what);

/// The same where the system starts no thread.
[[noreturn]] void endWithoutThread();

/// Ends the process: operator new got no memory, whatever the size.
[[noreturn]] void endWithoutObject();

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_OUTOFMEMORY_H
