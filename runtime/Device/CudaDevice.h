//===- CudaDevice.h - A GPU, by CUDA's driver -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_DEVICE_CUDADEVICE_H
#define INGOT_RUNTIME_DEVICE_CUDADEVICE_H

#include "runtime/Device/CudaDriver.h"
#include "runtime/Device/CudaGraph.h"
#include "runtime/Device/CudaStaging.h"
#include "runtime/Device/CudaStep.h"
#include "runtime/Device/Device.h"
#include "runtime/Device/PinnedBuffers.h"

#include <memory>
#include <string>
#include <vector>

namespace ingot::cuda {

class CudaDevice final : public Device {
public:
  /// GPU `number`, with the code of a program's kernels. Unavailable, naming
  /// the library that was tried, if there is no such GPU.
  static Expected<std::unique_ptr<Device>> open(const ingot_device &code,
                                                unsigned number);
  ~CudaDevice() override;

  const std::string &name() const override { return theName; }
  std::span<const ingot_device_kernel> kernels() const override {
    return {image->kernels, image->num_kernels};
  }
  Expected<DeviceAddress> allocate(uint64_t size,
                                   std::string_view what) override;
  void release(DeviceAddress address) override;
  Status upload(std::span<const Upload> copies) override;
  std::unique_ptr<DeviceStaging> makeStaging() override;
  Status download(std::span<const Download> copies) override;
  Status copy(DeviceAddress to, DeviceAddress from, uint64_t size) override;
  Status launch(std::span<const DeviceLaunch> launches) override;
  Status synchronize() override;

  /// The driver knows which context is meant by the thread that calls.
  Status enter();

private:
  CudaDevice(const CudaDriver &driver, const ingot_device &code)
      : driver(driver), code(code), copies(driver) {}
  Status start(unsigned number);
  Status findDevice(unsigned number);
  Status loadImage();
  Status loadImage(const ingot_device_image &image, bool &isRefused);
  Status findKernels();
  Status launchEach(std::span<const DeviceLaunch> launches);
  /// A run of launches that was there before: one kernel, or a graph.
  struct Repeated {
    CudaGraph graph;
    std::optional<CudaStep> step;
  };
  Repeated *findRepeated(std::span<const DeviceLaunch> launches);
  Status launchAgain(Repeated &run, std::span<const DeviceLaunch> launches);
  Status prepare(CudaStep &step);
  Status afterLaunches(Status status) const;

  const CudaDriver &driver;
  const ingot_device &code;
  std::string theName;
  CUdevice device = 0;
  unsigned capability = 0; // 10 * major + minor
  int processors = 0;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  CUmodule module = nullptr;
  const ingot_device_image *image = nullptr; // the one that was loaded
  std::vector<CudaKernel> functions;         // by index
  std::unique_ptr<PinnedBuffers> uploads, downloads;
  CudaCopyStream copies;
  CudaStepKernel stepKernel;
  DeviceMemory counter; // where blocks of that kernel meet
  /// Runs of launches that were there before, the one that was looked for last
  /// at the end.
  std::vector<std::unique_ptr<Repeated>> runs;
  /// The latest launches, which the message of a later failure names.
  const char *firstNode = nullptr, *lastNode = nullptr;
};

} // namespace ingot::cuda

#endif // INGOT_RUNTIME_DEVICE_CUDADEVICE_H
