//===- TrainingLoop.cpp - Steps with hooks around them --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/TrainingLoop.h"

#include "runtime/Session/Context.h"
#include "runtime/Session/StopSignals.h"
#include "runtime/Support/ThreadActivity.h"

#include <algorithm>
#include <map>

using namespace ingot;

/// Returns true for the failures from which TensorFlow's _RecoverableSession
/// recovers.
static bool isRecoverable(const Status &status) {
  return status.code() == StatusCode::Aborted ||
         status.code() == StatusCode::Unavailable;
}

/// Calls `function` of `hook`, and records this activity for the watchdog.
template <typename FunctionT>
static Status call(const SessionRunHook &hook, FunctionT function) {
  ThreadActivity::ActivityScope activity("is in hook", hook.name());
  return function();
}

/// The SessionRunContext and the Coordinator of a session. Joins hooks' threads
/// when it is destroyed, since these may use the context until then.
struct TrainingLoop::OpenSession {
  OpenSession(Session &session, bool restored, bool trains)
      : context(session, session.globalStep(), restored, coordinator, trains) {}
  ~OpenSession() { (void)coordinator.join(); }

  Coordinator coordinator;
  SessionRunContext context;
};

TrainingLoop::TrainingLoop(Session &session, SessionManager &manager,
                           const ingot_entry &step, bool trains)
    : session(session), manager(&manager), step(step), trains(trains) {}

TrainingLoop::~TrainingLoop() = default;

Status TrainingLoop::run() {
  INGOT_RETURN_IF_ERROR(begin());
  while (true) {
    Status status = open();
    if (status.isOk())
      status = runSteps();
    if (status.isOk())
      status = end();
    close();
    // Ranks do not recover but end together: their launcher starts them again.
    if (ranks || !isRecoverable(status))
      return status;
    INGOT_RETURN_IF_ERROR(recover(std::move(status)));
  }
}

Status TrainingLoop::begin() {
  std::stable_sort(hooks.begin(), hooks.end(), [](auto &a, auto &b) {
    return a->priority() < b->priority();
  });
  for (auto &hook : hooks)
    INGOT_RETURN_IF_ERROR(call(*hook, [&] { return hook->begin(session); }));
  return Status::ok();
}

/// Returns the name under which each hook's state is saved. If several hooks
/// have the same name, numbers are appended to it.
std::vector<std::string> TrainingLoop::hookNames() const {
  std::vector<std::string> names;
  std::map<std::string, int> seen;
  for (const auto &hook : hooks) {
    std::string name = hook->name();
    int number = seen[name]++;
    names.push_back(number == 0 ? name : name + "_" + std::to_string(number));
  }
  return names;
}

Expected<HookStates> TrainingLoop::saveHooks() {
  HookStates states;
  std::vector<std::string> names = hookNames();
  for (size_t i = 0; i < hooks.size(); ++i) {
    INGOT_ASSIGN_OR_RETURN(std::string state, hooks[i]->saveState());
    if (!state.empty())
      states.emplace(names[i], std::move(state));
  }
  return states;
}

/// Passes each hook its state from the restored checkpoint, if the checkpoint
/// contains a state of this hook.
Status TrainingLoop::restoreHooks() {
  INGOT_ASSIGN_OR_RETURN(HookStates states,
                         manager->restoredHookStates(session));
  std::vector<std::string> names = hookNames();
  for (size_t i = 0; i < hooks.size(); ++i)
    if (auto state = states.find(names[i]); state != states.end())
      INGOT_RETURN_IF_ERROR(call(
          *hooks[i], [&] { return hooks[i]->restoreState(state->second); }));
  return Status::ok();
}

Status TrainingLoop::open() {
  INGOT_RETURN_IF_ERROR(manager->create(session));
  return openPrepared();
}

Status TrainingLoop::openPrepared() {
  if (ranks)
    session.context().exchanges = std::make_unique<BatchSliceExchanges>(
        &ranks->engine(), ranks->overlapsExchanges(), betweenDevices);
  opened = std::make_unique<OpenSession>(
      session, !manager->restoredFrom().empty(), trains);
  opened->context.inputRestored = manager->hasRestoredInput();
  opened->context.hookStates = [this] { return saveHooks(); };
  INGOT_ASSIGN_OR_RETURN(bound, session.bind(step));
  INGOT_ASSIGN_OR_RETURN(defaults, FeedDefaults::compute(session, step));
  session.fetchWhenAsked(*bound);
  after.reset();
  other.reset();
  if (const ingot_entry *entry =
          trains ? findEntry(session.program(), INGOT_ROLE_AFTER_STEP)
                 : nullptr) {
    INGOT_ASSIGN_OR_RETURN(after, session.bind(*entry));
  }
  stepped = false;
  idleSteps = 0;
  if (trains)
    INGOT_RETURN_IF_ERROR(restoreHooks());
  for (auto &hook : hooks)
    INGOT_RETURN_IF_ERROR(
        call(*hook, [&] { return hook->afterCreateSession(opened->context); }));
  return Status::ok();
}

Status TrainingLoop::save() {
  for (auto &hook : hooks)
    INGOT_RETURN_IF_ERROR(
        call(*hook, [&] { return hook->save(opened->context); }));
  return Status::ok();
}

void TrainingLoop::noteChange() {
  if (opened)
    opened->context.stateChanged = true;
}

Status TrainingLoop::end() {
  for (auto &hook : hooks)
    INGOT_RETURN_IF_ERROR(
        call(*hook, [&] { return hook->end(opened->context); }));
  // All steps so far are saved by now, so a failure of a hook's thread loses no
  // step. It still fails the run.
  return opened->coordinator.join();
}

void TrainingLoop::close() { opened.reset(); }

Status TrainingLoop::startOver() {
  for (auto &hook : hooks)
    INGOT_RETURN_IF_ERROR(hook->beforeRecovery());
  close();
  lost = true;
  INGOT_RETURN_IF_ERROR(session.reset());
  lost = false;
  return Status::ok();
}

Status TrainingLoop::runSteps() {
  while (true) {
    INGOT_ASSIGN_OR_RETURN(bool goesOn, runOne());
    if (!goesOn)
      return Status::ok();
  }
}

Expected<bool> TrainingLoop::runOne() {
  SessionRunContext &context = opened->context;
  if (context.coordinator.shouldStop()) {
    // A hook's thread may have stopped the loop by a failure from which the
    // session can recover.
    Status reason = context.coordinator.reason();
    if (isRecoverable(reason))
      return reason;
    // All ranks must run the same steps, so before this rank stops they have to
    // agree (isOver()). A failure needs no agreement, since it ends all ranks.
    if (!ranks || !reason.isOk())
      return false;
  }
  INGOT_ASSIGN_OR_RETURN(bool over, isOver(context));
  if (over)
    return false;
  Status status = runStep(context);
  if (status.isOk())
    return true;
  // The step was cancelled by the signal while it waited for input. It has not
  // changed anything, because a step updates variables only after it has read
  // its elements.
  if (status.code() == StatusCode::Cancelled &&
      StopSignals::interrupting() != 0)
    return false;
  if (status.code() != StatusCode::OutOfRange)
    return status;
  if (ranks)
    INGOT_RETURN_IF_ERROR(isOver(context, /*inputEnded=*/true).takeStatus());
  context.noteEndOfInput();
  if (trains)
    manager->noteEndOfInput(context.globalStep, stepped);
  return false;
}

/// Returns true if no further step is to be run: because this process stops or,
/// if it trains together with other ranks, because any rank stops.
Expected<bool> TrainingLoop::isOver(SessionRunContext &context,
                                    bool inputEnded) {
  if (!ranks)
    return context.stopRequested() || StopSignals::caught() != 0;
  INGOT_ASSIGN_OR_RETURN(
      bool stops, ranks->stopsAny({context.globalStep, StopSignals::caught(),
                                   context.stopRequested() ||
                                       context.coordinator.shouldStop(),
                                   inputEnded}));
  if (stops)
    context.requestStop();
  return stops;
}

/// Runs one step with all hooks: beforeRun, the step, beforeAfterStep and the
/// after-step entry if there is one, afterRun.
Status TrainingLoop::runStep(SessionRunContext &context) {
  SessionRunArgs request;
  for (auto &hook : hooks)
    INGOT_RETURN_IF_ERROR(
        call(*hook, [&] { return hook->beforeRun(context, request); }));
  INGOT_RETURN_IF_ERROR(checkFetches(request));
  const ingot_entry &entry = request.entry ? *request.entry : step;
  INGOT_RETURN_IF_ERROR(collectFeeds(entry, request));
  BoundEntryPoint *runs = &*bound;
  if (request.entry) {
    INGOT_ASSIGN_OR_RETURN(runs, bindOther(entry));
  }
  summaries.clear();
  // Adds the number of the step or batch to an error.
  auto named = [number = context.number() + 1](Status status,
                                               const std::string &what) {
    return status.isOk()
               ? std::move(status)
               : std::move(status).withContext(what + std::to_string(number));
  };
  const std::string what = std::string(context.unit()) + " ";
  if (ranks)
    ranks->setPhase(RankPhase::Step);
  Status status =
      session.run(*runs, feeds, request.summaries ? &summaries : nullptr);
  if (ranks)
    ranks->setPhase(RankPhase::BetweenSteps);
  if (!status.isOk())
    return named(std::move(status), what);
  ++context.runs;
  if (after) {
    for (auto &hook : hooks)
      INGOT_RETURN_IF_ERROR(
          call(*hook, [&] { return hook->beforeAfterStep(context); }));
    if (status = session.run(*after); !status.isOk())
      return named(std::move(status), "after step ");
  }
  int64_t before = std::exchange(context.globalStep, session.globalStep());
  if (trains)
    INGOT_RETURN_IF_ERROR(checkAdvance(before));
  stepped = true;
  // Requests the stop here already, so that hooks see in afterRun() that this
  // step is the last. With several ranks, the signal is handled by the vote
  // before the next step instead, because all ranks must stop before the same
  // step.
  if (!ranks && StopSignals::caught() != 0)
    context.requestStop();
  SessionRunValues values{*runs, summaries};
  for (auto &hook : hooks) {
    INGOT_RETURN_IF_ERROR(
        call(*hook, [&] { return hook->afterRun(context, values); }));
    // The hook may have read a fetch, which copies it from the device; that
    // copy may have failed.
    INGOT_RETURN_IF_ERROR(named(session.deviceStatus(), what));
  }
  return Status::ok();
}

