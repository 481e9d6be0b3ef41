//===- ImportScope.h - Moves a graph into a name scope ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Renames a graph as tf.train.import_meta_graph(import_scope=...) does.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_GRAPH_IMPORTSCOPE_H
#define INGOT_COMPILER_IMPORT_GRAPH_IMPORTSCOPE_H

#include "llvm/ADT/StringRef.h"

#include "proto/MetaGraph.pb.h"

namespace ingot::importer {

/// Returns whether `scope` is a name scope of TensorFlow, such as "a/b" or
/// "a/".
bool isNameScope(llvm::StringRef scope);

/// Puts `scope` before the name of each node of `graph`. Changes all references
/// to the node accordingly: in inputs, colocations, collections, signatures and
/// SaverDefs, and in contexts of loops, conditionals and queue runners. As in
/// TensorFlow, frames of loops get the names of their contexts. The names of
/// functions do not change, nor do the keys of tensors in checkpoints, which
/// are constants of the graph.
void addImportScope(proto::MetaGraphDef &graph, llvm::StringRef scope);

/// Puts `scope` before the shared name of each variable, table, iterator and
/// other resource, because a compiled program identifies resources by their
/// shared names. TensorFlow itself does not change shared names.
void addScopeToResources(proto::MetaGraphDef &graph, llvm::StringRef scope);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_GRAPH_IMPORTSCOPE_H
