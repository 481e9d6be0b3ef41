//===- Selection.cpp - Which ensemble an iteration leaves -----------------===//

#include "runtime/AdaNet/Selection.h"

#include "runtime/AdaNet/JsonFile.h"
#include "runtime/AdaNet/SpecLosses.h"
#include "runtime/Session/Context.h"
#include "runtime/Support/Json.h"

#include <cmath>
#include <cstdio>

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

/// Says each candidate's average; the index of the lowest.
static std::optional<size_t>
findLowest(const ingot_context &context, const Iteration &iteration,
           const std::vector<const Spec *> &candidates,
           const SelectionRules &rules, Reporter &reporter) {
  std::optional<size_t> best;
  float lowest = 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    auto average = averageOf(context, candidates[i]->name);
    // AN-136: what has diverged is not selected.
    if (average)
      reporter.log("adanet_loss/" + candidates[i]->name + " = " +
                   std::to_string(*average));
    // AN-143: there is something new to select from.
    bool isLeftOut = (rules.forcesGrowth && i == 0 && iteration.previous) ||
                     rules.dropped.count(candidates[i]->name) != 0;
    if (isLeftOut || !average || std::isnan(*average) ||
        (best && !(*average < lowest)))
      continue;
    best = i;
    lowest = *average;
  }
  return best;
}

Expected<Architecture>
adanet::selectBest(const ingot_context &context, const Iteration &iteration,
                   const Architecture *previous, int64_t globalStep,
                   const SelectionRules &rules, Reporter &reporter) {
  std::vector<const Spec *> candidates = candidatesOf(iteration);
  std::optional<size_t> best =
      findLowest(context, iteration, candidates, rules, reporter);
  // AN-063: what is replayed comes first.
  if (auto index = replayed(iteration, rules.replayIndices)) {
    INGOT_RETURN_IF_ERROR(checkReplay(iteration, rules.replayIndices));
    best = static_cast<size_t>(*index);
  }
  if (!best)
    return Status(StatusCode::FailedPrecondition,
                  "the AdaNet loss of every candidate of iteration " +
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
