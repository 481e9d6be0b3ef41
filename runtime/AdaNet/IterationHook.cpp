//===- IterationHook.cpp - Ends AdaNet's iterations -----------------------===//

#include "runtime/AdaNet/IterationHook.h"

#include "runtime/Session/Context.h"

#include <algorithm>

using namespace ingot;
using namespace ingot::adanet;

int64_t IterationEnd::stepsOf(const ingot_context &context,
                              const Spec &spec) const {
  return *static_cast<const int64_t *>(context.variables[spec.step]);
}

/// The step of those whose feeds "trains/NAME" are true.
static constexpr const char *someEntry = "step/some";

/// The graph does not say how long an iteration lasts; members of earlier ones
/// have been trained for that long, unless something stopped them.
void IterationEnd::findLimit(const ingot_context &context) {
  limit = options.maxSteps;
  if (limit >= 0)
    return;
  for (const Spec &spec : iteration.frozen)
    limit = std::max(limit, stepsOf(context, spec));
  if (limit <= 0)
    limit = -1;
  if (limit < 0)
    reporter.note("how long AdaNet's iteration " +
                  std::to_string(iteration.number) +
                  " lasts is not in its graph: --max-iteration-steps N ends it "
                  "where every member has N steps");
  else
    reporter.log("AdaNet's iteration " + std::to_string(iteration.number) +
                 " ends when its members have " + std::to_string(limit) +
                 " steps, as those of earlier iterations");
}

/// What a marker and a counter say of one member or ensemble.
Status IterationEnd::takeUp(const ingot_context &context, const Spec &spec) {
  int64_t steps = stepsOf(context, spec);
  INGOT_ASSIGN_OR_RETURN(auto marker, markers.read(spec.name));
  // AN-113: a marker of a checkpoint that is no longer the newest.
  if (marker && marker->steps && *marker->steps > steps) {
    reporter.note("'" + markers.path(spec.name) + "' says '" + marker->message +
                  "', the checkpoint has " + std::to_string(steps) +
                  " steps of '" + spec.name + "': training goes on");
    if (options.writes)
      INGOT_RETURN_IF_ERROR(markers.remove(spec.name));
    marker.reset();
  }
  if (marker)
    done[spec.name] = marker->message;
  else if (limit >= 0 && steps >= limit)
    // AN-067: as if the marker had been written behind the last step.
    done[spec.name] = DoneMarkers::complete(steps);
  return Status::ok();
}

std::vector<std::string> IterationEnd::specs() const {
  std::vector<std::string> names;
  for (const auto &specs : {iteration.members, iteration.ensembles})
    for (const Spec &spec : specs)
      names.push_back(spec.name);
  return names;
}

bool IterationEnd::someAreDone() const {
  std::vector<std::string> all = specs();
  return std::any_of(all.begin(), all.end(),
                     [&](const std::string &name) { return isDone(name); });
}

void IterationEnd::endInput(const std::string &member, const Status &status) {
  reporter.log("'" + member + "' is done: its input has ended");
  done[member] = "OutOfRangeError: " + status.message();
}

bool IterationEnd::isOver() const {
  return std::all_of(
      iteration.members.begin(), iteration.members.end(),
      [&](const Spec &member) { return done.count(member.name) != 0; });
}

Expected<bool> IterationEnd::begin(const ingot_context &context,
                                   int64_t globalStep) {
  done.clear();
  firstStep = globalStep;
  findLimit(context);
  for (const auto &specs : {iteration.members, iteration.ensembles})
    for (const Spec &spec : specs)
      INGOT_RETURN_IF_ERROR(takeUp(context, spec));
  // AN-112: nothing trains it.
  if (iteration.previous)
    done[iteration.previous->name] = DoneMarkers::alreadyComplete();
  if (isOver()) {
    reporter.log("AdaNet's iteration " + std::to_string(iteration.number) +
                 " is over already");
    return true;
  }
  if (!someAreDone() || findEntry(*context.program, someEntry))
    return false;
  std::string stopped, others;
  for (const Spec &member : iteration.members) {
    std::string &list = done.count(member.name) ? stopped : others;
    list += (list.empty() ? "'" : ", '") + member.name + "'";
  }
  if (!stopped.empty())
    return Status(StatusCode::Unimplemented,
                  "members " + stopped + " are done ('" + done.begin()->second +
                      "'), " + others +
                      " are not: a compiled step trains all of them; go on "
                      "with AdaNet until the iteration ends, or remove the "
                      "markers in train_manager/t" +
                      std::to_string(iteration.number));
  return false;
}

