//===- RandomExport.cpp - Random numbers ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Exports random ops. A stateful random op of TensorFlow is imported as a
// stateless one that reads its position in the sequence of random numbers from
// a variable. An op that depends on such a variable is exported as stateful.
//
//===----------------------------------------------------------------------===//

#include "compiler/Export/OpExport.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/RandomOps.h"
#include "dialects/Ingot/IR/StateOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

bool isRandomState(ProgramExport &program, StringRef symbol) {
  Operation *variable = program.symbols.lookup(symbol);
  return variable && variable->hasAttr(randomStateAttrName);
}

namespace {
/// The seeds of a stateful random op.
struct RandomOpSeeds {
  int64_t seed = 0, seed2 = 0;
};
} // namespace

// Returns whether a value is read from a variable with the state of random ops.
static bool isState(OpExport &op, Value value) {
  auto read = value.getDefiningOp<ReadOp>();
  return read && isRandomState(op.block.program, read.getVariable());
}

// Returns whether the op that uses `key` had no seeds in the user's graph. Its
// key is then derived from the session's seed, which is a variable.
static bool isUnseeded(OpExport &op, Value key) {
  auto made = key.getDefiningOp<StatelessRandomGetKeyCounterOp>();
  auto mixed = made ? made.getSeed().getDefiningOp<AddOp>() : AddOp();
  return mixed && isState(op, mixed.getLhs());
}

// Returns the seeds of a stateful random op, or std::nullopt if the op is
// stateless. The key of a stateful op is a constant, the op's first seed. The
// op's counter is the sum of the second seed, also a constant, and a position
// that is read from a variable. Ops with seeds in initializers count as
// stateless: they run only once, so they were imported without a position.
static std::optional<RandomOpSeeds> findSeeds(OpExport &op, Value key,
                                              Value counter) {
  if (isUnseeded(op, key))
    return RandomOpSeeds();
  auto moved = counter.getDefiningOp<AddOp>();
  if (!moved || !isState(op, moved.getRhs()))
    return std::nullopt;
  auto seed = getConstantInts(key), start = getConstantInts(moved.getLhs());
  if (!seed || !start || seed->size() != 1 || start->size() != 2)
    return std::nullopt;
  return RandomOpSeeds{seed->front(), start->back()};
}

static AttributeMap attributesOf(const RandomOpSeeds &seeds) {
  return {{"seed", integer(seeds.seed)}, {"seed2", integer(seeds.seed2)}};
}

static NodeOutput asKey(OpExport &op, unsigned operand) {
  return op.cast(op.operand(operand), proto::DT_UINT64);
}

// Exports an op that draws random numbers. Its operands are the shape, the key,
// the counter and the algorithm; for integers also minval and maxval.
template <bool HasDtype>
static void exportDraw(OpExport &op, StringRef stateful, StringRef stateless) {
  Operation *draw = op.op;
  std::optional<RandomOpSeeds> seeds =
      stateful.empty()
          ? std::nullopt
          : findSeeds(op, draw->getOperand(1), draw->getOperand(2));
  SmallVector<NodeOutput> bounds = op.operands(4);
  AttributeMap attributes;
  if (HasDtype)
    attributes["dtype"] = type(op.type("dtype"));
  if (seeds) {
    SmallVector<NodeOutput> inputs = {op.operand(0)};
    llvm::append_range(inputs, bounds);
    attributes.merge(attributesOf(*seeds));
    op.touch("world", /*writes=*/true);
    return op.emit(stateful, inputs, attributes);
  }
  SmallVector<NodeOutput> inputs = {op.operand(0), asKey(op, 1), asKey(op, 2),
                                    op.operand(3)};
  llvm::append_range(inputs, bounds);
  op.emit(stateless, inputs, attributes);
}

static void exportShuffle(OpExport &op) {
  auto shuffle = cast<RandomShuffleOp>(op.op);
  if (auto seeds = findSeeds(op, shuffle.getKey(), shuffle.getCounter())) {
    op.touch("world", /*writes=*/true);
    return op.emit("RandomShuffle", op.operand(0), attributesOf(*seeds));
  }
  op.emit("StatelessShuffle",
          {op.operand(0), asKey(op, 1), asKey(op, 2), op.scalar(1)});
}

