//===- CudaStep.h - A run of launches as one kernel -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_DEVICE_CUDASTEP_H
#define INGOT_RUNTIME_DEVICE_CUDASTEP_H

#include "runtime/Device/CudaDriver.h"
#include "runtime/Device/StepPlan.h"

namespace ingot::cuda {

/// The kernel of an image that runs whole runs of launches, and the features of
/// GPU and driver that it can use.
class CudaStepKernel {
public:
  /// Whatever cannot be, is not: such runs are graphs.
  Status find(const CudaDriver &driver, CUdevice device, CUmodule module,
              const ingot_device_image &image);

  bool isThere() const { return mostBlocks != 0 || clusterBlocks != 0; }

  /// From now on runs are graphs.
  void giveUp() { mostBlocks = clusterBlocks = 0; }

  struct Shape {
    uint32_t blocks;
    bool isCluster;
  };
  /// How a run of this width is launched: as a cluster where that is enough,
  /// else in as many blocks as run at once.
  Shape shapeFor(uint32_t width) const;

  /// `counter` is one of this device's, zero at first. CUDA_SUCCESS, or how the
  /// launch failed.
  CUresult launch(const CudaDriver &driver, CUstream stream, Shape shape,
                  DeviceAddress table, uint32_t rows, uint32_t tableBytes,
                  DeviceAddress counter) const;

private:
  Status countBlocks(const CudaDriver &driver, CUdevice device);
  Status findClusters(const CudaDriver &driver);

  CUfunction function = nullptr;
  uint32_t mostBlocks = 0;    // of a cooperative launch; 0: not supported
  uint32_t clusterBlocks = 0; // of the largest cluster; 0: not supported
};

/// A run that is launched so.
struct CudaStep {
  StepPlan plan;
  CudaStepKernel::Shape shape;
  DeviceMemory table; // none before it is launched
  uint32_t tableBytes = 0;
};

} // namespace ingot::cuda

#endif // INGOT_RUNTIME_DEVICE_CUDASTEP_H
