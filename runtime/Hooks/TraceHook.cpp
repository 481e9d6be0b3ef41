//===- TraceHook.cpp - A trace of steps -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/TraceHook.h"

#include "runtime/Support/Json.h"

#include <algorithm>
#include <cstdio>
#include <sys/syscall.h>
#include <unistd.h>

using namespace ingot;

static int thisThread() { return static_cast<int>(::syscall(SYS_gettid)); }

void TraceRecorder::closeOpen(int thread, double time) {
  auto found = open.find(thread);
  if (found == open.end())
    return;
  found->second.end = time;
  recorded.push_back(std::move(found->second));
  open.erase(found);
}

void TraceRecorder::entered(const char *node) {
  std::lock_guard lock(mutex);
  int thread = thisThread();
  double time = clock();
  closeOpen(thread, time);
  open[thread] = {node, "kernel", time, time, thread};
}

void TraceRecorder::measures(int64_t operations, int64_t bytes) {
  std::lock_guard lock(mutex);
  auto found = open.find(thisThread());
  if (found == open.end())
    return;
  found->second.operations = operations;
  found->second.bytes = bytes;
}

void TraceRecorder::isLaunchOf(const char *entry, uint32_t sequence) {
  std::lock_guard lock(mutex);
  auto found = open.find(thisThread());
  if (found == open.end())
    return;
  found->second.entry = entry;
  found->second.sequence = sequence;
}

void TraceRecorder::left() {
  std::lock_guard lock(mutex);
  closeOpen(thisThread(), clock());
}

void TraceRecorder::add(std::string name, const char *category, double start) {
  std::lock_guard lock(mutex);
  recorded.push_back({std::move(name), category, start, clock(), thisThread()});
}

void TraceRecorder::ended(const char *what, const char *node, double start) {
  std::string_view kind = what;
  // Leave out the activities of running a whole entry and of waiting for an
  // iterator: the kernels and datasets that run meanwhile have their own
  // events.
  if (kind == "runs entry" || kind == "waits for iterator")
    return;
  std::string name = node ? node : what;
  if (kind == "is in hook")
    return add(std::move(name), "hook", start);
  if (node)
    name = std::string(kind) + " " + name;
  if (kind == "exchanges" || kind == "waits for exchange" ||
      kind == "waits for other ranks")
    return add(std::move(name), "exchange", start);
  add(std::move(name), node ? "input" : "save", start);
}

/// Returns the arguments of a schedule event up to those that all of them have:
/// a JSON object without its closing brace.
static std::string argumentsOf(const ScheduledLaunches &launches) {
  std::string text = "{\"entry\":";
  appendJsonString(text, launches.entry);
  if (launches.sequence)
    text += ",\"sequence\":" + std::to_string(*launches.sequence) +
            ",\"launches\":" + std::to_string(launches.numLaunches);
  return text;
}

/// Returns nanoseconds as a JSON number of microseconds.
static std::string microseconds(int64_t nanoseconds) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.3f",
                static_cast<double>(nanoseconds) / 1e3);
  return text;
}

/// Returns what a trial has found, as members of a JSON object. Of an entry as
/// a whole, several threads use the schedules that were chosen for its
/// sequences of launches.
static std::string outcomeText(const TrialOutcome &outcome, bool isEntry) {
  auto named = [&](ScheduleKind kind) {
    bool isBySequence = isEntry && kind != ScheduleKind::OneThread;
    return "\"" + std::string(isBySequence ? "by sequence" : nameOf(kind)) +
           "\"";
  };
  std::string text = ",\"chosen\":" + named(outcome.chosen);
  if (outcome.previous)
    text += ",\"previous\":" + named(*outcome.previous);
  text += std::string(",\"why\":\"") + nameOf(outcome.reason) + "\"";
  if (outcome.isAbandoned)
    return text + ",\"abandoned\":\"sizes differ\"";
  std::string times;
  for (const TrialOutcome::Candidate &candidate : outcome.candidates)
    if (candidate.least != INT64_MAX)
      times += (times.empty() ? "" : ",") + named(candidate.kind) + ":" +
               microseconds(candidate.least);
  return text + ",\"least_us\":{" + times + "}";
}

