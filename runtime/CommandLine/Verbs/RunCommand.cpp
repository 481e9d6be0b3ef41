//===- RunCommand.cpp - trainer run ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Verbs/Commands.h"

#include "runtime/CommandLine/ErrorHints.h"
#include "runtime/CommandLine/Feeds/FeedValue.h"
#include "runtime/CommandLine/ModelDirectory.h"
#include "runtime/CommandLine/ProgramFile.h"
#include "runtime/CommandLine/TrainerExtension.h"
#include "runtime/CommandLine/TrainerMain.h"
#include "runtime/CommandLine/Verbs/TrainOptions.h"
#include "runtime/Formats/Npy.h"
#include "runtime/Session/CheckpointContents.h"
#include "runtime/Session/FeedDefaults.h"
#include "runtime/Session/SessionManager.h"
#include "runtime/Support/Json.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace ingot;

static constexpr FlagSpec ownRunFlags[] = {
    {"--feed", "NAME=VALUE|@FILE.npy",
     "feed a number, [a,b,...], a text or a file", true},
    {"--fetch", "NAME[=@FILE.npy]",
     "print this output or write it to a file (default: print all)", true},
    {"--model-dir", "DIR",
     "restore its newest checkpoint; save changed variables there"},
    {"--checkpoint", "PREFIX", "restore this checkpoint"},
    {"--data-dir", "DIR",
     "resolve the graph's relative file names against DIR"},
    {"--data-map", "FROM=TO",
     "replace FROM at the start of the graph's file names by TO", true},
    {"--seed", "N",
     "seed random ops that have no seed (default: random; a checkpoint keeps "
     "its own)"},
    {"--threads", "N", "compute with N threads, 0: one per core (default: 0)"},
    {"--device", "cpu|cuda:N", "compute on this device (default: as compiled)"},
    {"--times", "N", "run N times, print the last run's outputs (default: 1)"},
    {"--json", nullptr, "print one JSON object"},
    {"--quiet", nullptr, "print results, warnings and errors only"},
};
static constexpr FlagSpec helpFlag[] = {{"--help", nullptr, "print this"}};
static constexpr auto runFlags =
    joinFlags(ownRunFlags, directoryFlags, helpFlag);

namespace {

/// A value of --fetch: the fetch's index, and the file to write it to.
struct FetchFlag {
  size_t index;
  std::string file; // "": print the value
};

/// The value of a placeholder's --feed flag; `text` is std::nullopt if the
/// placeholder has no such flag.
struct Feed {
  std::optional<std::string> text;
  bool isFile = false;
  FeedValue value;
};

} // namespace

/// Returns the file name that the graph gives to the saver of `entry`, which
/// must have role save or restore. TensorFlow's op uses this name if no other
/// one is fed.
static std::string fileNameOf(const ingot_program &program,
                              const ingot_entry &entry) {
  std::string_view name = entry.name;
  size_t slash = name.rfind('/');
  for (uint32_t i = 0; i < program.num_savers; ++i)
    if (slash != std::string_view::npos &&
        name.substr(0, slash) == program.savers[i].name)
      return program.savers[i].filename;
  return program.num_savers > 0 ? program.savers[0].filename : "model";
}

static std::optional<UsageError> readFeeds(const CommandContext &command,
                                           const ingot_entry &entry,
                                           std::vector<Feed> &feeds) {
  feeds.resize(entry.num_feeds);
  std::vector<FeedFlag> flags;
  if (auto error = parseFeeds(command, feedsOf(entry), "feed", flags))
    return error;
  for (const FeedFlag &flag : flags) {
    Feed &feed = feeds[flag.feed];
    feed.isFile = flag.value.starts_with("@");
    feed.text = flag.value.substr(feed.isFile);
  }
  if ((entry.role == INGOT_ROLE_SAVE || entry.role == INGOT_ROLE_RESTORE) &&
      feeds.size() == 1 && !feeds[0].text)
    feeds[0].text = fileNameOf(command.program, entry);
  std::string missing;
  for (size_t i = 0; i < feeds.size(); ++i)
    if (!feeds[i].text &&
        !hasDefault(command.program, entry, entry.feeds[i].name))
      missing += std::string(missing.empty() ? "" : ", ") +
                 entry.feeds[i].name + " " + typeText(entry.feeds[i]);
  if (!missing.empty())
    return UsageError{"entry '" + std::string(entry.name) +
                          "' also needs --feed for: " + missing,
                      ""};
  return std::nullopt;
}

