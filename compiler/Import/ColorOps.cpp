//===- ColorOps.cpp - Images with other colors ----------------------------===//

#include "compiler/Import/Decomposition.h"

#include "dialects/Ingot/MathOps.h"
#include "dialects/Ingot/MathReductionOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// Each channel's distance from its mean over the image, times the factor.
static void importAdjustContrast(NodeImport &node) {
  Decomposition parts(node);
  if (!parts)
    return;
  Value images = parts.inputs[0], factor = parts.inputs[1];
  auto shape = dyn_cast<RankedTensorType>(images.getType());
  auto factorShape = dyn_cast<RankedTensorType>(factor.getType());
  if (!shape || !factorShape)
    return node.unsupported("the rank of an input is not known");
  if (shape.getRank() < 3)
    return node.malformed("input must be at least 3-D: " +
                          node.describeInputs());
  if (factorShape.getRank() != 0)
    return node.malformed("contrast_factor must be scalar: " +
                          node.describeInputs());
  Value mean = parts.make<MeanOp>(
      {images, parts.vector({-3, -2}, parts.builder.getI32Type())},
      {node.named("keep_dims", parts.builder.getBoolAttr(true))});
  Value distance = parts.make<SubOp>({images, mean});
  parts.finish(
      parts.make<AddOp>({parts.make<MulOp>({distance, factor}), mean}));
}

void addColorOps(OpTable &table) {
  static const std::vector<ImportedOp> functions = {
      {{"AdjustContrastv2", 2, "", {}}, importAdjustContrast},
  };
  addImportedOps(table, functions);
}

} // namespace ingot::importer
