//===- AsanPoison.h - Marks memory for AddressSanitizer ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Tells AddressSanitizer which bytes may be accessed in memory that is
// allocated as a whole and then used in parts. Builds without the sanitizer do
// not include its headers, which are in a separate package (Clang's runtime).
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_ASANPOISON_H
#define INGOT_RUNTIME_SUPPORT_ASANPOISON_H

#include <cstddef>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace ingot {

/// Makes AddressSanitizer report any access to these bytes.
inline void poison([[maybe_unused]] void *memory,
                   [[maybe_unused]] size_t size) {
#ifdef __SANITIZE_ADDRESS__
  __asan_poison_memory_region(memory, size);
#endif
}

inline void unpoison([[maybe_unused]] void *memory,
                     [[maybe_unused]] size_t size) {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(memory, size);
#endif
}

} // namespace ingot

#endif
