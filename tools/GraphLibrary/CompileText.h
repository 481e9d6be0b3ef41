//===- CompileText.h - From the text of a program to a trainer --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TOOLS_GRAPHLIBRARY_COMPILETEXT_H
#define INGOT_TOOLS_GRAPHLIBRARY_COMPILETEXT_H

#include "ingot/graph.h"

namespace ingot::graph {

/// The artifact to make from a program: a trainer, or a library with its
/// header.
struct ArtifactSpec {
  enum Kind { Executable, StaticLibrary, SharedLibrary } kind = Executable;
  /// The library's name; if "", it is derived from the output file's name.
  std::string name;
};

/// Compiles a program in MLIR to `output`. `name` is the name of its source in
/// messages. Prints errors to standard error, and returns the same exit codes
/// as `ingotc`.
int compileText(std::string program, const std::string &name,
                const std::string &output, const CompileOptions &asked,
                const ArtifactSpec &artifact = {});

} // namespace ingot::graph

#endif // INGOT_TOOLS_GRAPHLIBRARY_COMPILETEXT_H
