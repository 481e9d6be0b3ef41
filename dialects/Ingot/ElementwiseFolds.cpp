//===- ElementwiseFolds.cpp - Folders of elementwise ops -===//

#include "dialects/Ingot/Folding.h"

using namespace mlir;
using namespace mlir::ingot;

OpFoldResult AbsOp::fold(FoldAdaptor) { return {}; }
OpFoldResult NegOp::fold(FoldAdaptor) { return {}; }
OpFoldResult SignOp::fold(FoldAdaptor) { return {}; }
OpFoldResult SqrtOp::fold(FoldAdaptor) { return {}; }
OpFoldResult SquareOp::fold(FoldAdaptor) { return {}; }
OpFoldResult ExpOp::fold(FoldAdaptor) { return {}; }
OpFoldResult LogOp::fold(FoldAdaptor) { return {}; }
OpFoldResult TanhOp::fold(FoldAdaptor) { return {}; }
OpFoldResult ReluOp::fold(FoldAdaptor) { return {}; }
OpFoldResult LogicalNotOp::fold(FoldAdaptor) { return {}; }
OpFoldResult AddOp::fold(FoldAdaptor) { return {}; }
OpFoldResult SubOp::fold(FoldAdaptor) { return {}; }
OpFoldResult MulOp::fold(FoldAdaptor) { return {}; }
OpFoldResult RealDivOp::fold(FoldAdaptor) { return {}; }
OpFoldResult DivNoNanOp::fold(FoldAdaptor) { return {}; }
OpFoldResult MaximumOp::fold(FoldAdaptor) { return {}; }
OpFoldResult MinimumOp::fold(FoldAdaptor) { return {}; }
OpFoldResult SquaredDifferenceOp::fold(FoldAdaptor) { return {}; }
OpFoldResult ReluGradOp::fold(FoldAdaptor) { return {}; }
OpFoldResult LogicalAndOp::fold(FoldAdaptor) { return {}; }
OpFoldResult LogicalOrOp::fold(FoldAdaptor) { return {}; }
OpFoldResult EqualOp::fold(FoldAdaptor) { return {}; }
OpFoldResult NotEqualOp::fold(FoldAdaptor) { return {}; }
OpFoldResult LessOp::fold(FoldAdaptor) { return {}; }
OpFoldResult LessEqualOp::fold(FoldAdaptor) { return {}; }
OpFoldResult GreaterOp::fold(FoldAdaptor) { return {}; }
OpFoldResult GreaterEqualOp::fold(FoldAdaptor) { return {}; }
OpFoldResult SelectOp::fold(FoldAdaptor) { return {}; }
OpFoldResult AddNOp::fold(FoldAdaptor) { return {}; }
OpFoldResult CastOp::fold(FoldAdaptor) { return {}; }
