//===- AllocateLaunchScratch.cpp - Allocate launches' scratch memory ------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/Passes.h"

#include "runtime/ABI/Tensor.h"

#include "mlir/IR/Builders.h"

namespace ingot::hostgen {
#define GEN_PASS_DEF_ALLOCATELAUNCHSCRATCHPASS
#include "codegen/Host/Passes.h.inc"
} // namespace ingot::hostgen

using namespace mlir;

namespace {
struct AllocateLaunchScratch
    : ::ingot::hostgen::impl::AllocateLaunchScratchPassBase<
          AllocateLaunchScratch> {
  void runOnOperation() override {
    Builder types(&getContext());
    DenseMap<StringAttr, MemRefType> scratch;
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      auto bytes = kernel->getAttrOfType<IntegerAttr>(host::scratchAttrName);
      if (!kernel->hasAttr(host::kernelAttrName) || !bytes ||
          bytes.getInt() == 0)
        continue;
      auto type = MemRefType::get({bytes.getInt()}, types.getI8Type());
      SmallVector<Type> arguments(kernel.getArgumentTypes());
      arguments.push_back(type);
      kernel.setType(types.getFunctionType(arguments, {}));
      scratch[kernel.getSymNameAttr()] = type;
    }
    getOperation().walk([&](host::LaunchOp launch) {
      auto found = scratch.find(launch.getKernelAttr().getAttr());
      if (found == scratch.end())
        return;
      OpBuilder builder(launch);
      launch.getOutputsMutable().append(
          memref::AllocOp::create(builder, launch.getLoc(), found->second,
                                  builder.getI64IntegerAttr(INGOT_ALIGNMENT))
              .getResult());
      ++numBuffers;
    });
  }
};
} // namespace
