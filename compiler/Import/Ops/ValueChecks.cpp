//===- ValueChecks.cpp - Checks of operands' values -----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Checks the requirements of TensorFlow's ops on the values of their operands,
// such as indices within bounds. The table `checks` lists most of these
// requirements. Ops on variables, whose first input is a handle, make their
// checks in their import functions.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Ops/ValueChecks.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/RequireValuesOps.h"
#include "dialects/Ingot/IR/ShapeInference.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

static Value shapeOf(NodeImport &node, Value tensor) {
  Type i64 = node.body.builder.getI64Type();
  Operation *shape = node.create<ShapeOp>(
      tensor, node.named("output_type", TypeAttr::get(i64)));
  return shape ? shape->getResult(0) : Value();
}

static void requireIndices(NodeImport &node, StringRef kind, Value indices,
                           Value limits, int64_t axis) {
  Builder &builder = node.body.builder;
  if (limits)
    node.create<RequireIndicesOp>(
        {indices, limits},
        {node.named("kind", builder.getStringAttr(kind)),
         node.named("axis", builder.getI64IntegerAttr(axis))});
}

void checkIndices(NodeImport &node, StringRef kind, Value indices, Value tensor,
                  int64_t axis) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type ||
      !RequireIndicesOp::areKnown(indices, type.getShape(), kind, axis))
    requireIndices(node, kind, indices, shapeOf(node, tensor), axis);
}

void checkBelow(NodeImport &node, StringRef kind, Value indices, Value limit) {
  std::optional<int64_t> known = getConstantInt(limit);
  if (!known || !RequireIndicesOp::areKnown(indices, *known, kind, 0))
    requireIndices(node, kind, indices, limit, 0);
}

// Creates a check that two shape vectors broadcast to each other. Creates none
// if the lengths of both are static, because the op that broadcasts them then
// checks their elements.
static void checkBroadcast(NodeImport &node, Value sizes, Value others) {
  Shape a = getTensorShape(sizes.getType());
  Shape b = getTensorShape(others.getType());
  if (!a || !b || !getNumElements(a) || !getNumElements(b))
    requireIndices(node, "broadcast", sizes, others, 0);
}

void checkConcat(NodeImport &node, Value sizes, Value others,
                 std::optional<int64_t> axis) {
  Shape a = getTensorShape(sizes.getType());
  Shape b = getTensorShape(others.getType());
  if (!a || !b || (!getNumElements(a) && !getNumElements(b)))
    requireIndices(node, "concat", sizes, others,
                   axis.value_or(std::numeric_limits<int64_t>::max()));
}

void checkSegments(NodeImport &node, Value ids, Value count, Value data) {
  Shape shape = getTensorShape(data.getType());
  Shape idShape = getTensorShape(ids.getType());
  if (!shape || !idShape || idShape->size() > shape->size())
    return checkBelow(node, "segment", ids, count);
  auto columns = ArrayRef(*shape).drop_front(idShape->size());
  if (llvm::is_contained(columns, 0))
    return;
  if (!llvm::any_of(columns, ShapedType::isDynamic))
    return checkBelow(node, "segment", ids, count);
  // The sizes of a row of `data` are known only at run time. If a row has no
  // elements, the ids need no check. So the check gets a vector of limits:
  // first `count`, which the ids must be below, then the sizes of a row. The
  // check does nothing if one of these sizes is 0.
  Builder &builder = node.body.builder;
  auto constant = [&](ArrayRef<int64_t> values) {
    return createConstant(node.body.builder, node.loc,
                          builder.getI64TensorAttr(values));
  };
  Value sizes = node.make<SliceOp>(
      {shapeOf(node, data), constant(static_cast<int64_t>(idShape->size())),
       constant(static_cast<int64_t>(columns.size()))});
  Value wide = node.make<CastOp>(
      count, node.named("dst", TypeAttr::get(builder.getI64Type())));
  Value first = wide ? node.make<ReshapeOp>({wide, constant(1)}) : Value();
  Value axis = createConstant(
      node.body.builder, node.loc,
      DenseElementsAttr::get(RankedTensorType::get({}, builder.getI32Type()),
                             int32_t(0)));
  if (first && sizes)
    requireIndices(node, "segment", ids,
                   node.make<ConcatOp>({axis, first, sizes}), 0);
}

