//===- CompileText.h - From the text of a program to a trainer --*- C++ -*-===//
#ifndef INGOT_TOOLS_GRAPHLIBRARY_COMPILETEXT_H
#define INGOT_TOOLS_GRAPHLIBRARY_COMPILETEXT_H

#include "ingot/graph.h"

namespace ingot::graph {

/// Compiles a program in MLIR into a trainer at `output`; `name` is what it was
/// made of. Says what is wrong on stderr, and gives the exit code of `ingotc`.
int compileText(std::string program, const std::string &name,
                const std::string &output, const CompileOptions &asked);

} // namespace ingot::graph

#endif // INGOT_TOOLS_GRAPHLIBRARY_COMPILETEXT_H
