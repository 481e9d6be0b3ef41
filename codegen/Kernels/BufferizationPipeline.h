//===- BufferizationPipeline.h - From tensors to buffers --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The passes of every target that bufferize kernels and partition them into
// grids.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_KERNELS_BUFFERIZATIONPIPELINE_H
#define INGOT_CODEGEN_KERNELS_BUFFERIZATIONPIPELINE_H

#include "codegen/Kernels/Passes.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace ingot::kernels {

/// Return ingot-simplify-kernels for kernels on tensors, on buffers, and on
/// buffers without linalg ops. The patterns of other dialects would change
/// nothing of note: arith folds by itself, and LLVM simplifies vectors.
std::unique_ptr<mlir::Pass> createSimplifyTensorsPass();
std::unique_ptr<mlir::Pass> createSimplifyBuffersPass();
std::unique_ptr<mlir::Pass> createSimplifyLoopsPass();

/// The parts of the buffer pipeline that differ between targets.
struct BufferizationPipeline {
  using AddPasses = llvm::function_ref<void(mlir::OpPassManager &)>;

  bool eliminatesCommonBuffers = true;
  bool elidesResultCopies = true;
  bool partitionsKernels = true;
  PartitionKernelsIntoBlocksPassOptions blocks;
  EstimateKernelCostsPassOptions costs;
  /// Adds the target's passes on kernels that have just been bufferized.
  AddPasses addAfterBufferization = nullptr;
  /// Adds the target's passes between the removal of copies and the partition
  /// into blocks.
  AddPasses addBeforePartition = nullptr;
  /// Adds the target's passes on kernels that have been divided into a grid of
  /// blocks, before the costs of the blocks are estimated.
  AddPasses addAfterPartition = nullptr;
};

/// Adds the passes from kernels on tensors to kernels on buffers, each of which
/// is a grid of blocks where possible.
void addBufferPipeline(mlir::OpPassManager &manager,
                       const BufferizationPipeline &target);

} // namespace ingot::kernels

#endif // INGOT_CODEGEN_KERNELS_BUFFERIZATIONPIPELINE_H
