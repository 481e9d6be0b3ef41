//===- Session.cpp - A program with its state, ready to run entries -------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/Session.h"

#include "runtime/Device/LaunchSetup.h"
#include "runtime/Device/ParallelLoops.h"
#include "runtime/Session/ReportSchedules.h"
#include "runtime/Session/RunObserver.h"
#include "runtime/Support/ErrorSlot.h"
#include "runtime/Support/ParseNumber.h"
#include "runtime/Support/ThreadActivity.h"

#include <chrono>
#include <optional>

using namespace ingot;

Expected<std::unique_ptr<Session>>
Session::create(const ingot_program &program, const SessionOptions &options) {
  INGOT_RETURN_IF_ERROR(checkProgram(program));
  std::unique_ptr<Session> session(new Session(options));
  INGOT_RETURN_IF_ERROR(session->createState(program));
  return session;
}

Status Session::createState(const ingot_program &program) {
  INGOT_ASSIGN_OR_RETURN(uint32_t target, chooseTarget(program));
  unsigned threads = options.threads;
  if (threads == 0)
    threads = program.default_threads;
  if (threads == 0)
    threads = availableCores();
  INGOT_ASSIGN_OR_RETURN(
      theContext, createContext(program, target, threads, *options.fileSystem,
                                options.dataDirectory, options.dataMap));
  INGOT_RETURN_IF_ERROR(openDevice(program));
  setRandomSeed(*theContext, options.seed);
  theContext->observer = observer;
  theContext->scheduleObserver = scheduleObserver;
  return Status::ok();
}

/// Opens the requested device, or the program's default device.
Status Session::openDevice(const ingot_program &program) {
  std::string name = options.device;
  if (name.empty())
    name = program.default_device == 0
               ? "cpu"
               : program.devices[program.default_device - 1].name;
  if (name == "cpu")
    return Status::ok();
  std::string kind = name.substr(0, name.find(':'));
  auto number = static_cast<int32_t>(options.rankOnHost.value_or(0));
  bool isNamed = kind.size() != name.size();
  if (isNamed && !parseNumber(std::string_view(name).substr(kind.size() + 1),
                              INGOT_INT32, &number))
    number = -1;
  for (uint32_t i = 0; i < program.num_devices && number >= 0; ++i)
    if (program.devices[i].name == kind) {
      auto *code =
          static_cast<const DeviceSessionFactory *>(program.devices[i].code);
      INGOT_ASSIGN_OR_RETURN(theContext->device,
                             code->open(*theContext, program.devices[i],
                                        {static_cast<unsigned>(number),
                                         options.rankOnHost && !isNamed}));
      return Status::ok();
    }
  return Status(
      StatusCode::InvalidArgument,
      "this program has no code for device '" + name + "': expected cpu" +
          (program.num_devices == 0
               ? std::string("; compile it with --target for another "
                             "device")
               : std::string(" or a device and its number, such as ") +
                     program.devices[0].name + ":0"));
}

void Session::observe(RunObserver *newObserver) {
  observer = newObserver;
  theContext->observer = newObserver;
}

void Session::observeSchedules(ScheduleObserver *newObserver) {
  scheduleObserver = newObserver;
  theContext->scheduleObserver = newObserver;
}

Status Session::reset() {
  const ingot_program &program = *theContext->program;
  // Destroys the old context before a new one is created: memory may not
  // suffice for both.
  theContext.reset();
  countedSteps = 0;
  return createState(program);
}

const void *BoundEntryPoint::fetch(size_t index) const {
  const void *data = fetchTensors[index].data;
  // This function returns no Status: if the copy from the device fails,
  // deviceStatus() returns the error.
  if (asksFor)
    (void)asksFor->theContext->device->readMemory(
        data, static_cast<uint64_t>(
                  std::max<int64_t>(byteSizeOf(theEntry->fetches[index]), 0)));
  return data;
}

