//===- AccumulatorOps.cpp - Conditional accumulators ----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports TensorFlow's accumulators of gradients as state variables of the
// program, and the ops on accumulators as arithmetic on these variables. The
// state of an accumulator is the sum of the gradients that were applied since
// the last TakeGradient, the number of these gradients, and the current step,
// because gradients of earlier steps are dropped. In a sparse accumulator, the
// sum is a dense tensor as well, and the state also contains, for each row, the
// number of gradients that contained the row.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Entries/Entries.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Input/Accumulators.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/RandomOps.h"
#include "dialects/Ingot/IR/ReportOps.h"
#include "dialects/Ingot/IR/SetOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "dialects/Ingot/IR/TensorOps.h"
#include "dialects/Ingot/IR/VariableOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

VariableOp findOrCreateStateVariable(Program &program, StringRef name,
                                     RankedTensorType type) {
  for (auto variable : program.module.getOps<VariableOp>())
    if (variable->hasAttr(randomStateAttrName) &&
        cast<NameLoc>(variable.getLoc()).getName() == name)
      return variable;
  OpBuilder builder = OpBuilder::atBlockEnd(program.module.getBody());
  auto state =
      VariableOp::create(builder, NameLoc::get(builder.getStringAttr(name)),
                         program.uniqueSymbol(name), TypeAttr::get(type),
                         UnitAttr(), UnitAttr(), builder.getStringAttr(""));
  setUserName(state, name);
  state->setAttr(randomStateAttrName, builder.getStringAttr(randomPosition));
  return state;
}

namespace {

/// Creates ops on the state of the accumulator (TensorFlow's
/// ConditionalAccumulator) that a node has as its first input.
class ConditionalAccumulatorBuilder {
public:
  explicit ConditionalAccumulatorBuilder(NodeImport &node) : node(node) {}

  /// Finds the accumulator that the node's first input is a handle of. On
  /// failure, records a problem and returns false.
  bool find(bool isSparse);

  Value read(StringRef part) {
    VariableOp state = stateOf(part);
    return ReadOp::create(node.body.builder, node.loc, state.getType(),
                          state.getSymName());
  }
  void write(StringRef part, Value value) {
    if (value)
      AssignOp::create(node.body.builder, node.loc, stateOf(part).getSymName(),
                       value);
  }

  /// Returns a tensor of `type` whose elements are all `number`.
  Value filled(RankedTensorType type, int64_t number) {
    Type element = type.getElementType();
    Attribute value =
        isa<FloatType>(element)
            ? Attribute(FloatAttr::get(element, static_cast<double>(number)))
            : Attribute(IntegerAttr::get(element, number));
    return createConstant(node.body.builder, node.loc,
                          DenseElementsAttr::get(type, value));
  }
  Value integer(int64_t number) { return filled(scalar(), number); }
  RankedTensorType scalar() {
    return RankedTensorType::get({}, node.body.builder.getI64Type());
  }
  Value cast(Value value, Type element) {
    return node.make<CastOp>(value, node.named("dst", TypeAttr::get(element)));
  }

  /// Returns a bool scalar that is true if a gradient computed in step
  /// `localStep` may be added, that is, if this step is not before the
  /// accumulator's step.
  Value isFresh(Value localStep) {
    return node.make<GreaterEqualOp>(
        {cast(localStep, node.body.builder.getI64Type()), read("step")});
  }
  /// Increments the number of gradients in the sum if `fresh`, a bool scalar,
  /// is true.
  void count(Value fresh) {
    write("count",
          node.make<AddOp>(
              {read("count"), cast(fresh, node.body.builder.getI64Type())}));
  }
  /// Returns whether at least `numRequired` gradients have been applied.
  Value hasEnough(Value numRequired) {
    return node.make<GreaterEqualOp>(
        {read("count"), cast(numRequired, node.body.builder.getI64Type())});
  }
  /// Adds a check that at least `numRequired` gradients have been applied.
  void require(Value numRequired);
  /// Starts the next round after the gradients have been taken: resets their
  /// sum and number, and increments the step.
  void startNext() {
    write("sum", filled(type, 0));
    write("count", integer(0));
    write("step", node.make<AddOp>({read("step"), integer(1)}));
  }

