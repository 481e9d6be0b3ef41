//===- BatchMatmulsAcrossIterations.cpp - Matmuls of all iterations -------===//
// SPDX-License-Identifier: Apache-2.0
//
// A recurrent cell multiplies rows of its input by a weight in each iteration,
// and its gradient accumulates matmuls of values that the loop computes. If the
// values of all iterations are rows of one tensor, the matmuls of all
// iterations become one large matmul before or after the loop.
//
//===----------------------------------------------------------------------===//

#include "compiler/Graph/CountedLoops.h"
#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/ListOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_BATCHMATMULSACROSSITERATIONSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-batch-matmuls-across-iterations"

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::graph::CountedLoop;
using ::ingot::graph::ForwardOrReverseLoopIndex;

/// If `value` is a matrix of f32 or f64 with static shape, returns its type;
/// otherwise null.
static RankedTensorType matrixOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getRank() == 2 &&
                 (type.getElementType().isF32() ||
                  type.getElementType().isF64())
             ? type
             : RankedTensorType();
}

static int64_t bytesOf(RankedTensorType type) {
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

static Value reshaped(OpBuilder &builder, Location loc, Value value,
                      ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, getElementTypeOrSelf(value));
  return ReshapeOp::create(
      builder, loc, type, value,
      createConstant(builder, loc, builder.getI64TensorAttr(shape)));
}

/// Reshapes `rows`, a stack of one matrix per iteration, to a single matrix
/// that has the rows of all these matrices.
static Value flat(OpBuilder &builder, Location loc, Value rows) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(rows.getType()).getShape();
  return reshaped(builder, loc, rows, {shape[0] * shape[1], shape[2]});
}

/// Returns the operands of `op` that hold data: the terms of an addition, or
/// the inputs of a concatenation without its axis.
static ValueRange partsOf(Operation *op) {
  if (auto concat = dyn_cast<ConcatOp>(op))
    return concat.getInputs();
  return op->getOperands();
}

namespace {

/// Replaces matmuls in a counted loop by matmuls over all iterations, before or
/// after the loop.
class LoopMatmulBatcher {
public:
  LoopMatmulBatcher(CountedLoop loop, int64_t rowAlignment, int64_t maxBytes)
      : loop(loop), rowAlignment(rowAlignment), maxBytes(maxBytes) {}

  /// Replaces matmuls of the rows that iterations read from a stacked tensor by
  /// one matmul of all rows before the loop.
  void batchInputs();
  /// Replaces matmuls of values that the loop computes: stacks the operands of
  /// all iterations, and computes one matmul of the stacks after the loop.
  void batchResults();

private:
  bool isRow(RankedTensorType type) const;
  std::optional<ForwardOrReverseLoopIndex> placeOf(RowsGetOp get) const;
  BiasAddOp biasOf(MatMulOp matmul) const;
  bool isSummable(Value term) const;
  bool isProduct(Value value) const;
  void findOrder();
  void stackRows(Value value);
  Value rowsOf(Value value) const;
  void collect();
  void addStates();
  Value build(OpBuilder &builder, Value value) const;

  CountedLoop loop;
  /// The alignment of the rows of stacked tensors, and the limit on the memory
  /// that a matmul over all iterations may use, both in bytes.
  int64_t rowAlignment, maxBytes;
  /// The order in which iterations fill new stacks: iteration i writes row i
  /// or, if `order.fromEnd`, row trip count - 1 - i.
  ForwardOrReverseLoopIndex order;
  /// The loop-carried values that are computed after the loop instead. The
  /// first element of each pair is the index of the loop-carried value. The
  /// second one is a value in the loop's body: the term that each iteration
  /// adds to a sum (`sums`), or the row that it writes to a stacked tensor
  /// (`products`).
  SmallVector<std::pair<unsigned, Value>> sums, products;
  /// The values in the body that the matmuls after the loop need from all
  /// iterations. Maps each to the index of the loop-carried stack that is added
  /// for it.
  llvm::MapVector<Value, unsigned> kept;

public:
  /// The pass's statistics: the number of matmuls that were moved before the
  /// loop, and of sums and stacks that were moved after it.
  unsigned numInputs = 0, numResults = 0;
};

} // namespace

bool LoopMatmulBatcher::isRow(RankedTensorType type) const {
  return type && bytesOf(type) % rowAlignment == 0;
}

