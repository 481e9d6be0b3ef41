//===- TrainOptions.cpp - The flags of a training run ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Verbs/TrainOptions.h"

#include "runtime/CommandLine/Evaluation/BestCheckpointSaver.h"
#include "runtime/CommandLine/Feeds/FeedFiles.h"
#include "runtime/CommandLine/ModelDirectory.h"
#include "runtime/CommandLine/Verbs/PlateauFlag.h"
#include "runtime/CommandLine/Verbs/SaverFlags.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Numeric.h"
#include "runtime/Support/ParseNumber.h"

#include <algorithm>
#include <cstdlib>

using namespace ingot;

std::span<const FlagSpec> ingot::trainFlagSpecs() {
  static const TrainFlags own;
  static const std::vector<FlagSpec> all = [] {
    std::vector<FlagSpec> specs = own.specs();
    specs.push_back({"How checkpoints are written", nullptr, nullptr});
    specs.insert(specs.end(), std::begin(saveFlags), std::end(saveFlags));
    specs.push_back({"--help", nullptr, "print this"});
    return specs;
  }();
  return all;
}

/// Finds the fetches of the step that --loss and --fetch name.
static std::optional<UsageError> readFetches(const CommandContext &command,
                                             TrainOptions &options) {
  const char *hint = "a tensor can be fetched when the graph was compiled with "
                     "--observe TENSOR";
  auto fetches = fetchesOf(*options.step);
  const char *defaultLoss = command.program.loss;
  if (!options.lossName.isGiven() && defaultLoss)
    options.lossName = defaultLoss;
  if (const std::string &loss = options.lossName; !loss.empty()) {
    const char *flag = options.lossName.name();
    options.loss = findTensor(fetches, loss);
    if (options.loss < 0)
      return unknownTensor(flag, loss, "tensor", fetches, hint);
    if (!isNumeric(fetches[static_cast<size_t>(options.loss)].dtype))
      return UsageError{
          std::string(flag) + ": '" + loss + "' is " +
              dtypeName(fetches[static_cast<size_t>(options.loss)].dtype) +
              ", expected a numeric tensor",
          ""};
  }
  for (const std::string &name : options.fetchNames.get()) {
    int index = findTensor(fetches, name);
    if (index < 0)
      return unknownTensor(options.fetchNames.name(), name, "tensor", fetches,
                           hint);
    options.fetches.push_back(static_cast<size_t>(index));
  }
  return std::nullopt;
}

/// Checks that --feed names placeholders of `entry`. Hooks have to feed the
/// placeholders that --feed does not name.
std::optional<UsageError> ingot::checkFeeds(const CommandContext &command,
                                            const ingot_entry &entry,
                                            const char *flag) {
  std::vector<FeedFlag> flags;
  return parseFeeds(command, feedsOf(entry), "placeholder", flags, flag,
                    /*takesFiles=*/flag == std::string_view("--feed"));
}

std::optional<UsageError> ingot::checkFeedFiles(const CommandContext &command,
                                                bool takesFrames) {
  const char *flag = "--feed";
  bool cuts = command.flags.has("--batch");
  size_t files = 0;
  for (const std::string &text : command.flags.all(flag)) {
    if (size_t equals = text.find('='); !isFeedFile(text)) {
      if (!takesFrames && equals != std::string::npos &&
          isSchedule(std::string_view(text).substr(equals + 1)))
        return UsageError{std::string(flag) + ": '" + text.substr(equals + 2) +
                              "' is a schedule by step, for training only",
                          "--feed " + text.substr(0, equals + 1) +
                              "VALUE feeds an evaluation"};
      continue;
    }
    if (++files > 1)
      return UsageError{
          std::string(flag) +
              ": only one file that feeds several placeholders can be given",
          "feed each further placeholder by --feed NAME=@FILE.npy"};
    if (isFrames(text) && !takesFrames)
      return UsageError{std::string(flag) +
                            ": @-, standard input, feeds training steps only: "
                            "give an evaluation a file",
                        ""};
    if (isFrames(text) && cuts)
      return UsageError{"--batch cuts files into batches, but with --feed @- "
                        "each frame is already a batch: omit --batch",
                        ""};
    if (isFrames(text))
      continue;
    if (!isArchive(text) && !findRowFormat("", text.substr(1)))
      return UsageError{std::string(flag) + ": unknown format of '" +
                            text.substr(1) + "'",
                        "use a name ending in .csv, .jsonl, .tfrecord or .npz; "
                        "give an array as NAME=@FILE.npy"};
    if (!cuts)
      return UsageError{std::string(flag) + ": '" + text.substr(1) +
                            "' has one example per row: --batch N is missing",
                        ""};
  }
  return std::nullopt;
}

