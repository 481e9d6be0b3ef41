//===- IterationCompletion.cpp - Ends of AdaNet's iterations --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/IterationCompletion.h"

#include "runtime/AdaNet/HookStateReader.h"
#include "runtime/AdaNet/IterationMemberAndCandidateNames.h"
#include "runtime/AdaNet/MemberLosses.h"
#include "runtime/Session/Context.h"
#include "runtime/Session/Program.h"
#include "runtime/Session/RankGroup.h"

#include <algorithm>

using namespace ingot;
using namespace ingot::adanet;

/// Returns the reasons why members and ensembles are done, one "NAME MESSAGE"
/// per line.
static std::string textOf(const std::map<std::string, std::string> &reasons) {
  std::string text;
  for (const auto &[spec, message] : reasons)
    text += spec + " " + message + "\n";
  return text;
}

int64_t IterationCompletion::stepsOf(const ingot_context &context,
                                     const MemberOrEnsemble &spec) const {
  return *static_cast<const int64_t *>(readVariable(context, spec.step));
}

/// Sets `limit`, the number of steps after which a member is done:
/// `options.maxSteps` or, if it is not set, the largest number of steps of any
/// member of earlier iterations. An exported graph does not contain the length
/// of an iteration. If there is no earlier member either, `limit` is -1 (no
/// limit).
void IterationCompletion::findLimit(const ingot_context &context) {
  limit = options.maxSteps;
  if (limit >= 0)
    return;
  for (const MemberOrEnsemble &spec : iteration.frozen)
    limit = std::max(limit, stepsOf(context, spec));
  if (limit <= 0)
    limit = -1;
  if (limit < 0)
    reporter.note("the graph does not say when AdaNet's iteration " +
                  std::to_string(iteration.number) +
                  " ends: give --max-iteration-steps N to end it after N steps "
                  "of every member");
  else
    reporter.log("AdaNet's iteration " + std::to_string(iteration.number) +
                 " ends when its members have " + std::to_string(limit) +
                 " steps, as those of earlier iterations");
}

bool IterationCompletion::hasAnyStep(const ingot_context &context) const {
  for (const auto &specs : {iteration.members, iteration.ensembles})
    for (const MemberOrEnsemble &spec : specs)
      if (stepsOf(context, spec) > 0)
        return true;
  return false;
}

/// Removes the architecture file of this iteration if the file selects a new
/// ensemble although no member or ensemble of the iteration has been trained
/// for a step. Older versions of the runtime wrote such files.
Status IterationCompletion::forgetUntrainedEnd(const ingot_context &context,
                                               int64_t globalStep) {
  if (!options.writes || hasAnyStep(context))
    return Status::ok();
  auto selected = readArchitecture(fileSystem, directory, iteration.number);
  // Keep an architecture file with another global step. It was written when
  // this iteration ended before; the model directory was then set back to an
  // earlier checkpoint (AN-113).
  if (!selected || !selected->hasNewMember() ||
      selected->globalStep != globalStep)
    return Status::ok();
  std::string path = architecturePath(directory, iteration.number);
  reporter.note("removing '" + path +
                "', because it selects an ensemble although the iteration has "
                "not made a training step yet");
  return fileSystem.remove(path);
}

/// Decides whether `spec` (a member or ensemble) is already done, from its
/// marker file, its early stop in the checkpoint (`stops`) and its step
/// counter. If so, stores the reason in `done`. Removes a marker file that is
/// newer than the checkpoint.
Status IterationCompletion::takeUp(const ingot_context &context,
                                   const MemberOrEnsemble &spec) {
  int64_t steps = stepsOf(context, spec);
  INGOT_ASSIGN_OR_RETURN(auto marker, markers.read(spec.name));
  // Ignore a marker that says "the input has ended" after 0 steps. Older
  // versions of the runtime wrote such markers; now an input that ends before
  // the first step does not end the iteration.
  if (marker && marker->steps == 0 &&
      TrainingDoneMarkers::isInputEnd(marker->message)) {
    if (options.writes)
      INGOT_RETURN_IF_ERROR(markers.remove(spec.name));
    marker.reset();
  }
  if (marker && !marker->holdsAfter(steps)) {
    reporter.note("ignoring the marker '" + markers.path(spec.name) +
                  "', which says '" + marker->message +
                  "', because the checkpoint has only " +
                  std::to_string(steps) + " steps of '" + spec.name + "'");
    if (options.writes)
      INGOT_RETURN_IF_ERROR(markers.remove(spec.name));
    marker.reset();
  }
  auto stop = stops.find(spec.name);
  if (marker)
    done[spec.name] = marker->message;
  else if (stop != stops.end())
    done[spec.name] = stop->second;
  else if (limit >= 0 && steps >= limit)
    // The previous run was interrupted after the last step of `spec`, but
    // before it wrote the marker file. Use the message that the file would have
    // (AN-067).
    done[spec.name] = TrainingDoneMarkers::complete(steps);
  // If `spec` has already made more steps than --max-iteration-steps, keep
  // these steps, and print a note (AN-253).
  if (options.maxSteps >= 0 && steps > options.maxSteps)
    reporter.note("'" + spec.name + "' is not trained further: it has made " +
                  std::to_string(steps) +
                  " steps, but --max-iteration-steps is " +
                  std::to_string(options.maxSteps));
  return Status::ok();
}

