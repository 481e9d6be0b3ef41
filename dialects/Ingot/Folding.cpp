//===- Folding.cpp - Evaluation of ops on constants -----------------------===//

#include "dialects/Ingot/Folding.h"

using namespace mlir;
using namespace mlir::ingot;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }
