//===- PruneCommand.cpp - ingot-adanet prune ------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Removes members from the ensemble that predicts: the one that the newest
// iteration selected, or the best one of a search that has ended. The result
// looks like a further iteration that has trained no new member: its
// architecture file and checkpoint are written, and the search continues from
// that checkpoint.
//
//===----------------------------------------------------------------------===//

#include "runtime/AdaNet/EnsembleSelection.h"
#include "runtime/AdaNet/Growth.h"
#include "runtime/AdaNet/SearchProgress.h"
#include "runtime/AdaNet/TrainingDoneMarkers.h"
#include "runtime/Checkpoint/CheckpointSaveId.h"
#include "runtime/CommandLine/ModelDirectory.h"
#include "tools/AdaNetTool/CheckpointVariables.h"
#include "tools/AdaNetTool/ModelOverview.h"
#include "tools/AdaNetTool/SearchFolder.h"
#include "tools/AdaNetTool/Tool.h"
#include "tools/CheckpointTool/CopyCheckpoint.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <deque>
#include <limits>
#include <map>

using namespace ingot;
using namespace ingot::adanet;

static const FlagSpec pruneFlags[] = {
    {"--model-dir", "DIR", "the model directory of the search"},
    {"--drop", "NAME,...", "remove these members: t0_linear,t2_linear"},
    {"--keep", "N", "keep the N members with the largest mixture weights"},
    {"--help", nullptr, "print this"},
};

namespace {

/// A pruning: the state of the search before it, the new architecture, and how
/// members map from the old ensemble to the new one.
struct EnsemblePruning {
  SearchProgress before;
  EnsembleArchitecture after;
  std::string oldName, newName; // names of the ensembles
  // The iteration number in the scope of the new ensemble's variables.
  int64_t newIteration = 0;
  /// For each member of the old ensemble, its index in the new ensemble; -1 if
  /// the member is dropped.
  std::vector<int64_t> indices;
  // Each old member's share of the mixture weights, indexed by its index in the
  // old ensemble; empty if the weights are unknown.
  std::vector<double> shares;
};

} // namespace

/// Returns each member's share of the ensemble's mixture weights, added up over
/// heads; an empty vector if the weights are unknown.
static std::vector<double> sharesOf(const ModelOverview &model,
                                    const std::string &name,
                                    const EnsembleArchitecture &architecture) {
  std::vector<double> shares;
  for (const IterationOverview &view : model.iterations)
    for (const Ensemble &ensemble : view.ensembles)
      if (ensemble.name == name && !ensemble.weights.empty()) {
        shares.assign(architecture.members.size(), 0);
        for (const MixtureWeight &weight : ensemble.weights)
          for (size_t i = 0; i < shares.size(); ++i)
            if (architecture.members[i].name() == weight.member)
              shares[i] += weight.share;
      }
  return shares;
}

/// Returns for each member whether it is dropped: the members that --drop
/// names, or all but the `keep` members with the largest shares of the mixture
/// weights.
static Expected<std::vector<bool>> findDropped(const ToolContext &tool,
                                               const EnsemblePruning &pruning,
                                               int64_t keep) {
  const auto &members = pruning.before.architectures.back().members;
  std::vector<bool> dropped(members.size(), false);
  auto refused = [](const std::string &message) {
    return Status(StatusCode::InvalidArgument, message);
  };
  std::string all;
  for (const EnsembleArchitecture::Member &member : members)
    all += (all.empty() ? "'" : ", '") + member.name() + "'";
  if (keep >= 0) {
    if (pruning.shares.empty())
      return refused(
          "--keep: the ensemble '" + pruning.oldName +
          "' has no mixture weights to compare; name members with --drop");
    if (static_cast<uint64_t>(keep) >= members.size())
      return refused("--keep: the ensemble has only " +
                     std::to_string(members.size()) + " members, " + all +
                     ": give a smaller number");
    std::vector<size_t> order;
    for (size_t i = 0; i < members.size(); ++i)
      order.push_back(i);
    // The sort is stable and members are ordered by age. So if members have
    // equal shares of the mixture weights, the newest one is dropped first.
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return pruning.shares[a] > pruning.shares[b];
    });
    for (size_t i = static_cast<size_t>(keep); i < order.size(); ++i)
      dropped[order[i]] = true;
    return dropped;
  }
  std::string names = tool.flags.get("--drop");
  for (size_t at = 0; at <= names.size();) {
    size_t comma = std::min(names.find(',', at), names.size());
    std::string name = names.substr(at, comma - at);
    auto found = std::find_if(members.begin(), members.end(),
                              [&](const EnsembleArchitecture::Member &member) {
                                return member.name() == name;
                              });
    if (found == members.end())
      return refused("--drop: the ensemble has no member '" + name +
                     "'; it has " + all);
    dropped[static_cast<size_t>(found - members.begin())] = true;
    at = comma + 1;
  }
  if (std::find(dropped.begin(), dropped.end(), false) == dropped.end())
    return refused("--drop names all members, so no member would be left: keep "
                   "at least one of " +
                   all);
  return dropped;
}

