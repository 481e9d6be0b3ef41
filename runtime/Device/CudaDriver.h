//===- CudaDriver.h - CUDA's driver, loaded by name -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_DEVICE_CUDADRIVER_H
#define INGOT_RUNTIME_DEVICE_CUDADRIVER_H

#include "runtime/Device/CudaTypes.h"
#include "runtime/Support/Expected.h"

#include <string>

namespace ingot::cuda {

/// The functions of libcuda.so.1.
struct CudaDriver {
#define INGOT_CUDA(name, symbol, parameters) CUresult(*name) parameters;
#define INGOT_CUDA_LATER(name, symbol, parameters) CUresult(*name) parameters;
#include "runtime/Device/CudaDriver.def"

  /// Loads the library if that has not been done. Unavailable, naming the
  /// library that was tried, if there is none or it is older than CUDA 12.0.
  static Expected<const CudaDriver *> load();

  /// A failure of `function` on the way to `purpose`, with the driver's name
  /// for the error and its words.
  Status statusOf(CUresult error, const char *function,
                  const std::string &purpose) const;
};

} // namespace ingot::cuda

/// Calls a function of `driver` and hands a failure on to the caller:
/// INGOT_CUDA_RETURN_IF_ERROR(driver, "to wait", cuStreamSynchronize, stream).
#define INGOT_CUDA_RETURN_IF_ERROR(driver, purpose, function, ...)             \
  do {                                                                         \
    if (auto error = (driver).function(__VA_ARGS__))                           \
      return (driver).statusOf(error, #function, purpose);                     \
  } while (false)

#endif // INGOT_RUNTIME_DEVICE_CUDADRIVER_H
