//===- ReductionOps.cpp - Reductions --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports segment reductions, cumulative ops, top-k and bincount, and
// reductions that become several ingot ops.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/IR/ReductionOps.h"

#include "compiler/Import/Ops/OneToOneOpSpec.h"
#include "compiler/Import/Ops/OpTable.h"
#include "compiler/Import/Ops/ValueChecks.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/RequireValuesOps.h"
#include "dialects/Ingot/IR/SetOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

using Kind = AttributeSpec::Kind;

namespace {
/// Creates the ops that a reduction is imported as. Every function returns null
/// if an operand is null, so only the last result must be checked for errors.
class ReductionBuilder {
public:
  explicit ReductionBuilder(NodeImport &node) : node(node) {}

  template <typename OpT>
  Value make(ArrayRef<Value> operands,
             ArrayRef<NamedAttribute> attributes = {}) {
    for (Value operand : operands)
      if (!operand)
        return {};
    Operation *op = node.create<OpT>(operands, attributes);
    return op ? op->getResult(0) : Value();
  }
  Value constant(Type type, double value) {
    auto tensor = RankedTensorType::get({}, type);
    TypedAttr element;
    if (isa<FloatType>(type))
      element = FloatAttr::get(type, value);
    else
      element = IntegerAttr::get(type, static_cast<int64_t>(value));
    return createConstant(node.body.builder, node.loc,
                          DenseElementsAttr::get(tensor, element));
  }
  Value integers(ArrayRef<int64_t> values) {
    return createConstant(node.body.builder, node.loc,
                          node.body.builder.getI64TensorAttr(values));
  }
  Value cast(Value value, Type type) {
    if (!value || getElementTypeOrSelf(value) == type)
      return value;
    return make<CastOp>({value}, node.named("dst", TypeAttr::get(type)));
  }
  /// Reshapes a tensor to one dimension.
  Value flat(Value value) { return make<ReshapeOp>({value, integers({-1})}); }
  Value segments(Value data, Value ids, Value count, StringRef reduction,
                 Value indices = {}, bool zeroEmpty = false) {
    SmallVector<NamedAttribute> attributes = {
        node.named("reduction", StringAttr::get(node.context(), reduction))};
    if (zeroEmpty)
      attributes.push_back(
          node.named("zero_empty", UnitAttr::get(node.context())));
    SmallVector<Value> operands = {data, ids, count};
    if (indices)
      operands.push_back(indices);
    return make<SegmentReduceOp>(operands, attributes);
  }
  void finish(Value value) {
    if (value)
      node.setOutput(0, value);
  }

private:
  NodeImport &node;
};
} // namespace

// Checks a node that becomes several ops: if it has attributes besides `known`,
// records a problem and returns false.
static bool checkAttributes(NodeImport &node,
                            std::vector<AttributeSpec> known) {
  return translateAttributes(node, {"", 0, "", std::move(known)}).has_value();
}

static void importL2Loss(NodeImport &node) {
  if (!node.expectInputs(1) || !checkAttributes(node, {}))
    return;
  Value x = node.tensor(0);
  if (!x)
    return;
  ReductionBuilder f(node);
  Value half = f.constant(getElementTypeOrSelf(x), 0.5);
  Value terms = f.make<MulOp>({f.make<SquareOp>({x}), half});
  f.finish(f.make<SumOp>({f.flat(terms), f.integers({0})}));
}

static void importEuclideanNorm(NodeImport &node) {
  if (!node.expectInputs(2) ||
      !checkAttributes(node, {{"Tidx"}, {"keep_dims"}}))
    return;
  SmallVector<Value> inputs = node.tensors(0, 2);
  if (node.hasFailed())
    return;
  if (!isa<FloatType>(getElementTypeOrSelf(inputs[0])))
    return node.unsupported("the norm of integers; cast them to floats");
  ReductionBuilder f(node);
  Value sum = f.make<SumOp>(
      {f.make<SquareOp>({inputs[0]}), inputs[1]},
      node.named("keep_dims",
                 BoolAttr::get(node.context(),
                               node.attributes.getBool("keep_dims", false))));
  f.finish(f.make<SqrtOp>({sum}));
}

