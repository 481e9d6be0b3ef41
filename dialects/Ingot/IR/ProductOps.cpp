//===- ProductOps.cpp - Shapes of batch_matmul and einsum -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ProductOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotProductOps.cpp.inc"

void mlir::ingot::addProductOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotProductOps.cpp.inc"
      >();
}

LogicalResult BatchMatMulOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  Type x = adaptor.getX().getType(), y = adaptor.getY().getType();
  Type element = getElementTypeOrSelf(x);
  // The operands must have the same element type (batch_matmul_c3).
  if (element != getElementTypeOrSelf(y))
    return emitOptionalError(loc, "the operands have different element types: ",
                             element, " and ", getElementTypeOrSelf(y));
  Shape a = getTensorShape(x), b = getTensorShape(y);
  // Both operands must have at least rank 2 (batch_matmul_c1).
  for (const Shape &shape : {a, b})
    if (shape && shape->size() < 2)
      return emitOptionalError(
          loc,
          "the operands must have at least 2 dimensions, but one has shape ",
          toString(shape));
  if (!a || !b) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  int64_t rows = (*a)[a->size() - 2], innerA = a->back();
  int64_t innerB = (*b)[b->size() - 2], columns = b->back();
  if (adaptor.getAdjX())
    std::swap(rows, innerA);
  if (adaptor.getAdjY())
    std::swap(columns, innerB);
  // The inner dimensions must agree (batch_matmul_c2).
  if (!areCompatibleDims(innerA, innerB))
    return emitOptionalError(loc, "inner dimensions differ: ", innerA, " and ",
                             innerB, " in operands of shapes ", toString(a),
                             " and ", toString(b));
  a->resize(a->size() - 2);
  b->resize(b->size() - 2);
  FailureOr<Shape> batch = broadcastShapes(loc, a, b);
  if (failed(batch))
    return failure();
  (*batch)->append({rows, columns});
  types.push_back(getTensorType(*batch, element));
  return success();
}

SmallVector<StringRef> mlir::ingot::getEquationTerms(StringRef equation) {
  auto [inputs, output] = equation.split("->");
  SmallVector<StringRef> terms;
  inputs.split(terms, ',');
  terms.push_back(output);
  return terms;
}

LogicalResult EinsumOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  StringRef equation = adaptor.getEquation();
  ValueRange inputs = adaptor.getInputs();
  SmallVector<StringRef> terms = getEquationTerms(equation);
  // The equation must have a list of letters for each operand and, after "->",
  // one for the result. The result's letters must be distinct and occur in the
  // operands' lists (einsum_c1).
  auto malformed = [&]() -> LogicalResult {
    return emitOptionalError(
        loc, "the equation '", equation,
        "' is malformed: expected one list of labels for each of the ",
        inputs.size(),
        " operands, separated by commas, then '->' and the labels of the "
        "result");
  };
  if (inputs.empty() || terms.size() != inputs.size() + 1 ||
      !equation.contains("->"))
    return malformed();
  Type element = getElementTypeOrSelf(inputs.front().getType());
  llvm::SmallDenseMap<char, int64_t> sizes;
  for (auto [term, input] : llvm::zip(terms, inputs)) {
    // The operands must have the same element type (einsum_c4).
    if (getElementTypeOrSelf(input.getType()) != element)
      return emitOptionalError(
          loc, "the operands have different element types: ", element, " and ",
          getElementTypeOrSelf(input.getType()));
    Shape shape = getTensorShape(input.getType());
    // An operand must have as many dimensions as letters (einsum_c2).
    if (shape && shape->size() != term.size())
      return emitOptionalError(loc, "an operand of shape ", toString(shape),
                               " must have one dimension for each label of '",
                               term, "' in the equation");
    for (auto [index, letter] : llvm::enumerate(term)) {
      if (!llvm::isAlnum(letter))
        return malformed();
      int64_t size = shape ? (*shape)[index] : ShapedType::kDynamic;
      auto [known, isNew] = sizes.try_emplace(letter, size);
      bool mayRepeat = llvm::isDigit(letter);
      if (isNew || (mayRepeat && size == 1))
        continue;
      // Dimensions with the same letter must have the same size. Digits stand
      // for the dimensions of an ellipsis, which are broadcast, so their size
      // may also be 1 (einsum_c3).
      if (ShapedType::isDynamic(known->second) ||
          (mayRepeat && known->second == 1))
        known->second = size;
      else if (!areCompatibleDims(known->second, size))
        return emitOptionalError(loc, "label '", Twine(letter).str(),
                                 "' of the equation has size ", known->second,
                                 " in one operand and ", size, " in another");
    }
  }
  SmallVector<int64_t> dims;
  for (auto [index, letter] : llvm::enumerate(terms.back())) {
    auto size = sizes.find(letter);
    if (size == sizes.end() || terms.back().find(letter) != index)
      return malformed();
    dims.push_back(size->second);
  }
  types.push_back(RankedTensorType::get(dims, element));
  return success();
}
