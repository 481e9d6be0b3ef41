//===- IterationNetworks.cpp - Members and mixtures of an entry -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/IterationProgramBuilder.h"

#include "compiler/Builder/GraphData.h"
#include "dialects/Ingot/StateOps.h"

#include <cmath>
#include <utility>

using namespace ingot::adanet;
using namespace ingot::graph;

namespace ingot::ensemble {

std::string IterationProgramBuilder::iterationScope() const {
  return "adanet/iteration_" + std::to_string(lineage.iteration);
}

bool IterationProgramBuilder::isLabel(const std::string &column) const {
  for (const auto &[name, dtype] : search.head->columns())
    if (name == column)
      return true;
  return false;
}

Columns IterationProgramBuilder::inputs(const Columns &columns) const {
  Columns rest;
  for (const auto &[name, tensor] : columns)
    if (!isLabel(name))
      rest[name] = tensor;
  return rest;
}

std::vector<IterationProgramBuilder::Component>
IterationProgramBuilder::fedColumns() const {
  std::vector<Component> all = search.fedColumns;
  if (all.empty())
    for (const Component &one : components)
      if (!isLabel(one.name))
        all.push_back(one);
  return all;
}

Columns IterationProgramBuilder::feed(Entry &entry) const {
  Columns columns;
  for (const Component &one : fedColumns())
    columns[one.name] = entry.feed(one.name, one.dtype, one.shape);
  return columns;
}

/// Erases the assignments after `last` in the block, such as those of moving
/// averages: frozen members keep their variables.
static void dropAssignments(mlir::Block &block, mlir::Operation *last) {
  auto begin = last ? std::next(last->getIterator()) : block.begin();
  for (mlir::Operation &op :
       llvm::make_early_inc_range(llvm::make_range(begin, block.end())))
    if (llvm::isa<mlir::ingot::AssignOp>(op))
      op.erase();
}

IterationProgramBuilder::Built IterationProgramBuilder::buildMember(
    size_t index, const Features &features,
    const std::vector<PreviousMember> &previous, bool training) {
  bool isNew = index >= lineage.members.size();
  Member member = isNew
                      ? Member{lineage.iteration,
                               lineage.builders[index - lineage.members.size()]}
                      : lineage.members[index];
  Built built;
  built.name = member.name();
  built.born = member.iteration;
  built.scope = "adanet/iteration_" + std::to_string(member.iteration) +
                "/subnetwork_" + built.name;
  NameScope scope(graph, built.scope);
  Variable step = graph.variable("step", {}, DType::Int64, zeros(), untrained);
  // A builder sees only the members of iterations before its own. For a new
  // member, these are all members in `previous`.
  std::vector<PreviousMember> earlier;
  for (size_t i = 0; i < previous.size(); ++i)
    if (isNew || lineage.members[i].iteration < member.iteration)
      earlier.push_back(previous[i]);
  // Members of earlier iterations are frozen, so they compute in inference mode
  // unless the search says otherwise (AN-039). In training mode, the global
  // step distinguishes their steps, as their own counters stand still.
  bool isReplicated = training && !isNew && search.replicateEnsembleInTraining;
  BuildContext context = {graph,
                          features,
                          search.head->logitsDimension(),
                          isReplicated || (training && isNew),
                          member.iteration,
                          isReplicated ? graph.globalStep().read()
                                       : step.read(),
                          earlier,
                          [&] { return ensembleBefore(member.iteration); }};
  mlir::Block *block = graph.data().builder.getInsertionBlock();
  mlir::Operation *last = block && !block->empty() ? &block->back() : nullptr;
  built.network = member.builder->build(context);
  if (isReplicated && block)
    dropAssignments(*block, last);
  checkParts(built);
  if (!isNew) {
    EntryState &state = stateOfEntry();
    state.members.resize(lineage.members.size());
    state.members[index] = built;
  }
  return built;
}

IterationProgramBuilder::EntryState &IterationProgramBuilder::stateOfEntry() {
  if (ofEntry.entry != graph.data().entry)
    ofEntry = {graph.data().entry, {}, {}};
  return ofEntry;
}

// Checks that the builder has returned logits, a last layer and a valid
// complexity (AN-175, AN-176), since a user's C++ builder may return anything.
void IterationProgramBuilder::checkParts(const Built &member) const {
  // If building has reported an error, `member` may lack values because of that
  // error, and further messages would mislead.
  if (!graph.ok())
    return;
  const Subnetwork &network = member.network;
  auto fail = [&](const std::string &what) {
    graph.addError("member '" + member.name + "' " + what);
  };
  if (!network.logits)
    return fail("has no logits");
  if (!network.lastLayer)
    return fail("has no last layer");
  if (!std::isfinite(network.complexity) || network.complexity < 0)
    return fail("has complexity " + std::to_string(network.complexity) +
                ", expected a non-negative number");
  int64_t expected = search.head->logitsDimension();
  auto shape = network.logits.shape();
  if (shape &&
      (shape->size() != 2 || ((*shape)[1] >= 0 && (*shape)[1] != expected)))
    fail("has logits of " +
         (shape->size() == 2 ? "[batch, " + std::to_string((*shape)[1]) + "]"
                             : std::to_string(shape->size()) + " dimensions") +
         ", the head expects [batch, " + std::to_string(expected) + "]");
}

Mixture IterationProgramBuilder::mix(const std::vector<Built> &all,
                                     const Candidate &candidate,
                                     bool training) {
  std::vector<Subnetwork> members;
  std::vector<EnsembleContext::EnsembleMember> told;
  for (size_t index : candidate.members) {
    members.push_back(all[index].network);
    told.push_back({all[index].name, all[index].born == candidate.iteration,
                    all[index].network});
  }
  bool isNew = candidate.iteration == lineage.iteration;
  EnsembleContext context = {
      graph,
      told,
      search.head->logitsDimension(),
      training && isNew,
      candidate.iteration,
      [&] { return ensembleBefore(candidate.iteration); }};
  return buildMixture(candidate, members, *search.head, context);
}

// Returns the ensemble that was selected before `iteration`, built in the open
// entry from the members that the entry has so far. An ensemble's name contains
// the iteration that it was first selected in, so of those of earlier
// iterations it is the newest one.
const PreviousEnsemble *
IterationProgramBuilder::ensembleBefore(int64_t iteration) {
  if (iteration == 0)
    return nullptr;
  std::string ignored;
  std::vector<Candidate> selected = earlierOf(search, lineage);
  if (auto last = previousOf(search, lineage, ignored))
    selected.push_back(std::move(*last));
  const Candidate *found = nullptr;
  for (const Candidate &one : selected)
    if (one.iteration < iteration &&
        (!found || one.iteration > found->iteration))
      found = &one;
  if (!found) {
    graph.addError("a builder or ensembler asks for the ensemble before "
                   "iteration " +
                   std::to_string(iteration) +
                   ", of which a later one has left out members");
    return nullptr;
  }
  EntryState &state = stateOfEntry();
  auto [place, isNew] = state.ensembles.try_emplace(found->fullName());
  PreviousEnsemble &ensemble = place->second;
  if (!isNew)
    return &ensemble;
  // Its variables have names of their own, not in the scope of who asks.
  std::string outer = std::exchange(graph.data().scope, "");
  Mixture mixture = mix(state.members, *found, /*training=*/false);
  graph.data().scope = std::move(outer);
  ensemble.name = found->fullName();
  ensemble.logits = mixture.logits;
  ensemble.bias = mixture.bias;
  for (size_t i = 0; i < found->members.size(); ++i)
    ensemble.members.push_back(
        {state.members[found->members[i]].name, i < mixture.weights.size()
                                                    ? mixture.weights[i]
                                                    : std::vector<Tensor>()});
  return &ensemble;
}

IterationProgramBuilder::Networks
IterationProgramBuilder::buildNetworks(const Columns &columns, bool training) {
  Networks networks;
  Features features = search.features(graph, inputs(columns));
  std::vector<PreviousMember> previous;
  size_t old = lineage.members.size(), all = old + lineage.builders.size();
  for (size_t i = 0; i < all; ++i) {
    networks.members.push_back(buildMember(i, features, previous, training));
    if (i < old)
      previous.push_back(
          {networks.members.back().name, networks.members.back().network});
  }
  for (const Candidate &candidate : candidates)
    networks.mixtures.push_back(mix(networks.members, candidate, training));
  return networks;
}

} // namespace ingot::ensemble
