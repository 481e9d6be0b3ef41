//===- CudaTypes.h - Types of CUDA's driver API -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Types and constants of the CUDA driver API, declared as its documentation
// says, so that builds need no CUDA headers.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_CUDATYPES_H
#define INGOT_RUNTIME_DEVICE_CUDATYPES_H

#include <cstddef>
#include <cstdint>

namespace ingot::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUkernel = struct CUkern_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphNode = struct CUgraphNode_st *;
using CUgraphExec = struct CUgraphExec_st *;

/// Identifies a GPU among all GPUs.
struct CUuuid {
  char bytes[16];
};

/// An opaque descriptor of a tensor that bulk copies (TMA) read.
struct alignas(64) CUtensorMap {
  uint64_t opaque[16];
};

/// The parameters of a kernel node; CUDA_KERNEL_NODE_PARAMS_v2 in the driver.
struct CUDA_KERNEL_NODE_PARAMS {
  CUfunction function;
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned shared;
  void **parameters;
  void **extra;
  CUkernel kernel;
  CUcontext context;
};

/// One side of a copy: CUDA_MEMCPY3D_v2 in the driver has two of them.
struct CUDA_MEMCPY3D_SIDE {
  size_t xInBytes, y, z, lod;
  int memoryType; // a CUmemorytype
  const void *host;
  CUdeviceptr device;
  void *array, *reserved;
  size_t pitch, height;
};

/// A copy of a box of bytes; CUDA_MEMCPY3D_v2 in the driver.
struct CUDA_MEMCPY3D {
  CUDA_MEMCPY3D_SIDE from, to;
  size_t widthInBytes, height, depth;
};
enum { CU_MEMORYTYPE_DEVICE = 2 };

/// An attribute of a launch, such as its cluster size.
struct CUlaunchAttribute {
  int id; // a CUlaunchAttributeID
  char padding[4];
  union {
    char bytes[64];
    int cooperative;
    struct {
      unsigned x, y, z;
    } clusterDim;
  } value;
};
enum {
  CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4
};
struct CUlaunchConfig {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned shared;
  CUstream stream;
  CUlaunchAttribute *attributes;
  unsigned numAttributes;
};

/// The ports and the type of an edge between two nodes of a graph.
struct CUgraphEdgeData {
  unsigned char fromPort, toPort, type, reserved[5];
};
/// The port and type of an edge that a kernel signals when it allows its
/// successors to start, rather than when it ends.
enum : unsigned char {
  CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC = 1,
  CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC = 1
};

enum : CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_INVALID_CLUSTER_SIZE = 912,
  CUDA_ERROR_UNKNOWN = 999,
};

/// Values of CUdevice_attribute.
enum {
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95
};
/// Values of CUtensorMapDataType and of other enums for tensor maps.
enum {
  CU_TENSOR_MAP_DATA_TYPE_UINT16 = 1,
  CU_TENSOR_MAP_DATA_TYPE_UINT32 = 2,
  CU_TENSOR_MAP_SWIZZLE_128B = 3,
  CU_TENSOR_MAP_L2_PROMOTION_L2_256B = 3
};
/// Values of CUfunction_attribute.
enum {
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14
};
/// Values of CUjit_option, then flags of streams and events.
enum { CU_JIT_ERROR_LOG_BUFFER = 5, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6 };
enum { CU_STREAM_NON_BLOCKING = 1, CU_EVENT_DISABLE_TIMING = 2 };

} // namespace ingot::cuda

#endif // INGOT_RUNTIME_DEVICE_CUDATYPES_H
