//===- CudaPeer.cpp - A GPU among those of several ranks ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/NcclCollective.h"
#include "runtime/Device/CudaDevice.h"

using namespace ingot;
using namespace ingot::cuda;

Expected<DevicePeer> CudaDevice::peer() {
  INGOT_ASSIGN_OR_RETURN(NcclLibrary nccl, NcclLibrary::load());
  CUuuid uuid = {};
  INGOT_CUDA_RETURN_IF_ERROR(driver, "read the GPU's id", cuDeviceGetUuid,
                             &uuid, device);
  std::string id;
  for (char byte : uuid.bytes)
    for (unsigned shift : {4u, 0u})
      id += "0123456789abcdef"[static_cast<unsigned char>(byte) >> shift & 15];
  return DevicePeer{id, nccl.version};
}

Expected<std::unique_ptr<Collective>>
CudaDevice::connect(Collective &host, const WaitLimits &limits) {
  INGOT_ASSIGN_OR_RETURN(NcclLibrary nccl, NcclLibrary::load());
  NcclStream ours;
  ours.handle = stream;
  ours.enter = [this] { return enter(); };
  ours.isIdle = [this]() -> Expected<bool> {
    CUresult error = driver.cuStreamQuery(stream);
    if (error == CUDA_SUCCESS)
      return true;
    if (error == CUDA_ERROR_NOT_READY)
      return false;
    return afterLaunches(
        driver.statusOf(error, "cuStreamQuery", "exchange between GPUs"));
  };
  INGOT_ASSIGN_OR_RETURN(
      std::unique_ptr<NcclCollective> collective,
      NcclCollective::start(std::move(nccl), host, std::move(ours), limits));
  return std::unique_ptr<Collective>(std::move(collective));
}