/// Returns the index of the row that `get` reads, as a function of the loop
/// counter. Requires that the tensor is defined before the loop and has one row
/// per iteration, and that each iteration reads its own row. Otherwise returns
/// std::nullopt.
std::optional<ForwardOrReverseLoopIndex>
LoopMatmulBatcher::placeOf(RowsGetOp get) const {
  if (!get || !loop.isOutside(get.getRows()) ||
      cast<RankedTensorType>(get.getRows().getType()).getDimSize(0) !=
          loop.trips)
    return std::nullopt;
  // If `from_end` is set, index i of `get` selects row trip count - 1 - i. So
  // an index that counts from the start selects rows from the end, and vice
  // versa.
  std::optional<ForwardOrReverseLoopIndex> place = loop.placeOf(get.getIndex());
  if (place)
    place->fromEnd ^= get.getFromEnd();
  return place;
}

/// If the only use of `matmul` is the addition of a loop-invariant bias,
/// returns this addition; null otherwise.
BiasAddOp LoopMatmulBatcher::biasOf(MatMulOp matmul) const {
  auto bias = matmul->hasOneUse() ? dyn_cast<BiasAddOp>(*matmul->user_begin())
                                  : BiasAddOp();
  return bias && bias->getBlock() == matmul->getBlock() &&
                 bias->getOperand(0) == matmul.getResult() &&
                 loop.isOutside(bias.getBias())
             ? bias
             : BiasAddOp();
}

// A row of a product depends on the same row of A only, and B is the same in
// each iteration, so stacking the rows of A from all iterations changes no sum.
// One large GEMM packs B only once, and has enough blocks for all threads. A
// small GEMM in each iteration would pack B each time, and have too few blocks.
void LoopMatmulBatcher::batchInputs() {
  for (auto matmul :
       llvm::make_early_inc_range(loop.body().getOps<MatMulOp>())) {
    auto get = matmul.getA().getDefiningOp<RowsGetOp>();
    RankedTensorType type = matrixOf(matmul.getResult());
    if (matmul.getTransposeA() || !isRow(type) || !placeOf(get) ||
        bytesOf(type) > maxBytes / loop.trips ||
        !loop.isOutside(matmul.getB()) || !matrixOf(matmul.getB()))
      continue;
    OpBuilder before(loop.op);
    Location loc = matmul.getLoc();
    Value rows = flat(before, loc, get.getRows());
    auto all = RankedTensorType::get(
        {loop.trips * type.getDimSize(0), type.getDimSize(1)},
        type.getElementType());
    Value product = MatMulOp::create(
        before, loc, all, ValueRange{rows, matmul.getB()}, matmul->getAttrs());
    Operation *replaced = matmul;
    if (BiasAddOp bias = biasOf(matmul)) {
      product = BiasAddOp::create(before, bias.getLoc(), TypeRange(all),
                                  ValueRange{product, bias.getBias()},
                                  bias->getAttrs());
      replaced = bias;
    }
    product = reshaped(before, loc, product,
                       {loop.trips, type.getDimSize(0), type.getDimSize(1)});
    OpBuilder builder(replaced);
    replaced->replaceAllUsesWith(RowsGetOp::create(
        builder, loc, type, product, get.getIndex(), get.getFromEnd()));
    if (replaced != matmul)
      replaced->erase();
    matmul.erase();
    ++numInputs;
  }
}

/// Each iteration adds `term` to a loop-carried sum. Returns whether the sum of
/// these terms over all iterations can be computed after the loop from stacked
/// rows. This holds for an outer product, for a sum of rows, and for a
/// concatenation of these.
bool LoopMatmulBatcher::isSummable(Value term) const {
  if (!term.hasOneUse() || term.getParentBlock() != &loop.body())
    return false;
  if (auto concat = term.getDefiningOp<ConcatOp>())
    return loop.isOutside(concat.getAxis()) &&
           llvm::all_of(concat.getInputs(),
                        [&](Value part) { return isSummable(part); });
  if (auto sum = term.getDefiningOp<BiasAddGradOp>())
    return isRow(matrixOf(sum->getOperand(0)));
  auto matmul = term.getDefiningOp<MatMulOp>();
  return matmul && matmul.getTransposeA() && !matmul.getTransposeB() &&
         isRow(matrixOf(matmul.getA())) && isRow(matrixOf(matmul.getB()));
}

/// Whether `value` has one use and can be computed for all iterations by one
/// matmul. It must be a matmul, or a sum of matmuls. The first operand of each
/// matmul must be a row of a stacked tensor with one row per iteration
/// (isRow()), and its second operand must be loop-invariant.
bool LoopMatmulBatcher::isProduct(Value value) const {
  if (!value.hasOneUse() || value.getParentBlock() != &loop.body() ||
      !matrixOf(value))
    return false;
  if (auto sum = value.getDefiningOp<AddNOp>())
    return llvm::all_of(sum->getOperands(),
                        [&](Value term) { return isProduct(term); });
  auto matmul = value.getDefiningOp<MatMulOp>();
  return matmul && !matmul.getTransposeA() && loop.isOutside(matmul.getB()) &&
         isRow(matrixOf(matmul.getA()));
}

