//===- IterationProgramBuilder.cpp - Builds iteration programs ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/IterationProgramBuilder.h"

#include "compiler/Builder/GraphImpl.h"
#include "compiler/Ensemble/PlacedSteps.h"
#include "dialects/Ingot/IR/ProgramOps.h"

using namespace ingot::adanet;
using namespace ingot::graph;

namespace ingot::ensemble {

IterationProgramBuilder::IterationProgramBuilder(
    Graph &graph, const Search &search, const EnsembleLineage &lineage,
    std::optional<Candidate> previous)
    : graph(graph), search(search), lineage(lineage),
      hasPrevious(previous.has_value()) {
  std::string error;
  candidates = candidatesOf(search, lineage, error);
  if (!error.empty())
    graph.addError(error);
  if (previous)
    candidates.insert(candidates.begin(), std::move(*previous));
}

// Returns facts about the candidates that strategies in the user's C++ code
// have formed, keyed by the candidate's full name: "candidate/NAME", followed
// by "member/NAME" for each member in order. runtime/AdaNet/Iteration.cpp reads
// the members from these facts, because it cannot derive them from a name that
// the user chose.
std::map<std::string, std::vector<std::string>>
IterationProgramBuilder::factsOfOwnCandidates() const {
  std::map<std::string, std::vector<std::string>> facts;
  for (const Candidate &candidate : candidates) {
    if (!candidate.isOwn)
      continue;
    std::vector<std::string> &own = facts[candidate.fullName()];
    own.push_back("candidate/" + candidate.name);
    for (size_t index : candidate.members)
      own.push_back("member/" + nameOfMember(lineage, index));
  }
  return facts;
}

Columns columnsOf(const Element &element) {
  Columns columns;
  for (size_t i = 0; i < element.names().size(); ++i)
    columns[element.names()[i]] = element.tensors()[i];
  return columns;
}

//===----------------------------------------------------------------------===//
// The entries of an iteration's program
//===----------------------------------------------------------------------===//

void IterationProgramBuilder::build(int64_t processes) {
  input = graph.iterator(*search.train, "input");
  // If the training data is invalid, `graph` has already reported an error.
  // Stop here, because the user's functions would be called with batches that
  // lack columns.
  if (!input)
    return;
  addStep();
  addNumbers();
  addAfterStep();
  addGrow();
  std::vector<std::pair<std::string, std::string>> owners;
  for (const auto &builder : lineage.builders) {
    std::string name = Member{lineage.iteration, builder}.name();
    owners.emplace_back(name, iterationScope() + "/subnetwork_" + name);
  }
  for (size_t i = hasPrevious; i < candidates.size(); ++i)
    owners.emplace_back(candidates[i].fullName(),
                        candidates[i].scope("ensemble"));
  addMemberStateEntries(graph, owners, factsOfOwnCandidates());
  if (processes > 1) {
    owners.resize(lineage.builders.size());
    addPlacedSteps(graph, owners, processes);
  }
  for (size_t i = 0; i < lineage.builders.size(); ++i)
    addOwnInput(lineage.members.size() + i);
  if (lineage.iteration == 0)
    addFirstBatch();
  addEvaluations();
  addPrediction();
  dropGone();
  graph.finish();
}

void IterationProgramBuilder::buildFrozen() {
  input = graph.iterator(*search.train, "input", false);
  if (!input)
    return;
  for (const TensorSpec &spec : input.components())
    components.push_back({spec.name, spec.dtype, spec.shape});
  addEvaluations();
  addPrediction();
  addNumbers();
  NameScope scope(graph, candidates[0].scope("ensemble"));
  graph.variable("step", {}, DType::Int64, zeros(), untrained);
  (void)graph.globalStep();
  dropGone();
  graph.finish();
}

// Adds the variables `iteration_number` and `save_counter` of each iteration,
// which AdaNet expects in a checkpoint.
void IterationProgramBuilder::addNumbers() {
  for (int64_t i = 0; i <= lineage.iteration; ++i) {
    NameScope scope(graph, "adanet/iteration_" + std::to_string(i));
    graph.variable("iteration_number", {}, DType::Int64,
                   constant(static_cast<double>(i)), untrained);
    graph.variable("save_counter", {}, DType::Int64, zeros(), untrained);
  }
  graph.variable("current_iteration", {}, DType::Int64,
                 constant(static_cast<double>(lineage.iteration)), untrained);
}

} // namespace ingot::ensemble

static bool checkParts(const Search &search, Graph &graph) {
  std::string missing;
  auto require = [&](bool has, const std::string &part) {
    if (!has)
      missing += (missing.empty() ? "" : ", ") + part;
  };
  require(bool(search.train), "train");
  require(bool(search.features), "features");
  require(bool(search.head), "head");
  require(!search.generators.empty(), "a generator");
  require(!search.ensemblers.empty(), "an ensembler");
  require(!search.strategies.empty(), "a strategy");
  if (missing.empty())
    return true;
  graph.addError("the search lacks " + missing +
                 ": set these parts of the Search");
  return false;
}

bool ingot::ensemble::buildPrunedIteration(
    const Search &search, const std::vector<FinishedIteration> &finished,
    const std::vector<MemberReport> &reports, Graph &graph) {
  std::string error;
  if (!checkParts(search, graph))
    return false;
  auto lineage = traceLineage(search, finished, reports, error);
  auto previous = lineage ? previousOf(search, *lineage, error) : std::nullopt;
  if (!previous) {
    graph.addError(error);
    return false;
  }
  lineage->endWithoutMembers();
  graph.setSeed(static_cast<int64_t>(search.seed));
  IterationProgramBuilder(graph, search, *lineage, std::move(previous))
      .buildFrozen();
  return graph.ok();
}

bool ingot::adanet::buildIteration(
    const Search &search, const std::vector<FinishedIteration> &finished,
    const std::vector<MemberReport> &reports, Graph &graph, int64_t processes) {
  if (!checkParts(search, graph))
    return false;
  std::string error;
  auto lineage = ensemble::traceLineage(search, finished, reports, error);
  if (!lineage) {
    graph.addError(error);
    return false;
  }
  auto previous = ensemble::previousOf(search, *lineage, error);
  if (!error.empty()) {
    graph.addError(error);
    return false;
  }
  for (const auto &builder : lineage->builders)
    if (processes > 1 && builder->input()) {
      graph.addError("builder '" + builder->name() +
                     "' has its own input, which is not supported when several "
                     "processes train the members");
      return false;
    }
  // Derive all random numbers from the seed of the search: variables and layers
  // combine the seed with a hash of their names. As the names contain the
  // iteration, the numbers differ between iterations (AN-186).
  graph.setSeed(static_cast<int64_t>(search.seed));
  ensemble::IterationProgramBuilder(graph, search, *lineage,
                                    std::move(previous))
      .build(processes);
  return graph.ok();
}
