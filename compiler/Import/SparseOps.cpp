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

void addSparseOps(OpTable &table) {
  static const std::vector<ComputeSpec> specs = {
      {"SparseReorder", 3, SparseReorderOp::getOperationName(), {}},
      {"SparseToDense",
       4,
       SparseToDenseOp::getOperationName(),
       {{"Tindices"},
        {"validate_indices", AttributeSpec::Bool, "validate_indices"}}},
      {"SparseReshape", 3, SparseReshapeOp::getOperationName(), {}},
      {"SparseFillEmptyRows", 4, SparseFillEmptyRowsOp::getOperationName(), {}},
      {"SparseFillEmptyRowsGrad",
       2,
       SparseFillEmptyRowsGradOp::getOperationName(),
       {}},
      {"SerializeSparse",
       3,
       SerializeSparseOp::getOperationName(),
       {{"out_type"}}},
      {"DeserializeSparse",
       1,
       DeserializeSparseOp::getOperationName(),
       {{"Tserialized"}, {"dtype", AttributeSpec::ElementType, "dtype"}}},
      {"SparseSlice", 5, SparseSliceOp::getOperationName(), {}},
  };
  addSpecs(table, specs);
  table["SerializeManySparse"] = {Effect::Pure, importSerializeManySparse};
  table["DeserializeSparse"].outputs = {"sparse_indices", "sparse_values",
                                        "sparse_shape"};
  table["SparseReorder"].outputs = {"output_indices", "output_values"};
  table["SparseReshape"].outputs = {"output_indices", "output_shape"};
  table["SparseFillEmptyRows"].outputs = {"output_indices", "output_values",
                                          "empty_row_indicator",
                                          "reverse_index_map"};
  table["SparseFillEmptyRowsGrad"].outputs = {"d_values", "d_default_value"};
  table["SparseSlice"].outputs = {"output_indices", "output_values",
                                  "output_shape"};
}

} // namespace ingot::importer
