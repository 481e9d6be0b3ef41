//===- RaiseSelections.cpp - Raises moving averages and selections --------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/RaiseToEnsembleOps.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/Folding.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/RequireValuesOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

/// Returns the value of a float constant whose elements are all equal;
/// std::nullopt for other values.
static std::optional<APFloat> constantFloat(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat() ||
      !isa<FloatType>(elements.getElementType()))
    return std::nullopt;
  return elements.getSplatValue<APFloat>();
}

static bool isNumber(Value value, double number) {
  Attribute constant;
  return matchPattern(value, m_Constant(&constant)) &&
         isSplatOf(constant, number);
}

//===----------------------------------------------------------------------===//
// Raises moving averages to ingot.ema
//===----------------------------------------------------------------------===//

/// Raises `average`, a quotient, to ingot.ema if it is biased / (1 - d^step):
/// Adam's bias correction (Kingma and Ba 2015), which TensorFlow calls
/// zero-debiasing.
static void raiseAverage(EnsembleRaiser &block, RealDivOp average) {
  auto left = average.getRhs().getDefiningOp<SubOp>();
  auto power = left && isNumber(left.getLhs(), 1.0)
                   ? left.getRhs().getDefiningOp<PowOp>()
                   : PowOp();
  auto step = power ? power.getRhs().getDefiningOp<AddOp>() : AddOp();
  std::optional<APFloat> decay =
      power ? constantFloat(power.getLhs()) : std::nullopt;
  auto biased = average.getLhs().getDefiningOp<SubOp>();
  auto change = biased ? biased.getRhs().getDefiningOp<MulOp>() : MulOp();
  auto distance = change ? change.getLhs().getDefiningOp<SubOp>() : SubOp();
  std::optional<APFloat> rate =
      change ? constantFloat(change.getRhs()) : std::nullopt;
  if (!step || !decay || !distance || !rate)
    return;
  auto missed = [&](const Twine &why) {
    block.missed(average.getLoc(), "not a moving average: " + why);
  };
  if (!isNumber(step.getRhs(), 1.0))
    return missed("the step counter does not increase by 1");
  if (biased.getLhs() != distance.getLhs())
    return missed("the update is not relative to the average's own value");
  APFloat kept = APFloat(rate->getSemantics(), 1);
  kept.subtract(*rate, APFloat::rmNearestTiesToEven);
  if (!kept.bitwiseIsEqual(*decay))
    return missed("the bias does not decay by 1 - rate");
  bool losesInfo;
  APFloat wide = *rate;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  double number = wide.convertToDouble();
  if (!(number > 0 && number <= 1))
    return missed("the rate " + std::to_string(number) + " is not in (0, 1]");
  if (biased.getType() != average.getType() ||
      cast<RankedTensorType>(step.getType()).getRank() != 0)
    return missed(
        "the value is broadcast, or its step counter is not a scalar");
  Value operands[] = {distance.getLhs(), step.getLhs(), distance.getRhs()};
  Value results[] = {average, biased, step};
  OpBuilder builder(average.getContext());
  if (failed(block.place(builder, operands, results)))
    return missed("the average is used before the averaged value is defined");
  auto raised =
      EmaOp::create(builder, average.getLoc(), operands[0], operands[1],
                    operands[2], builder.getF64FloatAttr(number));
  for (auto [old, result] : llvm::zip(results, raised.getResults()))
    old.replaceAllUsesWith(result);
  eraseUnused(average);
  block.found(raised, "a moving average");
}

void raiseAverages(EnsembleRaiser &block) {
  for (auto average :
       llvm::make_early_inc_range(block.getBlock().getOps<RealDivOp>()))
    if (isa<RankedTensorType>(average.getType()))
      raiseAverage(block, average);
}

//===----------------------------------------------------------------------===//
// Raises the selection of the best candidate to ingot.select_best
//===----------------------------------------------------------------------===//

/// If `vector` is a vector packed from scalars (tf.stack), returns these
/// scalars; an empty vector otherwise.
static SmallVector<Value> stackedScalars(Value vector) {
  auto stack = vector.getDefiningOp<ConcatOp>();
  auto type = dyn_cast<RankedTensorType>(vector.getType());
  if (!stack || !type || type.getRank() != 1)
    return {};
  SmallVector<Value> scalars;
  for (Value part : stack.getInputs()) {
    Value scalar = throughReshapes(part);
    auto inner = dyn_cast<RankedTensorType>(scalar.getType());
    if (!inner || inner.getRank() != 0)
      return {};
    scalars.push_back(scalar);
  }
  return scalars;
}

