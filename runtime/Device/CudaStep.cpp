//===- CudaStep.cpp - Launches the step kernel ----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/CudaStep.h"

#include <algorithm>
#include <bit>

using namespace ingot;
using namespace ingot::cuda;

/// A barrier across a cluster is several times as fast as one across a grid,
/// but a cluster has fewer thread blocks. Each of them may then have to run
/// several blocks of a launch, one per round. The step kernel runs as a cluster
/// only if no phase (the launches between two barriers) takes more rounds than
/// this.
static constexpr uint32_t clusterRounds = 2;

/// Returns true if `error` means that the GPU does not support a launch of this
/// shape.
static bool isRefusal(CUresult error) {
  return error == CUDA_ERROR_NOT_SUPPORTED ||
         error == CUDA_ERROR_INVALID_VALUE ||
         error == CUDA_ERROR_INVALID_CLUSTER_SIZE ||
         error == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
}

static CUlaunchAttribute clusterOf(uint32_t blocks) {
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {blocks, 1, 1};
  return attribute;
}

static CUlaunchConfig configOf(uint32_t blocks, CUstream stream,
                               CUlaunchAttribute *attribute) {
  return {blocks, 1, 1, INGOT_STEP_THREADS, 1, 1, 0, stream, attribute, 1};
}

Status CudaWholeStepKernel::find(const CudaDriver &driver, CUdevice device,
                                 CUmodule module,
                                 const ingot_device_image &image) {
  if (!image.step)
    return Status::ok();
  INGOT_CUDA_RETURN_IF_ERROR(
      driver, "find kernel '" + std::string(image.step) + "'",
      cuModuleGetFunction, &function, module, image.step);
  INGOT_RETURN_IF_ERROR(countBlocks(driver, device));
  return image.first_capability >= INGOT_FIRST_CLUSTER_CAPABILITY
             ? findClusters(driver)
             : Status::ok();
}

Status CudaWholeStepKernel::countBlocks(const CudaDriver &driver,
                                        CUdevice device) {
  int isCooperative = 0, multiprocessors = 0, blocks = 0;
  std::string purpose = "read how many blocks run at once";
  INGOT_CUDA_RETURN_IF_ERROR(driver, purpose, cuDeviceGetAttribute,
                             &isCooperative,
                             CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, device);
  INGOT_CUDA_RETURN_IF_ERROR(driver, purpose, cuDeviceGetAttribute,
                             &multiprocessors,
                             CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  INGOT_CUDA_RETURN_IF_ERROR(driver, purpose,
                             cuOccupancyMaxActiveBlocksPerMultiprocessor,
                             &blocks, function, INGOT_STEP_THREADS, 0);
  if (isCooperative && multiprocessors > 0 && blocks > 0)
    mostBlocks = static_cast<uint32_t>(multiprocessors * blocks);
  return Status::ok();
}

/// Finds the largest cluster of the step kernel: 16 blocks, which only some
/// GPUs support, or 8, which every GPU with clusters does.
Status CudaWholeStepKernel::findClusters(const CudaDriver &driver) {
  for (uint32_t size : {16u, 8u}) {
    if (size > 8)
      if (CUresult error = driver.cuFuncSetAttribute(
              function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
              1)) {
        if (isRefusal(error))
          continue;
        return driver.statusOf(error, "cuFuncSetAttribute",
                               "allow clusters of 16 blocks");
      }
    CUlaunchAttribute attribute = clusterOf(size);
    CUlaunchConfig config = configOf(size, nullptr, &attribute);
    int clusters = 0;
    CUresult error =
        driver.cuOccupancyMaxActiveClusters(&clusters, function, &config);
    if (error && !isRefusal(error))
      return driver.statusOf(error, "cuOccupancyMaxActiveClusters",
                             "read the number of clusters of " +
                                 std::to_string(size) + " blocks");
    if (!error && clusters > 0) {
      clusterBlocks = size;
      break;
    }
  }
  return Status::ok();
}

CudaWholeStepKernel::StepKernelGrid
CudaWholeStepKernel::shapeFor(uint32_t width) const {
  if (width <= clusterRounds * clusterBlocks || mostBlocks == 0)
    return {std::min(std::bit_ceil(width), clusterBlocks), true};
  return {std::min(width, mostBlocks), false};
}

CUresult CudaWholeStepKernel::launch(const CudaDriver &driver, CUstream stream,
                                     StepKernelGrid shape, DeviceAddress table,
                                     uint32_t rows, uint32_t tableBytes,
                                     DeviceAddress counter) const {
  CUlaunchAttribute attribute = {};
  if (shape.isCluster) {
    attribute = clusterOf(shape.blocks);
    counter = 0;
  } else {
    attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = 1;
  }
  CUlaunchConfig config = configOf(shape.blocks, stream, &attribute);
  void *parameters[] = {&table, &rows, &tableBytes, &counter};
  return driver.cuLaunchKernelEx(&config, function, parameters, nullptr);
}
