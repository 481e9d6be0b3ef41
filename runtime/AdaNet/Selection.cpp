//===- Selection.cpp - Which ensemble an iteration leaves -----------------===//

#include "runtime/AdaNet/Selection.h"

#include "runtime/AdaNet/JsonFile.h"
#include "runtime/AdaNet/SpecLosses.h"
#include "runtime/Session/Context.h"
#include "runtime/Support/Json.h"

#include <cmath>
#include <limits>

using namespace ingot;
using namespace ingot::adanet;

std::optional<Architecture>
adanet::parseEnsembleName(const std::string &name, const Iteration &iteration,
                          const Architecture *previous) {
  // AN-170, 172: "t1_linear_grow_complexity_regularized".
  std::string prefix = "t" + std::to_string(iteration.number) + "_";
  if (!name.starts_with(prefix))
    return std::nullopt;
  Architecture found;
  found.iteration = iteration.number;
  auto add = [&](const Spec &member) {
    found.members.push_back(
        {iteration.number, member.name.substr(prefix.size())});
  };
  auto addPrevious = [&] {
    if (previous)
      found.members = previous->members;
  };
  size_t behind = 0;
  if (name.starts_with(prefix + "all_")) {
    addPrevious();
    for (const Spec &member : iteration.members)
      add(member);
    behind = prefix.size() + 3;
  } else {
    // Of builders whose names begin alike, the one with the longest.
    const Spec *added = nullptr;
    for (const Spec &member : iteration.members) {
      std::string_view rest = std::string_view(name).substr(
          std::min(member.name.size(), name.size()));
      if (name.starts_with(member.name) &&
          (rest.starts_with("_grow_") || rest.starts_with("_solo_")) &&
          (!added || member.name.size() > added->name.size()))
        added = &member;
    }
    if (!added)
      return std::nullopt;
    behind = added->name.size() + 5;
    if (name.compare(added->name.size(), 6, "_grow_") == 0)
      addPrevious();
    add(*added);
  }
  found.candidate = name.substr(prefix.size(), behind - prefix.size());
  found.ensembler = name.substr(behind + 1);
  return found;
}

std::vector<const Spec *> adanet::candidatesOf(const Iteration &iteration) {
  std::vector<const Spec *> candidates;
  if (iteration.previous)
    candidates.push_back(&*iteration.previous);
  for (const Spec &ensemble : iteration.ensembles)
    candidates.push_back(&ensemble);
  return candidates;
}

/// What is replayed in the iteration; evaluations say -1 of the ensemble that
/// was left (AN-217), which is the first candidate.
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
  std::vector<const Spec *> candidates = candidatesOf(iteration);
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

/// A value for each candidate: the averages of their AdaNet losses.
static std::vector<double>
averagesOf(const ingot_context &context,
           const std::vector<const Spec *> &candidates) {
  std::vector<double> values;
  for (const Spec *candidate : candidates)
    values.push_back(static_cast<double>(
        averageOf(context, candidate->name)
            .value_or(std::numeric_limits<float>::quiet_NaN())));
  return values;
}

/// The best of the candidates that the rules leave; nothing where the values of
/// all are NaN. Says each value.
static Expected<std::optional<size_t>>
findBest(const ingot_context &context, const Iteration &iteration,
         const std::vector<const Spec *> &candidates,
         const SelectionRules &rules, Reporter &reporter) {
  // AN-143: there is something new to select from.
  auto isLeftOut = [&](size_t i) {
    return (rules.forcesGrowth && i == 0 && iteration.previous) ||
           rules.dropped.count(candidates[i]->name) != 0;
  };
  std::vector<size_t> eligible;
  for (size_t i = 0; i < candidates.size(); ++i)
    if (!isLeftOut(i))
      eligible.push_back(i);
  const Evaluator &evaluator = rules.evaluator;
  std::vector<double> values;
  if (!evaluator.measure) {
    values = averagesOf(context, candidates);
  } else if (eligible.size() == 1) {
    return std::optional<size_t>(eligible.front());
  } else {
    INGOT_ASSIGN_OR_RETURN(values, evaluator.measure(candidates));
  }
  // AN-240.
  for (size_t i = 0; i < candidates.size(); ++i)
    reporter.log((evaluator.measure ? evaluator.metric : "adanet_loss") + "/" +
                 candidates[i]->name + " = " + std::to_string(values[i]));
  std::optional<size_t> best;
  for (size_t i : eligible) {
    bool isBetter =
        !best || (evaluator.selectsHighest ? values[i] > values[*best]
                                           : values[i] < values[*best]);
    // AN-136: what has diverged is not selected.
    if (!std::isnan(values[i]) && isBetter)
      best = i;
  }
  return best;
}

Expected<Architecture>
adanet::selectBest(const ingot_context &context, const Iteration &iteration,
                   const Architecture *previous, int64_t globalStep,
                   const SelectionRules &rules, Reporter &reporter) {
  std::vector<const Spec *> candidates = candidatesOf(iteration);
  std::optional<size_t> best;
  // AN-063: what is replayed comes first.
  if (auto index = replayed(iteration, rules.replayIndices)) {
    INGOT_RETURN_IF_ERROR(checkReplay(iteration, rules.replayIndices));
    best = static_cast<size_t>(*index);
  } else {
    INGOT_ASSIGN_OR_RETURN(
        best, findBest(context, iteration, candidates, rules, reporter));
  }
  if (!best)
    return Status(StatusCode::FailedPrecondition,
                  (rules.evaluator.measure ? "'" + rules.evaluator.metric + "'"
                                           : "the AdaNet loss") +
                      " of every candidate of iteration " +
                      std::to_string(iteration.number) + " is NaN");
  const std::string &name = candidates[*best]->name;
  Architecture won;
  if (iteration.previous && *best == 0) {
    // AN-095: the same ensemble once more, and no further index.
    if (!previous)
      return Status(StatusCode::FailedPrecondition,
                    "there is no architecture file of iteration " +
                        std::to_string(iteration.number - 1) +
                        ", whose ensemble is still the best");
    won = *previous;
  } else {
    auto parsed = parseEnsembleName(name, iteration, previous);
    if (!parsed)
      return Status(StatusCode::FailedPrecondition,
                    "'" + name +
                        "' is the best ensemble, and its name is of no "
                        "strategy of AdaNet's: who is in it is known to AdaNet "
                        "alone, which selects when it goes on");
    won = std::move(*parsed);
    if (previous)
      won.replayIndices = previous->replayIndices;
    won.replayIndices.push_back(static_cast<int64_t>(*best));
  }
  won.iteration = iteration.number;
  won.globalStep = globalStep;
  reporter.log("selected '" + name + "', candidate " + std::to_string(*best) +
               " of AdaNet's iteration " + std::to_string(iteration.number));
  return won;
}

Status adanet::writeArchitecture(FileSystem &fileSystem,
                                 const std::string &directory,
                                 const Architecture &architecture) {
  // AN-088, 089: one line, the keys in their order.
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