/// Sets `order`, the order of rows in new stacks. If the loop already
/// multiplies rows of a stacked tensor, new stacks have the order of that
/// tensor, because both operands of the matmul after the loop need the same
/// order.
void LoopMatmulBatcher::findOrder() {
  order = ForwardOrReverseLoopIndex{loop.counter()};
  for (auto matmul : loop.body().getOps<MatMulOp>())
    if (std::optional<ForwardOrReverseLoopIndex> place =
            placeOf(matmul.getA().getDefiningOp<RowsGetOp>())) {
      order.fromEnd = place->fromEnd;
      return;
    }
}

void LoopMatmulBatcher::stackRows(Value value) {
  if (std::optional<ForwardOrReverseLoopIndex> place =
          placeOf(value.getDefiningOp<RowsGetOp>());
      place && place->fromEnd == order.fromEnd)
    return;
  kept.insert({value, 0});
}

/// `value` is computed in the loop's body. Returns a tensor, available after
/// the loop, whose rows are the values of `value` in all iterations.
Value LoopMatmulBatcher::rowsOf(Value value) const {
  auto it = kept.find(value);
  if (it != kept.end())
    return loop.op->getResult(it->second);
  return value.getDefiningOp<RowsGetOp>().getRows();
}

void LoopMatmulBatcher::collect() {
  for (unsigned state = 0; state < loop.op->getNumResults(); ++state) {
    Value next = loop.next(state).get(), own = loop.argument(state);
    if (!own.hasOneUse() || !loop.isUsedInBodyOnly(state) ||
        !next.hasOneUse() || next.getDefiningOp() != *own.user_begin())
      continue;
    if (auto set = next.getDefiningOp<RowsSetOp>()) {
      std::optional<ForwardOrReverseLoopIndex> place =
          loop.placeOf(set.getIndex());
      if (place && (place->fromEnd ^ set.getFromEnd()) == order.fromEnd &&
          isProduct(set.getRow()))
        products.push_back({state, set.getRow()});
      continue;
    }
    Operation *sum = next.getDefiningOp();
    if (!isa<AddNOp, AddOp>(sum) || sum->getNumOperands() != 2)
      continue;
    Value term = sum->getOperand(sum->getOperand(0) == own ? 1 : 0);
    // If the types of term and sum differ, the addition broadcasts the term: it
    // adds one element of the term to several elements of the sum. Such a sum
    // stays in the loop.
    if (term.getType() == own.getType() && isSummable(term))
      sums.push_back({state, term});
  }
  auto keepFactors = [&](Value value, auto &&self) -> void {
    Operation *op = value.getDefiningOp();
    if (isa<AddNOp, ConcatOp>(op)) {
      for (Value term : partsOf(op))
        self(term, self);
      return;
    }
    stackRows(op->getOperand(0));
    if (auto matmul = dyn_cast<MatMulOp>(op); matmul && matmul.getTransposeA())
      stackRows(matmul.getB());
  };
  for (auto &[state, value] :
       llvm::concat<std::pair<unsigned, Value>>(sums, products))
    keepFactors(value, keepFactors);
}

/// Adds a loop-carried stack for each value in `kept`; each iteration writes
/// the value to the stack as one row.
void LoopMatmulBatcher::addStates() {
  SmallVector<Value> inits(loop.op.getInits());
  SmallVector<Type> types(loop.op->getResultTypes());
  Operation *end = loop.body().getTerminator();
  SmallVector<Value> next(end->getOperands());
  OpBuilder before(loop.op), builder(end);
  for (auto &[value, state] : kept) {
    Location loc = value.getLoc();
    auto row = cast<RankedTensorType>(value.getType());
    auto type = RankedTensorType::get(
        {loop.trips, row.getDimSize(0), row.getDimSize(1)},
        row.getElementType());
    state = types.size();
    types.push_back(type);
    inits.push_back(RowsEmptyOp::create(before, loc, type));
    loop.op.getTest().front().addArgument(type, loc);
    Value rows = loop.body().addArgument(type, loc);
    next.push_back(RowsSetOp::create(builder, loc, type, rows, order.counter,
                                     value, order.fromEnd));
  }
  end->setOperands(next);
  WhileOp old = loop.op;
  loop.op = cast<WhileOp>(rebuildWithRegions(old, inits, types));
  old->replaceAllUsesWith(
      loop.op->getResults().take_front(old->getNumResults()));
  old.erase();
}