// Checks that each element of `axes` is the index of a dimension of `tensor`; a
// negative one counts from the last dimension.
static void checkAxes(NodeImport &node, Value axes, Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (type && RequireIndicesOp::areKnown(axes, type.getRank(), "axis", 0))
    return;
  // The length of the shape vector is the rank of `tensor`.
  if (Value shape = shapeOf(node, tensor))
    requireIndices(node, "axis", axes, shapeOf(node, shape), 0);
}

template <typename OpT>
static void require(NodeImport &node, StringRef kind, ValueRange operands) {
  if (!OpT::areKnown(operands.front(), kind))
    node.create<OpT>(operands,
                     node.named("kind", node.body.builder.getStringAttr(kind)));
}

// Checks `numbers` by an `ingot.require_numbers` op of kind `kind`, for example
// that no divisor is 0. If `other` has no elements, nothing is computed with
// `numbers`, and they are not checked.
static void checkNumbers(NodeImport &node, StringRef kind, Value numbers,
                         Value other) {
  auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(numbers));
  if (kind == "finite" && element)
    return;
  bool isInteger = kind == "divisor" || kind == "exponent" || kind == "count";
  if ((isInteger && !element) || (kind == "exponent" && element.isUnsigned()) ||
      RequireNumbersOp::areKnown(numbers, kind))
    return;
  SmallVector<Value> operands{numbers};
  Shape shape = getTensorShape(other.getType());
  if (!shape || llvm::any_of(*shape, [](int64_t size) { return size <= 0; }))
    operands.push_back(shapeOf(node, other));
  if (operands.back())
    require<RequireNumbersOp>(node, kind, operands);
}

namespace {

/// A row of the table below. It states what op `op` requires of the values of
/// its input `input`, such as indices, in relation to its input `other`, such
/// as the tensor that they index.
struct ValueCheck {
  enum Question {
    Axes,       // the values are indices of dimensions of `other`
    BelowSize,  // the values are below the size of `other` along `axis`
    BelowValue, // the values are below the value of `other`
    Numbers,    // not 0 for kind "divisor", etc.; ignored if `other` is empty
    Broadcast,  // the values are a shape that broadcasts with `other`
    Order       // the values are a permutation, or ascend; `other` is not used
  };

  StringLiteral op;
  Question question;
  StringLiteral kind;
  unsigned input;
  unsigned other = 0;
  int64_t axis = 0;
  /// The node's attribute that states `axis`. Empty if the axis is the same for
  /// all nodes of the op.
  StringLiteral axisAttribute = "";
};

} // namespace

