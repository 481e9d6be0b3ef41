//===- MaterializeBroadcasts.cpp - Makes broadcasts explicit --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/Passes.h"
#include "compiler/Graph/SumToShape.h"
#include "compiler/Graph/SymbolicShapes.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/BroadcastOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/NormalizationOps.h"
#include "dialects/Ingot/IR/ProductOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringExtras.h"

namespace ingot::graph {
#define GEN_PASS_DEF_MATERIALIZEBROADCASTSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::graph::SymbolicShapes;

/// Whether `operand` needs no explicit broadcast to the shape of `result`,
/// because each of its dynamic dimensions provably has the size of the aligned
/// dimension of `result`. The last `inner` dimensions, such as those of a
/// batched matmul's matrices, are not compared.
static bool fits(Value operand, Value result, const SymbolicShapes &shapes,
                 unsigned inner = 0) {
  auto type = cast<RankedTensorType>(operand.getType());
  ArrayRef<int64_t> own = shapes[operand].drop_back(inner);
  ArrayRef<int64_t> all = shapes[result].drop_back(inner);
  if (own.size() > all.size())
    return true;
  all = all.take_back(own.size());
  for (auto [dim, size] : llvm::enumerate(own))
    if (type.isDynamicDim(dim) && size != all[dim])
      return false;
  return true;
}

/// Returns the result of `op` that has the shape to which all operands are
/// broadcast: the second result (the gradient) of a softmax cross entropy, and
/// the first result of any other op.
static Value wholeOf(Operation *op) {
  return op->getResult(isa<SoftmaxCrossEntropyOp>(op) ? 1 : 0);
}

/// Makes the broadcasts of the op's operands explicit. Returns their number.
static unsigned materialize(Operation *op, const SymbolicShapes &shapes) {
  if (op->getNumResults() == 0 ||
      !llvm::all_of(op->getOperandTypes(),
                    [](Type type) { return isa<RankedTensorType>(type); }))
    return 0;
  unsigned numBroadcasts = 0;
  SmallVector<Value> operands(op->getOperands());
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (fits(operand.get(), wholeOf(op), shapes))
      continue;
    SmallVector<Value> others;
    for (Value other : operands)
      if (other != operand.get())
        others.push_back(other);
    auto result = cast<RankedTensorType>(wholeOf(op).getType());
    operand.set(BroadcastAgainstOp::create(
        builder, op->getLoc(),
        result.clone(getElementTypeOrSelf(operand.get().getType())),
        operands[operand.getOperandNumber()], others));
    ++numBroadcasts;
  }
  return numBroadcasts;
}

namespace {
/// Makes the broadcasts of a batched matmul's batch dimensions explicit.
class BatchMatmulBroadcastExpander {
public:
  BatchMatmulBroadcastExpander(BatchMatMulOp op, const SymbolicShapes &shapes)
      : op(op), b(op.getLoc(), op), shapes(shapes) {}

  /// Inserts the broadcasts, and returns their number.
  size_t run() {
    SmallVector<OpOperand *> shorter;
    for (OpOperand &operand : op->getOpOperands())
      if (!fits(operand.get(), op.getOutput(), shapes, 2))
        shorter.push_back(&operand);
    if (shorter.empty())
      return 0;
    Value batch = create<BroadcastArgsOp>(
        {sizes(op.getX(), false), sizes(op.getY(), false)});
    ArrayRef<int64_t> all = typeOf(op.getOutput()).getShape();
    for (OpOperand *operand : shorter) {
      Value value = operand->get();
      SmallVector<int64_t> shape(all.drop_back(2));
      llvm::append_range(shape, typeOf(value).getShape().take_back(2));
      Value target = create<ConcatOp>({number(0), batch, sizes(value, true)});
      operand->set(BroadcastToOp::create(
          b, RankedTensorType::get(shape, typeOf(value).getElementType()),
          value, target));
    }
    return shorter.size();
  }

private:
  static RankedTensorType typeOf(Value value) {
    return cast<RankedTensorType>(value.getType());
  }
  Value number(int64_t value) {
    auto type = RankedTensorType::get({}, b.getI64Type());
    return createConstant(b, b.getLoc(), DenseElementsAttr::get(type, value));
  }
  Value vector(int64_t value) {
    return createConstant(b, b.getLoc(), b.getI64TensorAttr(value));
  }
  template <typename OpT> Value create(ValueRange operands) {
    return OpT::create(b, operands).getResult();
  }

  /// Returns, as a vector, the sizes of the batch dimensions of `value`; if
  /// `ofMatrix` is set, the sizes of its last two dimensions instead.
  Value sizes(Value value, bool ofMatrix) {
    int64_t batch = typeOf(value).getRank() - 2;
    Value shape = ShapeOp::create(b, value, b.getI64Type());
    return create<SliceOp>(
        {shape, vector(ofMatrix ? batch : 0), vector(ofMatrix ? 2 : batch)});
  }

