//===- InsertShapeChecks.cpp - Inserts checks of dynamic shapes -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/Passes.h"
#include "compiler/Graph/SymbolicShapes.h"

#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/NormalizationOps.h"
#include "dialects/Ingot/IR/PartialConstants.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/ScatterOps.h"
#include "dialects/Ingot/Requirements/ShapeRequirementBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace ingot::graph {
#define GEN_PASS_DEF_INSERTSHAPECHECKSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::graph::SymbolicShapes;

namespace {

/// Whether `value` is defined before `op`, in the same block as `op` or in an
/// enclosing block.
bool reaches(Value value, Operation *op) {
  Operation *user = value.getParentBlock()->findAncestorOpInBlock(*op);
  Operation *source = value.getDefiningOp();
  return user && (!source || source->isBeforeInBlock(user));
}

/// Returns `a` or `b`, whichever is defined later: after its definition, both
/// are available. There must be an op that both values dominate.
Value laterOf(Value a, Value b) {
  Block *blockA = a.getParentBlock(), *blockB = b.getParentBlock();
  if (blockA != blockB)
    return blockA->getParent()->isProperAncestor(blockB->getParent()) ? b : a;
  Operation *sourceA = a.getDefiningOp(), *sourceB = b.getDefiningOp();
  if (!sourceA || !sourceB)
    return sourceA ? a : b;
  return sourceA->isBeforeInBlock(sourceB) ? b : a;
}

/// Records the ops that a builder creates.
struct InsertedOpRecorder : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    ops.insert(op);
  }
  llvm::DenseSet<Operation *> ops;
};

/// Inserts run-time checks into an entry or function. A requirement of an op,
/// such as equal sizes of two operands, is checked if it depends on sizes known
/// only at run time. Each size is computed only once, right after the values
/// that it depends on.
class SizeCheckInserter : public ShapeRequirementBuilder {
public:
  SizeCheckInserter(Operation *root, const SymbolTable &symbols)
      : ShapeRequirementBuilder(root->getContext()), root(root),
        symbols(symbols), b(root->getContext(), &made) {}

  /// The counts that the pass reports as its statistics.
  unsigned numChecks = 0, numShared = 0;

  void run() {
    SmallVector<Operation *> ops;
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      ops.push_back(op);
      // Skip the body of a row-sparse update: its ops work on single rows,
      // whose shapes need no checks.
      return isa<UpdateRowsOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    for (Operation *each : ops) {
      op = each;
      addRequirements(op, *this);
    }
    for (Operation *each : ops)
      if (isa<RequireSameShapeOp>(each))
        each->erase();
    // The location of a check lists first the op for which the check was
    // inserted, and then all other ops that rely on the check.
    for (auto &[check, locations] : relying) {
      SmallVector<Location> all = {check->getLoc()};
      llvm::append_range(all, locations);
      check->setLoc(FusedLoc::get(root->getContext(), all));
    }
  }

  Operation *lookup(StringAttr symbol) override {
    return symbols.lookup(symbol);
  }

  Number size(Value tensor, int64_t dim) override {
    return checked(sizeIn(tensor, dim));
  }

  Number element(Value tensor, int64_t position) override {
    return checked(elementIn(tensor, position));
  }

  std::optional<int64_t> standIn(Number number) override {
    if (std::optional<int64_t> value = known(number))
      return value;
    auto found = standIns.find(cast<Value>(number));
    return found == standIns.end() ? std::nullopt
                                   : std::optional(found->second);
  }

  bool covers(Number whole, Number part) override {
    auto value = dyn_cast<Value>(whole);
    auto found = value ? parts.find(value) : parts.end();
    return found != parts.end() && isa<Value>(part) &&
           found->second.contains(cast<Value>(part));
  }