/// Reads the flags that say where variables get their first values from.
static std::optional<UsageError> readSource(const CommandContext &command,
                                            TrainOptions &options) {
  SessionStateSource &source = options.source;
  source.startFrom = options.checkpoint;
  source.initFrom = options.initFrom;
  source.waitForCheckpoint = options.waitsForCheckpoint;
  source.maxWaitSeconds = options.maxWaitSeconds.get().value;
  if (options.maxWaitSeconds.isGiven())
    source.maxChiefWaitSeconds = source.maxWaitSeconds;
  source.inputIsElsewhere = options.savesInput;
  source.recoveryWaitSeconds = options.recoveryWaitSeconds;
  // Processes that share the members of an ensemble wait at the start of each
  // iteration until the chief has saved its first checkpoint. They poll every
  // five seconds, the default of adanet.Estimator's `worker_wait_secs`.
  if (const TrainerExtension *extension = extensionOf(command.program);
      extension && extension->isDistributed(command.program) &&
      !options.recoveryWaitSeconds.isGiven())
    source.recoveryWaitSeconds = 5;
  RestoreOptions &restores = source.restoreOptions;
  restores.allowMissing = options.allowMissing;
  restores.allowUnused = options.allowUnused;
  restores.reshape = options.reshapes;
  if (options.restoresSequentially)
    restores.threads = 1;
  source.initOptions = restores;
  for (const std::string &map : options.restoreMap.get()) {
    size_t equals = map.find('=');
    if (equals == std::string::npos || equals == 0)
      return wrongValue(options.restoreMap, "REGEX=REPL", map);
    source.initOptions.renames.emplace_back(map.substr(0, equals),
                                            map.substr(equals + 1));
  }
  return std::nullopt;
}

/// Parses the --stop-if-... flags, METRIC:NUMBER each.
static std::optional<UsageError> readStopConditions(TrainOptions &options) {
  const std::pair<const Flag<std::vector<std::string>> *,
                  EarlyStoppingCondition::Kind>
      kinds[] = {
          {&options.stopIfLower, EarlyStoppingCondition::IfLower},
          {&options.stopIfHigher, EarlyStoppingCondition::IfHigher},
          {&options.stopIfNoDecrease, EarlyStoppingCondition::IfNoDecrease},
          {&options.stopIfNoIncrease, EarlyStoppingCondition::IfNoIncrease}};
  for (auto [flag, kind] : kinds)
    for (const std::string &text : flag->get()) {
      size_t colon = text.rfind(':');
      EarlyStoppingCondition condition;
      condition.kind = kind;
      condition.flag = flag->name();
      condition.metric = text.substr(0, colon);
      condition.minSteps = options.earlyStoppingMinSteps;
      std::string number =
          colon == std::string::npos ? "" : text.substr(colon + 1);
      char *end = nullptr;
      condition.threshold = std::strtod(number.c_str(), &end);
      condition.stepsWithout = static_cast<int64_t>(condition.threshold);
      if (condition.metric.empty() || number.empty() || *end != '\0')
        return wrongValue(*flag, "METRIC:NUMBER", text);
      options.stopConditions.push_back(std::move(condition));
    }
  return std::nullopt;
}

