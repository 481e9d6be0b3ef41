//===- OutOfMemory.cpp - Ends a process without memory --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/OutOfMemory.h"

#include <algorithm>
#include <cstdio>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace ingot;

[[noreturn]] static void end(const char *text, int size, size_t room) {
  size_t length = std::min(static_cast<size_t>(std::max(size, 0)), room - 1);
  (void)!::write(STDERR_FILENO, text, length);
  ::_exit(1);
}

void ingot::endWithoutMemory(size_t bytes, const char *what) {
  char text[160];
  int size =
      std::snprintf(text, sizeof(text),
                    "error: out of memory: %zu bytes for %s\n", bytes, what);
  end(text, size, sizeof(text));
}

void ingot::endWithoutObject() {
  rlimit limit = {};
  char most[64] = "";
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    std::snprintf(most, sizeof(most), "; the limit is %llu bytes (ulimit -v)",
                  static_cast<unsigned long long>(limit.rlim_cur));
  char text[160];
  int size =
      std::snprintf(text, sizeof(text),
                    "error: out of memory: no bytes for an object%s\n", most);
  end(text, size, sizeof(text));
}

void ingot::endWithoutThread() {
  pthread_attr_t attributes;
  size_t stack = 0;
  if (::pthread_attr_init(&attributes) == 0)
    (void)::pthread_attr_getstacksize(&attributes, &stack);
  char text[200];
  int size =
      std::snprintf(text, sizeof(text),
                    "error: cannot start a thread: no memory for its stack of "
                    "%zu bytes, or too many threads (ulimit -v, ulimit -u)\n",
                    stack);
  end(text, size, sizeof(text));
}