std::vector<std::string> IterationCompletion::specs() const {
  std::vector<std::string> names;
  for (const auto &specs : {iteration.members, iteration.ensembles})
    for (const MemberOrEnsemble &spec : specs)
      names.push_back(spec.name);
  return names;
}

bool IterationCompletion::isAnyDone() const {
  std::vector<std::string> all = specs();
  return std::any_of(all.begin(), all.end(),
                     [&](const std::string &name) { return isDone(name); });
}

void IterationCompletion::endInput(const std::string &member,
                                   const Status &status) {
  reporter.log("'" + member + "' is done: its input has ended");
  done[member] = "OutOfRangeError: " + status.message();
}

void IterationCompletion::stop(const std::string &spec, std::string message) {
  stops[spec] = message;
  done[spec] = std::move(message);
}

bool IterationCompletion::isDropped(const std::string &spec) const {
  auto found = done.find(spec);
  return found != done.end() && TrainingDoneMarkers::isDropped(found->second);
}

std::map<std::string, std::string> IterationCompletion::dropped() const {
  std::map<std::string, std::string> reasons;
  for (const auto &[spec, message] : done)
    if (TrainingDoneMarkers::isDropped(message))
      reasons[spec] = message;
  return reasons;
}

void IterationCompletion::drop(const std::string &spec, int64_t steps,
                               std::string why,
                               const std::map<std::string, float> &averages) {
  if (isDropped(spec))
    return;
  if (auto last = averages.find(spec); last != averages.end())
    why += ", its last average was " + std::to_string(last->second);
  reporter.log("'" + spec + "' is dropped after " + std::to_string(steps) +
               " steps: " + why);
  stop(spec, TrainingDoneMarkers::dropped(steps, why));
  for (const MemberOrEnsemble &ensemble : iteration.ensembles) {
    auto known = parseEnsembleName(ensemble.name, iteration, nullptr);
    if (known && std::any_of(known->members.begin(), known->members.end(),
                             [&](const EnsembleArchitecture::Member &member) {
                               return member.name() == spec;
                             }))
      drop(ensemble.name, steps, "its member '" + spec + "' is dropped",
           averages);
  }
}

Status IterationCompletion::checkCandidates() const {
  if (iteration.previous && !options.forcesGrowth)
    return Status::ok();
  std::string reasons;
  for (const MemberOrEnsemble &ensemble : iteration.ensembles) {
    if (!isDropped(ensemble.name))
      return Status::ok();
    reasons += "\n  '" + ensemble.name + "': " + done.at(ensemble.name);
  }
  return Status(StatusCode::FailedPrecondition,
                "every candidate of AdaNet's iteration " +
                    std::to_string(iteration.number) + " has diverged:" +
                    reasons + "\nearlier checkpoints are unchanged");
}

void IterationCompletion::endIterationByInput(const ingot_context &context) {
  if (!options.inputEndsIteration || isOver())
    return;
  if (!hasAnyStep(context)) {
    reporter.log("the input has ended before AdaNet's iteration " +
                 std::to_string(iteration.number) +
                 " made a step: training ends without a selection");
    return;
  }
  reporter.log("AdaNet's iteration " + std::to_string(iteration.number) +
               " has ended: its input has ended");
  for (const auto &specs : {iteration.members, iteration.ensembles})
    for (const MemberOrEnsemble &spec : specs)
      if (!isDone(spec.name))
        done[spec.name] =
            TrainingDoneMarkers::inputEnded(stepsOf(context, spec));
}

