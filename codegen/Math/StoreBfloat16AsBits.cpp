//===- StoreBfloat16AsBits.cpp - Store bfloat16 as i16 --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Math/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace ingot::mathlib {
#define GEN_PASS_DEF_STOREBFLOAT16ASBITSPASS
#include "codegen/Math/Passes.h.inc"
} // namespace ingot::mathlib

using namespace mlir;

/// Whether a type in the module contains bfloat16. Most modules have no such
/// type, and this search is faster than a type replacement that finds nothing.
/// It looks at the types of results and block arguments, and at types in
/// attributes of ops with regions, such as functions and globals.
static bool hasBfloat16(Operation *root) {
  AttrTypeWalker walker;
  walker.addWalk([](BFloat16Type) { return WalkResult::interrupt(); });
  auto has = [&](auto part) { return walker.walk(part).wasInterrupted(); };
  auto isOf = [&](Operation *op) {
    if (llvm::any_of(op->getResultTypes(), has))
      return true;
    if (op->getNumRegions() > 0 && has(op->getAttrDictionary()))
      return true;
    return llvm::any_of(op->getRegions(), [&](Region &region) {
      return llvm::any_of(region, [&](Block &block) {
        return llvm::any_of(block.getArgumentTypes(), has);
      });
    });
  };
  return root
      ->walk([&](Operation *op) {
        return isOf(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct StoreBfloat16AsBits
    : ::ingot::mathlib::impl::StoreBfloat16AsBitsPassBase<StoreBfloat16AsBits> {
  void runOnOperation() override {
    if (!hasBfloat16(getOperation()))
      return;
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
