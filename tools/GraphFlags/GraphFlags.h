//===- GraphFlags.h - Flags that choose the parts of a graph ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The flags that are common to all tools that import a graph.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TOOLS_GRAPHFLAGS_H
#define INGOT_TOOLS_GRAPHFLAGS_H

#include "compiler/Import/Import.h"

#include "llvm/Support/CommandLine.h"

namespace ingot::tools {

/// The category of the flags in this library. A tool's --help shows them as
/// well as the tool's own flags.
extern llvm::cl::OptionCategory graphFlags;

/// --tag-set: the tags of the SavedModel's graph to import, or "" if the flag
/// is not given.
extern llvm::cl::opt<std::string> tagSet;

/// --roles: the file of roles of a step in StableHLO, or "" if the flag is not
/// given.
extern llvm::cl::opt<std::string> roles;

/// Reads the values of the flags in `graphFlags`, except the two above, into
/// `options`. Returns false, after printing an error, if a value is malformed.
bool readGraphFlags(importer::ImportOptions &options);

} // namespace ingot::tools

#endif // INGOT_TOOLS_GRAPHFLAGS_H
