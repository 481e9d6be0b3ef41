//===- CudaSliceReductions.cpp - Combines slices' values on a GPU ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/CudaSliceReductions.h"

#include "runtime/ABI/SliceReductions.h"

#include <algorithm>
#include <limits>

using namespace ingot;
using namespace ingot::cuda;

Expected<bool> CudaSliceReductions::find(CUmodule module, int32_t dtype,
                                         ingot_exchange_kind kind) {
  std::string name = sliceReductionKernel(dtype, kind);
  if (name.empty())
    return false;
  auto [found, isNew] = functions.try_emplace(name, nullptr);
  if (!isNew)
    return found->second != nullptr;
  CUresult error =
      driver.cuModuleGetFunction(&found->second, module, name.c_str());
  if (error == CUDA_SUCCESS)
    return true;
  found->second = nullptr;
  if (error == CUDA_ERROR_NOT_FOUND)
    return false;
  functions.erase(found);
  return driver.statusOf(error, "cuModuleGetFunction",
                         "find kernel '" + name + "'");
}

Status CudaSliceReductions::launch(CUstream stream,
                                   const DeviceReduction &reduction) const {
  std::string name = sliceReductionKernel(reduction.dtype, reduction.kind);
  DeviceAddress to = reduction.to, left = reduction.left,
                right = reduction.right;
  uint64_t count = reduction.count;
  void *parameters[] = {&to, &left, &right, &count};
  uint64_t blocks = (count - 1) / INGOT_REDUCTION_ELEMENTS + 1;
  blocks = std::min<uint64_t>(blocks, std::numeric_limits<int>::max());
  if (CUresult error = driver.cuLaunchKernel(
          functions.at(name), static_cast<unsigned>(blocks), 1, 1,
          INGOT_REDUCTION_THREADS, 1, 1, /*shared=*/0, stream, parameters,
          nullptr))
    return driver.statusOf(error, "cuLaunchKernel",
                           "launch '" + name + "' on " + std::to_string(count) +
                               " elements of slices");
  return Status::ok();
}
