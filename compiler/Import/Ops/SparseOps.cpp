//===- SparseOps.cpp - Ops on sparse tensors ------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/SparseOps.h"
#include "compiler/Import/Ops/NodeDecomposition.h"
#include "compiler/Import/Ops/ShapeChecks.h"
#include "compiler/Import/Ops/ValueChecks.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/GradientOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/ReductionOps.h"
#include "dialects/Ingot/IR/RequireValuesOps.h"
#include "dialects/Ingot/IR/ShapeInference.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

static void importSerializeManySparse(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  SmallVector<Value> operands = node.tensors(0, 3);
  if (node.hasFailed())
    return;
  if (Operation *op = node.create<SerializeSparseOp>(
          operands, node.named("by_rows", BoolAttr::get(node.context(), true))))
    node.setOutput(0, op->getResult(0));
}

static void importRaggedToTensor(NodeImport &node) {
  if (!node.expectAtLeastInputs(4))
    return;
  SmallVector<Value> operands = node.tensors(0, node.numInputs());
  SmallVector<StringRef> types;
  if (const proto::AttrValue::ListValue *list =
          node.attributes.getList("row_partition_types"))
    types.assign(list->s().begin(), list->s().end());
  if (node.hasFailed())
    return;
  if (Operation *op = node.create<RaggedToTensorOp>(
          operands,
          node.named("types", node.body.builder.getStrArrayAttr(types))))
    node.setOutput(0, op->getResult(0));
}

// Imports SparseTensorDenseMatMul: multiplies each element of the sparse matrix
// with the row of the dense matrix that the element's column selects, and sums
// the products by the element's row, in the order of the elements.
static void importSparseProduct(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  auto [indices, values, shape, dense] = std::tie(
      parts.inputs[0], parts.inputs[1], parts.inputs[2], parts.inputs[3]);
  Type wide = parts.builder.getI64Type();
  auto pick = [&](Value x, int64_t at, int64_t axis) -> Value {
    return parts.make<GatherOp>({x, parts.scalar(at, wide), parts.i32(axis)});
  };
  bool isTransposed = node.attributes.getBool("adjoint_a", false);
  Value rows = pick(indices, isTransposed ? 1 : 0, 1);
  Value columns = pick(indices, isTransposed ? 0 : 1, 1);
  Value count = pick(shape, isTransposed ? 1 : 0, 0);
  if (node.attributes.getBool("adjoint_b", false))
    dense = parts.make<TransposeOp>(
        {dense, parts.vector({1, 0}, parts.builder.getI32Type())});
  if (!rows || !columns || !count || !dense)
    return;
  if (!mayHaveRank(dense.getType(), 2))
    return node.malformed("Tensor 'b' is not a matrix: " +
                          node.describeInputs());
  checkIndices(node, "gather", columns, dense, 0);
  checkBelow(node, "gather", rows, count);
  Value weights = parts.make<ReshapeOp>({values, parts.vector({-1, 1}, wide)});
  Value weighed = parts.make<MulOp>(
      {weights, parts.make<GatherOp>({dense, columns, parts.i32(0)})});
  parts.finish(parts.make<SegmentReduceOp>({weighed, rows, count},
                                           {parts.text("reduction", "sum")}));
}

/// Returns the rank of a sparse tensor, which is the length of its `shape`. If
/// the length is dynamic, records a problem and returns std::nullopt.
static std::optional<int64_t> rankOf(NodeImport &node, Value shape) {
  Shape sizes = getTensorShape(shape.getType());
  if (sizes && sizes->size() == 1 && !ShapedType::isDynamic(sizes->front()))
    return sizes->front();
  node.unsupported("the rank of a sparse tensor is unknown: its shape is not "
                   "a vector of static length");
  return std::nullopt;
}

/// Returns `shape`, the shape of a sparse tensor, as the result of a
/// sparse_reshape to the same shape. The sparse_reshape checks at run time that
/// `shape` has as many elements as each row of `indices`.
static Value checkedShape(NodeDecomposition &parts, Value indices,
                          Value shape) {
  Operation *op = parts.node.create<SparseReshapeOp>({indices, shape, shape});
  return op ? op->getResult(1) : Value();
}

/// Creates a run-time check that a sparse tensor has as many indices as values.
static void checkCounts(NodeDecomposition &parts, Value indices, Value values) {
  Value column = parts.make<GatherOp>({indices, parts.i32(0), parts.i32(1)});
  if (column && values)
    checkSameShape(parts.node, column, values,
                   "indices and values rows (indexing dimension) must match. "
                   "(indices = {}, values = {})");
}

