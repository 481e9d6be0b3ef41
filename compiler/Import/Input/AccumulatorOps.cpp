//===- AccumulatorOps.cpp - Conditional accumulators ----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports ops on TensorFlow's accumulators of gradients as arithmetic on state
// variables of the program. SparseAccumulatorOps.cpp imports those that apply
// or take rows.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Input/Accumulators.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/RandomOps.h"
#include "dialects/Ingot/IR/ReportOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "dialects/Ingot/IR/TensorOps.h"
#include "dialects/Ingot/IR/VariableOps.h"

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

Value AccumulatorBuilder::read(StringRef part) {
  VariableOp state = stateOf(part);
  return ReadOp::create(node.body.builder, node.loc, state.getType(),
                        state.getSymName());
}

void AccumulatorBuilder::write(StringRef part, Value value) {
  if (value)
    AssignOp::create(node.body.builder, node.loc, stateOf(part).getSymName(),
                     value);
}

Value AccumulatorBuilder::filled(RankedTensorType type, int64_t number) {
  Type element = type.getElementType();
  Attribute value =
      isa<FloatType>(element)
          ? Attribute(FloatAttr::get(element, static_cast<double>(number)))
          : Attribute(IntegerAttr::get(element, number));
  return createConstant(node.body.builder, node.loc,
                        DenseElementsAttr::get(type, value));
}

Value AccumulatorBuilder::cast(Value value, Type element) {
  return node.make<CastOp>(value, node.named("dst", TypeAttr::get(element)));
}

Value AccumulatorBuilder::isFresh(Value localStep) {
  return node.make<GreaterEqualOp>(
      {cast(localStep, node.body.builder.getI64Type()), read("step")});
}

void AccumulatorBuilder::count(Value fresh) {
  write("count",
        node.make<AddOp>(
            {read("count"), cast(fresh, node.body.builder.getI64Type())}));
}

Value AccumulatorBuilder::hasEnough(Value numRequired) {
  return node.make<GreaterEqualOp>(
      {read("count"), cast(numRequired, node.body.builder.getI64Type())});
}

void AccumulatorBuilder::startNext() {
  write("count", integer(0));
  write("step", node.make<AddOp>({read("step"), integer(1)}));
}

// Returns the type of the accumulator's sum. Returns null, or a type that an
// accumulator cannot have, if it is not declared or cannot be compiled.
RankedTensorType AccumulatorBuilder::typeOf(const ResourceHandle &handle,
                                            bool isSparse, std::string &error) {
  NodeAttributes attributes(*(*handle.graph)[handle.node].def);
  auto declared = dyn_cast_or_null<RankedTensorType>(
      convertTensorType(attributes.getType("dtype", proto::DT_INVALID),
                        attributes.getShape("shape"), node.context(), error));
  if (!isSparse || !error.empty())
    return declared;
  // TensorFlow's optimizers declare the shape [] if they do not know the shape,
  // and the kernel accepts rows of any shape then.
  if (!declared || declared.getRank() == 0)
    return handle.graph == &node.body.program.graph
               ? typeOfRows(node.body.program, handle.node)
               : declared;
  SmallVector<int64_t> shape(declared.getShape());
  if (!declared.isDynamicDim(0))
    numRows = shape.front();
  shape.front() = ShapedType::kDynamic;
  return RankedTensorType::get(shape, declared.getElementType());
}

bool AccumulatorBuilder::find(bool isSparse) {
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
  std::string error;
  RankedTensorType found = typeOf(handle, isSparse, error);
  // The number of rows may be dynamic, but no other dimension.
  if (!found || !isa<FloatType>(found.getElementType()) ||
      ShapedType::isDynamicShape(found.getShape().drop_front(isSparse)) ||
      (isSparse && found.getRank() == 0)) {
    node.unsupported(
        "accumulator '" + handle.name() +
        "' needs a static shape and floating-point elements, but " +
        (found           ? "is " + describeType(found)
         : error.empty() ? std::string("has no known rank")
                         : "has " + error));
    return false;
  }
  NodeAttributes attributes(*(*handle.graph)[handle.node].def);
  std::string reduction = attributes.getString("reduction_type", "MEAN");
  if (reduction != "MEAN" && reduction != "SUM") {
    node.unsupported("accumulator '" + handle.name() +
                     "' must have reduction_type MEAN or SUM, but has " +
                     reduction);
    return false;
  }
  type = found;
  takesMean = reduction == "MEAN";
  name = attributes.getString("shared_name", "");
  if (name.empty())
    name = handle.name();
  return true;
}

// Returns the variable of a part of the accumulator's state: "sum", "count" or
// "step".
VariableOp AccumulatorBuilder::stateOf(StringRef part) {
  Program &program = node.body.program;
  VariableOp state = findOrCreateStateVariable(
      program, ("ingot/accumulator/" + name + "/" + part).str(),
      part == "sum" ? type : scalar());
  if (program.updatingRunners.isAccumulator(accumulator))
    program.updatingRunners.addState(state);
  return state;
}

void AccumulatorBuilder::require(Value numRequired) {
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
  AccumulatorBuilder accumulator(take);
  return accumulator.find(take.node.op().starts_with("Sparse"))
             ? accumulator.hasEnough(numRequired)
             : Value();
}

// Imports AccumulatorApplyGradient, which adds a gradient to the sum unless the
// gradient was computed in a step before the accumulator's step.
static void importApply(NodeImport &node) {
  AccumulatorBuilder accumulator(node);
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
  AccumulatorBuilder accumulator(node);
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
  accumulator.write("sum", accumulator.filled(accumulator.type, 0));
  accumulator.startNext();
  if (sum)
    node.setOutput(0, sum);
}

static void importNumAccumulated(NodeImport &node) {
  ResourceHandle handle = node.handle(0);
  AccumulatorBuilder accumulator(node);
  if (!node.expectInputs(1) ||
      !accumulator.find(handle.op() == "SparseConditionalAccumulator"))
    return;
  if (Value count = accumulator.cast(accumulator.read("count"),
                                     node.body.builder.getI32Type()))
    node.setOutput(0, count);
}

static void importSetGlobalStep(NodeImport &node) {
  ResourceHandle handle = node.handle(0);
  AccumulatorBuilder accumulator(node);
  if (!node.expectInputs(2) ||
      !accumulator.find(handle.op() == "SparseConditionalAccumulator"))
    return;
  if (Value step = node.tensor(1))
    accumulator.write("step",
                      accumulator.cast(step, node.body.builder.getI64Type()));
}

void addAccumulatorOps(OpTable &table) {
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
