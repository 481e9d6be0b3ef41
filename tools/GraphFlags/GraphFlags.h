//===- GraphFlags.h - Flags that choose the parts of a graph ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The flags that all tools have which import a graph.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TOOLS_GRAPHFLAGS_H
#define INGOT_TOOLS_GRAPHFLAGS_H

#include "compiler/Import/Import.h"

#include "llvm/Support/CommandLine.h"

namespace ingot::tools {

/// Their category, to be shown beside a tool's own.
extern llvm::cl::OptionCategory graphFlags;

/// --tag-set: which graph of a SavedModel, by its tags; "" where not given.
extern llvm::cl::opt<std::string> tagSet;

/// Reads the others; false, with an error printed, where one is no flag of its
/// form.
bool readGraphFlags(importer::ImportOptions &options);

} // namespace ingot::tools

#endif // INGOT_TOOLS_GRAPHFLAGS_H