std::string IterationCompletion::saveStops() const { return textOf(stops); }

Status IterationCompletion::restoreStops(std::string_view state) {
  stops.clear();
  std::vector<std::string> all = specs();
  while (!state.empty()) {
    std::string_view message = readLineOf(state);
    std::string spec(readToken(message));
    if (message.empty() || std::find(all.begin(), all.end(), spec) == all.end())
      return Status(
          StatusCode::DataLoss,
          "the checkpoint's state of hook 'AdaNetIteration' says "
          "that '" +
              spec +
              "' has stopped, which is not a member or ensemble of iteration " +
              std::to_string(iteration.number) +
              ": restore a checkpoint of this iteration");
    stops[spec] = message;
  }
  return Status::ok();
}

bool IterationCompletion::isOver() const {
  return std::all_of(iteration.members.begin(), iteration.members.end(),
                     [&](const MemberOrEnsemble &member) {
                       return done.count(member.name) != 0;
                     });
}

/// Returns true if finished members and ensembles can be kept unchanged while
/// others train: the program has an entry of role partial_step, or an entry of
/// role member_state for each finished member or ensemble. The previous
/// ensemble needs no such entry, because no step trains it.
bool IterationCompletion::hasPartialStep(const ingot_program &program) const {
  if (findEntry(program, INGOT_ROLE_PARTIAL_STEP))
    return true;
  return std::all_of(done.begin(), done.end(), [&](const auto &spec) {
    return (iteration.previous && spec.first == iteration.previous->name) ||
           findEntry(program, INGOT_ROLE_MEMBER_STATE, spec.first);
  });
}

/// Sets `done` to the members and ensembles that are done already. Only rank 0
/// reads the model directory, which may be on its machine only; the other ranks
/// get the result from rank 0.
Status IterationCompletion::findDone(const ingot_context &context,
                                     int64_t globalStep) {
  done.clear();
  if (!options.follows) {
    INGOT_RETURN_IF_ERROR(forgetUntrainedEnd(context, globalStep));
    for (const auto &specs : {iteration.members, iteration.ensembles})
      for (const MemberOrEnsemble &spec : specs)
        INGOT_RETURN_IF_ERROR(takeUp(context, spec));
  }
  if (!options.share)
    return Status::ok();
  // To broadcast names and messages, pack them with their lengths instead of
  // joining them by newlines: messages of AdaNet's marker files may have
  // several lines.
  std::vector<std::string> texts;
  for (const auto &[spec, message] : done)
    texts.insert(texts.end(), {spec, message});
  INGOT_ASSIGN_OR_RETURN(std::string packed, options.share(packTexts(texts)));
  INGOT_ASSIGN_OR_RETURN(texts, unpackTexts(packed));
  done.clear();
  for (size_t i = 0; i + 1 < texts.size(); i += 2)
    done[texts[i]] = texts[i + 1];
  return Status::ok();
}

Expected<bool> IterationCompletion::begin(const ingot_context &context,
                                          int64_t globalStep) {
  INGOT_RETURN_IF_ERROR(checkReplay(iteration, options.replayIndices));
  firstStep = globalStep;
  findLimit(context);
  INGOT_RETURN_IF_ERROR(findDone(context, globalStep));
  // The previous ensemble is a candidate, but no step of this iteration trains
  // it, so it is done from the start (AN-112).
  if (iteration.previous)
    done[iteration.previous->name] = TrainingDoneMarkers::alreadyComplete();
  if (isOver()) {
    reporter.log("AdaNet's iteration " + std::to_string(iteration.number) +
                 " has already ended");
    return true;
  }
  if (!isAnyDone() || hasPartialStep(*context.program))
    return false;
  std::string stopped, others;
  for (const MemberOrEnsemble &member : iteration.members) {
    std::string &list = done.count(member.name) ? stopped : others;
    list += (list.empty() ? "'" : ", '") + member.name + "'";
  }
  if (!stopped.empty())
    return Status(
        StatusCode::Unimplemented,
        "members " + stopped + " are done ('" + done.begin()->second +
            "'), members " + others +
            " are not, and the compiled step cannot train only some members: "
            "finish the iteration with AdaNet, or remove the markers in "
            "train_manager/t" +
            std::to_string(iteration.number) +
            " to continue training all members");
  return false;
}

