//===- SamplingOps.cpp - Shuffles, and draws from distributions -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports random ops whose results depend on an operand tensor: shuffles of its
// rows, classes drawn by their logits, numbers drawn by the parameters of their
// distribution, and candidate samplers.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Ops/RandomPositions.h"
#include "compiler/Import/Ops/ShapeChecks.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/Folding.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/RandomOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

static Value int64Scalar(NodeImport &node, int64_t value) {
  OpBuilder &builder = node.body.builder;
  auto type = RankedTensorType::get({}, builder.getI64Type());
  return createConstant(builder, node.loc, DenseElementsAttr::get(type, value));
}

// Returns the number of rows of `tensor` minus `less`, as a scalar int64, or
// the constant 0 if `tensor` is a scalar. Returns null after a problem.
static Value firstSize(NodeImport &node, Value tensor, int64_t less) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  OpBuilder &builder = node.body.builder;
  if (!type) {
    node.unsupported(
        "input has unknown rank; state its shape, as with tf.ensure_shape");
    return {};
  }
  if (type.getRank() == 0)
    return int64Scalar(node, 0);
  if (!type.isDynamicDim(0))
    return int64Scalar(node, type.getDimSize(0) - less);
  SmallVector<int64_t> first(type.getRank(), 0);
  first[0] = 1;
  Operation *shape = node.create<ShapeOp>(
      tensor, node.named("output_type", TypeAttr::get(builder.getI64Type())));
  Operation *masked =
      shape
          ? node.create<MulOp>({shape->getResult(0), int64Vector(node, first)})
          : nullptr;
  Operation *size =
      masked
          ? node.create<SumOp>({masked->getResult(0), int64Vector(node, {0})})
          : nullptr;
  Operation *rest =
      size ? node.create<SubOp>({size->getResult(0), int64Scalar(node, less)})
           : nullptr;
  return rest ? rest->getResult(0) : Value();
}

static void importShuffle(NodeImport &node) {
  Value value = node.expectInputs(1) ? node.tensor(0) : Value();
  Value swaps = value ? firstSize(node, value, 1) : Value();
  if (!swaps)
    return;
  std::optional<PhiloxPosition> stream = reserve(node, swaps, 1, 4);
  if (!stream)
    return;
  if (Operation *op =
          node.create<RandomShuffleOp>({value, stream->key, stream->counter}))
    node.setOutput(0, op->getResult(0));
}

static void importStatelessShuffle(NodeImport &node) {
  if (!node.expectInputs(4))
    return;
  SmallVector<Value> inputs = node.tensors(0, 3);
  if (node.hasFailed())
    return;
  inputs[1] = asSigned(node, inputs[1]);
  inputs[2] = asSigned(node, inputs[2]);
  if (node.hasFailed())
    return;
  if (Operation *op = node.create<RandomShuffleOp>(inputs))
    node.setOutput(0, op->getResult(0));
}

static void drawClasses(NodeImport &node, ArrayRef<Value> inputs,
                        std::optional<PhiloxPosition> stream) {
  Attribute dtype = elementTypeOf(node, "output_dtype", proto::DT_INT64);
  if (!dtype || !stream)
    return;
  if (Operation *op = node.create<MultinomialOp>(
          {inputs[0], inputs[1], stream->key, stream->counter},
          node.named("dtype", dtype)))
    node.setOutput(0, op->getResult(0));
}

static void importMultinomial(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  SmallVector<Value> inputs = node.tensors(0, 2);
  if (node.hasFailed())
    return;
  std::optional<int64_t> samples = getConstantInt(inputs[1]);
  if (!samples)
    return node.unsupported("the number of samples must be a constant");
  Value rows = firstSize(node, inputs[0], 0);
  if (!rows)
    return;
  // As in TensorFlow, samples are drawn in groups of four. Each sample needs a
  // double, which is made of two 32-bit numbers.
  int64_t perRow = 2 * ((std::max<int64_t>(*samples, 0) + 3) / 4 * 4);
  drawClasses(node, inputs, reserve(node, rows, perRow * blocksPerNumber));
}

// Checks that `classes`, the true classes of examples, has as many columns as
// the node's attribute num_true states.
static void checkColumns(NodeImport &node, Value classes, StringRef message) {
  int64_t count = node.attributes.getInt("num_true", 0);
  if (count <= 0)
    return node.malformed("attribute 'num_true' is " + Twine(count) +
                          ", expected a positive number");
  auto type = RankedTensorType::get({1, count}, node.body.builder.getI64Type());
  Value like = createConstant(node.body.builder, node.loc, makeZeros(type));
  checkSameShape(node, classes, like, message + ": {} is not like {}", {0});
}

