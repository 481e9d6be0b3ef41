//===- Growth.cpp - The next iteration's first checkpoint -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/Growth.h"

#include "runtime/AdaNet/EnsembleArchitecture.h"
#include "runtime/AdaNet/Iteration.h"
#include "runtime/AdaNet/TrainingDoneMarkers.h"
#include "runtime/Checkpoint/CheckpointReader.h"
#include "runtime/Session/CheckpointContents.h"

#include <algorithm>
#include <cstring>

using namespace ingot;
using namespace ingot::adanet;

static std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

/// Checks that the program contains (as frozen members) every member of the
/// ensemble that the previous iteration selected, which `architecture`
/// describes. Returns FailedPrecondition, naming the missing members, if the
/// program lacks any of them.
static Status checkFrozen(const Iteration &iteration,
                          const EnsembleArchitecture &architecture,
                          const std::string &directory) {
  std::vector<std::string> frozen, missing;
  for (const MemberOrEnsemble &member : iteration.frozen)
    frozen.push_back(member.name);
  for (const EnsembleArchitecture::Member &member : architecture.members)
    if (std::find(frozen.begin(), frozen.end(), member.name()) == frozen.end())
      missing.push_back(member.name());
  if (missing.empty())
    return Status::ok();
  return Status(StatusCode::FailedPrecondition,
                "this program's graph was made for an ensemble of " +
                    joined(frozen) + ", but '" +
                    architecturePath(directory, architecture.iteration) +
                    "' has " + joined(missing) +
                    ", too: export the graph again with AdaNet, with '" +
                    directory + "' as its model directory");
}

/// Checks that the previous iteration selected its ensemble at global step
/// `step`, the step of checkpoint `prefix`. If the model directory was set back
/// to an earlier checkpoint after the selection, the steps differ, and the
/// selected ensemble may not be the best one of the checkpoint.
static Status checkSelected(const EnsembleArchitecture &architecture,
                            const std::string &directory,
                            const std::string &prefix, int64_t step) {
  if (!architecture.globalStep || *architecture.globalStep == step)
    return Status::ok();
  return Status(StatusCode::FailedPrecondition,
                "the ensemble in '" +
                    architecturePath(directory, architecture.iteration) +
                    "' was selected at global step " +
                    std::to_string(*architecture.globalStep) +
                    ", but checkpoint '" + prefix + "' is at global step " +
                    std::to_string(step) + ": train iteration " +
                    std::to_string(architecture.iteration) +
                    " to its end first");
}

// Prefixes of keys in object-based checkpoints (enable_v2_checkpoint). There,
// the object of an iteration contains the object of the previous iteration and
// the number of the iteration itself (AN-075).
static constexpr std::string_view previousObject = "previous_iteration/";
static constexpr std::string_view numberObject =
    "iteration_number/.ATTRIBUTES/VARIABLE_VALUE";

/// Maps a key of this iteration's checkpoints to the key that the same value
/// has in the previous iteration's checkpoint, by removing the prefix
/// "previous_iteration/". Returns a key without this prefix unchanged.
static std::string earlierKey(std::string_view key) {
  return std::string(key.starts_with(previousObject)
                         ? key.substr(previousObject.size())
                         : key);
}

/// Returns options that restore the previous iteration's checkpoint into this
/// iteration's variables, with keys renamed as in earlierKey(). The iteration
/// number and the save counter are looked up under keys that no checkpoint has,
/// so that they keep this iteration's initial values.
static RestoreOptions earlierKeys() {
  RestoreOptions options;
  options.allowMissing = options.allowUnused = true;
  options.renames = {
      {"^(iteration_number|save_counter)/[.]ATTRIBUTES/", "this/\\1/"},
      {"^previous_iteration/", ""}};
  return options;
}

/// Returns true if the checkpoints of the program are object-based. If so, one
/// of their keys is `numberObject`, the key of the iteration number.
static bool savesObjects(const ingot_program &program) {
  for (uint32_t i = 0; i < program.num_variables; ++i)
    if (variableKey(program, i) == numberObject)
      return true;
  return false;
}

/// Checks that the checkpoint has a value for each variable of the program that
/// belongs to an earlier iteration, except for local variables and states of
/// random ops (AN-082). If variables are missing, returns FailedPrecondition,
/// naming up to three of them.
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
        !reader.find(earlierKey(variableKey(program, i))))
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
                    ": this program's graph belongs to another AdaNet search");
}

/// Checks that the session's global step is the one at which the iteration
/// began when AdaNet exported the graph (AN-037). The after-step entry, which
/// runs after each training step, sets the global step to that first step plus
/// the steps of the new members. The new members have made no step yet, so
/// running this entry must not change the global step.
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
                "the iteration of this program's graph begins at global step " +
                    std::to_string(session.globalStep()) +
                    ", but checkpoint '" + prefix + "' is at step " +
                    std::to_string(left) +
                    ": train the earlier iterations for as many steps as "
                    "AdaNet did when it exported the graph");
}

/// Sets the positions of random ops to the beginning of their sequences, but
/// keeps their seeds. So if the first checkpoint of a new iteration is made
/// again, it has the same bytes.
static void restartRandomOps(Session &session) {
  const ingot_program &program = session.program();
  for (uint32_t i = 0; i < program.num_variables; ++i)
    if (program.variables[i].flags & INGOT_VARIABLE_RANDOM_POSITION)
      std::memset(changeVariable(session.context(), i), 0,
                  program.variables[i].byte_size);
}

