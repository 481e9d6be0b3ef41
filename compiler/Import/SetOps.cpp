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
  table["UniqueV2"] = {Effect::Pure, importUniqueAlong};
  table["UniqueWithCountsV2"] = {Effect::Pure, importUniqueAlong};
  table["UniqueV2"].outputs = {"y", "idx"};
  table["UniqueWithCountsV2"].outputs = {"y", "idx", "count"};
}

} // namespace ingot::importer
