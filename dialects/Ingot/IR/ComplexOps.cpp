//===- ComplexOps.cpp - Shapes and folders of complex numbers -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ComplexOps.h"

#include "dialects/Ingot/IR/Folding.h"
#include "dialects/Ingot/IR/OpFamilies.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotComplexOps.cpp.inc"

void mlir::ingot::addComplexOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotComplexOps.cpp.inc"
      >();
}

FloatType mlir::ingot::getPartType(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return cast<FloatType>(complex.getElementType());
  if (element.isInteger(64))
    return Float32Type::get(element.getContext());
  return Float64Type::get(element.getContext());
}

LogicalResult mlir::ingot::inferPart(Value input,
                                     SmallVectorImpl<Type> &types) {
  types.push_back(getTensorType(getTensorShape(input.getType()),
                                getPartType(getElementTypeOrSelf(input))));
  return success();
}

LogicalResult mlir::ingot::inferComplex(std::optional<Location> loc, Value real,
                                        Value imag,
                                        SmallVectorImpl<Type> &types) {
  return inferBinary(loc, real, imag,
                     ComplexType::get(getElementTypeOrSelf(real)), types);
}

using ComplexNumber = std::complex<APFloat>;

/// Folds an op that returns the real or the imaginary part of a constant;
/// `part` computes it.
static OpFoldResult foldPart(Attribute input, Type type,
                             APFloat (*part)(const ComplexNumber &)) {
  auto numbers = dyn_cast_or_null<DenseElementsAttr>(input);
  RankedTensorType result = getFoldableType(type);
  if (!numbers || !result || !isa<ComplexType>(numbers.getElementType()) ||
      numbers.getType().getShape() != result.getShape())
    return nullptr;
  if (numbers.isSplat() && result.getNumElements() > 0)
    return makeConstant(result, part(numbers.getSplatValue<ComplexNumber>()));
  if (result.getNumElements() > kMaxFoldedElements)
    return nullptr;
  SmallVector<APFloat> parts;
  for (ComplexNumber number : numbers.getValues<ComplexNumber>())
    parts.push_back(part(number));
  return makeConstant(result, parts);
}

OpFoldResult RealOp::fold(FoldAdaptor adaptor) {
  if (auto complex = getInput().getDefiningOp<ComplexOp>())
    if (complex.getReal().getType() == getType())
      return complex.getReal();
  return foldPart(adaptor.getInput(), getType(),
                  [](const ComplexNumber &number) { return number.real(); });
}

OpFoldResult ImagOp::fold(FoldAdaptor adaptor) {
  if (auto complex = getInput().getDefiningOp<ComplexOp>())
    if (complex.getImag().getType() == getType())
      return complex.getImag();
  return foldPart(adaptor.getInput(), getType(),
                  [](const ComplexNumber &number) { return number.imag(); });
}

OpFoldResult ComplexOp::fold(FoldAdaptor adaptor) {
  auto real = dyn_cast_or_null<DenseElementsAttr>(adaptor.getReal());
  auto imag = dyn_cast_or_null<DenseElementsAttr>(adaptor.getImag());
  RankedTensorType type = getFoldableType(getType());
  if (!real || !imag || !type || !isa<ComplexType>(type.getElementType()) ||
      real.getType() != imag.getType() ||
      real.getType().getShape() != type.getShape() ||
      type.getNumElements() > kMaxFoldedElements)
    return nullptr;
  SmallVector<ComplexNumber> numbers;
  for (auto [x, y] :
       llvm::zip_equal(real.getValues<APFloat>(), imag.getValues<APFloat>()))
    numbers.emplace_back(x, y);
  return DenseElementsAttr::get(type, numbers);
}

OpFoldResult ConjOp::fold(FoldAdaptor) {
  if (auto inner = getInput().getDefiningOp<ConjOp>())
    if (inner.getInput().getType() == getType())
      return inner.getInput();
  return nullptr;
}