/// Returns true if each member of the iteration has a marker that says it is
/// done. Also returns true if, in an iteration after the first one, no member
/// has been trained for a step: the search's input had then ended before the
/// iteration.
static Expected<bool> isOver(const ToolContext &tool,
                             const IterationOverview &view,
                             const std::string &directory) {
  TrainingDoneMarkers markers(tool.fileSystem, directory, view.number);
  bool isDone = true, isUntrained = true;
  for (const Member &member : view.members) {
    INGOT_ASSIGN_OR_RETURN(auto marker, markers.read(member.name));
    int64_t steps = member.steps.value_or(0);
    isDone &= marker && marker->holdsAfter(steps);
    isUntrained &= steps == 0;
  }
  return isDone || (isUntrained && view.number > 0);
}

/// Returns the architecture of an iteration that has ended without selecting an
/// ensemble, as the last iteration of a search does. Selects the ensemble with
/// which the checkpoint predicts.
static Expected<EnsembleArchitecture> selectBest(const ToolContext &tool,
                                                 const ModelOverview &model,
                                                 const SearchProgress &progress,
                                                 const std::string &directory) {
  const IterationOverview &view = model.iterations.back();
  INGOT_ASSIGN_OR_RETURN(bool over, isOver(tool, view, directory));
  if (!over)
    return Status(StatusCode::FailedPrecondition,
                  "iteration " + std::to_string(progress.iteration) + " of '" +
                      directory +
                      "' has selected no ensemble yet: train the iteration to "
                      "its end first");
  const EnsembleArchitecture *previous =
      progress.architectures.empty() ? nullptr : &progress.architectures.back();
  Iteration names;
  names.number = view.number;
  names.ensembles = view.ownCandidates;
  for (const std::string &member : view.memberOrder)
    names.members.push_back({member, 0});
  if (names.members.empty())
    for (const Member &member : view.members)
      names.members.push_back({member.name, 0});
  const Ensemble *best = nullptr;
  for (const IterationOverview &one : model.iterations)
    for (const Ensemble &ensemble : one.ensembles)
      if (ensemble.isBest)
        best = &ensemble;
  bool isPrevious = best && previous && best->name == previous->ensembleName();
  std::optional<EnsembleArchitecture> found;
  if (isPrevious)
    found = *previous;
  else if (best && !best->members.empty())
    found = parseEnsembleName(best->name, names, previous);
  if (!found)
    return Status(StatusCode::FailedPrecondition,
                  "the members of the best ensemble in '" +
                      progress.checkpoint +
                      "', or their order, are unknown: continue training, "
                      "which selects an ensemble");
  // `replayIndices` has the index of the candidate that each iteration
  // selected. An iteration that selects the previous ensemble again adds no
  // index (AN-095).
  if (previous)
    found->replayIndices = previous->replayIndices;
  const auto &order = view.candidateOrder;
  if (auto at = std::find(order.begin(), order.end(), best->name);
      !isPrevious && at != order.end())
    found->replayIndices.push_back(at - order.begin());
  found->iteration = view.number;
  found->globalStep = progress.globalStep;
  return std::move(*found);
}

