//===- SparseAccumulatorOps.cpp - Accumulators of rows --------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports the ops that apply and take the gradients of a sparse accumulator.
// Its sum is a list of rows, each with its index and the number of gradients
// that were added to it. As the list grows, a queue holds it as one element, if
// gradients have been applied since they were taken.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/ControlFlow/ControlFlow.h"
#include "compiler/Import/Entries/Entries.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Input/Accumulators.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/QueueOps.h"
#include "dialects/Ingot/IR/SparseOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

RankedTensorType typeOfRows(Program &program, int accumulator) {
  const Graph &graph = program.graph;
  RankedTensorType type;
  for (int node = 0; node < graph.size() && !type; ++node) {
    const Graph::Node &apply = graph[node];
    if (apply.op() != "SparseAccumulatorApplyGradient" ||
        apply.inputs.size() != 5 ||
        graph.skipIdentities(apply.inputs[0]).first != accumulator)
      continue;
    EntrySpec trial;
    trial.fetches.push_back({graph.nameOf(apply.inputs[3]), apply.inputs[3]});
    tryImport(program, trial, [&](Block &block) {
      if (block.empty() || !block.back().hasTrait<OpTrait::IsTerminator>() ||
          block.back().getNumOperands() != 1)
        return;
      auto rows =
          dyn_cast<RankedTensorType>(block.back().getOperand(0).getType());
      if (!rows || rows.getRank() == 0)
        return;
      SmallVector<int64_t> shape(rows.getShape());
      shape.front() = ShapedType::kDynamic;
      type = RankedTensorType::get(shape, rows.getElementType());
    });
  }
  return type;
}

namespace {

/// Rows of gradients: their indices, their values, and the number of gradients
/// that were added to each.
struct GradientRows {
  Value indices, values, counts;
};

/// Creates ops on lists of rows.
class GradientRowsBuilder {
public:
  GradientRowsBuilder(NodeImport &node, AccumulatorBuilder &accumulator)
      : node(node), accumulator(accumulator) {}

  /// Takes the list out of the accumulator's queue, or puts one into it.
  GradientRows take();
  void put(const GradientRows &rows);

  /// Returns the rows of one gradient, or an empty list of such rows.
  GradientRows ofGradient(Value indices, Value values, bool isEmpty);
  /// Adds `gradient` to `sum`, as TensorFlow does: merges the rows of both as
  /// if their indices were in ascending order, and adds two rows with the same
  /// index if they meet.
  GradientRows merge(const GradientRows &sum, const GradientRows &gradient);

private:
  const ImportedQueues::QueueOrReader *queue();
  FlatSymbolRefAttr symbolOf(const ImportedQueues::QueueOrReader &queue) {
    return SymbolRefAttr::get(
        cast<IteratorOp>(queue.iterator).getSymNameAttr());
  }
  Value vector(ArrayRef<int64_t> elements) {
    return createConstant(node.body.builder, node.loc,
                          node.body.builder.getI64TensorAttr(elements));
  }
  Value shapeOf(Value rows);
  Value numbered(Value indices, int64_t factor);
  Value pick(Value rows, Value positions);

  NodeImport &node;
  AccumulatorBuilder &accumulator;
};

} // namespace

const ImportedQueues::QueueOrReader *GradientRowsBuilder::queue() {
  Type index = node.body.builder.getI64Type();
  auto vectorType = RankedTensorType::get({ShapedType::kDynamic}, index);
  const ImportedQueues::QueueOrReader *found =
      node.body.program.queues.addStore(
          node.body.program, accumulator.accumulator, accumulator.name,
          {vectorType, accumulator.type, vectorType});
  if (!found)
    node.unsupported("its accumulator cannot be compiled");
  return found;
}

GradientRows GradientRowsBuilder::take() {
  const ImportedQueues::QueueOrReader *from = queue();
  if (!from)
    return {};
  auto op = QueueDequeueOp::create(
      node.body.builder, node.loc, from->components, symbolOf(*from),
      node.body.builder.getI64IntegerAttr(from->number), Value(),
      node.body.builder.getBoolAttr(false));
  return {op.getResult(0), op.getResult(1), op.getResult(2)};
}

