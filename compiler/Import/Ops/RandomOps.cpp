//===- RandomOps.cpp - Random numbers -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports random ops. A stateful op of TensorFlow becomes a stateless ingot op,
// whose position in the sequence of random numbers is a variable of the
// program. This variable is saved and restored like others, so a resumed run
// draws the same numbers as an uninterrupted one.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/IR/RandomOps.h"

#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Ops/RandomPositions.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/ShapeInference.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "dialects/Ingot/IR/TensorOps.h"
#include "dialects/Ingot/IR/VariableOps.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

Value int64Vector(NodeImport &node, ArrayRef<int64_t> values) {
  return createConstant(node.body.builder, node.loc,
                        node.body.builder.getI64TensorAttr(values));
}

static Value philox(NodeImport &node) {
  return createConstant(
      node.body.builder, node.loc,
      DenseElementsAttr::get(
          RankedTensorType::get({}, node.body.builder.getI32Type()),
          int32_t(1)));
}

// Returns the state variable `name`, which counts the draws of a random op or
// holds a session's seed (RandomOps.h). Creates the variable on first use.
static VariableOp stateOf(NodeImport &node, StringRef kind, StringRef name,
                          bool ofDataset) {
  Program &program = node.body.program;
  for (auto variable : program.module.getOps<VariableOp>())
    if (variable->hasAttr(randomStateAttrName) &&
        cast<NameLoc>(variable.getLoc()).getName() == name)
      return variable;
  OpBuilder builder = OpBuilder::atBlockEnd(program.module.getBody());
  Type type = RankedTensorType::get({2}, builder.getI64Type());
  auto state =
      VariableOp::create(builder, NameLoc::get(builder.getStringAttr(name)),
                         program.uniqueSymbol(name), TypeAttr::get(type),
                         UnitAttr(), UnitAttr(), builder.getStringAttr(""));
  setUserName(state, name);
  state->setAttr(randomStateAttrName, builder.getStringAttr(kind));
  if (ofDataset)
    state->setAttr(ofDatasetAttrName, builder.getUnitAttr());
  return state;
}

static Value read(NodeImport &node, VariableOp state) {
  return ReadOp::create(node.body.builder, node.loc, state.getType(),
                        state.getSymName());
}

std::optional<PhiloxPosition> keyCounterOf(NodeImport &node, Value seed) {
  Operation *op = node.create<StatelessRandomGetKeyCounterOp>(seed);
  if (!op)
    return std::nullopt;
  return PhiloxPosition{op->getResult(0), op->getResult(1)};
}

// Returns the start of the node's sequence of random numbers. It follows from
// the node's seeds. For a node without seeds, TensorFlow chooses a random
// sequence; here it follows from the session's seed and the node's name.
static std::optional<PhiloxPosition> startOf(NodeImport &node, bool inDataset) {
  int64_t seed = node.attributes.getInt("seed", 0);
  int64_t seed2 = node.attributes.getInt("seed2", 0);
  if (seed != 0 || seed2 != 0)
    return PhiloxPosition{int64Vector(node, seed),
                          int64Vector(node, {0, seed2})};
  StringRef name =
      inDataset ? "ingot/dataset_random_seed" : "ingot/random_seed";
  Value session = read(node, stateOf(node, randomSeed, name, inDataset));
  int64_t own = llvm::xxh3_64bits(node.body.graph.qualifiedName(node.index));
  Operation *mixed = node.create<AddOp>({session, int64Vector(node, {0, own})});
  return mixed ? keyCounterOf(node, mixed->getResult(0)) : std::nullopt;
}

