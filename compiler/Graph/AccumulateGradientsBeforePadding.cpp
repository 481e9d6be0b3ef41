//===- AccumulateGradientsBeforePadding.cpp - Sums slices without padding -===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/Folding.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/StridedSlices.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_ACCUMULATEGRADIENTSBEFOREPADDINGPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-accumulate-gradients-before-padding"

using namespace mlir;
using namespace mlir::ingot;

static Value addUp(OpBuilder &builder, Location loc, ValueRange terms) {
  OperationState state(loc, AddNOp::getOperationName(), terms,
                       terms.front().getType());
  return builder.create(state)->getResult(0);
}

static bool isZero(Value value) {
  Attribute constant;
  return matchPattern(value, m_Constant(&constant)) && isSplatOf(constant, 0.0);
}

namespace {

/// Finds the loop-carried sums of one loop to which each iteration adds
/// zero-padded slices, and moves the padding after the loop. That is legal
/// because padding is linear and a slice has the same position in each
/// iteration: only additions of zeros are left out.
class LoopPaddingSinker {
public:
  explicit LoopPaddingSinker(WhileOp loop)
      : loop(loop), body(loop.getBody().front()) {}

  bool find() {
    for (unsigned state = 0; state < loop->getNumResults(); ++state)
      findIn(state);
    return !parts.empty();
  }

  unsigned count() const { return parts.size(); }

  void rewrite() {
    SmallVector<Value> inits(loop.getInits());
    SmallVector<Type> types(loop.getResultTypes());
    for (PaddedSlice &part : parts)
      addState(part, inits, types);
    for (PaddedSlice &part : parts)
      leaveOut(part);
    auto rebuilt = cast<WhileOp>(rebuildWithRegions(loop, inits, types));
    replaceResults(rebuilt);
    loop.erase();
  }

private:
  /// A zero-padded slice that the loop adds to loop-carried value `state`:
  /// `update` pads the slice with zeros, and the addition `sum` adds the
  /// result.
  struct PaddedSlice {
    unsigned state;
    AddNOp sum;
    StridedSliceUpdateOp update;
  };

  void findIn(unsigned state) {
    auto sum = body.getTerminator()->getOperand(state).getDefiningOp<AddNOp>();
    BlockArgument old = body.getArgument(state);
    // The partial sum `old` must not be used by any other op than this
    // addition: the other op would see a sum without the padded slices, which
    // are added only after the loop.
    if (!sum || sum->getBlock() != &body || !sum->hasOneUse() ||
        !old.hasOneUse() || *old.user_begin() != sum ||
        !loop.getTest().front().getArgument(state).use_empty())
      return;
    for (Value term : sum.getInputs())
      if (auto update = term.getDefiningOp<StridedSliceUpdateOp>();
          update && isPart(update))
        parts.push_back({state, sum, update});
  }

  bool isPart(StridedSliceUpdateOp update) const {
    auto type = dyn_cast<RankedTensorType>(update.getValue().getType());
    return update->hasOneUse() && update->getBlock() == &body && type &&
           type.hasStaticShape() && isa<FloatType>(type.getElementType()) &&
           isZero(update.getInput()) &&
           llvm::all_of(update->getOperands(), [&](Value operand) {
             return operand == update.getValue() ||
                    !loop->isAncestor(operand.getParentBlock()->getParentOp());
           });
  }

  /// Adds a loop-carried value for `part`. It starts at zero, and each
  /// iteration adds the slice of `part` to it, without padding.
  void addState(PaddedSlice part, SmallVectorImpl<Value> &inits,
                SmallVectorImpl<Type> &types) {
    Value value = part.update.getValue();
    auto type = cast<RankedTensorType>(value.getType());
    Location loc = part.sum.getLoc();
    OpBuilder builder(loop);
    types.push_back(type);
    inits.push_back(
        createConstant(builder, loc,
                       DenseElementsAttr::get(
                           type, builder.getZeroAttr(type.getElementType()))));
    loop.getTest().front().addArgument(type, loc);
    Value old = body.addArgument(type, loc);
    Operation *end = body.getTerminator();
    builder.setInsertionPoint(end);
    Value next = addUp(builder, loc, {old, value});
    end->insertOperands(end->getNumOperands(), next);
  }

  /// Removes the padded slice of `part` from the operands of the addition
  /// `part.sum`.
  void leaveOut(PaddedSlice part) {
    for (auto [i, term] : llvm::enumerate(part.sum.getInputs()))
      if (term == part.update.getResult()) {
        part.sum->eraseOperand(i);
        return;
      }
  }

  void replaceResults(WhileOp rebuilt) {
    OpBuilder builder(rebuilt);
    builder.setInsertionPointAfter(rebuilt);
    unsigned numResults = loop->getNumResults();
    for (unsigned state = 0; state < numResults; ++state) {
      SmallVector<Value> terms = {rebuilt->getResult(state)};
      for (auto [i, part] : llvm::enumerate(parts)) {
        if (part.state != state)
          continue;
        // If the loop added nothing but padded slices to the sum, it no longer
        // changes the sum. So the sum still has its initial value after the
        // loop.
        if (part.sum->getNumOperands() == 1)
          terms.front() = rebuilt.getInits()[state];
        Operation *update = builder.clone(*part.update);
        cast<StridedSliceUpdateOp>(update).getValueMutable().assign(
            rebuilt->getResult(numResults + i));
        terms.push_back(update->getResult(0));
      }
      if (terms.size() > 1 && isZero(terms.front()))
        terms.erase(terms.begin());
      Value total = terms.front();
      if (terms.size() > 1)
        total = addUp(builder, rebuilt.getLoc(), terms);
      loop->getResult(state).replaceAllUsesWith(total);
    }
    // Erase additions whose only remaining term is the partial sum.
    llvm::SetVector<Operation *> sums;
    for (PaddedSlice &part : parts) {
      part.update.erase();
      sums.insert(part.sum);
    }
    for (Operation *sum : sums)
      if (sum->getNumOperands() == 1) {
        sum->replaceAllUsesWith(sum->getOperands());
        sum->erase();
      }
  }

