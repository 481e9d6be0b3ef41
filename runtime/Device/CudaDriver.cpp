//===- CudaDriver.cpp - Loads the CUDA driver library ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/CudaDriver.h"

#include <dlfcn.h>

using namespace ingot;
using namespace ingot::cuda;

static constexpr const char *libraryName = "libcuda.so.1";
/// CUDA 12.0, the first version with cuGraphAddKernelNode_v2 and similar
/// functions.
static constexpr int oldestVersion = 12000;

static Status unavailable(const std::string &what) {
  return Status(StatusCode::Unavailable, what);
}

static std::string versionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

/// Returns Unavailable if the driver library is older than CUDA 12.0. Must be
/// called before other functions are looked up, which an older library may
/// lack.
static Status checkVersion(const CudaDriver &driver) {
  int version = 0;
  INGOT_CUDA_RETURN_IF_ERROR(driver, "read the driver's version",
                             cuDriverGetVersion, &version);
  if (version >= oldestVersion)
    return Status::ok();
  return unavailable("the CUDA driver (" + std::string(libraryName) +
                     ") supports CUDA " + versionText(version) +
                     "; this program needs CUDA " + versionText(oldestVersion) +
                     " or newer: update the NVIDIA driver");
}

static Status loadInto(CudaDriver &driver) {
  void *library = dlopen(libraryName, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return unavailable("no CUDA driver: cannot load " +
                       std::string(libraryName) + " (" +
                       (reason ? reason : "no reason given") + ")");
  }
  const char *missing = nullptr;
#define INGOT_CUDA(name, symbol, parameters)                                   \
  driver.name =                                                                \
      reinterpret_cast<decltype(driver.name)>(dlsym(library, symbol));         \
  if (!driver.name && !missing)                                                \
    missing = symbol;
#define INGOT_CUDA_LATER(name, symbol, parameters)                             \
  driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(library, symbol));
#include "runtime/Device/CudaDriver.def"
  if (driver.cuDriverGetVersion && driver.cuGetErrorName &&
      driver.cuGetErrorString)
    INGOT_RETURN_IF_ERROR(checkVersion(driver));
  if (missing)
    return unavailable("the CUDA driver (" + std::string(libraryName) +
                       ") lacks function " + missing);
  return Status::ok();
}

Expected<const CudaDriver *> CudaDriver::load() {
  static CudaDriver driver;
  static bool isLoaded = false;
  if (!isLoaded) {
    INGOT_RETURN_IF_ERROR(loadInto(driver));
    isLoaded = true;
  }
  return &driver;
}

/// Maps a driver error to a status code, which tells whether a retry may
/// succeed.
static StatusCode codeOf(CUresult error) {
  switch (error) {
  case CUDA_ERROR_OUT_OF_MEMORY:
    return StatusCode::ResourceExhausted;
  case CUDA_ERROR_DEVICE_UNAVAILABLE:
  case CUDA_ERROR_NO_DEVICE:
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_UNKNOWN:
    return StatusCode::Unavailable;
  default:
    return StatusCode::Internal;
  }
}

Status CudaDriver::statusOf(CUresult error, const char *function,
                            const std::string &purpose) const {
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(error, &name);
  cuGetErrorString(error, &text);
  std::string message = std::string(function) + " failed to " + purpose + ": " +
                        (name ? name : "error " + std::to_string(error));
  if (text)
    message += std::string(" (") + text + ")";
  return Status(codeOf(error), message);
}