  RankedTensorType type;
  bool takesMean = true;

private:
  VariableOp stateOf(StringRef part);

  NodeImport &node;
  int accumulator = -1; // its node
  std::string name;
};

} // namespace

// Returns the type of the sum in a sparse accumulator that declares no shape:
// the shape that an op which applies gradients to it states as a constant.
// Returns null if there is none.
static RankedTensorType shapeOfGradients(Program &program, int accumulator) {
  const Graph &graph = program.graph;
  RankedTensorType type;
  for (int node = 0; node < graph.size() && !type; ++node) {
    const Graph::Node &apply = graph[node];
    if (apply.op() != "SparseAccumulatorApplyGradient" ||
        apply.inputs.size() != 5 ||
        graph.skipIdentities(apply.inputs[0]).first != accumulator ||
        !NodeAttributes(*apply.def).getBool("has_known_shape", false))
      continue;
    EntrySpec trial;
    for (Output input : {apply.inputs[3], apply.inputs[4]})
      trial.fetches.push_back({graph.nameOf(input), input});
    tryImport(program, trial, [&](Block &block) {
      if (block.empty() || !isa<ReturnOp>(block.back()))
        return;
      DenseIntElementsAttr shape;
      if (matchPattern(block.back().getOperand(1), m_Constant(&shape)))
        type = RankedTensorType::get(
            llvm::to_vector(shape.getValues<int64_t>()),
            getElementTypeOrSelf(block.back().getOperand(0)));
    });
  }
  return type;
}

bool ConditionalAccumulatorBuilder::find(bool isSparse) {
  ResourceHandle handle = node.handle(0);
  StringRef op = handle.op();
  op.consume_front("Resource");
  if (op !=
      (isSparse ? "SparseConditionalAccumulator" : "ConditionalAccumulator")) {
    node.malformed("input 0, '" + handle.name() + "' (" + op +
                   "), is not an accumulator");
    return false;
  }
  accumulator = handle.node;
  NodeAttributes attributes(*(*handle.graph)[handle.node].def);
  std::string error;
  auto declared = dyn_cast_or_null<RankedTensorType>(
      convertTensorType(attributes.getType("dtype", proto::DT_INVALID),
                        attributes.getShape("shape"), node.context(), error));
  bool isVague = declared ? declared.getRank() == 0 : error.empty();
  if (isSparse && isVague && handle.graph == &node.body.program.graph)
    declared = shapeOfGradients(node.body.program, handle.node);
  if (!declared || !declared.hasStaticShape() ||
      !isa<FloatType>(declared.getElementType()) ||
      (isSparse && declared.getRank() == 0)) {
    node.unsupported(
        "accumulator '" + handle.name() +
        "' needs a static shape and floating-point elements, but " +
        (declared        ? "is " + describeType(declared)
         : error.empty() ? std::string("has no known rank")
                         : "has " + error));
    return false;
  }
  std::string reduction = attributes.getString("reduction_type", "MEAN");
  if (reduction != "MEAN" && reduction != "SUM") {
    node.unsupported("accumulator '" + handle.name() +
                     "' must have reduction_type MEAN or SUM, but has " +
                     reduction);
    return false;
  }
  type = declared;
  takesMean = reduction == "MEAN";
  name = attributes.getString("shared_name", "");
  if (name.empty())
    name = handle.name();
  return true;
}

// Returns the variable of a part of the accumulator's state: "sum", "count",
// "step" or "rows".
VariableOp ConditionalAccumulatorBuilder::stateOf(StringRef part) {
  RankedTensorType stored =
      part == "sum" ? type
      : part == "rows"
          ? RankedTensorType::get({type.getDimSize(0)}, type.getElementType())
          : scalar();
  Program &program = node.body.program;
  VariableOp state = findOrCreateStateVariable(
      program, ("ingot/accumulator/" + name + "/" + part).str(), stored);
  if (program.updatingRunners.isAccumulator(accumulator))
    program.updatingRunners.addState(state);
  return state;
}

