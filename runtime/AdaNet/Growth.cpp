//===- Growth.cpp - The next iteration's first checkpoint -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/Growth.h"

#include "runtime/AdaNet/Architecture.h"
#include "runtime/AdaNet/DoneMarkers.h"
#include "runtime/AdaNet/Iteration.h"
#include "runtime/Checkpoint/CheckpointReader.h"
#include "runtime/Session/SavedState.h"

#include <algorithm>

using namespace ingot;
using namespace ingot::adanet;

static std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

/// The previous iteration must have selected the ensemble that the graph was
/// made for.
static Status checkFrozen(const Iteration &iteration,
                          const Architecture &architecture,
                          const std::string &directory) {
  std::vector<std::string> frozen, missing;
  for (const Spec &member : iteration.frozen)
    frozen.push_back(member.name);
  for (const Architecture::Member &member : architecture.members)
    if (std::find(frozen.begin(), frozen.end(), member.name()) == frozen.end())
      missing.push_back(member.name());
  if (missing.empty())
    return Status::ok();
  return Status(StatusCode::FailedPrecondition,
                "this program's graph was made for an ensemble of " +
                    joined(frozen) + "; '" +
                    architecturePath(directory, architecture.iteration) +
                    "' has " + joined(missing) +
                    ": export the graph again with AdaNet, from this folder");
}

/// The selection must be that of the checkpoint, not of a later state of an
/// iteration that was set back to an earlier checkpoint.
static Status checkSelected(const Architecture &architecture,
                            const std::string &directory,
                            const std::string &prefix, int64_t step) {
  if (!architecture.globalStep || *architecture.globalStep == step)
    return Status::ok();
  return Status(StatusCode::FailedPrecondition,
                "'" + architecturePath(directory, architecture.iteration) +
                    "' was selected at global step " +
                    std::to_string(*architecture.globalStep) + ", '" + prefix +
                    "' is at " + std::to_string(step) + ": train iteration " +
                    std::to_string(architecture.iteration) +
                    " to its end first");
}

// AN-075: where checkpoints hold objects (enable_v2_checkpoint), each iteration
// holds the one before, and its own number.
static constexpr std::string_view previousObject = "previous_iteration/";
static constexpr std::string_view numberObject =
    "iteration_number/.ATTRIBUTES/VARIABLE_VALUE";

/// The previous iteration's key for the value that this one saves under `key`.
static std::string earlierKey(std::string_view key) {
  return std::string(key.starts_with(previousObject)
                         ? key.substr(previousObject.size())
                         : key);
}

/// The same for a restore; an iteration's number and counter are its own.
static RestoreOptions earlierKeys() {
  RestoreOptions options;
  options.allowMissing = options.allowUnused = true;
  options.renames = {
      {"^(iteration_number|save_counter)/[.]ATTRIBUTES/", "this/\\1/"},
      {"^previous_iteration/", ""}};
  return options;
}

/// The key under which the session's saver saves a variable.
static std::string_view keyOf(const ingot_program &program, uint32_t variable) {
  if (int32_t saver = sessionSaver(program); saver >= 0) {
    const ingot_saver &items = program.savers[saver];
    for (uint32_t i = 0; i < items.num_items; ++i)
      if (items.items[i].variable == static_cast<int32_t>(variable))
        return items.items[i].key;
  }
  return program.variables[variable].spec.name;
}

/// Whether the program's own number is in its checkpoints.
static bool savesObjects(const ingot_program &program) {
  for (uint32_t i = 0; i < program.num_variables; ++i)
    if (keyOf(program, i) == numberObject)
      return true;
  return false;
}

/// AN-082: all that earlier iterations have left is in the checkpoint.
static Status checkVariables(const ingot_program &program,
                             const Iteration &iteration,
                             const CheckpointReader &reader,
                             const std::string &prefix) {
  std::vector<std::string> missing;
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    const ingot_variable &variable = program.variables[i];
    auto name = parseName(variable.spec.name);
    if (name && name->iteration < iteration.number &&
        !(variable.flags & INGOT_VARIABLE_LOCAL) && !isRandomState(variable) &&
        !reader.find(earlierKey(keyOf(program, i))))
      missing.emplace_back(variable.spec.name);
  }
  if (missing.empty())
    return Status::ok();
  size_t count = missing.size();
  missing.resize(std::min<size_t>(count, 3));
  return Status(StatusCode::FailedPrecondition,
                "'" + prefix + "' lacks " + std::to_string(count) +
                    " variables of earlier iterations, such as " +
                    joined(missing) +
                    ": this program's graph is of another search");
}

/// AN-037: a graph counts from the global step at which its iteration began
/// when AdaNet exported it. Members have 0 steps here, so the op that sets the
/// global step sets it to that.
static Status checkFirstStep(Session &session, const std::string &prefix) {
  const ingot_entry *after =
      findEntry(session.program(), INGOT_ROLE_AFTER_STEP);
  if (!after)
    return Status::ok();
  int64_t left = session.globalStep();
  INGOT_RETURN_IF_ERROR(session.runOnce(*after));
  if (session.globalStep() == left)
    return Status::ok();
  return Status(StatusCode::FailedPrecondition,
                "this program's iteration begins at global step " +
                    std::to_string(session.globalStep()) +
                    " by its graph, but '" + prefix + "' is at " +
                    std::to_string(left) +
                    ": train the earlier iterations for as many steps as "
                    "AdaNet did when it exported the graph");
}

