//===- Placement.cpp - Members that other processes train -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/Placement.h"

#include "runtime/AdaNet/JsonFile.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/SaveRestore.h"
#include "runtime/Session/Context.h"
#include "runtime/Session/StopSignals.h"
#include "runtime/Support/Json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <ctime>
#include <unistd.h>

using namespace ingot;
using namespace ingot::adanet;

// The number of steps that a worker may be ahead of the chief. A worker leaves
// one checkpoint on disk for each of these steps, so this limits the disk
// space.
static constexpr int64_t furthest = 32;

static double secondsNow() {
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Returns the entry of role placed_step that the process with index `place`
/// runs as its step, or null if the program has none.
static const ingot_entry *findPart(const ingot_program &program,
                                   int64_t place) {
  for (uint32_t i = 0; i < program.num_entries; ++i)
    if (const ingot_entry &entry = program.entries[i];
        entry.role == INGOT_ROLE_PLACED_STEP && entry.place == place)
      return &entry;
  return nullptr;
}

int64_t adanet::processesOf(const ingot_program &program) {
  const ingot_entry *part = findEntry(program, INGOT_ROLE_PLACED_STEP);
  return part ? part->num_places : 1;
}

int64_t adanet::placeOf(const ProcessCluster &cluster) {
  if (cluster.isChief())
    return 0;
  bool hasChief = cluster.tasks.count("chief") || cluster.tasks.count("master");
  return cluster.index + (hasChief ? 1 : 0);
}

static std::string folderOf(const std::string &modelDirectory) {
  return modelDirectory + "/placed";
}

static constexpr const char *beginName = "begin.json", *endName = "end.json";

Expected<std::optional<ChiefTrainingRun>>
adanet::readPlacedRun(FileSystem &fileSystem,
                      const std::string &modelDirectory) {
  std::string path = folderOf(modelDirectory) + "/" + beginName;
  auto json = readJsonFile(fileSystem, path);
  if (!json && json.status().code() == StatusCode::NotFound)
    return std::optional<ChiefTrainingRun>();
  if (!json)
    return json.takeStatus();
  ChiefTrainingRun run;
  auto id = json->find("id"), iteration = json->find("iteration"),
       processes = json->find("processes");
  if (id == json->end() || !id->is_string() || iteration == json->end() ||
      !iteration->is_number_integer() || processes == json->end() ||
      !processes->is_number_integer())
    return damagedJson(path, 0,
                       "expected a text 'id' and the whole numbers "
                       "'iteration' and 'processes'");
  run.id = id->get<std::string>();
  run.iteration = iteration->get<int64_t>();
  run.processes = processes->get<int64_t>();
  // The id becomes part of paths, so it must not contain '/' or "..".
  if (run.id.empty() ||
      run.id.find_first_not_of("0123456789abcdef") != std::string::npos)
    return damagedJson(
        path, 0, "expected hexadecimal digits as 'id', found '" + run.id + "'");
  return std::optional(std::move(run));
}

Status adanet::writePlacedEnd(FileSystem &fileSystem,
                              const std::string &modelDirectory,
                              const std::string &reason) {
  std::string folder = folderOf(modelDirectory), text = "{\"id\": ";
  appendJsonString(text, newSaveId());
  text += ", \"reason\": ";
  appendJsonString(text, reason);
  INGOT_RETURN_IF_ERROR(fileSystem.createDirectories(folder));
  return writeSmallFile(fileSystem, folder, endName, text + "}");
}

std::string adanet::readPlacedEnd(FileSystem &fileSystem,
                                  const std::string &modelDirectory) {
  auto text =
      readSmallFile(fileSystem, folderOf(modelDirectory) + "/" + endName);
  return text ? std::move(*text) : std::string();
}

//===----------------------------------------------------------------------===//
// MemberPlacementHook, the base class of the hooks of chief and workers
//===----------------------------------------------------------------------===//

MemberPlacementHook::MemberPlacementHook(const PlacementOptions &options,
                                         const ingot_program &program,
                                         FileSystem &fileSystem,
                                         SessionLogger &reporter)
    : options(options), program(program), fileSystem(fileSystem),
      reporter(reporter), processes(processesOf(program)) {
  if (auto found = findIteration(program))
    iteration = std::move(*found);
  places.resize(static_cast<size_t>(processes));
  // Members are placed on the workers, the processes with indices from 1 on,
  // round robin (AN-123).
  for (size_t i = 0; i < iteration.members.size(); ++i) {
    MembersTrainedByProcess &place = places[1 + i % (places.size() - 1)];
    place.members.push_back(iteration.members[i]);
    for (uint32_t k = 0; k < program.num_variables; ++k) {
      auto name = parseName(program.variables[k].spec.name);
      if (name && name->kind == AdaNetVariableName::Member &&
          name->iteration == iteration.number &&
          name->owner == iteration.members[i].name)
        place.variables.push_back(k);
    }
  }
}

std::string MemberPlacementHook::prefixOf(int64_t place, int64_t steps) const {
  return folderOf(options.modelDirectory) + "/" + id + "/place-" +
         std::to_string(place) + "-" + std::to_string(steps);
}

int64_t MemberPlacementHook::stepsOf(const ingot_context &context,
                                     const MemberOrEnsemble &member) {
  return *static_cast<const int64_t *>(readVariable(context, member.step));
}

Status MemberPlacementHook::waitUntil(
    const std::string &what,
    const std::function<Expected<bool>()> &isThere) const {
  double begin = secondsNow();
  bool told = false;
  while (true) {
    INGOT_ASSIGN_OR_RETURN(bool there, isThere());
    if (there)
      return Status::ok();
    double waited = secondsNow() - begin;
    if (StopSignals::caught() != 0)
      return Status(StatusCode::Cancelled, "stopped while waiting for " + what);
    if (waited >= options.timeoutSeconds)
      return Status(StatusCode::DeadlineExceeded,
                    "timed out after " +
                        std::to_string(static_cast<int64_t>(waited)) +
                        " s waiting for " + what);
    // If the wait takes more than 5 seconds, the user is told once what this
    // process waits for (AN-244).
    if (!told && waited > 5) {
      reporter.note("this process waits for " + what);
      told = true;
    }
    ::usleep(waited < 0.1 ? 500 : waited < 2 ? 5000 : 100000);
  }
}

void MemberPlacementHook::remove(const std::string &run,
                                 const std::string &prefix) const {
  std::string own = folderOf(options.modelDirectory) + "/" + run;
  auto files = fileSystem.list(own);
  if (!files)
    return;
  for (const std::string &file : *files)
    if (file.starts_with(prefix))
      (void)fileSystem.remove(own + "/" + file);
  (void)fileSystem.removeDirectory(own);
}

//===----------------------------------------------------------------------===//
// ChiefMemberPlacementHook, the hook of the chief
//===----------------------------------------------------------------------===//

/// Removes the files of the chief's earlier runs from the folder `placed`:
/// `begin.json`, and the workers' checkpoints in the folders of the runs.
/// Leaves all other files.
Status ChiefMemberPlacementHook::clear() const {
  std::string folder = folderOf(options.modelDirectory);
  if (!fileSystem.exists(folder))
    return Status::ok();
  Status removed = fileSystem.remove(folder + "/" + beginName);
  if (!removed.isOk() && removed.code() != StatusCode::NotFound)
    return removed;
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> runs,
                         fileSystem.list(folder));
  for (const std::string &run : runs)
    if (fileSystem.kindOf(folder + "/" + run) == FileKind::Directory)
      remove(run, "place-");
  return Status::ok();
}

