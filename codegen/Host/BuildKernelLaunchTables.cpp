//===- BuildKernelLaunchTables.cpp - Replace launches by launch tables ----===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/ArenaLayout.h"
#include "codegen/Host/LaunchSequences.h"
#include "codegen/Host/Passes.h"
#include "codegen/Host/SplitEntryModule.h"

#include "dialects/Host/HostAttributes.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/Debug.h"

#include <limits>

namespace ingot::hostgen {
#define GEN_PASS_DEF_BUILDKERNELLAUNCHTABLESPASS
#include "codegen/Host/Passes.h.inc"
} // namespace ingot::hostgen

#define DEBUG_TYPE "ingot-host-build-kernel-launch-tables"

using namespace mlir;

namespace {

constexpr int64_t slotBytes = ::ingot::hostgen::argumentSlotBytes;

/// Replaces the launches of one function by host.run ops. A host.run executes a
/// launch table, which describes each launch by a row of data; the runtime runs
/// the rows in order. Lays out the argument tables of the launches in the
/// arena, after the arena's buffers.
class KernelLaunchTableBuilder {
public:
  explicit KernelLaunchTableBuilder(func::FuncOp function)
      : function(function), builder(function.getContext()) {
    auto size = function->getAttrOfType<IntegerAttr>(host::arenaAttrName);
    numSlots = firstSlot = llvm::divideCeil(size.getInt(), slotBytes);
    arena = function.getArguments().back();
  }

  void run() {
    function.walk([&](Block *block) {
      for (ArrayRef<host::LaunchOp> launches :
           ::ingot::hostgen::collectRuns(*block))
        makeRun(launches);
    });
    if (numSlots == firstSlot)
      return;
    function->setAttr(host::arenaAttrName,
                      builder.getI64IntegerAttr(numSlots * slotBytes));
    function->setAttr(host::argumentsAttrName, builder.getArrayAttr(constant));
    LLVM_DEBUG(llvm::dbgs() << function.getName() << ": " << counts.launches
                            << " launches in " << counts.tables << " tables, "
                            << counts.constant << " arguments constant, "
                            << counts.set << " set by the entry\n");
  }

  /// The pass statistics of one function: the numbers of launch tables, of
  /// launches, of argument slots that are constant, and of argument slots that
  /// are set each time that the function runs.
  struct KernelLaunchTableStatistics {
    size_t tables = 0, launches = 0, constant = 0, set = 0;
  };
  const KernelLaunchTableStatistics &getCounts() const { return counts; }

  /// Reports an error if slot numbers exceed 32 bits, the size of a slot number
  /// in a row of a launch table.
  LogicalResult checkSize() {
    if (numSlots <= std::numeric_limits<uint32_t>::max())
      return success();
    return function.emitError()
           << "needs " << (numSlots * slotBytes >> 30)
           << " GiB of temporary memory, more than 32 GiB; train with smaller "
              "batches";
  }

private:
  /// Replaces `launches` by one host.run at the position of the last one.
  void makeRun(ArrayRef<host::LaunchOp> launches) {
    ++counts.tables;
    counts.launches += launches.size();
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
                        builder.getArrayAttr(nodes), membersOf(launches));
    for (host::LaunchOp launch : launches)
      launch->erase();
  }

  /// Returns the number of launches in each batch of the launch table; a launch
  /// that is not batched counts as a batch of one. Returns null if no launch is
  /// batched.
  DenseI64ArrayAttr membersOf(ArrayRef<host::LaunchOp> launches) {
    SmallVector<int64_t> members;
    for (size_t row = 0; row < launches.size(); row += members.back()) {
      auto count = launches[row]->getAttrOfType<IntegerAttr>(
          ::ingot::hostgen::membersAttrName);
      members.push_back(count ? count.getInt() : 1);
    }
    return members.size() == launches.size()
               ? DenseI64ArrayAttr()
               : builder.getDenseI64ArrayAttr(members);
  }

  /// Assigns an operand its slots in the argument table: one for its address,
  /// then one for each dynamic size. If a slot's value may differ from run to
  /// run, adds a host.set_argument before the host.run.
  void addArgument(Value operand) {
    auto type = cast<MemRefType>(operand.getType());
    host::ArgumentAttr address = constantAddress(operand);
    if (address && type.hasStaticShape()) {
      constant.push_back(address);
      ++counts.constant;
    } else {
      host::SetArgumentOp::create(
          builder, operand.getLoc(), arena,
          builder.getI64IntegerAttr(numSlots * slotBytes), operand);
      ++counts.set;
    }
    numSlots += 1 + type.getNumDynamicDims();
  }

  /// If the address of `buffer` is the same each time that the function runs,
  /// the runtime can set the next slot of the argument table (`numSlots`) once,
  /// before the first run. Returns where the address comes from in this case,
  /// otherwise null.
  host::ArgumentAttr constantAddress(Value buffer) {
    auto argument = [&](host::ArgumentKind kind, int64_t number,
                        FlatSymbolRefAttr symbol = {}) {
      return host::ArgumentAttr::get(builder.getContext(), numSlots, kind,
                                     number, symbol);
    };
    // Casts and reshapes are skipped, as they have the same address as the
    // buffer that they view.
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
  KernelLaunchTableStatistics counts;
};

struct BuildKernelLaunchTables
    : ::ingot::hostgen::impl::BuildKernelLaunchTablesPassBase<
          BuildKernelLaunchTables> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || !function->hasAttr(host::arenaAttrName))
        continue;
      KernelLaunchTableBuilder tables(function);
      tables.run();
      if (failed(tables.checkSize()))
        return signalPassFailure();
      numTables += tables.getCounts().tables;
      numLaunches += tables.getCounts().launches;
      numConstant += tables.getCounts().constant;
      numSet += tables.getCounts().set;
    }
  }
};

} // namespace
