//===- PartialConstants.cpp - Evaluate partly known shapes ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/PartialConstants.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/Folding.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/SetOps.h"
#include "dialects/Ingot/IR/StridedSlices.h"
#include "dialects/Ingot/IR/TensorArrayOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ingot;

using Ints = SmallVector<int64_t>;
static constexpr int64_t unknown = ShapedType::kDynamic;

namespace {

/// Evaluates tensors of integers as far as they are known, by recursion through
/// the ops that compute them.
class PartialConstantEvaluator {
public:
  /// Returns the elements of `value`, each `unknown` if the ops that compute it
  /// do not determine it. Returns std::nullopt if the number of elements is
  /// unknown, or too large for a shape.
  std::optional<Ints> evaluate(Value value) {
    Type element = getElementTypeOrSelf(value.getType());
    std::optional<int64_t> count =
        getNumElements(getTensorShape(value.getType()));
    if (!count || *count > kMaxRank || !element.isInteger() ||
        element.isInteger(1))
      return std::nullopt;
    if (std::optional<Ints> constant = getConstantInts(value))
      return constant;
    Ints ints(*count, unknown);
    Operation *op = value.getDefiningOp();
    // Limits the number of ops that are visited. A limit on the depth would not
    // suffice: graphs share subexpressions, each of which may be visited often.
    if (!op || visits++ > 256)
      return ints;
    std::optional<Ints> found = evaluateOp(op, *count);
    if (!found || found->size() != ints.size())
      return ints;
    for (auto [into, from] : llvm::zip_equal(ints, *found))
      if (from != unknown && fits(from, element))
        into = from;
    return ints;
  }

private:
  /// Whether `value` can be an element of this type. Numbers that would wrap
  /// around count as unknown.
  static bool fits(int64_t value, Type element) {
    unsigned width = element.getIntOrFloatBitWidth();
    return element.isUnsignedInteger()
               ? value >= 0 && (width == 64 || llvm::isUIntN(width, value))
               : llvm::isIntN(width, value);
  }

  /// Evaluates the `count` elements of an op's result, or returns std::nullopt
  /// if this evaluator does not support the op.
  std::optional<Ints> evaluateOp(Operation *op, int64_t count) {
    return llvm::TypeSwitch<Operation *, std::optional<Ints>>(op)
        .Case<ShapeOp>([](ShapeOp shape) -> std::optional<Ints> {
          return getTensorShape(shape.getInput().getType());
        })
        .Case<ReshapeOp, ExpandDimsOp, SqueezeOp, CastOp>(
            [&](auto same) { return evaluate(same.getInput()); })
        .Case<ConcatOp>([&](ConcatOp concat) { return evaluate(concat); })
        .Case<StridedSliceOp>(
            [&](StridedSliceOp slice) { return evaluate(slice); })
        .Case<SliceOp>([&](SliceOp slice) { return evaluate(slice, count); })
        .Case<GatherOp>([&](GatherOp gather) { return evaluate(gather); })
        .Case<BroadcastArgsOp>(
            [&](BroadcastArgsOp args) { return evaluate(args); })
        .Case<FillOp>([&](FillOp fill) { return evaluate(fill, count); })
        .Case<RangeOp>([&](RangeOp range) { return evaluate(range, count); })
        .Case<AddOp, SubOp, MulOp, MaximumOp, MinimumOp, FloorDivOp,
              FloorModOp>(
            [&](Operation *binary) { return evaluateBinary(binary); })
        .Case<ProdOp>([&](ProdOp prod) { return evaluate(prod); })
        .Case<OneHotOp>([&](OneHotOp row) { return evaluate(row, count); })
        .Case<DynamicStitchOp>(
            [&](DynamicStitchOp stitch) { return evaluate(stitch, count); })
        .Case<TensorScatterOp>(
            [&](TensorScatterOp scatter) { return evaluate(scatter); })
        .Case<StackPopOp>([&](StackPopOp pop) { return evaluate(pop); })
        .Default([](Operation *) { return std::nullopt; });
  }

  static bool isVector(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getRank() == 1;
  }

  std::optional<Ints> evaluate(ConcatOp concat) {
    Ints all;
    for (Value input : concat.getInputs()) {
      std::optional<Ints> part = evaluate(input);
      if (!part || !isVector(input))
        return std::nullopt;
      llvm::append_range(all, *part);
    }
    return all;
  }

  std::optional<Ints> evaluate(StridedSliceOp slice) {
    std::optional<Ints> input = evaluate(slice.getInput());
    if (!input || !isVector(slice.getInput()))
      return std::nullopt;
    FailureOr<SlicePlan> plan =
        planStridedSlice(std::nullopt, 1, slice.getBegin(), slice.getEnd(),
                         slice.getStrides(), SliceMasks(slice));
    if (failed(plan))
      return std::nullopt;
    for (const SlicedDim &dim : *plan) {
      if (dim.kind == SlicedDim::New)
        continue;
      std::optional<StridedRange> range = dim.rangeOf(input->size());
      if (!range)
        return std::nullopt;
      Ints picked;
      for (int64_t i = 0; i < range->count; ++i)
        picked.push_back((*input)[range->begin + i * range->stride]);
      return picked;
    }
    return std::nullopt;
  }

