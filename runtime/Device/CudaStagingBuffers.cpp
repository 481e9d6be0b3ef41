//===- CudaStagingBuffers.cpp - Double-buffered copies to a GPU -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/CudaStagingBuffers.h"

#include "runtime/Device/CudaDevice.h"

using namespace ingot;
using namespace ingot::cuda;

/// Copies of fewer bytes are made on the stream of the kernels: they take less
/// time than ordering two streams by events.
static constexpr uint64_t minConcurrentBytes = 64 << 10;

CudaCopyStream::~CudaCopyStream() {
  buffers.reset();
  if (stream)
    driver.cuStreamDestroy(stream);
}

Status CudaCopyStream::start() {
  if (!stream)
    INGOT_CUDA_RETURN_IF_ERROR(driver, "create a stream for copies",
                               cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  if (buffers)
    return Status::ok();
  INGOT_ASSIGN_OR_RETURN(buffers, PinnedBuffers::create(driver, stream));
  return Status::ok();
}

CudaStagingBuffers::~CudaStagingBuffers() {
  for (StagingBuffer &buffer : buffers)
    for (CUevent event : {buffer.read, buffer.filled})
      if (event)
        driver.cuEventDestroy(event);
}

/// Ensures that the memory of `buffer` has at least `size` bytes. New memory is
/// zeroed on the stream of the kernels, so the first copy into it has to be
/// made on that stream, too.
Status CudaStagingBuffers::makeRoom(StagingBuffer &buffer, uint64_t size) {
  if (buffer.memory.size() >= size && buffer.memory.address())
    return Status::ok();
  buffer.memory = DeviceMemory();
  INGOT_ASSIGN_OR_RETURN(
      buffer.memory,
      DeviceMemory::allocate(device, size, "feeds and elements"));
  return Status::ok();
}

Status CudaStagingBuffers::fillConcurrently(StagingBuffer &buffer,
                                            const HostToDeviceCopy &copy) {
  for (CUevent *event : {&buffer.read, &buffer.filled})
    if (!*event)
      INGOT_CUDA_RETURN_IF_ERROR(driver, "create an event for copies",
                                 cuEventCreate, event, CU_EVENT_DISABLE_TIMING);
  const char *purpose = "order copies and kernels";
  // Wait for the kernels that read this buffer: `buffer.read` was recorded when
  // the buffers were swapped, and kernels launched since then read the other
  // buffer.
  INGOT_CUDA_RETURN_IF_ERROR(driver, purpose, cuStreamWaitEvent, copies.stream,
                             buffer.read, 0);
  INGOT_RETURN_IF_ERROR(copies.copy(copy));
  INGOT_CUDA_RETURN_IF_ERROR(driver, purpose, cuEventRecord, buffer.filled,
                             copies.stream);
  INGOT_CUDA_RETURN_IF_ERROR(driver, purpose, cuStreamWaitEvent, kernels,
                             buffer.filled, 0);
  return Status::ok();
}

Expected<DeviceAddress> CudaStagingBuffers::fill(const void *from,
                                                 uint64_t size) {
  INGOT_RETURN_IF_ERROR(device.enter());
  StagingBuffer &last = buffers[current];
  if (size < minConcurrentBytes) {
    INGOT_RETURN_IF_ERROR(makeRoom(last, size));
    HostToDeviceCopy copy = {last.memory.address(), from, size};
    INGOT_RETURN_IF_ERROR(device.upload({&copy, 1}));
    return last.memory.address();
  }
  INGOT_RETURN_IF_ERROR(copies.start());
  // Kernels that are launched from now on read the other buffer. So this event,
  // recorded after all launches so far, follows the last kernel that reads
  // `last`.
  if (last.read)
    INGOT_CUDA_RETURN_IF_ERROR(driver, "order copies and kernels",
                               cuEventRecord, last.read, kernels);
  current = 1 - current;
  StagingBuffer &next = buffers[current];
  bool isNew = next.memory.size() < size || !next.memory.address();
  INGOT_RETURN_IF_ERROR(makeRoom(next, size));
  HostToDeviceCopy copy = {next.memory.address(), from, size};
  if (isNew) { // the new memory is zeroed on the kernels' stream
    INGOT_RETURN_IF_ERROR(device.upload({&copy, 1}));
    if (!next.read)
      INGOT_CUDA_RETURN_IF_ERROR(driver, "create an event for copies",
                                 cuEventCreate, &next.read,
                                 CU_EVENT_DISABLE_TIMING);
    return next.memory.address();
  }
  INGOT_RETURN_IF_ERROR(fillConcurrently(next, copy));
  return next.memory.address();
}
