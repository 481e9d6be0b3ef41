//===- Pipeline.cpp - The CPU's stages, pass by pass ----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Builds the CPU's pass pipelines: tiling on tensors, bufferization,
// vectorization and lowering to the LLVM dialect. If a rewrite is switched off,
// its pass is left out, or generates scalar code.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/Passes.h"
#include "codegen/Kernels/BufferizationPipeline.h"
#include "codegen/LLVM/ConversionPipeline.h"
#include "codegen/Math/Passes.h"

#include "mlir/Transforms/Passes.h"

namespace ingot::cpu {

/// Adds the passes that tile kernels on tensors. Passes that make a grid loop
/// (tiled im2col, unbatching, K-blocking) run before TileGEMMs, which tiles the
/// GEMM inside of that loop to registers.
static void addTiling(mlir::OpPassManager &manager, const Target &target,
                      const CacheHierarchy &caches, const TilingPlan &plan,
                      const OptionalPassSet &rewrites) {
  if (rewrites.has(Rewrite::TileGEMMs))
    manager.addPass(createWidenGEMMOperandsPass());
  if (rewrites.has(Rewrite::FuseElementwise))
    manager.addPass(kernels::createFuseElementwisePass());
  if (rewrites.has(Rewrite::CollapseDrawLoops))
    manager.addPass(createCollapseDrawLoopsPass());
  if (rewrites.has(Rewrite::TransposeShortReductions))
    manager.addPass(createTransposeShortReductionsPass());
  TileIm2colPassOptions patches;
  patches.patchElements = caches.patchElements() * plan.blockPercent / 100;
  patches.tileRows = target.numRegisters < 32 ? 6 : 12;
  patches.vectorBits = target.vectorBits;
  if (rewrites.has(Rewrite::TileIm2col))
    manager.addPass(createTileIm2colPass(patches));
  if (rewrites.has(Rewrite::SinkTransposes))
    manager.addPass(createSinkTransposesPass({target.vectorBits}));
  if (rewrites.has(Rewrite::UnbatchGEMMs))
    manager.addPass(createUnbatchGEMMsPass());
  if (rewrites.has(Rewrite::BlockK)) {
    BlockKPassOptions parts;
    parts.vectorBits = target.vectorBits;
    parts.numRegisters = target.numRegisters;
    parts.halvesVectors = target.halvesVectors;
    parts.pairFactors = target.multipliesPairs;
    parts.tileRows = plan.tileRows;
    parts.tileVectors = plan.tileVectors;
    parts.caches = caches;
    manager.addPass(createBlockKPass(parts));
  }
  if (!rewrites.has(Rewrite::TileGEMMs))
    return;
  TileGEMMsPassOptions tiling;
  tiling.vectorBits = target.vectorBits;
  tiling.numRegisters = target.numRegisters;
  tiling.halvesVectors = target.halvesVectors;
  tiling.pairFactors = target.multipliesPairs;
  tiling.tileRows = plan.tileRows;
  tiling.tileVectors = plan.tileVectors;
  tiling.rowsOfBlock = caches.rowsOfBlock() * plan.blockPercent / 100;
  tiling.caches = caches;
  manager.addPass(createTileGEMMsPass(tiling));
  // After peeling, remainders are loops with one iteration. Simplification
  // inlines these loops, so that their tiles have static sizes.
  manager.addPass(kernels::createSimplifyTensorsPass());
  manager.addPass(mlir::createCSEPass());
  manager.addPass(createTileRemainderRowsPass());
}

void buildBufferPipeline(mlir::OpPassManager &manager, const Target &target,
                         const CacheHierarchy &caches, const TilingPlan &plan,
                         const OptionalPassSet &rewrites) {
  addTiling(manager, target, caches, plan, rewrites);
  kernels::BufferizationPipeline pipeline;
  auto elideIm2col = [&](mlir::OpPassManager &manager) {
    if (rewrites.has(Rewrite::ElideIm2col))
      manager.addPass(createElideIm2colPass());
  };
  pipeline.addAfterBufferization = elideIm2col;
  pipeline.eliminatesCommonBuffers =
      rewrites.has(Rewrite::EliminateCommonBuffers);
  pipeline.elidesResultCopies = rewrites.has(Rewrite::ElideResultCopies);
  pipeline.partitionsKernels =
      rewrites.has(Rewrite::PartitionKernelsIntoBlocks);
  pipeline.blocks.blockBytes = CPUTargetLimits::blockBytes;
  pipeline.blocks.blockOperations = CPUTargetLimits::blockOperations;
  pipeline.blocks.maxOwnBytes = CPUTargetLimits::maxOwnBytes;
  pipeline.blocks.partBytes = caches.partBytes();
  pipeline.blocks.leavesSmall = true;
  pipeline.blocks.leastMultiple = CPUTargetLimits::elementsOfLine;
  auto placeTemporaries = [](mlir::OpPassManager &manager) {
    kernels::LowerAllocsToStackOrScratchPassOptions scratch;
    scratch.maxStackBytes = CPUTargetLimits::maxStackBytes;
    scratch.maxOperandBytes = CPUTargetLimits::maxOperandBytes;
    manager.addPass(kernels::createLowerAllocsToStackOrScratchPass(scratch));
  };
  pipeline.addAfterPartition = placeTemporaries;
  pipeline.costs.minGridOperations = CPUTargetLimits::minGridOperations;
  pipeline.costs.minGridBytes = CPUTargetLimits::minGridBytes;
  pipeline.costs.flopsOfDivision = CPUTargetLimits::flopsOfDivision;
  pipeline.costs.flopsOfSquareRoot = CPUTargetLimits::flopsOfSquareRoot;
  pipeline.costs.flopsOfRandomNumber = CPUTargetLimits::flopsOfRandomNumber;
  kernels::addBufferPipeline(manager, pipeline);
}

/// Adds the passes that lower all linalg ops to loops. GEMMs, depthwise
/// convolutions, contractions and transposes have passes of their own, which
/// may be switched off. VectorizeLoops lowers all linalg ops that remain after
/// these passes.
static void addVectors(mlir::OpPassManager &manager, const Target &target,
                       const CacheHierarchy &caches,
                       const OptionalPassSet &rewrites) {
  if (rewrites.has(Rewrite::VectorizeGEMMs)) {
    VectorizeGEMMsPassOptions products;
    products.vectorBits = target.vectorBits;
    products.useFMA = target.hasFMA;
    products.pairFactors = target.multipliesPairs;
    products.caches = caches;
    manager.addPass(createVectorizeGEMMsPass(products));
  }
  if (rewrites.has(Rewrite::VectorizeDepthwiseConvolutions)) {
    VectorizeDepthwiseConvolutionsPassOptions windows;
    windows.vectorBits = target.vectorBits;
    windows.numRegisters = target.numRegisters;
    windows.useFMA = target.hasFMA;
    manager.addPass(createVectorizeDepthwiseConvolutionsPass(windows));
  }
  // This pass runs even with --reference, which switches off all optional
  // rewrites: VectorizeLoops must lower the same loops in both cases, so that
  // sums have the same order.
  manager.addPass(createCollapseLoopsPass());
  if (rewrites.has(Rewrite::VectorizeContractions)) {
    VectorizeContractionsPassOptions contractions;
    contractions.vectorBits = target.vectorBits;
    contractions.useFMA = target.hasFMA;
    manager.addPass(createVectorizeContractionsPass(contractions));
  }
  LowerContractionsToLoopsPassOptions products;
  products.useFMA = target.hasFMA;
  manager.addPass(createLowerContractionsToLoopsPass(products));
  if (rewrites.has(Rewrite::VectorizeTransposes)) {
    VectorizeTransposesPassOptions transposes;
    transposes.vectorBits = target.vectorBits;
    manager.addPass(createVectorizeTransposesPass(transposes));
  }
  // If `vectorBits` is 0, VectorizeLoops computes one element at a time. The
  // result has the same bits, as the order of a sum does not depend on the
  // vector width (SumOrder.h).
  VectorizeLoopsPassOptions loops;
  loops.vectorBits =
      rewrites.has(Rewrite::VectorizeLoops) ? target.vectorBits : 0;
  manager.addPass(createVectorizeLoopsPass(loops));
  if (rewrites.has(Rewrite::SkipZeroQuotients))
    manager.addPass(createSkipZeroQuotientsPass());
}

void buildCodePipeline(mlir::OpPassManager &manager, const Target &target,
                       const CacheHierarchy &caches,
                       const OptionalPassSet &rewrites) {
  addVectors(manager, target, caches, rewrites);
  manager.addPass(kernels::createExpandRandomBitsToPhiloxPass());
  manager.addPass(kernels::createExpandThreefryPass());
  manager.addPass(mathlib::createWiden16BitFloatsPass());
  mathlib::ApproximateMathPassOptions math;
  math.useFMA = target.hasFMA;
  manager.addPass(mathlib::createApproximateMathPass(math));
  llvmgen::buildConversion(manager, createLowerKernelSignaturesPass(),
                           createConvertKernelsToLLVMPass());
  if (target.multipliesPairs && rewrites.has(Rewrite::VectorizeGEMMs))
    manager.addPass(createBitcastBF16DotOperandsPass());
}

} // namespace ingot::cpu