/// Plans a pruning from the model directory and the flags. Returns
/// FailedPrecondition if the newest iteration is not over, and InvalidArgument
/// if --keep or --drop does not apply to the ensemble, for instance because it
/// names a member that the ensemble lacks.
static Expected<EnsemblePruning>
plan(const ToolContext &tool, const std::string &directory, int64_t keep) {
  EnsemblePruning pruning;
  INGOT_ASSIGN_OR_RETURN(pruning.before,
                         readProgress(tool.fileSystem, directory));
  INGOT_ASSIGN_OR_RETURN(ModelOverview model,
                         readModel(tool.fileSystem, directory,
                                   pruning.before.checkpoint, tool.console));
  if (!pruning.before.selected) {
    INGOT_ASSIGN_OR_RETURN(EnsembleArchitecture best,
                           selectBest(tool, model, pruning.before, directory));
    pruning.before.architectures.push_back(std::move(best));
  }
  const EnsembleArchitecture &old = pruning.before.architectures.back();
  if (!old.ensembler)
    return Status(StatusCode::FailedPrecondition,
                  "'" + architecturePath(directory, old.iteration) +
                      "' has no key 'ensembler_name', because an older version "
                      "of AdaNet wrote the file: add the key, with the last "
                      "part of the ensemble's name as its value, such as "
                      "'complexity_regularized'");
  pruning.oldName = old.ensembleName();
  pruning.shares = sharesOf(model, pruning.oldName, old);
  INGOT_ASSIGN_OR_RETURN(std::vector<bool> dropped,
                         findDropped(tool, pruning, keep));
  pruning.after = old;
  pruning.after.candidate = prunedCandidate;
  pruning.after.iteration = old.iteration + 1;
  pruning.after.globalStep = pruning.before.globalStep;
  pruning.after.members.clear();
  for (size_t i = 0; i < dropped.size(); ++i) {
    pruning.indices.push_back(
        dropped[i] ? -1 : static_cast<int64_t>(pruning.after.members.size()));
    if (!dropped[i])
      pruning.after.members.push_back(old.members[i]);
  }
  pruning.newIteration = pruning.after.firstIteration();
  pruning.newName = pruning.after.ensembleName();
  return pruning;
}

/// Returns the name that variable `own` of the old ensemble has in the new
/// ensemble; "" if the variable belongs to a removed member.
static std::string renamed(const EnsemblePruning &pruning,
                           const AdaNetVariableName &own) {
  std::string scope =
      "adanet/iteration_" + std::to_string(pruning.newIteration) +
      (own.kind == AdaNetVariableName::Ensemble ? "/ensemble_"
                                                : "/candidate_") +
      pruning.newName;
  std::string_view rest = own.rest;
  constexpr std::string_view weighted = "weighted_subnetwork_";
  // The names of the variables of a moving average contain the ensemble's scope
  // twice, so both occurrences are replaced (AN-078).
  if (own.kind == AdaNetVariableName::Candidate)
    if (size_t at = rest.rfind("/adanet_loss/"); at != std::string_view::npos)
      return scope + "/" + scope + std::string(rest.substr(at));
  if (!rest.starts_with(weighted))
    return scope + "/" + std::string(rest);
  rest.remove_prefix(weighted.size());
  size_t index = 0;
  auto [end, error] =
      std::from_chars(rest.data(), rest.data() + rest.size(), index);
  if (error != std::errc() || index >= pruning.indices.size() ||
      pruning.indices[index] < 0)
    return "";
  rest.remove_prefix(static_cast<size_t>(end - rest.data()));
  return scope + "/" + std::string(weighted) +
         std::to_string(pruning.indices[index]) + std::string(rest);
}

/// Returns true if programs of iterations after the pruned ones rebuild the
/// ensemble `name` (AN-153). They do if an iteration before the pruning
/// selected this ensemble and if all of its members are kept.
static bool isRebuilt(const EnsemblePruning &pruning, std::string_view name) {
  const auto &kept = pruning.after.members;
  auto stays = [&](const EnsembleArchitecture::Member &member) {
    return std::any_of(kept.begin(), kept.end(),
                       [&](const EnsembleArchitecture::Member &other) {
                         return other.name() == member.name();
                       });
  };
  return std::any_of(
      pruning.before.architectures.begin(), pruning.before.architectures.end(),
      [&](const EnsembleArchitecture &one) {
        return one.ensembleName() == name && name != pruning.newName &&
               std::all_of(one.members.begin(), one.members.end(), stays);
      });
}

