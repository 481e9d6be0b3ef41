//===- SetOps.cpp - Ops whose results' sizes the data decides -------------===//

#include "dialects/Ingot/SetOps.h"
#include "compiler/Import/ComputeSpec.h"
#include "compiler/Import/Types.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

using Kind = AttributeSpec::Kind;

// `UniqueV2` and `UniqueWithCountsV2`: a vector of at most one axis.
static void importUniqueAlong(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  SmallVector<Value> inputs = node.tensors(0, 2);
  Type places = convertElementType(
      node.attributes.getType("out_idx", proto::DT_INT32), node.context());
  if (node.hasFailed())
    return;
  std::optional<SmallVector<int64_t>> axes =
      mlir::ingot::getConstantInts(inputs[1]);
  if (!axes)
    return node.unsupported("its axis is not a constant");
  if (axes->size() > 1)
    return node.malformed("has " + Twine(axes->size()) + " axes");
  if (!places)
    return node.malformed("attribute 'out_idx' is not int32 or int64");
  SmallVector<NamedAttribute> attributes = {
      node.named("output_type", TypeAttr::get(places))};
  if (!axes->empty())
    attributes.push_back(
        node.named("axis", node.body.builder.getI64IntegerAttr(axes->front())));
  if (Operation *op = node.create<UniqueOp>(inputs[0], attributes))
    for (auto [port, result] : llvm::enumerate(op->getResults()))
      node.setOutput(port, result);
}

void addSetOps(OpTable &table) {
  static const AttributeSpec places{"out_idx", Kind::ElementType, "output_type",
                                    proto::DT_INT32};
  static const AttributeSpec operation{"set_operation", Kind::String,
                                       "set_operation"};
  static const AttributeSpec validate{"validate_indices", Kind::Bool,
                                      "validate_indices"};
  static const std::vector<ComputeSpec> specs = {
      {"Where", 1, WhereOp::getOperationName(), {}},
      {"Unique", 1, UniqueOp::getOperationName(), {places}},
      {"UniqueWithCounts", 1, UniqueOp::getOperationName(), {places}},
      {"ListDiff", 2, ListDiffOp::getOperationName(), {places}},
      {"DynamicPartition",
       2,
       DynamicPartitionOp::getOperationName(),
       {{"num_partitions", Kind::Int, "num_partitions"}}},
      {"DynamicStitch", -1, DynamicStitchOp::getOperationName(), {{"N"}}},
      {"ParallelDynamicStitch",
       -1,
       DynamicStitchOp::getOperationName(),
       {{"N"}}},
      {"DenseToDenseSetOperation",
       2,
       SetOperationOp::getOperationName(),
       {operation, validate}},
      {"DenseToSparseSetOperation",
       4,
       SetOperationOp::getOperationName(),
       {operation, validate}},
      {"SparseToSparseSetOperation",
       6,
       SetOperationOp::getOperationName(),
       {operation, validate}},
  };
  addSpecs(table, specs);
  table["UniqueV2"] = {Effect::Pure, importUniqueAlong};
  table["UniqueWithCountsV2"] = {Effect::Pure, importUniqueAlong};
  for (StringRef op : {"Unique", "UniqueV2"})
    table[op].outputs = {"y", "idx"};
  for (StringRef op : {"UniqueWithCounts", "UniqueWithCountsV2"})
    table[op].outputs = {"y", "idx", "count"};
  table["ListDiff"].outputs = {"out", "idx"};
  for (StringRef op : {"DenseToDenseSetOperation", "DenseToSparseSetOperation",
                       "SparseToSparseSetOperation"})
    table[op].outputs = {"result_indices", "result_values", "result_shape"};
}

} // namespace ingot::importer