/// Fills the session: initial values, over them the checkpoint's, variables
/// that the entry of role grow sets from these (mixture weights with a warm
/// start, AN-153), and the new iteration's number.
static Status fill(Session &session, const Iteration &iteration,
                   const std::string &prefix) {
  if (const ingot_entry *init = findEntry(session.program(), INGOT_ROLE_INIT))
    INGOT_RETURN_IF_ERROR(session.runOnce(*init));
  INGOT_RETURN_IF_ERROR(restoreState(session.context(),
                                     sessionSaver(session.program()), prefix,
                                     earlierKeys())
                            .takeStatus());
  if (const ingot_entry *grow = findEntry(session.program(), INGOT_ROLE_GROW))
    INGOT_RETURN_IF_ERROR(session.runOnce(*grow));
  if (iteration.current >= 0) {
    auto current = static_cast<uint32_t>(iteration.current);
    *static_cast<int64_t *>(changeVariable(session.context(), current)) =
        iteration.number;
  }
  return checkFirstStep(session, prefix);
}

/// AN-026: whether the iteration before took its input to the end.
static Expected<bool> inputHasEnded(FileSystem &fileSystem,
                                    const std::string &directory,
                                    int64_t iteration) {
  DoneMarkers markers(fileSystem, directory, iteration);
  for (const std::string &spec : markers.list()) {
    INGOT_ASSIGN_OR_RETURN(auto marker, markers.read(spec));
    if (marker && DoneMarkers::isInputEnd(marker->message))
      return true;
  }
  return false;
}

/// Puts iterators where the checkpoint has them, or at their first elements.
static Status placeIterators(ingot_context &context, bool continues,
                             Reporter &reporter) {
  for (uint32_t i = 0; i < context.iterators.size(); ++i) {
    IteratorSlot &slot = context.iterators[i];
    if (!continues)
      slot.state.clear();
    if (slot.state.empty())
      continue;
    Status status = makeIterator(context, i);
    if (status.isOk())
      continue;
    // The graph of another iteration may well have another input.
    reporter.note(status.message() + "; the input starts at its first element");
    INGOT_RETURN_IF_ERROR(makeIterator(context, i));
  }
  return Status::ok();
}

/// All that the new iteration begins with, as a checkpoint has it.
static Expected<StateToSave>
collectGrown(Session &session, const Iteration &iteration,
             const std::string &directory, FileSystem &fileSystem,
             const GrowthOptions &options, Reporter &reporter) {
  SavedIterators saved = SavedIterators::Named;
  if (options.continuesInput) {
    INGOT_ASSIGN_OR_RETURN(
        bool ended, inputHasEnded(fileSystem, directory, iteration.number - 1));
    if (ended)
      reporter.note("the input of AdaNet's iteration " +
                    std::to_string(iteration.number - 1) +
                    " has ended; it starts again at its first element");
    INGOT_RETURN_IF_ERROR(placeIterators(session.context(), !ended, reporter));
    saved = SavedIterators::All;
  }
  return collectState(session.context(), sessionSaver(session.program()),
                      iteration.number, {}, saved);
}

Status adanet::growIfDue(const ingot_program &program,
                         const SessionOptions &sessionOptions,
                         FileSystem &fileSystem,
                         const CheckpointManagerOptions &checkpoints,
                         const GrowthOptions &options, Reporter &reporter) {
  auto iteration = findIteration(program);
  if (!iteration || iteration->number == 0 ||
      (iteration->current < 0 && !savesObjects(program)))
    return Status::ok();
  INGOT_ASSIGN_OR_RETURN(
      LatestCheckpoint latest,
      CheckpointManager(fileSystem, checkpoints).latestComplete());
  if (!latest.found)
    return Status::ok();
  const std::string &prefix = latest.found->prefix;
  INGOT_ASSIGN_OR_RETURN(auto reader,
                         CheckpointReader::open(fileSystem, prefix));
  int64_t before = iteration->number - 1;
  // An unreadable checkpoint is reported when it is restored.
  if (iterationOf(*reader) != before)
    return Status::ok();
  auto architecture =
      readArchitecture(fileSystem, checkpoints.directory, before);
  if (!architecture && architecture.status().code() == StatusCode::NotFound)
    return checkIteration(program, fileSystem, prefix);
  INGOT_RETURN_IF_ERROR(architecture.takeStatus());
  INGOT_RETURN_IF_ERROR(
      checkFrozen(*iteration, *architecture, checkpoints.directory));
  INGOT_RETURN_IF_ERROR(
      checkSelected(*architecture, checkpoints.directory, prefix,
                    savedGlobalStep(program, fileSystem, prefix)));
  INGOT_RETURN_IF_ERROR(checkVariables(program, *iteration, *reader, prefix));

  INGOT_ASSIGN_OR_RETURN(auto session,
                         Session::create(program, sessionOptions));
  INGOT_RETURN_IF_ERROR(fill(*session, *iteration, prefix));
  INGOT_ASSIGN_OR_RETURN(StateToSave state,
                         collectGrown(*session, *iteration,
                                      checkpoints.directory, fileSystem,
                                      options, reporter));
  // AN-071: the number in its name is the iteration's.
  CheckpointManagerOptions increments = checkpoints;
  increments.basename = incrementBasename;
  // AN-083: they stand in one list.
  increments.otherBasenames = {checkpoints.basename};
  CheckpointManager manager(fileSystem, increments);
  INGOT_RETURN_IF_ERROR(manager.recover().takeStatus());
  INGOT_ASSIGN_OR_RETURN(std::string saved,
                         manager.save(iteration->number, state.items));
  for (const std::string &warning : manager.takeWarnings())
    reporter.warning(warning);
  reporter.log("saved '" + saved + "', AdaNet's iteration " +
               std::to_string(iteration->number) + " on top of '" + prefix +
               "'");
  return Status::ok();
}
