//===- TrainOptions.cpp - The flags of a training run ---------------------===//

#include "runtime/CommandLine/TrainOptions.h"

#include "runtime/CommandLine/ModelDirectory.h"
#include "runtime/CommandLine/SaveFlags.h"
#include "runtime/Support/Numeric.h"

#include <algorithm>
#include <cstdlib>

using namespace ingot;

static constexpr FlagSpec ownFlags[] = {
    {"--model-dir", "DIR",
     "checkpoints and summaries; training continues there"},
    {"--max-steps", "N", "train until the global step is N"},
    {"--steps", "N", "train N more steps"},
    {"--data-dir", "DIR", "where the graph's relative file names start"},
    {"--data-map", "FROM=TO",
     "file names of the graph that begin with FROM begin with TO", true},
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
    {"--final", "ENTRY",
     "run this entry once at the end and log what it gives"},
    {"--losses", "FILE", "write a JSON line a step: step, loss, fetches"},
    {"--log-steps", "N", "log every N steps, 0: never (default: 100)"},
    {"--log-secs", "S", "log every S seconds instead"},
    {"--summary-steps", "N",
     "write summaries every N steps, 0: never (default: 100)"},
    {"--summary-secs", "S", "write summaries every S seconds instead"},
    {"--log-step-count-steps", "N",
     "write global_step/sec into the event file every N steps, 0: never "
     "(default: 100; 0 with --summary-steps 0)"},
    {"--on-nan", "fail|stop",
     "what a loss that is NaN does to the run (default: fail)"},
    {"--check-numerics", nullptr,
     "fail at the first NaN that any node computes, and name it"},
    {"--trace", "FILE.json", "where the time of steps goes, for Perfetto"},
    {"--trace-steps", "N", "--trace: of the first N steps (default: 100)"},
    {"--watchdog-secs", "T",
     "without progress for T seconds say what each thread is at, and exit"},
    {"--checkpoint-input", nullptr,
     "save the position in the input apart from the model, too"},
    {"--stop-if-no-decrease", "METRIC:STEPS",
     "stop when evaluations have found nothing lower for so many steps", true},
    {"--stop-if-no-increase", "METRIC:STEPS", "the same for higher", true},
    {"--stop-if-lower", "METRIC:VALUE",
     "stop when an evaluation finds it below", true},
    {"--stop-if-higher", "METRIC:VALUE", "the same for above", true},
    {"--early-stopping-min-steps", "N",
     "evaluations of earlier steps do not count (default: 0)"},
    {"--eval-name", "NAME", "whose evaluations those are (default: eval's)"},
    {"--wait-for-checkpoint", nullptr,
     "wait for a checkpoint in DIR before initializing"},
    {"--max-wait-secs", "S",
     "how long to wait for it, or for the chief (default: 7200)"},
    {"--recovery-wait-secs", "S", "how often to look (default: 0.1)"},
    {"--wait-for-step", "N",
     "run no step before DIR has a checkpoint of step N"},
    {"--seed", "N",
     "what random ops without a seed draw from (default: any; a checkpoint "
     "keeps its own)"},
    {"--threads", "N", "threads to compute with, 0: one a core (default: 0)"},
    {"--device", "cpu", "what to compute on (default: cpu)"},
    {"--quiet", nullptr, "print warnings and errors only"},
};
static constexpr FlagSpec helpFlag[] = {{"--help", nullptr, "print this"}};
static constexpr auto trainFlags = joinFlags(ownFlags, saveFlags, helpFlag);