// Imports ArgMin as the ArgMax of values that are mapped so that their order is
// reversed.
static void importArgMin(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  auto attributes = translateAttributes(
      node,
      {"",
       2,
       "",
       {{"Tidx"},
        {"output_type", Kind::ElementType, "output_type", proto::DT_INT64}}});
  SmallVector<Value> inputs = node.tensors(0, 2);
  if (!attributes || node.hasFailed())
    return;
  ReductionBuilder f(node);
  Type element = getElementTypeOrSelf(inputs[0]);
  // Reverse the order of the values, so that the smallest becomes the largest.
  // Bitwise not does so for signed and unsigned integers; negation would
  // overflow for the smallest signed integer.
  Value turned = isa<FloatType>(element) ? f.make<NegOp>({inputs[0]})
                 : element.isInteger(1)  ? f.make<LogicalNotOp>({inputs[0]})
                                         : f.make<InvertOp>({inputs[0]});
  f.finish(f.make<ArgMaxOp>({turned, inputs[1]}, *attributes));
}

template <char Code> static StringRef reductionOf() {
  switch (Code) {
  case 's':
    return "sum";
  case 'p':
    return "prod";
  case 'l':
    return "logsumexp";
  case 'm':
    return "mean";
  case 'q':
    return "sqrtn";
  case 'a':
    return "max";
  default:
    return "min";
  }
}

template <char Code> static void importCumulative(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  auto attributes =
      translateAttributes(node, {"",
                                 2,
                                 "",
                                 {{"Tidx"},
                                  {"exclusive", Kind::Bool, "exclusive"},
                                  {"reverse", Kind::Bool, "reverse"}}});
  SmallVector<Value> inputs = node.tensors(0, 2);
  if (!attributes || node.hasFailed())
    return;
  attributes->push_back(
      node.named("kind", StringAttr::get(node.context(), reductionOf<Code>())));
  ReductionBuilder(node).finish(
      ReductionBuilder(node).make<CumulativeOp>(inputs, *attributes));
}

template <char Code> static void importUnsortedSegment(NodeImport &node) {
  if (!node.expectInputs(3) ||
      !checkAttributes(node, {{"Tindices"}, {"Tnumsegments"}}))
    return;
  SmallVector<Value> inputs = node.tensors(0, 3);
  if (node.hasFailed())
    return;
  checkSegments(node, inputs[1], inputs[2], inputs[0]);
  ReductionBuilder f(node);
  f.finish(f.segments(inputs[0], inputs[1], inputs[2], reductionOf<Code>()));
}

// Returns the number of segments: the last of the sorted `ids` plus 1, or 0 if
// there are no ids. The sum is computed in 64 bits, because it overflows 32
// bits if the last id is the largest 32-bit integer.
static Value countSegments(ReductionBuilder &f, Value ids) {
  Type type = IntegerType::get(ids.getContext(), 64);
  Value last = f.cast(f.make<MaxOp>({ids, f.integers({0})}), type);
  Value next = f.make<AddOp>({last, f.constant(type, 1)});
  return f.make<MaximumOp>({next, f.constant(type, 0)});
}

// Imports a segment reduction, with inputs data, [indices,] sorted ids[, the
// number of segments]. `Code` selects the reduction, `Sparse` means that there
// are indices, `Counted` that there is a number of segments.
template <char Code, bool Sparse, bool Counted>
static void importSegment(NodeImport &node) {
  constexpr size_t numInputs = 2 + Sparse + Counted;
  if (!node.expectInputs(numInputs) ||
      !checkAttributes(node, {{"Tindices"},
                              {"Tidx"},
                              {"Tsegmentids"},
                              {"Tnumsegments"},
                              // This attribute matters only to TensorFlow's
                              // gradient function, which has already added its
                              // nodes to the graph.
                              {"sparse_gradient"}}))
    return;
  SmallVector<Value> inputs = node.tensors(0, numInputs);
  if (node.hasFailed())
    return;
  ReductionBuilder f(node);
  Value ids = inputs[1 + Sparse];
  Value count = Counted ? inputs.back() : countSegments(f, ids);
  if (!count)
    return;
  if (Sparse)
    checkIndices(node, "sparse_segment", inputs[1], inputs[0]);
  // For a segment without rows, the result must be 1 for products, and 0 for
  // all other reductions. Maxima and minima of no rows would be other numbers,
  // so for them the last argument of `segments`, `zeroEmpty`, is true.
  f.finish(f.segments(inputs[0], ids, count, reductionOf<Code>(),
                      Sparse ? inputs[1] : Value(),
                      Code == 'a' || Code == 'i'));
}

