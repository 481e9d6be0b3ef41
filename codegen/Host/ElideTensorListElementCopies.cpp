//===- ElideTensorListElementCopies.cpp - Store elements uncopied ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/HostAccesses.h"
#include "codegen/Host/LaunchSequences.h"
#include "codegen/Host/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/StringSwitch.h"

namespace ingot::hostgen {
#define GEN_PASS_DEF_ELIDETENSORLISTELEMENTCOPIESPASS
#include "codegen/Host/Passes.h.inc"
} // namespace ingot::hostgen

using namespace mlir;
using ::ingot::hostgen::isOnlyRead;

/// Returns the operand of `call` that is stored as an element of a TensorList,
/// TensorArray or stack. Returns null if the call stores no element.
static Value itemOf(host::CallOp call) {
  int index = llvm::StringSwitch<int>(call.getCallee())
                  .Case("ingot_op_tensor_list_push_back", 1)
                  .Case("ingot_op_tensor_list_set_item", 2)
                  .Case("ingot_op_tensor_array_write", 2)
                  .Case("ingot_op_stack_push", 1)
                  .Default(-1);
  return index < 0 ? Value() : call.getInputs()[index];
}

/// Whether `user`, which uses `buffer`, only reads it. A view counts as a read,
/// because the users of the view are checked separately.
static bool onlyReads(Operation *user, Value buffer) {
  if (isa<ViewLikeOpInterface>(user))
    return true;
  if (auto launch = dyn_cast<host::LaunchOp>(user))
    return !llvm::is_contained(launch.getOutputs(), buffer);
  if (auto call = dyn_cast<host::CallOp>(user))
    return !llvm::is_contained(call.getOutputs(), buffer);
  auto copy = dyn_cast<memref::CopyOp>(user);
  return copy && copy.getTarget() != buffer;
}

/// Whether exactly one launch writes the buffer, in the block in which it is
/// allocated. Then its contents never change after that launch.
static bool isComputedOnce(memref::AllocOp allocation,
                           const BufferViewFlowAnalysis &views) {
  unsigned numWriters = 0;
  for (Value alias : views.resolve(allocation))
    for (Operation *user : alias.getUsers()) {
      if (onlyReads(user, alias))
        continue;
      if (!isa<host::LaunchOp>(user) ||
          user->getBlock() != allocation->getBlock() || ++numWriters > 1)
        return false;
    }
  return numWriters == 1;
}

/// Whether nothing writes the memory of the element `item` while the entry
/// point runs: `item` is a constant, or the result of a call with the option
/// "lent", which returns the memory of a list's element instead of a copy.
static bool stays(Value item) {
  if (item.getDefiningOp<memref::GetGlobalOp>())
    return isOnlyRead(item);
  auto call = item.getDefiningOp<host::CallOp>();
  return call && call.getOptions().contains("lent") &&
         item == call->getResults().back();
}

/// Marks a call with the option "kept": the runtime keeps the memory of the
/// stored element, instead of copying it.
static void setKept(host::CallOp call) {
  NamedAttrList options(call.getOptions());
  options.set("kept", Builder(call.getContext()).getBoolAttr(true));
  call.setOptionsAttr(options.getDictionary(call.getContext()));
}

/// Marks the calls that store an element as "kept" if the element's memory
/// stays unchanged until the entry point returns, so that the runtime need not
/// copy the element. Returns the number of these calls.
static unsigned elideListCopies(func::FuncOp function) {
  unsigned numKept = 0;
  BufferViewFlowAnalysis views(function);
  SmallVector<std::pair<host::CallOp, memref::AllocOp>> kept;
  function.walk([&](host::CallOp call) {
    Value item = itemOf(call);
    if (item && stays(item)) {
      ++numKept;
      return setKept(call);
    }
    auto allocation =
        item ? item.getDefiningOp<memref::AllocOp>() : memref::AllocOp();
    if (allocation && allocation.getType().hasStaticShape() &&
        allocation->getBlock() == call->getBlock() &&
        isComputedOnce(allocation, views))
      kept.push_back({call, allocation});
  });
  DenseMap<Operation *, Value> buffers;
  for (auto [call, allocation] : kept) {
    setKept(call);
    // Insert the allocation at the beginning of the block. If it were between
    // two launches, these could not share one launch table.
    auto builder = OpBuilder::atBlockBegin(call->getBlock());
    Value &buffer = buffers[allocation];
    if (!buffer)
      buffer = host::AllocateOp::create(builder, allocation.getLoc(),
                                        allocation.getType(), ValueRange());
  }
  for (auto [allocation, buffer] : buffers) {
    allocation->getResult(0).replaceAllUsesWith(buffer);
    allocation->erase();
  }
  return numKept + kept.size();
}

namespace {
struct ElideTensorListElementCopies
    : ::ingot::hostgen::impl::ElideTensorListElementCopiesPassBase<
          ElideTensorListElementCopies> {
  void runOnOperation() override {
    // Entries whose kernels may run on a device are skipped: an element's
    // newest bytes may be on the device, and the runtime copies them to the
    // host when it copies the element.
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() &&
          !function->hasAttr(::ingot::hostgen::onDeviceAttrName))
        numKept += elideListCopies(function);
  }
};
} // namespace
