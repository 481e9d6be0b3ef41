//===- PredictCommand.cpp - trainer predict -------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/ErrorHints.h"
#include "runtime/CommandLine/Evaluation/PredictionRows.h"
#include "runtime/CommandLine/HookOptions.h"
#include "runtime/CommandLine/ModelDirectory.h"
#include "runtime/CommandLine/ProgramFile.h"
#include "runtime/CommandLine/TrainerExtension.h"
#include "runtime/CommandLine/TrainerMain.h"
#include "runtime/CommandLine/Verbs/TrainOptions.h"
#include "runtime/Session/TrainingLoop.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <map>

using namespace ingot;

static constexpr FlagSpec ownPredictFlags[] = {
    {"--model-dir", "DIR", "restore the newest checkpoint in DIR"},
    {"--checkpoint", "PREFIX", "restore this checkpoint"},
    {"--input", "FILE|-", "read examples: CSV, JSON lines or TFRecord"},
    {"--output", "FILE|-", "write predictions, one row per example"},
    {"--input-format", "csv|jsonl|tfrecord",
     "read this format (default: by the name's ending)"},
    {"--output-format", "csv|jsonl|tfrecord",
     "write this format (default: by the name's ending, else the input's)"},
    {"--entry", "NAME",
     "run this entry (default: the graph's serving signature)"},
    {"--feed", "NAME=VALUE|@FILE.npy",
     "feed a value that is not a column of the input", true},
    {"--missing", "NAME=VALUE",
     "take VALUE where a row has no number for input NAME", true},
    {"--batch", "N",
     "predict N examples at a time (default: 64, or as compiled)"},
    {"--data-dir", "DIR",
     "resolve the graph's relative file names against DIR"},
    {"--data-map", "FROM=TO",
     "replace FROM at the start of the graph's file names by TO", true},
    {"--seed", "N", "seed random ops that have no seed (default: random)"},
    {"--threads", "N", "compute with N threads, 0: one per core (default: 0)"},
    {"--device", "cpu|cuda:N", "compute on this device (default: as compiled)"},
    {"--quiet", nullptr, "print warnings and errors only"},
};
static constexpr FlagSpec helpFlag[] = {{"--help", nullptr, "print this"}};
static constexpr auto predictFlags =
    joinFlags(ownPredictFlags, hookFlags, directoryFlags, helpFlag);

namespace {

struct PredictOptions {
  const ingot_entry *entry = nullptr;
  std::string input, output;
  RowFormat inputFormat = RowFormat::Csv, outputFormat = RowFormat::Csv;
  int64_t batch = 64;
  bool isFixed = false; // whether the entry needs batches of size `batch`
  bool isOpen = false;  // whether rows may differ in shape
  std::vector<size_t> rowFeeds; // indices of feeds that are input columns
  std::map<std::string, std::string> missing; // values of --missing, by feed
  SessionOptions session;
  CheckpointManagerOptions folder;
  HookOptions hooks;
};

} // namespace

static const ingot_entry *findPrediction(const ingot_program &program,
                                         const std::string &name) {
  if (!name.empty())
    return findEntry(program, name);
  if (program.prediction >= 0)
    return &program.entries[program.prediction];
  return findEntry(program, INGOT_ROLE_PREDICT);
}

