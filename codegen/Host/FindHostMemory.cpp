//===- FindHostMemory.cpp - What an entry's own code touches --------------===//

#include "codegen/Host/HostMemory.h"
#include "codegen/Host/Passes.h"

#include "dialects/Host/HostAttributes.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <map>
#include <optional>
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
      if (auto bytes = bytesOf(type))
        add(false, slice.getOffset(), *bytes, isWritten);
      else
        isUnknown = true;
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
      addVariable(variable, buffer, isWritten);
  }

  /// Nothing where that is not known when the program is compiled.
  static std::optional<int64_t> bytesOf(MemRefType type) {
    Type element = type.getElementType();
    if (!type.hasStaticShape() ||
        !(element.isIntOrFloat() || element.isIndex()))
      return std::nullopt;
    int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    return type.getNumElements() * llvm::divideCeil(bits, 8);
  }

  void add(bool isVariable, int64_t number, int64_t size, bool isWritten) {
    ranges[{isVariable, number, size}] |= isWritten;
  }

  void addVariable(IntegerAttr number, Value buffer, bool isWritten) {
    add(true, number.getInt(),
        bytesOf(cast<MemRefType>(buffer.getType())).value_or(0), isWritten);
  }

  void addAll() {
    add(false, 0, arenaBytes, true);
    for (BlockArgument argument : function.getArguments())
      if (auto variable = function.getArgAttrOfType<IntegerAttr>(
              argument.getArgNumber(), host::variableAttrName))
        addVariable(variable, argument, true);
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