std::optional<PhiloxPosition> reserve(NodeImport &node, Value counts,
                                      int64_t factor, int64_t divisor) {
  Program::ExecutionPlace place = node.body.program.place;
  if (place == Program::ExecutionPlace::Pipeline) {
    node.unsupported(
        "a dataset of random numbers; draw them in the function of a map");
    return std::nullopt;
  }
  bool inDataset = place == Program::ExecutionPlace::Function;
  std::optional<PhiloxPosition> stream = startOf(node, inDataset);
  // An initializer runs once, so it draws the first numbers of its sequence and
  // needs no state variable.
  if (!stream || place == Program::ExecutionPlace::Initializer)
    return stream;
  std::string name = (inDataset ? "ingot/dataset_random/" : "ingot/random/") +
                     node.body.graph.qualifiedName(node.index);
  VariableOp state = stateOf(node, randomPosition, name, inDataset);
  Value position = read(node, state);
  OpBuilder &builder = node.body.builder;
  Operation *next = node.create<RandomSkipOp>(
      {position, counts},
      {node.named("factor", builder.getI64IntegerAttr(factor)),
       node.named("divisor", builder.getI64IntegerAttr(divisor))});
  if (!next)
    return std::nullopt;
  AssignOp::create(builder, node.loc, state.getSymName(), next->getResult(0));
  // The counter is two 64-bit halves, which are added separately. No carry is
  // lost, because the lower half of the start is zero.
  Operation *counter = node.create<AddOp>({stream->counter, position});
  if (!counter)
    return std::nullopt;
  return PhiloxPosition{stream->key, counter->getResult(0)};
}

Attribute elementTypeOf(NodeImport &node, StringRef attribute,
                        proto::DataType byDefault) {
  proto::DataType dtype = node.attributes.getType(attribute, byDefault);
  Type type = convertElementType(dtype, node.context());
  if (type)
    return TypeAttr::get(type);
  node.unsupported("element type " + getTypeName(dtype));
  return {};
}

Value asSigned(NodeImport &node, Value value) {
  if (!getElementTypeOrSelf(value.getType()).isUnsignedInteger(64))
    return value;
  Type i64 = node.body.builder.getI64Type();
  Operation *op =
      node.create<CastOp>(value, node.named("dst", TypeAttr::get(i64)));
  return op ? op->getResult(0) : Value();
}

// Creates the random op `OpT` as the node's output. Its operands are the shape,
// the key and the first counter (`stream`), the algorithm and the bounds.
template <typename OpT>
static void draw(NodeImport &node, Value shape, PhiloxPosition stream,
                 ArrayRef<Value> bounds, Attribute dtype,
                 Value algorithm = {}) {
  if (!algorithm)
    algorithm = philox(node);
  SmallVector<Value> operands = {shape, stream.key, stream.counter, algorithm};
  llvm::append_range(operands, bounds);
  SmallVector<NamedAttribute> attributes;
  if (dtype)
    attributes.push_back(node.named("dtype", dtype));
  if (Operation *op = node.create<OpT>(operands, attributes))
    node.setOutput(0, op->getResult(0));
}

// Reads the node's first `fixed` inputs and, unless `HasDtype`, two more
// inputs, minval and maxval. If `HasDtype`, the node has an attribute `dtype`:
// sets the argument `dtype` to its value. Returns an empty vector after a
// problem.
template <bool HasDtype>
static SmallVector<Value> readInputs(NodeImport &node, unsigned fixed,
                                     Attribute &dtype) {
  unsigned numInputs = HasDtype ? fixed : fixed + 2;
  if (!node.expectInputs(numInputs))
    return {};
  SmallVector<Value> inputs = node.tensors(0, numInputs);
  if (HasDtype)
    dtype = elementTypeOf(node, "dtype", proto::DT_FLOAT);
  return node.hasFailed() ? SmallVector<Value>() : inputs;
}

// Imports a stateful op, such as RandomUniform, with inputs shape[, minval,
// maxval] and attributes seed and seed2.
template <typename OpT, bool HasDtype>
static void importStateful(NodeImport &node) {
  Attribute dtype;
  SmallVector<Value> inputs = readInputs<HasDtype>(node, 1, dtype);
  if (inputs.empty())
    return;
  if (std::optional<PhiloxPosition> stream =
          reserve(node, inputs[0], blocksPerNumber))
    draw<OpT>(node, inputs[0], *stream, ArrayRef(inputs).drop_front(), dtype);
}