Status
ChiefMemberPlacementHook::afterCreateSession(SessionRunContext &context) {
  INGOT_RETURN_IF_ERROR(clear());
  due.clear();
  id = newSaveId();
  std::string folder = folderOf(options.modelDirectory);
  INGOT_RETURN_IF_ERROR(fileSystem.createDirectories(folder + "/" + id));
  std::string text = "{\"id\": ";
  appendJsonString(text, id);
  text += ", \"iteration\": " + std::to_string(iteration.number) +
          ", \"processes\": " + std::to_string(processes) + "}";
  for (size_t place = 1; place < places.size(); ++place) {
    std::string names;
    for (const MemberOrEnsemble &member : places[place].members)
      names += (names.empty() ? "'" : ", '") + member.name + "'";
    reporter.log("process " + std::to_string(place) + " trains " +
                 (names.empty() ? "nothing in this iteration" : names));
  }
  return writeSmallFile(fileSystem, folder, beginName, text);
}

/// Finds the checkpoint that the step will read from each worker, and waits
/// until the worker has written it. A worker writes a checkpoint after each of
/// its steps, named by the number of its steps. If a member's step counter in
/// the chief is n, the chief has read the checkpoints up to step n, so the
/// checkpoint of step n + 1 is next.
Status ChiefMemberPlacementHook::beforeRun(SessionRunContext &context,
                                           SessionRunArgs &request) {
  request.entry = findPart(program, 0);
  due.clear();
  for (size_t place = 1; place < places.size(); ++place) {
    for (const MemberOrEnsemble &member : places[place].members)
      if (!iterationEnd->isDone(member.name))
        due[place] = prefixOf(static_cast<int64_t>(place),
                              stepsOf(context.session.context(), member) + 1);
    if (!due.count(place))
      continue;
    // Waits before the step starts: a stop signal can then end the wait without
    // leaving a step that is applied in part.
    INGOT_RETURN_IF_ERROR(
        waitUntil("process " + std::to_string(place) + " to train '" +
                      places[place].members.front().name + "'",
                  [&]() -> Expected<bool> {
                    return fileSystem.exists(due[place] + ".index");
                  }));
  }
  return Status::ok();
}

