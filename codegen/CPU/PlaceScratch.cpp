//===- PlaceScratch.cpp - Kernels allocate nothing ------------------------===//

#include "codegen/CPU/Passes.h"

#include "runtime/ABI/Tensor.h"

#include "mlir/IR/Builders.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_PLACESCRATCHPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;

/// Up to this many bytes a buffer lives on the stack.
static constexpr int64_t maxStackBytes = 16 * 1024;

static int64_t byteSize(MemRefType type) {
  // Shapes are stored as vectors of indices.
  unsigned bits =
      type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
  return type.getNumElements() * llvm::divideCeil(bits, 8);
}

/// The types of the buffers that the kernel asks its callers for.
static SmallVector<MemRefType> placeScratch(func::FuncOp kernel) {
  SmallVector<MemRefType> asked;
  Block &body = kernel.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  SmallVector<memref::AllocOp> allocations;
  kernel.walk([&](memref::AllocOp op) { allocations.push_back(op); });
  kernel.walk([](memref::DeallocOp op) { op.erase(); });
  for (memref::AllocOp allocation : allocations) {
    MemRefType type = allocation.getType();
    // What is as large as the input says stays where it is, and goes with the
    // block that it serves.
    if (!type.hasStaticShape()) {
      OpBuilder end(allocation->getBlock()->getTerminator());
      memref::DeallocOp::create(end, allocation.getLoc(), allocation);
      continue;
    }
    // In a loop, too, stack is taken once for the whole kernel. A kernel
    // that runs on several threads shares nothing but its arguments.
    builder.setInsertionPointToStart(&body); // which may just have gone
    bool onStack =
        byteSize(type) <= maxStackBytes || allocation->getParentOp() != kernel;
    Value buffer = onStack ? Value(memref::AllocaOp::create(
                                 builder, allocation.getLoc(), type,
                                 builder.getI64IntegerAttr(INGOT_ALIGNMENT)))
                           : Value(body.addArgument(type, allocation.getLoc()));
    if (!onStack)
      asked.push_back(type);
    allocation.replaceAllUsesWith(buffer);
    allocation.erase();
  }
  kernel.setType(builder.getFunctionType(body.getArgumentTypes(), {}));
  return asked;
}

namespace {
struct PlaceScratch : ::ingot::cpu::impl::PlaceScratchPassBase<PlaceScratch> {
  void runOnOperation() override {
    DenseMap<StringAttr, SmallVector<MemRefType>> scratch;
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(host::kernelAttrName))
        scratch[kernel.getSymNameAttr()] = placeScratch(kernel);
    getOperation().walk([&](host::LaunchOp launch) {
      OpBuilder builder(launch);
      SmallVector<Value> buffers;
      for (MemRefType type : scratch.lookup(launch.getKernelAttr().getAttr()))
        buffers.push_back(memref::AllocOp::create(
            builder, launch.getLoc(), type,
            builder.getI64IntegerAttr(INGOT_ALIGNMENT)));
      launch.getOutputsMutable().append(buffers);
    });
  }
};
} // namespace