Status Session::deviceStatus() const {
  return theContext->device ? theContext->device->status() : Status::ok();
}

void Session::fetchWhenAsked(BoundEntryPoint &bound) {
  bound.asksFor = theContext->device ? this : nullptr;
}

Expected<BoundEntryPoint> Session::bind(const ingot_entry &entry) {
  BoundEntryPoint bound;
  bound.theEntry = &entry;
  bound.schedules.entry = &entry;
  INGOT_ASSIGN_OR_RETURN(
      bound.arena,
      AlignedBuffer::allocate(entry.arena_size, "an entry's temporaries"));
  setArguments(entry.num_arguments, entry.arguments, entry.constants,
               theContext->variables.data(), bound.arena.data());
  std::vector<std::optional<uint64_t>> offsets;
  uint64_t total = 0;
  for (const ingot_tensor_spec &fetch : fetchesOf(entry)) {
    int64_t bytes = byteSizeOf(fetch);
    if (bytes >= 0) {
      if (static_cast<uint64_t>(bytes) > INT64_MAX / 2 - total)
        return Status(StatusCode::ResourceExhausted,
                      "fetch '" + std::string(fetch.name) + "' of entry '" +
                          entry.name + "' is " + typeText(fetch) +
                          ", and all fetches together have more than 2^62 "
                          "bytes: fetch less");
      offsets.push_back(total);
      total += (static_cast<uint64_t>(bytes) + INGOT_ALIGNMENT - 1) /
               INGOT_ALIGNMENT * INGOT_ALIGNMENT;
    } else {
      offsets.push_back(std::nullopt);
    }
    bound.fetchDims.emplace_back(fetch.dims, fetch.dims + fetch.rank);
  }
  INGOT_ASSIGN_OR_RETURN(bound.fetchStorage,
                         AlignedBuffer::allocate(total, "an entry's fetches"));
  for (uint32_t i = 0; i < entry.num_fetches; ++i)
    bound.fetchTensors.push_back(
        {offsets[i] ? bound.fetchStorage.data() + *offsets[i] : nullptr,
         bound.fetchDims[i].data(), entry.fetches[i].rank,
         entry.fetches[i].dtype});
  bound.fetchSpecs.assign(entry.fetches, entry.fetches + entry.num_fetches);
  return bound;
}

/// Checks that the feeds have the types and shapes that the entry (a compiled
/// function) declares. Compiled code does not check them.
static Status checkFeeds(const ingot_entry &entry,
                         std::span<const ingot_tensor> feeds) {
  for (uint32_t i = 0; i < entry.num_feeds; ++i) {
    const ingot_tensor_spec &spec = entry.feeds[i];
    ingot_tensor_spec found = spec;
    if (i < feeds.size())
      found = {spec.name, feeds[i].dtype, feeds[i].rank, feeds[i].dims};
    bool fits = i < feeds.size() && found.dtype == spec.dtype &&
                found.rank == spec.rank;
    for (uint32_t dim = 0; fits && dim < spec.rank; ++dim)
      fits = spec.dims[dim] < 0 || spec.dims[dim] == found.dims[dim];
    if (!fits)
      return Status(StatusCode::InvalidArgument,
                    "feed '" + std::string(spec.name) + "' must be " +
                        typeText(spec) + ", but is " +
                        (i < feeds.size() ? typeText(found) : "not given"));
  }
  return Status::ok();
}