std::optional<UsageError>
ingot::checkStopConditions(const CommandContext &command,
                           TrainOptions &options) {
  if (!options.plateaus.empty())
    return UsageError{options.reduceLearningRate.name() +
                          std::string(": 'PROGRAM train' evaluates nothing"),
                      "use train-and-evaluate"};
  for (EarlyStoppingCondition &condition : options.stopConditions) {
    if (!options.evalName.isGiven())
      return UsageError{condition.flag + ": 'PROGRAM train' evaluates nothing",
                        "use train-and-evaluate, or --eval-name NAME to read "
                        "another process's evaluations"};
    EvaluationOptions all;
    bool isKnown = false;
    for (uint32_t i = 0; i < command.program.num_entries && !isKnown; ++i) {
      all.update = &command.program.entries[i];
      resolveMetric(all, condition.metric, command.program.loss);
      isKnown = checkMetric(all, condition.metric, command.program.loss).isOk();
    }
    if (!isKnown)
      return UsageError{
          condition.flag + ": no entry of this program has metric '" +
              condition.metric + "'",
          "run 'PROGRAM info' to list the entries and what they fetch"};
  }
  return std::nullopt;
}

/// Reads the role of this process (chief, worker or evaluator) from the
/// environment variable TF_CONFIG.
static std::optional<UsageError> readCluster(TrainOptions &options) {
  const char *text = std::getenv("TF_CONFIG");
  auto cluster = parseCluster(text ? text : "");
  if (!cluster)
    return UsageError{cluster.status().message(), ""};
  if (cluster->type == "ps")
    return UsageError{"TF_CONFIG: this process is " + cluster->self() +
                          ", but trainers need no parameter servers",
                      "start chief and workers only"};
  options.source.cluster = std::move(*cluster);
  options.source.writes = options.source.cluster.isChief();
  return std::nullopt;
}

/// Returns a usage error if both flags of any pair in `pairs` are given.
static std::optional<UsageError> checkExclusive(
    std::initializer_list<std::pair<const UntypedFlag *, const UntypedFlag *>>
        pairs) {
  for (auto [a, b] : pairs)
    if (a->isGiven() && b->isGiven())
      return UsageError{a->name() + std::string(" and ") + b->name() +
                            " exclude one another",
                        ""};
  return std::nullopt;
}

/// Reads the flags for the intervals of saves, summaries and logs.
static std::optional<UsageError> readTimes(TrainOptions &options) {
  if (auto error =
          checkExclusive({{&options.maxSteps, &options.steps},
                          {&options.saveSteps, &options.saveSeconds},
                          {&options.logSteps, &options.logSeconds},
                          {&options.summarySteps, &options.summarySeconds},
                          {&options.trace, &options.checksNumerics},
                          {&options.onNan, &options.terminatesOnNan},
                          {&options.checkpoint, &options.initFrom},
                          {&options.checkpoint, &options.waitsForCheckpoint}}))
    return error;
  if (options.saveSteps > 0)
    options.saveSeconds = 0;
  if (options.logSteps.isGiven())
    options.logSeconds = 0;
  if (options.summarySteps.isGiven())
    options.summarySeconds = 0;
  // By default, steps per second are written as often as summaries. So a run
  // that writes no summaries writes no event file.
  if (!options.countSteps.isGiven() && options.summarySteps >= 0)
    options.countSteps = options.summarySteps.get();
  return std::nullopt;
}

/// Finds the savers that --also-save names by their scopes.
static std::optional<UsageError> readSavers(const ingot_program &program,
                                            TrainOptions &options) {
  std::string others;
  for (uint32_t i = 1; i < program.num_savers; ++i)
    others += std::string(i > 1 ? ", '" : "'") + program.savers[i].name + "'";
  for (const std::string &scope : options.alsoSave.get()) {
    uint32_t saver = 0;
    while (saver < program.num_savers && program.savers[saver].name != scope)
      ++saver;
    auto &chosen = options.furtherSavers;
    bool isSessions = saver == 0 && program.num_savers > 0;
    if (saver == program.num_savers || isSessions)
      return UsageError{options.alsoSave.name() + std::string(": '") + scope +
                            (isSessions
                                 ? "' is the saver that the run saves with"
                                 : "' is not a saver of this program"),
                        others.empty() ? "this program has no further savers"
                                       : "its further savers are: " + others};
    if (std::find(chosen.begin(), chosen.end(), saver) == chosen.end())
      chosen.push_back(saver);
  }
  return std::nullopt;
}

