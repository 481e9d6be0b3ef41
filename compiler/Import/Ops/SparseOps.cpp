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
  node.unsupported("rank is unknown");
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
    return node.malformed(
        "expected equal numbers of indices, values and shapes");
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

// Imports SparseReduceSum: sums the elements whose coordinates are the same on
// the axes that are not reduced.
static void importSparseReduceSum(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  auto [indices, values, shape, axes] = std::tie(
      parts.inputs[0], parts.inputs[1], parts.inputs[2], parts.inputs[3]);
  std::optional<int64_t> rank = rankOf(node, shape);
  std::optional<SmallVector<int64_t>> summed = getConstantInts(axes);
  if (!summed)
    return node.unsupported("axes are not constant");
  if (!rank)
    return;
  for (int64_t &axis : *summed) {
    if (axis < -*rank || axis >= *rank)
      return node.malformed("axis " + Twine(axis) +
                            " is out of range for rank " + Twine(*rank));
    axis = axis < 0 ? axis + *rank : axis;
  }
  SmallVector<int64_t> kept, gone;
  for (int64_t axis = 0; axis < *rank; ++axis)
    (llvm::is_contained(*summed, axis) ? gone : kept).push_back(axis);
  Value sum;
  if (*rank > 0)
    checkCounts(parts, indices, values);
  if (kept.empty()) {
    sum = parts.make<SumOp>({values, parts.i32(0)});
  } else {
    Value picked = parts.vector(kept, parts.builder.getI32Type());
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
  if (node.attributes.getBool("keep_dims", false))
    for (int64_t axis : gone)
      sum = parts.make<ExpandDimsOp>({sum, parts.i32(axis)});
  parts.finish(sum);
}

void addSparseOps(OpTable &table) {
  static const std::vector<ImportedOp> functions = {
      {{"SparseConcat", -1, "", {{"concat_dim"}, {"N"}}}, importSparseConcat},
      {{"SparseReduceSum", 4, "", {{"keep_dims"}}}, importSparseReduceSum},
      {{"SparseTensorDenseMatMul",
        4,
        "",
        {{"Tindices"}, {"adjoint_a"}, {"adjoint_b"}}},
       importSparseProduct}};
  addImportedOps(table, functions);
  table["SparseConcat"].outputs = {"output_indices", "output_values",
                                   "output_shape"};
  table["RaggedTensorToTensor"] = {Effect::Pure, importRaggedToTensor};
  table["SerializeManySparse"] = {Effect::Pure, importSerializeManySparse};
}

} // namespace ingot::importer