bool IterationEnd::look(const ingot_context &context) {
  for (const auto &specs : {iteration.members, iteration.ensembles})
    for (const Spec &spec : specs)
      if (int64_t steps = stepsOf(context, spec);
          limit >= 0 && steps >= limit && !done.count(spec.name))
        done[spec.name] = DoneMarkers::complete(steps);
  if (!isOver())
    return false;
  reporter.log("AdaNet's iteration " + std::to_string(iteration.number) +
               " is over");
  return true;
}

/// AN-023: a run that has come to its own end leaves the selection to the next.
/// AN-067: what is selected already stays as it is.
Status IterationEnd::select(const ingot_context &context, int64_t globalStep) {
  if (!isOver() || (options.lastStep >= 0 && globalStep >= options.lastStep) ||
      (options.steps >= 0 && globalStep - firstStep >= options.steps))
    return Status::ok();
  auto there = readArchitecture(fileSystem, directory, iteration.number);
  if (there || there.status().code() != StatusCode::NotFound)
    return there.takeStatus();
  std::optional<Architecture> previous;
  if (iteration.number > 0) {
    auto all = readArchitectures(fileSystem, directory, iteration.number);
    if (!all) {
      reporter.warning("no ensemble is selected: " + all.status().message());
      return Status::ok();
    }
    previous = std::move(all->back());
  }
  auto won = selectBest(context, iteration, previous ? &*previous : nullptr,
                        globalStep, options.forcesGrowth, reporter);
  if (!won) {
    // The training is sound; AdaNet may know more.
    reporter.warning("no ensemble is selected: " + won.status().message());
    return Status::ok();
  }
  INGOT_RETURN_IF_ERROR(writeArchitecture(fileSystem, directory, *won));
  reporter.log("saved '" + architecturePath(directory, iteration.number) + "'");
  return Status::ok();
}

Status IterationEnd::end(const ingot_context &context, int64_t globalStep) {
  if (!options.writes)
    return Status::ok();
  for (const auto &[spec, message] : done)
    INGOT_RETURN_IF_ERROR(markers.add(spec, message));
  return select(context, globalStep);
}

Status IterationHook::afterCreateSession(RunContext &context) {
  INGOT_ASSIGN_OR_RETURN(
      bool over,
      iterationEnd->begin(context.session.context(), context.globalStep));
  if (over)
    context.requestStop();
  return Status::ok();
}

Status TrainSomeHook::afterCreateSession(RunContext &context) {
  apart.clear();
  for (const std::string &spec : iterationEnd->specs())
    if (const ingot_entry *entry =
            findEntry(context.session.program(), "train/" + spec)) {
      INGOT_ASSIGN_OR_RETURN(BoundEntry bound, context.session.bind(*entry));
      apart.emplace(spec, std::move(bound));
    }
  return Status::ok();
}

Status TrainSomeHook::beforeRun(RunContext &context, RunRequest &request) {
  const ingot_entry *some = findEntry(context.session.program(), someEntry);
  if (some && iterationEnd->someAreDone()) {
    request.entry = some;
    for (const std::string &spec : iterationEnd->specs()) {
      bool &value = trains[spec] = !iterationEnd->isDone(spec);
      request.feeds.push_back(
          {"trains/" + spec, ingot_tensor{&value, nullptr, 0, INGOT_BOOL}});
    }
  }
  // AdaNet counts the step before which an input has ended, too.
  for (auto &[member, bound] : apart) {
    if (iterationEnd->isDone(member))
      continue;
    Status status = context.session.run(bound);
    if (status.code() == StatusCode::OutOfRange)
      iterationEnd->endInput(member, status);
    else if (!status.isOk())
      return std::move(status).withContext("training '" + member + "'");
  }
  return Status::ok();
}

Status IterationHook::afterRun(RunContext &context, const RunValues &) {
  if (iterationEnd->look(context.session.context()))
    context.requestStop();
  return Status::ok();
}
