//===- PinnedBuffers.h - Copies through pinned memory -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The driver copies concurrently with kernels only between the device and
// pinned memory. There are two pinned buffers: the host fills or empties one
// while the driver copies the other.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_PINNEDBUFFERS_H
#define INGOT_RUNTIME_DEVICE_PINNEDBUFFERS_H

#include "runtime/Device/CudaDriver.h"
#include "runtime/Device/Device.h"

#include <array>
#include <vector>

namespace ingot::cuda {

class PinnedBuffers {
public:
  static constexpr uint64_t bufferBytes = 4 << 20;

  static Expected<std::unique_ptr<PinnedBuffers>>
  create(const CudaDriver &driver, CUstream stream);
  ~PinnedBuffers();

  Status upload(const HostToDeviceCopy &copy);

  /// Starts a download. The bytes have arrived when finishDownloads() has
  /// returned.
  Status download(const DeviceToHostCopy &copy);
  Status finishDownloads();

private:
  /// Bytes of a finished download, which finish() copies from the pinned buffer
  /// to `to`.
  struct DownloadChunk {
    void *to;
    const uint8_t *from;
    uint64_t size;
  };
  struct PinnedBuffer {
    uint8_t *data = nullptr;
    CUevent done = nullptr;
    uint64_t used = 0;
    bool isUnderWay = false;
    std::vector<DownloadChunk> pieces;
  };

  PinnedBuffers(const CudaDriver &driver, CUstream stream)
      : driver(driver), stream(stream) {}
  /// Returns how many of `size` bytes fit in buffers[current], at least one,
  /// after waiting for an earlier copy if necessary.
  Expected<uint64_t> makeRoom(uint64_t size);
  Status finish(PinnedBuffer &buffer);

  const CudaDriver &driver;
  CUstream stream;
  std::array<PinnedBuffer, 2> buffers;
  unsigned current = 0;
};

} // namespace ingot::cuda

#endif // INGOT_RUNTIME_DEVICE_PINNEDBUFFERS_H
