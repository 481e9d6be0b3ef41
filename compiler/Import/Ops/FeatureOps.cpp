//===- FeatureOps.cpp - Feature columns -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Ops/NodeDecomposition.h"

#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/ShapeInference.h"
#include "dialects/Ingot/IR/SparseOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// Imports Bucketize, which maps each element to the number of boundaries that
// are less than or equal to it, and NaN to the number of all boundaries.
static void importBucketize(NodeImport &node) {
  NodeDecomposition parts(node);
  const proto::AttrValue::ListValue *list =
      node.attributes.getList("boundaries");
  if (!parts || !list)
    return;
  Value input = parts.inputs[0];
  // The boundaries are floats, so integers are converted to floats before they
  // are compared.
  if (!isa<FloatType>(getElementTypeOrSelf(input)))
    input = parts.make<CastOp>(
        input, node.named("dst", TypeAttr::get(parts.builder.getF32Type())));
  auto element = cast<FloatType>(getElementTypeOrSelf(input));
  SmallVector<APFloat> boundaries;
  for (float boundary : list->f()) {
    APFloat value(boundary);
    bool losesInfo;
    value.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    boundaries.push_back(value);
  }
  auto type =
      RankedTensorType::get({static_cast<int64_t>(boundaries.size())}, element);
  Value all = createConstant(parts.builder, node.loc,
                             DenseElementsAttr::get(type, boundaries));
  Value one = parts.make<ExpandDimsOp>({input, parts.i32(-1)});
  Value isAbove = parts.make<LessOp>({one, all});
  Value counted = parts.make<CastOp>(
      parts.make<LogicalNotOp>(isAbove),
      node.named("dst", TypeAttr::get(parts.builder.getI32Type())));
  parts.finish(parts.make<SumOp>({counted, parts.i32(-1)}));
}

// Returns the value of input `input` of a SparseCrossHashed, such as the number
// of buckets. If the input is not constant, records a problem and returns
// std::nullopt.
static std::optional<int64_t> constantOf(NodeImport &node, size_t input) {
  Value value = node.tensor(input);
  std::optional<int64_t> constant =
      value ? getConstantInt(value) : std::nullopt;
  if (value && !constant)
    node.unsupported("input " + llvm::Twine(input) + " must be a constant");
  return constant;
}

static void createCross(NodeImport &node, size_t numColumns,
                        ArrayRef<NamedAttribute> attributes) {
  SmallVector<Value> columns = node.tensors(0, numColumns);
  if (node.hasFailed())
    return;
  SmallVector<NamedAttribute> all(attributes);
  all.push_back(node.named("count", node.body.builder.getI64IntegerAttr(
                                        node.attributes.getInt("N", 0))));
  Operation *op = node.create<SparseCrossOp>(columns, all);
  if (!op)
    return;
  for (auto [port, result] : llvm::enumerate(op->getResults()))
    node.setOutput(port, result);
}

/// Returns whether input `index` of a SparseCross holds integer values of a
/// column. The inputs are N index matrices, N vectors of values, N shapes, and
/// dense columns. `index` must be at least N.
static bool isNumbersOfCross(NodeImport &node, size_t index) {
  size_t numSparse = node.attributes.getInt("N", 0);
  if (index >= 2 * numSparse && index < 3 * numSparse)
    return false;
  Value column = node.tensor(index);
  return column && getElementTypeOrSelf(column.getType()).isInteger(64);
}

static void importSparseCross(NodeImport &node) {
  bool isHashed = node.attributes.getBool("hashed_output", true);
  auto internal = node.attributes.getType("internal_type", proto::DT_INT64);
  if (!isHashed && internal == proto::DT_INT64)
    return node.unsupported("hashed_output = false with internal_type "
                            "DT_INT64, expected DT_STRING");
  // A hashed SparseCross treats string columns alike for both values of
  // internal_type, so only integer columns are checked here: they require
  // internal_type DT_INT64.
  if (isHashed && internal == proto::DT_STRING)
    for (size_t i = node.attributes.getInt("N", 0); i < node.numInputs(); ++i)
      if (isNumbersOfCross(node, i))
        return node.malformed("input " + llvm::Twine(i) +
                              " has numbers, but internal_type is DT_STRING");
  Builder &b = node.body.builder;
  auto number = [&](StringRef name) {
    return node.named(name,
                      b.getI64IntegerAttr(node.attributes.getInt(name, 0)));
  };
  createCross(node, node.numInputs(),
              {node.named("hashed", b.getBoolAttr(isHashed)),
               number("num_buckets"), number("hash_key")});
}

// Imports SparseCrossV2, whose inputs are the columns and a separator.
static void importSparseCrossV2(NodeImport &node) {
  if (!node.expectAtLeastInputs(2))
    return;
  size_t last = node.numInputs() - 1;
  auto separator = node.constantStrings(last);
  if (!separator || separator->size() != 1)
    return node.unsupported("separator must be a constant string");
  Builder &b = node.body.builder;
  createCross(node, last,
              {node.named("hashed", b.getBoolAttr(false)),
               node.named("num_buckets", b.getI64IntegerAttr(0)),
               node.named("hash_key", b.getI64IntegerAttr(0)),
               node.named("separator", b.getStringAttr(separator->front()))});
}

// Imports SparseCrossHashed, whose inputs are the columns, the number of
// buckets, whether the hash is strong, and its key.
static void importSparseCrossHashed(NodeImport &node) {
  if (!node.expectAtLeastInputs(4))
    return;
  size_t columns = node.numInputs() - 3;
  std::optional<int64_t> buckets = constantOf(node, columns);
  std::optional<int64_t> isStrong = constantOf(node, columns + 1);
  if (!buckets || !isStrong)
    return;
  if (*isStrong)
    return node.unsupported("strong_hash must be the constant false");
  if (*buckets < 0)
    return node.malformed(
        "the number of buckets must not be negative, but is " +
        llvm::Twine(*buckets));
  Builder &b = node.body.builder;
  createCross(node, columns,
              {node.named("hashed", b.getBoolAttr(true)),
               node.named("num_buckets", b.getI64IntegerAttr(*buckets)),
               node.named("hash_key", b.getI64IntegerAttr(0)),
               node.named("hashes_first", b.getBoolAttr(true))});
}

void addFeatureOps(OpTable &table) {
  static const OneToOneOpSpec bucketize = {
      "Bucketize", 1, "", {{"boundaries"}}};
  table["SparseCross"] = {Effect::Pure, importSparseCross};
  table["SparseCrossV2"] = {Effect::Pure, importSparseCrossV2};
  table["SparseCrossHashed"] = {Effect::Pure, importSparseCrossHashed};
  for (StringRef op : {"SparseCross", "SparseCrossV2", "SparseCrossHashed"})
    table[op].outputs = {"output_indices", "output_values", "output_shape"};
  table["Bucketize"] = {Effect::Pure, importBucketize, &bucketize};
}

} // namespace ingot::importer
