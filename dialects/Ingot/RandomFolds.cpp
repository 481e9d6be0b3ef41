#include "dialects/Ingot/Folding.h"

using namespace mlir;
using namespace mlir::ingot;

LogicalResult
StatelessRandomGetKeyCounterOp::fold(FoldAdaptor,
                                     SmallVectorImpl<OpFoldResult> &) {
  return failure();
}