// Imports SparseConcat: shifts the indices of each tensor along the axis by the
// sizes of the earlier tensors. Then concatenates indices and values, and sorts
// the elements by index.
static void importSparseConcat(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  size_t count = parts.inputs.size() / 3;
  if (count == 0 || parts.inputs.size() % 3 != 0)
    return node.malformed("has " + Twine(parts.inputs.size()) +
                          " inputs, expected equal numbers of indices, values "
                          "and shapes");
  auto all = ArrayRef(parts.inputs);
  ArrayRef<Value> shapes = all.drop_front(2 * count);
  std::optional<int64_t> rank = rankOf(node, shapes[0]);
  if (!rank)
    return;
  int64_t axis = node.attributes.getInt("concat_dim", 0);
  if (axis < -*rank || axis >= *rank)
    return node.malformed("concat_dim " + Twine(axis) +
                          " is out of range for rank " + Twine(*rank));
  axis = axis < 0 ? axis + *rank : axis;
  SmallVector<int64_t> ones(*rank, 0);
  ones[axis] = 1;
  Value along = parts.vector(ones, parts.builder.getI64Type()), end;
  SmallVector<Value> indices = {parts.i32(0)}, values = {parts.i32(0)};
  for (size_t i = 0; i < count; ++i) {
    if (i > 0)
      node.create<RequireIndicesOp>(
          {shapes[i], shapes[0]},
          {parts.text("kind", "concat"), parts.integer("axis", axis)});
    checkCounts(parts, all[i], all[count + i]);
    indices.push_back(end ? parts.make<AddOp>({all[i], end}) : all[i]);
    values.push_back(all[count + i]);
    Value size =
        parts.make<MulOp>({checkedShape(parts, all[i], shapes[i]), along});
    end = end ? parts.make<AddOp>({end, size}) : size;
  }
  Value others =
      parts.make<SubOp>({shapes[0], parts.make<MulOp>({shapes[0], along})});
  Value shape = parts.make<AddOp>({others, end});
  Value joined = parts.make<ConcatOp>(values);
  // TensorFlow defines no gradient of SparseConcat, so block the gradient that
  // the ConcatOp would have.
  if (joined && isa<FloatType>(getElementTypeOrSelf(joined)))
    joined = parts.make<StopGradientOp>({joined});
  Operation *sorted = node.create<SparseReorderOp>(
      {parts.make<ConcatOp>(indices), joined, shape});
  if (!sorted)
    return;
  node.setOutput(0, sorted->getResult(0));
  node.setOutput(1, sorted->getResult(1));
  node.setOutput(2, shape);
}

namespace {
/// The axes of a sparse tensor that a reduction keeps (`kept`) and that it
/// reduces (`gone`).
struct ReducedAxes {
  SmallVector<int64_t> kept, gone;
};
} // namespace

// Reads the inputs `shape` and `axes` of a node that reduces a sparse tensor to
// a dense one. Unless the rank is static and the axes are constant, records a
// problem and returns std::nullopt.
static std::optional<ReducedAxes> readAxes(NodeImport &node, Value shape,
                                           Value axes) {
  std::optional<SmallVector<int64_t>> reduced = getConstantInts(axes);
  if (!reduced) {
    node.unsupported("axes must be constants");
    return std::nullopt;
  }
  std::optional<int64_t> rank = rankOf(node, shape);
  if (!rank)
    return std::nullopt;
  for (int64_t &axis : *reduced) {
    if (axis < -*rank || axis >= *rank) {
      node.malformed("Invalid reduction dimension " + Twine(axis) +
                     ", for input with " + Twine(*rank) + " dimensions.");
      return std::nullopt;
    }
    axis = axis < 0 ? axis + *rank : axis;
  }
  ReducedAxes result;
  for (int64_t axis = 0; axis < *rank; ++axis)
    (llvm::is_contained(*reduced, axis) ? result.gone : result.kept)
        .push_back(axis);
  return result;
}

// Sets the node's output to `reduced`. If the node's attribute `keep_dims` is
// true, first inserts dimensions of size 1 for the reduced axes, `gone`.
static void finishReduction(NodeDecomposition &parts, Value reduced,
                            ArrayRef<int64_t> gone) {
  if (parts.node.attributes.getBool("keep_dims", false))
    for (int64_t axis : gone)
      reduced = parts.make<ExpandDimsOp>({reduced, parts.i32(axis)});
  parts.finish(reduced);
}