std::span<const FlagSpec> ingot::trainFlagSpecs() { return trainFlags; }

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
std::optional<UsageError> ingot::checkFeeds(const Command &command,
                                            const ingot_entry &step) {
  std::vector<FeedFlag> flags;
  return parseFeeds(command, feedsOf(step), "placeholder", flags);
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

/// --stop-if-...=METRIC:NUMBER.
static std::optional<UsageError> readStopConditions(const Command &command,
                                                    TrainOptions &options) {
  constexpr std::pair<const char *, StopCondition::Kind> kinds[] = {
      {"--stop-if-lower", StopCondition::IfLower},
      {"--stop-if-higher", StopCondition::IfHigher},
      {"--stop-if-no-decrease", StopCondition::IfNoDecrease},
      {"--stop-if-no-increase", StopCondition::IfNoIncrease}};
  std::optional<UsageError> error;
  int64_t minSteps =
      command.flags.getInteger("--early-stopping-min-steps", 0, 0, error);
  for (auto [flag, kind] : kinds)
    for (const std::string &text : command.flags.all(flag)) {
      size_t colon = text.rfind(':');
      StopCondition condition;
      condition.kind = kind;
      condition.metric = text.substr(0, colon);
      condition.minSteps = minSteps;
      std::string number =
          colon == std::string::npos ? "" : text.substr(colon + 1);
      char *end = nullptr;
      condition.threshold = std::strtod(number.c_str(), &end);
      condition.stepsWithout = static_cast<int64_t>(condition.threshold);
      if (condition.metric.empty() || number.empty() || *end != '\0')
        return UsageError{std::string(flag) +
                              ": expected METRIC:NUMBER, found '" + text + "'",
                          ""};
      options.stopConditions.push_back(std::move(condition));
    }
  return error;
}

/// What TF_CONFIG says of this process.
static std::optional<UsageError> readCluster(TrainOptions &options) {
  const char *text = std::getenv("TF_CONFIG");
  auto cluster = parseCluster(text ? text : "");
  if (!cluster)
    return UsageError{cluster.status().message(), ""};
  if (cluster->type == "ps")
    return UsageError{"TF_CONFIG: this process is " + cluster->self() +
                          ", but a trainer keeps its variables itself",
                      "start chief and workers only"};
  options.source.cluster = std::move(*cluster);
  options.source.writes = options.source.cluster.isChief();
  return std::nullopt;
}

std::optional<UsageError> ingot::readTrainOptions(const Command &command,
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
        std::pair("--save-checkpoints-steps", "--save-checkpoints-secs"),
        std::pair("--log-steps", "--log-secs"),
        std::pair("--summary-steps", "--summary-secs")})
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
  options.logSeconds = flags.getPositive("--log-secs", 0, error);
  options.summarySeconds = flags.getPositive("--summary-secs", 0, error);
  options.logSteps = flags.getInteger(
      "--log-steps", options.logSeconds > 0 ? 0 : 100, 0, error);
  options.summarySteps = flags.getInteger(
      "--summary-steps", options.summarySeconds > 0 ? 0 : 100, 0, error);
  // Whoever wants no summaries wants no event file either.
  bool summarizes = options.summarySteps > 0 || options.summarySeconds > 0;
  options.countSteps = flags.getInteger("--log-step-count-steps",
                                        summarizes ? 100 : 0, 0, error);
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
  options.session = readSessionOptions(command, error);
  options.trace = flags.get("--trace");
  options.traceSteps = flags.getInteger("--trace-steps", 100, 1, error);
  options.checksNumerics = flags.has("--check-numerics");
  if (options.checksNumerics && !options.trace.empty())
    return UsageError{"--trace and --check-numerics exclude one another", ""};
  options.watchdogSeconds = flags.getPositive("--watchdog-secs", 0, error);
  options.savesInput = flags.has("--checkpoint-input");
  options.waitForStep = flags.getInteger("--wait-for-step", 0, 0, error);
  options.source.waitForCheckpoint = flags.has("--wait-for-checkpoint");
  options.source.maxWaitSeconds =
      flags.getPositive("--max-wait-secs", 7200, error);
  options.source.recoveryWaitSeconds =
      flags.getPositive("--recovery-wait-secs", 0.1, error);
  if (std::string what = flags.get("--on-nan", "fail");
      what == "fail" || what == "stop")
    options.failsOnNan = what == "fail";
  else
    return UsageError{"--on-nan: expected fail or stop, found '" + what + "'",
                      ""};
  options.evaluations =
      evaluationDirectory(options.modelDirectory, flags.get("--eval-name"));
  if (std::string device = flags.get("--device", "cpu"); device != "cpu")
    return UsageError{"--device: '" + device +
                          "' was not compiled in; this program runs on: cpu",
                      ""};
  options.step = findEntry(program, INGOT_ROLE_STEP);
  if (!options.step)
    return UsageError{"this program has no training step", "see info"};
  if (flags.has("--final")) {
    options.final = findEntry(program, flags.get("--final"));
    if (!options.final || options.final->num_feeds != 0)
      return UsageError{"--final: '" + flags.get("--final") + "' is " +
                            (options.final ? "an entry with feeds"
                                           : "no entry of this program"),
                        "see info"};
  }
  if (!error)
    error = readStopConditions(command, options);
  if (!error)
    error = readCluster(options);
  if (!error)
    error = readRestoreMap(command, options.source.initOptions);
  if (!error)
    error = readFetches(command, options);
  if (!error)
    error = checkFeeds(command, *options.step);
  return error;
}

Expected<std::vector<NamedFeed>> ingot::loadFeeds(const Command &command,
                                                  const ingot_entry &step) {
  std::vector<NamedFeed> feeds;
  for (const std::string &text : command.flags.all("--feed")) {
    NamedFeed &feed = feeds.emplace_back();
    feed.name = text.substr(0, text.find('='));
    const ingot_tensor_spec &spec =
        step.feeds[findTensor(feedsOf(step), feed.name)];
    std::string value = text.substr(feed.name.size() + 1);
    INGOT_RETURN_IF_ERROR(
        value.starts_with('@')
            ? feed.value.read(command.fileSystem, value.substr(1), spec)
            : feed.value.parse(value, spec));
  }
  return feeds;
}

SessionOptions ingot::readSessionOptions(const Command &command,
                                         std::optional<UsageError> &error) {
  const ParsedFlags &flags = command.flags;
  SessionOptions options;
  options.threads = static_cast<unsigned>(
      std::min<int64_t>(flags.getInteger("--threads", 0, 0, error), 4096));
  if (flags.has("--seed"))
    options.seed = flags.getInteger("--seed", 0, INT64_MIN, error);
  options.dataDirectory = flags.get("--data-dir");
  for (const std::string &text : flags.all("--data-map")) {
    if (auto mapping = parseDataMapping(text))
      options.dataMap.push_back(std::move(*mapping));
    else if (!error)
      error =
          UsageError{"--data-map: expected FROM=TO, found '" + text + "'", ""};
  }
  options.fileSystem = &command.fileSystem;
  return options;
}

std::string ingot::evaluationDirectory(const std::string &modelDirectory,
                                       const std::string &name) {
  return modelDirectory + "/eval" + (name.empty() ? "" : "_" + name);
}
