//===- TrainCommand.cpp - trainer train -----------------------------------===//

#include "runtime/CommandLine/Commands.h"
#include "runtime/CommandLine/ModelDirectory.h"
#include "runtime/CommandLine/SaveFlags.h"

#include "runtime/CommandLine/FeedHook.h"
#include "runtime/CommandLine/TrainerMain.h"
#include "runtime/Hooks/CheckpointSaverHook.h"
#include "runtime/Hooks/LibraryHook.h"
#include "runtime/Hooks/LoggingHook.h"
#include "runtime/Hooks/LossesHook.h"
#include "runtime/Hooks/NanTensorHook.h"
#include "runtime/Hooks/ProgressHook.h"
#include "runtime/Hooks/StopAtStepHook.h"
#include "runtime/Hooks/SummarySaverHook.h"
#include "runtime/Session/StopSignals.h"
#include "runtime/Session/TrainingLoop.h"
#include "runtime/Support/Numeric.h"

#include <algorithm>
#include <csignal>
#include <unistd.h>

using namespace ingot;

static constexpr FlagSpec ownFlags[] = {
    {"--model-dir", "DIR",
     "checkpoints and summaries; training continues there"},
    {"--max-steps", "N", "train until the global step is N"},
    {"--steps", "N", "train N more steps"},
    {"--data-dir", "DIR", "where the graph's relative file names start"},
    {"--save-checkpoints-steps", "N", "save every N steps"},
    {"--save-checkpoints-secs", "S", "save every S seconds (default: 600)"},
    {"--init-from", "PREFIX",
     "start from these variables where DIR has no checkpoint"},
    {"--restore-map", "REGEX=REPL",
     "--init-from: look variables up under other names", true},
    {"--allow-missing", nullptr,
     "initialize variables that the checkpoint lacks"},
    {"--allow-unused", nullptr,
     "ignore tensors of the checkpoint that no variable wants"},
    {"--reshape", nullptr,
     "restore tensors of another shape, if they have as many elements"},
    {"--restore-sequentially", nullptr,
     "read one tensor at a time, which takes the least memory"},
    {"--loss", "TENSOR", "what is logged as loss and watched for NaN"},
    {"--fetch", "TENSOR", "log this tensor too", true},
    {"--feed", "NAME=VALUE|@FILE.npy",
     "the value of a placeholder of the step, the same in every step", true},
    {"--hook", "LIB.so[:ARGS]", "a hook of your own (ingot/hook.h)", true},
    {"--losses", "FILE", "write a JSON line a step: step, loss, fetches"},
    {"--log-steps", "N", "log every N steps, 0: never (default: 100)"},
    {"--summary-steps", "N",
     "write summaries every N steps, 0: never (default: 100)"},
    {"--seed", "N",
     "what random ops without a seed draw from (default: any; a checkpoint "
     "keeps its own)"},
    {"--threads", "N", "threads to compute with, 0: one a core (default: 0)"},
    {"--device", "cpu", "what to compute on (default: cpu)"},
    {"--quiet", nullptr, "print warnings and errors only"},
};
static constexpr FlagSpec helpFlag[] = {{"--help", nullptr, "print this"}};
static constexpr auto trainFlags = joinFlags(ownFlags, saveFlags, helpFlag);

namespace {

/// The command line, checked.
struct TrainOptions {
  std::string modelDirectory, losses;
  int64_t maxSteps = -1, steps = -1; // -1: not given
  int64_t saveSteps = 0, logSteps = 100, summarySteps = 100;
  double saveSeconds = 600;
  CheckpointManagerOptions checkpoints;
  SavePolicy saves;
  StateSource source;
  SessionOptions session;
  const ingot_entry *step = nullptr;
  int loss = -1; // index among the step's fetches; -1: none
  std::vector<size_t> fetches;
  std::vector<NamedFeed> feeds;
};

} // namespace

