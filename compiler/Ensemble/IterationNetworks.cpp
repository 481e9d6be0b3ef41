//===- IterationNetworks.cpp - Members and mixtures of an entry -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/IterationProgramBuilder.h"

#include "compiler/Builder/GraphImpl.h"
#include "dialects/Ingot/IR/StateOps.h"

#include <cmath>
#include <numeric>
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

std::vector<IterationProgramBuilder::FeedColumnSpec>
IterationProgramBuilder::fedColumns() const {
  std::vector<FeedColumnSpec> all = search.fedColumns;
  if (all.empty())
    for (const FeedColumnSpec &one : components)
      if (!isLabel(one.name))
        all.push_back(one);
  return all;
}

Columns IterationProgramBuilder::feed(Entry &entry) const {
  Columns columns;
  for (const FeedColumnSpec &one : fedColumns())
    columns[one.name] = entry.feed(one.name, one.dtype, one.shape);
  return columns;
}

/// Erases the block's assignments after `last`, or all of them if `last` is
/// null. The variables of frozen members, such as moving averages, must not
/// change.
static void dropAssignments(mlir::Block &block, mlir::Operation *last) {
  auto begin = last ? std::next(last->getIterator()) : block.begin();
  for (mlir::Operation &op :
       llvm::make_early_inc_range(llvm::make_range(begin, block.end())))
    if (llvm::isa<mlir::ingot::AssignOp>(op))
      op.erase();
}

IterationProgramBuilder::EntryPointMembersAndEnsembles &
IterationProgramBuilder::networksOfEntry() {
  if (openEntry.entry != graph.data().entry)
    openEntry = {graph.data().entry, {}, {}};
  return openEntry;
}

// Returns the members of the previous ensemble that the builders of `iteration`
// receive: those of the ensemble that iteration `iteration` - 1 has selected,
// in the order in which the ensemble lists them.
std::vector<PreviousMember>
IterationProgramBuilder::membersBefore(int64_t iteration) {
  std::vector<PreviousMember> seen;
  if (iteration == 0)
    return seen;
  for (const std::string &name :
       lineage.history[static_cast<size_t>(iteration - 1)].members)
    for (const MemberTensors &built : networksOfEntry().members)
      if (built.name == name)
        seen.push_back({name, built.network});
  return seen;
}

// Builds all members of earlier iterations in the entry that is being built, in
// the order of their iterations. This includes members that are not in the
// previous ensemble (`lineage.gone`), because a later member may have been
// built on them. dropGone() later erases those that nothing uses.
void IterationProgramBuilder::buildEarlier(const Features &features,
                                           bool training) {
  std::vector<Member> earlier = lineage.members;
  earlier.insert(earlier.end(), lineage.gone.begin(), lineage.gone.end());
  std::vector<size_t> order(earlier.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return earlier[a].iteration < earlier[b].iteration;
  });
  networksOfEntry().members.resize(earlier.size());
  for (size_t index : order) {
    MemberTensors built = buildMember(earlier[index], features, training);
    networksOfEntry().members[index] = std::move(built);
  }
}

IterationProgramBuilder::MemberTensors
IterationProgramBuilder::buildNew(size_t index, const Features &features,
                                  bool training) {
  return buildMember({lineage.iteration, lineage.builders[index]}, features,
                     training);
}

// Erases the variables of the members in `lineage.gone`, which are not in the
// previous ensemble, unless an op of another member uses the variables.
void IterationProgramBuilder::dropGone() {
  std::vector<std::string> scopes;
  for (const Member &member : lineage.gone)
    scopes.push_back(scopeOf(member));
  if (!scopes.empty())
    graph.dropUnused(scopes);
}

std::string IterationProgramBuilder::scopeOf(const Member &member) {
  return "adanet/iteration_" + std::to_string(member.iteration) +
         "/subnetwork_" + member.name() + "/";
}