/// Sets the variables of the session in this order: all to their initial
/// values; those in checkpoint `prefix` to the saved values; mixture weights
/// with a warm start to the values that the program's grow entry point
/// (INGOT_ROLE_GROW) computes from the saved ones (fact AN-153 of
/// adanet_facts.md); `current_iteration` to the number of the new iteration.
/// Random ops of earlier members start their sequences anew, as they do in
/// AdaNet, which makes a new session for each iteration. They do not if the new
/// iteration continues reading where the last one stopped.
static Status fill(Session &session, const Iteration &iteration,
                   const std::string &prefix,
                   const NextIterationCheckpointOptions &options) {
  if (const ingot_entry *init = findEntry(session.program(), INGOT_ROLE_INIT))
    INGOT_RETURN_IF_ERROR(session.runOnce(*init));
  INGOT_RETURN_IF_ERROR(restoreState(session.context(),
                                     sessionSaver(session.program()), prefix,
                                     earlierKeys())
                            .takeStatus());
  if (options.input != InputPositionPolicy::Continue)
    restartRandomOps(session);
  if (const ingot_entry *grow = findEntry(session.program(), INGOT_ROLE_GROW))
    INGOT_RETURN_IF_ERROR(session.runOnce(*grow));
  if (iteration.current >= 0) {
    auto current = static_cast<uint32_t>(iteration.current);
    *static_cast<int64_t *>(changeVariable(session.context(), current)) =
        iteration.number;
  }
  return checkFirstStep(session, prefix);
}

/// Returns true if `iteration` was trained until its input ended, which its
/// marker files say (AN-026).
static Expected<bool> inputHasEnded(FileSystem &fileSystem,
                                    const std::string &directory,
                                    int64_t iteration) {
  TrainingDoneMarkers markers(fileSystem, directory, iteration);
  for (const std::string &spec : markers.list()) {
    INGOT_ASSIGN_OR_RETURN(auto marker, markers.read(spec));
    if (marker && TrainingDoneMarkers::isInputEnd(marker->message))
      return true;
  }
  return false;
}

/// If `continues` is true, starts each iterator that has a position in the
/// checkpoint at this position, provided that the position is valid for the
/// iterator's input. All other iterators start at their first elements.
static Status placeIterators(ingot_context &context, bool continues,
                             SessionLogger &reporter) {
  for (uint32_t i = 0; i < context.iterators.size(); ++i) {
    SessionDatasetIterator &slot = context.iterators[i];
    if (!continues)
      slot.state.clear();
    if (slot.state.empty())
      continue;
    Status status = makeIterator(context, i);
    if (status.isOk())
      continue;
    // An iteration may have another input than the iteration before, so a
    // position that is invalid for the new input is not an error. The failed
    // call has discarded the position, so makeIterator() starts at the first
    // element.
    reporter.note(status.message() + "; the input starts at its first element");
    INGOT_RETURN_IF_ERROR(makeIterator(context, i));
  }
  return Status::ok();
}

/// Returns the state to save as the first checkpoint of the new iteration: its
/// variables and the positions of iterators. If the input continues, these are
/// the positions of all iterators, and otherwise only of those that the graph's
/// saver names.
static Expected<StateToSave>
collectGrown(Session &session, const Iteration &iteration,
             const std::string &directory, FileSystem &fileSystem,
             const NextIterationCheckpointOptions &options,
             SessionLogger &reporter) {
  IteratorsToSave saved = IteratorsToSave::Named;
  if (options.input == InputPositionPolicy::Restart)
    INGOT_RETURN_IF_ERROR(
        placeIterators(session.context(), /*continues=*/false, reporter));
  if (options.input == InputPositionPolicy::Continue) {
    INGOT_ASSIGN_OR_RETURN(
        bool ended, inputHasEnded(fileSystem, directory, iteration.number - 1));
    if (ended)
      reporter.note("the input ended in AdaNet's iteration " +
                    std::to_string(iteration.number - 1) + ", so iteration " +
                    std::to_string(iteration.number) +
                    " starts at the first element of the input");
    INGOT_RETURN_IF_ERROR(placeIterators(session.context(), !ended, reporter));
    saved = IteratorsToSave::All;
  }
  return collectState(session.context(), sessionSaver(session.program()),
                      iteration.number, {}, saved);
}

Status adanet::growIfDue(const ingot_program &program,
                         const SessionOptions &sessionOptions,
                         FileSystem &fileSystem,
                         const CheckpointManagerOptions &checkpoints,
                         const NextIterationCheckpointOptions &options,
                         SessionLogger &reporter) {
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
  // An iteration begins only from a checkpoint of the previous iteration. If
  // the iteration number of the checkpoint cannot be read, do nothing here:
  // restoring the checkpoint later reports the error.
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
  INGOT_RETURN_IF_ERROR(fill(*session, *iteration, prefix, options));
  INGOT_ASSIGN_OR_RETURN(StateToSave state,
                         collectGrown(*session, *iteration,
                                      checkpoints.directory, fileSystem,
                                      options, reporter));
  // The number in the new checkpoint's name is that of the iteration, not the
  // global step: "increment.ckpt-1" (AN-071).
  CheckpointManagerOptions increments = checkpoints;
  increments.basename = incrementBasename;
  // The state file, which lists the newest checkpoints, lists the first
  // checkpoints of iterations together with those of training (AN-083).
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
