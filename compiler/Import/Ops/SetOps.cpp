//===- SetOps.cpp - Ops with data-dependent result sizes ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/SetOps.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Ops/NodeDecomposition.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/SparseOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

using Kind = AttributeSpec::Kind;

// Imports UniqueV2 and UniqueWithCountsV2, whose second input is a vector that
// contains the axis or is empty.
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
    return node.unsupported("axis must be a constant");
  if (axes->size() > 1)
    return node.malformed("has " + Twine(axes->size()) +
                          " axes, expected at most 1");
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

// Imports versions 1 to 4 of NonMaxSuppression. V3 and V4 have a score
// threshold, which the first two lack. Soft suppression, which only V5 has, is
// turned off.
static void importNonMaxSuppression(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  auto append = [&](float value) {
    auto type = RankedTensorType::get({}, parts.builder.getF32Type());
    parts.inputs.push_back(createConstant(parts.builder, node.loc,
                                          DenseElementsAttr::get(type, value)));
  };
  StringRef name = node.node.op();
  if (name == "NonMaxSuppression")
    append(node.attributes.getFloat("iou_threshold", 0.5));
  if (parts.inputs.size() == 4)
    append(std::numeric_limits<float>::lowest());
  append(0);
  bool pads = node.attributes.getBool("pad_to_max_output_size", false);
  Operation *op = node.create<NonMaxSuppressionOp>(
      parts.inputs,
      node.named("pad_to_max_output_size", parts.builder.getBoolAttr(pads)));
  if (!op)
    return;
  node.setOutput(0, op->getResult(0));
  if (name == "NonMaxSuppressionV4")
    node.setOutput(1, op->getResult(2));
}

// Imports SetSize, the number of distinct elements of each row, as the size of
// the union of the set with itself, in which each element occurs once.
static void importSetSize(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  SmallVector<Value> sets(parts.inputs);
  llvm::append_range(sets, parts.inputs);
  bool validates = node.attributes.getBool("validate_indices", true);
  Operation *op = node.create<SetOperationOp>(
      sets,
      {parts.text("set_operation", "union"),
       node.named("validate_indices", parts.builder.getBoolAttr(validates))});
  if (!op)
    return;
  Value there = parts.make<SparseToDenseOp>(
      {op->getResult(0), op->getResult(2), parts.i32(1), parts.i32(0)});
  parts.finish(parts.make<SumOp>({there, parts.i32(-1)}));
}

void addSetOps(OpTable &table) {
  static const std::vector<ImportedOp> functions = {
      {{"NonMaxSuppression", 3, "", {{"iou_threshold"}}},
       importNonMaxSuppression},
      {{"NonMaxSuppressionV2", 4, "", {{"T_threshold"}}},
       importNonMaxSuppression},
      {{"NonMaxSuppressionV3", 5, "", {{"T_threshold"}}},
       importNonMaxSuppression},
      {{"NonMaxSuppressionV4",
        5,
        "",
        {{"T_threshold"}, {"pad_to_max_output_size"}}},
       importNonMaxSuppression},
      {{"SetSize", 3, "", {{"validate_indices"}}}, importSetSize}};
  addImportedOps(table, functions);
  table["NonMaxSuppressionV4"].outputs = {"selected_indices", "valid_outputs"};
  table["UniqueV2"] = {Effect::Pure, importUniqueAlong};
  table["UniqueWithCountsV2"] = {Effect::Pure, importUniqueAlong};
  table["UniqueV2"].outputs = {"y", "idx"};
  table["UniqueWithCountsV2"].outputs = {"y", "idx", "count"};
}

} // namespace ingot::importer
