//===- UnsupportedOpSurvey.cpp - Finds all unsupported ops ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/UnsupportedOpSurvey.h"

#include "compiler/Import/Ops/OpTable.h"
#include "compiler/Import/Program.h"
#include <map>

using namespace llvm;
using mlir::ingot::Role;

namespace ingot::importer {

namespace {
/// Visits the nodes that entries need, also those in functions, loops and
/// branches, and records the ones whose op is not supported.
class UnsupportedOpSurvey {
public:
  UnsupportedOpSurvey(Program &program, ImportErrors &problems)
      : program(program), problems(problems) {}

  /// Visits `targets` and all nodes that they depend on. Outputs in `feeds`
  /// have a value and depend on nothing.
  void visit(const Graph &graph, ArrayRef<int> targets, const Feeds &feeds);

private:
  void visitNode(const Graph &graph, int node);
  void visitFunction(const proto::NameAttrList &function);

  Program &program;
  ImportErrors &problems;
  DenseSet<const Graph *> seen; // functions' bodies that were visited
};
} // namespace

void UnsupportedOpSurvey::visitFunction(const proto::NameAttrList &function) {
  const Graph *body = program.body(function);
  if (!body || !seen.insert(body).second)
    return;
  SmallVector<int> targets(body->controlReturns);
  for (Output result : body->returns)
    targets.push_back(result.first);
  visit(*body, targets, {});
}

void UnsupportedOpSurvey::visitNode(const Graph &graph, int index) {
  const Graph::Node &node = graph[index];
  if (program.hasFunction(node.op()) && !findOp(node.op())) {
    proto::NameAttrList function;
    function.set_name(node.def->op());
    *function.mutable_attr() = node.def->attr();
    visitFunction(function);
  } else if (!findOp(node.op())) {
    problems.unsupported(node.op(), graph.qualifiedName(index));
  }
  // Visit functions in the order of attribute names, since the order of a
  // protobuf map is not deterministic.
  std::map<StringRef, const proto::AttrValue *> attributes;
  for (const auto &[name, value] : node.def->attr())
    attributes[name] = &value;
  for (const auto &[name, value] : attributes) {
    if (value->has_func())
      visitFunction(value->func());
    for (const proto::NameAttrList &function : value->list().func())
      visitFunction(function);
  }
}

void UnsupportedOpSurvey::visit(const Graph &graph, ArrayRef<int> targets,
                                const Feeds &feeds) {
  DenseSet<int> reached = reach(graph, targets, feeds);
  // `reach` does not find the nodes inside of loops and branches, because they
  // are not inputs of the `_Loop` or `_Branches` node that represents the loop
  // or branch. So add them here.
  SmallVector<int> nodes(reached.begin(), reached.end());
  for (size_t i = 0; i < nodes.size(); ++i)
    for (int nested : graph.nestedIn(nodes[i]))
      if (reached.insert(nested).second)
        nodes.push_back(nested);
  sort(nodes);
  for (int node : nodes)
    visitNode(graph, node);
}

void surveyOps(Program &program, ArrayRef<EntrySpec> entries,
               ImportErrors &problems) {
  for (const EntrySpec &spec : entries) {
    // Skip the entries of savers, and those that test whether a session is
    // ready. Their nodes are usually recognized as a whole (Saver.h,
    // ReportUninitialized.h), so the ops of these nodes need not be supported.
    if (spec.saver || spec.role == Role::ready ||
        spec.role == Role::ready_for_local_init)
      continue;
    ImportErrors::ImportErrorScope scope(problems, spec.name);
    SmallVector<int> targets(spec.targets.begin(), spec.targets.end());
    for (const EntrySpec::FetchSpec &fetch : spec.fetches)
      targets.push_back(fetch.tensor.first);
    Feeds feeds;
    for (const EntrySpec::FeedSpec &feed : spec.feeds)
      feeds.insert(feed.tensor);
    UnsupportedOpSurvey(program, problems).visit(program.graph, targets, feeds);
  }
}

} // namespace ingot::importer
