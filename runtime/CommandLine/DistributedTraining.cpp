//===- DistributedTraining.cpp - A training's ranks, from launch to end ---===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/DistributedTraining.h"

#include "runtime/Collective/BatchSliceReductionTree.h"
#include "runtime/CommandLine/Feeds/FeedFiles.h"
#include "runtime/Device/ThreadPool.h"
#include "runtime/Session/Program.h"
#include "runtime/Session/ShardedVariables.h"
#include "runtime/Session/StopSignals.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <unistd.h>

using namespace ingot;

static const char *variable(const char *name) { return std::getenv(name); }

static std::string hostName() {
  char name[256] = "";
  return ::gethostname(name, sizeof name - 1) == 0 && name[0] ? name
                                                              : "localhost";
}

static Status refused(const std::string &what) {
  return Status(StatusCode::InvalidArgument, what);
}

/// Returns the error of this process if all processes reject the launch: `why`
/// on rank 0, and Cancelled without a message on all other ranks, so that the
/// reason is printed once.
static Status refusedByAll(const LauncherEnvironment &launcher, Status why) {
  if (launcher.rank == 0)
    return why;
  // Let rank 0 print its message first: once any process has failed, the
  // launcher ends all of them.
  letLowerRanksSpeak(static_cast<unsigned>(launcher.rank));
  return Status(StatusCode::Cancelled, "");
}

/// Returns an error if a launcher has started several processes, but the
/// program was compiled for one.
static Status checkProgramIsAlone(const CommandContext &command,
                                  const TrainOptions &options,
                                  const LauncherEnvironment &launcher) {
  const TrainerExtension *extension = extensionOf(command.program);
  const std::string remedy =
      extension ? ": compile it with --parallel, or distribute the networks of "
                  "a search over several processes with ingotc --processes N"
                : ": compile it with --parallel";
  for (const UntypedFlag *flag : std::initializer_list<const UntypedFlag *>{
           &options.exchangeTimeout, &options.mpiLibrary,
           &options.overlapExchanges, &options.sharedMemory,
           &options.exchangeThrough, &options.saveByRank})
    if (flag->isGiven())
      return refused(flag->name() +
                     std::string(": this program is for a single process") +
                     remedy);
  // The processes of an AdaNet search, which train different members,
  // communicate by files only, so any launcher may start them.
  if (extension && extension->isDistributed(command.program))
    return Status::ok();
  if (launcher.size > 1)
    return refusedByAll(launcher,
                        refused("this program is for a single process, but " +
                                launcher.variable + " says that there are " +
                                std::to_string(launcher.size) + " processes" +
                                remedy));
  size_t tasks = options.source.cluster.numWorkers();
  if (tasks > 1)
    return refused("this program is for a single process, but TF_CONFIG has " +
                   std::to_string(tasks) + " chief and worker tasks" + remedy +
                   (extension ? "" : ", and start it with mpirun or srun"));
  return Status::ok();
}

/// Returns the flags of this process that affect results, and so must be equal
/// on all ranks, one per line.
static std::string sharedFlags(const ParsedFlags &flags) {
  constexpr std::string_view own[] = {"--data-dir", "--data-map",
                                      "--device",   "--mpi-library",
                                      "--quiet",    "--threads"};
  std::string text;
  for (const auto &[name, values] : flags.all())
    if (std::find(std::begin(own), std::end(own), name) == std::end(own))
      for (const std::string &value : values)
        text += name + (value.empty() ? "" : " " + value) + "\n";
  return text;
}

/// Returns the strings `text` of all ranks, in the order of ranks.
static Expected<std::vector<std::string>> gatherTexts(Collective &collective,
                                                      std::string text) {
  std::vector<size_t> lengths(collective.size());
  lengths[collective.rank()] = text.size();
  INGOT_RETURN_IF_ERROR(collective.gather(
      std::as_writable_bytes(std::span(lengths)),
      std::vector<size_t>(collective.size(), sizeof(size_t))));
  size_t total = 0, begin = 0;
  for (unsigned r = 0; r < collective.size(); ++r) {
    if (r == collective.rank())
      begin = total;
    total += lengths[r];
  }
  std::string all(total, '\0');
  std::copy(text.begin(), text.end(),
            all.begin() + static_cast<std::ptrdiff_t>(begin));
  INGOT_RETURN_IF_ERROR(
      collective.gather(std::as_writable_bytes(std::span(all)), lengths));
  std::vector<std::string> texts;
  size_t at = 0;
  for (size_t length : lengths) {
    texts.push_back(all.substr(at, length));
    at += length;
  }
  return texts;
}

