//===- Collections.h - What a MetaGraphDef says of its nodes ----*- C++ -*-===//
//
// Collections by name: lists of nodes and tensors, and of variables.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_COLLECTIONS_H
#define INGOT_COMPILER_IMPORT_COLLECTIONS_H

#include "compiler/Import/Problems.h"

#include "proto/MetaGraph.pb.h"

namespace ingot::importer {

/// The names in a collection of nodes or tensors, each once; none where the
/// graph has no such collection or it holds something else.
std::vector<std::string> getNames(const proto::MetaGraphDef &graph,
                                  llvm::StringRef collection);

/// Records as problems what the collections that hold variables and savers
/// have instead, and SaverDefs that do not say what they save and restore by;
/// the functions below leave these out.
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