// Imports SparseReduceSum: sums the elements whose coordinates are the same on
// the axes that are not reduced.
static void importSparseReduceSum(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  auto [indices, values, shape] =
      std::tie(parts.inputs[0], parts.inputs[1], parts.inputs[2]);
  std::optional<ReducedAxes> axes = readAxes(node, shape, parts.inputs[3]);
  if (!axes)
    return;
  Value sum;
  if (!axes->kept.empty() || !axes->gone.empty())
    checkCounts(parts, indices, values);
  if (axes->kept.empty()) {
    sum = parts.make<SumOp>({values, parts.i32(0)});
  } else {
    Value picked = parts.vector(axes->kept, parts.builder.getI32Type());
    Value places = parts.make<GatherOp>({indices, picked, parts.i32(1)});
    Value sizes = parts.make<GatherOp>(
        {checkedShape(parts, indices, shape), picked, parts.i32(0)});
    Value zeros =
        parts.make<FillOp>({sizes, parts.zero(getElementTypeOrSelf(values))});
    if (zeros && places)
      checkIndices(node, "coordinates", places, zeros);
    sum = parts.make<TensorScatterOp>({zeros, places, values},
                                      parts.text("combine", "add"));
  }
  finishReduction(parts, sum, axes->gone);
}

// Imports SparseReduceMax: reduces to a sparse tensor, and converts this to a
// dense tensor with zeros where there is no element. As in TensorFlow, only an
// element's linear index is checked: a coordinate may exceed the size of its
// axis if the linear index is inside the result.
static void importSparseReduceMax(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  Value values = parts.inputs[1], shape = parts.inputs[2];
  std::optional<ReducedAxes> axes = readAxes(node, shape, parts.inputs[3]);
  if (!axes)
    return;
  Type wide = parts.builder.getI64Type();
  Operation *reduced =
      node.create<SparseReduceOp>(parts.inputs, parts.text("reduction", "max"));
  Value open = parts.vector({-1}, wide);
  Operation *flat =
      reduced ? node.create<SparseReshapeOp>(
                    {reduced->getResult(0), reduced->getResult(2), open})
              : nullptr;
  if (!flat)
    return;
  Value dense = parts.make<SparseToDenseOp>(
      {flat->getResult(0), flat->getResult(1), reduced->getResult(1),
       parts.zero(getElementTypeOrSelf(values))},
      node.named("validate_indices", parts.builder.getBoolAttr(false)));
  Value sizes =
      axes->kept.empty()
          ? parts.vector({}, wide)
          : parts.make<GatherOp>(
                {shape, parts.vector(axes->kept, parts.builder.getI32Type()),
                 parts.i32(0)});
  finishReduction(parts, parts.make<ReshapeOp>({dense, sizes}), axes->gone);
}

// Sets the node's outputs to the results of `op`; does nothing if `op` is null.
static void setOutputs(NodeImport &node, Operation *op) {
  if (op)
    for (auto [port, result] : llvm::enumerate(op->getResults()))
      node.setOutput(static_cast<int>(port), result);
}

// Imports SparseReduceSumSparse and SparseReduceMaxSparse.
template <bool IsMax> static void importSparseReduce(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  bool keepDims = node.attributes.getBool("keep_dims", false);
  setOutputs(node,
             node.create<SparseReduceOp>(
                 parts.inputs,
                 {node.named("keep_dims", parts.builder.getBoolAttr(keepDims)),
                  parts.text("reduction", IsMax ? "max" : "sum")}));
}

// Imports SparseSparseMaximum and SparseSparseMinimum.
template <bool IsMax> static void importSparseCombine(NodeImport &node) {
  NodeDecomposition parts(node);
  if (parts)
    setOutputs(node,
               node.create<SparseCombineOp>(
                   parts.inputs, parts.text("combine", IsMax ? "max" : "min")));
}