void ConditionalAccumulatorBuilder::require(Value numRequired) {
  Value wanted = cast(numRequired, node.body.builder.getI64Type());
  Value holds = hasEnough(numRequired);
  Value text = createConstant(
      node.body.builder, node.loc,
      DenseStringElementsAttr::get(
          RankedTensorType::get({},
                                mlir::ingot::StringType::get(node.context())),
          {"TensorFlow would wait for ever: fewer gradients were applied to "
           "the accumulator than the take requires (applied, required)"}));
  node.create<AssertOp>({holds, text, read("count"), wanted});
}

Value createCanTake(NodeImport &take, Value numRequired) {
  ConditionalAccumulatorBuilder accumulator(take);
  return accumulator.find(take.node.op().starts_with("Sparse"))
             ? accumulator.hasEnough(numRequired)
             : Value();
}

// Imports AccumulatorApplyGradient, which adds a gradient to the sum unless the
// gradient was computed in a step before the accumulator's step.
static void importApply(NodeImport &node) {
  ConditionalAccumulatorBuilder accumulator(node);
  if (!node.expectInputs(3) || !accumulator.find(/*isSparse=*/false))
    return;
  Value localStep = node.tensor(1), gradient = node.tensor(2);
  if (node.hasFailed())
    return;
  auto given = dyn_cast<TensorType>(gradient.getType());
  if (failed(verifyCompatibleShape(given, accumulator.type)))
    return node.malformed("applies a gradient of " + describeType(given) +
                          " to an accumulator of " +
                          describeType(accumulator.type));
  Value fresh = accumulator.isFresh(localStep), sum = accumulator.read("sum");
  accumulator.write(
      "sum",
      node.make<SelectOp>({fresh, node.make<AddOp>({sum, gradient}), sum}));
  accumulator.count(fresh);
}

// Imports AccumulatorTakeGradient, which returns the mean or the sum of the
// gradients and resets the accumulator.
static void importTake(NodeImport &node) {
  ConditionalAccumulatorBuilder accumulator(node);
  if (!node.expectInputs(2) || !accumulator.find(/*isSparse=*/false))
    return;
  Value numRequired = node.tensor(1);
  if (node.hasFailed())
    return;
  accumulator.require(numRequired);
  Value sum = accumulator.read("sum");
  if (accumulator.takesMean)
    sum = node.make<RealDivOp>(
        {sum, accumulator.cast(accumulator.read("count"),
                               accumulator.type.getElementType())});
  accumulator.startNext();
  if (sum)
    node.setOutput(0, sum);
}

static void importNumAccumulated(NodeImport &node) {
  ResourceHandle handle = node.handle(0);
  ConditionalAccumulatorBuilder accumulator(node);
  if (!node.expectInputs(1) ||
      !accumulator.find(handle.op() == "SparseConditionalAccumulator"))
    return;
  if (Value count = accumulator.cast(accumulator.read("count"),
                                     node.body.builder.getI32Type()))
    node.setOutput(0, count);
}

static void importSetGlobalStep(NodeImport &node) {
  ResourceHandle handle = node.handle(0);
  ConditionalAccumulatorBuilder accumulator(node);
  if (!node.expectInputs(2) ||
      !accumulator.find(handle.op() == "SparseConditionalAccumulator"))
    return;
  if (Value step = node.tensor(1))
    accumulator.write("step",
                      accumulator.cast(step, node.body.builder.getI64Type()));
}

// Returns `into` with its rows at `indices` changed: adds `rows` to them if
// `combine` is "add", or replaces them by `rows` if it is "update". `indices`
// has the shape [count, 1].
static Value scatter(NodeImport &node, Value into, Value indices, Value rows,
                     StringRef combine) {
  return node.make<TensorScatterOp>(
      {into, indices, rows},
      node.named("combine", node.body.builder.getStringAttr(combine)));
}