/// Finds the compiled functions (entries) that the run needs, and checks the
/// flags about their feeds and fetches.
static std::optional<UsageError> readEntries(const CommandContext &command,
                                             TrainOptions &options) {
  options.step = findEntry(command.program, INGOT_ROLE_STEP);
  if (!options.step)
    return UsageError{"this program has no training step",
                      "compile one in with --step NAME, or with --loss TENSOR "
                      "and --optimizer NAME:RATE; run 'PROGRAM info' to list "
                      "the entries"};
  if (const std::string &name = options.finalName;
      options.finalName.isGiven()) {
    options.final = findEntry(command.program, name);
    if (!options.final || options.final->num_feeds != 0)
      return UsageError{options.finalName.name() + std::string(": '") + name +
                            "' is " +
                            (options.final ? "an entry with feeds"
                                           : "no entry of this program"),
                        "run 'PROGRAM info' to list the entries"};
  }
  if (auto error = readFetches(command, options))
    return error;
  if (const ingot_entry *init = findEntry(command.program, INGOT_ROLE_INIT))
    if (auto error = checkFeeds(command, *init, options.initFeed.name()))
      return error;
  if (options.initFeed.isGiven() &&
      !findEntry(command.program, INGOT_ROLE_INIT))
    return UsageError{options.initFeed.name() +
                          std::string(": this program has no init entry"),
                      "run 'PROGRAM info' to list the entries"};
  for (const UntypedFlag *flag : std::initializer_list<const UntypedFlag *>{
           &options.shuffle, &options.epochs})
    if (flag->isGiven() && !options.batch.isGiven())
      return UsageError{flag->name() + std::string(" needs --batch N"), ""};
  if (auto error = checkFeedFiles(command))
    return error;
  return checkFeeds(command, *options.step);
}

std::optional<UsageError> ingot::readTrainOptions(const CommandContext &command,
                                                  TrainOptions &options) {
  const ParsedFlags &flags = command.flags;
  if (!flags.positionals().empty())
    return UsageError{
        "unexpected argument '" + flags.positionals().front() + "'", ""};
  std::optional<UsageError> error = options.read(flags);
  if (options.modelDir->empty())
    return UsageError{options.modelDir.name() +
                          std::string(" is missing: it names the folder of "
                                      "checkpoints and summaries"),
                      ""};
  if (!error)
    error = readTimes(options);
  options.checkpoints = modelDirectory(command.program, options.modelDir);
  options.modelDirectory = options.checkpoints.directory;
  options.evaluations =
      evaluationDirectory(options.modelDirectory, options.evalName);
  if (!error)
    error = readSaveFlags(flags, command.program, options.checkpoints,
                          options.saves);
  options.session = readSessionOptions(command, error);
  if (const std::string &format = options.logFormat;
      !error && format != "text" && format != "json")
    error = wrongValue(options.logFormat, "text or json", format);
  if (options.logFormat.get() == "json")
    command.console.setJson({options.status, &options.status->step});
  if (!error && options.metricsPort > 65535)
    error = wrongValue(options.metricsPort, "a port from 0 to 65535",
                       std::to_string(options.metricsPort));
  if (!error && options.metricsHost.isGiven() && options.metricsPort < 0)
    error = UsageError{options.metricsHost.name() +
                           std::string(" needs --metrics-port PORT"),
                       ""};
  if (const std::string &what = options.onNan;
      !error && what != "fail" && what != "stop" && what != "ignore")
    error = wrongValue(options.onNan, "fail, stop or ignore", what);
  if (options.savesInput)
    options.saves.iterators = IteratorsToSave::Named;
  if (!error)
    error = readSavers(command.program, options);
  if (!error)
    error = readStopConditions(options);
  if (!error)
    error = readPlateaus(command.program, options);
  const TrainerExtension *extension = extensionOf(command.program);
  if (extension && !error && !options.checkpoints.numbersSteps)
    error = UsageError{"--no-step-number: a search tells its checkpoints apart "
                       "by their steps",
                       ""};
  if (extension && !error)
    error = extension->readTraining(command, options.extension);
  if (!error)
    error = readSource(command, options);
  if (!error)
    error = readCluster(options);
  if (!error)
    error = readEntries(command, options);
  return error;
}