// Returns the size of dimension 0 of `tensor`, as a scalar int32.
static Value firstSize(ReductionBuilder &f, NodeImport &node, Value tensor) {
  Builder b(node.context());
  Value shape = f.make<ShapeOp>(
      {tensor}, {node.named("output_type", TypeAttr::get(b.getI32Type()))});
  Value first = f.make<SliceOp>({shape, f.integers({0}), f.integers({1})});
  return f.make<SqueezeOp>({first},
                           {node.named("dims", b.getDenseI64ArrayAttr(0))});
}

/// Sets the outputs of a node that returns a gradient as slices
/// (IndexedSlices), from which row-sparse optimizers update variables. Output 1
/// has the distinct elements of `indices` in ascending order, and output 0 the
/// sum of the gradients for each of them.
static void finishSlices(ReductionBuilder &f, NodeImport &node, Value gradient,
                         Value indices, Value segments) {
  Type i32 = IntegerType::get(node.context(), 32);
  Operation *unique =
      gradient ? node.create<UniqueOp>(
                     indices, node.named("output_type", TypeAttr::get(i32)))
               : nullptr;
  if (!unique)
    return;
  Value rows = unique->getResult(0), count = firstSize(f, node, rows);
  Value sums =
      f.segments(gradient, unique->getResult(1), count, "sum", segments);
  Value negated = f.make<NegOp>({rows});
  if (!sums || !negated)
    return;
  Operation *order = node.create<TopKOp>(
      {negated, count},
      {node.named("index_type", TypeAttr::get(i32)),
       node.named("sorted", BoolAttr::get(node.context(), true))});
  if (!order)
    return;
  Value places = order->getResult(1), axis = f.constant(i32, 0);
  Value inOrder = f.make<GatherOp>({rows, places, axis});
  f.finish(f.make<GatherOp>({sums, places, axis}));
  if (inOrder)
    node.setOutput(1, inOrder);
}

// Imports the gradient of a sparse segment reduction. The inputs are the
// gradient, indices, ids, and the number of rows of the data. The gradient of a
// row of the data is the sum of the gradients of the segments that contain it.
// For a mean, the segments' gradients are first divided by the segments' sizes,
// and for `Code` 'q' (sqrt_n) by the square roots of the sizes. V2 of these ops
// returns slices (`Slices`).
template <char Code, bool Slices = false>
static void importSparseSegmentGrad(NodeImport &node) {
  if (!node.expectInputs(4) ||
      !checkAttributes(node, {{"Tidx"}, {"Tsegmentids"}}))
    return;
  SmallVector<Value> inputs = node.tensors(0, 4);
  if (node.hasFailed())
    return;
  ReductionBuilder f(node);
  Value gradient = inputs[0];
  if (Code != 's') {
    auto type = cast<TensorType>(gradient.getType());
    if (!type.hasRank() || type.getRank() == 0)
      return node.unsupported("gradient has unknown rank; state its shape, as "
                              "with tf.ensure_shape");
    Type element = type.getElementType();
    Value count = firstSize(f, node, gradient);
    if (!count)
      return;
    Value ones = f.cast(f.make<EqualOp>({inputs[2], inputs[2]}), element);
    Value divisor = f.make<MaximumOp>(
        {f.segments(ones, inputs[2], count, "sum"), f.constant(element, 1)});
    if (Code == 'q')
      divisor = f.make<SqrtOp>({divisor});
    SmallVector<int64_t> shape(type.getRank(), 1);
    shape.front() = -1;
    divisor = f.make<ReshapeOp>({divisor, f.integers(shape)});
    gradient = f.make<RealDivOp>({gradient, divisor});
  }
  if (Slices)
    return finishSlices(f, node, gradient, inputs[1], inputs[2]);
  if (gradient)
    f.finish(f.segments(gradient, inputs[1], inputs[3], "sum", inputs[2]));
}