/// Runs an entry (a compiled function) by calling `run`. Times the first runs,
/// some on one thread and some on all threads, and uses the faster way for
/// later ones.
template <typename Function>
static int32_t runTimed(const ingot_context &context,
                        EntryLaunchTuning &schedules, Function run) {
  using std::chrono::steady_clock;
  bool wasOver = schedules.trials.isOver();
  schedules.turn =
      isParallelForced()
          ? EntryThreadTuner::ThreadCountChoice()
          : schedules.trials.next([&] { return schedules.areSettled(); });
  schedules.numSequences = schedules.waited = 0;
  steady_clock::time_point start =
      schedules.turn.isTimed ? steady_clock::now() : steady_clock::time_point();
  int32_t code = run();
  // An entry with only one sequence of launches (consecutive rows of a launch
  // table) needs no choice as a whole: the LaunchTuner of this sequence chooses
  // how to execute it.
  if (schedules.numSequences <= 1)
    schedules.trials.leaveOut();
  else if (schedules.turn.isTimed)
    schedules.trials.finish(
        std::chrono::nanoseconds(steady_clock::now() - start).count() -
        schedules.waited);
  if (!wasOver && schedules.trials.isOver())
    reportEntryTrial(context, schedules);
  schedules.turn = {};
  return code;
}

Status Session::run(BoundEntryPoint &bound, std::span<const ingot_tensor> feeds,
                    SummaryCollector *summaries) {
  ingot_context &context = *theContext;
  const ingot_entry &entry = bound.entry();
  INGOT_RETURN_IF_ERROR(checkFeeds(entry, feeds));
  context.summaries = summaries;
  RunArena::ArenaRunScope scope(*bound.memory);
  ThreadActivity::ActivityScope activity("runs entry", entry.name);
  if (context.device) {
    INGOT_RETURN_IF_ERROR(context.device->begin(
        entry, {bound.arena.data(), bound.arena.size()},
        {{bound.fetchStorage.data(), bound.fetchStorage.size()},
         bound.memory}));
    context.device->hold({feeds.data(), entry.num_feeds});
  }
  context.schedules = &bound.schedules;
  context.entryArena.store(bound.arena.data(), std::memory_order_relaxed);
  int32_t code = runTimed(context, bound.schedules, [&] {
    return entry.run(&context, bound.arena.data(), context.variables.data(),
                     feeds.data(), bound.fetchTensors.data());
  });
  context.entryArena.store(nullptr, std::memory_order_relaxed);
  context.schedules = nullptr;
  context.summaries = nullptr;
  if (observer)
    observer->left();
  Status status = takeError(code);
  if (context.device) {
    context.device->end();
    // If the device has failed, return its failure rather than the entry's: the
    // entry may have failed only because the device did not deliver results.
    INGOT_RETURN_IF_ERROR(deviceStatus());
    if (!bound.asksFor)
      INGOT_RETURN_IF_ERROR(context.device->readMemory(
          bound.fetchStorage.data(), bound.fetchStorage.size()));
  }
  // Both codes mean that the entry has assigned no variable: it was cancelled
  // while it waited for input (Cancelled), or its input was rejected
  // (InvalidArgument). So moving the iterators back to where they were undoes
  // everything that it did.
  if (status.code() == StatusCode::Cancelled ||
      status.code() == StatusCode::InvalidArgument)
    for (SessionDatasetIterator &slot : context.iterators)
      slot.iterator->rewind();
  INGOT_RETURN_IF_ERROR(std::move(status));
  for (uint32_t i = 0; i < entry.num_assigned && !bound.hasRun; ++i)
    context.initialized[entry.assigned[i]] = true;
  bound.hasRun = true;
  for (size_t i = 0; i < bound.fetchSpecs.size(); ++i)
    bound.fetchSpecs[i].dims = bound.fetchTensors[i].dims;
  if (entry.role == INGOT_ROLE_STEP)
    ++countedSteps;
  return Status::ok();
}

Status Session::runOnce(const ingot_entry &entry) {
  if (entry.num_feeds != 0)
    return Status(StatusCode::Unimplemented,
                  "entry '" + std::string(entry.name) + "' needs feed '" +
                      entry.feeds[0].name + "'");
  INGOT_ASSIGN_OR_RETURN(BoundEntryPoint bound, bind(entry));
  return run(bound).withContext("entry '" + std::string(entry.name) + "'");
}

int64_t Session::globalStep() const {
  return globalStepOf(*theContext).value_or(countedSteps);
}
