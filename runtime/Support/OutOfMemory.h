//===- OutOfMemory.h - The end of a process without memory ------*- C++ -*-===//
#ifndef INGOT_RUNTIME_SUPPORT_OUTOFMEMORY_H
#define INGOT_RUNTIME_SUPPORT_OUTOFMEMORY_H

#include <cstddef>

namespace ingot {

/// Ends the process, where nobody is left who could be told by a Status: says
/// how many bytes could not be had, and for what ("a tensor"). Takes no memory.
[[noreturn]] void endWithoutMemory(size_t bytes, const char *what);

/// The same where the system starts no thread.
[[noreturn]] void endWithoutThread();

/// Ends the process: operator new got no memory, however much it asked for.
[[noreturn]] void endWithoutObject();

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_OUTOFMEMORY_H