void GradientRowsBuilder::put(const GradientRows &rows) {
  const ImportedQueues::QueueOrReader *to = queue();
  if (!to || !rows.indices || !rows.values || !rows.counts)
    return;
  QueueEnqueueOp::create(node.body.builder, node.loc, symbolOf(*to),
                         node.body.builder.getI64IntegerAttr(to->number),
                         {rows.indices, rows.values, rows.counts},
                         node.body.builder.getBoolAttr(false));
}

// Returns the shape of `rows`, a vector with an element for each row.
Value GradientRowsBuilder::shapeOf(Value rows) {
  return node.make<ShapeOp>(
      rows,
      node.named("output_type", TypeAttr::get(node.body.builder.getI64Type())));
}

GradientRows GradientRowsBuilder::ofGradient(Value indices, Value values,
                                             bool isEmpty) {
  if (isEmpty) {
    Value axis = accumulator.integer(0), none = vector({});
    indices = node.make<GatherOp>({indices, none, axis});
    values = node.make<GatherOp>({values, none, axis});
  }
  return {indices, values,
          node.make<FillOp>({shapeOf(indices), accumulator.integer(1)})};
}

// Returns 1, 2, 3, ... for the rows, times `factor`.
Value GradientRowsBuilder::numbered(Value indices, int64_t factor) {
  Value size = node.make<ReshapeOp>({shapeOf(indices), vector({})});
  Value end = node.make<AddOp>({size, accumulator.integer(1)});
  Value numbers =
      node.make<RangeOp>({accumulator.integer(1), end, accumulator.integer(1)});
  return node.make<MulOp>({numbers, accumulator.integer(factor)});
}

// Returns the rows at `positions`, which count from 1. Position 0 gives zeros.
Value GradientRowsBuilder::pick(Value rows, Value positions) {
  auto type =
      dyn_cast_or_null<RankedTensorType>(rows ? rows.getType() : Type());
  if (!type)
    return {};
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = 1;
  Value zeros = accumulator.filled(
      RankedTensorType::get(shape, type.getElementType()), 0);
  Value axis = accumulator.integer(0);
  return node.make<GatherOp>(
      {node.make<ConcatOp>({axis, zeros, rows}), positions, axis});
}

GradientRows GradientRowsBuilder::merge(const GradientRows &sum,
                                        const GradientRows &gradient) {
  // The sum of two sparse vectors merges elements by their indices in the same
  // way. Here the elements encode the positions of rows, so that each element
  // of the result tells which rows are added: those of `sum` are in its lower
  // half, those of `gradient` in its upper half.
  constexpr int64_t upper = int64_t(1) << 32;
  Value one = accumulator.integer(1);
  Value shape = vector({std::numeric_limits<int64_t>::max()});
  Operation *merged = nullptr;
  Value sumColumn = node.make<ExpandDimsOp>({sum.indices, one});
  Value gradientColumn = node.make<ExpandDimsOp>({gradient.indices, one});
  Value sumRows = numbered(sum.indices, 1);
  Value gradientRows = numbered(gradient.indices, upper);
  if (sumColumn && gradientColumn && sumRows && gradientRows)
    merged =
        node.create<SparseAddOp>({sumColumn, sumRows, shape, gradientColumn,
                                  gradientRows, shape, accumulator.integer(0)});
  if (!merged)
    return {};
  Value codes = merged->getResult(1), half = accumulator.integer(upper);
  Value ofSum = node.make<FloorModOp>({codes, half});
  Value ofGradient = node.make<FloorDivOp>({codes, half});
  auto added = [&](Value a, Value b) {
    return node.make<AddOp>({pick(a, ofSum), pick(b, ofGradient)});
  };
  return {node.make<ReshapeOp>({merged->getResult(0), vector({-1})}),
          added(sum.values, gradient.values),
          added(sum.counts, gradient.counts)};
}