Expected<std::vector<NamedFeed>> ingot::loadFeeds(const CommandContext &command,
                                                  const ingot_entry &entry,
                                                  const char *flag,
                                                  bool dynamicBatch) {
  std::vector<NamedFeed> feeds;
  for (const std::string &text :
       splitFeeds(command.flags.all(flag), feedsOf(entry))) {
    if (isFeedFile(text))
      continue;
    std::string name = text.substr(0, text.find('='));
    // Skip a --feed of a placeholder that `entry` lacks: one command line may
    // feed several entries, such as the training step and an evaluation.
    int index = findTensor(feedsOf(entry), name);
    if (index < 0)
      continue;
    NamedFeed &feed = feeds.emplace_back();
    feed.name = std::move(name);
    const ingot_tensor_spec &spec = entry.feeds[index];
    std::string value = text.substr(feed.name.size() + 1);
    if (isSchedule(value)) {
      feeds.pop_back();
      continue;
    }
    INGOT_RETURN_IF_ERROR(value.starts_with('@')
                              ? feed.value.read(command.fileSystem,
                                                value.substr(1), spec,
                                                dynamicBatch)
                              : feed.value.parse(value, spec));
  }
  return feeds;
}

Status ingot::loadInitFeeds(const CommandContext &command,
                            TrainOptions &options) {
  const ingot_entry *init = findEntry(command.program, INGOT_ROLE_INIT);
  options.source.initFeeds.clear();
  if (!init)
    return Status::ok();
  INGOT_ASSIGN_OR_RETURN(options.initFeeds,
                         loadFeeds(command, *init, options.initFeed.name()));
  // Collect the values in the order of the init entry's feeds, and stop at the
  // first feed without a value. A missing value is not an error here, because
  // the init entry is not run if a checkpoint is restored.
  for (int i = 0; i < static_cast<int>(init->num_feeds); ++i) {
    auto given =
        std::find_if(options.initFeeds.begin(), options.initFeeds.end(),
                     [&](const NamedFeed &feed) {
                       return findTensor(feedsOf(*init), feed.name) == i;
                     });
    if (given == options.initFeeds.end())
      break;
    options.source.initFeeds.push_back(given->value.tensor());
  }
  return Status::ok();
}

/// Returns the error message for an invalid --device, or "" if it is valid.
static std::string checkDevice(const ingot_program &program,
                               const std::string &device) {
  if (device.empty() || device == "cpu")
    return "";
  size_t colon = device.find(':');
  std::string kind = device.substr(0, colon);
  if (kind != "cuda")
    return "expected cpu, cuda:0, cuda:1 ...";
  if (colon != std::string::npos) {
    int32_t number;
    if (!parseNumber(std::string_view(device).substr(colon + 1), INGOT_INT32,
                     &number) ||
        number < 0)
      return "expected the number of a GPU after 'cuda:'";
  }
  bool isThere = std::any_of(
      program.devices, program.devices + program.num_devices,
      [&](const ingot_device &known) { return known.name == kind; });
  return isThere ? ""
                 : "this program is compiled for cpu only; compile it with "
                   "--target=" +
                       kind;
}

SessionOptions ingot::readSessionOptions(const CommandContext &command,
                                         std::optional<UsageError> &error) {
  const ParsedFlags &flags = command.flags;
  SessionOptions options;
  options.threads = static_cast<unsigned>(
      std::min<int64_t>(flags.getInteger("--threads", 0, 0, error), 4096));
  options.device = flags.get("--device");
  if (auto wrong = checkDevice(command.program, options.device);
      !wrong.empty() && !error)
    error = UsageError{"--device: '" + options.device + "': " + wrong, ""};
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