// Returns `weights`, or a tensor of ones of the size of `numbers` if `weights`
// is empty at run time. Adds a check that the size of `weights` is 0 or
// `count`, the size of `numbers`: `size * (size - count)` must be zero.
static Value weightsOrOnes(NodeImport &node, ReductionBuilder &f, Value weights,
                           Value numbers) {
  Type i64 = IntegerType::get(node.context(), 64);
  auto sizeOf = [&](Value tensor) {
    Operation *op = node.create<ShapeOp>(
        tensor, node.named("output_type", TypeAttr::get(i64)));
    return op ? op->getResult(0) : Value();
  };
  Value size = sizeOf(weights), count = sizeOf(numbers);
  Value wrong = f.make<MulOp>({size, f.make<SubOp>({size, count})});
  if (!wrong)
    return {};
  node.create<RequireNumbersOp>(
      {wrong}, node.named("kind", StringAttr::get(node.context(), "weights")));
  Value ones = f.cast(f.make<EqualOp>({numbers, numbers}),
                      getElementTypeOrSelf(weights));
  Value all = f.make<ConcatOp>({f.constant(i64, 0), weights, ones});
  return f.make<SliceOp>({all, f.make<SubOp>({count, count}), count});
}

/// Imports a bincount of each row of a matrix: turns each element into a
/// one-hot vector and sums these vectors over the row.
static void importRowCounts(NodeImport &node, ReductionBuilder &f,
                            ArrayRef<Value> inputs, bool isWeighted,
                            bool isBinary) {
  auto weights = cast<TensorType>(inputs[2].getType());
  if (isWeighted && weights.getRank() != 2)
    return node.unsupported("bincount of rows with weights of shape " +
                            toString(getTensorShape(weights)) +
                            ", expected a matrix");
  Type element = weights.getElementType();
  Value counts = f.make<OneHotOp>(
      {inputs[0], inputs[1], f.constant(element, 1), f.constant(element, 0)});
  if (isWeighted)
    counts = f.make<MulOp>(
        {counts, f.make<ExpandDimsOp>(
                     {inputs[2],
                      f.constant(IntegerType::get(node.context(), 32), -1)})});
  counts = f.make<SumOp>({counts, f.integers({1})});
  if (isBinary)
    counts = f.make<MinimumOp>({counts, f.constant(element, 1)});
  f.finish(counts);
}

static void importBincount(NodeImport &node) {
  if (!node.expectInputs(3) ||
      !checkAttributes(node, {{"Tidx"}, {"binary_output"}}))
    return;
  SmallVector<Value> inputs = node.tensors(0, 3);
  if (node.hasFailed())
    return;
  ReductionBuilder f(node);
  bool isBinary = node.attributes.getBool("binary_output", false);
  auto weights = cast<TensorType>(inputs[2].getType());
  auto numbers = cast<TensorType>(inputs[0].getType());
  if (!weights.hasRank() || !numbers.hasRank())
    return node.unsupported("inputs have unknown rank; state their shapes, as "
                            "with tf.ensure_shape");
  bool isDense = node.node.op() == "DenseBincount";
  bool hasWeights =
      getNumElements(getTensorShape(weights)) != std::optional<int64_t>(0);
  if (isDense && numbers.getRank() > 1)
    return importRowCounts(node, f, inputs, hasWeights && !isBinary, isBinary);
  Value data = inputs[2];
  if (!hasWeights || isBinary)
    data = f.cast(f.make<EqualOp>({inputs[0], inputs[0]}),
                  weights.getElementType());
  else if (weights.getRank() == 1 && weights.isDynamicDim(0) &&
           numbers.getRank() == 1)
    data = weightsOrOnes(node, f, data, inputs[0]);
  Value counts = f.segments(data, inputs[0], inputs[1], "sum");
  if (isBinary && counts)
    counts =
        f.make<MinimumOp>({counts, f.constant(weights.getElementType(), 1)});
  f.finish(counts);
}

