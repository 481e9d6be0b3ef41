//===- FindHostMemory.cpp - What an entry's own code touches --------------===//

#include "codegen/Host/HostMemory.h"
#include "codegen/Host/Passes.h"

#include "dialects/Host/HostAttributes.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <map>
#include <tuple>

namespace ingot::hostgen {
#define GEN_PASS_DEF_FINDHOSTMEMORYPASS
#include "codegen/Host/Passes.h.inc"
} // namespace ingot::hostgen

using namespace mlir;

namespace {

class HostMemory {
public:
  explicit HostMemory(func::FuncOp function) : function(function) {
    arenaBytes =
        function->getAttrOfType<IntegerAttr>(host::arenaAttrName).getInt();
  }

  DenseI64ArrayAttr find() {
    function.walk([&](Operation *op) { look(op); });
    if (isUnknown)
      addAll();
    SmallVector<int64_t> numbers;
    for (auto [memory, isWritten] : ranges) {
      auto [isVariable, number, size] = memory;
      numbers.append({isVariable, isWritten, number, size});
    }
    return Builder(function.getContext()).getDenseI64ArrayAttr(numbers);
  }

private:
  void look(Operation *op) {
    // What runs point to is their kernels' memory, not the host's.
    if (isa<host::RunOp, host::SetArgumentOp, func::FuncOp>(op))
      return;
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (effects && effects.hasNoEffect())
      return;
    for (Value operand : op->getOperands()) {
      if (!isa<MemRefType>(operand.getType()))
        continue;
      SmallVector<MemoryEffects::EffectInstance> found;
      if (effects)
        effects.getEffectsOnValue(operand, found);
      bool isOnlyRead =
          !found.empty() && llvm::all_of(found, [](const auto &effect) {
            return isa<MemoryEffects::Read>(effect.getEffect());
          });
      touch(operand, !isOnlyRead);
    }
  }

  void touch(Value buffer, bool isWritten) {
    while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
      buffer = view.getViewSource();
    if (auto slice = buffer.getDefiningOp<host::SliceOp>()) {
      auto type = cast<MemRefType>(slice.getBuffer().getType());
      if (!type.hasStaticShape())
        isUnknown = true;
      else
        add(false, slice.getOffset(), bytesOf(type), isWritten);
      return;
    }
    auto argument = dyn_cast<BlockArgument>(buffer);
    if (!argument) {
      // Memory of the runtime's, of constants and the like is nobody's plan;
      // what a region hands out may be anything.
      isUnknown |= buffer.getDefiningOp()->getNumRegions() != 0 ||
                   isa<arith::SelectOp>(buffer.getDefiningOp());
      return;
    }
    if (argument.getOwner() != &function.getBody().front()) {
      isUnknown = true;
      return;
    }
    if (auto variable = function.getArgAttrOfType<IntegerAttr>(
            argument.getArgNumber(), host::variableAttrName))
      add(true, variable.getInt(), bytesOf(cast<MemRefType>(buffer.getType())),
          isWritten);
  }

  static int64_t bytesOf(MemRefType type) {
    return type.getNumElements() *
           llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
  }

  void add(bool isVariable, int64_t number, int64_t size, bool isWritten) {
    ranges[{isVariable, number, size}] |= isWritten;
  }

  void addAll() {
    add(false, 0, arenaBytes, true);
    for (BlockArgument argument : function.getArguments())
      if (auto variable = function.getArgAttrOfType<IntegerAttr>(
              argument.getArgNumber(), host::variableAttrName))
        add(true, variable.getInt(),
            bytesOf(cast<MemRefType>(argument.getType())), true);
  }

  func::FuncOp function;
  int64_t arenaBytes;
  bool isUnknown = false;
  std::map<std::tuple<bool, int64_t, int64_t>, bool> ranges;
};

struct FindHostMemory
    : ::ingot::hostgen::impl::FindHostMemoryPassBase<FindHostMemory> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && function->hasAttr(host::arenaAttrName))
        function->setAttr(::ingot::hostgen::hostMemoryAttrName,
                          HostMemory(function).find());
  }
};

} // namespace
