//===- StreamingCopy.cpp - Copies by streaming stores ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/StreamingCopy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

void ingot::streamingCopy(void *to, const void *from, size_t size) {
#if defined(__x86_64__)
  constexpr size_t line = 64;
  auto *target = static_cast<char *>(to);
  const auto *source = static_cast<const char *>(from);
  size_t head =
      std::min<size_t>(size, -reinterpret_cast<uintptr_t>(target) & (line - 1));
  std::memcpy(target, source, head);
  for (target += head, source += head, size -= head; size >= line;
       target += line, source += line, size -= line) {
    // Load a whole cache line before storing it: streaming stores that fill a
    // line one after the other are written to memory in one transfer.
    __m128i parts[4];
    std::memcpy(parts, source, line);
    for (size_t i = 0; i < 4; ++i)
      _mm_stream_si128(reinterpret_cast<__m128i *>(target) + i, parts[i]);
  }
  // Streaming stores are weakly ordered: fence, so that later stores do not
  // become visible before them.
  _mm_sfence();
  std::memcpy(target, source, size);
#else
  std::memcpy(to, from, size);
#endif
}
