//===- NodeLocations.h - Source lines of nodes ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The lines of the user's program that created a graph's nodes, if the graph
// contains this information.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_GRAPH_NODELOCATIONS_H
#define INGOT_COMPILER_IMPORT_GRAPH_NODELOCATIONS_H

#include "llvm/ADT/StringMap.h"

#include "proto/Graph.pb.h"

namespace ingot::importer {

/// Finds the line of the user's program that created a node: the innermost
/// stack frame outside of libraries, as "train.py:12". `find` takes a node's
/// name, "name" or "function/name", and returns "" if the graph does not
/// contain the stack trace of the node. `graph` must outlive the object.
class NodeLocations {
public:
  explicit NodeLocations(const proto::GraphDef &graph);

  std::string find(llvm::StringRef node) const;

private:
  std::string describe(const proto::GraphDebugInfo::StackTrace &trace) const;

  const proto::GraphDebugInfo &debug;
  llvm::StringMap<const proto::GraphDebugInfo::StackTrace *> traces;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_GRAPH_NODELOCATIONS_H