/// Finds the feeds that come from columns of the input (all feeds that no
/// --feed gives), and the batch size if it is static. Returns a usage error if
/// the input format cannot express the shape of a feed.
static std::optional<UsageError> readColumns(const CommandContext &command,
                                             PredictOptions &options) {
  std::vector<std::string> given;
  for (const std::string &text : command.flags.all("--feed"))
    given.push_back(text.substr(0, text.find('=')));
  const ingot_entry &entry = *options.entry;
  size_t numOpen = 0;
  for (uint32_t i = 0; i < entry.num_feeds; ++i) {
    const ingot_tensor_spec &spec = entry.feeds[i];
    bool isGiven =
        std::any_of(given.begin(), given.end(), [&](const std::string &name) {
          return findTensor({&spec, 1}, name) == 0;
        });
    if (isGiven)
      continue;
    if (spec.rank == 0)
      return UsageError{
          "feed '" + std::string(spec.name) +
              "' is a scalar, which no column of --input can fill",
          "give its value with --feed NAME=VALUE"};
    // A row of CSV or TFRecord is a flat list of numbers. With two or more
    // dynamic dimensions, its shape does not follow from its length, but nested
    // lists of JSON have a shape.
    auto open = std::count_if(spec.dims + 1, spec.dims + spec.rank,
                              [](int64_t size) { return size < 0; });
    numOpen += open > 0;
    if (open > 1 && options.inputFormat != RowFormat::JsonLines)
      return UsageError{"feed '" + std::string(spec.name) + "' is " +
                            typeText(spec) +
                            ": with several dynamic dimensions, a row's shape "
                            "does not follow from its number of elements",
                        "convert the input to JSON lines with nested lists"};
    if (spec.dims[0] >= 0) {
      if (options.isFixed && options.batch != spec.dims[0])
        return UsageError{
            "feed '" + std::string(spec.name) + "' has batch size " +
                std::to_string(spec.dims[0]) + ", but earlier feeds have " +
                std::to_string(options.batch),
            "use 'PROGRAM run', which feeds whole tensors"};
      options.batch = spec.dims[0];
      options.isFixed = true;
    }
    options.rowFeeds.push_back(i);
  }
  if (options.rowFeeds.empty())
    return UsageError{"entry '" + std::string(entry.name) +
                          "' has no feed that --input can fill",
                      "use 'PROGRAM run', which needs no --input"};
  if (options.inputFormat == RowFormat::Csv && numOpen > 0 &&
      options.rowFeeds.size() > 1)
    return UsageError{"a CSV row cannot be split among several feeds, as one "
                      "of them has a dynamic shape",
                      "convert the input to JSON lines or TFRecord"};
  options.isOpen = numOpen > 0;
  return std::nullopt;
}

/// Returns true if the initial values of the variables are the trained ones, so
/// predicting needs no checkpoint. This is so if the program has no training
/// step, as with a SavedModel.
static bool hasOwnNumbers(const ingot_program &program) {
  return !findEntry(program, INGOT_ROLE_STEP);
}

/// Reads the values of --missing, each NAME=VALUE, where NAME is a numeric feed
/// that comes from columns of the input.
static std::optional<UsageError> readMissing(const CommandContext &command,
                                             PredictOptions &options) {
  for (const std::string &text : command.flags.all("--missing")) {
    size_t equals = text.find('=');
    if (equals == std::string::npos)
      return UsageError{"--missing: expected NAME=VALUE, found '" + text + "'",
                        ""};
    std::string name = columnName(text.substr(0, equals).c_str());
    std::string value = text.substr(equals + 1);
    auto feed = std::find_if(
        options.rowFeeds.begin(), options.rowFeeds.end(), [&](size_t index) {
          return columnName(options.entry->feeds[index].name) == name;
        });
    if (feed == options.rowFeeds.end())
      return unknownTensor("--missing", name, "input", feedsOf(*options.entry),
                           "");
    FeedBatchBuilder column(options.entry->feeds[*feed]);
    if (column.dtype() == INGOT_STRING)
      return UsageError{"--missing: '" + name +
                            "' is an input of strings: only inputs of numbers "
                            "can have a value for missing ones",
                        ""};
    if (!column.add(value))
      return UsageError{"--missing: '" + name + "': '" + value +
                            "' is not a valid " + dtypeName(column.dtype()),
                        ""};
    options.missing[name] = value;
  }
  return std::nullopt;
}

static std::optional<UsageError> readOptions(const CommandContext &command,
                                             PredictOptions &options) {
  const ParsedFlags &flags = command.flags;
  if (!flags.positionals().empty())
    return UsageError{
        "unexpected argument '" + flags.positionals().front() + "'", ""};
  for (const char *flag : {"--input", "--output"})
    if (!flags.has(flag))
      return UsageError{std::string(flag) +
                            " is missing: give a file name, or - for a pipe",
                        ""};
  if (!flags.has("--model-dir") && !flags.has("--checkpoint") &&
      !hasOwnNumbers(command.program))
    return UsageError{"--model-dir is missing: it names the folder of "
                      "checkpoints",
                      ""};
  options.input = flags.get("--input");
  options.output = flags.get("--output");
  for (const char *flag : {"--input-format", "--output-format"})
    if (flags.has(flag) && !findRowFormat(flags.get(flag), ""))
      return UsageError{std::string(flag) +
                            ": expected csv, jsonl or tfrecord, found '" +
                            flags.get(flag) + "'",
                        ""};
  auto format = findRowFormat(flags.get("--input-format"), options.input);
  if (!format)
    return UsageError{"the format of '" + options.input +
                          "' does not follow from its name",
                      "give --input-format csv|jsonl|tfrecord"};
  options.inputFormat = *format;
  options.outputFormat =
      findRowFormat(flags.get("--output-format"), options.output)
          .value_or(*format);
  options.entry = findPrediction(command.program, flags.get("--entry"));
  if (!options.entry)
    return UsageError{
        flags.has("--entry") ? "no entry '" + flags.get("--entry") + "'"
                             : "this program has no entry that predicts",
        flags.has("--entry")
            ? "run 'PROGRAM info' to list the entries; --entry of ingotc adds "
              "one"
            : "compile the program with an entry that predicts, for example "
              "--entry 'predict=images->logits'"};
  std::optional<UsageError> error;
  options.session = readSessionOptions(command, error);
  options.hooks = readUserHooks(flags, error);
  options.folder = readModelDirectory(command, error);
  options.batch = flags.getInteger("--batch", 64, 1, error);
  if (!error)
    error = checkFeeds(command, *options.entry);
  if (!error)
    error = readColumns(command, options);
  if (!error)
    error = readMissing(command, options);
  return error;
}