static void exportMultinomial(OpExport &op) {
  auto multinomial = cast<MultinomialOp>(op.op);
  AttributeMap attributes = {{"output_dtype", type(op.type("dtype"))}};
  if (auto seeds =
          findSeeds(op, multinomial.getKey(), multinomial.getCounter())) {
    attributes.merge(attributesOf(*seeds));
    op.touch("world", /*writes=*/true);
    return op.emit("Multinomial", {op.operand(0), op.operand(1)}, attributes);
  }
  auto made =
      multinomial.getKey().getDefiningOp<StatelessRandomGetKeyCounterOp>();
  if (!made)
    return op.refuse(
        "TensorFlow's StatelessMultinomial takes a seed: the key must be a "
        "result of ingot.stateless_random_get_key_counter");
  op.emit("StatelessMultinomial",
          {op.operand(0), op.operand(1), op.block.value(made.getSeed())},
          attributes);
}

// Exports a candidate sampler. It must be stateful (findSeeds()), since
// TensorFlow has no stateless candidate samplers.
static void exportCandidates(OpExport &op) {
  auto sample = cast<CandidateSampleOp>(op.op);
  auto seeds = findSeeds(op, sample.getKey(), sample.getCounter());
  if (!seeds)
    return op.refuse(
        "TensorFlow has no stateless candidate sampler: expected the key and "
        "the counter of a stateful op");
  AttributeMap attributes = attributesOf(*seeds);
  StringRef distribution = sample.getDistribution();
  attributes["num_sampled"] = integer(op.integer("num_sampled"));
  if (distribution != "all")
    attributes["range_max"] = integer(op.integer("range_max"));
  attributes["unique"] = boolean(op.flag("unique"));
  attributes["num_true"] = integer(
      cast<ShapedType>(sample.getTrueClasses().getType()).getDimSize(1));
  op.touch("world", /*writes=*/true);
  proto::DataType types[] = {proto::DT_INT64, proto::DT_FLOAT, proto::DT_FLOAT};
  SmallVector<NodeOutput> outputs =
      op.emit(distribution == "all"       ? "AllCandidateSampler"
              : distribution == "uniform" ? "UniformCandidateSampler"
                                          : "LogUniformCandidateSampler",
              op.operand(0), types, attributes);
  for (auto [index, tensor] : llvm::enumerate(outputs))
    op.set(index, tensor);
}

// Exports an op whose operands are tensors of distribution parameters, and
// which draws random numbers for each element of these tensors. The op must be
// stateful (findSeeds()), since TensorFlow's stateless ops draw different
// numbers.
static void exportDrawOfEach(OpExport &op, StringRef node,
                             AttributeMap attributes) {
  auto seeds = findSeeds(op, op.op->getOperand(2), op.op->getOperand(3));
  if (!seeds)
    return op.refuse(
        "TensorFlow's stateless op draws different numbers: expected the key "
        "and the counter of a stateful op");
  attributes.merge(attributesOf(*seeds));
  op.touch("world", /*writes=*/true);
  op.emit(node, {op.operand(0), op.operand(1)}, attributes);
}

static void exportHits(OpExport &op) {
  auto hits = cast<AccidentalHitsOp>(op.op);
  int64_t count =
      cast<ShapedType>(hits.getTrueClasses().getType()).getDimSize(1);
  proto::DataType types[] = {proto::DT_INT32, proto::DT_INT64, proto::DT_FLOAT};
  SmallVector<NodeOutput> outputs =
      op.emit("ComputeAccidentalHits", op.operands(), types,
              {{"num_true", integer(count)}});
  for (auto [index, tensor] : llvm::enumerate(outputs))
    op.set(index, tensor);
}

// Exports stateless_random_get_key_counter. TensorFlow's results are unsigned,
// but keys and counters are signed in the ingot dialect, so casts follow.
static void exportKeyCounter(OpExport &op) {
  SmallVector<proto::DataType> wide(2, proto::DT_UINT64);
  SmallVector<NodeOutput> outputs =
      op.emit("StatelessRandomGetKeyCounter", op.operand(0), wide);
  for (auto [index, tensor] : llvm::enumerate(outputs))
    op.set(index, op.cast(tensor, op.resultType(index)));
}

