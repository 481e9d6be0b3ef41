//===- Memory.h - What a block of threads has for itself --------*- C++ -*-===//
#ifndef INGOT_CODEGEN_PTX_MEMORY_H
#define INGOT_CODEGEN_PTX_MEMORY_H

#include <cstdint>

namespace ingot::ptx {

/// Shared and global memory in the numbering of NVVM's address spaces.
inline constexpr int64_t sharedSpace = 3, globalSpace = 1;
/// What every GPU gives a block without being asked for more.
inline constexpr int64_t maxSharedBytes = 48 * 1024;
/// Of that, what sums over a block take for its warps' parts.
inline constexpr int64_t partialsBytes = 1024;
inline constexpr int64_t warpSize = 32;
/// Of any element type, and as wide as a warp's widest access.
inline constexpr int64_t scratchAlignment = 16;

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_MEMORY_H
