//===- EnsembleSelection.cpp - Selects an iteration's ensemble ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/EnsembleSelection.h"

#include "runtime/AdaNet/JsonFile.h"
#include "runtime/AdaNet/MemberLosses.h"
#include "runtime/AdaNet/MemberWeights.h"
#include "runtime/Session/Context.h"
#include "runtime/Support/Json.h"

#include <charconv>
#include <cmath>
#include <limits>

using namespace ingot;
using namespace ingot::adanet;

// Parses the number of earlier members that a strategy keeps, such as 2 in
// "_grow.keep2_". `rest` is the part of an ensemble's name after its builder's
// name. Sets `size` to the length of the parsed text. Returns std::nullopt if
// `rest` does not start with "_grow.keep", a number and '_'.
static std::optional<size_t> parseKept(std::string_view rest, size_t &size) {
  constexpr std::string_view start = "_grow.keep";
  if (!rest.starts_with(start))
    return std::nullopt;
  size_t kept = 0;
  const char *digits = rest.data() + start.size();
  auto [end, error] = std::from_chars(digits, rest.data() + rest.size(), kept);
  size = static_cast<size_t>(end - rest.data());
  if (error != std::errc() || size >= rest.size() || rest[size] != '_')
    return std::nullopt;
  return kept;
}

/// Returns the architecture of an ensemble whose name a user-defined strategy
/// has chosen, from the list of members in the program.
static std::optional<EnsembleArchitecture>
listed(const MemberOrEnsemble &ensemble, const std::string &prefix,
       int64_t iteration) {
  EnsembleArchitecture found;
  found.iteration = iteration;
  found.candidate = ensemble.candidate;
  size_t nameSize = prefix.size() + ensemble.candidate.size() + 1;
  if (ensemble.name.size() <= nameSize)
    return std::nullopt;
  found.ensembler = ensemble.name.substr(nameSize);
  for (const std::string &member : ensemble.members) {
    int64_t born = 0;
    auto [end, error] =
        std::from_chars(member.data() + 1, member.data() + member.size(), born);
    if (!member.starts_with('t') || error != std::errc() ||
        end == member.data() + member.size() || *end != '_')
      return std::nullopt;
    found.members.push_back({born, end + 1});
  }
  return found;
}

std::optional<EnsembleArchitecture>
adanet::parseEnsembleName(const std::string &name, const Iteration &iteration,
                          const EnsembleArchitecture *previous) {
  // The name of an ensemble consists of "t<iteration>_", its builder, strategy
  // and ensembler, as in "t1_linear_grow_complexity_regularized" (AN-170, 172).
  std::string prefix = "t" + std::to_string(iteration.number) + "_";
  if (!name.starts_with(prefix))
    return std::nullopt;
  for (const MemberOrEnsemble &ensemble : iteration.ensembles)
    if (ensemble.name == name && !ensemble.members.empty())
      return listed(ensemble, prefix, iteration.number);
  EnsembleArchitecture found;
  found.iteration = iteration.number;
  auto add = [&](const MemberOrEnsemble &member) {
    found.members.push_back(
        {iteration.number, member.name.substr(prefix.size())});
  };
  auto addPrevious = [&] {
    if (previous)
      found.members = previous->members;
  };
  size_t nameEnd = 0;
  if (name.starts_with(prefix + "all_")) {
    addPrevious();
    for (const MemberOrEnsemble &member : iteration.members)
      add(member);
    nameEnd = prefix.size() + 3;
  } else {
    // Find the builder whose name is contained in the name of the ensemble. If
    // several match, take the longest, because the name of a builder may be a
    // prefix of another one.
    const MemberOrEnsemble *added = nullptr;
    size_t strategy = 0;
    std::optional<size_t> kept;
    for (const MemberOrEnsemble &member : iteration.members) {
      std::string_view rest = std::string_view(name).substr(
          std::min(member.name.size(), name.size()));
      size_t size = 5;
      auto keeps = parseKept(rest, size);
      if (!name.starts_with(member.name) ||
          !(keeps || rest.starts_with("_grow_") ||
            rest.starts_with("_solo_")) ||
          (added && member.name.size() <= added->name.size()))
        continue;
      added = &member;
      strategy = size;
      kept = keeps;
    }
    if (!added)
      return std::nullopt;
    nameEnd = added->name.size() + strategy;
    if (kept || name.compare(added->name.size(), 6, "_grow_") == 0)
      addPrevious();
    if (kept && found.members.size() > *kept)
      found.members.erase(found.members.begin(),
                          found.members.end() - static_cast<ptrdiff_t>(*kept));
    add(*added);
  }
  found.candidate = name.substr(prefix.size(), nameEnd - prefix.size());
  found.ensembler = name.substr(nameEnd + 1);
  return found;
}

