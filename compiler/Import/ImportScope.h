//===- ImportScope.h - A graph below a name scope ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Renames a graph as tf.train.import_meta_graph(import_scope=...) does.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_IMPORTSCOPE_H
#define INGOT_COMPILER_IMPORT_IMPORTSCOPE_H

#include "llvm/ADT/StringRef.h"

#include "proto/MetaGraph.pb.h"

namespace ingot::importer {

/// Returns whether `scope` is a name scope of TensorFlow, such as "a/b" or
/// "a/".
bool isNameScope(llvm::StringRef scope);

/// Puts `scope` before the name of each node of `graph`, and wherever the graph
/// refers to one: in inputs, colocations, collections, signatures and
/// SaverDefs. As in TensorFlow, the names of functions and of loops' frames
/// stay, and the keys under which savers save, constants of the graph. The
/// collections of control-flow contexts and queue runners, whose elements the
/// importer does not read, are left out.
void addImportScope(proto::MetaGraphDef &graph, llvm::StringRef scope);

/// Puts `scope` before the shared names of variables, tables and iterators,
/// which TensorFlow leaves alone: programs know variables by these names.
void addScopeToResources(proto::MetaGraphDef &graph, llvm::StringRef scope);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_IMPORTSCOPE_H
