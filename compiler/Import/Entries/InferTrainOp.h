//===- InferTrainOp.h - The train op of a graph that names none -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_ENTRIES_INFERTRAINOP_H
#define INGOT_COMPILER_IMPORT_ENTRIES_INFERTRAINOP_H

#include "compiler/Import/Program.h"

namespace ingot::importer {

/// Guesses the train op of a graph in which no collection names it: a node that
/// no other node uses and that depends on updates of variables, preferably a
/// NoOp that groups updates, or an update itself. If a queue runner updates the
/// variables, the nodes that apply gradients to its accumulators count as the
/// updates. Warns that the node is a guess, and says `why` it is needed.
/// Returns -1 if the graph has no updates. Also returns -1 if there are several
/// such nodes, with a warning that names them.
int inferTrainOp(Program &program, llvm::StringRef why);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ENTRIES_INFERTRAINOP_H
