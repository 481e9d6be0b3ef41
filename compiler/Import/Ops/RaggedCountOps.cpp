//===- RaggedCountOps.cpp - Counts of numbers in ragged rows --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Ops/NodeDecomposition.h"
#include "compiler/Import/Ops/OpTable.h"
#include "compiler/Import/Ops/ShapeChecks.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/ReductionOps.h"
#include "dialects/Ingot/IR/SetOps.h"
#include "dialects/Ingot/IR/ShapeInference.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

namespace {

/// Creates the ops that a RaggedBincount is imported as.
class RaggedCounts {
public:
  explicit RaggedCounts(NodeDecomposition &parts)
      : parts(parts), wide(parts.builder.getI64Type()) {}

  Value cast(Value value, Type type) {
    if (!value || getElementTypeOrSelf(value) == type)
      return value;
    return parts.make<CastOp>({value},
                              {parts.node.named("dst", TypeAttr::get(type))});
  }
  Value scalar(Value value) {
    return parts.make<ReshapeOp>({value, parts.vector({}, wide)});
  }
  Value sizeOf(Value vector) {
    return parts.make<ShapeOp>(
        {vector}, {parts.node.named("output_type", TypeAttr::get(wide))});
  }

  /// Checks that the row splits `splits` divide all of the `count` values into
  /// rows: the first split must be 0, and the last one `count`.
  void checkSplits(Value splits, Value count) {
    Value last = parts.make<SubOp>({sizeOf(splits), parts.vector({1}, wide)});
    Value end = parts.make<GatherOp>({splits, last, parts.i32(0)});
    Value begin =
        parts.make<GatherOp>({splits, parts.vector({0}, wide), parts.i32(0)});
    if (!begin || !end)
      return;
    checkSameSizes(parts.node, begin, parts.vector({0}, wide),
                   "Splits must start with 0: {} instead of {}");
    checkSameSizes(parts.node, end, count,
                   "Splits must end with the number of values, got {} instead "
                   "of {}");
  }

  /// Returns, for each of `count` values, the index of the row that contains
  /// it. This is the number of rows that end at or before the value's position;
  /// `ends` lists where rows end.
  Value rowsOf(Value ends, Value count) {
    Value positions = parts.make<RangeOp>(
        {parts.scalar(0, wide), scalar(count), parts.scalar(1, wide)});
    auto row = [&](Value vector) {
      return parts.make<ReshapeOp>({vector, parts.vector({1, -1}, wide)});
    };
    Value rows = parts.make<UpperBoundOp>(
        {row(ends), row(positions)},
        {parts.node.named("output_type", TypeAttr::get(wide))});
    return parts.make<ReshapeOp>({rows, parts.vector({-1}, wide)});
  }

private:
  NodeDecomposition &parts;
  Type wide;
};

} // namespace

/// Imports RaggedBincount, which counts how often each value below `size`
/// occurs in each row, as a segment sum. The segment of a value is row * size +
/// value. Values that are not below `size` get a negative segment number, so
/// they are not counted.
static void importRaggedBincount(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  RaggedCounts f(parts);
  Type wide = parts.builder.getI64Type();
  Value splits = f.cast(parts.inputs[0], wide), weights = parts.inputs[3];
  Value values = f.cast(parts.inputs[1], wide);
  Value size = f.scalar(f.cast(parts.inputs[2], wide));
  Type element = getElementTypeOrSelf(weights);
  std::optional<int64_t> numWeights =
      getNumElements(getTensorShape(weights.getType()));
  if (!numWeights)
    return node.unsupported("weights of unknown shape; state it, as with "
                            "tf.ensure_shape");
  bool isBinary = node.attributes.getBool("binary_output", false);
  Value count = f.sizeOf(values);
  f.checkSplits(splits, count);
  Value ends = parts.make<SliceOp>(
      {splits, parts.vector({1}, wide), parts.vector({-1}, wide)});
  Value rows = f.sizeOf(ends), numRows = f.scalar(rows);
  Value numbers = parts.make<AddOp>(
      {parts.make<MulOp>({f.rowsOf(ends, count), size}), values});
  Value isCounted = parts.make<LessOp>({values, size});
  numbers = parts.make<SelectOp>({isCounted, numbers, parts.scalar(-1, wide)});
  Value data = *numWeights == 0 || isBinary
                   ? f.cast(parts.make<EqualOp>({values, values}), element)
                   : weights;
  Value counts = parts.make<SegmentReduceOp>(
      {data, numbers, parts.make<MulOp>({numRows, size})},
      {parts.text("reduction", "sum")});
  if (isBinary && counts)
    counts =
        parts.make<MinimumOp>({counts, f.cast(parts.scalar(1, wide), element)});
  Value shape = parts.make<ConcatOp>(
      {parts.i32(0), rows,
       parts.make<ReshapeOp>({size, parts.vector({1}, wide)})});
  parts.finish(parts.make<ReshapeOp>({counts, shape}));
}

void addRaggedCountOps(OpTable &table) {
  static const std::vector<ImportedOp> functions = {
      {{"RaggedBincount", 4, "", {{"Tidx"}, {"binary_output"}}},
       importRaggedBincount}};
  addImportedOps(table, functions);
}

} // namespace ingot::importer
