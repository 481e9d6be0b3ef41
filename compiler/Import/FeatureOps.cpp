//===- FeatureOps.cpp - What feature columns compute ----------------------===//

#include "compiler/Import/Decomposition.h"

#include "dialects/Ingot/PointwiseOps.h"
#include "dialects/Ingot/SparseOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// The number of boundaries that are not above the element; of NaN all are not.
static void importBucketize(NodeImport &node) {
  Decomposition parts(node);
  const proto::AttrValue::ListValue *list =
      node.attributes.getList("boundaries");
  if (!parts || !list)
    return;
  Value input = parts.inputs[0];
  // Integers are compared as floats, as the boundaries are.
  if (!isa<FloatType>(getElementTypeOrSelf(input)))
    input = parts.make<CastOp>(
        input, node.named("dst", TypeAttr::get(parts.builder.getF32Type())));
  auto element = cast<FloatType>(getElementTypeOrSelf(input));
  SmallVector<APFloat> boundaries;
  for (float boundary : list->f()) {
    APFloat value(boundary);
    bool losesInfo;
    value.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    boundaries.push_back(value);
  }
  auto type =
      RankedTensorType::get({static_cast<int64_t>(boundaries.size())}, element);
  Value all = ConstantOp::create(parts.builder, node.loc,
                                 DenseElementsAttr::get(type, boundaries));
  Value one = parts.make<ExpandDimsOp>({input, parts.i32(-1)});
  Value isAbove = parts.make<LessOp>({one, all});
  Value counted = parts.make<CastOp>(
      parts.make<LogicalNotOp>(isAbove),
      node.named("dst", TypeAttr::get(parts.builder.getI32Type())));
  parts.finish(parts.make<SumOp>({counted, parts.i32(-1)}));
}

static void importSparseCross(NodeImport &node) {
  bool isHashed = node.attributes.getBool("hashed_output", true);
  auto internal = node.attributes.getType("internal_type", proto::DT_INT64);
  if (isHashed != (internal == proto::DT_INT64))
    return node.unsupported(isHashed ? "hashes of whole strings"
                                     : "joined numbers");
  SmallVector<Value> columns = node.tensors(0, node.numInputs());
  if (node.hasFailed())
    return;
  Builder &b = node.body.builder;
  auto number = [&](StringRef name, StringRef theirs, int64_t byDefault) {
    return node.named(
        name, b.getI64IntegerAttr(node.attributes.getInt(theirs, byDefault)));
  };
  Operation *op = node.create<SparseCrossOp>(
      columns,
      {number("count", "N", 0), node.named("hashed", b.getBoolAttr(isHashed)),
       number("num_buckets", "num_buckets", 0),
       number("hash_key", "hash_key", 0)});
  if (!op)
    return;
  for (auto [port, result] : llvm::enumerate(op->getResults()))
    node.setOutput(port, result);
}

void addFeatureOps(OpTable &table) {
  static const ComputeSpec bucketize = {"Bucketize", 1, "", {{"boundaries"}}};
  table["SparseCross"] = {Effect::Pure, importSparseCross};
  table["SparseCross"].outputs = {"output_indices", "output_values",
                                  "output_shape"};
  table["Bucketize"] = {Effect::Pure, importBucketize, &bucketize};
}

} // namespace ingot::importer
