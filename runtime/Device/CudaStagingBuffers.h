//===- CudaStagingBuffers.h - Double-buffered copies to a GPU ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Double buffering of uploads. Copies that run concurrently with kernels have
// their own stream, pinned host buffers and two device buffers: one is filled
// while kernels still read the other. Events order the two streams: a copy
// waits for the last kernels that read its buffer, and kernels wait for the
// copy.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_CUDASTAGINGBUFFERS_H
#define INGOT_RUNTIME_DEVICE_CUDASTAGINGBUFFERS_H

#include "runtime/Device/CudaDriver.h"
#include "runtime/Device/Device.h"
#include "runtime/Device/PinnedBuffers.h"

#include <array>
#include <memory>

namespace ingot::cuda {

class CudaDevice;

/// The stream for concurrent copies. It is created at the first copy.
class CudaCopyStream {
public:
  explicit CudaCopyStream(const CudaDriver &driver) : driver(driver) {}
  ~CudaCopyStream();

  Status start();
  Status copy(const HostToDeviceCopy &copy) { return buffers->upload(copy); }

  const CudaDriver &driver;
  CUstream stream = nullptr;

private:
  std::unique_ptr<PinnedBuffers> buffers;
};

class CudaStagingBuffers final : public DeviceStagingBuffers {
public:
  CudaStagingBuffers(const CudaDriver &driver, CudaDevice &device,
                     CUstream kernels, CudaCopyStream &copies)
      : driver(driver), device(device), kernels(kernels), copies(copies) {}
  ~CudaStagingBuffers() override;

  Expected<DeviceAddress> fill(const void *from, uint64_t size) override;

private:
  struct StagingBuffer {
    DeviceMemory memory;
    /// The event that is recorded after the last kernel that reads `memory`.
    CUevent read = nullptr;
    CUevent filled = nullptr; // recorded after the copy into `memory`
  };
  Status makeRoom(StagingBuffer &buffer, uint64_t size);
  Status fillConcurrently(StagingBuffer &buffer, const HostToDeviceCopy &copy);

  const CudaDriver &driver;
  CudaDevice &device;
  CUstream kernels;
  CudaCopyStream &copies;
  std::array<StagingBuffer, 2> buffers;
  unsigned current = 0;
};

} // namespace ingot::cuda

#endif // INGOT_RUNTIME_DEVICE_CUDASTAGINGBUFFERS_H
