//===- GenerateDevice.h - Compiles kernels for devices ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// An artifact has several images of its kernels, each for some generations of
// GPUs: PTX, which drivers compile, or machine code.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_GENERATEDEVICE_H
#define INGOT_COMPILER_DRIVER_GENERATEDEVICE_H

#include "codegen/ABI/Descriptor.h"
#include "compiler/Driver/Compile.h"
#include "compiler/Driver/CompileKernels.h"
#include "compiler/Driver/Stages.h"

namespace ingot::driver {

/// A kernel that a target leaves to the host, with the reason.
struct HostKernel {
  std::string name, reason;
  bool operator==(const HostKernel &) const = default;
};

/// The images of `units`, the kernels of `program`, for options.devices.
/// `noteScratch` receives the scratch memory of each unit; kernels that the
/// device does not run go to `left`.
llvm::Error
generateDevice(mlir::ModuleOp program, const std::vector<KernelUnit> &units,
               const CompileOptions &options, abi::DescriptorInfo &info,
               llvm::function_ref<void(llvm::ArrayRef<int64_t>)> noteScratch,
               std::vector<HostKernel> &left, StageLog &log);

/// The kernels of `program` as one image, joined by the first backend's target;
/// those that are not in it go to `left`.
llvm::Expected<std::string> generateKernels(mlir::ModuleOp program,
                                            const CompileOptions &options,
                                            std::vector<HostKernel> &left,
                                            StageLog &log);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_GENERATEDEVICE_H
