//===- StoreBfloat16AsBits.cpp - bfloat16 is an integer to LLVM -----------===//

#include "codegen/Math/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace ingot::mathlib {
#define GEN_PASS_DEF_STOREBFLOAT16ASBITSPASS
#include "codegen/Math/Passes.h.inc"
} // namespace ingot::mathlib

using namespace mlir;

namespace {
struct StoreBfloat16AsBits
    : ::ingot::mathlib::impl::StoreBfloat16AsBitsPassBase<StoreBfloat16AsBits> {
  void runOnOperation() override {
    Type bits = IntegerType::get(&getContext(), 16);
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](BFloat16Type) { return bits; });
    replacer.addReplacement([&](FloatAttr number) -> std::optional<Attribute> {
      if (!number.getType().isBF16())
        return std::nullopt;
      return IntegerAttr::get(bits, number.getValue().bitcastToAPInt());
    });
    replacer.addReplacement(
        [&](DenseElementsAttr numbers) -> std::optional<Attribute> {
          if (!numbers.getElementType().isBF16())
            return std::nullopt;
          return numbers.bitcast(bits);
        });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }
};
} // namespace
