//===- RandomOps.h - Random numbers -----------------------------*- C++ -*-===//
#ifndef INGOT_DIALECTS_INGOT_RANDOMOPS_H
#define INGOT_DIALECTS_INGOT_RANDOMOPS_H

#include "dialects/Ingot/IngotDialect.h"
#include "dialects/Ingot/Traits.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotRandomOps.h.inc"

namespace mlir::ingot {

/// What the importer says of a variable that no user made but random ops need
/// (a string attribute): randomPosition, an op's place in its sequence, which
/// starts at zero; randomSeed, the session's seed, from which ops without seeds
/// of their own draw. Both are saved, so that a resumed run draws on.
constexpr llvm::StringLiteral randomStateAttrName = "ingot.random_state";
constexpr llvm::StringLiteral randomPosition = "position";
constexpr llvm::StringLiteral randomSeed = "seed";

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_RANDOMOPS_H
