//===- ExportGraph.h - trainer export --meta-graph --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_VERBS_EXPORTGRAPH_H
#define INGOT_RUNTIME_COMMANDLINE_VERBS_EXPORTGRAPH_H

#include "runtime/CommandLine/Verbs/Commands.h"

namespace ingot {

/// Writes the program's graph to file `path`, which must not exist, like
/// tf.train.export_meta_graph. The flags of metaGraphFlags choose the graph's
/// parts. With --debug-info, the stack traces of the graph's nodes are written
/// to a file of the same name with the suffix .debug. Each file appears whole
/// or not at all. Returns NotFound if debug info is wanted and the graph has
/// none.
Status exportGraph(const CommandContext &command, const std::string &path);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_VERBS_EXPORTGRAPH_H
