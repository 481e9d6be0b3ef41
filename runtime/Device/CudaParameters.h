//===- CudaParameters.h - Parameters of kernels -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_DEVICE_CUDAPARAMETERS_H
#define INGOT_RUNTIME_DEVICE_CUDAPARAMETERS_H

#include "runtime/Device/CudaDriver.h"
#include "runtime/Device/Device.h"

#include <algorithm>
#include <vector>

namespace ingot::cuda {

/// The function of a launch, and its number of threads per block.
struct CudaKernel {
  CUfunction function = nullptr; // null: the kernel stays on the host
  const ingot_device_kernel *code = nullptr;
  /// No launch has more blocks.
  int64_t maxBlocks = 0;

  unsigned blocksOf(const DeviceLaunch &launch) const {
    return static_cast<unsigned>(std::min(launch.blocks, maxBlocks));
  }
};

/// A kernel's parameters as the driver takes them: the address of each.
class CudaParameters {
public:
  /// `launch` has at least one block, and stays where it is.
  Status set(const CudaDriver &driver, const CudaKernel &kernel,
             const DeviceLaunch &launch);

  void **addresses() { return pointers.data(); }

private:
  std::vector<void *> pointers;
  std::vector<CUtensorMap> maps;
};

} // namespace ingot::cuda

#endif // INGOT_RUNTIME_DEVICE_CUDAPARAMETERS_H