static std::optional<UsageError> readFetches(const CommandContext &command,
                                             const ingot_entry &entry,
                                             std::vector<FetchFlag> &fetches) {
  for (const std::string &text : command.flags.all("--fetch")) {
    size_t split = text.find("=@");
    std::string name = text.substr(0, split);
    int index = findTensor(fetchesOf(entry), name);
    if (index < 0)
      return unknownTensor("--fetch", name, "fetch", fetchesOf(entry), "");
    fetches.push_back(
        {static_cast<size_t>(index),
         split == std::string::npos ? "" : text.substr(split + 2)});
  }
  if (fetches.empty())
    for (size_t i = 0; i < entry.num_fetches; ++i)
      fetches.push_back({i, ""});
  return std::nullopt;
}

static Status loadFeeds(const CommandContext &command, const ingot_entry &entry,
                        std::vector<Feed> &feeds) {
  for (size_t i = 0; i < feeds.size(); ++i) {
    const ingot_tensor_spec &spec = entry.feeds[i];
    Feed &feed = feeds[i];
    if (!feed.text)
      continue;
    INGOT_RETURN_IF_ERROR(
        feed.isFile ? feed.value.read(command.fileSystem, *feed.text, spec)
                    : feed.value.parse(*feed.text, spec));
  }
  return Status::ok();
}

static Status writeResults(const CommandContext &command,
                           const BoundEntryPoint &bound,
                           const std::vector<FetchFlag> &fetches) {
  bool json = command.flags.has("--json"), first = true;
  std::string text = json ? "{" : "";
  for (const FetchFlag &fetch : fetches) {
    ingot_tensor_spec spec = bound.fetchSpec(fetch.index);
    if (!fetch.file.empty()) {
      INGOT_RETURN_IF_ERROR(writeNpy(command.fileSystem, fetch.file, spec,
                                     bound.fetch(fetch.index)));
      continue;
    }
    if (json) {
      text += first ? "" : ",";
      appendJsonString(text, spec.name);
      text += ':';
    } else {
      text += std::string(spec.name) + " = ";
    }
    appendJsonTensor(text, spec, bound.fetch(fetch.index));
    text += json ? "" : "\n";
    first = false;
  }
  text += json ? "}\n" : "";
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
      std::fflush(stdout) != 0)
    return Status(StatusCode::Unknown,
                  std::string("cannot write to standard output: ") +
                      std::strerror(errno));
  return Status::ok();
}

static Status saveTo(CheckpointManager &checkpoints, Session &session) {
  INGOT_ASSIGN_OR_RETURN(StateToSave state,
                         collectState(session.context(),
                                      sessionSaver(session.program()),
                                      session.globalStep()));
  INGOT_ASSIGN_OR_RETURN(std::string prefix,
                         checkpoints.save(session.globalStep(), state.items));
  return Status::ok();
}

static UsageError unknownEntry(const ingot_program &program,
                               const std::string &name) {
  std::vector<std::string> names;
  std::string list;
  for (uint32_t i = 0; i < program.num_entries; ++i) {
    names.emplace_back(program.entries[i].name);
    list += (i > 0 ? ", " : "") + names.back();
  }
  std::string nearest = nearestName(name, names);
  return {"no entry '" + name + "'; this program has: " + list,
          nearest.empty() ? "" : "did you mean '" + nearest + "'?"};
}

namespace {

/// The flags of `run`.
struct RunOptions {
  const ingot_entry *entry = nullptr;
  std::vector<Feed> feeds;
  std::vector<FetchFlag> fetches;
  SessionOptions session;
  CheckpointManagerOptions folder;
  int64_t times = 1;
};

} // namespace

static std::optional<UsageError> readOptions(const CommandContext &command,
                                             RunOptions &options) {
  const ParsedFlags &flags = command.flags;
  if (flags.positionals().size() != 1)
    return UsageError{"run: expected the name of one entry, found " +
                          std::to_string(flags.positionals().size()) +
                          " arguments",
                      "run 'PROGRAM info' to list the entries"};
  const std::string &name = flags.positionals().front();
  options.entry = findEntry(command.program, name);
  if (!options.entry)
    return unknownEntry(command.program, name);
  if (flags.has("--model-dir") && flags.has("--checkpoint"))
    return UsageError{"--model-dir and --checkpoint exclude one another", ""};
  std::optional<UsageError> error;
  options.session = readSessionOptions(command, error);
  options.folder = readModelDirectory(command, error);
  options.times = flags.getInteger("--times", 1, 1, error);
  if (!error)
    error = readFeeds(command, *options.entry, options.feeds);
  if (!error)
    error = readFetches(command, *options.entry, options.fetches);
  return error;
}

