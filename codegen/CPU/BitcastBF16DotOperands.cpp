//===- BitcastBF16DotOperands.cpp - Bitcast pairs to vectors of bfloat16 --===//
// SPDX-License-Identifier: Apache-2.0
//
// Casts the operands of VDPBF16PS, pairs of bfloat16 that have the type f32 so
// far, to the type of LLVM's intrinsic, vector<2n x bf16>. Until all code is in
// the LLVM dialect, pairs are f32, so that they are loaded, broadcast and
// stored like any 32-bit lane. The bitcast changes no bit.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/BF16Pairs.h"
#include "codegen/CPU/Passes.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_BITCASTBF16DOTOPERANDSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;

namespace {

struct BitcastBF16DotOperands
    : ::ingot::cpu::impl::BitcastBF16DotOperandsPassBase<
          BitcastBF16DotOperands> {
  void runOnOperation() override {
    getOperation().walk([&](LLVM::CallIntrinsicOp call) {
      if (!call.getIntrin().starts_with(::ingot::cpu::addPairsPrefix))
        return;
      ++numBitcast;
      OpBuilder builder(call);
      for (OpOperand &operand : call->getOpOperands().drop_front()) {
        auto type = cast<VectorType>(operand.get().getType());
        auto pairs =
            VectorType::get({2 * type.getNumElements()}, builder.getBF16Type());
        operand.set(LLVM::BitcastOp::create(builder, call.getLoc(), pairs,
                                            operand.get()));
      }
    });
  }
};

} // namespace