static double now() {
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Finds --loss and --fetch among what the step computes.
static std::optional<UsageError> readFetches(const Command &command,
                                             TrainOptions &options) {
  const char *hint = "a tensor can be fetched when the graph was compiled with "
                     "--observe TENSOR";
  auto fetches = fetchesOf(*options.step);
  const char *defaultLoss = command.program.loss;
  std::string loss =
      command.flags.get("--loss", defaultLoss ? defaultLoss : "");
  if (!loss.empty()) {
    options.loss = findTensor(fetches, loss);
    if (options.loss < 0)
      return unknownTensor("--loss", loss, "tensor", fetches, hint);
    if (!isNumeric(fetches[static_cast<size_t>(options.loss)].dtype))
      return UsageError{"--loss: '" + loss + "' is no number", ""};
  }
  for (const std::string &name : command.flags.all("--fetch")) {
    int index = findTensor(fetches, name);
    if (index < 0)
      return unknownTensor("--fetch", name, "tensor", fetches, hint);
    options.fetches.push_back(static_cast<size_t>(index));
  }
  return std::nullopt;
}

/// --feed names placeholders; whatever is left to hooks, they have to give.
static std::optional<UsageError> checkFeeds(const Command &command,
                                            const ingot_entry &step) {
  std::vector<bool> given(step.num_feeds);
  for (const std::string &text : command.flags.all("--feed")) {
    size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return UsageError{
          "--feed: expected NAME=VALUE or NAME=@FILE.npy, found '" + text + "'",
          ""};
    std::string name = text.substr(0, equals);
    int index = findTensor(feedsOf(step), name);
    if (index < 0)
      return unknownTensor("--feed", name, "placeholder", feedsOf(step), "");
    if (given[static_cast<size_t>(index)])
      return UsageError{"--feed: '" + name + "' is given twice", ""};
    given[static_cast<size_t>(index)] = true;
  }
  return std::nullopt;
}

static std::optional<UsageError> readRestoreMap(const Command &command,
                                                RestoreOptions &options) {
  for (const std::string &map : command.flags.all("--restore-map")) {
    size_t equals = map.find('=');
    if (equals == std::string::npos || equals == 0)
      return UsageError{
          "--restore-map: expected REGEX=REPL, found '" + map + "'", ""};
    options.renames.emplace_back(map.substr(0, equals), map.substr(equals + 1));
  }
  return std::nullopt;
}

static std::optional<UsageError> readOptions(const Command &command,
                                             TrainOptions &options) {
  const ParsedFlags &flags = command.flags;
  const ingot_program &program = command.program;
  std::optional<UsageError> error;
  if (!flags.positionals().empty())
    return UsageError{
        "unexpected argument '" + flags.positionals().front() + "'", ""};
  options.modelDirectory = flags.get("--model-dir");
  if (options.modelDirectory.empty())
    return UsageError{"--model-dir is missing: it names the folder of "
                      "checkpoints and summaries",
                      ""};
  for (auto [a, b] :
       {std::pair("--max-steps", "--steps"),
        std::pair("--save-checkpoints-steps", "--save-checkpoints-secs")})
    if (flags.has(a) && flags.has(b))
      return UsageError{std::string(a) + " and " + b + " exclude one another",
                        ""};
  options.maxSteps = flags.getInteger("--max-steps", -1, 0, error);
  options.steps = flags.getInteger("--steps", -1, 0, error);
  options.saveSteps = flags.getInteger("--save-checkpoints-steps", 0, 1, error);
  options.saveSeconds =
      flags.getPositive("--save-checkpoints-secs", 600, error);
  if (options.saveSteps > 0)
    options.saveSeconds = 0;
  options.logSteps = flags.getInteger("--log-steps", 100, 0, error);
  options.summarySteps = flags.getInteger("--summary-steps", 100, 0, error);
  options.losses = flags.get("--losses");

  CheckpointManagerOptions &checkpoints = options.checkpoints;
  checkpoints = modelDirectory(program, options.modelDirectory);
  options.modelDirectory = checkpoints.directory;
  if (!error)
    error = readSaveFlags(flags, program, checkpoints, options.saves);

  options.source.writes = true;
  options.source.initFrom = flags.get("--init-from");
  RestoreOptions &restores = options.source.restoreOptions;
  restores.allowMissing = flags.has("--allow-missing");
  restores.allowUnused = flags.has("--allow-unused");
  restores.reshape = flags.has("--reshape");
  if (flags.has("--restore-sequentially"))
    restores.threads = 1;
  options.source.initOptions = restores;
  options.session.threads = static_cast<unsigned>(
      std::min<int64_t>(flags.getInteger("--threads", 0, 0, error), 4096));
  if (flags.has("--seed"))
    options.session.seed = flags.getInteger("--seed", 0, INT64_MIN, error);
  options.session.dataDirectory = flags.get("--data-dir");
  options.session.fileSystem = &command.fileSystem;
  if (std::string device = flags.get("--device", "cpu"); device != "cpu")
    return UsageError{"--device: '" + device +
                          "' was not compiled in; this program runs on: cpu",
                      ""};
  options.step = findEntry(program, INGOT_ROLE_STEP);
  if (!options.step)
    return UsageError{"this program has no training step", "see info"};
  if (!error)
    error = readRestoreMap(command, options.source.initOptions);
  if (!error)
    error = readFetches(command, options);
  if (!error)
    error = checkFeeds(command, *options.step);
  return error;
}

static Status loadFeeds(const Command &command, TrainOptions &options) {
  for (const std::string &text : command.flags.all("--feed")) {
    std::string name = text.substr(0, text.find('='));
    const ingot_tensor_spec &spec =
        options.step->feeds[findTensor(feedsOf(*options.step), name)];
    NamedFeed &feed = options.feeds.emplace_back();
    feed.name = name;
    std::string value = text.substr(name.size() + 1);
    INGOT_RETURN_IF_ERROR(
        value.starts_with('@')
            ? feed.value.read(command.fileSystem, value.substr(1), spec)
            : feed.value.parse(value, spec));
  }
  return Status::ok();
}

/// Finds out before training whether checkpoints can be written at all.
static Status checkWritable(FileSystem &fileSystem,
                            const std::string &directory) {
  INGOT_RETURN_IF_ERROR(fileSystem.createDirectories(directory));
  std::string probe = directory + "/.ingot-writable";
  INGOT_ASSIGN_OR_RETURN(auto file, fileSystem.create(probe));
  INGOT_RETURN_IF_ERROR(file->close());
  return fileSystem.remove(probe);
}

/// Loads the libraries of --hook: what is wrong with them is said before
/// anything runs.
static Status addLibraries(TrainingLoop &loop, const Command &command) {
  for (const std::string &text : command.flags.all("--hook")) {
    // The path may have colons, too.
    size_t colon =
        command.fileSystem.exists(text) ? std::string::npos : text.find(':');
    INGOT_ASSIGN_OR_RETURN(
        auto hook,
        LibraryHook::load(text.substr(0, colon), colon == std::string::npos
                                                     ? ""
                                                     : text.substr(colon + 1)));
    loop.addHook(std::move(hook));
  }
  return Status::ok();
}

static void addHooks(TrainingLoop &loop, const Command &command,
                     TrainOptions &options, CheckpointManager &checkpoints) {
  if (!options.feeds.empty())
    loop.addHook(std::make_unique<FeedHook>(std::move(options.feeds)));
  std::function<EventWriter *()> events = [] { return nullptr; };
  if (options.summarySteps > 0) {
    auto hook = std::make_unique<SummarySaverHook>(
        command.fileSystem, options.modelDirectory, options.summarySteps,
        systemClock());
    events = [summaries = hook.get()] { return summaries->events(); };
    loop.addHook(std::move(hook));
  }

  std::vector<LoggingHook::Watched> watched;
  std::vector<LossesHook::Column> columns;
  if (options.loss >= 0) {
    watched.push_back({"loss", static_cast<size_t>(options.loss)});
    columns.push_back({"loss", static_cast<size_t>(options.loss)});
    loop.addHook(
        std::make_unique<NanTensorHook>(static_cast<size_t>(options.loss)));
  }
  for (size_t fetch : options.fetches) {
    const char *name = fetchesOf(*options.step)[fetch].name;
    watched.push_back({name, fetch});
    columns.push_back({name, fetch});
  }
  if (!options.losses.empty())
    loop.addHook(std::make_unique<LossesHook>(command.fileSystem,
                                              options.losses, columns));

  if (options.maxSteps >= 0)
    loop.addHook(StopAtStepHook::atStep(options.maxSteps));
  if (options.steps >= 0)
    loop.addHook(StopAtStepHook::after(options.steps));
  if (options.logSteps > 0)
    loop.addHook(std::make_unique<LoggingHook>(watched, options.logSteps, now,
                                               command.console, events));
  if (!command.flags.has("--quiet") && ::isatty(STDERR_FILENO))
    loop.addHook(std::make_unique<ProgressHook>(
        watched, options.maxSteps, options.steps, now, command.console));
  loop.addHook(std::make_unique<CheckpointSaverHook>(
      checkpoints, StepTimer(options.saveSteps, options.saveSeconds, now),
      command.console, events, options.saves));
}

static int runTrain(Command &command) {
  command.console.setQuiet(command.flags.has("--quiet"));
  TrainOptions options;
  if (auto error = readOptions(command, options))
    return command.usage(*error);
  // Whoever reads the log may leave; training goes on.
  (void)std::signal(SIGPIPE, SIG_IGN);
  StopSignals signals;
  if (Status status = loadFeeds(command, options); !status.isOk())
    return command.fail(status);
  auto session = Session::create(command.program, options.session);
  if (!session)
    return command.fail(session.status());
  if (Status status = checkWritable(command.fileSystem, options.modelDirectory);
      !status.isOk())
    return command.fail(status);

  CheckpointManager checkpoints(command.fileSystem, options.checkpoints);
  options.source.checkpoints = &checkpoints;
  SessionManager manager(options.source, command.console);
  TrainingLoop loop(**session, manager, *options.step);
  if (Status status = addLibraries(loop, command); !status.isOk())
    return command.fail(status);
  addHooks(loop, command, options, checkpoints);
  if (Status status = loop.run(); !status.isOk())
    return command.fail(status, manager.failedOnCheckpoint() ? ExitNoCheckpoint
                                                             : ExitFailed);
  if (int signal = StopSignals::caught()) {
    command.console.note(
        std::string("stopped by ") + (signal == SIGINT ? "SIGINT" : "SIGTERM") +
        " at step " + std::to_string((*session)->globalStep()) +
        ", which is saved");
    return ExitSignal + signal;
  }
  return ExitDone;
}

const Verb ingot::trainVerb = {
    "train",
    "--model-dir DIR [--max-steps N | --steps N] [FLAGS]",
    "trains, from the newest checkpoint of the model folder where it has one",
    "--model-dir run --max-steps 10000",
    trainFlags,
    runTrain,
};