/// Returns the index of the candidate that --replay-indices (`indices`) selects
/// in this iteration, or std::nullopt if `indices` has no entry for the
/// iteration. Index -1, which evaluations write for the previous ensemble
/// (AN-217), is replaced by 0, the index of this ensemble among the candidates.
static std::optional<int64_t> replayed(const Iteration &iteration,
                                       const std::vector<int64_t> &indices) {
  if (static_cast<uint64_t>(iteration.number) >= indices.size())
    return std::nullopt;
  int64_t index = indices[static_cast<size_t>(iteration.number)];
  return index == -1 && iteration.previous ? 0 : index;
}

Status adanet::checkReplay(const Iteration &iteration,
                           const std::vector<int64_t> &indices) {
  auto index = replayed(iteration, indices);
  std::vector<const MemberOrEnsemble *> candidates = candidatesOf(iteration);
  if (!index ||
      (*index >= 0 && static_cast<uint64_t>(*index) < candidates.size()))
    return Status::ok();
  std::string list;
  for (size_t i = 0; i < candidates.size(); ++i)
    list +=
        (i ? ", " : "") + std::to_string(i) + " '" + candidates[i]->name + "'";
  return Status(StatusCode::InvalidArgument,
                "--replay-indices: iteration " +
                    std::to_string(iteration.number) + " has no candidate " +
                    std::to_string(*index) + "; it has " + list);
}

/// Returns for each candidate its name, its steps, the moving average of its
/// loss and, if it was dropped, the reason. Callers fill in later which
/// candidate is selected and the values that the evaluator measured.
static Candidates
describe(const ingot_context &context, const Iteration &iteration,
         const std::vector<const MemberOrEnsemble *> &candidates,
         int64_t globalStep, const SelectionRules &rules) {
  Candidates all;
  all.iteration = iteration.number;
  all.globalStep = globalStep;
  for (const MemberOrEnsemble *candidate : candidates) {
    CandidateScore &one = all.values.emplace_back();
    one.name = candidate->name;
    one.steps =
        *static_cast<const int64_t *>(readVariable(context, candidate->step));
    one.average = static_cast<double>(
        averageOf(context, candidate->name)
            .value_or(std::numeric_limits<float>::quiet_NaN()));
    if (auto why = rules.dropped.find(candidate->name);
        why != rules.dropped.end())
      one.dropped = why->second;
  }
  return all;
}

/// Selects the best candidate that has been trained, was not dropped and is not
/// excluded by `rules`. Stores its index in `all.selected`, and logs the values
/// of all candidates. Returns false if no such candidate has a value other than
/// NaN.
static Expected<bool>
findBest(const Iteration &iteration,
         const std::vector<const MemberOrEnsemble *> &specs,
         const SelectionRules &rules, Candidates &all,
         SessionLogger &reporter) {
  std::vector<size_t> eligible;
  for (size_t i = 0; i < all.values.size(); ++i) {
    // With --force-grow, the previous ensemble (candidate 0) cannot be selected
    // again (AN-143).
    bool isPrevious = i == 0 && iteration.previous;
    bool isLeftOut = rules.forcesGrowth && isPrevious;
    // An untrained ensemble still has the initial moving average 0, lower than
    // any loss, so it is not eligible.
    bool isTrained = isPrevious || all.values[i].steps > 0;
    if (!isLeftOut && isTrained && all.values[i].dropped.empty())
      eligible.push_back(i);
  }
  const Evaluator &evaluator = rules.evaluator;
  all.metric = evaluator.measure ? evaluator.metric : "adanet_loss";
  if (evaluator.measure) {
    // Only one candidate can be selected, so select it without running the
    // evaluator (AN-062).
    if (eligible.size() == 1) {
      all.selected = eligible.front();
      return true;
    }
    INGOT_ASSIGN_OR_RETURN(std::vector<double> values,
                           evaluator.measure(specs));
    for (size_t i = 0; i < values.size(); ++i)
      all.values[i].value = values[i];
  }
  auto valueOf = [&](size_t i) {
    return all.values[i].value.value_or(all.values[i].average);
  };
  // Log the values of all candidates, not only the selected one's (AN-240).
  for (size_t i = 0; i < all.values.size(); ++i)
    reporter.log(all.metric + "/" + all.values[i].name + " = " +
                 std::to_string(valueOf(i)));
  bool found = false;
  for (size_t i : eligible) {
    bool isBetter = !found || (evaluator.selectsHighest
                                   ? valueOf(i) > valueOf(all.selected)
                                   : valueOf(i) < valueOf(all.selected));
    // A candidate whose value is NaN has diverged, so do not select it
    // (AN-136).
    if (std::isnan(valueOf(i)) || !isBetter)
      continue;
    all.selected = i;
    found = true;
  }
  return found;
}

