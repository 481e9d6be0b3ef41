//===- CudaDevice.h - A GPU through the CUDA driver -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_DEVICE_CUDADEVICE_H
#define INGOT_RUNTIME_DEVICE_CUDADEVICE_H

#include "runtime/Device/CudaContext.h"
#include "runtime/Device/CudaDriver.h"
#include "runtime/Device/CudaGraph.h"
#include "runtime/Device/CudaSliceReductions.h"
#include "runtime/Device/CudaStagingBuffers.h"
#include "runtime/Device/CudaStep.h"
#include "runtime/Device/Device.h"
#include "runtime/Device/PinnedBuffers.h"

#include <memory>
#include <string>
#include <vector>

namespace ingot::cuda {

class CudaDevice final : public Device {
public:
  /// Opens GPU `which` and loads the program's kernels, `code`. Returns
  /// Unavailable if there is no such GPU or no CUDA driver; the message names
  /// the library that was tried.
  static Expected<std::unique_ptr<Device>> open(const ingot_device &code,
                                                DeviceNumber which);
  ~CudaDevice() override;

  const std::string &name() const override { return theName; }
  std::span<const ingot_device_kernel> kernels() const override {
    return {image->kernels, image->num_kernels};
  }
  Expected<DeviceAddress> allocate(uint64_t size,
                                   std::string_view what) override;
  void release(DeviceAddress address) override;
  Status upload(std::span<const HostToDeviceCopy> copies) override;
  std::unique_ptr<DeviceStagingBuffers> makeStaging() override;
  Status download(std::span<const DeviceToHostCopy> copies) override;
  Status launch(std::span<const DeviceLaunch> launches) override;
  Expected<bool> canReduce(int32_t dtype, ingot_exchange_kind kind) override;
  Status reduce(const DeviceReduction &reduction) override;
  Expected<DevicePeer> peer() override;
  Expected<std::unique_ptr<Collective>>
  connect(Collective &host, const WaitLimits &limits) override;
  Status synchronize() override;

  /// Makes this device's context current on the calling thread, which calls of
  /// the driver require.
  Status enter();

private:
  CudaDevice(const CudaDriver &driver, const ingot_device &code)
      : driver(driver), code(code), context(driver), copies(driver),
        reductions(driver) {}
  Status start(DeviceNumber which);
  Status findDevice(DeviceNumber which);
  Status loadImage();
  Status loadImage(const ingot_device_image &image, bool &isRefused);
  Status findKernels();
  Status launchEach(std::span<const DeviceLaunch> launches);
  /// A remembered sequence of launches. When the same sequence is launched
  /// again, it runs as a CUDA graph or in the step kernel.
  struct CachedLaunchSequence {
    CudaGraph graph;
    std::optional<StepKernelLaunchSequence> step;
  };
  CachedLaunchSequence *findRepeated(std::span<const DeviceLaunch> launches);
  Status launchAgain(CachedLaunchSequence &run,
                     std::span<const DeviceLaunch> launches);
  Status prepare(StepKernelLaunchSequence &step);
  Status afterLaunches(Status status) const;

  const CudaDriver &driver;
  const ingot_device &code;
  /// Declared before all objects that belong to the context, so that it is
  /// released after them: the driver crashes if it gets a handle of a context
  /// that was destroyed.
  CudaContext context;
  std::string theName;
  CUdevice device = 0;
  unsigned capability = 0; // 10 * major + minor
  int processors = 0;
  CUstream stream = nullptr;
  CUmodule module = nullptr;
  const ingot_device_image *image = nullptr; // the loaded image
  std::vector<CudaKernel> functions;         // indexed by kernel
  std::unique_ptr<PinnedBuffers> uploads, downloads;
  CudaCopyStream copies;
  CudaSliceReductions reductions;
  CudaWholeStepKernel stepKernel;
  DeviceMemory counter; // counts blocks at the step kernel's barrier
  /// The sequences of launches that were launched before, the least recently
  /// used one first.
  std::vector<std::unique_ptr<CachedLaunchSequence>> runs;
  /// The nodes of the first and the last of the latest launches, which messages
  /// of later failures name.
  const char *firstNode = nullptr, *lastNode = nullptr;
};

} // namespace ingot::cuda

#endif // INGOT_RUNTIME_DEVICE_CUDADEVICE_H
