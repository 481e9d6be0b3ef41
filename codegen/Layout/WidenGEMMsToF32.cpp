//===- WidenGEMMsToF32.cpp - GEMMs of 16-bit floats in f32 ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Layout/Passes.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/ConvolutionOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/ProductOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::layout {
#define GEN_PASS_DEF_WIDENGEMMSTOF32PASS
#include "codegen/Layout/Passes.h.inc"
} // namespace ingot::layout

using namespace mlir;
using namespace mlir::ingot;

namespace {

bool isSmallFloat(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType()) &&
         type.getElementTypeBitWidth() == 16;
}

bool isBfloat16(Value value) {
  return !isa<FloatType>(getElementTypeOrSelf(value.getType())) ||
         getElementTypeOrSelf(value.getType()).isBF16();
}

/// Converts a tensor to the element type `element`.
Value converted(ImplicitLocOpBuilder &b, Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  NamedAttribute to = b.getNamedAttr("dst", TypeAttr::get(element));
  return CastOp::create(b, TypeRange(type.clone(element)), ValueRange(value),
                        to);
}

/// Replaces a GEMM or convolution of 16-bit floats by one of f32, with
/// conversions of its operands and of its result. If both operands are
/// bfloat16, an attribute records that their f32 values are exact in bfloat16,
/// so that a target may still multiply them in that type.
void widen(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  if (llvm::all_of(op->getOperands(), isBfloat16))
    op->setAttr(bfloat16FactorsAttrName, b.getUnitAttr());
  for (OpOperand &operand : op->getOpOperands())
    if (isSmallFloat(operand.get()))
      operand.set(converted(b, operand.get(), b.getF32Type()));
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  result.setType(type.clone(b.getF32Type()));
  b.setInsertionPointAfter(op);
  Value rounded = converted(b, result, type.getElementType());
  result.replaceAllUsesExcept(rounded, rounded.getDefiningOp());
}

struct WidenGEMMsToF32
    : ::ingot::layout::impl::WidenGEMMsToF32PassBase<WidenGEMMsToF32> {
  void runOnOperation() override {
    SmallVector<Operation *> products;
    getOperation().walk([&](Operation *op) {
      if (isa<MatMulOp, BatchMatMulOp, Conv2DOp, Conv2DBackpropFilterOp,
              Conv2DBackpropInputOp>(op) &&
          isSmallFloat(op->getResult(0)))
        products.push_back(op);
    });
    for (Operation *op : products)
      widen(op);
    numWidened += products.size();
  }
};

} // namespace
