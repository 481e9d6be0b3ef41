//===- Pipeline.cpp - The CPU's stages, pass by pass ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/Passes.h"
#include "codegen/Kernels/Passes.h"
#include "codegen/LLVM/ConversionPipeline.h"
#include "codegen/Math/Passes.h"

#include "mlir/Transforms/Passes.h"

namespace ingot::cpu {

/// Cuts a kernel into loops over tiles, on tensors.
static void addTiling(mlir::OpPassManager &manager, const Target &target,
                      const Plan &plan, const Rewrites &rewrites) {
  if (rewrites.has(Rewrite::FuseElementwise))
    manager.addPass(kernels::createFuseElementwisePass());
  if (rewrites.has(Rewrite::TransposeNarrowTensors))
    manager.addPass(createTransposeNarrowTensorsPass());
  TileIm2colPassOptions patches;
  patches.patchElements = plan.patchElements;
  patches.tileRows = target.numRegisters < 32 ? 6 : 12;
  patches.vectorBits = target.vectorBits;
  if (rewrites.has(Rewrite::TileIm2col))
    manager.addPass(createTileIm2colPass(patches));
  if (rewrites.has(Rewrite::UnbatchGEMMs))
    manager.addPass(createUnbatchGEMMsPass());
  if (rewrites.has(Rewrite::BlockK))
    manager.addPass(createBlockKPass());
  if (!rewrites.has(Rewrite::TileGEMMs))
    return;
  TileGEMMsPassOptions tiling;
  tiling.vectorBits = target.vectorBits;
  tiling.numRegisters = target.numRegisters;
  tiling.pairFactors = target.multipliesPairs;
  tiling.tileRows = plan.tileRows;
  tiling.tileVectors = plan.tileVectors;
  tiling.rowsOfBlock = plan.rowsOfBlock;
  manager.addPass(createTileGEMMsPass(tiling));
  // Single-trip loops of peeled remainders become straight code with static
  // tiles.
  manager.addPass(llvmgen::createSimplifyPass());
  manager.addPass(mlir::createCSEPass());
  manager.addPass(createTileRemainderRowsPass());
}

void buildBufferPipeline(mlir::OpPassManager &manager, const Target &target,
                         const Plan &plan, const Rewrites &rewrites) {
  addTiling(manager, target, plan, rewrites);
  manager.addPass(kernels::createBufferizeKernelsPass());
  manager.addPass(llvmgen::createSimplifyPass());
  if (rewrites.has(Rewrite::ElideIm2col))
    manager.addPass(createElideIm2colPass());
  if (rewrites.has(Rewrite::EliminateCommonBuffers))
    manager.addPass(mlir::createCSEPass());
  if (rewrites.has(Rewrite::ElideResultCopies))
    manager.addPass(kernels::createElideResultCopiesPass());
  // Removes copies of a buffer to itself.
  manager.addPass(llvmgen::createSimplifyPass());
  kernels::PartitionKernelsPassOptions blocks;
  blocks.blockBytes = Core::blockBytes;
  blocks.blockOperations = Core::blockOperations;
  blocks.maxOwnBytes = Core::maxOwnBytes;
  blocks.partBytes = Core::partBytes;
  blocks.leavesSmall = true;
  if (rewrites.has(Rewrite::PartitionKernels))
    manager.addPass(kernels::createPartitionKernelsPass(blocks));
  manager.addPass(llvmgen::createSimplifyPass());
  kernels::PlaceScratchPassOptions scratch;
  scratch.maxStackBytes = Core::maxStackBytes;
  scratch.maxOperandBytes = Core::maxOperandBytes;
  manager.addPass(kernels::createPlaceScratchPass(scratch));
  kernels::EstimateKernelsPassOptions grids;
  grids.minGridOperations = Core::minGridOperations;
  grids.minGridBytes = Core::minGridBytes;
  manager.addPass(kernels::createEstimateKernelsPass(grids));
}

/// Vectorizes loops, and lowers the rest to scalar loops.
static void addVectors(mlir::OpPassManager &manager, const Target &target,
                       const Rewrites &rewrites) {
  if (rewrites.has(Rewrite::VectorizeGEMMs)) {
    VectorizeGEMMsPassOptions products;
    products.vectorBits = target.vectorBits;
    products.useFMA = target.hasFMA;
    products.pairFactors = target.multipliesPairs;
    manager.addPass(createVectorizeGEMMsPass(products));
  }
  if (rewrites.has(Rewrite::VectorizeDepthwise)) {
    VectorizeDepthwisePassOptions windows;
    windows.vectorBits = target.vectorBits;
    windows.numRegisters = target.numRegisters;
    windows.useFMA = target.hasFMA;
    manager.addPass(createVectorizeDepthwisePass(windows));
  }
  // Always: which dimensions a sum takes as one determines its order, and bits.
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
  // Without the rewrite element by element; sums keep their order.
  VectorizeLoopsPassOptions loops;
  loops.vectorBits =
      rewrites.has(Rewrite::VectorizeLoops) ? target.vectorBits : 0;
  manager.addPass(createVectorizeLoopsPass(loops));
}

void buildCodePipeline(mlir::OpPassManager &manager, const Target &target,
                       const Rewrites &rewrites) {
  addVectors(manager, target, rewrites);
  manager.addPass(kernels::createExpandRandomBitsPass());
  manager.addPass(mathlib::createWidenSmallFloatsPass());
  mathlib::ApproximateMathPassOptions math;
  math.useFMA = target.hasFMA;
  manager.addPass(mathlib::createApproximateMathPass(math));
  llvmgen::buildConversion(manager, createLowerKernelSignaturesPass(),
                           createConvertKernelsPass());
  if (target.multipliesPairs && rewrites.has(Rewrite::VectorizeGEMMs))
    manager.addPass(createBitcastBF16PairsPass());
}

} // namespace ingot::cpu