static constexpr ValueCheck checks[] = {
    {"Div", ValueCheck::Numbers, "divisor", 1},
    {"FloorDiv", ValueCheck::Numbers, "divisor", 1},
    {"FloorMod", ValueCheck::Numbers, "divisor", 1},
    {"Mod", ValueCheck::Numbers, "divisor", 1},
    {"TruncateDiv", ValueCheck::Numbers, "divisor", 1},
    {"TruncateMod", ValueCheck::Numbers, "divisor", 1},
    {"Pow", ValueCheck::Numbers, "exponent", 1},
    {"ScatterDiv", ValueCheck::Numbers, "update", 2, 1},
    {"ResourceScatterDiv", ValueCheck::Numbers, "update", 2, 1},

    {"Transpose", ValueCheck::Order, "permutation", 1},
    {"ConjugateTranspose", ValueCheck::Order, "permutation", 1},
    {"InvertPermutation", ValueCheck::Order, "inverted", 0},

    {"SegmentMax", ValueCheck::Order, "segments", 1},
    {"SegmentMean", ValueCheck::Order, "segments", 1},
    {"SegmentMin", ValueCheck::Order, "segments", 1},
    {"SegmentProd", ValueCheck::Order, "segments", 1},
    {"SegmentSum", ValueCheck::Order, "segments", 1},
    {"SparseSegmentMean", ValueCheck::Order, "sparse_segments", 2},
    {"SparseSegmentSqrtN", ValueCheck::Order, "sparse_segments", 2},
    {"SparseSegmentSum", ValueCheck::Order, "sparse_segments", 2},
    {"SparseSegmentMeanWithNumSegments", ValueCheck::Order, "segments", 2},
    {"SparseSegmentSqrtNWithNumSegments", ValueCheck::Order, "segments", 2},
    {"SparseSegmentSumWithNumSegments", ValueCheck::Order, "segments", 2},

    {"SparseSegmentMeanWithNumSegments", ValueCheck::BelowValue, "counted", 2,
     3},
    {"SparseSegmentSqrtNWithNumSegments", ValueCheck::BelowValue, "counted", 2,
     3},
    {"SparseSegmentSumWithNumSegments", ValueCheck::BelowValue, "counted", 2,
     3},
    {"SparseSegmentMeanGrad", ValueCheck::BelowValue, "row", 1, 3},
    {"SparseSegmentMeanGradV2", ValueCheck::BelowValue, "row", 1, 3},
    {"SparseSegmentSqrtNGrad", ValueCheck::BelowValue, "row", 1, 3},
    {"SparseSegmentSqrtNGradV2", ValueCheck::BelowValue, "row", 1, 3},
    {"SparseSegmentSumGrad", ValueCheck::BelowValue, "row", 1, 3},
    {"SparseSegmentSumGradV2", ValueCheck::BelowValue, "row", 1, 3},
    {"SparseSegmentMeanGrad", ValueCheck::BelowSize, "segment_row", 2, 0},
    {"SparseSegmentMeanGradV2", ValueCheck::BelowSize, "segment_row", 2, 0},
    {"SparseSegmentSqrtNGrad", ValueCheck::BelowSize, "segment_row", 2, 0},
    {"SparseSegmentSqrtNGradV2", ValueCheck::BelowSize, "segment_row", 2, 0},
    {"SparseSegmentSumGrad", ValueCheck::BelowSize, "segment_row", 2, 0},
    {"SparseSegmentSumGradV2", ValueCheck::BelowSize, "segment_row", 2, 0},
    {"UnsortedSegmentMax", ValueCheck::Numbers, "num_segments", 2, 2},
    {"UnsortedSegmentMin", ValueCheck::Numbers, "num_segments", 2, 2},
    {"UnsortedSegmentProd", ValueCheck::Numbers, "num_segments", 2, 2},
    {"UnsortedSegmentSum", ValueCheck::Numbers, "num_segments", 2, 2},
    {"ResizeBicubic", ValueCheck::Numbers, "resized", 1},
    {"ResizeBilinear", ValueCheck::Numbers, "resized", 1},
    {"ResizeNearestNeighbor", ValueCheck::Numbers, "resized", 1},
    {"ResizeNearestNeighborGrad", ValueCheck::Numbers, "resized", 1},
    {"Bincount", ValueCheck::Numbers, "count", 0, 0},
    {"DenseBincount", ValueCheck::Numbers, "count", 0, 0},
    {"RaggedBincount", ValueCheck::Numbers, "count", 1, 1},
    {"RaggedBincount", ValueCheck::Numbers, "count", 2, 2},
    {"RandomUniformInt", ValueCheck::BelowValue, "range", 1, 2},
    {"StatelessRandomUniformInt", ValueCheck::BelowValue, "range", 2, 3},
    {"MatrixDiagPartV2", ValueCheck::BelowSize, "diagonal", 1},
    {"MatrixDiagPartV3", ValueCheck::BelowSize, "diagonal", 1},
    {"MatrixSetDiagV2", ValueCheck::BelowSize, "diagonal", 2},
    {"MatrixSetDiagV3", ValueCheck::BelowSize, "diagonal", 2},
    {"MatrixBandPart", ValueCheck::BelowSize, "band_rows", 1, 0, -2},
    {"MatrixBandPart", ValueCheck::BelowSize, "band_columns", 2, 0, -1},
    {"BatchMatrixBandPart", ValueCheck::BelowSize, "band_rows", 1, 0, -2},
    {"BatchMatrixBandPart", ValueCheck::BelowSize, "band_columns", 2, 0, -1},
    {"ConcatOffset", ValueCheck::BelowSize, "axis", 0, 1},

    {"Range", ValueCheck::Numbers, "finite", 0, 0},
    {"Range", ValueCheck::Numbers, "finite", 1, 1},
    {"BroadcastArgs", ValueCheck::Broadcast, "broadcast", 0, 1},

    {"ArgMax", ValueCheck::Axes, "axis", 1},
    {"ArgMin", ValueCheck::Axes, "axis", 1},
    {"Cumprod", ValueCheck::Axes, "axis", 1},
    {"Cumsum", ValueCheck::Axes, "axis", 1},
    {"CumulativeLogsumexp", ValueCheck::Axes, "axis", 1},

    {"ReverseSequence", ValueCheck::BelowSize, "length", 1, 0, 0, "seq_dim"},
    {"SparseSoftmaxCrossEntropyWithLogits", ValueCheck::BelowSize, "label", 1,
     0, -1},
};

