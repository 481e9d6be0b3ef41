//===- EvaluateRegion.h - Runs a region on numbers --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Regions of sorts and reductions are recognized by what they compute: front
// ends write the same comparison in many ways.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_STABLEHLO_EVALUATEREGION_H
#define INGOT_COMPILER_STABLEHLO_EVALUATEREGION_H

#include "compiler/StableHLO/Translation.h"

namespace ingot::stablehlo {

/// Runs a region of scalar comparisons, selections and logical ops with these
/// numbers as its arguments, and returns what it returns. Returns std::nullopt
/// if it has other ops. Integers have to be small.
std::optional<llvm::SmallVector<double>>
evaluate(const Translation &t, const Block &block,
         llvm::ArrayRef<double> arguments);

/// Compares in the total order, in which -NaN < -inf, -0 < 0 and inf < NaN.
/// Returns -1, 0 or 1.
int compareTotally(double x, double y);

} // namespace ingot::stablehlo

#endif // INGOT_COMPILER_STABLEHLO_EVALUATEREGION_H