static void importHits(NodeImport &node) {
  Value classes = node.expectInputs(2) ? node.tensor(0) : Value();
  if (classes)
    checkColumns(node, classes,
                 "true_candidates must be a batch_size * num_true matrix");
  if (!node.hasFailed())
    importCompute(node);
}

// Imports a candidate sampler, whose only input is the true classes. Like
// TensorFlow, reserves 2,048 numbers (512 blocks) per sampled class, even if
// fewer are used.
static void importCandidateSampler(NodeImport &node) {
  Value classes = node.expectInputs(1) ? node.tensor(0) : Value();
  if (!classes)
    return;
  checkColumns(node, classes, "true_classes must have num_true columns");
  if (node.hasFailed())
    return;
  NodeAttributes &given = node.attributes;
  int64_t count = given.getInt("num_sampled", 0);
  StringRef op = node.node.op();
  StringRef distribution = op.starts_with("All")       ? "all"
                           : op.starts_with("Uniform") ? "uniform"
                                                       : "log_uniform";
  OpBuilder &builder = node.body.builder;
  NamedAttribute attributes[] = {
      node.named("num_sampled", builder.getI64IntegerAttr(count)),
      node.named("range_max",
                 builder.getI64IntegerAttr(distribution == "all"
                                               ? count
                                               : given.getInt("range_max", 0))),
      node.named("unique", builder.getBoolAttr(given.getBool("unique", false))),
      node.named("distribution", builder.getStringAttr(distribution))};
  if (!given.error().empty() || count < 0 || count > INT32_MAX)
    return node.malformed("attribute 'num_sampled' is " + Twine(count) +
                          ", expected 0 to 2^31 - 1");
  std::optional<PhiloxPosition> stream =
      reserve(node, int64Scalar(node, count), 512);
  if (!stream)
    return;
  Operation *sample = node.create<CandidateSampleOp>(
      {classes, stream->key, stream->counter}, attributes);
  for (unsigned i = 0; sample && i < 3; ++i)
    node.setOutput(i, sample->getResult(i));
}

static void importStatelessMultinomial(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  SmallVector<Value> inputs = node.tensors(0, 3);
  if (!node.hasFailed())
    drawClasses(node, inputs, keyCounterOf(node, inputs[2]));
}

// Imports an op whose two inputs are a shape and the parameters of several
// distributions. For each parameter, the op draws a tensor of this shape from
// the parameter's distribution.
template <typename OpT>
static void drawOfEach(NodeImport &node, Attribute dtype) {
  SmallVector<Value> inputs = node.tensors(0, 2);
  if (node.hasFailed())
    return;
  auto i64 = TypeAttr::get(node.body.builder.getI64Type());
  Value each =
      node.make<ShapeOp>({inputs[1]}, {node.named("output_type", i64)});
  Value counts = node.make<CastOp>({inputs[0]}, {node.named("dst", i64)});
  counts = node.make<ConcatOp>({int64Scalar(node, 0), counts, each});
  if (!dtype || !counts)
    return;
  std::optional<PhiloxPosition> stream = reserve(node, counts, blocksPerNumber);
  if (!stream)
    return;
  if (Operation *op =
          node.create<OpT>({inputs[0], inputs[1], stream->key, stream->counter},
                           node.named("dtype", dtype)))
    node.setOutput(0, op->getResult(0));
}

static void importGamma(NodeImport &node) {
  Value alpha = node.expectInputs(2) ? node.tensor(1) : Value();
  if (alpha)
    drawOfEach<RandomGammaOp>(node, TypeAttr::get(getElementTypeOrSelf(alpha)));
}

// Imports RandomPoisson and RandomPoissonV2.
static void importPoisson(NodeImport &node) {
  if (node.expectInputs(2))
    drawOfEach<RandomPoissonOp>(node,
                                elementTypeOf(node, "dtype", proto::DT_INT64));
}

void addSamplingOps(OpTable &table) {
  table["StatelessShuffle"] = {Effect::Pure, importStatelessShuffle};
  table["StatelessMultinomial"] = {Effect::Pure, importStatelessMultinomial};
  table["RandomShuffle"] = {Effect::Consumes, importShuffle};
  table["Multinomial"] = {Effect::Consumes, importMultinomial};
  for (StringRef op : {"AllCandidateSampler", "LogUniformCandidateSampler",
                       "UniformCandidateSampler"}) {
    table[op] = {Effect::Consumes, importCandidateSampler};
    table[op].outputs = {"sampled_candidates", "true_expected_count",
                         "sampled_expected_count"};
  }
  table["ComputeAccidentalHits"].import = importHits;
  table["RandomGamma"] = {Effect::Consumes, importGamma};
  table["RandomPoisson"] = {Effect::Consumes, importPoisson};
  table["RandomPoissonV2"] = {Effect::Consumes, importPoisson};
}

} // namespace ingot::importer
