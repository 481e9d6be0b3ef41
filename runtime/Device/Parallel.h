//===- Parallel.h - A kernel's grid, split among threads --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Parallel loops run on the process's thread pool.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_PARALLEL_H
#define INGOT_RUNTIME_DEVICE_PARALLEL_H

#include "runtime/ABI/Calls.h"
#include "runtime/Device/ThreadPool.h"

namespace ingot {

/// Calls `kernel` on contiguous ranges that cover [0, count) once, on up to
/// `threads` threads, and returns when all of them are done. Runs on the
/// calling thread alone when there is one index or one thread, or where another
/// thread has a loop.
void parallelFor(unsigned threads, ingot_kernel kernel, int64_t count,
                 void *const *arguments);

/// Whether a grid of `count` indices takes long enough for several threads, by
/// the operations and the bytes read and written of each index.
bool isWorthParallelizing(int64_t count, int64_t flops, int64_t bytes);

/// From now on every grid of more than one index is parallel: for tests of
/// kernels on several threads. Called before any session is created. The
/// environment's INGOT_FORCE_PARALLEL does the same, for tests of trainers.
void forceParallelForTesting();
bool isParallelForced();

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_PARALLEL_H
