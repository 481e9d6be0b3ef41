//===- HostBase.td - The dialect of runtime calls ----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_HOST_BASE_TD
#define INGOT_DIALECTS_HOST_BASE_TD

include "mlir/IR/OpBase.td"

def Host_Dialect : Dialect {
  let name = "host";
  let cppNamespace = "::mlir::host";
  let summary = "Calls of the runtime and launches of kernels";
  let description = [{
    Ops for everything that a compiled program does besides computing in
    kernels. codegen/Host lowers them to the functions of `runtime/ABI/Calls.h`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::bufferization::BufferizationDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes(); // defined in HostAttributes.cpp
  }];
}

#endif // INGOT_DIALECTS_HOST_BASE_TD