  std::optional<Ints> evaluate(SliceOp slice, int64_t count) {
    std::optional<Ints> input = evaluate(slice.getInput());
    std::optional<Ints> begin = evaluate(slice.getBegin());
    if (!input || !begin || !isVector(slice.getInput()) || begin->size() != 1 ||
        begin->front() < 0 ||
        begin->front() + count > static_cast<int64_t>(input->size()))
      return std::nullopt;
    return Ints(ArrayRef<int64_t>(*input).slice(begin->front(), count));
  }

  std::optional<Ints> evaluate(GatherOp gather) {
    std::optional<Ints> input = evaluate(gather.getInput());
    std::optional<Ints> indices = evaluate(gather.getIndices());
    if (!input || !indices || !isVector(gather.getInput()) ||
        gather.getBatchDims() != 0)
      return std::nullopt;
    Ints picked;
    for (int64_t index : *indices)
      picked.push_back(index < 0 || index >= static_cast<int64_t>(input->size())
                           ? unknown
                           : (*input)[index]);
    return picked;
  }

  std::optional<Ints> evaluate(BroadcastArgsOp args) {
    std::optional<Ints> a = evaluate(args.getS0()), b = evaluate(args.getS1());
    if (!a || !b)
      return std::nullopt;
    // broadcastShapes also handles unknown sizes. If one of two sizes is
    // unknown, and the other is known and above 1, the unknown size must be 1
    // or equal to the known one. In both cases the result has the known size.
    FailureOr<Shape> shape =
        broadcastShapes(std::nullopt, Shape(*a), Shape(*b));
    if (failed(shape) || !*shape)
      return std::nullopt;
    return **shape;
  }

  /// Evaluates the product of all elements of a vector.
  std::optional<Ints> evaluate(ProdOp prod) {
    std::optional<Ints> input = evaluate(prod.getInput());
    auto type = dyn_cast<RankedTensorType>(prod.getType());
    if (!input || !isVector(prod.getInput()) || !type ||
        (type.getRank() != 0 && !prod.getKeepDims()) ||
        getConstantInts(prod.getAxes()).value_or(Ints()).size() != 1)
      return std::nullopt;
    int64_t product = 1;
    for (int64_t factor : *input)
      product = combine(prod, product, factor);
    return Ints{product};
  }

  std::optional<Ints> evaluate(FillOp fill, int64_t count) {
    std::optional<Ints> number = evaluate(fill.getValue());
    if (!number || number->size() != 1)
      return std::nullopt;
    return Ints(count, number->front());
  }

  /// Evaluates the `count` numbers of a range from its start and delta. The
  /// limit only determines how many numbers there are, which the result's type
  /// states.
  std::optional<Ints> evaluate(RangeOp range, int64_t count) {
    std::optional<Ints> start = evaluate(range.getStart());
    std::optional<Ints> delta = evaluate(range.getDelta());
    if (!start || !delta)
      return std::nullopt;
    Ints all(count, unknown);
    int64_t next = start->front(), step = delta->front();
    if (next == unknown || step == unknown)
      return all;
    for (int64_t &number : all) {
      number = next;
      if (llvm::AddOverflow(next, step, next))
        break;
    }
    return all;
  }

  /// Evaluates a one-hot vector. Graphs that compute the offsets of a
  /// concatenation contain such vectors.
  std::optional<Ints> evaluate(OneHotOp row, int64_t count) {
    std::optional<Ints> index = evaluate(row.getIndices());
    std::optional<Ints> on = evaluate(row.getOn());
    std::optional<Ints> off = evaluate(row.getOff());
    if (!index || !on || !off || index->size() != 1 ||
        index->front() == unknown || !isVector(row.getOutput()))
      return std::nullopt;
    Ints all(count, off->front());
    if (index->front() >= 0 && index->front() < count)
      all[index->front()] = on->front();
    return all;
  }

  std::optional<Ints> evaluate(DynamicStitchOp stitch, int64_t count) {
    Ints all(count, unknown);
    for (auto [indices, data] :
         llvm::zip(stitch.getIndices(), stitch.getData())) {
      std::optional<Ints> places = evaluate(indices);
      std::optional<Ints> values = evaluate(data);
      if (!places || !values || places->size() != values->size())
        return std::nullopt;
      for (auto [place, value] : llvm::zip_equal(*places, *values)) {
        if (place < 0 || place >= count)
          return std::nullopt;
        all[place] = value;
      }
    }
    return all;
  }

