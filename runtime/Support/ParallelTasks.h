//===- ParallelTasks.h - Runs tasks on a few threads ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Runs tasks that wait for a disk as much as they compute, such as reading and
// checksumming the tensors of a checkpoint. Kernels run on the thread pool
// instead (Device/ParallelLoops.h).
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_PARALLELTASKS_H
#define INGOT_RUNTIME_SUPPORT_PARALLELTASKS_H

#include "runtime/Support/Status.h"

#include <cstddef>
#include <functional>

namespace ingot {

/// Returns a useful number of threads for reading files: one per core, at most
/// 8.
unsigned readingThreads();

/// Runs `task(i)` for each i in [0, count) on up to `threads` threads (0:
/// readingThreads()), one of which is the caller's. Tasks begin in ascending
/// order; after a failure no further task begins. Returns the failure with the
/// lowest index, which does not depend on the number of threads.
Status runTasks(unsigned threads, size_t count,
                const std::function<Status(size_t)> &task);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_PARALLELTASKS_H
