//===- LaunchSequences.cpp - Launches without ops in between --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/LaunchSequences.h"

#include "dialects/Host/HostAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace ingot::hostgen {

Value rootOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

bool isOnlyRead(Value buffer) {
  buffer = rootOf(buffer);
  if (buffer.getDefiningOp<host::IteratorNextOp>())
    return true;
  if (auto global = buffer.getDefiningOp<memref::GetGlobalOp>()) {
    auto data = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
        global, global.getNameAttr());
    return data && data.getConstant();
  }
  auto argument = dyn_cast<BlockArgument>(buffer);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
               : func::FuncOp();
  return function &&
         function.getArgAttr(argument.getArgNumber(), host::feedAttrName);
}

BufferMemory::BufferMemory(Value buffer) : root(rootOf(buffer)) {
  if (isa<BlockArgument>(root)) {
    kind = Kind::Argument;
    return;
  }
  auto slice = root.getDefiningOp<host::SliceOp>();
  if (!slice)
    return;
  auto type = cast<MemRefType>(slice.getType());
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return;
  kind = Kind::Slice;
  begin = slice.getOffset();
  end = begin + llvm::divideCeil(type.getElementTypeBitWidth(), 8) *
                    type.getNumElements();
}

bool BufferMemory::isApartFrom(const BufferMemory &other) const {
  if (kind == Kind::Unknown || other.kind == Kind::Unknown)
    return false;
  if (kind == Kind::Argument || other.kind == Kind::Argument)
    return root != other.root;
  return end <= other.begin || other.end <= begin;
}

bool areApart(Value first, Value second) {
  return BufferMemory(first).isApartFrom(BufferMemory(second));
}

/// Whether a sequence of launches may continue after `op`: it has no side
/// effects and no regions, so the launches before it may be moved after it.
static bool isPassed(Operation &op) {
  return op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
         !op.hasTrait<OpTrait::IsTerminator>();
}

/// Moves `op`, which is after `place`, to before `place`. Moves the ops that
/// define its operands first, if they are after `place`, too. Between `place`
/// and `op` there must be only launches and ops without side effects.
static void moveBefore(Operation *op, Operation *place) {
  if (op->getBlock() != place->getBlock() || op->isBeforeInBlock(place))
    return;
  for (Value operand : op->getOperands())
    if (Operation *definition = operand.getDefiningOp())
      moveBefore(definition, place);
  op->moveBefore(place);
}

/// Whether `op` is a call of the runtime without outputs, such as an assertion,
/// that reads only memory that no launch writes, such as a feed. It is then
/// moved before a sequence of launches, instead of ending the sequence.
static bool isCheckOfInput(Operation &op) {
  auto call = dyn_cast<host::CallOp>(op);
  return call && call.getOutputs().empty() && call->getNumResults() == 0 &&
         llvm::all_of(call.getInputs(), isOnlyRead);
}

/// Whether `op` is a copy that can be moved before `launches`, instead of
/// ending their sequence. No launch may write the copy's source, such as a
/// variable whose old value is copied, and no launch may access the copy's
/// target.
static bool isCopyOfOld(Operation &op, ArrayRef<host::LaunchOp> launches) {
  auto copy = dyn_cast<memref::CopyOp>(op);
  return copy && llvm::all_of(launches, [&](host::LaunchOp launch) {
           return llvm::all_of(launch.getInputs(),
                               [&](Value input) {
                                 return isOnlyRead(input) ||
                                        areApart(input, copy.getTarget());
                               }) &&
                  llvm::all_of(launch.getOutputs(), [&](Value output) {
                    return areApart(output, copy.getTarget()) &&
                           areApart(output, copy.getSource());
                  });
         });
}

// A sequence of launches ends at an op that has side effects, is not a launch,
// and cannot be moved before the sequence. It also ends at the block's
// terminator.
std::vector<SmallVector<host::LaunchOp>> collectRuns(Block &block) {
  std::vector<SmallVector<host::LaunchOp>> runs;
  SmallVector<host::LaunchOp> launches;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto launch = dyn_cast<host::LaunchOp>(op)) {
      launches.push_back(launch);
    } else if (!launches.empty() &&
               (isCheckOfInput(op) || isCopyOfOld(op, launches))) {
      moveBefore(&op, launches.front());
    } else if (!launches.empty() && !isPassed(op)) {
      runs.push_back(std::move(launches));
      launches.clear();
    }
  }
  return runs;
}

} // namespace ingot::hostgen