  BatchMatMulOp op;
  ImplicitLocOpBuilder b;
  const SymbolicShapes &shapes;
};

/// Makes the broadcasts of an einsum of two operands explicit. Only dimensions
/// whose label is a digit broadcast: digits label the dimensions for which
/// TensorFlow's equation has an ellipsis (...).
class EinsumBroadcast {
public:
  EinsumBroadcast(EinsumOp op, const SymbolicShapes &shapes)
      : op(op), b(op.getLoc(), op), shapes(shapes),
        terms(getEquationTerms(op.getEquation())) {}

  /// Inserts the broadcasts, and returns their number.
  unsigned run() {
    SmallVector<Value> inputs(op.getInputs());
    if (inputs.size() != 2)
      return 0;
    unsigned numBroadcasts = 0;
    for (unsigned i : {0, 1}) {
      op->setOperand(i, broadcast(inputs, i));
      numBroadcasts += op->getOperand(i) != inputs[i];
    }
    return numBroadcasts;
  }

private:
  Value broadcast(ArrayRef<Value> inputs, unsigned index) {
    Value own = inputs[index], other = inputs[1 - index];
    auto type = cast<RankedTensorType>(own.getType());
    auto otherType = cast<RankedTensorType>(other.getType());
    // The dimensions of operand `index` that must be broadcast, each paired
    // with the dimension of the other operand that has the same label.
    SmallVector<std::pair<size_t, size_t>> open;
    SmallVector<int64_t> sizes(type.getShape());
    for (auto [dim, letter] : llvm::enumerate(terms[index])) {
      size_t place = terms[1 - index].find(letter);
      if (!llvm::isDigit(letter) || place == StringRef::npos ||
          !type.isDynamicDim(dim) || shapes[own][dim] == shapes[other][place])
        continue;
      open.push_back({dim, place});
      if (otherType.getDimSize(place) != 1)
        sizes[dim] = otherType.getDimSize(place);
    }
    if (open.empty())
      return own;
    SmallVector<Value> target = {constant({}, 0)};
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      target.push_back(sizeOf(own, dim));
    for (auto [dim, place] : open)
      target[dim + 1] =
          BroadcastArgsOp::create(b, {target[dim + 1], sizeOf(other, place)});
    return BroadcastToOp::create(
        b, RankedTensorType::get(sizes, type.getElementType()), own,
        ConcatOp::create(b, target).getResult());
  }

  Value constant(ArrayRef<int64_t> shape, int64_t value) {
    auto type = RankedTensorType::get(shape, b.getI64Type());
    return createConstant(b, b.getLoc(), DenseElementsAttr::get(type, value));
  }

  Value sizeOf(Value tensor, int64_t dim) {
    Value shape = ShapeOp::create(b, tensor, b.getI64Type());
    return SliceOp::create(
        b, ValueRange{shape, constant({1}, dim), constant({1}, 1)});
  }

  EinsumOp op;
  ImplicitLocOpBuilder b;
  const SymbolicShapes &shapes;
  SmallVector<StringRef> terms;
};

struct MaterializeBroadcasts
    : ::ingot::graph::impl::MaterializeBroadcastsPassBase<
          MaterializeBroadcasts> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (Operation &root : *getOperation().getBody()) {
      if (!isa<EntryOp, func::FuncOp>(root))
        continue;
      SmallVector<Operation *> dynamic;
      SmallVector<BatchMatMulOp> products;
      SmallVector<EinsumOp> einsums;
      SmallVector<SumToShapeOp> sums;
      root.walk([&](Operation *op) {
        if (auto sum = dyn_cast<SumToShapeOp>(op))
          sums.push_back(sum);
        if (auto product = dyn_cast<BatchMatMulOp>(op))
          products.push_back(product);
        if (auto einsum = dyn_cast<EinsumOp>(op))
          einsums.push_back(einsum);
        // Unlike other operands, a bias must have one element per channel: a
        // bias of one element does not broadcast to all channels.
        if (isa<BiasAddOp>(op))
          return;
        if ((::ingot::graph::isElementwise(op) ||
             isa<SoftmaxCrossEntropyOp>(op)) &&
            llvm::any_of(op->getOperandTypes(), [](Type type) {
              return !cast<ShapedType>(type).hasStaticShape();
            }))
          dynamic.push_back(op);
      });
      if (dynamic.empty() && sums.empty() && products.empty() &&
          einsums.empty())
        continue;
      SymbolicShapes shapes(&root, symbols);
      for (Operation *op : dynamic)
        numBroadcasts += materialize(op, shapes);
      for (BatchMatMulOp product : products)
        numBroadcasts += BatchMatmulBroadcastExpander(product, shapes).run();
      for (EinsumOp einsum : einsums)
        numBroadcasts += EinsumBroadcast(einsum, shapes).run();
      // Expand users before their producers. An expansion replaces the result
      // of a sum_to_shape by a new value, but `shapes` has numbers only for
      // values that existed when it was built.
      for (SumToShapeOp sum : llvm::reverse(sums))
        numSums += ::ingot::graph::expandSumToShape(sum, &shapes);
    }
  }
};
} // namespace
