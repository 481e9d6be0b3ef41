//===- PinnedBuffers.cpp - Copies through pinned memory -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/PinnedBuffers.h"

#include <algorithm>
#include <cstring>

using namespace ingot;
using namespace ingot::cuda;

Expected<std::unique_ptr<PinnedBuffers>>
PinnedBuffers::create(const CudaDriver &driver, CUstream stream) {
  std::unique_ptr<PinnedBuffers> result(new PinnedBuffers(driver, stream));
  for (PinnedBuffer &buffer : result->buffers) {
    void *data = nullptr;
    INGOT_CUDA_RETURN_IF_ERROR(driver, "pin memory for copies", cuMemAllocHost,
                               &data, bufferBytes);
    buffer.data = static_cast<uint8_t *>(data);
    INGOT_CUDA_RETURN_IF_ERROR(driver, "create an event for copies",
                               cuEventCreate, &buffer.done,
                               CU_EVENT_DISABLE_TIMING);
  }
  return result;
}

PinnedBuffers::~PinnedBuffers() {
  for (PinnedBuffer &buffer : buffers) {
    if (buffer.done)
      driver.cuEventDestroy(buffer.done);
    if (buffer.data)
      driver.cuMemFreeHost(buffer.data);
  }
}

/// Waits for the buffer's pending copy, and delivers its bytes if it is a
/// download.
Status PinnedBuffers::finish(PinnedBuffer &buffer) {
  if (buffer.isUnderWay)
    INGOT_CUDA_RETURN_IF_ERROR(driver, "wait for copies", cuEventSynchronize,
                               buffer.done);
  buffer.isUnderWay = false;
  for (const DownloadChunk &piece : buffer.pieces)
    std::memcpy(piece.to, piece.from, piece.size);
  buffer.pieces.clear();
  buffer.used = 0;
  return Status::ok();
}

Expected<uint64_t> PinnedBuffers::makeRoom(uint64_t size) {
  // Switch to the other buffer if the bytes do not fit into the rest of the
  // current one: a copy that is split between the buffers takes longer.
  uint64_t wanted = std::min(size, bufferBytes);
  if (bufferBytes - buffers[current].used >= wanted)
    return wanted;
  PinnedBuffer &full = buffers[current];
  INGOT_CUDA_RETURN_IF_ERROR(driver, "record an event after copies",
                             cuEventRecord, full.done, stream);
  full.isUnderWay = true;
  current = 1 - current;
  INGOT_RETURN_IF_ERROR(finish(buffers[current]));
  return wanted;
}

Status PinnedBuffers::upload(const HostToDeviceCopy &copy) {
  auto *from = static_cast<const uint8_t *>(copy.from);
  for (uint64_t done = 0; done < copy.size;) {
    INGOT_ASSIGN_OR_RETURN(uint64_t size, makeRoom(copy.size - done));
    PinnedBuffer &buffer = buffers[current];
    uint8_t *place = buffer.data + buffer.used;
    std::memcpy(place, from + done, size);
    INGOT_CUDA_RETURN_IF_ERROR(driver, "copy to the device", cuMemcpyHtoDAsync,
                               copy.to + done, place, size, stream);
    buffer.used += size;
    done += size;
  }
  return Status::ok();
}

Status PinnedBuffers::download(const DeviceToHostCopy &copy) {
  auto *to = static_cast<uint8_t *>(copy.to);
  for (uint64_t done = 0; done < copy.size;) {
    INGOT_ASSIGN_OR_RETURN(uint64_t size, makeRoom(copy.size - done));
    PinnedBuffer &buffer = buffers[current];
    uint8_t *place = buffer.data + buffer.used;
    INGOT_CUDA_RETURN_IF_ERROR(driver, "copy from the device",
                               cuMemcpyDtoHAsync, place, copy.from + done, size,
                               stream);
    buffer.pieces.push_back({to + done, place, size});
    buffer.used += size;
    done += size;
  }
  return Status::ok();
}

Status PinnedBuffers::finishDownloads() {
  INGOT_RETURN_IF_ERROR(finish(buffers[1 - current]));
  INGOT_CUDA_RETURN_IF_ERROR(driver, "wait for the device", cuStreamSynchronize,
                             stream);
  buffers[current].isUnderWay = false;
  return finish(buffers[current]);
}
