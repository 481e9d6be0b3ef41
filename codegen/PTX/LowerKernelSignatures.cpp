//===- LowerKernelSignatures.cpp - Kernels' parameters on a device --------===//
// SPDX-License-Identifier: Apache-2.0
//
// Replaces the buffers among a kernel's arguments by one parameter for each
// slot of its argument table: the address of each buffer, then its dynamic
// sizes. After these come the kernel's tensor maps, as parameters that are
// passed by value.
//
//===----------------------------------------------------------------------===//

#include "codegen/Backend.h"
#include "codegen/LLVM/MemRefDescriptors.h"
#include "codegen/PTX/Passes.h"

namespace ingot::ptx {
#define GEN_PASS_DEF_LOWERKERNELSIGNATURESPASS
#include "codegen/PTX/Passes.h.inc"
} // namespace ingot::ptx

using namespace mlir;

/// Adds a parameter for each tensor map to the end of the kernel's parameters,
/// and returns the new parameters. TileGEMMs has created a global for each map
/// as a placeholder. Replaces the uses of this global by the parameter, and
/// erases the global.
static SmallVector<BlockArgument> addMaps(func::FuncOp kernel,
                                          const LLVMTypeConverter &converter) {
  SmallVector<BlockArgument> maps;
  auto described =
      kernel->getAttrOfType<ArrayAttr>(::ingot::codegen::mapsAttrName);
  for (size_t i = 0; described && i < described.size(); ++i) {
    Location loc = kernel.getLoc();
    BlockArgument map = kernel.getBody().front().addArgument(
        LLVM::LLVMPointerType::get(kernel.getContext()), loc);
    maps.push_back(map);
    auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
        kernel, StringAttr::get(kernel.getContext(),
                                ::ingot::ptx::mapName(kernel.getName(), i)));
    SmallVector<memref::GetGlobalOp> users;
    kernel.walk([&](memref::GetGlobalOp user) {
      if (user.getName() == global.getName())
        users.push_back(user);
    });
    for (memref::GetGlobalOp user : users) {
      OpBuilder builder(user);
      Value descriptor = ::ingot::llvmgen::describeBuffer(
          builder, loc, converter, user.getType(), map, {});
      user.replaceAllUsesWith(UnrealizedConversionCastOp::create(
                                  builder, loc, user.getType(), descriptor)
                                  .getResult(0));
      user.erase();
    }
    global.erase();
  }
  return maps;
}

/// Marks the parameters of tensor maps as passed by value: the 128 bytes of
/// each map are part of the launch's parameters.
static void markMaps(func::FuncOp kernel, ArrayRef<BlockArgument> maps) {
  Builder builder(kernel.getContext());
  for (BlockArgument map : maps) {
    unsigned number = map.getArgNumber();
    kernel.setArgAttr(number, LLVM::LLVMDialect::getByValAttrName(),
                      TypeAttr::get(LLVM::LLVMArrayType::get(
                          builder.getI8Type(), ::ingot::ptx::mapBytes)));
    kernel.setArgAttr(number, LLVM::LLVMDialect::getAlignAttrName(),
                      builder.getI64IntegerAttr(64));
  }
}

/// Replaces each buffer by parameters for its address and its dynamic sizes.
static void lowerSignature(func::FuncOp kernel,
                           const LLVMTypeConverter &converter) {
  Block &body = kernel.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  Location loc = kernel.getLoc();
  unsigned numBuffers = body.getNumArguments();
  for (unsigned index = 0; index < numBuffers; ++index) {
    BlockArgument buffer = body.getArgument(index);
    auto type = cast<MemRefType>(buffer.getType());
    Value address =
        body.addArgument(LLVM::LLVMPointerType::get(kernel.getContext()), loc);
    SmallVector<Value> sizes;
    for (size_t i = 0; i < type.getNumDynamicDims(); ++i)
      sizes.push_back(body.addArgument(builder.getI64Type(), loc));
    Value descriptor = ::ingot::llvmgen::describeBuffer(builder, loc, converter,
                                                        type, address, sizes);
    buffer.replaceAllUsesWith(
        UnrealizedConversionCastOp::create(builder, loc, type, descriptor)
            .getResult(0));
  }
  body.eraseArguments(0, numBuffers);
  SmallVector<BlockArgument> maps = addMaps(kernel, converter);
  kernel.setType(builder.getFunctionType(body.getArgumentTypes(), {}));
  markMaps(kernel, maps);
}

namespace {
struct LowerKernelSignatures
    : ::ingot::ptx::impl::LowerKernelSignaturesPassBase<LowerKernelSignatures> {
  void runOnOperation() override {
    LLVMTypeConverter converter(&getContext());
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (::ingot::ptx::isDeviceKernel(kernel)) {
        lowerSignature(kernel, converter);
        ++numLowered;
      }
  }
};
} // namespace