void TraceRecorder::chose(const ChosenSchedule &schedule) {
  const ScheduledLaunches &launches = schedule.launches;
  std::string text = argumentsOf(launches) +
                     ",\"threads\":" + std::to_string(schedule.threads);
  if (schedule.outcome)
    text += outcomeText(*schedule.outcome, !launches.sequence);
  else
    text += ",\"chosen\":\"one thread\",\"why\":\"no launch can be divided\"";
  if (schedule.onOneThread)
    text += ",\"launches_on_one_thread\":" +
            std::to_string(schedule.onOneThread->launches) +
            ",\"us_on_one_thread\":" +
            microseconds(schedule.onOneThread->nanoseconds);
  std::string predicted;
  for (const PredictedTime &time : schedule.predicted)
    predicted += (predicted.empty() ? "\"" : ",\"") +
                 std::to_string(time.threads) +
                 "\":" + microseconds(time.nanoseconds);
  if (!predicted.empty())
    text += ",\"predicted_us\":{" + predicted + "}";
  addSchedule(launches, {"schedule of " + std::string(launches.node), clock(),
                         thisThread(), text + "}"});
}

void TraceRecorder::rests(const ScheduledLaunches &launches, int64_t several,
                          int64_t one) {
  std::string text = argumentsOf(launches) +
                     ",\"chosen\":\"one thread\",\"why\":\"contention\","
                     "\"mean_us\":{\"several threads\":" +
                     microseconds(several) +
                     ",\"one thread\":" + microseconds(one) + "}}";
  addSchedule(launches, {"contention at " + std::string(launches.node), clock(),
                         thisThread(), text});
}

void TraceRecorder::addSchedule(const ScheduledLaunches &launches,
                                ScheduleEvent event) {
  std::lock_guard lock(mutex);
  ++numSchedules;
  auto [found, isNew] =
      latest.try_emplace({launches.entry, launches.sequence}, schedules.size());
  if (!isNew && schedules.size() >= mostSchedules) {
    schedules[found->second] = std::move(event);
    return;
  }
  found->second = schedules.size();
  schedules.push_back(std::move(event));
}

size_t TraceRecorder::numScheduleEvents() const {
  std::lock_guard lock(mutex);
  return numSchedules;
}

/// Returns a name for a thread in the trace, which depends on the category of
/// the thread's first event.
static const char *threadName(std::string_view category, int thread) {
  if (thread == ::getpid())
    return "steps";
  return category == "save"       ? "saver"
         : category == "input"    ? "input"
         : category == "exchange" ? "exchanges"
                                  : "worker";
}

/// Formats the facts of a kernel as JSON, which viewers show beside the event:
/// its entry and sequence of launches; its operations and bytes, and both
/// numbers per second. Returns "" if none of them is known.
std::string TraceRecorder::factsOf(const TraceEvent &event) {
  std::string text = ",\"args\":{";
  if (event.entry) {
    text += "\"entry\":";
    appendJsonString(text, event.entry);
    text += ",\"sequence\":" + std::to_string(event.sequence) + ",";
  } else if (event.operations == 0 && event.bytes == 0) {
    return "";
  }
  double nanoseconds = std::max((event.end - event.start) * 1e9, 1.0);
  char work[160];
  std::snprintf(work, sizeof(work),
                "\"operations\":%lld,\"bytes\":%lld,"
                "\"GFLOP/s\":%.3f,\"GB/s\":%.3f}",
                static_cast<long long>(event.operations),
                static_cast<long long>(event.bytes),
                static_cast<double>(event.operations) / nanoseconds,
                static_cast<double>(event.bytes) / nanoseconds);
  return text + work;
}

/// Returns a metadata event, which names a process or a thread.
static std::string nameEvent(const char *kind, int process, int thread,
                             const std::string &name) {
  std::string text = std::string("\n{\"name\":\"") + kind +
                     "\",\"ph\":\"M\",\"pid\":" + std::to_string(process) +
                     ",\"tid\":" + std::to_string(thread) +
                     ",\"args\":{\"name\":";
  appendJsonString(text, name);
  return text + "}}";
}

