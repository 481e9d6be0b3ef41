//===- ReductionFolds.cpp - Folders of reductions -===//

#include "dialects/Ingot/Folding.h"

using namespace mlir;
using namespace mlir::ingot;

OpFoldResult SumOp::fold(FoldAdaptor) { return {}; }
OpFoldResult MeanOp::fold(FoldAdaptor) { return {}; }
OpFoldResult ProdOp::fold(FoldAdaptor) { return {}; }
OpFoldResult MaxOp::fold(FoldAdaptor) { return {}; }
OpFoldResult MinOp::fold(FoldAdaptor) { return {}; }