/// Gathers from all ranks the properties that they must share, such as the
/// executable, the CPU level and the flags.
Status DistributedTraining::meet(const CommandContext &command,
                                 const TrainOptions &options) {
  INGOT_ASSIGN_OR_RETURN(uint32_t target, chooseTarget(command.program));
  const ProcessCluster &cluster = options.source.cluster;
  std::vector<std::string> own = {
      hostName(), ownBuildId() + "/" + command.program.source_hash,
      command.program.targets[target], sharedFlags(command.flags),
      std::to_string(cluster.tasks.empty() ? 0 : cluster.numWorkers())};
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> texts,
                         gatherTexts(*engine, packTexts(own)));
  for (const std::string &text : texts) {
    INGOT_ASSIGN_OR_RETURN(std::vector<std::string> parts, unpackTexts(text));
    if (parts.size() != own.size())
      return refused("the ranks run executables of different versions of "
                     "Ingot: start the same file on every host");
    facts.push_back(
        {parts[0], parts[1], parts[2], parts[3], std::atoll(parts[4].c_str())});
  }
  return Status::ok();
}

/// Checks whether the program can be trained by the processes that the launcher
/// has started. All ranks get the same result.
Status DistributedTraining::check(const CommandContext &command,
                                  const LauncherEnvironment &launcher,
                                  const TrainOptions &options) const {
  unsigned size = engine->size();
  uint32_t slices = command.program.slices;
  if (size == 1 && launcher.size > 1)
    return refused(launcher.variable + " says that there are " +
                   std::to_string(launcher.size) + " processes, but " +
                   engine->version() + " ('" + engine->library() +
                   "') knows of this one only: start the processes with the "
                   "launcher of that MPI library, or set --mpi-library or "
                   "INGOT_MPI_LIBRARY to the library of the launcher");
  if (size > slices)
    return refused("there are " + std::to_string(size) +
                   " ranks, but this program divides a batch into " +
                   std::to_string(slices) + " slices only: start at most " +
                   std::to_string(slices) +
                   " ranks, or compile it with --slices " +
                   std::to_string(size));
  for (const Flag<std::string> *flag :
       {&options.overlapExchanges, &options.sharedMemory})
    if (const std::string &value = *flag;
        !value.empty() && value != "yes" && value != "no")
      return refused(flag->name() +
                     std::string(": expected yes or no, found '") + value +
                     "'");
  if (const std::string &way = options.exchangeThrough;
      way != "auto" && way != "host" && way != "nccl")
    return refused("--exchange-through: expected auto, host or nccl, found '" +
                   way + "'");
  if (size > 1 && command.flags.has("--checkpoint-input"))
    return refused("--checkpoint-input is for a single process: with several "
                   "ranks, the checkpoints of rank 0 already contain the "
                   "positions in the inputs; leave the flag out");
  if (size > 1 && options.saveByRank.get() && options.checkpoints.writesV1)
    return refused("--save-by-rank: checkpoints in the V1 format are written "
                   "by rank 0 only: leave out --save-by-rank or "
                   "--write-version v1");
  if (size > 1 && options.saveByRank.get() && extensionOf(command.program))
    return refused("--save-by-rank: rank 0 alone writes the checkpoints of an "
                   "ensemble search: leave the flag out");
  if (size > 1 && extensionOf(command.program) &&
      ShardedVariables::existIn(command.program))
    return refused("this program, an iteration of an ensemble search, divides "
                   "variables among ranks: compile it without "
                   "--shard-optimizer");
  const auto &feeds = command.flags.all("--feed");
  if (size > 1 && std::any_of(feeds.begin(), feeds.end(), isFrames))
    return refused(
        "--feed @- is for a single process, because launchers pass standard "
        "input to rank 0 only: feed files that all ranks can read");
  return compareRanks(facts);
}

bool DistributedTraining::isOnSeveralHosts() const {
  return std::any_of(facts.begin(), facts.end(),
                     [&](const RankConfiguration &rank) {
                       return rank.host != facts.front().host;
                     });
}

/// Chooses the number of threads and whether exchanges run while the step
/// computes, and prints the ranks and their hosts.
void DistributedTraining::describe(const CommandContext &command,
                                   TrainOptions &options) {
  unsigned rank = engine->rank();
  const std::string &host = facts[rank].host;
  long onMachine = ::sysconf(_SC_NPROCESSORS_ONLN);
  unsigned cores = availableCores(), &threads = options.session.threads;
  bool isBound = onMachine > 0 && cores < static_cast<unsigned>(onMachine);
  if (threads == 0)
    threads = command.program.default_threads;
  bool isChosen = threads != 0;
  options.session.rankOnHost = static_cast<unsigned>(std::count_if(
      facts.begin(), facts.begin() + rank,
      [&](const RankConfiguration &lower) { return lower.host == host; }));
  if (!isChosen) {
    // If the launcher has not bound ranks to cores, each rank sees all cores of
    // its machine. Divide them among the ranks that run there.
    auto here = static_cast<unsigned>(std::count_if(
        facts.begin(), facts.end(),
        [&](const RankConfiguration &other) { return other.host == host; }));
    threads = isBound ? cores : std::max(1u, cores / here);
  }
  // Ranks on one machine exchange data by copies in memory. If the kernels
  // occupy all cores, copies that run at the same time slow down the kernels by
  // more than the overlap saves.
  bool overlaps = cores > threads || isOnSeveralHosts();
  if (!options.overlapExchanges.get().empty())
    overlaps = options.overlapExchanges.get() == "yes";
  theRanks->overlapExchanges(overlaps);
  if (rank != 0)
    return;
  BatchSliceReductionTree tree(command.program.slices, engine->size());
  BatchSliceRange run = tree.runOf(0);
  std::string which =
      run.size() == 1 ? "slice 0" : "slices 0-" + std::to_string(run.last - 1);
  std::string text = "rank 0 of " + std::to_string(engine->size()) + " on " +
                     host + ", " + engine->version() + ": " + which + " of " +
                     std::to_string(tree.slices()) + ", " +
                     std::to_string(threads) +
                     (threads == 1 ? " thread" : " threads");
  if (isBound && !isChosen && engine->size() > 1)
    text += cores == 1 ? " (the core that it was bound to; mpirun --bind-to "
                         "none gives it more)"
                       : " (the cores that it was bound to)";
  command.console.note(text);
}

