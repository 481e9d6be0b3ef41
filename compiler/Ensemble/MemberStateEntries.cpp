//===- MemberStateEntries.cpp - Entries that list a member's state --------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/IterationProgramBuilder.h"

#include "compiler/Builder/GraphImpl.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/StateOps.h"

using namespace mlir;

namespace ingot::ensemble {

void addMemberStateEntries(
    graph::Graph &graph,
    const std::vector<std::pair<std::string, std::string>> &owners,
    const std::map<std::string, std::vector<std::string>> &facts) {
  mlir::ingot::EntryOp step =
      mlir::ingot::findEntry(*graph.data().module, mlir::ingot::Role::step);
  if (!step)
    return;
  SmallVector<mlir::ingot::AssignOp> assigns(
      step.getBody().front().getOps<mlir::ingot::AssignOp>());
  for (const auto &[name, scope] : owners) {
    graph::Entry entry(graph, "state/" + name, graph::Role::Other);
    graph.data().setRole(mlir::ingot::Role::member_state, name);
    for (mlir::ingot::AssignOp assign : assigns)
      if (assign.getVariable().starts_with(scope + "/") &&
          !graph.data().isOfOptimizerInstance(assign.getVariable())) {
        graph::Variable variable =
            graph.findVariable(assign.getVariable().str());
        variable.assign(variable.read());
      }
    if (auto found = facts.find(name); found != facts.end())
      for (const std::string &fact : found->second)
        entry.fetch(fact, graph.scalar(0));
  }
}

} // namespace ingot::ensemble