bool IterationCompletion::look(const ingot_context &context) {
  for (const auto &specs : {iteration.members, iteration.ensembles})
    for (const MemberOrEnsemble &spec : specs)
      if (int64_t steps = stepsOf(context, spec);
          limit >= 0 && steps >= limit && !done.count(spec.name))
        done[spec.name] = TrainingDoneMarkers::complete(steps);
  if (!isOver())
    return false;
  reporter.log("AdaNet's iteration " + std::to_string(iteration.number) +
               " has ended");
  return true;
}

/// Returns true, with a note, if the architecture file `there` was written when
/// this iteration ended at another global step. This happens if the model
/// directory was set back to an earlier checkpoint and trained to the end again
/// (AN-113).
bool IterationCompletion::isStale(const EnsembleArchitecture &there,
                                  int64_t globalStep) const {
  if (!there.globalStep || *there.globalStep == globalStep)
    return false;
  reporter.note(
      "the ensemble in '" + architecturePath(directory, iteration.number) +
      "' was selected at global step " + std::to_string(*there.globalStep) +
      ", but the iteration ended at " + std::to_string(globalStep) +
      ": selecting an ensemble again");
  return true;
}

/// Selects the ensemble of the iteration and writes the architecture file, if
/// all new members are done. Does nothing if this was done at this global step
/// already (AN-067), or if the run has reached its own last step: the next run
/// then selects the ensemble (AN-023).
Status IterationCompletion::select(const ingot_context &context,
                                   int64_t globalStep) {
  if (!isOver() || (options.lastStep >= 0 && globalStep >= options.lastStep) ||
      (options.steps >= 0 && globalStep - firstStep >= options.steps) ||
      !hasAnyStep(context))
    return Status::ok();
  auto there = readArchitecture(fileSystem, directory, iteration.number);
  if (there ? !isStale(*there, globalStep)
            : there.status().code() != StatusCode::NotFound)
    return there.takeStatus();
  std::optional<EnsembleArchitecture> previous;
  if (iteration.number > 0) {
    auto all = readArchitectures(fileSystem, directory, iteration.number);
    // If the architecture file of an earlier iteration is missing or damaged,
    // only warn and select nothing. An error would not help, as each further
    // run would find the same files.
    if (!all && all.status().code() != StatusCode::NotFound &&
        all.status().code() != StatusCode::DataLoss)
      return all.takeStatus();
    if (!all) {
      reporter.warning("no ensemble is selected: " + all.status().message());
      return Status::ok();
    }
    previous = std::move(all->back());
  }
  auto won = selectBest(context, iteration, previous ? &*previous : nullptr,
                        globalStep,
                        {options.forcesGrowth, dropped(), options.replayIndices,
                         options.evaluator},
                        reporter);
  if (!won && won.status().code() != StatusCode::FailedPrecondition)
    return won.takeStatus();
  if (!won) {
    // Only warn, because the training itself has succeeded. AdaNet may still be
    // able to select an ensemble from the checkpoint.
    reporter.warning("no ensemble is selected: " + won.status().message());
    return Status::ok();
  }
  // Write the candidates and the report before the architecture file: once an
  // architecture file exists, later runs take the selection as done and write
  // neither of the two again.
  INGOT_RETURN_IF_ERROR(
      writeCandidates(fileSystem, directory, won->candidates));
  if (options.report)
    INGOT_RETURN_IF_ERROR(options.report(*won));
  INGOT_RETURN_IF_ERROR(
      writeArchitecture(fileSystem, directory, won->architecture));
  reporter.log("saved '" + architecturePath(directory, iteration.number) + "'");
  return Status::ok();
}

Status IterationCompletion::recordOrder() const {
  return options.writes ? writeOrder(fileSystem, directory, iteration)
                        : Status::ok();
}

Status IterationCompletion::mark() const {
  if (!options.writes)
    return Status::ok();
  for (const auto &[spec, message] : done)
    if (TrainingDoneMarkers::isComplete(message))
      INGOT_RETURN_IF_ERROR(markers.add(spec, message));
  return Status::ok();
}

Status IterationCompletion::end(const ingot_context &context,
                                int64_t globalStep) {
  if (!options.writes)
    return Status::ok();
  for (const auto &[spec, message] : done)
    INGOT_RETURN_IF_ERROR(markers.add(spec, message));
  return select(context, globalStep);
}