static double secondsSince1970() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

CollectiveEngineOptions
DistributedTraining::engineOptions(const TrainOptions &options) const {
  CollectiveEngineOptions result;
  result.host = hostName();
  result.timeoutSeconds = options.exchangeTimeout;
  result.library = options.mpiLibrary;
  if (const char *library = variable("INGOT_MPI_LIBRARY");
      library && !options.mpiLibrary.isGiven())
    result.library = library;
  // Rank 0 is between two steps, too, while it waits for the other ranks in a
  // save or an evaluation.
  result.takesLonger = [this] {
    return engine->rank() != 0 && place.isFirstBetweenSteps(secondsSince1970());
  };
  result.isFirstRankAlive = [this] {
    return place.isFirstAlive(secondsSince1970());
  };
  result.whoIsLate = [this] {
    return place.describeLate(engine->rank(), engine->size(),
                              secondsSince1970());
  };
  return result;
}

Status DistributedTraining::report() {
  const std::string &host = facts[engine->rank()].host;
  // Rank 0 creates the folder of reports first. Other ranks write reports only
  // if the folder exists; they do not see it unless they share the model
  // directory.
  if (theRanks->isFirst())
    reports.emplace(place, *theRanks, host);
  INGOT_RETURN_IF_ERROR(theRanks->waitForAll());
  if (!theRanks->isFirst())
    reports.emplace(place, *theRanks, host);
  return Status::ok();
}

Expected<std::unique_ptr<DistributedTraining>>
DistributedTraining::start(const CommandContext &command,
                           TrainOptions &options) {
  LauncherEnvironment launcher = readLauncher(variable);
  if (command.program.slices == 0) {
    INGOT_RETURN_IF_ERROR(checkProgramIsAlone(command, options, launcher));
    return std::unique_ptr<DistributedTraining>();
  }
  const ProcessCluster &cluster = options.source.cluster;
  if (!launcher.isThere() && !options.mpiLibrary.isGiven()) {
    if (cluster.numWorkers() > 1)
      return refused("TF_CONFIG has " + std::to_string(cluster.numWorkers()) +
                     " chief and worker tasks, but no launcher has started "
                     "this process: use mpirun -n " +
                     std::to_string(cluster.numWorkers()));
    return std::unique_ptr<DistributedTraining>();
  }
  std::unique_ptr<DistributedTraining> all(new DistributedTraining(
      {command.fileSystem, options.modelDirectory + "/ranks",
       /*secondsBetween=*/std::min(10.0, options.exchangeTimeout / 4)}));
  auto *functions =
      static_cast<const CollectiveEngineFactory *>(command.program.engine);
  auto engine = functions->start(all->engineOptions(options));
  if (!engine)
    return refusedByAll(launcher, engine.takeStatus());
  all->engine = std::move(*engine);
  if (Status status = all->meet(command, options); !status.isOk())
    all->engine->abort(status);
  if (Status status = all->check(command, launcher, options); !status.isOk()) {
    // All ranks have found the same error, so they can disconnect instead of
    // aborting.
    (void)all->engine->finalize();
    launcher.rank = std::max<int64_t>(launcher.rank, all->engine->rank());
    return refusedByAll(launcher, std::move(status));
  }
  if (options.sharedMemory.get() != "no")
    if (Status status = functions->shareMemory(all->engine); !status.isOk())
      all->engine->abort(status);
  CollectiveEngine &started = *all->engine;
  std::vector<std::string> hosts;
  for (const RankConfiguration &rank : all->facts)
    hosts.push_back(rank.host);
  all->theRanks.emplace(started, std::move(hosts));
  all->theRanks->limitWaits(started.waitLimits());
  all->describe(command, options);
  if (started.size() == 1)
    return all;
  StopSignals::stopTogether();
  command.console.setRank("rank " + std::to_string(started.rank()) + " of " +
                              std::to_string(started.size()) + " on " +
                              all->facts[started.rank()].host,
                          started.rank() == 0,
                          [&started] { started.waitForErrorsOfLowerRanks(); });
  return all;
}

Status DistributedTraining::finish() {
  INGOT_RETURN_IF_ERROR(theRanks->waitForAll());
  reports.reset();
  return engine->finalize();
}
