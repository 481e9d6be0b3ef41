//===- CudaDriver.h - Loads the CUDA driver library -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_DEVICE_CUDADRIVER_H
#define INGOT_RUNTIME_DEVICE_CUDADRIVER_H

#include "runtime/Device/CudaTypes.h"
#include "runtime/Support/Expected.h"

#include <string>

namespace ingot::cuda {

/// Pointers to the functions of libcuda.so.1.
struct CudaDriver {
#define INGOT_CUDA(name, symbol, parameters) CUresult(*name) parameters;
#define INGOT_CUDA_LATER(name, symbol, parameters) CUresult(*name) parameters;
#include "runtime/Device/CudaDriver.def"

  /// Loads the driver library at the first call. Returns Unavailable if the
  /// library is missing (the message names it) or older than CUDA 12.0.
  static Expected<const CudaDriver *> load();

  /// Returns the failure of `function`, which was called in order to `purpose`
  /// ("allocate ..."), with the driver's name and description of `error`.
  Status statusOf(CUresult error, const char *function,
                  const std::string &purpose) const;
};

} // namespace ingot::cuda

/// Calls a function of `driver` and returns its failure from the enclosing
/// function, as in
/// INGOT_CUDA_RETURN_IF_ERROR(driver, "wait", cuStreamSynchronize, stream).
#define INGOT_CUDA_RETURN_IF_ERROR(driver, purpose, function, ...)             \
  do {                                                                         \
    if (auto error = (driver).function(__VA_ARGS__))                           \
      return (driver).statusOf(error, #function, purpose);                     \
  } while (false)

#endif // INGOT_RUNTIME_DEVICE_CUDADRIVER_H
