//===- CudaLaunchParameters.cpp - Encodes parameters of launches ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/CudaLaunchParameters.h"

#include <array>

using namespace ingot;
using namespace ingot::cuda;

/// The largest rank of a tensor map, by the driver's definition.
static constexpr uint32_t maxRank = 5;

/// Encodes a tensor map (CUtensorMap) of an argument's memory, for bulk copies
/// of boxes whose rows are swizzled by 128 bytes. Elements outside the tensor
/// read as zero.
static Status encode(const CudaDriver &driver, const ingot_device_map &map,
                     const DeviceLaunch &launch, CUtensorMap &encoded) {
  uint32_t rank = map.num_dims;
  if (rank == 0 || rank > maxRank || map.slot >= launch.parameters.size())
    return Status(StatusCode::Internal,
                  "the program is damaged and must be compiled again: the "
                  "kernel of '" +
                      std::string(launch.node) + "' has a tensor map of rank " +
                      std::to_string(rank) + " for slot " +
                      std::to_string(map.slot) + "; expected rank 1 to " +
                      std::to_string(maxRank) + " and a slot below " +
                      std::to_string(launch.parameters.size()));
  std::array<uint64_t, maxRank> sizes = {}, strides = {};
  std::array<uint32_t, maxRank> boxes = {}, steps = {};
  uint64_t stride = map.element_size;
  // The driver expects the innermost dimension first.
  for (uint32_t i = 0; i < rank; ++i) {
    const ingot_device_map_dim &dim = map.dims[rank - 1 - i];
    sizes[i] = dim.size >= 0 ? static_cast<uint64_t>(dim.size)
                             : launch.parameters[dim.slot];
    boxes[i] = dim.box;
    steps[i] = 1;
    stride *= sizes[i];
    strides[i] = stride;
  }
  int type = map.element_size == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                                   : CU_TENSOR_MAP_DATA_TYPE_UINT32;
  std::string purpose = "map memory of '" + std::string(launch.node) + "'";
  INGOT_CUDA_RETURN_IF_ERROR(
      driver, purpose, cuTensorMapEncodeTiled, &encoded, type, rank,
      reinterpret_cast<void *>(launch.parameters[map.slot]), sizes.data(),
      strides.data(), boxes.data(), steps.data(), /*interleave=*/0,
      CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
      /*fill=*/0);
  return Status::ok();
}

Status CudaLaunchParameters::set(const CudaDriver &driver,
                                 const CudaKernel &kernel,
                                 const DeviceLaunch &launch) {
  pointers.clear();
  for (const uint64_t &parameter : launch.parameters)
    pointers.push_back(const_cast<uint64_t *>(&parameter));
  maps.resize(kernel.code->num_maps);
  for (size_t i = 0; i < maps.size(); ++i) {
    INGOT_RETURN_IF_ERROR(
        encode(driver, kernel.code->maps[i], launch, maps[i]));
    pointers.push_back(&maps[i]);
  }
  return Status::ok();
}
