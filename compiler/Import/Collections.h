//===- Collections.h - A MetaGraphDef's collections -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Collections by name: lists of nodes and tensors, and of variables.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_COLLECTIONS_H
#define INGOT_COMPILER_IMPORT_COLLECTIONS_H

#include "compiler/Import/Problems.h"

#include "proto/MetaGraph.pb.h"

namespace ingot::importer {

/// The names in a collection of nodes or tensors, each once; none if the graph
/// has no such collection or it holds something else.
std::vector<std::string> getNames(const proto::MetaGraphDef &graph,
                                  llvm::StringRef collection);

/// Records problems: elements of the collections of variables and savers that
/// do not parse, and SaverDefs without the tensor to save or the op to restore
/// by. The functions below skip these.
void checkCollections(const proto::MetaGraphDef &graph, Problems &problems);

/// The variables in a collection.
std::vector<proto::VariableDef> getVariables(const proto::MetaGraphDef &graph,
                                             llvm::StringRef collection);

/// The graph's savers: its SaverDef and those of collection `savers`, each
/// once.
std::vector<proto::SaverDef> getSavers(const proto::MetaGraphDef &graph);

/// Names of all collections that list nodes or tensors, sorted.
std::vector<std::string> getNodeCollections(const proto::MetaGraphDef &graph);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_COLLECTIONS_H
