//===- CudaContext.h - A GPU's primary context ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_DEVICE_CUDACONTEXT_H
#define INGOT_RUNTIME_DEVICE_CUDACONTEXT_H

#include "runtime/Device/CudaDriver.h"

namespace ingot::cuda {

/// A reference to the primary context of a GPU, which is released on
/// destruction. All streams, events, memory and modules of the context must be
/// destroyed before this object.
class CudaContext {
public:
  explicit CudaContext(const CudaDriver &driver) : driver(driver) {}
  CudaContext(const CudaContext &) = delete;
  CudaContext &operator=(const CudaContext &) = delete;
  ~CudaContext() {
    if (context)
      driver.cuDevicePrimaryCtxRelease(device);
  }

  /// Retains the primary context of device `given`; called once.
  CUresult retain(CUdevice given) {
    device = given;
    return driver.cuDevicePrimaryCtxRetain(&context, device);
  }
  CUcontext get() const { return context; }
  bool isRetained() const { return context != nullptr; }
  /// Makes the context current on the calling thread.
  CUresult enter() const { return driver.cuCtxSetCurrent(context); }

private:
  const CudaDriver &driver;
  CUdevice device = 0;
  CUcontext context = nullptr;
};

} // namespace ingot::cuda

#endif // INGOT_RUNTIME_DEVICE_CUDACONTEXT_H