// Imports TopK, which is TopKV2 with k as an attribute.
static void importTopK(NodeImport &node) {
  if (!node.expectInputs(1) || !checkAttributes(node, {{"sorted"}, {"k"}}))
    return;
  Value input = node.tensor(0);
  if (!input)
    return;
  ReductionBuilder f(node);
  Type i32 = IntegerType::get(node.context(), 32);
  Value k =
      f.constant(i32, static_cast<double>(node.attributes.getInt("k", 0)));
  if (!k)
    return;
  bool isSorted = node.attributes.getBool("sorted", true);
  if (Operation *op = node.create<TopKOp>(
          {input, k},
          {node.named("index_type", TypeAttr::get(i32)),
           node.named("sorted", BoolAttr::get(node.context(), isSorted))}))
    for (auto [port, result] : llvm::enumerate(op->getResults()))
      node.setOutput(port, result);
}

static void importInTopK(NodeImport &node) {
  bool isFirst = node.node.op() == "InTopK";
  if (!node.expectInputs(isFirst ? 2 : 3) || !checkAttributes(node, {{"k"}}))
    return;
  SmallVector<Value> inputs = node.tensors(0, node.numInputs());
  if (node.hasFailed())
    return;
  ReductionBuilder f(node);
  if (isFirst)
    inputs.push_back(
        f.constant(IntegerType::get(node.context(), 32),
                   static_cast<double>(node.attributes.getInt("k", 0))));
  f.finish(f.make<InTopKOp>(inputs));
}

static void addSegmentOps(OpTable &table) {
  auto add = [&](StringRef op, void (*import)(NodeImport &)) {
    table[op] = {Effect::Pure, import};
  };
  add("UnsortedSegmentSum", importUnsortedSegment<'s'>);
  add("UnsortedSegmentProd", importUnsortedSegment<'p'>);
  add("UnsortedSegmentMax", importUnsortedSegment<'a'>);
  add("UnsortedSegmentMin", importUnsortedSegment<'i'>);
  add("SegmentSum", importSegment<'s', false, false>);
  add("SegmentProd", importSegment<'p', false, false>);
  add("SegmentMean", importSegment<'m', false, false>);
  add("SegmentMax", importSegment<'a', false, false>);
  add("SegmentMin", importSegment<'i', false, false>);
  add("SparseSegmentSum", importSegment<'s', true, false>);
  add("SparseSegmentMean", importSegment<'m', true, false>);
  add("SparseSegmentSqrtN", importSegment<'q', true, false>);
  add("SparseSegmentSumWithNumSegments", importSegment<'s', true, true>);
  add("SparseSegmentMeanWithNumSegments", importSegment<'m', true, true>);
  add("SparseSegmentSqrtNWithNumSegments", importSegment<'q', true, true>);
  add("SparseSegmentSumGrad", importSparseSegmentGrad<'s'>);
  add("SparseSegmentMeanGrad", importSparseSegmentGrad<'m'>);
  add("SparseSegmentSqrtNGrad", importSparseSegmentGrad<'q'>);
  add("SparseSegmentSumGradV2", importSparseSegmentGrad<'s', true>);
  add("SparseSegmentMeanGradV2", importSparseSegmentGrad<'m', true>);
  add("SparseSegmentSqrtNGradV2", importSparseSegmentGrad<'q', true>);
  for (StringRef op : {"SparseSegmentSumGradV2", "SparseSegmentMeanGradV2",
                       "SparseSegmentSqrtNGradV2"})
    table[op].outputs = {"output", "sorted_unique_indices"};
}

void addReductionOps(OpTable &table) {
  addSegmentOps(table);
  table["L2Loss"] = {Effect::Pure, importL2Loss};
  table["EuclideanNorm"] = {Effect::Pure, importEuclideanNorm};
  table["ArgMin"] = {Effect::Pure, importArgMin};
  table["Cumsum"] = {Effect::Pure, importCumulative<'s'>};
  table["Cumprod"] = {Effect::Pure, importCumulative<'p'>};
  table["CumulativeLogsumexp"] = {Effect::Pure, importCumulative<'l'>};
  table["Bincount"] = {Effect::Pure, importBincount};
  table["DenseBincount"] = {Effect::Pure, importBincount};
  table["TopK"] = {Effect::Pure, importTopK};
  table["TopK"].outputs = {"values", "indices"};
  table["InTopK"] = {Effect::Pure, importInTopK};
  table["InTopKV2"] = {Effect::Pure, importInTopK};
}

} // namespace ingot::importer
