//===- LowerToStorageTypes.cpp - Storage types of elements ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/Passes.h"

#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/DType.h"
#include "dialects/Ingot/IR/ProgramOps.h"

#include "mlir/IR/Builders.h"

namespace ingot::lower {
#define GEN_PASS_DEF_LOWERTOSTORAGETYPESPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

using namespace mlir;
using namespace mlir::ingot;

static Type storedType(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  // Drop the encoding of a TensorList's type, which describes the list's
  // elements: no later pass needs it.
  if (auto ranked = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(ranked.getShape(),
                                 storedElementType(ranked.getElementType()));
  return tensor ? tensor.clone(storedElementType(tensor.getElementType()))
                : type;
}

static ArrayAttr typeList(Builder &builder, TypeRange types) {
  return builder.getTypeArrayAttr(SmallVector<Type>(types));
}

/// Records the user's element types of operands and results, if a storage type
/// differs from one of them.
static void keepElementTypes(Operation *op) {
  SmallVector<Type> elements;
  bool differs = false;
  auto add = [&](Type type) {
    Type element = getElementTypeOrSelf(type);
    differs |= isa<TensorType>(type) && storedElementType(element) != element;
    elements.push_back(element);
  };
  llvm::for_each(op->getOperandTypes(), add);
  llvm::for_each(op->getResultTypes(), add);
  Builder builder(op->getContext());
  if (differs)
    op->setAttr(::ingot::lower::elementTypesAttrName,
                typeList(builder, elements));
}

/// Replaces a constant whose type is not the storage type by a constant of the
/// storage type.
static void lowerConstant(ConstantOp constant) {
  OpBuilder builder(constant);
  Type stored = storedType(constant.getType());
  if (stored == constant.getType())
    return;
  if (auto strings =
          dyn_cast<DenseStringElementsAttr>(constant.getValueAttr())) {
    SmallVector<StringRef> values(strings.getValues<StringRef>());
    constant.replaceAllUsesWith(
        host::StringsOp::create(builder, constant.getLoc(), stored,
                                builder.getStrArrayAttr(values))
            .getOutput());
    constant.erase();
    return;
  }
  if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValueAttr()))
    constant.setValueAttr(dense.bitcast(getElementTypeOrSelf(stored)));
}

static void lowerRegion(Region &region) {
  // Record the user's element types of all ops before any type changes, because
  // a change of a result's type also changes operand types of other ops.
  region.walk([](Operation *op) { keepElementTypes(op); });
  region.walk([](Block *block) {
    for (BlockArgument argument : block->getArguments())
      argument.setType(storedType(argument.getType()));
  });
  region.walk([](ConstantOp constant) { lowerConstant(constant); });
  region.walk([](Operation *op) {
    for (OpResult result : op->getResults())
      result.setType(storedType(result.getType()));
  });
}

namespace {
struct LowerToStorageTypes
    : ::ingot::lower::impl::LowerToStorageTypesPassBase<LowerToStorageTypes> {
  void runOnOperation() override {
    Builder builder(&getContext());
    for (Operation &op : *getOperation().getBody()) {
      if (auto entry = dyn_cast<EntryOp>(op)) {
        Block &body = entry.getBody().front();
        entry->setAttr(
            ::ingot::lower::feedTypesAttrName,
            typeList(builder, TypeRange(body.getArgumentTypes())
                                  .drop_front(entry.getVariables().size())));
        entry->setAttr(
            ::ingot::lower::fetchTypesAttrName,
            typeList(builder, TypeRange(body.getTerminator()->getOperandTypes())
                                  .take_front(entry.getFetches().size())));
        lowerRegion(entry.getBody());
      } else if (auto function = dyn_cast<func::FuncOp>(op);
                 function && !function.isExternal()) {
        function->setAttr(::ingot::lower::feedTypesAttrName,
                          typeList(builder, function.getArgumentTypes()));
        function->setAttr(::ingot::lower::fetchTypesAttrName,
                          typeList(builder, function.getResultTypes()));
        lowerRegion(function.getBody());
        Block &body = function.getBody().front();
        function.setType(builder.getFunctionType(
            body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
      }
    }
  }
};
} // namespace
