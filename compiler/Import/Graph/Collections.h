//===- Collections.h - A MetaGraphDef's collections -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads the collections of a MetaGraphDef by name: names of nodes and tensors,
// variables, and savers.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_GRAPH_COLLECTIONS_H
#define INGOT_COMPILER_IMPORT_GRAPH_COLLECTIONS_H

#include "compiler/Import/ImportErrors.h"

#include "proto/MetaGraph.pb.h"

namespace ingot::importer {

/// Returns the names of the nodes or tensors that a collection lists, without
/// duplicates. Returns no names if the graph has no such collection, or if the
/// collection contains protos.
std::vector<std::string> getNames(const proto::MetaGraphDef &graph,
                                  llvm::StringRef collection);

/// Records a problem for each element of the collections of variables and
/// savers that does not parse, and for each SaverDef without a save_tensor_name
/// or a restore_op_name. `getVariables` and `getSavers` skip such elements.
void checkCollections(const proto::MetaGraphDef &graph, ImportErrors &problems);

/// Returns the VariableDefs in a collection.
std::vector<proto::VariableDef> getVariables(const proto::MetaGraphDef &graph,
                                             llvm::StringRef collection);

/// Returns the graph's savers without duplicates: its SaverDef, then those in
/// collection `savers`.
std::vector<proto::SaverDef> getSavers(const proto::MetaGraphDef &graph);

/// Returns the name scope of the saver's nodes, such as "save". If the save
/// tensor is in no scope, returns the name of its node.
llvm::StringRef scopeOf(const proto::SaverDef &saver);

/// Moves the saver that `asked` names, by its scope or its save_tensor_name, to
/// the front of `savers`. Returns false if `asked` names no saver.
bool moveToFront(std::vector<proto::SaverDef> &savers, llvm::StringRef asked);

/// Returns the names of all collections that list nodes or tensors, sorted.
std::vector<std::string> getNodeCollections(const proto::MetaGraphDef &graph);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_GRAPH_COLLECTIONS_H