namespace {

/// Reads rows of the input and gathers them into batches.
class RowBatcher {
public:
  RowBatcher(const PredictOptions &options, PredictionRowReader &reader)
      : options(options), reader(reader) {
    columns = makeColumns();
  }

  /// Reads the next batch into `columns`. All rows of a batch have the same
  /// shape. Returns the number of rows, or 0 at the end of the input.
  Expected<int64_t> next() {
    int64_t rows = 0;
    for (FeedBatchBuilder &column : columns)
      column.clear();
    while (rows < options.batch && !ended) {
      if (!options.isOpen) {
        INGOT_ASSIGN_OR_RETURN(bool more, reader.next(columns));
        ended = !more;
        rows += more;
        continue;
      }
      // If a feed has a dynamic dimension, the shapes of rows may differ. A row
      // whose shape differs from those in `columns` stays in `row` and starts
      // the next batch.
      if (row.empty()) {
        row = makeColumns();
        INGOT_ASSIGN_OR_RETURN(bool more, reader.next(row));
        ended = !more;
        if (ended)
          break;
      }
      for (size_t i = 0; i < row.size() && rows > 0; ++i)
        if (!std::ranges::equal(row[i].rowShape(), columns[i].rowShape()))
          return rows;
      for (size_t i = 0; i < row.size(); ++i)
        columns[i].append(row[i]);
      row.clear();
      ++rows;
    }
    return rows;
  }

  std::vector<FeedBatchBuilder> columns;

private:
  std::vector<FeedBatchBuilder> makeColumns() const {
    std::vector<FeedBatchBuilder> made;
    for (size_t feed : options.rowFeeds) {
      FeedBatchBuilder &column = made.emplace_back(options.entry->feeds[feed]);
      if (auto found = options.missing.find(column.name());
          found != options.missing.end())
        column.setWhereMissing(found->second);
    }
    return made;
  }

  const PredictOptions &options;
  PredictionRowReader &reader;
  /// A row that was read but is in no batch yet, because its shape differs from
  /// the shape of the rows before it; empty if there is none.
  std::vector<FeedBatchBuilder> row;
  bool ended = false;
};

/// Lets the program's extension change the restored variables before other
/// hooks see them (TrainerExtension::prepareState()).
class RestoredStatePreparationHook final : public SessionRunHook {
public:
  RestoredStatePreparationHook(const CommandContext &command,
                               const SessionManager &manager)
      : command(command), manager(manager) {}

  const char *name() const override { return "State"; }
  HookPriority priority() const override { return HookPriority::First; }
  Status afterCreateSession(SessionRunContext &context) override {
    return prepareState(context.session.context(), command.fileSystem,
                        manager.restoredFrom());
  }

private:
  const CommandContext &command;
  const SessionManager &manager;
};

/// Feeds each batch of the input, writes its predictions, and ends the run in
/// beforeRun() after the last batch. It is the last hook. So when it ends the
/// run, beforeRun() of all other hooks has been called, as when an input
/// pipeline ends. And if afterRun() of another hook fails, the batch is not
/// written.
class PredictionInputOutputHook final : public SessionRunHook {
public:
  PredictionInputOutputHook(const CommandContext &command,
                            const PredictOptions &options,
                            std::vector<NamedFeed> feeds)
      : command(command), options(options), feeds(std::move(feeds)) {}

  const char *name() const override { return "Rows"; }
  HookPriority priority() const override { return HookPriority::Last; }

