//===- StableHLO.h - Training steps in StableHLO ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The public interface: makes a MetaGraphDef of a training step in StableHLO's
// text, with which the importer goes on.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_STABLEHLO_STABLEHLO_H
#define INGOT_COMPILER_STABLEHLO_STABLEHLO_H

#include "compiler/Import/Import.h"
#include "compiler/Import/ImportErrors.h"

namespace ingot::stablehlo {

/// Returns whether the text of a file in MLIR is a module in StableHLO, and not
/// a program in Ingot's own dialect.
bool isModule(llvm::StringRef text);

/// Turns `file`, whose text is a module in StableHLO, into a MetaGraphDef.
/// `path` is the module's file, and `roles` the file that says which of its
/// values are state, batch and outputs ("": `path` with the suffix .json).
/// Appends the outputs that the step computes besides its loss to
/// `options.observe`. Collects everything that is wrong with either file in
/// `problems`, and returns failure if that is not empty.
mlir::LogicalResult readStep(importer::GraphFile &file, llvm::StringRef path,
                             llvm::StringRef roles,
                             importer::ImportOptions &options,
                             importer::ImportErrors &problems);

} // namespace ingot::stablehlo

#endif // INGOT_COMPILER_STABLEHLO_STABLEHLO_H
