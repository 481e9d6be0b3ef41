//===- DeviceConstants.h - Limits of a thread block -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Sizes of a GPU's memories and warps that all supported GPUs share.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_DEVICECONSTANTS_H
#define INGOT_CODEGEN_PTX_DEVICECONSTANTS_H

#include <cstdint>

namespace ingot::ptx {

/// NVVM's numbers of the address spaces of shared and of global memory.
inline constexpr int64_t sharedSpace = 3, globalSpace = 1;
/// The size, in bytes, of the shared memory that a block has on every GPU
/// without opting in to more.
inline constexpr int64_t maxSharedBytes = 48 * 1024;
/// The size, in bytes, of the shared memory through which the warps of a block
/// combine their partial results if the whole block computes one element of a
/// reduction's result.
inline constexpr int64_t partialsBytes = 1024;
/// The maximum number of threads of a block. With more threads, each would have
/// too few registers.
inline constexpr int64_t maxThreads = 512;
/// The maximum size, in bytes, of the partial result that a thread shares with
/// other threads of its block.
inline constexpr int64_t maxPartialBytes = 8;
inline constexpr int64_t warpSize = 32;
/// The alignment of buffers in scratch memory, which is enough for any element
/// type and for the widest access of a thread.
inline constexpr int64_t scratchAlignment = 16;

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_DEVICECONSTANTS_H
