//===- BestEnsemble.cpp - The ensemble that predicts ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/BestEnsemble.h"

#include "runtime/AdaNet/Iteration.h"
#include "runtime/AdaNet/IterationMemberAndCandidateNames.h"
#include "runtime/AdaNet/TrainingDoneMarkers.h"
#include "runtime/Checkpoint/ObjectCheckpointNames.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace ingot;
using namespace ingot::adanet;

namespace {
/// An ensemble in a checkpoint.
struct CheckpointedEnsemble {
  int64_t iteration = 0;
  int64_t steps = 0;
  float average = std::numeric_limits<float>::quiet_NaN();
};
using Ensembles =
    std::map<std::string, CheckpointedEnsemble>; // keyed by full name
} // namespace

Expected<VariableKeys>
adanet::readVariableKeys(const CheckpointReader &checkpoint) {
  INGOT_ASSIGN_OR_RETURN(ObjectCheckpointNames objects,
                         ObjectCheckpointNames::read(checkpoint));
  VariableKeys keys;
  for (const std::string &key : checkpoint.keys())
    keys.emplace(objects.nameOf(key), key);
  return keys;
}

static Expected<int64_t> globalStepIn(const CheckpointReader &checkpoint,
                                      const VariableKeys &keys) {
  int64_t step = 0;
  if (auto key = keys.find("global_step"); key != keys.end())
    INGOT_RETURN_IF_ERROR(
        checkpoint.read(key->second, "", INGOT_INT64, Shape(), &step));
  return step;
}

Expected<int64_t> adanet::globalStepOf(const CheckpointReader &checkpoint) {
  INGOT_ASSIGN_OR_RETURN(VariableKeys keys, readVariableKeys(checkpoint));
  return globalStepIn(checkpoint, keys);
}

static Expected<Ensembles> readEnsembles(const CheckpointReader &checkpoint,
                                         const VariableKeys &keys) {
  Ensembles ensembles;
  for (const auto &[variable, key] : keys) {
    auto own = parseName(variable);
    if (!own ||
        (own->kind != AdaNetVariableName::Ensemble || own->rest != "step"))
      continue;
    CheckpointedEnsemble &found = ensembles[std::string(own->owner)];
    found.iteration = own->iteration;
    INGOT_RETURN_IF_ERROR(
        checkpoint.read(key, "", INGOT_INT64, Shape(), &found.steps));
    std::string average = "adanet/iteration_" + std::to_string(own->iteration) +
                          "/candidate_" + std::string(own->owner) +
                          "/adanet_loss";
    if (auto at = keys.find(average); at != keys.end())
      INGOT_RETURN_IF_ERROR(checkpoint.read(at->second, "", INGOT_FLOAT,
                                            Shape(), &found.average));
  }
  return ensembles;
}

/// Returns the ensemble in `ensembles` that has the name of `architecture`, or
/// null if `ensembles` lacks it.
static const Ensembles::value_type *
find(const Ensembles &ensembles, const EnsembleArchitecture &architecture) {
  std::string name = architecture.ensembleName();
  if (auto found = ensembles.find(name); found != ensembles.end())
    return &*found;
  // An older architecture file (AN-096) does not name the ensembler. The
  // ensembler is the last part of an ensemble's name, so `name` lacks that
  // part, and the checkpoint has a longer name.
  auto longer = ensembles.lower_bound(name + "_");
  return !architecture.ensembler && longer != ensembles.end() &&
                 longer->first.starts_with(name + "_")
             ? &*longer
             : nullptr;
}

static Expected<std::optional<EnsembleArchitecture>>
selectionAt(FileSystem &fileSystem, const std::string &directory,
            int64_t iteration, int64_t globalStep, const Ensembles &ensembles) {
  using Result = Expected<std::optional<EnsembleArchitecture>>;
  auto own = readArchitecture(fileSystem, directory, iteration);
  if (!own)
    return own.status().code() == StatusCode::NotFound
               ? Result(std::optional<EnsembleArchitecture>())
               : Result(own.takeStatus());
  if (own->globalStep && *own->globalStep != globalStep)
    return std::optional<EnsembleArchitecture>();
  if (own->isPruned() && !find(ensembles, *own))
    return std::optional<EnsembleArchitecture>();
  if (own->globalStep && own->hasNewMember() && iteration > 0) {
    auto before = readArchitecture(fileSystem, directory, iteration - 1);
    if (!before && before.status().code() != StatusCode::NotFound)
      return before.takeStatus();
    if (before && before->globalStep == own->globalStep)
      return std::optional<EnsembleArchitecture>();
  }
  return std::optional<EnsembleArchitecture>(std::move(*own));
}

Expected<std::optional<EnsembleArchitecture>>
adanet::readSelection(FileSystem &fileSystem, const std::string &directory,
                      const CheckpointReader &checkpoint, int64_t iteration) {
  INGOT_ASSIGN_OR_RETURN(VariableKeys keys, readVariableKeys(checkpoint));
  INGOT_ASSIGN_OR_RETURN(int64_t step, globalStepIn(checkpoint, keys));
  INGOT_ASSIGN_OR_RETURN(Ensembles ensembles, readEnsembles(checkpoint, keys));
  return selectionAt(fileSystem, directory, iteration, step, ensembles);
}

