//===- RejectedNodeCollector.cpp - Nodes that later stages reject ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/RejectedNodeCollector.h"

#include "compiler/Import/Graph/NodeLocations.h"
#include "compiler/Import/ImportErrors.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

RejectedNodeCollector::RejectedNodeCollector(const proto::MetaGraphDef &source,
                                             ModuleOp program)
    : source(source) {
  for (Operation &root : *program.getBody()) {
    auto symbol = dyn_cast<SymbolOpInterface>(root);
    if (!symbol || !isa<EntryOp, IteratorOp>(root))
      continue;
    std::string needer = symbol.getName().str();
    if (isa<IteratorOp>(root))
      needer = "iterator '" + needer + "'";
    root.walk([&](Operation *op) {
      if (auto name = dyn_cast<NameLoc>(op->getLoc())) {
        std::vector<std::string> &needers = neededBy[name.getName()];
        if (!llvm::is_contained(needers, needer))
          needers.push_back(needer);
      }
    });
  }
}

void RejectedNodeCollector::add(llvm::StringRef node, llvm::StringRef reason) {
  std::pair<std::string, std::string> refusal(node, reason);
  if (!llvm::is_contained(found, refusal))
    found.push_back(std::move(refusal));
}

// Returns the op of the node called `node`. A name such as "body_12/MatMul"
// means node "MatMul" of library function "body_12".
std::string RejectedNodeCollector::opOf(llvm::StringRef node) const {
  auto find = [](const auto &nodes, llvm::StringRef name) -> std::string {
    for (const proto::NodeDef &def : nodes)
      if (llvm::StringRef(def.name()) == name)
        return def.op();
    return "";
  };
  const proto::GraphDef &graph = source.graph_def();
  std::string op = find(graph.node(), node);
  for (const proto::FunctionDef &function : graph.library().function()) {
    llvm::StringRef rest = node;
    if (op.empty() && rest.consume_front(function.signature().name()) &&
        rest.consume_front("/"))
      op = find(function.node_def(), rest);
  }
  return op.empty() ? "a node that Ingot adds" : op;
}

void RejectedNodeCollector::moveTo(ImportReport &report, Location loc,
                                   bool isEmitted) {
  ImportErrors problems;
  for (const auto &[node, reason] : found) {
    std::string op = opOf(node);
    auto needers = neededBy.find(node);
    if (needers == neededBy.end() || needers->second.empty()) {
      problems.unsupported(op, node, reason);
      continue;
    }
    for (const std::string &needer : needers->second) {
      ImportErrors::ImportErrorScope scope(problems, needer);
      problems.unsupported(op, node, reason);
    }
  }
  NodeLocations origins(source.graph_def());
  problems.locate([&](StringRef node) { return origins.find(node); });
  if (isEmitted)
    problems.emit(loc);
  problems.moveTo(report);
  found.clear();
}

} // namespace ingot::importer