/// If `list` stacks tensors along a new first dimension, returns these tensors;
/// returns an empty vector otherwise.
static SmallVector<Value> stackedTensors(Value list) {
  auto stack = list.getDefiningOp<ConcatOp>();
  if (!stack || getConstantInt(stack.getAxis()) != 0)
    return {};
  SmallVector<Value> tensors;
  for (Value part : stack.getInputs()) {
    Operation *op = part.getDefiningOp();
    auto outer = dyn_cast<RankedTensorType>(part.getType());
    if (!op || !outer || !isa<ExpandDimsOp, ReshapeOp>(op))
      return {};
    Value tensor = op->getOperand(0);
    auto inner = dyn_cast<RankedTensorType>(tensor.getType());
    if (!inner || outer.getRank() != inner.getRank() + 1 ||
        outer.getDimSize(0) != 1 ||
        outer.getShape().drop_front() != inner.getShape())
      return {};
    bool isStacked = isa<ReshapeOp>(op)
                         ? inner.hasStaticShape()
                         : getConstantInt(op->getOperand(1)) == 0;
    if (!isStacked)
      return {};
    tensors.push_back(tensor);
  }
  return tensors;
}

namespace {
/// The operands and results of a select_best op, which selects the best of
/// several candidate ensembles. `values` are the elements of one or more lists,
/// each with one value per candidate. `chosen` has, for each of these lists,
/// the value that the graph selects from it by the index of the best candidate.
struct SelectBestCandidateOperands {
  SmallVector<Value> values, chosen;
  void add(ArrayRef<Value> list, Value result) {
    values.append(list.begin(), list.end());
    chosen.push_back(result);
  }
};
} // namespace

/// Whether `slice` is `list[index]`: it starts at `begin` (a tensor that holds
/// `index`), takes one element, and drops the dimension.
static bool takesOne(StridedSliceOp slice, Value begin, Value index) {
  if (slice.getBegin() != begin || slice.getShrinkAxisMask() != 1 ||
      slice.getBeginMask() != 0 || slice.getEndMask() != 0 ||
      slice.getEllipsisMask() != 0 || slice.getNewAxisMask() != 0 ||
      getConstantInt(slice.getStrides()) != 1)
    return false;
  auto end = throughReshapes(slice.getEnd()).getDefiningOp<AddOp>();
  return end && throughReshapes(end.getLhs()) == index &&
         isNumber(end.getRhs(), 1);
}

/// Finds the values that `index` selects from lists with one element per
/// candidate. Adds each list and the value selected from it to `scalars` if its
/// elements are scalars, and to `tensors` otherwise.
static void findChosen(Value index, size_t candidates,
                       SelectBestCandidateOperands &scalars,
                       SelectBestCandidateOperands &tensors) {
  auto addTensor = [&](Value list, Value result) {
    SmallVector<Value> stacked = stackedTensors(list);
    if (stacked.size() == candidates && llvm::all_of(stacked, [&](Value value) {
          return value.getType() == result.getType();
        }))
      tensors.add(stacked, result);
  };
  SmallVector<Value> indices = {index};
  for (size_t i = 0; i != indices.size(); ++i)
    for (Operation *user : indices[i].getUsers()) {
      if (isa<ReshapeOp, ExpandDimsOp, SqueezeOp>(user) &&
          user->getOperand(0) == indices[i]) {
        indices.push_back(user->getResult(0));
        continue;
      }
      if (auto gather = dyn_cast<GatherOp>(user);
          gather && gather.getIndices() == index &&
          getConstantInt(gather.getAxis()) == 0 && gather.getBatchDims() == 0)
        addTensor(gather.getInput(), gather.getResult());
      if (auto slice = dyn_cast<StridedSliceOp>(user);
          slice && takesOne(slice, indices[i], index))
        addTensor(slice.getInput(), slice.getResult());
      auto slice = dyn_cast<SliceOp>(user);
      if (!slice || slice.getBegin() != indices[i] ||
          getConstantInt(slice.getSize()) != 1)
        continue;
      SmallVector<Value> list = stackedScalars(slice.getInput());
      if (list.size() != candidates)
        continue;
      for (Operation *taken : slice->getUsers()) {
        auto type = dyn_cast<RankedTensorType>(taken->getResultTypes().front());
        if (!isa<ReshapeOp, SqueezeOp>(taken) || !type || type.getRank() != 0)
          continue;
        scalars.add(list, taken->getResult(0));
      }
    }
}

