//===- CastLaunchOperands.cpp - Launches with their kernels' types --------===//
// SPDX-License-Identifier: Apache-2.0
//
// Canonicalization refines types: an empty tensor of constant size becomes one
// of static size and a cast, and casts are folded into the ops that use them,
// launches too. Their kernels, which other launches share, keep the types that
// they were outlined with.
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace ingot::lower {
#define GEN_PASS_DEF_CASTLAUNCHOPERANDSPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

using namespace mlir;

namespace {

/// Casts operands to the types of the kernel's arguments. The result of a
/// destination has the destination's type, and is cast back for its users.
/// Returns the number of casts of operands.
unsigned castOperands(host::LaunchOp launch, func::FuncOp kernel) {
  OpBuilder builder(launch);
  unsigned numCasts = 0;
  for (auto [operand, type] :
       llvm::zip_equal(launch->getOpOperands(), kernel.getArgumentTypes())) {
    Type known = operand.get().getType();
    // Types that cannot be cast are left to the verifier.
    if (known == type || !tensor::CastOp::areCastCompatible(known, type))
      continue;
    builder.setInsertionPoint(launch);
    operand.set(
        tensor::CastOp::create(builder, launch.getLoc(), type, operand.get()));
    ++numCasts;
    if (!launch.isDpsInit(&operand))
      continue;
    OpResult result = launch.getTiedOpResult(&operand);
    result.setType(type);
    builder.setInsertionPointAfter(launch);
    auto back = tensor::CastOp::create(builder, launch.getLoc(), known, result);
    result.replaceAllUsesExcept(back, back);
  }
  return numCasts;
}

struct CastLaunchOperands
    : ::ingot::lower::impl::CastLaunchOperandsPassBase<CastLaunchOperands> {
  using CastLaunchOperandsPassBase::CastLaunchOperandsPassBase;

  void runOnOperation() override {
    SymbolTableCollection symbols;
    getOperation().walk([&](host::LaunchOp launch) {
      auto kernel = symbols.lookupNearestSymbolFrom<func::FuncOp>(
          launch, launch.getKernelAttr());
      if (kernel && kernel.getNumArguments() == launch->getNumOperands())
        numCast += castOperands(launch, kernel);
    });
  }
};

} // namespace