  void require(Number condition, const FailureMessage &message) override {
    if (std::optional<int64_t> holds = known(condition); holds && *holds)
      return;
    // Even a requirement that never holds becomes a run-time check instead of a
    // compile-time error, because the op may be in a branch that never runs.
    Value holds = known(condition) ? truth(false) : valueOf(condition);
    // An earlier check of the same condition that dominates this op is enough:
    // record only that the op relies on it, too.
    for (RequireOp known : checks[holds])
      if (known->getBlock()->findAncestorOpInBlock(*op)) {
        ++numShared;
        return relyOn(known);
      }
    SmallVector<Value> numbers;
    for (Number each : message.getNumbers())
      numbers.push_back(valueOf(each));
    Value last = holds;
    for (Value each : numbers)
      last = laterOf(last, each);
    if (last.getParentBlock() == op->getBlock())
      placeAfter(last);
    else
      placeAtStart(op->getBlock());
    auto check =
        RequireOp::create(b, op->getLoc(), holds, message.getText(), numbers);
    checks[holds].push_back(check);
    ++numChecks;
    learn(holds, check);
  }

protected:
  Number compareFloats(Value a, Value c, bool orEqual) override {
    Value &result = computed[{orEqual ? -4 : -2, {a, c}}];
    if (result)
      return result;
    Value x = floatOf(a, c), y = floatOf(c, a);
    placeAfter(laterOf(x, y));
    result = arith::CmpFOp::create(
        b, op->getLoc(),
        orEqual ? arith::CmpFPredicate::OLE : arith::CmpFPredicate::OLT, x, y);
    return result;
  }

  Number emit(ArithmeticOpKind what, Number a, Number c) override {
    Value x = valueOf(a), y = valueOf(c);
    // Sort the operands of symmetric ops such as ==, so that a == b and b == a
    // become one check.
    bool isSymmetric = what == ArithmeticOpKind::equal ||
                       what == ArithmeticOpKind::both ||
                       what == ArithmeticOpKind::either;
    size_t first = order(x), second = order(y);
    if (isSymmetric && second < first)
      std::swap(x, y);
    Value &result = computed[{static_cast<int>(what), {x, y}}];
    if (!result) {
      placeAfter(laterOf(x, y));
      result = compute(what, x, y);
    }
    return result;
  }

  Number emitChoice(Number condition, Number yes, Number no) override {
    Value c = valueOf(condition), x = valueOf(yes), y = valueOf(no);
    placeAfter(laterOf(c, laterOf(x, y)));
    return arith::SelectOp::create(b, op->getLoc(), c, x, y).getResult();
  }

  Number emitNot(Number condition) override {
    Value holds = valueOf(condition);
    Value &result = computed[{-3, {holds, holds}}];
    if (!result) {
      Value yes = truth(true);
      placeAfter(laterOf(holds, yes));
      result = arith::XOrIOp::create(b, op->getLoc(), holds, yes);
    }
    return result;
  }

private:
  Number sizeIn(Value tensor, int64_t dim) {
    int64_t known = getDim(tensor.getType(), dim);
    if (!ShapedType::isDynamic(known))
      return number(known);
    ArrayRef<int64_t> symbolic = shapes()[tensor];
    if (symbolic.empty())
      return dimOf(tensor, dim);
    Value found = sizeOf(symbolic[dim]);
    return found ? found : dimOf(tensor, dim);
  }

  Number elementIn(Value tensor, int64_t position) {
    auto at = static_cast<size_t>(position);
    std::optional<SmallVector<int64_t>> known = getPartialInts(tensor);
    if (known && !ShapedType::isDynamic((*known)[at]))
      return number((*known)[at]);
    std::optional<SmallVector<int64_t>> symbolic = shapes().elements(tensor);
    if (symbolic && !ShapedType::isDynamic((*symbolic)[at]))
      if (Value found = sizeOf((*symbolic)[at]))
        return found;
    return elementOf(tensor, position);
  }

  /// `holds` is the condition of `check`. If it is a conjunction with terms of
  /// the form a == b, records for each such term that later checks can use a
  /// instead of b, or b instead of a if b is a constant.
  void learn(Value holds, RequireOp check) {
    if (auto both = holds.getDefiningOp<arith::AndIOp>()) {
      learn(both.getLhs(), check);
      learn(both.getRhs(), check);
    }
    auto compare = holds.getDefiningOp<arith::CmpIOp>();
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
      return;
    auto numberOf = [](Value value) -> Number {
      IntegerAttr constant;
      return matchPattern(value, m_Constant(&constant)) ? Number(constant)
                                                        : Number(value);
    };
    Number a = checked(numberOf(compare.getLhs()));
    Number c = checked(numberOf(compare.getRhs()));
    if (a == c || (known(a) && known(c)))
      return;
    if (known(c))
      std::swap(a, c);
    same[cast<Value>(c)].push_back({check, a});
  }