/// Fails the run if the global step has not changed in 1,000 steps. Otherwise a
/// run whose global step never changes would never reach --max-steps or a save.
/// A few hundred steps without a change are normal: an optimizer that
/// accumulates gradients updates the global step rarely.
Status TrainingLoop::checkAdvance(int64_t before) {
  constexpr int64_t mostIdleSteps = 1000;
  int64_t now = session.globalStep();
  idleSteps = now == before ? idleSteps + 1 : 0;
  if (idleSteps < mostIdleSteps)
    return Status::ok();
  const ingot_program &program = session.program();
  return Status(
      StatusCode::FailedPrecondition,
      "the global step, variable '" +
          std::string(program.variables[program.global_step].spec.name) +
          "', has not changed from " + std::to_string(now) + " in " +
          std::to_string(idleSteps) + " steps: entry '" + step.name +
          "' does not increment it. Compile in the op that does, with --step, "
          "or with --after-step to run it after each step");
}

/// Returns the name of the loop's entry in messages: "the step" or "entry
/// 'NAME'".
std::string TrainingLoop::describeStep() const {
  return trains ? "the step" : "entry '" + std::string(step.name) + "'";
}

Status TrainingLoop::checkFetches(const SessionRunArgs &request) {
  for (const std::string &name : request.fetches)
    if (findStepFetch(session.program(), step, name) < 0)
      return Status(
          StatusCode::InvalidArgument,
          "a hook fetches '" + name + "', which is not a fetch of " +
              describeStep() + ": to add it, compile the graph with " +
              (trains ? "--observe " + name : "--entry NAME=FEEDS->FETCHES"));
  return Status::ok();
}

/// Binds `entry`, which runs instead of the step entry. The entry that was
/// bound last stays bound, since a hook usually requests the same entry in each
/// step.
Expected<BoundEntryPoint *> TrainingLoop::bindOther(const ingot_entry &entry) {
  if (!other || &other->entry() != &entry) {
    INGOT_ASSIGN_OR_RETURN(other, session.bind(entry));
  }
  return &*other;
}

/// Collects the values for the feeds of `entry` into `feeds`, in the entry's
/// order. `entry` is the step entry, or the entry that a hook has requested
/// instead.
Status TrainingLoop::collectFeeds(const ingot_entry &entry,
                                  const SessionRunArgs &request) {
  feeds.clear();
  if (entry.num_feeds == 0 && request.feeds.empty())
    return Status::ok();
  std::vector<const SessionRunArgs::PlaceholderValue *> given(entry.num_feeds);
  for (const SessionRunArgs::PlaceholderValue &feed : request.feeds) {
    int index = findTensor(feedsOf(entry), feed.name);
    if (index < 0)
      return Status(StatusCode::InvalidArgument,
                    "a hook feeds '" + feed.name +
                        "', which is not a placeholder of " + describeStep() +
                        ": run 'PROGRAM info' to list its feeds");
    const SessionRunArgs::PlaceholderValue *&slot =
        given[static_cast<size_t>(index)];
    if (slot)
      return Status(StatusCode::InvalidArgument,
                    "'" + feed.name +
                        "' is fed by two hooks, but only one hook may feed a "
                        "placeholder");
    slot = &feed;
  }
  std::string missing;
  for (uint32_t i = 0; i < entry.num_feeds; ++i) {
    if (given[i])
      feeds.push_back(given[i]->value);
    else if (const ingot_tensor *value =
                 &entry == &step ? defaults.find(i) : nullptr)
      feeds.push_back(*value);
    else
      missing += std::string(missing.empty() ? "" : ", ") + "'" +
                 entry.feeds[i].name + "' " + typeText(entry.feeds[i]);
  }
  if (!missing.empty())
    return Status(StatusCode::InvalidArgument,
                  describeStep() + " needs feeds for " + missing +
                      ": give them with --feed or from a hook");
  return Status::ok();
}

/// Resets the session after a recoverable failure, so that it can be opened
/// again. Returns `failure` if this is the 5th failure in a row without a step
/// in between, or after a stop signal.
Status TrainingLoop::recover(Status failure) {
  constexpr int most = 5;
  recoveries = stepped ? 1 : recoveries + 1;
  stepped = false;
  if (recoveries >= most || StopSignals::caught() != 0)
    return failure;
  manager->noteRecovery(failure);
  return startOver();
}
