//===- LowerLaunchTables.cpp - Lower host.run to constant tables ----------===//
// SPDX-License-Identifier: Apache-2.0
//
// Lowers each host.run to one call of the runtime with a launch table in the
// artifact's data. The rows of a table contain no addresses, so that starting
// the artifact need not relocate them.
//
//===----------------------------------------------------------------------===//

#include "codegen/ABI/Descriptor.h"
#include "codegen/ABI/GlobalConstantPool.h"
#include "codegen/Host/ArenaLayout.h"
#include "codegen/Host/BuildRuntimeCalls.h"
#include "codegen/Host/HostToLLVM.h"
#include "codegen/Host/SplitEntryModule.h"
#include "dialects/Host/HostAttributes.h"
#include "runtime/ABI/Launch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"

using namespace mlir;
using namespace ::ingot::hostgen;
using ::ingot::abi::GlobalConstantPool;

namespace {

constexpr int64_t slotBytes = ::ingot::hostgen::argumentSlotBytes;

/// Collects the node names of all launches of a program in one string. The rows
/// of launch tables refer to a name by its offset in this string.
class NodeNameTable {
public:
  uint32_t placeOf(StringRef name) {
    auto [it, isNew] = places.try_emplace(name, text.size());
    if (isNew)
      text.append(name).push_back('\0');
    return it->second;
  }
  const std::string &all() const { return text; }

private:
  llvm::StringMap<uint32_t> places;
  std::string text;
};

/// Lowers all host.run ops of a module, and defines the tables to which they
/// refer.
class LaunchTableLowering {
public:
  explicit LaunchTableLowering(ModuleOp module)
      : module(module), symbols(module), data(module, &symbols) {
    // First add the node names of the whole program. Its entries are in several
    // modules, all of which add the names in the same order, so that a name has
    // the same offset in each.
    if (auto names = module->getAttrOfType<ArrayAttr>(nodesAttrName))
      for (StringRef name : names.getAsValueRange<StringAttr>())
        nodes.placeOf(name);
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(host::kernelAttrName))
        numbers.try_emplace(function.getSymNameAttr(), numbers.size());
  }

  void run() {
    SmallVector<host::RunOp> runs;
    module.walk([&](host::RunOp op) { runs.push_back(op); });
    for (host::RunOp op : runs)
      lower(op);
    for (auto function : module.getOps<func::FuncOp>())
      if (auto arguments =
              function->getAttrOfType<ArrayAttr>(host::argumentsAttrName))
        defineArguments(function.getName(), arguments);
    if (!module->hasAttr(nodesElsewhereAttrName))
      data.defineText(::ingot::abi::nodesSymbol, nodes.all() + '\0');
    module->removeAttr(nodesAttrName);
    module->removeAttr(nodesElsewhereAttrName);
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function->hasAttr(host::kernelAttrName))
        function.erase();
  }

private:
  /// Replaces a host.run by a call of ingot_rt_run with a constant launch
  /// table. Each member of a batched launch has a row of its own: the first of
  /// these rows has the number of members, the other rows have 0.
  void lower(host::RunOp op) {
    SmallVector<ingot_launch> rows;
    for (auto [kernel, place, node] : llvm::zip(
             op.getKernels().getAsRange<FlatSymbolRefAttr>(), op.getArguments(),
             op.getNodes().getAsValueRange<StringAttr>()))
      rows.push_back({numbers.lookup(kernel.getAttr()),
                      static_cast<uint32_t>(place / slotBytes),
                      nodes.placeOf(node), /*members=*/1});
    if (DenseI64ArrayAttr members = op.getMembersAttr()) {
      size_t first = 0;
      for (int64_t count : members.asArrayRef()) {
        for (int64_t i = 0; i < count; ++i)
          rows[first + i].members = i == 0 ? count : 0;
        first += count;
      }
    }
    auto table = data.plain("launches", ArrayRef(rows));
    OpBuilder builder(op);
    Location loc = builder.getUnknownLoc();
    FailureOr<LLVM::LLVMFuncOp> run = LLVM::lookupOrCreateFn(
        builder, module, "ingot_rt_run",
        {op.getArena().getType(), op.getArena().getType(),
         op.getArena().getType(), builder.getI64Type()},
        LLVM::LLVMVoidType::get(builder.getContext()));
    Value count = ::ingot::hostgen::constant(builder, loc, builder.getI64Type(),
                                             static_cast<int64_t>(rows.size()));
    LLVM::CallOp::create(builder, loc, *run,
                         ValueRange{contextOf(op), op.getArena(),
                                    data.addressOf(builder, loc, table),
                                    count});
    op.erase();
  }

  /// Defines the data from which the runtime fills a function's argument tables
  /// before its first run: for each slot with a constant address, where the
  /// address comes from, and a table of the addresses of constants.
  void defineArguments(StringRef function, ArrayAttr arguments) {
    SmallVector<ingot_argument> slots;
    SmallVector<StringAttr> constants;
    for (auto argument : arguments.getAsRange<host::ArgumentAttr>()) {
      int64_t number = argument.getNumber();
      if (argument.getKind() == host::ArgumentKind::constant) {
        number = static_cast<int64_t>(constants.size());
        constants.push_back(argument.getSymbol().getAttr());
      }
      slots.push_back({static_cast<uint32_t>(argument.getSlot()),
                       static_cast<uint32_t>(argument.getKind()), number});
    }
    if (!slots.empty())
      data.definePlain(::ingot::abi::argumentsSymbol(function),
                       ArrayRef(slots));
    if (!constants.empty())
      data.defineAddresses(::ingot::abi::constantsSymbol(function), constants);
  }

  ModuleOp module;
  SymbolTable symbols;
  GlobalConstantPool data;
  DenseMap<StringAttr, uint32_t> numbers;
  NodeNameTable nodes;
};

} // namespace

void ::ingot::hostgen::lowerLaunchTables(ModuleOp module) {
  LaunchTableLowering(module).run();
}