/// Returns the name of a variable in the new checkpoint; "" if the variable is
/// dropped.
static std::string nameAfter(const EnsemblePruning &pruning,
                             const CheckpointVariable &variable) {
  auto own = variable.own();
  if (!own)
    return variable.name == "current_iteration" ||
                   variable.name.starts_with(hookKeyPrefix)
               ? ""
               : variable.name;
  switch (own->kind) {
  case AdaNetVariableName::Iteration:
    return variable.name;
  case AdaNetVariableName::Member: {
    bool stays =
        std::any_of(pruning.after.members.begin(), pruning.after.members.end(),
                    [&](const EnsembleArchitecture::Member &member) {
                      return member.name() == own->owner;
                    });
    // Kept members are no longer trained, so their slot variables are dropped
    // (AN-081).
    return stays && !isSlot(own->rest) ? variable.name : "";
  }
  case AdaNetVariableName::Ensemble:
  case AdaNetVariableName::Candidate:
    if (own->kind == AdaNetVariableName::Ensemble && isSlot(own->rest))
      return "";
    return own->owner == pruning.oldName    ? renamed(pruning, *own)
           : isRebuilt(pruning, own->owner) ? variable.name
                                            : "";
  }
  return "";
}

/// Returns the tensors of the new checkpoint. The values of the counters that
/// pruning sets, such as `current_iteration`, are appended to `numbers`; the
/// returned tensors point to them, so `numbers` must outlive the tensors.
static Expected<std::vector<TensorToSave>>
itemsAfter(const ToolContext &tool, const CheckpointReader &reader,
           const EnsemblePruning &pruning, std::deque<int64_t> &numbers) {
  INGOT_ASSIGN_OR_RETURN(std::vector<CheckpointVariable> variables,
                         readOwn(reader));
  // The new name of each key; "" if the tensor is dropped.
  std::map<std::string, std::string> names;
  for (const CheckpointVariable &variable : variables) {
    if (variable.key != variable.name)
      return Status(
          StatusCode::FailedPrecondition,
          "'" + pruning.before.checkpoint +
              "' is object-based (enable_v2_checkpoint), but prune reads "
              "name-based checkpoints only");
    names[variable.key] = nameAfter(pruning, variable);
  }
  std::vector<TensorToSave> items;
  for (TensorToSave &item : ckpt::itemsOf(tool, reader)) {
    item.key = names[item.key];
    item.shard = 0;
    if (!item.key.empty())
      items.push_back(std::move(item));
  }
  std::string scope =
      "adanet/iteration_" + std::to_string(pruning.after.iteration) + "/";
  for (const auto &[key, value] :
       {std::pair<std::string, int64_t>("current_iteration",
                                        pruning.after.iteration),
        {scope + "iteration_number", pruning.after.iteration},
        {scope + "save_counter", 0}}) {
    TensorToSave item;
    item.key = key;
    item.dtype = INGOT_INT64;
    item.data = &numbers.emplace_back(value);
    items.push_back(std::move(item));
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const TensorToSave &a, const TensorToSave &b) {
                     return a.key < b.key;
                   });
  return items;
}