/// Copies the worker's checkpoint `prefix` into the chief's variables of the
/// worker's members. Skips members that are no longer trained.
Status ChiefMemberPlacementHook::take(ingot_context &context,
                                      const MembersTrainedByProcess &place,
                                      const std::string &prefix) const {
  INGOT_ASSIGN_OR_RETURN(auto reader,
                         CheckpointReader::open(fileSystem, prefix));
  for (uint32_t index : place.variables) {
    const ingot_tensor_spec &spec = program.variables[index].spec;
    auto name = parseName(spec.name);
    if (iterationEnd->isDone(std::string(name->owner)))
      continue;
    Shape shape(spec.dims, spec.dims + spec.rank);
    INGOT_RETURN_IF_ERROR(reader->read(spec.name, "", spec.dtype, shape,
                                       changeVariable(context, index)));
  }
  return Status::ok();
}

Status ChiefMemberPlacementHook::beforeAfterStep(SessionRunContext &context) {
  for (const auto &[place, prefix] : due) {
    INGOT_RETURN_IF_ERROR(
        take(context.session.context(), places[place], prefix));
    INGOT_RETURN_IF_ERROR(removeCheckpoint(fileSystem, prefix));
  }
  due.clear();
  return Status::ok();
}

Status ChiefMemberPlacementHook::end(SessionRunContext &) { return clear(); }

//===----------------------------------------------------------------------===//
// WorkerMemberPlacementHook, the hook of a worker
//===----------------------------------------------------------------------===//

Status WorkerMemberPlacementHook::findRun() {
  id.clear();
  auto run = readPlacedRun(fileSystem, options.modelDirectory);
  if (!run)
    return run.takeStatus();
  // The chief's run may have ended before this process read `begin.json`, or
  // may train another iteration. Then there is nothing to train: `id` stays "".
  if (!*run || (*run)->iteration != iteration.number)
    return Status::ok();
  if ((*run)->processes != processes)
    return Status(StatusCode::FailedPrecondition,
                  "the chief trains with " + std::to_string((*run)->processes) +
                      " processes, but this trainer was compiled for " +
                      std::to_string(processes) +
                      ": start the same trainer as the chief");
  id = (*run)->id;
  return Status::ok();
}

