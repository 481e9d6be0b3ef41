//===- IndexChecks.cpp - Indices that lie outside stop a run --------------===//

#include "compiler/Import/IndexChecks.h"

#include "dialects/Ingot/ReportOps.h"
#include "dialects/Ingot/TensorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// Whether constant indices are known to lie within [0, limit), or within the
// tensor's first dimensions, as rows of coordinates.
static bool areKnown(Value indices, Value tensor, int64_t axis,
                     bool areCoordinates) {
  DenseIntElementsAttr constant;
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || !matchPattern(indices, m_Constant(&constant)))
    return false;
  int64_t depth = 1;
  if (areCoordinates) {
    auto rows = cast<RankedTensorType>(indices.getType());
    depth = rows.getRank() == 0 ? 0 : rows.getShape().back();
  }
  axis += axis < 0 ? type.getRank() : 0;
  if (axis < 0 || axis + depth > type.getRank())
    return false;
  for (auto [i, index] : llvm::enumerate(constant.getValues<APInt>())) {
    int64_t limit = type.getShape()[axis + (depth ? i % depth : 0)];
    if (ShapedType::isDynamic(limit) || index.isNegative() ||
        index.uge(static_cast<uint64_t>(limit)))
      return false;
  }
  return true;
}

static void create(NodeImport &node, StringRef kind, Value indices,
                   Value limits, int64_t axis) {
  Builder &builder = node.body.builder;
  node.create<CheckIndicesOp>(
      {indices, limits}, {node.named("kind", builder.getStringAttr(kind)),
                          node.named("axis", builder.getI64IntegerAttr(axis))});
}

void checkIndices(NodeImport &node, StringRef kind, Value indices, Value tensor,
                  int64_t axis) {
  if (areKnown(indices, tensor, axis, kind == "coordinates"))
    return;
  Operation *shape = node.create<ShapeOp>(
      tensor,
      node.named("output_type", TypeAttr::get(node.body.builder.getI64Type())));
  if (shape)
    create(node, kind, indices, shape->getResult(0), axis);
}

void checkBelow(NodeImport &node, StringRef kind, Value indices, Value limit) {
  create(node, kind, indices, limit, 0);
}

} // namespace ingot::importer
