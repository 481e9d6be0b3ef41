//===- Pipeline.cpp - The CPU's stages, pass by pass ----------------------===//

#include "codegen/CPU/Passes.h"
#include "codegen/Kernels/Passes.h"
#include "codegen/LLVM/ConversionPipeline.h"
#include "codegen/Math/Passes.h"

#include "mlir/Transforms/Passes.h"

namespace ingot::cpu {

void buildBufferPipeline(mlir::OpPassManager &manager, const Target &target,
                         const Plan &plan) {
  manager.addPass(kernels::createFuseElementwisePass());
  manager.addPass(createTransposeNarrowTensorsPass());
  TilePatchesPassOptions patches;
  patches.patchElements = plan.patchElements;
  patches.tileRows = target.numRegisters < 32 ? 6 : 12;
  patches.vectorBits = target.vectorBits;
  manager.addPass(createTilePatchesPass(patches));
  manager.addPass(createUnbatchProductsPass());
  manager.addPass(createSumInBlocksPass());
  TileKernelsPassOptions tiling;
  tiling.vectorBits = target.vectorBits;
  tiling.numRegisters = target.numRegisters;
  tiling.pairFactors = target.multipliesPairs;
  tiling.tileRows = plan.tileRows;
  tiling.tileVectors = plan.tileVectors;
  tiling.rowsOfBlock = plan.rowsOfBlock;
  manager.addPass(createTileKernelsPass(tiling));
  // Single-trip loops of peeled remainders become straight code with static
  // tiles.
  manager.addPass(llvmgen::createSimplifyPass());
  manager.addPass(mlir::createCSEPass());
  manager.addPass(createTileLastRowsPass());
  manager.addPass(kernels::createBufferizeKernelsPass());
  manager.addPass(llvmgen::createSimplifyPass());
  manager.addPass(createReadImagesPass());
  manager.addPass(mlir::createCSEPass());
  manager.addPass(kernels::createComputeInResultsPass());
  // Copies whose two sides have become one.
  manager.addPass(llvmgen::createSimplifyPass());
  kernels::PartitionKernelsPassOptions blocks;
  blocks.blockBytes = Core::blockBytes;
  blocks.blockOperations = Core::blockOperations;
  blocks.maxOwnBytes = Core::maxOwnBytes;
  blocks.partBytes = Core::partBytes;
  blocks.leavesSmall = true;
  manager.addPass(kernels::createPartitionKernelsPass(blocks));
  manager.addPass(llvmgen::createSimplifyPass());
  kernels::PlaceScratchPassOptions scratch;
  scratch.maxStackBytes = Core::maxStackBytes;
  scratch.maxOperandBytes = Core::maxOperandBytes;
  manager.addPass(kernels::createPlaceScratchPass(scratch));
  kernels::MeasureKernelsPassOptions grids;
  grids.minGridOperations = Core::minGridOperations;
  grids.minGridBytes = Core::minGridBytes;
  manager.addPass(kernels::createMeasureKernelsPass(grids));
}

void buildCodePipeline(mlir::OpPassManager &manager, const Target &target) {
  VectorizeProductsPassOptions products;
  products.vectorBits = target.vectorBits;
  products.useFMA = target.hasFMA;
  products.pairFactors = target.multipliesPairs;
  manager.addPass(createVectorizeProductsPass(products));
  VectorizeWindowsPassOptions windows;
  windows.vectorBits = target.vectorBits;
  windows.numRegisters = target.numRegisters;
  windows.useFMA = target.hasFMA;
  manager.addPass(createVectorizeWindowsPass(windows));
  manager.addPass(createCollapseLoopsPass());
  VectorizeTransposesPassOptions transposes;
  transposes.vectorBits = target.vectorBits;
  manager.addPass(createVectorizeTransposesPass(transposes));
  VectorizeLoopsPassOptions loops;
  loops.vectorBits = target.vectorBits;
  manager.addPass(createVectorizeLoopsPass(loops));
  manager.addPass(kernels::createExpandRandomBitsPass());
  manager.addPass(mathlib::createWidenSmallFloatsPass());
  mathlib::ApproximateMathPassOptions math;
  math.useFMA = target.hasFMA;
  manager.addPass(mathlib::createApproximateMathPass(math));
  llvmgen::buildConversion(manager, createLowerKernelSignaturesPass(),
                           createConvertKernelsPass());
  if (target.multipliesPairs)
    manager.addPass(createTypePairsPass());
}

} // namespace ingot::cpu
