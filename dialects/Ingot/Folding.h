//===- Folding.h - Evaluation of ops on constants ---------------*- C++ -*-===//
//
// What folders are made of. Floats are computed in their own precision, as
// TensorFlow computes them; integers wrap around.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_FOLDING_H
#define INGOT_DIALECTS_INGOT_FOLDING_H

#include "dialects/Ingot/IngotDialect.h"

namespace mlir::ingot {

/// Results with more elements are left to the compiled program, unless all
/// elements are the same.
constexpr int64_t kMaxFoldedElements = 64 * 1024;

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_FOLDING_H