/// Returns the result of `comparison` if it is the same for every `index` in
/// [0, candidates); std::nullopt otherwise.
static std::optional<bool> compare(arith::CmpIOp comparison, Value index,
                                   int64_t candidates) {
  std::optional<bool> known;
  for (int64_t i = 0; i != candidates; ++i) {
    auto valueOf = [&](Value value) -> std::optional<APInt> {
      if (value == index)
        return APInt(64, i);
      if (std::optional<int64_t> constant = getConstantIntValue(value))
        return APInt(64, *constant, true);
      auto difference = value.getDefiningOp<arith::SubIOp>();
      if (!difference || difference.getRhs() != index)
        return std::nullopt;
      std::optional<int64_t> from = getConstantIntValue(difference.getLhs());
      return from ? std::optional(APInt(64, *from - i, true)) : std::nullopt;
    };
    std::optional<APInt> lhs = valueOf(comparison.getLhs());
    std::optional<APInt> rhs = valueOf(comparison.getRhs());
    if (!lhs || !rhs)
      return std::nullopt;
    bool holds =
        arith::applyCmpPredicate(comparison.getPredicate(), *lhs, *rhs);
    if (known && *known != holds)
      return std::nullopt;
    known = holds;
  }
  return known;
}

/// Folds comparisons of `index`, such as those in bounds checks, if their
/// result is the same for the index of every candidate. Checks that depend on
/// these comparisons thus become redundant.
static void dropChecks(Value index, int64_t candidates) {
  SmallVector<Value> tensors = {index}, numbers;
  for (size_t i = 0; i != tensors.size(); ++i)
    for (Operation *user : tensors[i].getUsers()) {
      if (isa<ReshapeOp, ExpandDimsOp, SqueezeOp>(user) &&
          user->getOperand(0) == tensors[i])
        tensors.push_back(user->getResult(0));
      else if (auto element = dyn_cast<tensor::ExtractOp>(user))
        numbers.push_back(element);
    }
  SmallVector<arith::CmpIOp> comparisons;
  for (size_t i = 0; i != numbers.size(); ++i) {
    for (Operation *user : numbers[i].getUsers()) {
      if (auto cast = dyn_cast<arith::IndexCastOp>(user))
        numbers.push_back(cast);
      for (Operation *next : user->getUsers())
        if (auto comparison = dyn_cast<arith::CmpIOp>(next))
          comparisons.push_back(comparison);
      if (auto comparison = dyn_cast<arith::CmpIOp>(user))
        comparisons.push_back(comparison);
    }
  }
  llvm::SmallPtrSet<Operation *, 8> seen;
  for (arith::CmpIOp comparison : comparisons) {
    if (!seen.insert(comparison).second)
      continue;
    for (Value number : numbers)
      if (std::optional<bool> known = compare(comparison, number, candidates)) {
        OpBuilder builder(comparison);
        comparison.replaceAllUsesWith(
            arith::ConstantIntOp::create(builder, comparison.getLoc(), *known,
                                         1)
                .getResult());
        break;
      }
  }
}

/// Erases checks that the index of a gather is in range. They always succeed,
/// because the index is below `candidates`.
static void dropGatherChecks(Value index, int64_t candidates) {
  for (Operation *user : llvm::make_early_inc_range(index.getUsers())) {
    auto check = dyn_cast<RequireIndicesOp>(user);
    if (!check || check.getKind() != "gather" || check.getAxis() != 0 ||
        check.getIndices() != index)
      continue;
    int64_t limit = 0;
    if (auto shape = check.getLimits().getDefiningOp<ShapeOp>()) {
      auto type = dyn_cast<RankedTensorType>(shape.getInput().getType());
      if (type && type.getRank() > 0 && !type.isDynamicDim(0))
        limit = type.getDimSize(0);
    } else if (auto sizes = getConstantInts(check.getLimits());
               sizes && !sizes->empty()) {
      limit = sizes->front();
    }
    if (limit >= candidates)
      check.erase();
  }
}