Expected<bool> WorkerMemberPlacementHook::isOver() const {
  auto run = readPlacedRun(fileSystem, options.modelDirectory);
  if (!run)
    return run.takeStatus();
  if (!*run || (*run)->iteration != iteration.number)
    return true;
  if ((*run)->id != id)
    return Status(StatusCode::Aborted,
                  "the chief has restarted, so this worker restarts, too");
  return false;
}

Status
WorkerMemberPlacementHook::afterCreateSession(SessionRunContext &context) {
  own = nullptr;
  if (options.place > 0 && static_cast<size_t>(options.place) < places.size() &&
      !places[static_cast<size_t>(options.place)].members.empty())
    own = &places[static_cast<size_t>(options.place)];
  if (!own || id.empty()) {
    reporter.log("nothing to train in process " +
                 std::to_string(options.place));
    context.requestStop();
    return Status::ok();
  }
  if (options.maxSteps >= 0 &&
      stepsOfOwn(context.session.context()) >= options.maxSteps)
    context.requestStop();
  return Status::ok();
}

Status WorkerMemberPlacementHook::beforeRun(SessionRunContext &context,
                                            SessionRunArgs &request) {
  request.entry = findPart(program, options.place);
  int64_t steps = stepsOfOwn(context.session.context());
  return steps > furthest ? waitForChief(context, steps - furthest)
                          : Status::ok();
}

Status WorkerMemberPlacementHook::publish(const ingot_context &context,
                                          int64_t steps) const {
  std::vector<TensorToSave> items;
  for (uint32_t index : own->variables) {
    const ingot_tensor_spec &spec = program.variables[index].spec;
    TensorToSave item;
    item.key = spec.name;
    item.dtype = spec.dtype;
    item.shape = Shape(spec.dims, spec.dims + spec.rank);
    item.data = readVariable(context, index);
    items.push_back(std::move(item));
  }
  std::sort(items.begin(), items.end(),
            [](const TensorToSave &a, const TensorToSave &b) {
              return a.key < b.key;
            });
  return writeCheckpoint(fileSystem, prefixOf(options.place, steps), 1, false,
                         items);
}

Status WorkerMemberPlacementHook::waitForChief(SessionRunContext &context,
                                               int64_t steps) const {
  return waitUntil("the chief to apply step " + std::to_string(steps),
                   [&]() -> Expected<bool> {
                     auto over = isOver();
                     if (!over)
                       return over.takeStatus();
                     if (*over)
                       stop(context);
                     return *over ||
                            !fileSystem.exists(prefixOf(options.place, steps) +
                                               ".index");
                   });
}

void WorkerMemberPlacementHook::stop(SessionRunContext &context) const {
  remove(id, "place-" + std::to_string(options.place) + "-");
  context.requestStop();
}

int64_t
WorkerMemberPlacementHook::stepsOfOwn(const ingot_context &context) const {
  int64_t steps = 0;
  for (const MemberOrEnsemble &member : own->members)
    steps = std::max(steps, stepsOf(context, member));
  return steps;
}

/// Writes the member variables after the step to a checkpoint for the chief.
/// After the last step, waits until the chief has read it.
Status WorkerMemberPlacementHook::afterRun(SessionRunContext &context,
                                           const SessionRunValues &) {
  int64_t steps = stepsOfOwn(context.session.context());
  INGOT_ASSIGN_OR_RETURN(bool over, isOver());
  if (!over) {
    Status published = publish(context.session.context(), steps);
    // A failed `publish` is an error only if the chief's run has not ended:
    // when it ends, the chief removes the run's folder.
    INGOT_ASSIGN_OR_RETURN(over, isOver());
    if (!over)
      INGOT_RETURN_IF_ERROR(std::move(published));
  }
  if (over) {
    stop(context);
    return Status::ok();
  }
  if (options.maxSteps < 0 || steps < options.maxSteps)
    return Status::ok();
  context.requestStop();
  return waitForChief(context, steps);
}
