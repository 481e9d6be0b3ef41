//===- FormLaunchTables.cpp - Runs of launches become rows ----------------===//

#include "codegen/Host/Passes.h"
#include "codegen/Host/SplitEntries.h"

#include "dialects/Host/HostAttributes.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace ingot::hostgen {
#define GEN_PASS_DEF_FORMLAUNCHTABLESPASS
#include "codegen/Host/Passes.h.inc"
} // namespace ingot::hostgen

using namespace mlir;

namespace {

constexpr int64_t slotBytes = 8;

/// Whether a run of launches may be delayed until after `op`.
bool isPassed(Operation &op) {
  return op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
         !op.hasTrait<OpTrait::IsTerminator>();
}

/// Memory that no launch writes: constants, feeds, an iterator's elements.
bool isOnlyRead(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
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

/// Moves `op`, and what it takes, in front of `place` in its block, where only
/// ops without effects and launches stand in between.
void moveBefore(Operation *op, Operation *place) {
  if (op->getBlock() != place->getBlock() || op->isBeforeInBlock(place))
    return;
  for (Value operand : op->getOperands())
    if (Operation *definition = operand.getDefiningOp())
      moveBefore(definition, place);
  op->moveBefore(place);
}

/// Whether `op` is a check of what no launch writes: it comes in front of
/// launches, so that they stay one run.
bool isCheckOfInput(Operation &op) {
  auto call = dyn_cast<host::CallOp>(op);
  return call && call.getOutputs().empty() && call->getNumResults() == 0 &&
         llvm::all_of(call.getInputs(), isOnlyRead);
}

Value rootOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

/// Bytes of a buffer of the arena.
std::pair<int64_t, int64_t> bytesOf(host::SliceOp slice) {
  auto type = cast<MemRefType>(slice.getType());
  int64_t size = llvm::divideCeil(type.getElementTypeBitWidth(), 8) *
                 type.getNumElements();
  return {slice.getOffset(), slice.getOffset() + size};
}

/// Whether two buffers share no memory: stretches of the arena, variables.
bool areApart(Value first, Value second) {
  first = rootOf(first);
  second = rootOf(second);
  auto a = first.getDefiningOp<host::SliceOp>();
  auto b = second.getDefiningOp<host::SliceOp>();
  auto isKnown = [](Value root, host::SliceOp slice) {
    return slice ? cast<MemRefType>(slice.getType()).hasStaticShape() &&
                       slice.getType().getElementType().isIntOrFloat()
                 : isa<BlockArgument>(root);
  };
  if (!isKnown(first, a) || !isKnown(second, b))
    return false;
  if (!a || !b)
    return first != second;
  return bytesOf(a).second <= bytesOf(b).first ||
         bytesOf(b).second <= bytesOf(a).first;
}

/// Whether `op` sets aside what no launch of these changes, as a variable's old
/// value, where none of them looks: it comes in front of them, too.
bool isCopyOfOld(Operation &op, ArrayRef<host::LaunchOp> launches) {
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

/// The tables of one function.
class LaunchTables {
public:
  explicit LaunchTables(func::FuncOp function)
      : function(function), builder(function.getContext()) {
    auto size = function->getAttrOfType<IntegerAttr>(host::arenaAttrName);
    numSlots = firstSlot = llvm::divideCeil(size.getInt(), slotBytes);
    arena = function.getArguments().back();
  }

  void run() {
    function.walk([&](Block *block) { formRuns(*block); });
    if (numSlots == firstSlot)
      return;
    function->setAttr(host::arenaAttrName,
                      builder.getI64IntegerAttr(numSlots * slotBytes));
    function->setAttr(host::argumentsAttrName, builder.getArrayAttr(constant));
  }

private:
  void formRuns(Block &block) {
    SmallVector<host::LaunchOp> launches;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto launch = dyn_cast<host::LaunchOp>(op)) {
        launches.push_back(launch);
      } else if (!launches.empty() &&
                 (isCheckOfInput(op) || isCopyOfOld(op, launches))) {
        moveBefore(&op, launches.front());
      } else if (!launches.empty() && !isPassed(op)) {
        makeRun(launches);
        launches.clear();
      }
    }
  }

  /// In the place of the last of `launches`.
  void makeRun(ArrayRef<host::LaunchOp> launches) {
    builder.setInsertionPoint(launches.back());
    SmallVector<Attribute> kernels, nodes;
    SmallVector<int64_t> places;
    for (host::LaunchOp launch : launches) {
      kernels.push_back(launch.getKernelAttr());
      nodes.push_back(builder.getStringAttr(::ingot::hostgen::nodesOf(launch)));
      places.push_back(numSlots * slotBytes);
      for (Value operand : launch->getOperands())
        addArgument(operand);
    }
    SmallVector<Location> locations;
    for (host::LaunchOp launch : launches)
      locations.push_back(launch.getLoc());
    host::RunOp::create(builder, builder.getFusedLoc(locations), arena,
                        builder.getArrayAttr(kernels),
                        builder.getDenseI64ArrayAttr(places),
                        builder.getArrayAttr(nodes));
    for (host::LaunchOp launch : launches)
      launch->erase();
  }

  /// The slots of one operand: its address, then its dynamic sizes.
  void addArgument(Value operand) {
    auto type = cast<MemRefType>(operand.getType());
    host::ArgumentAttr address = constantAddress(operand);
    if (address && type.hasStaticShape())
      constant.push_back(address);
    else
      host::SetArgumentOp::create(
          builder, operand.getLoc(), arena,
          builder.getI64IntegerAttr(numSlots * slotBytes), operand);
    numSlots += 1 + type.getNumDynamicDims();
  }

  /// What the next slot holds where `buffer`'s address never changes, or null.
  host::ArgumentAttr constantAddress(Value buffer) {
    auto argument = [&](host::ArgumentKind kind, int64_t number,
                        FlatSymbolRefAttr symbol = {}) {
      return host::ArgumentAttr::get(builder.getContext(), numSlots, kind,
                                     number, symbol);
    };
    // Views of dense buffers begin where these do.
    while (Operation *view = buffer.getDefiningOp()) {
      if (!isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(
              view))
        break;
      buffer = view->getOperand(0);
    }
    if (auto slice = buffer.getDefiningOp<host::SliceOp>())
      return argument(host::ArgumentKind::arena, slice.getOffset());
    if (auto data = buffer.getDefiningOp<memref::GetGlobalOp>())
      return argument(host::ArgumentKind::constant, 0, data.getNameAttr());
    auto block = dyn_cast<BlockArgument>(buffer);
    if (!block || block.getOwner() != &function.getBody().front())
      return {};
    auto variable = function.getArgAttrOfType<IntegerAttr>(
        block.getArgNumber(), host::variableAttrName);
    return variable ? argument(host::ArgumentKind::variable, variable.getInt())
                    : host::ArgumentAttr();
  }

  func::FuncOp function;
  OpBuilder builder;
  Value arena;
  int64_t firstSlot, numSlots;
  SmallVector<Attribute> constant;
};

struct FormLaunchTables
    : ::ingot::hostgen::impl::FormLaunchTablesPassBase<FormLaunchTables> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && function->hasAttr(host::arenaAttrName))
        LaunchTables(function).run();
  }
};

} // namespace
