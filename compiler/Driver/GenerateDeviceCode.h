//===- GenerateDeviceCode.h - Compiles kernels for devices ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// An artifact can contain several images of its kernels, each for some
// generations of GPUs. An image is PTX, which the driver compiles at load time,
// or machine code.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_GENERATEDEVICECODE_H
#define INGOT_COMPILER_DRIVER_GENERATEDEVICECODE_H

#include "codegen/ABI/Descriptor.h"
#include "compiler/Driver/Compile.h"
#include "compiler/Driver/CompileKernels.h"
#include "compiler/Driver/Stages.h"

namespace ingot::driver {

/// A kernel that a target leaves to the host, and the reason.
struct HostFallbackKernel {
  std::string name, reason;
  bool operator==(const HostFallbackKernel &) const = default;
};

/// Builds an image of `units`, the kernels of `program`, for each of
/// options.devices, and adds these images to `info`. Calls `noteScratch` with
/// the scratch bytes of each unit. Adds the kernels that the device does not
/// run to `left`.
llvm::Error generateDevice(
    mlir::ModuleOp program, const std::vector<KernelModule> &units,
    const CompileOptions &options, abi::ProgramDescriptorContents &info,
    llvm::function_ref<void(llvm::ArrayRef<int64_t>)> noteScratch,
    std::vector<HostFallbackKernel> &left, StageInstrumentation &log);

/// Returns all kernels of `program` as one image of the first backend. Adds the
/// kernels that the image cannot contain to `left`.
llvm::Expected<std::string>
generateKernels(mlir::ModuleOp program, const CompileOptions &options,
                std::vector<HostFallbackKernel> &left,
                StageInstrumentation &log);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_GENERATEDEVICECODE_H