  WhileOp loop;
  Block &body;
  SmallVector<PaddedSlice> parts;
};

/// An addition of slices that are padded with zeros. If the slices tile the
/// result, a concatenation of the slices replaces it.
class PaddedSumToConcatRewriter {
public:
  explicit PaddedSumToConcatRewriter(AddNOp sum) : sum(sum) {}

  /// Returns whether the slices together cover the result along one axis,
  /// without gaps or overlaps. Fills `parts` with the slices, and `others` with
  /// the terms that are not padded slices.
  bool find() {
    auto type = dyn_cast<RankedTensorType>(sum.getType());
    if (!type || !type.hasStaticShape() ||
        !isa<FloatType>(type.getElementType()))
      return false;
    for (Value term : sum.getInputs()) {
      auto update = term.getDefiningOp<StridedSliceUpdateOp>();
      if (!update || !isZero(update.getInput()) || !isPart(update, type)) {
        if (!isZero(term))
          others.push_back(term);
      }
    }
    llvm::sort(parts, llvm::less_first());
    int64_t end = 0;
    for (auto [begin, value] : parts) {
      if (begin != end)
        return false;
      end += cast<RankedTensorType>(value.getType()).getDimSize(axis);
    }
    return parts.size() > 1 && end == type.getDimSize(axis);
  }

  void rewrite() {
    OpBuilder builder(sum);
    Location loc = sum.getLoc();
    auto dim = createConstant(
        builder, loc,
        DenseElementsAttr::get(RankedTensorType::get({}, builder.getI32Type()),
                               static_cast<int32_t>(axis)));
    auto values = llvm::to_vector(llvm::make_second_range(parts));
    Value joined =
        ConcatOp::create(builder, loc, TypeRange(sum.getType()), dim, values);
    if (!others.empty()) {
      others.push_back(joined);
      joined = addUp(builder, loc, others);
    }
    SmallVector<Value> terms(sum.getInputs());
    sum.replaceAllUsesWith(joined);
    sum.erase();
    for (Value term : terms)
      if (auto update = term.getDefiningOp<StridedSliceUpdateOp>();
          update && update->use_empty())
        update.erase();
  }

private:
  /// `update` pads a slice with zeros. If the slice is shorter than the result
  /// along exactly one dimension, which must be the same for all slices,
  /// appends the slice to the field `parts`. Returns false otherwise.
  bool isPart(StridedSliceUpdateOp update, RankedTensorType type) {
    FailureOr<SlicePlan> plan = planStridedSlice(
        std::nullopt, type.getRank(), update.getBegin(), update.getEnd(),
        update.getStrides(), SliceMasks(update));
    if (failed(plan) || plan->size() != static_cast<size_t>(type.getRank()))
      return false;
    int64_t cut = -1, begin = 0;
    for (const SlicedDim &dim : *plan) {
      std::optional<StridedRange> range;
      if (dim.kind == SlicedDim::Range)
        range = dim.rangeOf(type.getDimSize(dim.dim));
      if (!range || range->stride != 1)
        return false;
      if (range->count == type.getDimSize(dim.dim))
        continue;
      if (cut >= 0)
        return false;
      cut = dim.dim;
      begin = range->begin;
    }
    if (cut < 0 || (axis >= 0 && cut != axis))
      return false;
    axis = cut;
    parts.push_back({begin, update.getValue()});
    return true;
  }

  AddNOp sum;
  int64_t axis = -1;
  /// The slices, each as its first index along `axis` and its unpadded value.
  SmallVector<std::pair<int64_t, Value>> parts;
  SmallVector<Value> others;
};

struct AccumulateGradientsBeforePadding
    : ::ingot::graph::impl::AccumulateGradientsBeforePaddingPassBase<
          AccumulateGradientsBeforePadding> {
  void runOnOperation() override {
    SmallVector<AddNOp> sums;
    getOperation().walk([&](AddNOp sum) { sums.push_back(sum); });
    for (AddNOp sum : sums)
      if (PaddedSumToConcatRewriter parts(sum); parts.find()) {
        LLVM_DEBUG(llvm::dbgs() << "concatenate the slices of the sum at "
                                << sum.getLoc() << '\n');
        parts.rewrite();
        ++numConcatenated;
      }
    SmallVector<WhileOp> loops;
    getOperation().walk([&](WhileOp loop) { loops.push_back(loop); });
    for (WhileOp loop : loops)
      if (LoopPaddingSinker sums(loop); sums.find()) {
        LLVM_DEBUG(llvm::dbgs()
                   << "accumulate " << sums.count() << " slices in the loop at "
                   << loop.getLoc() << '\n');
        numAccumulated += sums.count();
        sums.rewrite();
      }
  }
};

} // namespace
