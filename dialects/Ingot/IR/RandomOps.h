//===- RandomOps.h - Random numbers -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_RANDOMOPS_H
#define INGOT_DIALECTS_INGOT_IR_RANDOMOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/Traits.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotRandomOps.h.inc"

namespace mlir::ingot {

/// The string attribute of the variables that the importer creates for random
/// ops: it tells what the variable holds. `randomPosition`: an op's position in
/// its sequence of random numbers, initially zero. `randomSeed`: the session's
/// seed, for ops without a seed of their own. Both variables are saved, so that
/// a resumed run continues the sequences.
constexpr llvm::StringLiteral randomStateAttrName = "ingot.random_state";
constexpr llvm::StringLiteral randomPosition = "position";
constexpr llvm::StringLiteral randomSeed = "seed";
/// The unit attribute of a variable with `randomStateAttrName` that a dataset's
/// functions read. ingot-promote-variables-to-ssa erases the variable, because
/// the dataset's iterator keeps the state.
constexpr llvm::StringLiteral ofDatasetAttrName = "ingot.of_dataset";

/// The attributes of a dataset's function that tell how many of its last
/// arguments are positions of random ops, and how many arguments after them are
/// seeds. The function's last results are the new positions. The dataset's
/// iterator keeps positions from element to element, and from epoch to epoch.
constexpr llvm::StringLiteral randomPositionsAttrName =
    "ingot.random_positions";
constexpr llvm::StringLiteral randomSeedsAttrName = "ingot.random_seeds";
/// An array attribute of a dataset's function that reads variables. The last
/// arguments of such a function, after its random seeds, are the values of
/// these variables, and the attribute holds the variables' symbols in that
/// order.
constexpr llvm::StringLiteral variablesReadAttrName = "ingot.variables_read";

/// Return the types of a dataset function's arguments and results, except for
/// those of random positions, seeds and variables.
TypeRange getElementArguments(FunctionOpInterface function);
TypeRange getElementResults(FunctionOpInterface function);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_RANDOMOPS_H
