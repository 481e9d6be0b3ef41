//===- Origins.h - Where nodes were made ------------------------*- C++ -*-===//
//
// The lines of the user's program that made a graph's nodes, where the graph
// carries them.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_ORIGINS_H
#define INGOT_COMPILER_IMPORT_ORIGINS_H

#include "llvm/ADT/StringMap.h"

#include "proto/Graph.pb.h"

namespace ingot::importer {

/// "train.py:12", the innermost frame that is no library's, of a node called
/// "name" or "function/name"; empty where the graph does not say. `graph` must
/// outlive it.
class Origins {
public:
  explicit Origins(const proto::GraphDef &graph);

  std::string find(llvm::StringRef node) const;

private:
  std::string describe(const proto::GraphDebugInfo::StackTrace &trace) const;

  const proto::GraphDebugInfo &debug;
  llvm::StringMap<const proto::GraphDebugInfo::StackTrace *> traces;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ORIGINS_H
