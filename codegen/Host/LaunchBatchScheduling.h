//===- LaunchBatchScheduling.h - Order launches for batching ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_HOST_LAUNCHBATCHSCHEDULING_H
#define INGOT_CODEGEN_HOST_LAUNCHBATCHSCHEDULING_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace ingot::hostgen {

/// For each launch, the indices of the earlier launches on which it depends,
/// ascending.
using LaunchEdges = std::vector<llvm::SmallVector<unsigned>>;

/// All launches as a list of batches, in a topological order. The launches of a
/// batch have the same kernel and do not depend on each other.
using LaunchBatches = std::vector<llvm::SmallVector<unsigned>>;

/// Orders launches so that there are few batches; launch i runs kernel
/// `kernels[i]` and depends on the launches `before[i]`. This is list
/// scheduling: each step makes a batch of all ready launches of one kernel. The
/// step chooses a kernel whose launches are all ready, if there is one.
/// Otherwise it chooses the kernel whose remaining launches have the smallest
/// average depth in the dependence graph, so that launches of other kernels
/// have time to become ready (Neubig et al., "On-the-fly Operation Batching in
/// Dynamic Computation Graphs", NIPS 2017). Kernels on whose launches no other
/// launch depends come last.
LaunchBatches orderInBatches(llvm::ArrayRef<unsigned> kernels,
                             const LaunchEdges &before);

/// Whether `launch` depends on `other`, directly or through other launches.
bool waitsFor(const LaunchEdges &before, unsigned launch, unsigned other);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_LAUNCHBATCHSCHEDULING_H
