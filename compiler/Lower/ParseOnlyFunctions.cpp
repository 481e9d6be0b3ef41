//===- ParseOnlyFunctions.cpp - Functions that only parse Examples --------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/EntryLowering.h"
#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/InputOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::lower {

/// If `value` is a result of `parse`, or a reshape of one, returns the index of
/// this result; -1 otherwise. The reshape must keep the leading dimensions,
/// which are those of the tensor of Examples.
static int32_t parsedFeature(Value value, ParseExampleOp parse) {
  auto type = cast<RankedTensorType>(value.getType());
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
      value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto parsed = cast<RankedTensorType>(value.getType());
  unsigned numExampleDims =
      cast<RankedTensorType>(parse.getSerialized().getType()).getRank();
  auto split = [&](RankedTensorType type) {
    return std::pair(
        type.getShape().take_front(numExampleDims),
        ShapedType::getNumElements(type.getShape().drop_front(numExampleDims)));
  };
  bool isRowByRow = type.getRank() >= numExampleDims &&
                    llvm::none_of(type.getShape().drop_front(numExampleDims),
                                  ShapedType::isDynamic) &&
                    split(type) == split(parsed);
  return value.getDefiningOp() == parse && isRowByRow
             ? static_cast<int32_t>(cast<OpResult>(value).getResultNumber())
             : -1;
}

DenseI32ArrayAttr parsedFeatures(Block &body) {
  ParseExampleOp parse;
  for (Operation &op : body.without_terminator()) {
    if (auto found = dyn_cast<ParseExampleOp>(op)) {
      if (parse)
        return {};
      parse = found;
    } else if (!isa<ConstantOp, host::StringsOp, host::LaunchOp>(op) &&
               !(isa<tensor::TensorDialect, arith::ArithDialect>(
                     op.getDialect()) &&
                 op.getNumRegions() == 0)) {
      return {};
    }
  }
  if (!parse || body.getNumArguments() != 1 ||
      parse.getSerialized() != body.getArgument(0))
    return {};
  SmallVector<int32_t> features;
  for (Value result : body.getTerminator()->getOperands())
    features.push_back(parsedFeature(result, parse));
  return Builder(parse.getContext()).getDenseI32ArrayAttr(features);
}

} // namespace ingot::lower
