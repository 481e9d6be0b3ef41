//===- CastLaunchOperandsToArgumentTypes.cpp - Launch operands ------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Canonicalization makes types more precise: a tensor.empty of constant size
// becomes one of static size and a cast, and the cast is folded into the
// host.launch that uses its result. The argument types of the kernel do not
// change with them, because other launches share the kernel. So this pass casts
// the operands back to the argument types.
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace ingot::lower {
#define GEN_PASS_DEF_CASTLAUNCHOPERANDSTOARGUMENTTYPESPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

using namespace mlir;

namespace {

/// Casts each operand of `launch` to the type of the kernel's argument. A
/// result has the type of its destination, so it is cast back to the old type
/// for its users. Returns the number of operands that were cast.
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

struct CastLaunchOperandsToArgumentTypes
    : ::ingot::lower::impl::CastLaunchOperandsToArgumentTypesPassBase<
          CastLaunchOperandsToArgumentTypes> {
  using CastLaunchOperandsToArgumentTypesPassBase::
      CastLaunchOperandsToArgumentTypesPassBase;

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