  void relyOn(RequireOp check) { relying[check].insert(op->getLoc()); }

  /// If checks before `op` ensure that the size `number` equals another size,
  /// returns that size, to be used instead in new checks. Otherwise returns
  /// `number` itself.
  Number checked(Number number) {
    while (auto value = dyn_cast<Value>(number)) {
      auto found = same.find(value);
      if (found == same.end())
        break;
      const auto *known = llvm::find_if(found->second, [&](const auto &place) {
        return place.first->getBlock()->findAncestorOpInBlock(*op) != nullptr;
      });
      if (known == found->second.end())
        break;
      relyOn(known->first);
      number = known->second;
    }
    return number;
  }

  /// Returns the index of `value` in the order in which values were first
  /// passed to this function. Operands of symmetric ops are sorted by this
  /// index.
  size_t order(Value value) {
    return orders.try_emplace(value, orders.size()).first->second;
  }

  // Sets the insertion point after `value` and after the ops that were already
  // inserted there, so that inserted ops keep the order in which they were
  // created.
  void placeAfter(Value value) {
    b.setInsertionPointAfterValue(value);
    passInserted();
  }
  void placeAtStart(Block *block) {
    b.setInsertionPointToStart(block);
    passInserted();
  }
  void passInserted() {
    Block::iterator place = b.getInsertionPoint();
    while (place != b.getBlock()->end() && made.ops.contains(&*place))
      ++place;
    b.setInsertionPoint(b.getBlock(), place);
  }

  const SymbolicShapes &shapes() {
    if (!symbolic) {
      symbolic.emplace(root, symbols);
      collectSizes();
    }
    return *symbolic;
  }

