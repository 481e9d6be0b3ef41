//===- OptimizerOps.cpp - Shapes of optimizers' steps ---------------------===//

#include "dialects/Ingot/OptimizerOps.h"

#include "dialects/Ingot/Families.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotOptimizerOps.cpp.inc"

void mlir::ingot::addOptimizerOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotOptimizerOps.cpp.inc"
      >();
}

// The first `numStates` operands are the variable and its slots, each updated
// into a result of the refined shape; of the others only the gradient is no
// scalar.
static LogicalResult inferOptimizer(std::optional<Location> loc,
                                    ValueRange operands, unsigned numStates,
                                    ArrayRef<StringRef> names,
                                    SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(operands.front());
  Shape shape;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    StringRef name = names[index];
    Type type = operand.getType();
    if (index >= numStates && name != "the gradient") {
      if (!mayHaveRank(type, 0) ||
          getElementTypeOrSelf(type) != element) // (optimizer_c2)
        return emitOptionalError(loc, name, " must be a scalar of ", element,
                                 ", but is ", type);
      continue;
    }
    if (getElementTypeOrSelf(type) != element) // (optimizer_c1)
      return emitOptionalError(loc, "element types differ: ", element,
                               " of the variable and ",
                               getElementTypeOrSelf(type), " of ", name);
    if (!areCompatibleShapes(shape, getTensorShape(type))) // (optimizer_c1)
      return emitOptionalError(loc, "shapes differ: ", toString(shape),
                               " of the variable and ",
                               toString(getTensorShape(type)), " of ", name);
    shape = refineShape(shape, getTensorShape(type));
  }
  types.append(numStates, getTensorType(shape, element));
  return success();
}

#define INGOT_OPTIMIZER(Op, numStates, ...)                                    \
  LogicalResult Op::inferReturnTypes(                                          \
      MLIRContext *, std::optional<Location> loc, Adaptor adaptor,             \
      SmallVectorImpl<Type> &types) {                                          \
    return inferOptimizer(loc, adaptor.getOperands(), numStates,               \
                          {__VA_ARGS__}, types);                               \
  }

INGOT_OPTIMIZER(ApplyRMSPropOp, 3, "the variable", "the mean square",
                "the momentum slot", "the learning rate", "rho", "the momentum",
                "epsilon", "the gradient")
INGOT_OPTIMIZER(ApplyCenteredRMSPropOp, 4, "the variable", "the mean gradient",
                "the mean square", "the momentum slot", "the learning rate",
                "rho", "the momentum", "epsilon", "the gradient")
INGOT_OPTIMIZER(ApplyAdagradOp, 2, "the variable", "the accumulator",
                "the learning rate", "the gradient")
INGOT_OPTIMIZER(ApplyAdagradV2Op, 2, "the variable", "the accumulator",
                "the learning rate", "epsilon", "the gradient")
INGOT_OPTIMIZER(ApplyAdadeltaOp, 3, "the variable", "the accumulator",
                "the updates' accumulator", "the learning rate", "rho",
                "epsilon", "the gradient")
INGOT_OPTIMIZER(ApplyAdamWithAmsgradOp, 4, "the variable", "the first moment",
                "the second moment", "the largest second moment",
                "beta1's power", "beta2's power", "the learning rate", "beta1",
                "beta2", "epsilon", "the gradient")
INGOT_OPTIMIZER(ApplyAdaMaxOp, 3, "the variable", "the first moment",
                "the infinity norm", "beta1's power", "the learning rate",
                "beta1", "beta2", "epsilon", "the gradient")
INGOT_OPTIMIZER(ApplyKerasMomentumOp, 2, "the variable", "the accumulator",
                "the learning rate", "the gradient", "the momentum")
INGOT_OPTIMIZER(ApplyFtrlOp, 3, "the variable", "the accumulator",
                "the linear slot", "the gradient", "the learning rate", "l1",
                "l2", "the learning rate's power")
INGOT_OPTIMIZER(ApplyFtrlV2Op, 3, "the variable", "the accumulator",
                "the linear slot", "the gradient", "the learning rate", "l1",
                "l2", "the l2 shrinkage", "the learning rate's power")
INGOT_OPTIMIZER(ApplyProximalGradientDescentOp, 1, "the variable",
                "the learning rate", "l1", "l2", "the gradient")
INGOT_OPTIMIZER(ApplyProximalAdagradOp, 2, "the variable", "the accumulator",
                "the learning rate", "l1", "l2", "the gradient")
INGOT_OPTIMIZER(ApplyAddSignOp, 2, "the variable", "the moment",
                "the learning rate", "alpha", "the sign's decay", "beta",
                "the gradient")
INGOT_OPTIMIZER(ApplyPowerSignOp, 2, "the variable", "the moment",
                "the learning rate", "the base's logarithm", "the sign's decay",
                "beta", "the gradient")
#undef INGOT_OPTIMIZER
