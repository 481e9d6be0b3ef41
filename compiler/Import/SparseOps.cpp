//===- SparseOps.cpp - Ops on sparse tensors ------------------------------===//

#include "dialects/Ingot/SparseOps.h"
#include "compiler/Import/ComputeSpec.h"

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

void addSparseOps(OpTable &table) {
  table["RaggedTensorToTensor"] = {Effect::Pure, importRaggedToTensor};
  table["SerializeManySparse"] = {Effect::Pure, importSerializeManySparse};
}

} // namespace ingot::importer
