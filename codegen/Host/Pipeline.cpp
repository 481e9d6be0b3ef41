//===- Pipeline.cpp - The pass pipelines of entries -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/Passes.h"
#include "codegen/Math/Passes.h"
#include "runtime/ABI/Arena.h"

#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Transforms/Passes.h"

#include <limits>

namespace ingot::hostgen {

void buildBufferPipeline(mlir::OpPassManager &manager,
                         const OptionalPassSet &rewrites) {
  manager.addPass(createBufferizeEntriesPass());
  manager.addPass(mlir::createCanonicalizerPass());
  if (rewrites.has(Rewrite::EliminateCommonCalls))
    manager.addPass(mlir::createCSEPass());
  // The canonicalizer removes copies of a buffer to itself, which bufferization
  // leaves.
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(createAllocateLaunchScratchPass());
  // Comes after CSE, which would merge repeated launches on tensors, and after
  // scratch memory is allocated, as it is part of the arena.
  manager.addPass(createRematerializeActivationsPass());
}

void buildLLVMPipeline(mlir::OpPassManager &manager,
                       const OptionalPassSet &rewrites) {
  manager.addPass(createLowerStridedCopiesToLoopsPass());
  if (rewrites.has(Rewrite::ElideTensorListElementCopies))
    manager.addPass(createElideTensorListElementCopiesPass());
  // The linalg ops that remain here are too small for a kernel, such as fills.
  // The host code of the entry point runs them itself, as loops.
  manager.addPass(mlir::createConvertLinalgToLoopsPass());
  manager.addPass(mathlib::createWiden16BitFloatsPass());
  PlanArenaPassOptions arena;
  arena.bytesApart = rewrites.has(Rewrite::ShareArena)
                         ? INGOT_ARENA_BYTES_APART
                         : std::numeric_limits<int64_t>::max();
  manager.addPass(createPlanArenaPass(arena));
  if (rewrites.has(Rewrite::BatchLaunches))
    manager.addPass(createBatchLaunchesPass());
  manager.addPass(createBuildKernelLaunchTablesPass());
  manager.addPass(createAnnotateEntryMemoryAccessesPass());
  manager.addPass(createLowerEntrySignaturesPass());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
  manager.addPass(createConvertEntriesToLLVMPass());
  manager.addPass(mathlib::createStoreBfloat16AsBitsPass());
  manager.addPass(mlir::createReconcileUnrealizedCastsPass());
  manager.addPass(mlir::createCanonicalizerPass());
}

} // namespace ingot::hostgen