// Returns one element of a vector as a scalar.
static NodeOutput element(OpExport &op, NodeOutput tensor, int64_t index) {
  return op.add("GatherV2", {tensor, op.scalar(index), op.scalar(0)},
                tensor.dtype);
}

// Exports the advance of a tf.random.Generator's state: adds the number of
// random blocks to its 128-bit counter, whose lower half comes first.
static void exportSkip(OpExport &op) {
  auto skip = cast<RandomSkipOp>(op.op);
  // If the state is the position of a stateful random op in its sequence of
  // random numbers, export nothing: TensorFlow's op keeps and advances its
  // position itself.
  if (isState(op, skip.getState()))
    return;
  proto::DataType wide = proto::DT_UINT64;
  NodeOutput state = op.cast(op.operand(0), wide);
  NodeOutput counts = op.cast(op.operand(1), wide);
  NodeOutput flat = op.add("Reshape", {counts, op.vector({-1})}, wide);
  NodeOutput product = op.add("Prod", {flat, op.scalar(0)}, wide);
  NodeOutput scaled =
      op.add("Mul", {product, op.scalar(op.integer("factor"), wide)}, wide);
  int64_t divisor = op.integer("divisor");
  if (divisor > 1) {
    NodeOutput rounded =
        op.add("AddV2", {scaled, op.scalar(divisor - 1, wide)}, wide);
    scaled = op.add("FloorDiv", {rounded, op.scalar(divisor, wide)}, wide);
  }
  NodeOutput low = op.add("AddV2", {element(op, state, 0), scaled}, wide);
  NodeOutput wraps = op.add("Less", {low, scaled}, proto::DT_BOOL);
  NodeOutput high =
      op.add("AddV2", {element(op, state, 1), op.cast(wraps, wide)}, wide);
  NodeOutput front = op.add("Pack", {low, high}, wide);
  NodeOutput rest =
      op.add("Slice", {state, op.vector({2}), op.vector({-1})}, wide);
  NodeOutput next = op.add("ConcatV2", {front, rest, op.scalar(0)}, wide);
  op.set(0, op.cast(next, op.resultType()));
}

void addRandomExports(ExportTable &table) {
  table[StatelessRandomUniformOp::getOperationName()] = [](OpExport &op) {
    exportDraw<true>(op, "RandomUniform", "StatelessRandomUniformV2");
  };
  table[StatelessRandomNormalOp::getOperationName()] = [](OpExport &op) {
    exportDraw<true>(op, "RandomStandardNormal", "StatelessRandomNormalV2");
  };
  table[StatelessTruncatedNormalOp::getOperationName()] = [](OpExport &op) {
    exportDraw<true>(op, "TruncatedNormal", "StatelessTruncatedNormalV2");
  };
  table[StatelessRandomUniformFullIntOp::getOperationName()] =
      [](OpExport &op) {
        exportDraw<true>(op, "", "StatelessRandomUniformFullIntV2");
      };
  table[StatelessRandomUniformIntOp::getOperationName()] = [](OpExport &op) {
    exportDraw<false>(op, "RandomUniformInt", "StatelessRandomUniformIntV2");
  };
  table[RandomShuffleOp::getOperationName()] = exportShuffle;
  table[MultinomialOp::getOperationName()] = exportMultinomial;
  table[CandidateSampleOp::getOperationName()] = exportCandidates;
  table[RandomGammaOp::getOperationName()] = [](OpExport &op) {
    exportDrawOfEach(op, "RandomGamma", {});
  };
  table[RandomPoissonOp::getOperationName()] = [](OpExport &op) {
    exportDrawOfEach(op, "RandomPoissonV2",
                     {{"dtype", type(op.type("dtype"))}});
  };
  table[AccidentalHitsOp::getOperationName()] = exportHits;
  table[StatelessRandomGetKeyCounterOp::getOperationName()] = exportKeyCounter;
  table[RandomSkipOp::getOperationName()] = exportSkip;
}

} // namespace ingot::exporter
