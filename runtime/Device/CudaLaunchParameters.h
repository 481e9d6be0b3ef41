//===- CudaLaunchParameters.h - Encodes parameters of launches --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_DEVICE_CUDALAUNCHPARAMETERS_H
#define INGOT_RUNTIME_DEVICE_CUDALAUNCHPARAMETERS_H

#include "runtime/Device/CudaDriver.h"
#include "runtime/Device/Device.h"

#include <algorithm>
#include <vector>

namespace ingot::cuda {

/// A kernel in the loaded image: its function, and its row in the image's
/// table.
struct CudaKernel {
  CUfunction function = nullptr; // null: the kernel runs on the host
  const ingot_device_kernel *code = nullptr;
  /// The largest number of thread blocks that a launch starts. Only a launch of
  /// a persistent kernel may have more blocks: each started thread block then
  /// runs several of them.
  int64_t maxBlocks = 0;

  unsigned blocksOf(const DeviceLaunch &launch) const {
    return static_cast<unsigned>(std::min(launch.blocks, maxBlocks));
  }
};

/// The parameters of a launch in the driver's form: an array of the parameters'
/// addresses.
class CudaLaunchParameters {
public:
  /// Sets the parameters of `launch`, which has at least one block and must
  /// outlive this object.
  Status set(const CudaDriver &driver, const CudaKernel &kernel,
             const DeviceLaunch &launch);

  void **addresses() { return pointers.data(); }

private:
  std::vector<void *> pointers;
  std::vector<CUtensorMap> maps;
};

} // namespace ingot::cuda

#endif // INGOT_RUNTIME_DEVICE_CUDALAUNCHPARAMETERS_H