/// Writes the architecture file, the checkpoint "increment.ckpt-<iteration>"
/// and, last, the state file that names this checkpoint, which makes the
/// pruning effective. Existing files are not overwritten, except those of an
/// interrupted prune.
static Status commit(const ToolContext &tool, const std::string &directory,
                     const EnsemblePruning &pruning) {
  int64_t iteration = pruning.after.iteration;
  auto there = readArchitecture(tool.fileSystem, directory, iteration);
  if (!there && there.status().code() != StatusCode::NotFound)
    return there.takeStatus();
  if (there && (there->candidate != pruning.after.candidate ||
                there->globalStep != pruning.after.globalStep ||
                there->members.size() != pruning.after.members.size()))
    return Status(
        StatusCode::AlreadyExists,
        "'" + architecturePath(directory, iteration) +
            "' exists already, perhaps because the search was set back "
            "to an earlier step, and prune does not overwrite it: "
            "remove it and the architecture files of later "
            "iterations");
  INGOT_ASSIGN_OR_RETURN(
      auto reader,
      CheckpointReader::open(tool.fileSystem, pruning.before.checkpoint));
  std::deque<int64_t> numbers;
  INGOT_ASSIGN_OR_RETURN(std::vector<TensorToSave> items,
                         itemsAfter(tool, *reader, pruning, numbers));
  // An earlier prune, from before the search was set back to an older
  // checkpoint, may have left a trainer of this iteration. Remove it, as it may
  // have other members.
  std::string trainer = trainerPath(directory, iteration, /*isPruned=*/true);
  if (tool.fileSystem.exists(trainer))
    INGOT_RETURN_IF_ERROR(tool.fileSystem.remove(trainer));
  if (!pruning.before.selected)
    INGOT_RETURN_IF_ERROR(writeArchitecture(
        tool.fileSystem, directory, pruning.before.architectures.back()));
  INGOT_RETURN_IF_ERROR(
      writeArchitecture(tool.fileSystem, directory, pruning.after));
  CheckpointManagerOptions options;
  options.directory = directory;
  options.basename = incrementBasename;
  options.maxToKeep = std::numeric_limits<int32_t>::max();
  CheckpointManager manager(tool.fileSystem, options);
  INGOT_RETURN_IF_ERROR(manager.recover().takeStatus());
  return manager.save(iteration, items).takeStatus();
}

/// Returns the text that prune prints: which members were dropped and kept,
/// with their shares of the mixture weights, and the files written.
static std::string report(const EnsemblePruning &pruning,
                          const std::string &directory) {
  std::string text;
  const auto &members = pruning.before.architectures.back().members;
  for (size_t i = 0; i < members.size(); ++i) {
    text +=
        (pruning.indices[i] < 0 ? "dropped " : "kept    ") + members[i].name();
    char share[40];
    if (!pruning.shares.empty()) {
      std::snprintf(share, sizeof(share), "  share %.4f", pruning.shares[i]);
      text += share;
    }
    text += "\n";
  }
  return text + "saved '" +
         architecturePath(directory, pruning.after.iteration) + "' and '" +
         directory + "/" + incrementBasename + "-" +
         std::to_string(pruning.after.iteration) +
         "': mixture weights and bias of the kept members are unchanged, and "
         "the moving average of the loss is that of the ensemble before "
         "pruning\n";
}

static int runPrune(ToolContext &tool) {
  std::optional<UsageError> error;
  std::string directory = modelDirectory(tool);
  int64_t keep = tool.flags.getInteger("--keep", -1, 1, error);
  if (directory.empty())
    return tool.usage(
        {"--model-dir is missing: it names the model directory of the search",
         ""});
  if (error)
    return tool.usage(*error);
  if (tool.flags.has("--drop") == (keep >= 0))
    return tool.usage({"give either --drop or --keep",
                       "ingot-adanet show lists members and their shares"});
  std::vector<std::unique_ptr<FileLock>> locks;
  for (const char *name : {"/.ingot-search-lock", "/.ingot-lock"}) {
    if (tool.fileSystem.kindOf(directory) != FileKind::Directory)
      break;
    auto lock =
        holdLock(tool.fileSystem, tool.console, directory + name, "trained in");
    if (!lock)
      return tool.fail(lock.status());
    locks.push_back(std::move(*lock));
  }
  auto pruning = plan(tool, directory, keep);
  if (!pruning)
    return tool.fail(pruning.status());
  if (Status status = commit(tool, directory, *pruning); !status.isOk())
    return tool.fail(status);
  return tool.print(report(*pruning, directory));
}

const tools::ToolSubcommand adanet::pruneVerb = {
    "prune",
    "--model-dir DIR (--drop NAME,... | --keep N)",
    "remove members from the newest ensemble before the search continues",
    "--model-dir run --keep 3",
    0,
    0,
    pruneFlags,
    runPrune,
};
