//===- CudaStep.h - Launches the step kernel --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_DEVICE_CUDASTEP_H
#define INGOT_RUNTIME_DEVICE_CUDASTEP_H

#include "runtime/Device/CudaDriver.h"
#include "runtime/Device/StepKernelLaunchTable.h"

namespace ingot::cuda {

/// The step kernel in the loaded device code, which runs a whole sequence of
/// launches as one kernel, and the features of the GPU and the driver that it
/// can use.
class CudaWholeStepKernel {
public:
  /// Looks up the step kernel in `module`, and finds out whether the GPU
  /// supports cooperative grids and clusters. A missing feature is not a
  /// failure: sequences of launches then run as CUDA graphs.
  Status find(const CudaDriver &driver, CUdevice device, CUmodule module,
              const ingot_device_image &image);

  bool isThere() const { return mostBlocks != 0 || clusterBlocks != 0; }

  /// Disables the step kernel: sequences of launches run as CUDA graphs from
  /// now on.
  void giveUp() { mostBlocks = clusterBlocks = 0; }

  /// The thread blocks of one launch of the step kernel: a cluster, or a
  /// cooperative grid.
  struct StepKernelGrid {
    uint32_t blocks;
    bool isCluster;
  };
  /// Returns how to launch the step kernel for a sequence of launches. `width`
  /// is the number of blocks in the widest phase, a phase being the launches
  /// between two barriers. The kernel is launched as a cluster if `width` is at
  /// most twice the size of the largest cluster, or if the GPU has no
  /// cooperative grids; otherwise as a cooperative grid of `width` blocks, but
  /// not more than the GPU can run at once.
  StepKernelGrid shapeFor(uint32_t width) const;

  /// Launches the step kernel for the sequence of launches in `table`, which
  /// has `rows` rows. `counter` is the address of the word, initially zero, in
  /// which a barrier of a cooperative grid counts blocks. Returns CUDA_SUCCESS
  /// or the error of the launch.
  CUresult launch(const CudaDriver &driver, CUstream stream,
                  StepKernelGrid shape, DeviceAddress table, uint32_t rows,
                  uint32_t tableBytes, DeviceAddress counter) const;

private:
  Status countBlocks(const CudaDriver &driver, CUdevice device);
  Status findClusters(const CudaDriver &driver);

  CUfunction function = nullptr;
  uint32_t mostBlocks = 0;    // limit of cooperative launches; 0: not supported
  uint32_t clusterBlocks = 0; // size of the largest cluster; 0: not supported
};

/// A sequence of launches that the step kernel runs, and its table on the
/// device.
struct StepKernelLaunchSequence {
  StepKernelLaunchTable plan;
  CudaWholeStepKernel::StepKernelGrid shape;
  DeviceMemory table; // empty before the first launch
  uint32_t tableBytes = 0;
};

} // namespace ingot::cuda

#endif // INGOT_RUNTIME_DEVICE_CUDASTEP_H