  /// Fills `places`: for each symbolic size, the tensors with a dimension of
  /// this size, in program order.
  void collectSizes() {
    auto collect = [&](Value value) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      ArrayRef<int64_t> numbers = (*symbolic)[value];
      if (!type || numbers.empty())
        return;
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          places[numbers[dim]].push_back({value, dim});
    };
    root->walk<WalkOrder::PreOrder>([&](Operation *each) {
      llvm::for_each(each->getResults(), collect);
      for (Region &region : each->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), collect);
      return isa<UpdateRowsOp>(each) ? WalkResult::skip()
                                     : WalkResult::advance();
    });
  }

  /// Returns an SSA value for the size that SymbolicShapes represents by
  /// `number`. To get it, reads a dimension of this size from the first tensor
  /// that has one and is defined before `op`. Returns null if there is no such
  /// tensor.
  Value sizeOf(int64_t number) {
    auto found = places.find(number);
    if (found == places.end())
      return {};
    for (auto [value, dim] : found->second)
      if (reaches(value, op)) {
        Value size = dimOf(value, dim);
        standIns.try_emplace(size, number);
        return size;
      }
    return {};
  }

  Value dimOf(Value tensor, int64_t dim) {
    std::pair<Value, int64_t> key(tensor, dim);
    if (Value known = dims.lookup(key))
      return known;
    Value result;
    if (Number derived = resultSize(tensor, dim)) {
      result = valueOf(derived);
    } else {
      Value index = constant(dim);
      placeAfter(laterOf(tensor, index));
      result = tensor::DimOp::create(b, op->getLoc(), tensor, index);
    }
    noteNatural(result);
    dims[key] = result;
    return result;
  }

  /// `tensor` is the result of an op. Returns the size of its dimension `dim`,
  /// computed from the sizes of the op's operands. A check of this size then
  /// need not wait for the op's kernel. Returns null if the operands' sizes do
  /// not determine the size.
  Number resultSize(Value tensor, int64_t dim) {
    Operation *source = tensor.getDefiningOp();
    if (!source || !areRanked(source->getOperands()))
      return {};
    if (auto product = dyn_cast<MatMulOp>(source)) {
      bool isRow = dim == 0;
      bool isTurned = isRow ? product.getTransposeA() : product.getTransposeB();
      return size(isRow ? product.getA() : product.getB(),
                  isTurned ? 1 - dim : dim);
    }
    if (isa<SparseSoftmaxCrossEntropyOp>(source))
      return size(source->getOperand(0), dim);
    if (isa<SoftmaxCrossEntropyOp>(source) ||
        (source->hasTrait<trait::Elementwise>() &&
         !source->hasTrait<trait::MayReuseOperandMemory>()))
      return broadcastSize(
          source, isa<SoftmaxCrossEntropyOp>(source) ? 2 : rankOf(tensor), dim);
    return {};
  }

  /// Returns the size of dimension `dim` of the shape, of rank `rank`, to which
  /// all operands of `source` broadcast.
  Number broadcastSize(Operation *source, int64_t rank, int64_t dim) {
    Number all = number(1);
    for (Value operand : source->getOperands()) {
      int64_t own = dim - (rank - rankOf(operand));
      // Skip the bias of a bias_add: its only dimension is the channels, and
      // the result has the shape of the other operand.
      if (own < 0 ||
          (isa<BiasAddOp>(source) && operand != source->getOperand(0)))
        continue;
      Number next = size(operand, own);
      std::optional<int64_t> known = ShapeRequirementBuilder::known(all);
      if (known ? *known == 1
                : ShapeRequirementBuilder::known(next).value_or(1) != 1)
        all = next;
      else if (!known && !ShapeRequirementBuilder::known(next) && all != next)
        all = wholeOf(all, next);
    }
    return all;
  }

  /// Returns the size that results from broadcasting a dimension of size `a`
  /// against one of size `c`, if both are known only at run time: `c` if `a` is
  /// 1, and `a` otherwise.
  Number wholeOf(Number a, Number c) {
    if (covers(a, c) || covers(c, a))
      return covers(a, c) ? a : c;
    Number whole = choose(equal(a, number(1)), c, a);
    llvm::SetVector<Value> all;
    for (Number each : {a, c}) {
      all.insert(cast<Value>(each));
      all.insert_range(parts.lookup(cast<Value>(each)));
    }
    parts[cast<Value>(whole)] = std::move(all);
    return whole;
  }

  Number elementOf(Value tensor, int64_t position) {
    Value &result = elements[{tensor, position}];
    if (result && reaches(result, op))
      return result;
    auto type = cast<RankedTensorType>(tensor.getType());
    SmallVector<Value> indices(type.getRank());
    Value last = tensor;
    for (int64_t dim = type.getRank(); dim-- > 0;) {
      indices[dim] = constant(position % type.getDimSize(dim));
      position /= type.getDimSize(dim);
      last = laterOf(last, indices[dim]);
    }
    // If `tensor` has a dynamic length, an earlier check at `op` ensures that
    // it is long enough, so the element must be read after this check.
    // Otherwise it can be read as soon as `tensor` is defined.
    if (type.hasStaticShape())
      placeAfter(last);
    else
      b.setInsertionPoint(op);
    result = tensor::ExtractOp::create(b, op->getLoc(), tensor, indices);
    result =
        arith::IndexCastOp::create(b, op->getLoc(), b.getIndexType(), result);
    return result;
  }

  /// Returns the element of `scalar`. If `scalar` is null, returns a constant 0
  /// with the element type of `other`.
  Value floatOf(Value scalar, Value other) {
    if (!scalar) {
      placeAtStart(&root->getRegion(0).front());
      return arith::ConstantOp::create(
          b, root->getLoc(),
          b.getFloatAttr(getElementTypeOrSelf(other.getType()), 0));
    }
    placeAfter(scalar);
    return tensor::ExtractOp::create(b, op->getLoc(), scalar, ValueRange());
  }

  Value truth(bool value) {
    placeAtStart(&root->getRegion(0).front());
    return arith::ConstantOp::create(b, root->getLoc(), b.getBoolAttr(value));
  }

  Value constant(int64_t value) {
    Value &result = constants[value];
    if (!result) {
      placeAtStart(&root->getRegion(0).front());
      result = arith::ConstantIndexOp::create(b, root->getLoc(), value);
    }
    return result;
  }

  Value valueOf(Number number) {
    if (auto value = dyn_cast<Value>(number))
      return value;
    return constant(*known(number));
  }

  Value compute(ArithmeticOpKind what, Value x, Value y) {
    Location loc = op->getLoc();
    using Predicate = arith::CmpIPredicate;
    switch (what) {
    case ArithmeticOpKind::add:
      return arith::AddIOp::create(b, loc, x, y);
    case ArithmeticOpKind::subtract:
      return arith::SubIOp::create(b, loc, x, y);
    case ArithmeticOpKind::multiply:
      return arith::MulIOp::create(b, loc, x, y);
    case ArithmeticOpKind::divide:
      return arith::DivUIOp::create(b, loc, x, y);
    case ArithmeticOpKind::remainder:
      return arith::RemUIOp::create(b, loc, x, y);
    case ArithmeticOpKind::larger:
      return arith::MaxSIOp::create(b, loc, x, y);
    case ArithmeticOpKind::equal:
      return arith::CmpIOp::create(b, loc, Predicate::eq, x, y);
    case ArithmeticOpKind::less:
      return arith::CmpIOp::create(b, loc, Predicate::slt, x, y);
    case ArithmeticOpKind::atMost:
      return arith::CmpIOp::create(b, loc, Predicate::sle, x, y);
    case ArithmeticOpKind::both:
      return arith::AndIOp::create(b, loc, x, y);
    case ArithmeticOpKind::either:
      return arith::OrIOp::create(b, loc, x, y);
    }
    llvm_unreachable("no such arithmetic");
  }

  Operation *root;
  const SymbolTable &symbols;
  InsertedOpRecorder made;
  OpBuilder b;
  std::optional<SymbolicShapes> symbolic;
  Operation *op = nullptr; // the op whose requirements are being added
  /// For each number in SymbolicShapes, the tensor dimensions that have this
  /// number, as pairs of a tensor and the index of the dimension.
  llvm::DenseMap<int64_t, SmallVector<std::pair<Value, int64_t>, 1>> places;
  llvm::DenseMap<std::pair<int, std::pair<Value, Value>>, Value> computed;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> elements;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> dims;
  /// Maps each size that wholeOf() has computed to the sizes that were
  /// broadcast against each other.
  llvm::DenseMap<Value, llvm::SetVector<Value>> parts;
  llvm::DenseMap<int64_t, Value> constants;
  /// Maps each SSA value that sizeOf() has returned, the size of a tensor's
  /// dimension, to the number of this size in SymbolicShapes.
  llvm::DenseMap<Value, int64_t> standIns;
  /// For each size, the sizes that are equal to it according to checks, each
  /// with the check that ensures the equality.
  llvm::DenseMap<Value, SmallVector<std::pair<RequireOp, Number>, 1>> same;
  llvm::DenseMap<Value, size_t> orders;
  llvm::DenseMap<Value, SmallVector<RequireOp, 1>> checks;
  /// For each check, the locations of the ops that rely on it, besides the op
  /// for which it was inserted.
  llvm::MapVector<RequireOp, llvm::SetVector<Location>> relying;
};

struct InsertShapeChecks
    : ::ingot::graph::impl::InsertShapeChecksPassBase<InsertShapeChecks> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (Operation &root :
         llvm::make_early_inc_range(*getOperation().getBody())) {
      auto function = dyn_cast<func::FuncOp>(root);
      if (isa<EntryOp>(root) || (function && !function.isExternal()))
        check(root, symbols);
    }
  }

  void check(Operation &root, const SymbolTable &symbols) {
    SizeCheckInserter sizes(&root, symbols);
    sizes.run();
    numChecks += sizes.numChecks;
    numShared += sizes.numShared;
  }
};

} // namespace