std::string TraceRecorder::events(int process, const std::string &name,
                                  double origin) const {
  std::lock_guard lock(mutex);
  std::string text;
  auto append = [&](const std::string &event) {
    text += (text.empty() ? "" : ",") + event;
  };
  auto appendNamed = [&](const std::string &name, const std::string &rest) {
    std::string line = "\n{\"name\":";
    appendJsonString(line, name);
    append(line + rest + "}");
  };
  if (!name.empty())
    append(nameEvent("process_name", process, 0, name));
  std::map<int, const char *> names;
  for (const TraceEvent &event : recorded)
    names.emplace(event.thread, threadName(event.category, event.thread));
  for (auto [thread, threadName] : names)
    append(nameEvent("thread_name", process, thread, threadName));
  for (const TraceEvent &event : recorded) {
    // Writes times in microseconds, as the trace event format requires.
    char rest[192];
    std::snprintf(rest, sizeof(rest),
                  ",\"cat\":\"%s\",\"ph\":\"X\",\"ts\":%.3f,\"dur\":%.3f,"
                  "\"pid\":%d,\"tid\":%d",
                  event.category, (event.start - origin) * 1e6,
                  (event.end - event.start) * 1e6, process, event.thread);
    appendNamed(event.name, rest + factsOf(event));
  }
  for (const ScheduleEvent &event : schedules) {
    char rest[160];
    std::snprintf(rest, sizeof(rest),
                  ",\"cat\":\"schedule\",\"ph\":\"i\",\"s\":\"t\",\"ts\":%.3f,"
                  "\"pid\":%d,\"tid\":%d,\"args\":",
                  (event.time - origin) * 1e6, process, event.thread);
    appendNamed(event.name, rest + event.arguments);
  }
  return text;
}

Status TraceHook::afterCreateSession(SessionRunContext &context) {
  if (isWritten)
    return Status::ok();
  // The clocks of several machines differ, so the times of each rank are
  // relative to a barrier of all ranks.
  if (ranks) {
    INGOT_RETURN_IF_ERROR(ranks->waitForAll());
    origin = trace.now();
  }
  context.session.observe(&trace);
  context.session.observeSchedules(&trace);
  observed = &context.session;
  observeActivities(&trace);
  return Status::ok();
}

TraceHook::~TraceHook() {
  if (observed)
    observed->observeSchedules(nullptr);
  if (!isWritten)
    observeActivities(nullptr);
}

Status TraceHook::beforeRun(SessionRunContext &, SessionRunArgs &) {
  started = trace.now();
  return Status::ok();
}

Status TraceHook::afterRun(SessionRunContext &context,
                           const SessionRunValues &) {
  if (isWritten)
    return Status::ok();
  trace.add(std::string(context.unit()) + " " +
                std::to_string(context.number()),
            "step", started);
  return ++traced >= numSteps ? write(context.session) : Status::ok();
}

Status TraceHook::end(SessionRunContext &context) {
  context.session.observeSchedules(nullptr);
  observed = nullptr;
  // All ranks write at the end, as it needs all of them.
  bool isComplete =
      isWritten && !ranks && trace.numScheduleEvents() == writtenSchedules;
  return isComplete ? Status::ok() : write(context.session);
}

Status TraceHook::write(Session &session) {
  if (!isWritten) {
    session.observe(nullptr);
    observeActivities(nullptr);
  }
  isWritten = true;
  writtenSchedules = trace.numScheduleEvents();
  std::vector<std::string> processes;
  if (ranks) {
    INGOT_ASSIGN_OR_RETURN(
        processes,
        ranks->gatherTexts(trace.events(static_cast<int>(ranks->rank()),
                                        ranks->nameOf(ranks->rank()), origin)));
    if (!ranks->isFirst())
      return Status::ok();
  } else {
    processes.push_back(trace.events(::getpid(), "", origin));
  }
  INGOT_ASSIGN_OR_RETURN(auto file, fileSystem.create(path));
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  for (const std::string &events : processes) {
    bool isNext = !text.ends_with("[") && !events.empty();
    text += (isNext ? "," : "") + events;
  }
  INGOT_RETURN_IF_ERROR(file->append(text + "\n]}\n"));
  return file->close();
}
