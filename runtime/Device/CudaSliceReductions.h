//===- CudaSliceReductions.h - Combines slices' values on a GPU -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_DEVICE_CUDASLICEREDUCTIONS_H
#define INGOT_RUNTIME_DEVICE_CUDASLICEREDUCTIONS_H

#include "runtime/Device/CudaDriver.h"
#include "runtime/Device/Device.h"

#include <map>
#include <string>

namespace ingot::cuda {

/// The kernels of an image that combine the values of a batch's slices
/// (runtime/ABI/SliceReductions.h).
class CudaSliceReductions {
public:
  explicit CudaSliceReductions(const CudaDriver &driver) : driver(driver) {}

  /// Returns whether `module` has the kernel for elements of type `dtype` and
  /// exchanges of kind `kind`, which is looked up at the first call.
  Expected<bool> find(CUmodule module, int32_t dtype, ingot_exchange_kind kind);

  /// Launches a kernel that was found.
  Status launch(CUstream stream, const DeviceReduction &reduction) const;

private:
  const CudaDriver &driver;
  std::map<std::string, CUfunction> functions; // null: not in the module
};

} // namespace ingot::cuda

#endif // INGOT_RUNTIME_DEVICE_CUDASLICEREDUCTIONS_H