// Imports a stateless op, such as StatelessRandomUniformV2, with inputs shape,
// key, counter, algorithm[, minval, maxval]. TensorFlow's keys and counters are
// unsigned, but only their bits matter.
template <typename OpT, bool HasDtype>
static void importKeyed(NodeImport &node) {
  Attribute dtype;
  SmallVector<Value> inputs = readInputs<HasDtype>(node, 4, dtype);
  if (inputs.empty())
    return;
  PhiloxPosition stream = {asSigned(node, inputs[1]),
                           asSigned(node, inputs[2])};
  if (stream.key && stream.counter)
    draw<OpT>(node, inputs[0], stream, ArrayRef(inputs).drop_front(4), dtype,
              inputs[3]);
}

// Imports a stateless op, such as StatelessRandomUniform, with inputs shape,
// seed[, minval, maxval].
template <typename OpT, bool HasDtype>
static void importStateless(NodeImport &node) {
  Attribute dtype;
  SmallVector<Value> inputs = readInputs<HasDtype>(node, 2, dtype);
  if (inputs.empty())
    return;
  if (std::optional<PhiloxPosition> stream = keyCounterOf(node, inputs[1]))
    draw<OpT>(node, inputs[0], *stream, ArrayRef(inputs).drop_front(2), dtype);
}

// Imports RngSkip and RngReadAndSkip, which advance the state of a
// tf.random.Generator by `delta` numbers. The state is a variable of the user's
// graph with counter and key; RngReadAndSkip returns its previous value.
static void importSkip(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  VariableOp variable = node.variable(0);
  Value delta = variable ? node.tensor(2) : Value();
  delta = delta ? asSigned(node, delta) : Value();
  if (!delta)
    return;
  Value state = read(node, variable);
  Operation *next = node.create<RandomSkipOp>(
      {state, delta}, node.named("factor", node.body.builder.getI64IntegerAttr(
                                               blocksPerNumber)));
  if (!next)
    return;
  AssignOp::create(node.body.builder, node.loc, variable.getSymName(),
                   next->getResult(0));
  node.setOutput(0, state);
}

// Imports an op, such as StatefulUniform, that draws numbers at the position in
// the state of a tf.random.Generator and advances the state. The inputs are the
// state variable, the algorithm, shape[, minval, maxval].
template <typename OpT, bool HasDtype>
static void importFromState(NodeImport &node) {
  constexpr unsigned numInputs = HasDtype ? 3 : 5;
  if (!node.expectInputs(numInputs))
    return;
  VariableOp variable = node.variable(0);
  SmallVector<Value> inputs = node.tensors(1, numInputs);
  Attribute dtype =
      HasDtype ? elementTypeOf(node, "dtype", proto::DT_FLOAT) : Attribute();
  if (!variable || node.hasFailed())
    return;
  if (getConstantInt(inputs[0]).value_or(1) != 1)
    return node.unsupported("the algorithm must be the constant 1 (Philox), "
                            "the only supported one");
  ArrayRef<Value> rest = ArrayRef(inputs).drop_front();
  Value state = read(node, variable);
  auto slice = [&](int64_t begin, int64_t size) {
    Operation *op = node.create<SliceOp>(
        {state, int64Vector(node, begin), int64Vector(node, size)});
    return op ? op->getResult(0) : Value();
  };
  PhiloxPosition stream = {slice(2, 1), slice(0, 2)};
  Operation *next = node.create<RandomSkipOp>(
      {state, rest[0]},
      node.named("factor",
                 node.body.builder.getI64IntegerAttr(blocksPerNumber)));
  if (!stream.key || !stream.counter || !next)
    return;
  AssignOp::create(node.body.builder, node.loc, variable.getSymName(),
                   next->getResult(0));
  draw<OpT>(node, rest[0], stream, rest.drop_front(), dtype);
}