// Imports SparseAccumulatorApplyGradient, which adds the rows of a gradient to
// the sum and increments the counts of these rows.
static void importSparseApply(NodeImport &node) {
  ConditionalAccumulatorBuilder accumulator(node);
  if (!node.expectInputs(5) || !accumulator.find(/*isSparse=*/true))
    return;
  Value localStep = node.tensor(1), indices = node.tensor(2),
        values = node.tensor(3);
  if (node.hasFailed())
    return;
  RankedTensorType type = accumulator.type;
  Type element = type.getElementType();
  Value column = node.make<ExpandDimsOp>({indices, accumulator.integer(1)});
  Value fresh = accumulator.isFresh(localStep);
  Value sum = accumulator.read("sum"), rows = accumulator.read("rows");
  Value added = scatter(node, sum, column, values, "add");
  // A gradient that contains a row several times counts only once for this row.
  auto rowsType = cast<RankedTensorType>(rows.getType());
  Value ones = node.make<AddOp>(
      {node.make<MulOp>(
           {accumulator.cast(indices, element),
            accumulator.filled(RankedTensorType::get({}, element), 0)}),
       accumulator.filled(RankedTensorType::get({}, element), 1)});
  Value present =
      scatter(node, accumulator.filled(rowsType, 0), column, ones, "update");
  accumulator.write("sum", node.make<SelectOp>({fresh, added, sum}));
  accumulator.write(
      "rows",
      node.make<SelectOp>({fresh, node.make<AddOp>({rows, present}), rows}));
  accumulator.count(fresh);
}

// Imports SparseAccumulatorTakeGradient, which returns the rows of the sum to
// which gradients were added, in ascending order. For a mean, each row is
// divided by the number of gradients that contained it.
static void importSparseTake(NodeImport &node) {
  ConditionalAccumulatorBuilder accumulator(node);
  if (!node.expectInputs(2) || !accumulator.find(/*isSparse=*/true))
    return;
  Value numRequired = node.tensor(1);
  if (node.hasFailed())
    return;
  accumulator.require(numRequired);
  OpBuilder &builder = node.body.builder;
  RankedTensorType type = accumulator.type;
  Value sum = accumulator.read("sum"), rows = accumulator.read("rows");
  Value axis = accumulator.integer(0);
  Value found = node.make<WhereOp>(rows);
  Value indices = node.make<ReshapeOp>(
      {found,
       createConstant(builder, node.loc, builder.getI64TensorAttr({-1}))});
  Value values = node.make<GatherOp>({sum, indices, axis});
  if (accumulator.takesMean) {
    SmallVector<int64_t> shape(type.getRank(), 1);
    shape[0] = -1;
    Value counts = node.make<ReshapeOp>(
        {node.make<GatherOp>({rows, indices, axis}),
         createConstant(builder, node.loc, builder.getI64TensorAttr(shape))});
    values = node.make<RealDivOp>({values, counts});
  }
  accumulator.startNext();
  accumulator.write(
      "rows", accumulator.filled(cast<RankedTensorType>(rows.getType()), 0));
  if (!indices || !values)
    return;
  node.setOutput(0, indices);
  node.setOutput(1, values);
  node.setOutput(2, createConstant(builder, node.loc,
                                   builder.getI64TensorAttr(type.getShape())));
}

void addAccumulatorOps(OpTable &table) {
  table["SparseAccumulatorApplyGradient"] = {Effect::Writes, importSparseApply};
  table["SparseAccumulatorTakeGradient"] = {Effect::Writes, importSparseTake};
  table["SparseAccumulatorTakeGradient"].outputs = {"indices", "values",
                                                    "shape"};
  for (StringRef op : {"ConditionalAccumulator", "SparseConditionalAccumulator",
                       "ResourceConditionalAccumulator"})
    table[op] = {Effect::Pure, [](NodeImport &) {}};
  auto add = [&](StringRef op, void (*import)(NodeImport &)) {
    for (const std::string &name : {op.str(), ("Resource" + op).str()})
      table[name] = {Effect::Writes, import};
  };
  add("AccumulatorApplyGradient", importApply);
  add("AccumulatorTakeGradient", importTake);
  add("AccumulatorNumAccumulated", importNumAccumulated);
  add("AccumulatorSetGlobalStep", importSetGlobalStep);
}

} // namespace ingot::importer
