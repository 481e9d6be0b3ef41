//===- ParallelLoops.h - Splits a grid among threads ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Parallel loops of kernels, which run on the process's thread pool.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_PARALLELLOOPS_H
#define INGOT_RUNTIME_DEVICE_PARALLELLOOPS_H

#include "runtime/ABI/Calls.h"
#include "runtime/Device/ThreadPool.h"

namespace ingot {

/// Calls `kernel` on contiguous ranges that cover [0, count) once, on up to
/// `threads` threads, and returns when all calls have returned. Uses the
/// calling thread alone if there is one index or one thread, or if another
/// thread uses the pool.
void parallelFor(unsigned threads, ingot_kernel kernel, int64_t count,
                 void *const *arguments);

/// Returns true if a grid of `count` indices takes long enough for several
/// threads. `flops` and `bytes` are the operations and the bytes read and
/// written per index.
bool isWorthParallelizing(int64_t count, int64_t flops, int64_t bytes);

/// Makes every grid of more than one index parallel, for tests of kernels on
/// several threads. Must be called before any session is created. The
/// environment variable INGOT_FORCE_PARALLEL does the same for tests of
/// trainers.
void forceParallelForTesting();
bool isParallelForced();

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_PARALLELLOOPS_H
