//===- ReductionExport.cpp - Segment reductions, scans, in-top-k ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/OpExport.h"

#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/ReductionOps.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

static NodeOutput shapeOf(OpExport &op, NodeOutput tensor) {
  return op.add("Shape", tensor, proto::DT_INT32);
}

// Returns the number of rows of each segment, with the element type of
// `reduced` and a shape that broadcasts to it.
static NodeOutput countRows(OpExport &op, NodeOutput ids, NodeOutput count,
                            NodeOutput reduced) {
  proto::DataType dtype = reduced.dtype;
  NodeOutput ones =
      op.add("Fill", {shapeOf(op, ids), op.scalar(1, dtype)}, dtype);
  NodeOutput rows = op.add("UnsortedSegmentSum", {ones, ids, count}, dtype);
  // Append a dimension of size 1 for each dimension of a row of `reduced`, so
  // that the counts broadcast to `reduced`.
  NodeOutput ranks[] = {
      op.add("Rank", reduced, proto::DT_INT32),
      op.scalar(1),
  };
  NodeOutput more = op.add("Sub", {ranks[0], ranks[1]}, proto::DT_INT32);
  NodeOutput flat = op.add("Reshape", {more, op.vector({1})}, proto::DT_INT32);
  NodeOutput units = op.add("Fill", {flat, op.scalar(1)}, proto::DT_INT32);
  NodeOutput shape = op.add(
      "ConcatV2", {shapeOf(op, rows), units, op.scalar(0)}, proto::DT_INT32);
  return op.add("Reshape", {rows, shape}, dtype);
}

// Returns whether `count`, the number of segments, is computed as the last of
// the sorted `ids` plus one, as the importer does for TensorFlow's ops on
// sorted segments.
static bool isCountOf(Value count, Value ids) {
  auto atLeast = count.getDefiningOp<MaximumOp>();
  auto next = atLeast ? atLeast.getLhs().getDefiningOp<AddOp>() : AddOp();
  auto wide = next ? next.getLhs().getDefiningOp<CastOp>() : CastOp();
  auto last = wide   ? wide.getInput().getDefiningOp<MaxOp>()
              : next ? next.getLhs().getDefiningOp<MaxOp>()
                     : MaxOp();
  return last && last.getInput() == ids && last.getLoc() == count.getLoc();
}

// Returns the name of TensorFlow's op that applies `reduction` to sorted
// segments, or "" if there is no such op.
static std::string sortedName(StringRef reduction, bool isSparse) {
  std::string name = reduction == "sqrtn" ? "SqrtN" : reduction.str();
  name[0] = llvm::toUpper(name[0]);
  bool isSum =
      reduction == "sum" || reduction == "mean" || reduction == "sqrtn";
  if (isSparse)
    return isSum ? "SparseSegment" + name : "";
  return reduction == "sqrtn" ? "" : "Segment" + name;
}

// Exports a segment reduction. If it was imported from one of TensorFlow's ops
// on sorted segments, exports that op. Otherwise exports an unsorted reduction,
// followed by a division for "mean" and "sqrtn", and, if attribute `zero_empty`
// is set, by a select that makes the results of empty segments zero.
static void exportSegments(OpExport &op) {
  auto segments = cast<SegmentReduceOp>(op.op);
  SmallVector<NodeOutput> operands = op.operands();
  NodeOutput data = operands[0], ids = operands[1], count = operands[2];
  StringRef reduction = op.text("reduction");
  bool isSparse = operands.size() == 4;
  std::string sorted;
  if (isCountOf(segments.getNumSegments(), segments.getSegmentIds()))
    sorted = sortedName(reduction, isSparse);
  if (!sorted.empty()) {
    SmallVector<NodeOutput> inputs = {data};
    if (isSparse)
      inputs.push_back(operands[3]);
    inputs.push_back(ids);
    return op.emit(sorted, inputs);
  }
  if (isSparse)
    data = op.add("GatherV2", {data, operands[3], op.scalar(0)}, data.dtype);
  // The ingot op drops rows whose ids are negative or too large. TensorFlow's
  // op drops rows with negative ids, but rejects ids that are too large, so
  // replace the latter by -1.
  NodeOutput isThere =
      op.add("Less", {ids, op.cast(count, ids.dtype)}, proto::DT_BOOL);
  ids = op.add("SelectV2", {isThere, ids, op.scalar(-1, ids.dtype)}, ids.dtype);
  bool isSum =
      reduction == "sum" || reduction == "mean" || reduction == "sqrtn";
  StringRef node = isSum                 ? "UnsortedSegmentSum"
                   : reduction == "prod" ? "UnsortedSegmentProd"
                   : reduction == "max"  ? "UnsortedSegmentMax"
                                         : "UnsortedSegmentMin";
  bool isDivided = isSum && reduction != "sum";
  if (!isDivided && !op.flag("zero_empty"))
    return op.emit(node, {data, ids, count});
  NodeOutput reduced = op.add(node, {data, ids, count}, data.dtype);
  NodeOutput rows = countRows(op, ids, count, reduced);
  if (!isDivided) {
    NodeOutput none = op.scalar(0, data.dtype);
    NodeOutput isEmpty = op.add("Equal", {rows, none}, proto::DT_BOOL);
    return op.emit("SelectV2", {isEmpty, none, reduced});
  }
  NodeOutput divisor =
      op.add("Maximum", {rows, op.scalar(1, data.dtype)}, data.dtype);
  if (reduction == "sqrtn")
    divisor = op.add("Sqrt", divisor, data.dtype);
  op.emit("Div", {reduced, divisor});
}

static void exportCumulative(OpExport &op) {
  StringRef kind = op.text("kind");
  op.emit(kind == "sum"    ? "Cumsum"
          : kind == "prod" ? "Cumprod"
                           : "CumulativeLogsumexp",
          op.operands(),
          {{"exclusive", boolean(op.flag("exclusive"))},
           {"reverse", boolean(op.flag("reverse"))}});
}

static void exportInTopK(OpExport &op) {
  SmallVector<NodeOutput> operands = op.operands();
  operands[2] = op.cast(operands[2], operands[1].dtype);
  op.emit("InTopKV2", operands);
}

void addReductionExports(ExportTable &table) {
  table[SegmentReduceOp::getOperationName()] = exportSegments;
  table[CumulativeOp::getOperationName()] = exportCumulative;
  table[InTopKOp::getOperationName()] = exportInTopK;
}

} // namespace ingot::exporter