// Checks those hyperparameters of an optimizer's update node that TensorFlow's
// kernels check. The update may be dense or row-sparse, on a resource or on a
// reference variable.
static void checkHyperparameters(NodeImport &node) {
  StringRef op = node.node.op();
  op.consume_front("Resource");
  unsigned isSparse = op.consume_front("Sparse");
  if (!op.consume_front("Apply"))
    return;
  SmallVector<std::pair<unsigned, StringRef>> numbers;
  if (op == "ProximalAdagrad")
    numbers = {{2, "lr"}, {3, "l1"}, {4, "l2"}};
  if (op == "Ftrl" || op == "FtrlV2") {
    unsigned first = 4 + isSparse;
    bool multiplies = node.attributes.getBool("multiply_linear_by_lr", false);
    numbers = {{first, multiplies ? "lr_factor" : "lr"},
               {first + 1, "l1"},
               {first + 2, "l2"}};
    if (op == "FtrlV2")
      numbers.push_back({first + 3, "l2_shrinkage"});
    numbers.push_back({first + numbers.size(), "lr_power"});
  }
  for (auto [input, kind] : numbers) {
    Value value = input < node.numInputs() ? node.tensor(input) : Value();
    if (!value)
      return;
    checkNumbers(node, kind, value, value);
  }
}

void checkValues(NodeImport &node) {
  checkHyperparameters(node);
  static const auto *table = [] {
    auto *rows = new llvm::StringMap<SmallVector<const ValueCheck *, 1>>();
    for (const ValueCheck &check : checks)
      (*rows)[check.op].push_back(&check);
    return rows;
  }();
  auto found = table->find(node.node.op());
  if (found == table->end())
    return;
  for (const ValueCheck *check : found->second) {
    if (std::max(check->input, check->other) >= node.numInputs())
      return; // the op's import function reports the missing input
    Value values = node.tensor(check->input);
    Value other = node.tensor(check->other);
    if (!values || !other)
      return;
    int64_t axis = node.attributes.getInt(check->axisAttribute, check->axis);
    switch (check->question) {
    case ValueCheck::Axes:
      checkAxes(node, values, other);
      break;
    case ValueCheck::BelowSize:
      checkIndices(node, check->kind, values, other, axis);
      break;
    case ValueCheck::BelowValue:
      checkBelow(node, check->kind, values, other);
      break;
    case ValueCheck::Numbers:
      checkNumbers(node, check->kind, values, other);
      break;
    case ValueCheck::Broadcast:
      checkBroadcast(node, values, other);
      break;
    case ValueCheck::Order:
      require<RequireOrderOp>(node, check->kind, values);
      break;
    }
  }
}

} // namespace ingot::importer