  /// Evaluates a scatter that overwrites elements, by which graphs invert
  /// permutations.
  std::optional<Ints> evaluate(TensorScatterOp scatter) {
    std::optional<Ints> all = evaluate(scatter.getInput());
    std::optional<Ints> places = evaluate(scatter.getIndices());
    std::optional<Ints> values = evaluate(scatter.getUpdates());
    if (!all || !places || !values || !isVector(scatter.getInput()) ||
        scatter.getCombine() != "update" || places->size() != values->size())
      return std::nullopt;
    for (auto [place, value] : llvm::zip_equal(*places, *values)) {
      if (place < 0 || place >= static_cast<int64_t>(all->size()))
        return std::nullopt;
      (*all)[place] = value;
    }
    return all;
  }

  /// Evaluates a tensor that is popped from a TF1 stack, on which a loop keeps
  /// values for its gradient: an element is known if it is the same in all
  /// tensors that are pushed. While the entry is not yet part of a module, ops
  /// that push to the stack may still be missing, so nothing is known.
  std::optional<Ints> evaluate(StackPopOp pop) {
    auto stack = pop.getHandle().getDefiningOp<StackOp>();
    if (!stack || !pop->getParentOfType<ModuleOp>())
      return std::nullopt;
    std::optional<Ints> all;
    for (OpOperand &use : stack->getResult(0).getUses()) {
      if (isa<StackPopOp>(use.getOwner()))
        continue;
      auto push = dyn_cast<StackPushOp>(use.getOwner());
      if (!push || use.getOperandNumber() != 0)
        return std::nullopt;
      std::optional<Ints> pushed = evaluate(push.getValue());
      if (!pushed || (all && all->size() != pushed->size()))
        return std::nullopt;
      if (!all)
        all = pushed;
      for (auto [into, from] : llvm::zip_equal(*all, *pushed))
        if (into != from)
          into = unknown;
    }
    return all;
  }

  /// Evaluates an elementwise op on two operands, one of which may be a scalar.
  std::optional<Ints> evaluateBinary(Operation *op) {
    std::optional<Ints> a = evaluate(op->getOperand(0));
    std::optional<Ints> b = evaluate(op->getOperand(1));
    if (!a || !b ||
        (a->size() != b->size() && a->size() != 1 && b->size() != 1))
      return std::nullopt;
    Ints result;
    for (size_t i = 0, e = std::max(a->size(), b->size()); i < e; ++i)
      result.push_back(combine(op, (*a)[a->size() == 1 ? 0 : i],
                               (*b)[b->size() == 1 ? 0 : i]));
    return result;
  }

  /// Returns the result of a binary op on two elements, or `unknown`. A product
  /// with 0 is known even if the other factor is not.
  static int64_t combine(Operation *op, int64_t a, int64_t b) {
    bool isProduct = isa<MulOp, ProdOp>(op);
    if (isProduct && (a == 0 || b == 0))
      return 0;
    int64_t result = unknown;
    if (a == unknown || b == unknown)
      return unknown;
    bool isDivision = isa<FloorDivOp, FloorModOp>(op);
    bool isDecided = isDivision ? b > 0 && a % b == 0 : a == b;
    if (auto largest = op->getAttrOfType<IntegerAttr>(largestComparedAttrName);
        largest && !isDecided && std::max(a, b) > largest.getInt())
      return unknown;
    bool overflows = isa<AddOp>(op)   ? llvm::AddOverflow(a, b, result)
                     : isa<SubOp>(op) ? llvm::SubOverflow(a, b, result)
                     : isProduct      ? llvm::MulOverflow(a, b, result)
                                      : false;
    // Divisions are evaluated only for numbers that are not negative, as sizes
    // are.
    if (isa<FloorDivOp>(op) && a >= 0 && b > 0)
      result = a / b;
    if (isa<FloorModOp>(op) && a >= 0 && b > 0)
      result = a % b;
    if (isa<MaximumOp>(op))
      result = std::max(a, b);
    else if (isa<MinimumOp>(op))
      result = std::min(a, b);
    return overflows ? unknown : result;
  }

  unsigned visits = 0;
};

} // namespace

std::optional<SmallVector<int64_t>> mlir::ingot::getPartialInts(Value value) {
  return PartialConstantEvaluator().evaluate(value);
}

Attribute mlir::ingot::foldKnownInts(Value result) {
  RankedTensorType type = getFoldableType(result.getType());
  if (!type)
    return nullptr;
  std::optional<Ints> ints = getPartialInts(result);
  if (!ints || llvm::is_contained(*ints, unknown))
    return nullptr;
  unsigned width = type.getElementType().getIntOrFloatBitWidth();
  SmallVector<APInt> elements;
  for (int64_t value : *ints)
    elements.push_back(APInt(width, value, /*isSigned=*/true,
                             /*implicitTrunc=*/true));
  return makeConstant(type, elements);
}
