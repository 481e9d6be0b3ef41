//===- LaunchBatches.h - Order launches for batching ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_HOST_LAUNCHBATCHES_H
#define INGOT_CODEGEN_HOST_LAUNCHBATCHES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace ingot::hostgen {

/// By launch: the earlier ones that it depends on, ascending.
using LaunchEdges = std::vector<llvm::SmallVector<unsigned>>;

/// All launches, in a topological order; those of a batch have the same kernel,
/// and do not depend on each other.
using LaunchBatches = std::vector<llvm::SmallVector<unsigned>>;

/// Orders launches of `kernels` so that there are few batches, by list
/// scheduling: in each step all ready launches of one kernel become a batch.
/// The kernel is one whose launches are all ready, if any, else the one whose
/// remaining launches are earliest in the program on average, so that later
/// ones have time to become ready (Neubig et al., "On-the-fly Operation
/// Batching in Dynamic Computation Graphs", NIPS 2017). Kernels that no other
/// depends on come last.
LaunchBatches orderInBatches(llvm::ArrayRef<unsigned> kernels,
                             const LaunchEdges &before);

/// Whether `launch` depends on `other`, transitively.
bool waitsFor(const LaunchEdges &before, unsigned launch, unsigned other);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_LAUNCHBATCHES_H