/// Returns the architecture of the selected candidate `all.selected`, as it is
/// written to the architecture file. `previous` is the architecture that the
/// previous iteration selected. Returns FailedPrecondition if the members of
/// the candidate cannot be determined.
static Expected<EnsembleArchitecture>
architectureOf(const Candidates &all, const Iteration &iteration,
               const EnsembleArchitecture *previous) {
  const std::string &name = all.values[all.selected].name;
  EnsembleArchitecture won;
  if (iteration.previous && all.selected == 0) {
    // The previous ensemble was selected again, so the new architecture file
    // repeats its architecture. AdaNet adds no replay index in this case
    // (AN-095).
    if (!previous)
      return Status(StatusCode::FailedPrecondition,
                    "the architecture file of iteration " +
                        std::to_string(iteration.number - 1) +
                        ", whose ensemble is still the best, is missing: "
                        "restore it from a copy of the model directory");
    won = *previous;
  } else {
    auto parsed = parseEnsembleName(name, iteration, previous);
    if (!parsed)
      return Status(
          StatusCode::FailedPrecondition,
          "'" + name +
              "' is the best ensemble, but its members are unknown, because "
              "its name is not of the form that AdaNet's strategies use: "
              "continue training with AdaNet, which can select it");
    won = std::move(*parsed);
    if (previous)
      won.replayIndices = previous->replayIndices;
    won.replayIndices.push_back(static_cast<int64_t>(all.selected));
  }
  won.iteration = iteration.number;
  won.globalStep = all.globalStep;
  return won;
}

/// Returns why no candidate could be selected, with a reason for each
/// candidate.
static std::string reasonsAgainst(const Candidates &all,
                                  const Iteration &iteration,
                                  const SelectionRules &rules) {
  std::string reasons;
  for (size_t i = 0; i < all.values.size(); ++i) {
    const CandidateScore &one = all.values[i];
    bool isPrevious = i == 0 && iteration.previous;
    reasons += "\n'" + one.name + "' ";
    if (!one.dropped.empty())
      reasons += "was dropped";
    else if (isPrevious && rules.forcesGrowth)
      reasons += "is excluded by --force-grow";
    else if (!isPrevious && one.steps == 0)
      reasons += "has made no step";
    else
      reasons += "has the " + all.metric + " NaN";
  }
  return reasons;
}

Expected<EnsembleSelection>
adanet::selectBest(const ingot_context &context, const Iteration &iteration,
                   const EnsembleArchitecture *previous, int64_t globalStep,
                   const SelectionRules &rules, SessionLogger &reporter) {
  std::vector<const MemberOrEnsemble *> specs = candidatesOf(iteration);
  EnsembleSelection selection;
  Candidates &all = selection.candidates;
  all = describe(context, iteration, specs, globalStep, rules);
  // If --replay-indices has an index for this iteration, that candidate is
  // selected whatever the losses are (AN-063).
  if (auto index = replayed(iteration, rules.replayIndices)) {
    INGOT_RETURN_IF_ERROR(checkReplay(iteration, rules.replayIndices));
    all.metric = "replayed";
    all.selected = static_cast<size_t>(*index);
  } else {
    INGOT_ASSIGN_OR_RETURN(bool found,
                           findBest(iteration, specs, rules, all, reporter));
    if (!found)
      return Status(StatusCode::FailedPrecondition,
                    "no ensemble can be selected in iteration " +
                        std::to_string(iteration.number) + ":" +
                        reasonsAgainst(all, iteration, rules));
  }
  INGOT_ASSIGN_OR_RETURN(selection.architecture,
                         architectureOf(all, iteration, previous));
  CandidateScore &best = all.values[all.selected];
  best.weights =
      memberWeights(context, best.name, selection.architecture.members.size());
  reporter.log("selected '" + all.values[all.selected].name + "', candidate " +
               std::to_string(all.selected) + " of AdaNet's iteration " +
               std::to_string(iteration.number));
  return selection;
}

Status adanet::writeArchitecture(FileSystem &fileSystem,
                                 const std::string &directory,
                                 const EnsembleArchitecture &architecture) {
  // The architecture file must equal the one that AdaNet writes: one line of
  // JSON, with the keys in this order (AN-088, 089).
  std::string text = "{\"ensemble_candidate_name\": ";
  appendJsonString(text, architecture.candidate);
  text += ", \"ensembler_name\": ";
  appendJsonString(text, architecture.ensembler.value_or(""));
  text += ", \"global_step\": " +
          std::to_string(architecture.globalStep.value_or(0)) +
          ", \"iteration_number\": " + std::to_string(architecture.iteration) +
          ", \"replay_indices\": [";
  for (size_t i = 0; i < architecture.replayIndices.size(); ++i)
    text += (i ? ", " : "") + std::to_string(architecture.replayIndices[i]);
  text += "], \"subnetworks\": [";
  for (size_t i = 0; i < architecture.members.size(); ++i) {
    text += std::string(i ? ", " : "") + "{\"builder_name\": ";
    appendJsonString(text, architecture.members[i].builder);
    text += ", \"iteration_number\": " +
            std::to_string(architecture.members[i].iteration) + "}";
  }
  std::string path = architecturePath(directory, architecture.iteration);
  return writeSmallFile(fileSystem, directory, path.substr(path.rfind('/') + 1),
                        text + "]}");
}
