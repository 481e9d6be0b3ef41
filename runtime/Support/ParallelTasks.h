//===- ParallelTasks.h - Independent tasks on a few threads -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// For work that waits for a disk as much as for a processor: reading and
// summing the tensors of a checkpoint. Kernels run on Device/Parallel.h.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_PARALLELTASKS_H
#define INGOT_RUNTIME_SUPPORT_PARALLELTASKS_H

#include "runtime/Support/Status.h"

#include <cstddef>
#include <functional>

namespace ingot {

/// Threads worth having for reading files: one a core, at most 8.
unsigned readingThreads();

/// Runs `task(i)` for each i in [0, count), begun in that order, on up to
/// `threads` threads (0: readingThreads()), the caller's among them. After a
/// failure no further task is begun. Returns the failure of the lowest index,
/// which doesn't depend on the number of threads.
Status runTasks(unsigned threads, size_t count,
                const std::function<Status(size_t)> &task);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_PARALLELTASKS_H
