//===- Iteration.cpp - AdaNet's names in programs and checkpoints ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/Iteration.h"

#include "runtime/AdaNet/BestEnsemble.h"

#include <algorithm>
#include <set>

using namespace ingot;
using namespace ingot::adanet;

static constexpr std::string_view currentIteration = "current_iteration";

/// Sets the candidate's name and the members of `ensemble` from the names of
/// fetches, "candidate/NAME" and "member/NAME". The compiler
/// (IterationProgramBuilder.cpp) has added these fetches to the ensemble's
/// entry of role member_state.
static void readFacts(const ingot_program &program,
                      MemberOrEnsemble &ensemble) {
  for (uint32_t i = 0; i < program.num_entries; ++i) {
    const ingot_entry &entry = program.entries[i];
    if (entry.role != INGOT_ROLE_MEMBER_STATE || !entry.member ||
        entry.member != ensemble.name)
      continue;
    for (uint32_t j = 0; j < entry.num_fetches; ++j) {
      std::string_view name = entry.fetches[j].name;
      if (name.starts_with("candidate/"))
        ensemble.candidate = name.substr(10);
      else if (name.starts_with("member/"))
        ensemble.members.emplace_back(name.substr(7));
    }
  }
}

std::optional<Iteration> adanet::findIteration(const ingot_program &program) {
  Iteration found;
  found.number = -1;
  int64_t previousIteration = -1, own = -1;
  // The step counter of a member or an ensemble: the int64 variable "step" in
  // its scope. Each member and ensemble has one, so the counters show which
  // members and ensembles the program has.
  struct StepCounter {
    AdaNetVariableName name;
    uint32_t variable;
  };
  std::vector<StepCounter> counters;
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    const ingot_tensor_spec &spec = program.variables[i].spec;
    if (spec.dtype != INGOT_INT64 || spec.rank != 0)
      continue;
    if (spec.name == currentIteration)
      found.current = i;
    auto name = parseName(spec.name);
    // After `ingot-adanet prune`, the program's iteration has no members of its
    // own. Its number is then taken from the scope of the variable
    // `iteration_number`.
    if (name && name->kind == AdaNetVariableName::Iteration &&
        name->rest == "iteration_number")
      own = std::max(own, name->iteration);
    if (!name || name->rest != "step")
      continue;
    counters.push_back({*name, i});
    if (name->kind == AdaNetVariableName::Member)
      found.number = std::max(found.number, name->iteration);
  }
  if (found.number < 0)
    return std::nullopt;
  found.number = std::max(found.number, own);
  for (auto &[name, variable] : counters) {
    MemberOrEnsemble spec = {std::string(name.owner), variable};
    bool isNew = name.iteration == found.number;
    if (name.kind == AdaNetVariableName::Member) {
      (isNew ? found.members : found.frozen).push_back(std::move(spec));
    } else if (isNew) {
      readFacts(program, spec);
      found.ensembles.push_back(std::move(spec));
    } else if (name.iteration > previousIteration) {
      previousIteration = name.iteration;
      found.previous = std::move(spec);
    }
  }
  return found;
}

std::vector<const MemberOrEnsemble *>
adanet::candidatesOf(const Iteration &iteration) {
  std::vector<const MemberOrEnsemble *> candidates;
  if (iteration.previous)
    candidates.push_back(&*iteration.previous);
  for (const MemberOrEnsemble &ensemble : iteration.ensembles)
    candidates.push_back(&ensemble);
  return candidates;
}

std::optional<int64_t> adanet::iterationOf(const CheckpointReader &checkpoint) {
  // Look for the iteration number under the key of name-based checkpoints
  // first, and then under the key of object-based ones (AN-075).
  for (std::string_view key :
       {currentIteration,
        std::string_view("iteration_number/.ATTRIBUTES/VARIABLE_VALUE")}) {
    int64_t number = 0;
    if (checkpoint.find(key) &&
        checkpoint.read(key, "", INGOT_INT64, Shape(), &number).isOk())
      return number;
  }
  return std::nullopt;
}

/// Checks that a checkpoint of iteration `iteration` has the members that the
/// previous iteration's architecture file lists (AN-251). Returns ok if that
/// file is missing or cannot be read, since other code reports that.
static Status checkMembers(FileSystem &fileSystem,
                           const CheckpointReader &reader,
                           const std::string &prefix, int64_t iteration) {
  size_t slash = prefix.rfind('/');
  std::string directory =
      slash == std::string::npos ? "." : prefix.substr(0, slash);
  std::set<std::string> found;
  for (const std::string &key : reader.keys())
    if (auto name = parseName(key); name &&
                                    name->kind == AdaNetVariableName::Member &&
                                    name->iteration < iteration)
      found.emplace(name->owner);
  auto left = readArchitecture(fileSystem, directory, iteration - 1);
  // If this iteration has selected a pruned ensemble, its checkpoint has the
  // members of that ensemble only.
  if (auto own = readSelection(fileSystem, directory, reader, iteration);
      own && *own && (*own)->isPruned())
    left = std::move(**own);
  if (!left)
    return Status::ok();
  std::string theirs, ours;
  bool isMissing = false;
  for (const EnsembleArchitecture::Member &member : left->members) {
    theirs += (theirs.empty() ? "'" : ", '") + member.name() + "'";
    isMissing |= found.count(member.name()) == 0;
  }
  // `found` is empty for object-based checkpoints, as their keys do not contain
  // members' names. Then there is nothing to compare.
  if (!isMissing || found.empty())
    return Status::ok();
  for (const std::string &name : found)
    ours += (ours.empty() ? "'" : ", '") + name + "'";
  return Status(StatusCode::FailedPrecondition,
                "checkpoint '" + prefix + "' continues " + ours + ", but '" +
                    architecturePath(directory, left->iteration) +
                    "' says iteration " + std::to_string(left->iteration) +
                    " selected " + theirs +
                    ": the two are of different searches; move one of them out "
                    "of the folder");
}

Status adanet::checkIteration(const ingot_program &program,
                              FileSystem &fileSystem,
                              const std::string &prefix) {
  auto iteration = findIteration(program);
  if (!iteration)
    return Status::ok();
  auto reader = CheckpointReader::open(fileSystem, prefix);
  auto found = reader ? iterationOf(**reader) : std::nullopt;
  if (!found)
    return Status::ok();
  if (*found == iteration->number)
    return *found > 0 ? checkMembers(fileSystem, **reader, prefix, *found)
                      : Status::ok();
  std::string theirs = std::to_string(*found);
  return Status(
      StatusCode::FailedPrecondition,
      "checkpoint '" + prefix + "' belongs to AdaNet's iteration " + theirs +
          ", this program trains iteration " +
          std::to_string(iteration->number) +
          ": compile the graph saved with a checkpoint of iteration " + theirs +
          ", '" + prefix + ".meta' or a later one");
}