static void importGetAlgorithm(NodeImport &node) {
  node.setOutput(0, philox(node));
}

static void importGetKeyCounterAlgorithm(NodeImport &node) {
  Value seed = node.expectInputs(1) ? node.tensor(0) : Value();
  std::optional<PhiloxPosition> stream =
      seed ? keyCounterOf(node, seed) : std::nullopt;
  if (!stream)
    return;
  node.setOutput(0, stream->key);
  node.setOutput(1, stream->counter);
  node.setOutput(2, philox(node));
}

void addRandomOps(OpTable &table) {
  auto add = [&](StringRef op, Effect effect, void (*import)(NodeImport &)) {
    table[op] = {effect, import};
  };
  add("StatelessRandomUniformV2", Effect::Pure,
      importKeyed<StatelessRandomUniformOp, true>);
  add("StatelessRandomNormalV2", Effect::Pure,
      importKeyed<StatelessRandomNormalOp, true>);
  add("StatelessTruncatedNormalV2", Effect::Pure,
      importKeyed<StatelessTruncatedNormalOp, true>);
  add("StatelessRandomUniformFullIntV2", Effect::Pure,
      importKeyed<StatelessRandomUniformFullIntOp, true>);
  add("StatelessRandomUniformIntV2", Effect::Pure,
      importKeyed<StatelessRandomUniformIntOp, false>);
  add("StatelessRandomUniform", Effect::Pure,
      importStateless<StatelessRandomUniformOp, true>);
  add("StatelessRandomNormal", Effect::Pure,
      importStateless<StatelessRandomNormalOp, true>);
  add("StatelessTruncatedNormal", Effect::Pure,
      importStateless<StatelessTruncatedNormalOp, true>);
  add("StatelessRandomUniformInt", Effect::Pure,
      importStateless<StatelessRandomUniformIntOp, false>);
  add("StatelessRandomUniformFullInt", Effect::Pure,
      importStateless<StatelessRandomUniformFullIntOp, true>);
  add("StatelessRandomGetAlg", Effect::Pure, importGetAlgorithm);
  add("StatelessRandomGetKeyCounterAlg", Effect::Pure,
      importGetKeyCounterAlgorithm);
  // These ops have the effect `Consumes`: each run of such an op changes all
  // later random numbers. Training hooks may read tensors that the step does
  // not need otherwise. The importer makes the step return such tensors
  // (addObservable), but not if they depend on an op with this effect.
  add("RandomUniform", Effect::Consumes,
      importStateful<StatelessRandomUniformOp, true>);
  add("RandomStandardNormal", Effect::Consumes,
      importStateful<StatelessRandomNormalOp, true>);
  add("TruncatedNormal", Effect::Consumes,
      importStateful<StatelessTruncatedNormalOp, true>);
  add("RandomUniformInt", Effect::Consumes,
      importStateful<StatelessRandomUniformIntOp, false>);
  add("StatefulUniform", Effect::Writes,
      importFromState<StatelessRandomUniformOp, true>);
  add("StatefulUniformFullInt", Effect::Writes,
      importFromState<StatelessRandomUniformFullIntOp, true>);
  add("StatefulUniformInt", Effect::Writes,
      importFromState<StatelessRandomUniformIntOp, false>);
  add("StatefulStandardNormalV2", Effect::Writes,
      importFromState<StatelessRandomNormalOp, true>);
  add("StatefulTruncatedNormal", Effect::Writes,
      importFromState<StatelessTruncatedNormalOp, true>);
  add("RngReadAndSkip", Effect::Writes, importSkip);
  add("RngSkip", Effect::Writes, importSkip);
  addSamplingOps(table);
  table["StatelessRandomGetKeyCounter"].outputs = {"key", "counter"};
  table["StatelessRandomGetKeyCounterAlg"].outputs = {"key", "counter", "alg"};
}

} // namespace ingot::importer
