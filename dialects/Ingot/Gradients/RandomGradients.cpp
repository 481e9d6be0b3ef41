//===- RandomGradients.cpp - Random numbers have no gradients -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/RandomOps.h"

namespace mlir::ingot {

void attachRandomGradients(MLIRContext &context) {
  attachNoGradients<StatelessRandomUniformOp, StatelessRandomNormalOp,
                    StatelessTruncatedNormalOp, RandomShuffleOp, MultinomialOp,
                    CandidateSampleOp, AccidentalHitsOp>(context);
}

} // namespace mlir::ingot