  Status afterCreateSession(SessionRunContext &) override {
    if (reader) // already open: the session was recovered
      return Status::ok();
    INGOT_ASSIGN_OR_RETURN(reader, PredictionRowReader::open(
                                       command.fileSystem, options.input,
                                       options.inputFormat, &command.console));
    batches.emplace(options, *reader);
    INGOT_ASSIGN_OR_RETURN(
        writer, PredictionRowWriter::create(command.fileSystem, options.output,
                                            options.outputFormat));
    return Status::ok();
  }

  Status beforeRun(SessionRunContext &, SessionRunArgs &request) override {
    std::vector<FeedBatchBuilder> &columns = batches->columns;
    // If `rows` is not 0, the previous batch was not written: its step failed,
    // and the session was recovered. Predict that batch again.
    if (rows == 0) {
      INGOT_ASSIGN_OR_RETURN(rows, batches->next());
      if (rows == 0)
        return Status(StatusCode::OutOfRange, "all examples were predicted");
      batch = options.isFixed ? options.batch : rows;
      for (FeedBatchBuilder &column : columns)
        column.pad(batch);
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      INGOT_ASSIGN_OR_RETURN(ingot_tensor tensor, columns[i].tensor(batch));
      request.feeds.push_back(
          {options.entry->feeds[options.rowFeeds[i]].name, tensor});
    }
    for (NamedFeed &feed : feeds)
      request.feeds.push_back({feed.name, feed.value.tensor()});
    return Status::ok();
  }

  Status afterRun(SessionRunContext &,
                  const SessionRunValues &values) override {
    INGOT_RETURN_IF_ERROR(
        writer->write(values.step, std::exchange(rows, 0), batch));
    // Flush each batch to standard output, as a program that reads it from a
    // pipe may wait for the predictions.
    return options.output == "-" ? writer->flush() : Status::ok();
  }

  /// Completes the output. Called after the last batch.
  Status finish() { return writer->finish(); }

private:
  const CommandContext &command;
  const PredictOptions &options;
  std::vector<NamedFeed> feeds;
  std::unique_ptr<PredictionRowReader> reader;
  std::optional<RowBatcher> batches;
  std::unique_ptr<PredictionRowWriter> writer;
  /// `rows` is the number of rows of the current batch, or 0 once the batch is
  /// written. `batch` is the number of rows including padding.
  int64_t rows = 0, batch = 0;
};

} // namespace

/// Reads the input batch by batch, runs the entry on each batch with hooks
/// around it, and writes its predictions.
static Status predict(const CommandContext &command,
                      const PredictOptions &options, Session &session,
                      SessionManager &manager) {
  INGOT_ASSIGN_OR_RETURN(std::vector<NamedFeed> feeds,
                         loadFeeds(command, *options.entry));
  TrainingLoop loop(session, manager, *options.entry, /*trains=*/false);
  loop.addHook(
      std::make_unique<RestoredStatePreparationHook>(command, manager));
  INGOT_RETURN_IF_ERROR(addUserHooks(loop, command, options.hooks));
  auto hook = std::make_unique<PredictionInputOutputHook>(command, options,
                                                          std::move(feeds));
  PredictionInputOutputHook &rows = *hook;
  loop.addHook(std::move(hook));
  INGOT_RETURN_IF_ERROR(loop.run());
  return rows.finish();
}

static int runPredict(CommandContext &command) {
  command.console.setQuiet(command.flags.has("--quiet") ||
                           command.flags.get("--output") == "-");
  PredictOptions options;
  if (auto error = readOptions(command, options))
    return command.usage(*error);
  warnOfOtherProgram(command);
  CheckpointManager checkpoints(command.fileSystem, options.folder);
  SessionStateSource source;
  source.checkpoint = command.flags.get("--checkpoint");
  if (command.flags.has("--model-dir") && source.checkpoint.empty()) {
    source.checkpoints = &checkpoints;
    source.mustRestore = true;
  }
  source.lazyIterators = source.freshIterators = true;
  // The checkpoint may have values for which this program has no variable, such
  // as the slot variables of training.
  source.restoreOptions.allowUnused = true;
  source.check = checkpointCheck(command.program, command.fileSystem);
  auto session = Session::create(command.program, options.session);
  if (!session)
    return command.fail(session.status());
  SessionManager manager(source, command.console);
  Status status = predict(command, options, **session, manager);
  return status.isOk()
             ? ExitDone
             : failSession(command, status, manager.failedOnCheckpoint());
}

const TrainerSubcommand ingot::predictVerb = {
    "predict",
    "--model-dir DIR [--checkpoint PREFIX] --input FILE|- --output FILE|- "
    "[FLAGS]",
    "predict examples from a file",
    "--model-dir run --input digits.csv --output predictions.jsonl",
    predictFlags,
    runPredict,
};