IterationProgramBuilder::MemberTensors
IterationProgramBuilder::buildMember(const Member &member,
                                     const Features &features, bool training) {
  bool isNew = member.iteration == lineage.iteration;
  MemberTensors built;
  built.name = member.name();
  built.born = member.iteration;
  built.scope = scopeOf(member);
  built.scope.pop_back();
  NameScope scope(graph, built.scope);
  Variable step = graph.variable("step", {}, DType::Int64, zeros(), untrained);
  std::vector<PreviousMember> earlier = membersBefore(member.iteration);
  // Members of earlier iterations are frozen, so they compute in inference mode
  // unless the search says otherwise (AN-039). In training mode, dropout
  // derives its random numbers from the member's step. As the step counters of
  // frozen members no longer change, the global step is used instead.
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
  return built;
}

// Checks that the builder has returned logits, a last layer and a valid
// complexity (AN-175, AN-176), since a user's C++ builder may return anything.
void IterationProgramBuilder::checkParts(const MemberTensors &member) const {
  // If building the member has failed with an error, `member` may lack values.
  // Reporting the missing values as well would be misleading.
  if (!graph.ok())
    return;
  const Subnetwork &network = member.network;
  auto fail = [&](const std::string &what) {
    graph.addError("member '" + member.name + "' " + what);
  };
  if (!network.logits)
    return fail("has no logits: its builder must return them");
  if (!network.lastLayer)
    return fail("has no last layer: its builder must return one");
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
         ", but the head expects [batch, " + std::to_string(expected) + "]");
}

EnsembleTensors
IterationProgramBuilder::mix(const std::vector<MemberTensors> &all,
                             const Candidate &candidate, bool training) {
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

// Returns the ensemble that iteration `iteration` - 1 has selected. If the
// entry that is being built does not contain this ensemble yet, builds it there
// from the entry's members.
const PreviousEnsemble *
IterationProgramBuilder::ensembleBefore(int64_t iteration) {
  if (iteration == 0)
    return nullptr;
  const EnsembleLineage::SelectedEnsemble &selected =
      lineage.history[static_cast<size_t>(iteration - 1)];
  std::optional<Candidate> found = candidateOf(search, selected.ensemble);
  if (!found) {
    graph.addError("the ensemble before iteration " +
                   std::to_string(iteration) + " comes from ensembler '" +
                   selected.ensemble.ensembler +
                   "', which the search no longer has: add it again");
    return nullptr;
  }
  EntryPointMembersAndEnsembles &state = networksOfEntry();
  auto [place, isNew] = state.ensembles.try_emplace(found->fullName());
  PreviousEnsemble &ensemble = place->second;
  if (!isNew)
    return &ensemble;
  for (const std::string &name : selected.members)
    for (size_t i = 0; i < state.members.size(); ++i)
      if (state.members[i].name == name)
        found->members.push_back(i);
  // The names of the ensemble's variables are absolute. So for the moment,
  // leave the name scope of the builder that requests the ensemble.
  std::string outer = std::exchange(graph.data().scope, "");
  EnsembleTensors mixture = mix(state.members, *found, /*training=*/false);
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

IterationProgramBuilder::MemberAndEnsembleTensors
IterationProgramBuilder::buildNetworks(const Columns &columns, bool training) {
  MemberAndEnsembleTensors networks;
  Features features = search.features(graph, inputs(columns));
  buildEarlier(features, training);
  const std::vector<MemberTensors> &earlier = networksOfEntry().members;
  networks.members.assign(earlier.begin(),
                          earlier.begin() +
                              static_cast<ptrdiff_t>(lineage.members.size()));
  for (size_t i = 0; i < lineage.builders.size(); ++i)
    networks.members.push_back(buildNew(i, features, training));
  for (const Candidate &candidate : candidates)
    networks.mixtures.push_back(mix(networks.members, candidate, training));
  return networks;
}

} // namespace ingot::ensemble
