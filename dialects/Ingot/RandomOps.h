//===- RandomOps.h - Random numbers -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_RANDOMOPS_H
#define INGOT_DIALECTS_INGOT_RANDOMOPS_H

#include "dialects/Ingot/IngotDialect.h"
#include "dialects/Ingot/Traits.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotRandomOps.h.inc"

namespace mlir::ingot {

/// On a variable that the importer adds for random ops (string):
/// randomPosition, an op's place in its sequence, which starts at zero;
/// randomSeed, the session's seed, from which ops without seeds of their own
/// draw. Both are saved, so that a resumed run draws on.
constexpr llvm::StringLiteral randomStateAttrName = "ingot.random_state";
constexpr llvm::StringLiteral randomPosition = "position";
constexpr llvm::StringLiteral randomSeed = "seed";
/// On such a variable: functions of datasets read it. Later passes remove it
/// from the program's variables.
constexpr llvm::StringLiteral ofDatasetAttrName = "ingot.of_dataset";

/// On a dataset's function: how many of its last arguments are positions, how
/// many after them are seeds. The last results are the positions afterwards.
/// The dataset's iterator keeps them from element to element, and from pass to
/// pass.
constexpr llvm::StringLiteral randomPositionsAttrName =
    "ingot.random_positions";
constexpr llvm::StringLiteral randomSeedsAttrName = "ingot.random_seeds";
/// On a dataset's function: the variables whose values are its last arguments,
/// after the seeds (an array of symbols).
constexpr llvm::StringLiteral variablesReadAttrName = "ingot.variables_read";

/// A function's arguments and results without those.
TypeRange getElementArguments(FunctionOpInterface function);
TypeRange getElementResults(FunctionOpInterface function);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_RANDOMOPS_H
