//===- DType.cpp - Element types by TensorFlow's numbers ------------------===//

#include "dialects/Ingot/DType.h"

#include "dialects/Ingot/IngotDialect.h"

using namespace mlir;

int32_t mlir::ingot::getDTypeNumber(Type element) {
  if (isa<StringType>(element))
    return 7;
  if (isa<VariantType>(element))
    return 21;
  if (element.isF32())
    return 1;
  if (element.isF64())
    return 2;
  if (element.isBF16())
    return 14;
  if (element.isF16())
    return 19;
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return 0;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return 10;
  case 8:
    return isUnsigned ? 4 : 6;
  case 16:
    return isUnsigned ? 17 : 5;
  case 32:
    return isUnsigned ? 22 : 3;
  case 64:
    return isUnsigned ? 23 : 9;
  default:
    return 0;
  }
}

Type mlir::ingot::storedElementType(Type element) {
  if (isa<StringType>(element))
    return IntegerType::get(element.getContext(), 128);
  if (isa<VariantType>(element))
    return IntegerType::get(element.getContext(), 64);
  if (auto integer = dyn_cast<IntegerType>(element);
      integer && !integer.isSignless())
    return IntegerType::get(element.getContext(), integer.getWidth());
  return element;
}