/// If `best` computes the index of the smallest of several scalar losses,
/// returns these losses; otherwise returns an empty vector. Emits a remark with
/// the reason if the ops nearly match.
static SmallVector<Value> findLosses(EnsembleRaiser &block, ArgMaxOp best) {
  // Graphs compute the argmin of the losses as the argmax of the negated
  // losses.
  auto turned = best.getInput().getDefiningOp<NegOp>();
  auto cleaned =
      turned ? turned.getInput().getDefiningOp<SelectOp>() : SelectOp();
  auto isNan =
      cleaned ? cleaned.getCondition().getDefiningOp<IsNanOp>() : IsNanOp();
  if (!isNan)
    return {};
  auto missed = [&](const Twine &why) {
    block.missed(best.getLoc(), "not a selection of the best loss: " + why);
    return SmallVector<Value>();
  };
  SmallVector<Value> losses = stackedScalars(cleaned.getElseValue());
  if (losses.empty())
    return missed("the losses are not stacked scalars");
  if (isNan.getInput() != cleaned.getElseValue())
    return missed("is_nan tests another tensor than the losses");
  if (!isNumber(cleaned.getThenValue(),
                -std::numeric_limits<double>::infinity()))
    return missed("a loss of NaN is not replaced by -inf");
  if (!best.getOutputType().isInteger(64))
    return missed("the index of the candidate is not int64");
  return losses;
}

/// Creates a select_best op from `losses` and the lists in `choice`, and
/// replaces the values in `choice.chosen` by its results. If `withIndex` is
/// set, also replaces the index that `best` computes. Returns null if the new
/// op would not dominate all uses of the replaced values.
static SelectBestOp raiseChoice(EnsembleRaiser &block, ArgMaxOp best,
                                ArrayRef<Value> losses,
                                const SelectBestCandidateOperands &choice,
                                bool withIndex) {
  SmallVector<Value> operands(losses), results;
  operands.append(choice.values);
  if (withIndex)
    results.push_back(best.getResult());
  results.append(choice.chosen);
  OpBuilder builder(best.getContext());
  if (failed(block.place(builder, operands, results)))
    return {};
  auto raised =
      SelectBestOp::create(builder, best.getLoc(), losses, choice.values,
                           builder.getStringAttr("first"), false);
  ValueRange raisedResults = raised.getResults();
  for (auto [old, result] : llvm::zip(
           results, withIndex ? raisedResults : raisedResults.drop_front()))
    old.replaceAllUsesWith(result);
  std::string also;
  if (!choice.chosen.empty())
    also = ", and " + EnsembleRaiser::counted(choice.chosen.size(), "value") +
           " of it";
  block.found(raised, "the best of " +
                          EnsembleRaiser::counted(losses.size(), "candidate") +
                          also);
  return raised;
}

static void raiseSelection(EnsembleRaiser &block, ArgMaxOp best) {
  SmallVector<Value> losses = findLosses(block, best);
  if (losses.empty())
    return;
  SelectBestCandidateOperands scalars, tensors;
  findChosen(best.getResult(), losses.size(), scalars, tensors);
  SelectBestCandidateOperands all = scalars;
  all.values.append(tensors.values);
  all.chosen.append(tensors.chosen);
  SelectBestOp raised = raiseChoice(block, best, losses, all, true);
  if (!raised) {
    // A single select_best op would have to come before the first use of the
    // selected loss, but tensors such as predictions are often computed later.
    // So the tensors get a select_best op of their own.
    if (!tensors.chosen.empty() &&
        !raiseChoice(block, best, losses, tensors, false))
      tensors = {};
    raised = raiseChoice(block, best, losses, scalars, true);
  }
  if (!raised) {
    block.missed(best.getLoc(), "not a selection of the best loss: a selected "
                                "value is used before it is defined");
    scalars = {};
    raised = raiseChoice(block, best, losses, scalars, true);
  }
  if (!raised)
    return;
  dropChecks(raised.getIndex(), losses.size());
  dropGatherChecks(raised.getIndex(), losses.size());
  for (const SelectBestCandidateOperands &choice : {tensors, scalars})
    for (Value old : llvm::reverse(choice.chosen))
      eraseUnused(old.getDefiningOp());
  eraseUnused(best);
}

void raiseSelections(EnsembleRaiser &block) {
  SmallVector<ArgMaxOp> all(block.getBlock().getOps<ArgMaxOp>());
  for (ArgMaxOp best : all)
    raiseSelection(block, best);
}

} // namespace ingot::graph
