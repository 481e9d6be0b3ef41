//===- LaunchBatches.h - An order that brings equals together ---*- C++ -*-===//
#ifndef INGOT_CODEGEN_HOST_LAUNCHBATCHES_H
#define INGOT_CODEGEN_HOST_LAUNCHBATCHES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace ingot::hostgen {

/// By launch: those in front of it that it waits for, rising.
using LaunchEdges = std::vector<llvm::SmallVector<unsigned>>;

/// All launches, in an order that they can run in; those of a batch have the
/// same kernel, and do not wait for each other.
using LaunchBatches = std::vector<llvm::SmallVector<unsigned>>;

/// Orders launches of `kernels` so that few batches are left. At each turn all
/// that can run of one kernel is a batch: of one that has none left to wait
/// for, the first of the program's; else of the kernel whose launches stand
/// nearest to the beginning, on average, so that those which come later have
/// time to join (Neubig et al., On-the-fly Operation Batching in Dynamic
/// Computation Graphs, NIPS 2017). Kernels that nobody waits for come last.
LaunchBatches orderInBatches(llvm::ArrayRef<unsigned> kernels,
                             const LaunchEdges &before);

/// Whether `launch` waits for `other`, or for what waits for it.
bool waitsFor(const LaunchEdges &before, unsigned launch, unsigned other);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_LAUNCHBATCHES_H
