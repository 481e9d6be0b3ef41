//===- Passes.h - Kernels for NVIDIA's GPUs ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The passes and pipelines that compile kernels for GPUs: they map a kernel's
// grid to blocks, its loops to threads and its temporaries to shared memory,
// and lower the kernel to NVVM.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_PASSES_H
#define INGOT_CODEGEN_PTX_PASSES_H

#include "codegen/PTX/Precision.h"
#include "codegen/PTX/Target.h"
#include "codegen/Statistics/PassStatistic.h"
#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace ingot::ptx {

#define GEN_PASS_DECL
#include "codegen/PTX/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "codegen/PTX/Passes.h.inc"

/// Builds the pipeline from kernels on tensors to kernels on buffers.
void buildBufferPipeline(mlir::OpPassManager &manager,
                         Precision precision = Precision::F32,
                         TensorCoreKind cores = TensorCoreKind::Warp);

/// Builds the pipeline from kernels on buffers to the LLVM and NVVM dialects.
void buildCodePipeline(mlir::OpPassManager &manager);

/// A unit attribute of an allocation in a kernel: the memory is shared by all
/// blocks of the kernel, instead of one copy per block.
inline constexpr llvm::StringLiteral allBlocksAttrName = "host.all_blocks";

/// A unit attribute of an allocation in a kernel: the memory is dynamic shared
/// memory, whose size the launch provides.
inline constexpr llvm::StringLiteral dynamicMemoryAttrName =
    "host.dynamic_memory";

/// A unit attribute of an op in a kernel: the op's code already divides its
/// work among the threads of a block, so DistributeLoopsToThreads leaves it as
/// it is.
inline constexpr llvm::StringLiteral byThreadsAttrName = "host.by_threads";

/// An attribute of a reduction in a kernel: for each result, the constant that
/// it starts from, or a unit attribute if it starts from the values in the
/// result's buffer.
inline constexpr llvm::StringLiteral startsAttrName = "host.starts";

/// An integer attribute of an op in a kernel: the number of blocks that share
/// the op's elements. With n such blocks, block b works on iteration b / n of
/// the grid, so the blocks that share an iteration have successive indices.
inline constexpr llvm::StringLiteral blocksAttrName = "host.blocks";

/// The size, in bytes, of a tensor map as the device's driver encodes it.
inline constexpr int64_t mapBytes = 128;
/// Returns the name of the global that represents the tensor map with index
/// `number` of a kernel. LowerKernelSignatures replaces that global by a
/// parameter.
std::string mapName(llvm::StringRef kernel, size_t number);

/// Whether `function` is a kernel that the device runs.
bool isDeviceKernel(mlir::func::FuncOp function);

/// Makes the host run a kernel instead of the device: erases the kernel's body,
/// and records `reason` in an attribute.
void leaveToHost(mlir::func::FuncOp kernel, const llvm::Twine &reason);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_PASSES_H
