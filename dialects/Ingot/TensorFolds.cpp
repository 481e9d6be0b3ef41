//===- TensorFolds.cpp - Folders of tensor ops -===//

#include "dialects/Ingot/Folding.h"

using namespace mlir;
using namespace mlir::ingot;

OpFoldResult FillOp::fold(FoldAdaptor) { return {}; }
OpFoldResult ZerosLikeOp::fold(FoldAdaptor) { return {}; }
OpFoldResult ShapeOp::fold(FoldAdaptor) { return {}; }
OpFoldResult ReshapeOp::fold(FoldAdaptor) { return {}; }
OpFoldResult ExpandDimsOp::fold(FoldAdaptor) { return {}; }
OpFoldResult SqueezeOp::fold(FoldAdaptor) { return {}; }
OpFoldResult TileOp::fold(FoldAdaptor) { return {}; }
OpFoldResult RangeOp::fold(FoldAdaptor) { return {}; }
