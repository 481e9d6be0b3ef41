//===- SinkMatmulReshapes.cpp - Sinks reshapes of matmuls -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/Passes.h"
#include "compiler/Graph/SymbolicShapes.h"

#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/Reshapes.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_SINKMATMULRESHAPESPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-sink-matmul-reshapes"

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::graph::SymbolicShapes;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

namespace {

/// An elementwise op that reads a reshape of a matrix. The reshape keeps the
/// columns of the matrix as its last dimension, and it keeps the row-major
/// order of elements. So the op computes the same elements if it reads the
/// matrix itself. Another operand, a vector with one element per column,
/// broadcasts to the rows of the matrix as it did to the reshaped tensor.
class ElementwiseOpOnMatrix {
public:
  ElementwiseOpOnMatrix(Operation *op, const DenseSet<Value> &matrices,
                        int64_t minElements)
      : op(op), matrices(matrices), minElements(minElements) {}

  bool find() {
    if (!::ingot::graph::isElementwise(op) || op->getNumResults() != 1 ||
        op->getNumRegions() != 0)
      return false;
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    auto bias = dyn_cast<BiasAddOp>(op);
    // At most one size may be dynamic, because a reshape can infer only one
    // size (-1).
    if (!type || type.getRank() < 3 || type.getNumDynamicDims() > 1 ||
        type.isDynamicDim(type.getRank() - 1) ||
        llvm::is_contained(type.getShape(), 0) ||
        (type.hasStaticShape() && type.getNumElements() <= minElements) ||
        (bias && bias.getDataFormat() != "NHWC"))
      return false;
    shape = type.getShape();
    if (!llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isUsable(operand); }))
      return false;
    for (Value operand : op->getOperands())
      if (Value source = matrixOf(operand)) {
        matrix = source;
        reshape = operand.getDefiningOp<ReshapeOp>();
        return true;
      }
    return false;
  }

  /// Replaces the op by a clone that runs on matrices instead of reshaped
  /// matrices, and a reshape of the clone's result to the type of the op's
  /// result. Returns the clone's result, a matrix.
  Value rewrite() {
    OpBuilder builder(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(asMatrix(builder, operand));
    Operation *moved = builder.clone(*op);
    moved->setOperands(operands);
    Value result = moved->getResult(0);
    Type old = result.getType();
    result.setType(
        RankedTensorType::get(typeOf(matrix).getShape(),
                              cast<RankedTensorType>(old).getElementType()));
    op->replaceAllUsesWith(ReshapeOp::create(builder, op->getLoc(), old, result,
                                             reshape.getShape()));
    op->erase();
    return result;
  }

private:
  bool isWhole(Value operand) const {
    return typeOf(operand).getShape() == shape;
  }
  /// Whether `operand` has one element per row of the matrix, such as the row's
  /// mean.
  bool isColumn(Value operand) const {
    ArrayRef<int64_t> own = typeOf(operand).getShape();
    return own.size() == shape.size() && own.back() == 1 &&
           own.drop_back() == shape.drop_back();
  }

  /// Whether the op can read `operand` when it runs on the matrix instead of
  /// the reshaped tensor: `operand` has the full shape, is one row that
  /// broadcasts to all rows, or has one element per row.
  bool isUsable(Value operand) const {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    return type &&
           (type.getRank() == 0 || isWhole(operand) || isColumn(operand) ||
            (type.getRank() == 1 &&
             (type.getDimSize(0) == shape.back() || type.getDimSize(0) == 1)));
  }

  /// If `operand` is a reshape of a matrix that keeps the matrix's columns as
  /// the last dimension, returns the matrix; null otherwise.
  Value matrixOf(Value operand) const {
    auto reshape = operand.getDefiningOp<ReshapeOp>();
    if (!reshape || !isWhole(operand) ||
        !matrices.contains(reshape.getInput()) ||
        typeOf(reshape.getInput()).getShape().back() != shape.back())
      return {};
    return reshape.getInput();
  }

  /// Returns `operand` in the shape that the op needs if it runs on the matrix.
  /// An operand of the full shape, or with one element per row, becomes a
  /// matrix. Other operands stay unchanged.
  Value asMatrix(OpBuilder &builder, Value operand) const {
    if (!isWhole(operand) && !isColumn(operand))
      return operand;
    int64_t columns = typeOf(operand).getShape().back();
    auto type = RankedTensorType::get({typeOf(matrix).getDimSize(0), columns},
                                      typeOf(operand).getElementType());
    if (auto reshape = operand.getDefiningOp<ReshapeOp>();
        reshape && reshape.getInput().getType() == type)
      return reshape.getInput();
    auto sizes =
        DenseElementsAttr::get(RankedTensorType::get({2}, builder.getI64Type()),
                               ArrayRef<int64_t>{-1, columns});
    return ReshapeOp::create(builder, operand.getLoc(), type, operand,
                             createConstant(builder, operand.getLoc(), sizes));
  }

  Operation *op;
  const DenseSet<Value> &matrices;
  int64_t minElements;
  ArrayRef<int64_t> shape;
  Value matrix;
  ReshapeOp reshape;
};

/// The dimensions of the result except the last one become the rows of the
/// matrix. Returns whether each operand with the rank of the result provably
/// has the sizes of the result in these dimensions, so that it is not broadcast
/// along them. A dynamic size that may be 1 at run time is therefore not
/// allowed.
bool haveAsManyRows(Operation *op, const SymbolicShapes &shapes) {
  if (op->getNumResults() != 1)
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || type.getRank() == 0 || type.hasStaticShape())
    return type != nullptr;
  ArrayRef<int64_t> rows = shapes[op->getResult(0)].drop_back();
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    auto own = dyn_cast<RankedTensorType>(operand.getType());
    return own && (own.getRank() != type.getRank() ||
                   shapes[operand].drop_back() == rows);
  });
}

struct SinkMatmulReshapes
    : ::ingot::graph::impl::SinkMatmulReshapesPassBase<SinkMatmulReshapes> {
  using SinkMatmulReshapesPassBase::SinkMatmulReshapesPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (Operation &root : *getOperation().getBody())
      if (isa<EntryOp, func::FuncOp>(root))
        rewrite(root, symbols);
  }

private:
  void rewrite(Operation &root, const SymbolTable &symbols) {
    SymbolicShapes shapes(&root, symbols);
    SmallVector<Operation *> ops;
    root.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<MatMulOp>(op) ||
          (::ingot::graph::isElementwise(op) && haveAsManyRows(op, shapes)))
        ops.push_back(op);
    });
    // The matrices whose reshapes may be moved after the elementwise ops that
    // read the reshapes: results of matmuls, and of elementwise ops that
    // already run on such matrices.
    DenseSet<Value> matrices;
    for (Operation *op : ops) {
      if (auto matmul = dyn_cast<MatMulOp>(op)) {
        matrices.insert(matmul.getResult());
        continue;
      }
      ElementwiseOpOnMatrix elementwise(op, matrices,
                                        policy.maxSharedKernelElements);
      if (elementwise.find()) {
        LLVM_DEBUG(llvm::dbgs() << "move " << op->getName() << " at "
                                << op->getLoc() << " before the reshape\n");
        matrices.insert(elementwise.rewrite());
        ++numMoved;
      }
    }
  }
};

} // namespace
