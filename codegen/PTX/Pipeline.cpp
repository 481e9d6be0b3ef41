//===- Pipeline.cpp - The GPU's stages, pass by pass ----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Builds the GPU's pass pipelines: kernels on tensors are bufferized, their
// GEMMs tiled, their grids mapped to blocks and their temporaries to memory;
// then their loops are distributed over threads and lowered to the NVVM
// dialect.
//
//===----------------------------------------------------------------------===//

#include "codegen/Kernels/BufferizationPipeline.h"
#include "codegen/LLVM/ConversionPipeline.h"
#include "codegen/Math/Passes.h"
#include "codegen/PTX/Passes.h"

#include "mlir/Transforms/Passes.h"

namespace ingot::ptx {

/// Limits of the work of one block: about `blockBytes` bytes of memory
/// accesses, a few elements for each of 256 threads, and about
/// `blockOperations` operations. The limit of operations matters for ops with
/// many operations per element, such as GEMMs that are too small for tiles: a
/// block then computes some dozens of elements.
static constexpr int64_t blockBytes = 8 * 1024;
static constexpr int64_t blockOperations = 4 * 1024;
/// The maximum size, in bytes, of a temporary of one block. It is small enough
/// that several temporaries fit into shared memory.
static constexpr int64_t maxOwnBytes = 16 * 1024;

/// The size of a block along a contiguous dimension is a multiple of the number
/// of 32-bit elements in a sector, the unit in which a GPU reads its memory.
static constexpr int64_t innerMultiple = 8;
/// If only some operands are contiguous along a block's dimension, because
/// others are transposed, the size of a block is a multiple of a tile's side
/// (CoalescedTile.h).
static constexpr int64_t transposedMultiple = 32;
/// The rows of a row-sparse update are divided into ranges, one for each block.
/// The threads of a block together search all indices for rows in the block's
/// range. `maxRanges` is the maximum number of ranges. If the number of rows is
/// dynamic, a range has `rangeRows` rows.
static constexpr int64_t maxRanges = 1024, rangeRows = 8;

void buildBufferPipeline(mlir::OpPassManager &manager, Precision precision,
                         TensorCoreKind cores) {
  manager.addPass(createMarkHostKernelsPass());
  manager.addPass(kernels::createExpandRandomBitsToPhiloxPass());
  manager.addPass(kernels::createExpandThreefryPass());
  manager.addPass(createGeneralizeTransposesPass());
  manager.addPass(kernels::createFuseElementwisePass());
  manager.addPass(kernels::createSimplifyTensorsPass());
  manager.addPass(mlir::createCSEPass());
  manager.addPass(createCollapseLeadingDimensionsPass());
  kernels::BufferizationPipeline pipeline;
  auto tileGEMMs = [&](mlir::OpPassManager &manager) {
    TileGEMMsPassOptions tiling;
    tiling.precisionName = nameOf(precision).str();
    tiling.coresName = nameOf(cores).str();
    manager.addPass(createTileGEMMsPass(tiling));
  };
  pipeline.addBeforePartition = tileGEMMs;
  kernels::PartitionKernelsIntoBlocksPassOptions &blocks = pipeline.blocks;
  blocks.blockBytes = blockBytes;
  blocks.blockOperations = blockOperations;
  blocks.maxOwnBytes = maxOwnBytes;
  // A dimension that all large ops of a kernel share becomes the grid. Ops on
  // few elements, such as the statistics of a normalization, may lack this
  // dimension; only the first block runs them.
  blocks.leavesSmall = true;
  blocks.maxRanges = maxRanges;
  blocks.rangeRows = rangeRows;
  blocks.innerMultiple = innerMultiple;
  blocks.transposedMultiple = transposedMultiple;
  // Divide even the smallest kernels among blocks: a GPU always gains from a
  // second block.
  pipeline.costs.minGridOperations = 0;
  pipeline.costs.minGridBytes = 0;
  kernels::addBufferPipeline(manager, pipeline);
  manager.addPass(createMapGridToBlocksPass());
  manager.addPass(createFoldFillsIntoReductionsPass());
  manager.addPass(createSplitIterationsAcrossThreadBlocksPass());
  manager.addPass(createAssignMemorySpacesPass());
}

void buildCodePipeline(mlir::OpPassManager &manager) {
  manager.addPass(createDistributeLoopsToThreadsPass());
  manager.addPass(mathlib::createWiden16BitFloatsPass());
  manager.addPass(mathlib::createApproximateMathPass());
  llvmgen::buildConversion(manager, createLowerKernelSignaturesPass(),
                           createConvertKernelsToNVVMPass());
}

} // namespace ingot::ptx
