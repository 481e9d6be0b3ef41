//===- Memory.cpp - The tests' CUDA driver: devices, memory, streams ------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Cuda/Driver.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>

INGOT_EXPORT cuInit(unsigned) {
  INGOT_BEGIN(cuInit);
  // Makes this driver's symbols global: emulated kernels look up the emulator's
  // functions there.
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&cuInit), &info))
    dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  return driver.deviceCount > 0 ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

INGOT_EXPORT cuDriverGetVersion(int *version) {
  INGOT_BEGIN(cuDriverGetVersion);
  *version = driver.version;
  return CUDA_SUCCESS;
}

static const char *nameOf(CUresult error) {
  switch (error) {
#define NAME(error)                                                            \
  case error:                                                                  \
    return #error;
    NAME(CUDA_SUCCESS)
    NAME(CUDA_ERROR_INVALID_VALUE)
    NAME(CUDA_ERROR_OUT_OF_MEMORY)
    NAME(CUDA_ERROR_NO_DEVICE)
    NAME(CUDA_ERROR_INVALID_DEVICE)
    NAME(CUDA_ERROR_INVALID_IMAGE)
    NAME(CUDA_ERROR_INVALID_CONTEXT)
    NAME(CUDA_ERROR_NO_BINARY_FOR_GPU)
    NAME(CUDA_ERROR_ECC_UNCORRECTABLE)
    NAME(CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
    NAME(CUDA_ERROR_INVALID_HANDLE)
    NAME(CUDA_ERROR_NOT_FOUND)
    NAME(CUDA_ERROR_NOT_READY)
    NAME(CUDA_ERROR_ILLEGAL_ADDRESS)
    NAME(CUDA_ERROR_LAUNCH_FAILED)
    NAME(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
    NAME(CUDA_ERROR_INVALID_CLUSTER_SIZE)
    NAME(CUDA_ERROR_NOT_SUPPORTED)
    NAME(CUDA_ERROR_UNKNOWN)
#undef NAME
  default:
    return nullptr;
  }
}

INGOT_EXPORT cuGetErrorName(CUresult error, const char **name) {
  *name = nameOf(error);
  return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

INGOT_EXPORT cuGetErrorString(CUresult error, const char **text) {
  *text = nameOf(error) ? "injected or found by the tests' driver" : nullptr;
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

INGOT_EXPORT cuDeviceGetCount(int *count) {
  INGOT_BEGIN(cuDeviceGetCount);
  *count = driver.deviceCount;
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuDeviceGet(CUdevice *device, int ordinal) {
  INGOT_BEGIN(cuDeviceGet);
  if (ordinal < 0 || ordinal >= driver.deviceCount)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  driver.count("device " + std::to_string(ordinal), 1);
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuDeviceGetName(char *name, int length, CUdevice) {
  INGOT_BEGIN(cuDeviceGetName);
  std::strncpy(name, "emulated GPU", length - 1);
  name[length - 1] = 0;
  return CUDA_SUCCESS;
}

/// All processes see the same GPUs.
INGOT_EXPORT cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  INGOT_BEGIN(cuDeviceGetUuid);
  *uuid = {};
  uuid->bytes[15] = static_cast<char>(device + 1);
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuDeviceGetAttribute(int *value, int attribute, CUdevice) {
  INGOT_BEGIN(cuDeviceGetAttribute);
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = driver.capability / 10;
    break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = driver.capability % 10;
    break;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *value = driver.multiprocessors;
    break;
  case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
    *value = driver.together > 0;
    break;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

static CUctx_st onlyContext;
static thread_local CUcontext current;

/// For functions that fail without a current context, which most do.
#define INGOT_BEGIN_IN_CONTEXT(function)                                       \
  INGOT_BEGIN(function);                                                       \
  if (!current || !driver.has("context", current))                             \
  return CUDA_ERROR_INVALID_CONTEXT

INGOT_EXPORT cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) {
  INGOT_BEGIN(cuDevicePrimaryCtxRetain);
  size_t count = driver.has("context", &onlyContext)
                     ? driver.live["context"][&onlyContext]
                     : 0;
  *context = driver.own("context", &onlyContext, count + 1);
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuDevicePrimaryCtxRelease_v2(CUdevice) {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  CUresult error = driver.begin("cuDevicePrimaryCtxRelease");
  if (!driver.has("context", &onlyContext))
    return CUDA_ERROR_INVALID_CONTEXT;
  if (--driver.live["context"][&onlyContext] == 0) {
    driver.disown("context", &onlyContext);
    driver.checkNothingIsLeft();
  }
  return error;
}

INGOT_EXPORT cuCtxSetCurrent(CUcontext context) {
  INGOT_BEGIN(cuCtxSetCurrent);
  current = context;
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuMemAlloc_v2(CUdeviceptr *address, size_t size) {
  INGOT_BEGIN_IN_CONTEXT(cuMemAlloc);
  if (size == 0)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t used = 0;
  for (const auto &[data, bytes] : driver.live["memory"])
    used += bytes;
  if (size > driver.memory || used > driver.memory - size)
    return CUDA_ERROR_OUT_OF_MEMORY;
  // Uninitialized, like a GPU's memory.
  void *data = std::aligned_alloc(256, (size + 255) / 256 * 256);
  if (!data)
    return CUDA_ERROR_OUT_OF_MEMORY;
  std::memset(data, 0xab, size);
  driver.own("memory", data, size);
  driver.reach("most memory", used + size);
  ingot::emulator::addMemory(data, size);
  *address = reinterpret_cast<CUdeviceptr>(data);
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuMemFree_v2(CUdeviceptr address) {
  // Memory is freed even if this call is made to fail.
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  CUresult error = driver.begin("cuMemFree");
  driver.workAll();
  auto *data = reinterpret_cast<void *>(address);
  if (!driver.disown("memory", data))
    return CUDA_ERROR_INVALID_VALUE;
  driver.forget(data);
  ingot::emulator::removeMemory(data);
  std::free(data);
  return error;
}

INGOT_EXPORT cuMemAllocHost_v2(void **address, size_t size) {
  INGOT_BEGIN_IN_CONTEXT(cuMemAllocHost);
  *address = driver.own("pinned memory", std::malloc(size), size);
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuMemFreeHost(void *address) {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  CUresult error = driver.begin("cuMemFreeHost");
  driver.workAll();
  if (!driver.disown("pinned memory", address))
    return CUDA_ERROR_INVALID_VALUE;
  std::free(address);
  return error;
}

INGOT_EXPORT cuStreamCreate(CUstream *stream, unsigned) {
  INGOT_BEGIN_IN_CONTEXT(cuStreamCreate);
  *stream = driver.own("stream", new CUstream_st(++driver.numStreams));
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuStreamDestroy_v2(CUstream stream) {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  CUresult error = driver.begin("cuStreamDestroy");
  if (!driver.has("stream", stream))
    return CUDA_ERROR_INVALID_HANDLE;
  driver.work(stream);
  driver.waited(stream->before);
  driver.disown("stream", stream);
  delete stream;
  return error;
}

INGOT_EXPORT cuStreamSynchronize(CUstream stream) {
  INGOT_BEGIN_IN_CONTEXT(cuStreamSynchronize);
  if (!driver.has("stream", stream))
    return CUDA_ERROR_INVALID_HANDLE;
  driver.waited(stream->before);
  return driver.work(stream);
}

INGOT_EXPORT cuStreamQuery(CUstream stream) {
  INGOT_BEGIN_IN_CONTEXT(cuStreamQuery);
  if (!driver.has("stream", stream))
    return CUDA_ERROR_INVALID_HANDLE;
  driver.waited(stream->before);
  return driver.work(stream, nullptr, /*waits=*/false);
}

INGOT_EXPORT cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  INGOT_BEGIN_IN_CONTEXT(cuStreamWaitEvent);
  if (!driver.has("stream", stream) || !driver.has("event", event))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!event->isDone)
    return CUDA_SUCCESS; // the event was never recorded
  Driver::merge(stream->before, event->before);
  stream->work.push_back([from = event->stream, isDone = event->isDone] {
    return *isDone ? CUDA_SUCCESS : Driver::get().work(from, isDone.get());
  });
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuEventCreate(CUevent *event, unsigned) {
  INGOT_BEGIN_IN_CONTEXT(cuEventCreate);
  *event = driver.own("event", new CUevent_st);
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuEventDestroy_v2(CUevent event) {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  CUresult error = driver.begin("cuEventDestroy");
  driver.workAll();
  if (!driver.disown("event", event))
    return CUDA_ERROR_INVALID_HANDLE;
  delete event;
  return error;
}

INGOT_EXPORT cuEventRecord(CUevent event, CUstream stream) {
  INGOT_BEGIN_IN_CONTEXT(cuEventRecord);
  if (!driver.has("event", event) || !driver.has("stream", stream))
    return CUDA_ERROR_INVALID_HANDLE;
  event->before = stream->before;
  event->stream = stream;
  // The stream waits for the event's record made here; later records make a new
  // flag.
  event->isDone = std::make_shared<bool>(false);
  stream->work.push_back([isDone = event->isDone] {
    *isDone = true;
    return CUDA_SUCCESS;
  });
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuEventSynchronize(CUevent event) {
  INGOT_BEGIN_IN_CONTEXT(cuEventSynchronize);
  if (!driver.has("event", event))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!event->isDone)
    return CUDA_SUCCESS;
  driver.waited(event->before);
  return *event->isDone ? CUDA_SUCCESS
                        : driver.work(event->stream, event->isDone.get());
}

INGOT_EXPORT cuMemsetD8Async(CUdeviceptr address, unsigned char value,
                             size_t size, CUstream stream) {
  INGOT_BEGIN_IN_CONTEXT(cuMemsetD8Async);
  if (CUresult error = checkWork(stream, address, size))
    return error;
  auto *data = reinterpret_cast<void *>(address);
  if (!driver.isOrdered(stream, data, /*isWritten=*/true, "cuMemsetD8Async"))
    return driver.remember(CUDA_ERROR_LAUNCH_FAILED);
  stream->work.push_back([=] {
    std::memset(data, value, size);
    return CUDA_SUCCESS;
  });
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size,
                                  CUstream stream) {
  INGOT_BEGIN_IN_CONTEXT(cuMemcpyHtoDAsync);
  if (CUresult error = checkWork(stream, to, size))
    return error;
  driver.count("bytes up", size);
  auto *data = reinterpret_cast<void *>(to);
  if (!driver.isOrdered(stream, data, /*isWritten=*/true, "cuMemcpyHtoDAsync"))
    return driver.remember(CUDA_ERROR_LAUNCH_FAILED);
  if (driver.covers("pinned memory", from, size)) {
    // The source is read only when the copy runs, so that a program which
    // changes it too early gets wrong results.
    stream->work.push_back([=] {
      std::memcpy(data, from, size);
      return CUDA_SUCCESS;
    });
    return CUDA_SUCCESS;
  }
  auto *bytes = static_cast<const uint8_t *>(from);
  stream->work.push_back([=, copy = std::vector<uint8_t>(bytes, bytes + size)] {
    std::memcpy(data, copy.data(), size);
    return CUDA_SUCCESS;
  });
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size,
                                  CUstream stream) {
  INGOT_BEGIN_IN_CONTEXT(cuMemcpyDtoDAsync);
  for (CUdeviceptr address : {to, from})
    if (CUresult error = checkWork(stream, address, size))
      return error;
  for (CUdeviceptr address : {from, to})
    if (!driver.isOrdered(stream, reinterpret_cast<const void *>(address),
                          address == to, "cuMemcpyDtoDAsync"))
      return driver.remember(CUDA_ERROR_LAUNCH_FAILED);
  stream->work.push_back([=] {
    std::memcpy(reinterpret_cast<void *>(to),
                reinterpret_cast<const void *>(from), size);
    return CUDA_SUCCESS;
  });
  return CUDA_SUCCESS;
}

INGOT_EXPORT cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size,
                                  CUstream stream) {
  INGOT_BEGIN_IN_CONTEXT(cuMemcpyDtoHAsync);
  if (CUresult error = checkWork(stream, from, size))
    return error;
  driver.count("bytes down", size);
  auto *data = reinterpret_cast<const void *>(from);
  if (!driver.isOrdered(stream, data, /*isWritten=*/false, "cuMemcpyDtoHAsync"))
    return driver.remember(CUDA_ERROR_LAUNCH_FAILED);
  stream->work.push_back([=] {
    std::memcpy(to, data, size);
    return CUDA_SUCCESS;
  });
  return driver.covers("pinned memory", to, size) ? CUDA_SUCCESS
                                                  : driver.work(stream);
}
