//===- ControlOps.cpp - Verifiers of branches and loops -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ControlOps.h"

#include "dialects/Ingot/IR/ListOps.h"
#include "dialects/Ingot/IR/OpFamilies.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotControlOps.cpp.inc"

void mlir::ingot::addControlOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotControlOps.cpp.inc"
      >();
}

Type mlir::ingot::joinTypes(Type a, Type b) {
  auto tensorA = dyn_cast<TensorType>(a);
  auto tensorB = dyn_cast<TensorType>(b);
  if (!tensorA || !tensorB)
    return a == b ? a : Type();
  if (tensorA.getElementType() != tensorB.getElementType())
    return Type();
  if (!tensorA.hasRank() || !tensorB.hasRank() ||
      tensorA.getRank() != tensorB.getRank())
    return UnrankedTensorType::get(tensorA.getElementType());
  SmallVector<int64_t> shape(tensorA.getShape());
  for (auto [dim, other] : llvm::zip(shape, tensorB.getShape()))
    if (dim != other)
      dim = ShapedType::kDynamic;
  if (isa<VariantType>(tensorA.getElementType()))
    return getVariantType(a.getContext(), Shape(shape),
                          joinItems(getItems(a), getItems(b)));
  return RankedTensorType::get(shape, tensorA.getElementType());
}

Operation *mlir::ingot::rebuildWithRegions(Operation *op, ValueRange operands,
                                           TypeRange types) {
  OperationState state(op->getLoc(), op->getName(), operands, types,
                       op->getAttrs());
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *rebuilt = OpBuilder(op).create(state);
  for (auto [from, to] : llvm::zip(op->getRegions(), rebuilt->getRegions()))
    to.takeBody(from);
  return rebuilt;
}

Operation *mlir::ingot::outermostLoopWithout(Operation *op, ValueRange values) {
  Operation *outermost = nullptr;
  for (Operation *around = op->getParentOp(); isa<WhileOp>(around);
       around = around->getParentOp()) {
    if (llvm::any_of(values, [&](Value value) {
          return around->isAncestor(value.getParentBlock()->getParentOp());
        }))
      break;
    outermost = around;
  }
  return outermost;
}

static bool mayBeScalar(Value value) { return mayHaveRank(value.getType(), 0); }

/// Reports an error if the block does not end in an `ingot.result` of values of
/// types `types`.
static LogicalResult verifyResult(Operation *op, Block &block, TypeRange types,
                                  StringRef what) {
  auto end = dyn_cast<ResultOp>(block.back());
  if (!end)
    return op->emitOpError(what) << " must end in ingot.result";
  if (areCompatibleTypeLists(end.getOperandTypes(), types))
    return success();
  InFlightDiagnostic error = op->emitOpError("has results (")
                             << types << "), but " << what << " yields ("
                             << end.getOperandTypes() << ")";
  error.attachNote(end.getLoc()) << "yielded here";
  return error;
}

LogicalResult IfOp::verify() {
  // The condition must be a scalar (if_c1).
  if (!mayBeScalar(getCondition()))
    return emitOpError("the condition must be a scalar, but is ")
           << getCondition().getType();
  // Both branches must end in an `ingot.result` of the op's results (if_c2).
  if (failed(verifyResult(*this, getThenBranch().front(), getResultTypes(),
                          "the 'then' branch")))
    return failure();
  return verifyResult(*this, getElseBranch().front(), getResultTypes(),
                      "the 'else' branch");
}

LogicalResult WhileOp::verify() {
  auto condition = dyn_cast<ConditionOp>(getTest().front().back());
  // The first region must end in an `ingot.condition` on a scalar (while_c1).
  if (!condition || !mayBeScalar(condition.getCondition()))
    return emitOpError(
        "the test region must end in ingot.condition of a scalar");
  auto agree = [&](TypeRange types, StringRef what) -> LogicalResult {
    if (areCompatibleTypeLists(types, getResultTypes()))
      return success();
    // Initial values, results, the regions' arguments and the values that the
    // body yields must agree in number and type (while_c2).
    return emitOpError("has results (")
           << getResultTypes() << "), but " << what << " (" << types << ")";
  };
  if (failed(agree(getInits().getTypes(), "has initial values")) ||
      failed(agree(getTest().front().getArgumentTypes(),
                   "the test region takes")) ||
      failed(agree(getBody().front().getArgumentTypes(), "the body takes")))
    return failure();
  return verifyResult(*this, getBody().front(), getResultTypes(), "the body");
}