/// Restores or initializes the variables of `session`: from `checkpoints` if
/// --model-dir is given, from --checkpoint, or to their initial values. Returns
/// ExitDone, or the exit code of a failure, which has been printed.
static int prepare(CommandContext &command, const ingot_entry &entry,
                   CheckpointManager &checkpoints, bool saves,
                   Session &session) {
  warnOfOtherProgram(command);
  SessionStateSource source;
  bool hasDirectory = command.flags.has("--model-dir");
  if (hasDirectory)
    source.checkpoints = &checkpoints;
  source.mustRestore = hasDirectory && !saves;
  source.writes = saves;
  source.checkpoint = command.flags.get("--checkpoint");
  source.lazyIterators = true;
  // If `run` saves a checkpoint afterwards, that checkpoint lacks the tensors
  // of the restored checkpoint for which the program has no variable. So such
  // tensors are an error if a checkpoint will be saved.
  source.restoreOptions.allowUnused = !saves;
  source.check = checkpointCheck(command.program, command.fileSystem);
  // An init entry assigns the variables itself, so it needs no checkpoint.
  if (!hasDirectory && source.checkpoint.empty() &&
      command.program.num_variables > 0 && entry.role != INGOT_ROLE_INIT)
    command.console.note("neither --model-dir nor --checkpoint is given: "
                         "variables have their initial values");
  SessionManager manager(source, command.console);
  if (Status status = manager.prepare(session); !status.isOk())
    return failSession(command, status, manager.failedOnCheckpoint());
  return ExitDone;
}

/// Runs the compiled function `bound` as often as --times says, each time with
/// the same feeds.
static Status runEntry(Session &session, BoundEntryPoint &bound,
                       RunOptions &options) {
  INGOT_ASSIGN_OR_RETURN(FeedDefaults defaults,
                         FeedDefaults::compute(session, *options.entry));
  std::vector<ingot_tensor> tensors;
  for (size_t i = 0; i < options.feeds.size(); ++i)
    tensors.push_back(options.feeds[i].text ? options.feeds[i].value.tensor()
                                            : *defaults.find(i));
  for (int64_t i = 0; i < options.times; ++i)
    if (Status status = session.run(bound, tensors); !status.isOk())
      return std::move(status).withContext(
          "entry '" + std::string(options.entry->name) + "'");
  return Status::ok();
}

static int runRun(CommandContext &command) {
  command.console.setQuiet(command.flags.has("--quiet"));
  RunOptions options;
  if (auto error = readOptions(command, options))
    return command.usage(*error);
  auto session = Session::create(command.program, options.session);
  if (!session)
    return command.fail(session.status());
  auto bound = (*session)->bind(*options.entry);
  if (!bound)
    return command.fail(bound.status());
  if (Status status = loadFeeds(command, *options.entry, options.feeds);
      !status.isOk())
    return command.fail(status);

  // If the entry assigns variables or changes lookup tables, save a checkpoint
  // to --model-dir afterwards, so that the next `run` starts from the new
  // values. The directory may be empty at first.
  bool saves = command.flags.has("--model-dir") && changesState(*options.entry);
  CheckpointManager checkpoints(command.fileSystem, options.folder);
  // Hold the lock from the restore to the save: a checkpoint that another
  // process saved meanwhile would be overwritten by older state.
  std::unique_ptr<FileLock> lock;
  if (saves) {
    const std::string &directory = options.folder.directory;
    if (Status status = command.fileSystem.createDirectories(directory);
        !status.isOk())
      return command.fail(status);
    auto held = lockModelDirectory(command, directory);
    if (!held)
      return command.fail(held.status());
    lock = std::move(*held);
  }
  if (int code =
          prepare(command, *options.entry, checkpoints, saves, **session))
    return code;
  if (Status status = runEntry(**session, *bound, options); !status.isOk())
    return command.fail(status);
  if (Status status = writeResults(command, *bound, options.fetches);
      !status.isOk())
    return command.fail(status);
  if (!saves)
    return ExitDone;
  if (Status status = saveTo(checkpoints, **session); !status.isOk())
    return command.fail(status);
  for (const std::string &warning : checkpoints.takeWarnings())
    command.console.warning(warning);
  return ExitDone;
}

const TrainerSubcommand ingot::runVerb = {
    "run",
    "ENTRY [--feed NAME=VALUE]... [--fetch NAME]... [FLAGS]",
    "run an entry and print its fetches",
    "predict --model-dir run --feed images=@digits.npy --fetch logits",
    runFlags,
    runRun,
};