/// Returns the ensemble that the iteration before `iteration` has selected,
/// according to its architecture file. If that file is missing, or the
/// checkpoint lacks that ensemble, returns the checkpoint's newest ensemble of
/// an earlier iteration, or null if there is none.
static Expected<const Ensembles::value_type *>
findPrevious(FileSystem &fileSystem, const std::string &directory,
             int64_t iteration, const Ensembles &ensembles) {
  if (iteration == 0)
    return static_cast<const Ensembles::value_type *>(nullptr);
  auto before = readArchitecture(fileSystem, directory, iteration - 1);
  if (!before && before.status().code() != StatusCode::NotFound)
    return before.takeStatus();
  if (before)
    if (const auto *named = find(ensembles, *before))
      return named;
  const Ensembles::value_type *newest = nullptr;
  for (const auto &one : ensembles)
    if (one.second.iteration < iteration &&
        (!newest || one.second.iteration > newest->second.iteration))
      newest = &one;
  return newest;
}

/// Returns the new ensembles of iteration `iteration`, in the order of the
/// iteration's candidates.
static Expected<std::vector<const Ensembles::value_type *>>
inOrder(FileSystem &fileSystem, const std::string &directory, int64_t iteration,
        const Ensembles &ensembles) {
  std::vector<const Ensembles::value_type *> found;
  for (const auto &one : ensembles)
    if (one.second.iteration == iteration)
      found.push_back(&one);
  auto order = readOrder(fileSystem, directory, iteration);
  if (!order && order.status().code() != StatusCode::NotFound)
    return order.takeStatus();
  if (!order)
    return found;
  auto placeOf = [&](const Ensembles::value_type *one) {
    return std::find(order->candidates.begin(), order->candidates.end(),
                     one->first);
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const auto *one, const auto *other) {
                     return placeOf(one) < placeOf(other);
                   });
  return found;
}

/// Returns true if ensemble `name` was dropped, that is, excluded from
/// selection, according to its marker file. `steps` is the number of steps that
/// the ensemble has made. Ignores a marker that was written after more steps.
static Expected<bool> isDropped(const TrainingDoneMarkers &markers,
                                const std::string &name, int64_t steps) {
  INGOT_ASSIGN_OR_RETURN(auto marker, markers.read(name));
  return marker && TrainingDoneMarkers::isDropped(marker->message) &&
         marker->holdsAfter(steps);
}

Expected<BestEnsemble>
adanet::findBestEnsemble(FileSystem &fileSystem, const std::string &directory,
                         const CheckpointReader &checkpoint) {
  INGOT_ASSIGN_OR_RETURN(VariableKeys keys, readVariableKeys(checkpoint));
  INGOT_ASSIGN_OR_RETURN(Ensembles ensembles, readEnsembles(checkpoint, keys));
  BestEnsemble best;
  INGOT_ASSIGN_OR_RETURN(best.globalStep, globalStepIn(checkpoint, keys));
  for (const auto &[variable, key] : keys)
    if (auto own = parseName(variable);
        own && own->kind == AdaNetVariableName::Member)
      best.iteration = std::max(best.iteration, own->iteration);
  best.iteration = iterationOf(checkpoint).value_or(best.iteration);
  INGOT_ASSIGN_OR_RETURN(best.selected,
                         selectionAt(fileSystem, directory, best.iteration,
                                     best.globalStep, ensembles));
  if (best.selected) {
    const auto *named = find(ensembles, *best.selected);
    best.name = named ? named->first : best.selected->ensembleName();
    return best;
  }

  INGOT_ASSIGN_OR_RETURN(
      const auto *previous,
      findPrevious(fileSystem, directory, best.iteration, ensembles));
  TrainingDoneMarkers markers(fileSystem, directory, best.iteration);
  const Ensembles::value_type *lowest = nullptr, *first = previous;
  auto consider = [&](const Ensembles::value_type &one) {
    if (!std::isnan(one.second.average) &&
        (!lowest || one.second.average < lowest->second.average))
      lowest = &one;
  };
  if (previous)
    consider(*previous);
  INGOT_ASSIGN_OR_RETURN(
      std::vector<const Ensembles::value_type *> candidates,
      inOrder(fileSystem, directory, best.iteration, ensembles));
  for (const auto *one : candidates) {
    if (one == previous)
      continue;
    INGOT_ASSIGN_OR_RETURN(bool dropped,
                           isDropped(markers, one->first, one->second.steps));
    if (!first && !dropped)
      first = one;
    // An ensemble that has not been trained for a step still has the initial
    // moving average 0. It would win, because 0 is lower than any loss, so it
    // is skipped.
    if (one->second.steps > 0 && !dropped)
      consider(*one);
  }
  if (!first && !candidates.empty())
    first = candidates.front();
  if (lowest || first)
    best.name = (lowest ? lowest : first)->first;
  best.hasDiverged = !lowest && first && std::isnan(first->second.average);
  return best;
}
