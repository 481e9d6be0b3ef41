//===- DType.cpp - TensorFlow's numbers of element types ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/DType.h"

#include "dialects/Ingot/IR/IngotDialect.h"
#include "runtime/ABI/Tensor.h"

using namespace mlir;

int32_t mlir::ingot::getDTypeNumber(Type element) {
  if (isa<StringType>(element))
    return INGOT_STRING;
  if (isa<VariantType>(element))
    return INGOT_VARIANT;
  if (element.isF32())
    return INGOT_FLOAT;
  if (element.isF64())
    return INGOT_DOUBLE;
  if (element.isBF16())
    return INGOT_BFLOAT16;
  if (element.isF16())
    return INGOT_HALF;
  if (auto complex = dyn_cast<ComplexType>(element))
    return complex.getElementType().isF64() ? INGOT_COMPLEX128
                                            : INGOT_COMPLEX64;
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return 0;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return INGOT_BOOL;
  case 8:
    return isUnsigned ? INGOT_UINT8 : INGOT_INT8;
  case 16:
    return isUnsigned ? INGOT_UINT16 : INGOT_INT16;
  case 32:
    return isUnsigned ? INGOT_UINT32 : INGOT_INT32;
  case 64:
    return isUnsigned ? INGOT_UINT64 : INGOT_INT64;
  default:
    return 0;
  }
}

Type mlir::ingot::storedElementType(Type element) {
  if (isa<StringType>(element))
    return IntegerType::get(element.getContext(), 128);
  if (isa<VariantType>(element))
    return IntegerType::get(element.getContext(), 64);
  if (auto complex = dyn_cast<ComplexType>(element))
    return IntegerType::get(
        element.getContext(),
        2 * complex.getElementType().getIntOrFloatBitWidth());
  if (auto integer = dyn_cast<IntegerType>(element);
      integer && !integer.isSignless())
    return IntegerType::get(element.getContext(), integer.getWidth());
  return element;
}