// Imports SparseDenseCwiseAdd and SparseDenseCwiseMul: combines each element of
// the sparse tensor with the dense tensor's element at the same coordinates.
// The dense tensor is broadcast to the sparse one: on axes where its size is 1,
// it is read at coordinate 0.
template <typename OpT> static void importSparseDense(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  auto [indices, values, shape, dense] = std::tie(
      parts.inputs[0], parts.inputs[1], parts.inputs[2], parts.inputs[3]);
  std::optional<int64_t> rank = rankOf(node, shape);
  Shape denseShape = getTensorShape(dense.getType());
  if (!rank)
    return;
  if (!denseShape)
    return node.unsupported("the rank of the dense tensor is unknown; state "
                            "its shape, as with tf.ensure_shape");
  auto denseRank = static_cast<int64_t>(denseShape->size());
  if (denseRank > *rank)
    return node.malformed(
        "SparseDenseBinaryOpShared broadcasts dense to sparse only; got "
        "incompatible ranks " +
        Twine(*rank) + " and " + Twine(denseRank));
  Type wide = parts.builder.getI64Type();
  // Reshape a scalar to a vector: a GatherNdOp is exported as TensorFlow's
  // GatherNd, which rejects scalars.
  if (denseRank == 0 && *rank > 0) {
    dense = parts.make<ReshapeOp>({dense, parts.vector({1}, wide)});
    denseRank = 1;
  }
  checkCounts(parts, indices, values);
  Value sparseShape = checkedShape(parts, indices, shape);
  SmallVector<int64_t> axes;
  for (int64_t axis = *rank - denseRank; axis < *rank; ++axis)
    axes.push_back(axis);
  Value picked = parts.vector(axes, parts.builder.getI32Type());
  Value sizes = parts.make<ShapeOp>(
      {dense}, node.named("output_type", TypeAttr::get(wide)));
  // As in TensorFlow, the sparse tensor's coordinates must be below its sizes
  // on all axes, also those along which the dense tensor is broadcast.
  for (int64_t axis = 0; axis < *rank; ++axis) {
    Value column =
        parts.make<GatherOp>({indices, parts.scalar(axis, wide), parts.i32(1)});
    Value size = parts.make<GatherOp>(
        {sparseShape, parts.scalar(axis, wide), parts.i32(0)});
    if (!column || !size)
      return;
    checkBelow(node, "gather", column, size);
  }
  // For each axis: 0 if the dense tensor has size 1 there and is thus
  // broadcast, and 1 if it has any other size, including 0.
  Value one = parts.scalar(1, wide);
  Value isWhole =
      sizes ? parts.make<MinimumOp>(
                  {parts.make<AbsOp>({parts.make<SubOp>({sizes, one})}), one})
            : Value();
  Value sparseSizes = parts.make<GatherOp>({sparseShape, picked, parts.i32(0)});
  Value expected = parts.make<AddOp>({parts.make<MulOp>({sparseSizes, isWhole}),
                                      parts.make<SubOp>({one, isWhole})});
  if (!expected)
    return;
  checkSameSizes(
      node, sizes, expected,
      "SparseDenseBinaryOpShared broadcasts dense to sparse only; "
      "got incompatible shapes: {} of the dense tensor, {} expected");
  Value at = parts.make<MulOp>(
      {parts.make<GatherOp>({indices, picked, parts.i32(1)}), isWhole});
  if (!at)
    return;
  Value gathered = parts.make<GatherNdOp>({dense, at});
  if (!gathered)
    return;
  if constexpr (std::is_same_v<OpT, RealDivOp>) {
    // TensorFlow rejects a division of an element of the sparse tensor by zero,
    // even if the elements are floats.
    if (!RequireNumbersOp::areKnown(gathered, "sparse_divisor"))
      node.create<RequireNumbersOp>({gathered},
                                    {parts.text("kind", "sparse_divisor")});
    // Integer quotients are truncated.
    if (isa<IntegerType>(getElementTypeOrSelf(values)))
      return parts.finish(parts.make<TruncateDivOp>({values, gathered}));
  }
  parts.finish(parts.make<OpT>({values, gathered}));
}

void addSparseOps(OpTable &table) {
  static const std::vector<ImportedOp> functions = {
      {{"SparseConcat", -1, "", {{"concat_dim"}, {"N"}}}, importSparseConcat},
      {{"SparseDenseCwiseAdd", 4, "", {}}, importSparseDense<AddOp>},
      {{"SparseDenseCwiseDiv", 4, "", {}}, importSparseDense<RealDivOp>},
      {{"SparseDenseCwiseMul", 4, "", {}}, importSparseDense<MulOp>},
      {{"SparseReduceMax", 4, "", {{"keep_dims"}}}, importSparseReduceMax},
      {{"SparseReduceMaxSparse", 4, "", {{"keep_dims"}}},
       importSparseReduce<true>},
      {{"SparseReduceSum", 4, "", {{"keep_dims"}}}, importSparseReduceSum},
      {{"SparseReduceSumSparse", 4, "", {{"keep_dims"}}},
       importSparseReduce<false>},
      {{"SparseSparseMaximum", 6, "", {}}, importSparseCombine<true>},
      {{"SparseSparseMinimum", 6, "", {}}, importSparseCombine<false>},
      {{"SparseTensorDenseMatMul",
        4,
        "",
        {{"Tindices"}, {"adjoint_a"}, {"adjoint_b"}}},
       importSparseProduct}};
  addImportedOps(table, functions);
  for (StringRef op :
       {"SparseConcat", "SparseReduceMaxSparse", "SparseReduceSumSparse"})
    table[op].outputs = {"output_indices", "output_values", "output_shape"};
  for (StringRef op : {"SparseSparseMaximum", "SparseSparseMinimum"})
    table[op].outputs = {"output_indices", "output_values"};
  table["RaggedTensorToTensor"] = {Effect::Pure, importRaggedToTensor};
  table["SerializeManySparse"] = {Effect::Pure, importSerializeManySparse};
}

} // namespace ingot::importer