// Imports SparseAccumulatorApplyGradient, which adds the rows of a gradient to
// the sum unless the gradient was computed in a step before the accumulator's
// step.
static void importApply(NodeImport &node) {
  AccumulatorBuilder accumulator(node);
  if (!node.expectInputs(5) || !accumulator.find(/*isSparse=*/true))
    return;
  Value localStep = node.tensor(1), indices = node.tensor(2),
        values = node.tensor(3);
  if (node.hasFailed())
    return;
  if (failed(verifyCompatibleShape(values.getType(), accumulator.type)))
    return node.malformed(
        "applies rows of " + describeType(cast<TensorType>(values.getType())) +
        " to an accumulator of " + describeType(accumulator.type));
  GradientRowsBuilder rows(node, accumulator);
  auto give = [](const GradientRows &list,
                 SmallVectorImpl<ImportedNodeOutput> &results) {
    results.assign({list.indices, list.values, list.counts});
    return list.indices && list.values && list.counts;
  };
  auto takeSum = [&](Block &, SmallVectorImpl<ImportedNodeOutput> &results) {
    return give(rows.take(), results);
  };
  auto beginSum = [&](Block &, SmallVectorImpl<ImportedNodeOutput> &results) {
    return give(rows.ofGradient(indices, values, /*isEmpty=*/true), results);
  };
  auto apply = [&](Block &, SmallVectorImpl<ImportedNodeOutput> &) {
    Value hasSum = accumulator.hasEnough(accumulator.integer(1));
    SmallVector<ImportedNodeOutput> sum;
    if (!hasSum || !importIf(node, hasSum, takeSum, beginSum, sum))
      return false;
    rows.put(rows.merge({sum[0].value, sum[1].value, sum[2].value},
                        rows.ofGradient(indices, values, /*isEmpty=*/false)));
    return !node.hasFailed();
  };
  auto drop = [](Block &, SmallVectorImpl<ImportedNodeOutput> &) {
    return true;
  };
  Value fresh = accumulator.isFresh(localStep);
  SmallVector<ImportedNodeOutput> none;
  if (fresh && importIf(node, fresh, apply, drop, none))
    accumulator.count(fresh);
}

// Imports SparseAccumulatorTakeGradient, which returns the rows of the sum. For
// a mean, each row is divided by the number of gradients that were added to it.
static void importTake(NodeImport &node) {
  AccumulatorBuilder accumulator(node);
  if (!node.expectInputs(2) || !accumulator.find(/*isSparse=*/true))
    return;
  Value numRequired = node.tensor(1);
  if (node.hasFailed())
    return;
  accumulator.require(numRequired);
  GradientRows sum = GradientRowsBuilder(node, accumulator).take();
  accumulator.startNext();
  if (!sum.values)
    return;
  OpBuilder &builder = node.body.builder;
  auto vector = [&](ArrayRef<int64_t> elements) {
    return createConstant(builder, node.loc,
                          builder.getI64TensorAttr(elements));
  };
  SmallVector<int64_t> shape(accumulator.type.getShape());
  if (accumulator.takesMean) {
    SmallVector<int64_t> column(shape.size(), 1);
    column.front() = -1;
    Value counts =
        accumulator.cast(sum.counts, accumulator.type.getElementType());
    sum.values = node.make<RealDivOp>(
        {sum.values, node.make<ReshapeOp>({counts, vector(column)})});
  }
  if (!sum.values)
    return;
  shape.front() = accumulator.numRows;
  node.setOutput(0, sum.indices);
  node.setOutput(1, sum.values);
  node.setOutput(2, vector(shape));
}

void addSparseAccumulatorOps(OpTable &table) {
  table["SparseAccumulatorApplyGradient"] = {Effect::Writes, importApply};
  table["SparseAccumulatorTakeGradient"] = {Effect::Writes, importTake};
  table["SparseAccumulatorTakeGradient"].outputs = {"indices", "values",
                                                    "shape"};
}

} // namespace ingot::importer
