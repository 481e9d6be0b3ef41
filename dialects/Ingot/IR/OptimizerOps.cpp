//===- OptimizerOps.cpp - Shapes of optimizers' steps ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/OptimizerOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"

using namespace mlir;
using namespace mlir::ingot;

using Kind = OptimizerOperand::Kind;

// Infers the results of an optimizer's op: the variable, its slots and the
// gradient must have the same shape, and each result has the shape of the
// variable.
static LogicalResult inferStep(std::optional<Location> loc, ValueRange operands,
                               const OptimizerInfo &info,
                               SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(operands.front());
  Shape shape;
  for (auto [operand, said] : llvm::zip(operands, info.operands)) {
    Type type = operand.getType();
    if (said.kind == Kind::Hyperparameter) {
      // Hyperparameters must be scalars of the variable's element type
      // (optimizer_c2).
      if (!mayHaveRank(type, 0) || getElementTypeOrSelf(type) != element)
        return emitOptionalError(loc, said.phrase, " must be a scalar of ",
                                 element, ", but is ", type);
      continue;
    }
    if (said.kind == Kind::StepNumber) {
      // The global step must be a scalar of int64 (optimizer_c3).
      if (!mayHaveRank(type, 0) || !getElementTypeOrSelf(type).isInteger(64))
        return emitOptionalError(loc, said.phrase,
                                 " must be a scalar of i64, but is ", type);
      continue;
    }
    // Variable, slots and gradient must have compatible shapes and the same
    // element type (optimizer_c1).
    if (getElementTypeOrSelf(type) != element)
      return emitOptionalError(loc, "element types differ: ", element,
                               " of the variable and ",
                               getElementTypeOrSelf(type), " of ", said.phrase);
    // Slots and gradient must have the shape of the variable (optimizer_c1).
    if (!areCompatibleShapes(shape, getTensorShape(type)))
      return emitOptionalError(
          loc, "shapes differ: ", toString(shape), " of the variable and ",
          toString(getTensorShape(type)), " of ", said.phrase);
    shape = refineShape(shape, getTensorShape(type));
  }
  types.append(info.numStates(), getTensorType(shape, element));
  return success();
}

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotOptimizerOps.cpp.inc"

void mlir::ingot::addOptimizerOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotOptimizerOps.cpp.inc"
      >();
}

template <typename PredicateT>
static unsigned firstPlace(const OptimizerInfo &info, PredicateT isIt) {
  return llvm::find_if(info.operands, isIt) - info.operands.begin();
}

unsigned OptimizerInfo::numStates() const {
  return firstPlace(*this, [](auto &x) { return x.kind != Kind::State; });
}

unsigned OptimizerInfo::gradient() const {
  return firstPlace(*this, [](auto &x) { return x.kind == Kind::Gradient; });
}

template <typename... OpTys>
static SmallVector<const OptimizerInfo *> getInfos() {
  return {&OpTys::getOptimizerInfo()...};
}

ArrayRef<const OptimizerInfo *> mlir::ingot::getOptimizers() {
  static const SmallVector<const OptimizerInfo *> infos = getInfos<
#define GET_OP_LIST
#include "dialects/Ingot/IngotOptimizerOps.cpp.inc"
      >();
  return infos;
}

const OptimizerInfo *mlir::ingot::getOptimizer(Operation *op) {
  StringRef name = op->getName().getStringRef();
  for (const OptimizerInfo *info : getOptimizers())
    if (info->opName == name)
      return info;
  return nullptr;
}
