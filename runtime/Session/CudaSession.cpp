//===- CudaSession.cpp - Sessions on a GPU --------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The object to which the descriptors of programs with CUDA code refer, so that
// only these programs link the CUDA runtime.
//
//===----------------------------------------------------------------------===//

#include "runtime/Device/CudaDevice.h"
#include "runtime/Session/CoherentDeviceSession.h"

using namespace ingot;

static Expected<std::unique_ptr<DeviceSession>>
openCuda(ingot_context &context, const ingot_device &code, DeviceNumber which) {
  INGOT_ASSIGN_OR_RETURN(std::unique_ptr<Device> device,
                         cuda::CudaDevice::open(code, which));
  return CoherentDeviceSession::create(context, std::move(device));
}

extern "C" const DeviceSessionFactory ingot_device_cuda;
constinit const DeviceSessionFactory ingot_device_cuda = {openCuda};