/// Computes `value`, a value in the loop's body, after the loop for all
/// iterations at once, from stacked rows. Returns the sum over all iterations
/// if `value` is a term of a loop-carried sum, and a matrix with the rows of
/// all iterations otherwise.
Value LoopMatmulBatcher::build(OpBuilder &builder, Value value) const {
  Operation *op = value.getDefiningOp();
  Location loc = op->getLoc();
  auto matmul = dyn_cast<MatMulOp>(op);
  SmallVector<Value> operands;
  auto type = cast<RankedTensorType>(value.getType());
  if (isa<AddNOp, ConcatOp>(op)) {
    if (auto concat = dyn_cast<ConcatOp>(op))
      operands.push_back(concat.getAxis());
    for (Value term : partsOf(op))
      operands.push_back(build(builder, term));
    if (isa<AddNOp>(op))
      type = cast<RankedTensorType>(operands.front().getType());
  } else {
    operands.push_back(flat(builder, loc, rowsOf(op->getOperand(0))));
    if (matmul && matmul.getTransposeA())
      operands.push_back(flat(builder, loc, rowsOf(matmul.getB())));
    else if (matmul)
      operands.push_back(matmul.getB());
    if (matmul && !matmul.getTransposeA())
      type = RankedTensorType::get(
          {loop.trips * type.getDimSize(0), type.getDimSize(1)},
          type.getElementType());
  }
  OperationState state(loc, op->getName(), operands, TypeRange(type),
                       op->getAttrs());
  return builder.create(state)->getResult(0);
}

// The sum of A_i^T B_i over all iterations i is A^T B, where A stacks all A_i
// and B all B_i: a GEMM whose K is the number of all stacked rows. The stacks
// take memory for the rows of all iterations, hence the budget `maxBytes`.
void LoopMatmulBatcher::batchResults() {
  findOrder();
  collect();
  int64_t bytes = 0;
  for (auto &[value, state] : kept)
    bytes += bytesOf(matrixOf(value));
  if ((sums.empty() && products.empty()) || bytes > maxBytes / loop.trips)
    return;
  numResults = sums.size() + products.size();
  addStates();
  OpBuilder builder(loop.op->getContext());
  builder.setInsertionPointAfter(loop.op);
  for (auto [state, term] : sums) {
    Value init = loop.op.getInits()[state], sum = build(builder, term);
    if (!matchPattern(init, m_AnyZeroFloat()) && !matchPattern(init, m_Zero()))
      sum = AddOp::create(builder, term.getLoc(), sum.getType(), init, sum);
    loop.op->getResult(state).replaceAllUsesWith(sum);
    loop.next(state).set(loop.argument(state));
  }
  for (auto [state, value] : products) {
    OpResult rows = loop.op->getResult(state);
    ArrayRef<int64_t> shape = cast<RankedTensorType>(rows.getType()).getShape();
    rows.replaceAllUsesWith(
        reshaped(builder, value.getLoc(), build(builder, value), shape));
    loop.next(state).set(loop.argument(state));
  }
}

namespace {

struct BatchMatmulsAcrossIterations
    : ::ingot::graph::impl::BatchMatmulsAcrossIterationsPassBase<
          BatchMatmulsAcrossIterations> {
  using BatchMatmulsAcrossIterationsPassBase::
      BatchMatmulsAcrossIterationsPassBase;

  void runOnOperation() override {
    if (policy.bytesOfListRows == 0)
      return;
    SmallVector<WhileOp> loops;
    for (auto entry : getOperation().getOps<EntryOp>())
      entry.walk([&](WhileOp loop) { loops.push_back(loop); });
    for (WhileOp loop : loops)
      // A loop that may end early has rows that no iteration writes, which must
      // not add to a sum.
      if (std::optional<CountedLoop> counted = CountedLoop::of(loop);
          counted && counted->isExact && counted->trips > 1) {
        LoopMatmulBatcher products(*counted, policy.bytesOfListRows, maxBytes);
        products.batchInputs();
        products.batchResults();
        LLVM_DEBUG(llvm::dbgs() << "loop of " << counted->trips
                                << " trips: " << products.numInputs
                                << " matmuls batched before it, "
                                << products.numResults << " after it\n");
        numBefore += products.numInputs;
        numAfter += products.numResults;
      }
    OpPassManager manager(ModuleOp::getOperationName());
    manager.addPass(::ingot::graph::createDropDeadLoopStatePass());
    manager.addPass(createCSEPass());
    if (!loops.empty() && failed(runPipeline(manager, getOperation())))
      signalPassFailure();
  }
};

} // namespace
