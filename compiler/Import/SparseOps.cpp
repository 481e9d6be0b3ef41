//===- SparseOps.cpp - Ops on sparse tensors ------------------------------===//

#include "dialects/Ingot/SparseOps.h"
#include "compiler/Import/Decomposition.h"
#include "compiler/Import/ValueChecks.h"
#include "dialects/Ingot/IndexingOps.h"
#include "dialects/Ingot/MathOps.h"
#include "dialects/Ingot/ReductionOps.h"
#include "dialects/Ingot/ShapeInference.h"
#include "dialects/Ingot/TensorOps.h"

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

// A sparse matrix times a dense one: the rows that its elements pick, weighed
// by them, summed in the elements' order.
static void importSparseProduct(NodeImport &node) {
  Decomposition parts(node);
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

void addSparseOps(OpTable &table) {
  static const std::vector<ImportedOp> functions = {
      {{"SparseTensorDenseMatMul",
        4,
        "",
        {{"Tindices"}, {"adjoint_a"}, {"adjoint_b"}}},
       importSparseProduct}};
  addImportedOps(table, functions);
  table["RaggedTensorToTensor"] = {Effect::Pure, importRaggedToTensor};
  table["SerializeManySparse"] = {Effect::Pure, importSerializeManySparse};
}

} // namespace ingot::importer
