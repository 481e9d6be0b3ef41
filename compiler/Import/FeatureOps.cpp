//===- FeatureOps.cpp - What feature columns compute ----------------------===//

#include "compiler/Import/Decomposition.h"

#include "dialects/Ingot/PointwiseOps.h"

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

void addFeatureOps(OpTable &table) {
  static const ComputeSpec bucketize = {"Bucketize", 1, "", {{"boundaries"}}};
  table["Bucketize"] = {Effect::Pure, importBucketize, &bucketize};
}

} // namespace ingot::importer
