//===- Trainer.cpp - A trainer embedded in another program ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Embedding/Trainer.h"

#include "runtime/CommandLine/ErrorHints.h"
#include "runtime/Embedding/CallerFeedsHook.h"
#include "runtime/Session/CheckpointContents.h"

#include <cstring>

using namespace ingot;
using namespace ingot::embedding;

static Status invalid(const std::string &message) {
  return Status(StatusCode::InvalidArgument, message);
}

static std::string inQuotes(std::string_view text) {
  return "'" + std::string(text) + "'";
}

/// Returns the end of the error message for an unknown name: the most similar
/// one of `names`, or a list of all names if none is similar.
static std::string knownNames(const std::vector<std::string> &names,
                              std::string_view wanted) {
  std::string nearest = nearestName(wanted, names);
  if (!nearest.empty())
    return ": did you mean " + inQuotes(nearest) + "?";
  constexpr size_t most = 10;
  std::string list;
  for (size_t i = 0; i < names.size() && i < most; ++i)
    list += (i > 0 ? ", " : "") + names[i];
  if (names.size() > most)
    list += " and " + std::to_string(names.size() - most) + " more";
  return list.empty() ? ", which has none" : ", which has " + list;
}

static std::string knownNames(std::span<const ingot_tensor_spec> specs,
                              std::string_view wanted) {
  std::vector<std::string> names;
  for (const ingot_tensor_spec &spec : specs)
    names.emplace_back(spec.name);
  return knownNames(names, wanted);
}

Trainer::Trainer(const ingot_program &program, FileSystem &fileSystem,
                 TrainerOptions theOptions)
    : given(std::move(theOptions)),
      console([this](Console::Kind kind, const std::string &message) {
        if (given.log)
          given.log(kind, message);
      }),
      command{program, fileSystem, console, "trainer", {}} {}

// Destroys `training` first, since its hooks refer to other members of the
// trainer.
Trainer::~Trainer() { training.reset(); }

Session &Trainer::session() const {
  return training ? training->session() : *reader;
}

int64_t Trainer::globalStep() const {
  bool isThere = training ? training->loop().hasSession() : reader != nullptr;
  return isThere ? session().globalStep() : -1;
}

/// Appends a hint to an error. If `failedOnCheckpoint`, the hint names the
/// flags that allow restoring the checkpoint nevertheless. Otherwise, if an
/// input file was not found, the hint names the folder in which relative file
/// names are resolved.
Status Trainer::explain(Status status, bool failedOnCheckpoint) const {
  std::string hint =
      failedOnCheckpoint ? restoreHint(status) : dataHint(command, status);
  return hint.empty() ? std::move(status)
                      : Status(status.code(), status.message() + "\n" + hint);
}

/// Returns FailedPrecondition if the last step has failed. Then the variables
/// are unspecified until restore() is called.
Status Trainer::checkReady() const {
  // Without a session, the trainer is not open. prepareReader(), for example,
  // may have failed to create one.
  if (!training && !reader)
    return Status(StatusCode::FailedPrecondition,
                  "the trainer is not open, because opening or restoring it "
                  "has failed: close it and open it again");
  if (broken.isOk())
    return Status::ok();
  return Status(
      StatusCode::FailedPrecondition,
      "the trainer has failed; call ingot_trainer_restore() to continue: " +
          broken.message());
}

/// Returns true if the caller has given this feed. takeFeeds() leaves dtype 0
/// in all others.
static bool isGiven(const ingot_tensor &tensor) { return tensor.dtype != 0; }

/// Converts the caller's feeds `values` to `tensors`, in the order in which
/// `entry` takes them. Feeds that are not given have dtype 0 in `tensors`.
/// Returns an error if such a feed has no default, unless `entry` is the
/// training step and flag --feed gives its values.
Status Trainer::takeFeeds(const ingot_entry &entry,
                          std::span<const ingot_trainer_tensor> values,
                          std::vector<ingot_tensor> &tensors) {
  auto specs = feedsOf(entry);
  if (fed.size() < specs.size())
    fed.resize(specs.size());
  tensors.assign(specs.size(), ingot_tensor{});
  for (const ingot_trainer_tensor &value : values) {
    if (!value.name)
      return invalid("a tensor fed to entry " + inQuotes(entry.name) +
                     " has no name: set it to the name of a feed");
    int found = findTensor(specs, value.name);
    if (found < 0)
      return invalid(inQuotes(value.name) + " is not a feed of entry " +
                     inQuotes(entry.name) + knownNames(specs, value.name));
    auto index = static_cast<size_t>(found);
    if (isGiven(tensors[index]))
      return invalid("feed " + inQuotes(value.name) +
                     " is given twice: give each feed only once");
    INGOT_RETURN_IF_ERROR(checkTensor(value, specs[index], "feed"));
    INGOT_ASSIGN_OR_RETURN(tensors[index], fed[index].take(value));
  }
  if (values.size() == specs.size() ||
      (&entry == options.step && !command.flags.all("--feed").empty()))
    return Status::ok();
  std::string missing;
  for (size_t i = 0; i < specs.size(); ++i)
    if (!isGiven(tensors[i]) &&
        !hasDefault(command.program, entry, specs[i].name))
      missing += (missing.empty() ? "" : ", ") + inQuotes(specs[i].name) + " " +
                 typeText(specs[i]);
  return missing.empty() ? Status::ok()
                         : invalid("entry " + inQuotes(entry.name) +
                                   " also needs feeds for " + missing);
}

/// Stores a step's failure in `broken`, so that only restore() can be called
/// from then on. InvalidArgument is not stored: it means that the step was
/// rejected before it began, so the variables are unchanged.
Status Trainer::afterStep(Status status) {
  if (!status.isOk() && status.code() != StatusCode::InvalidArgument) {
    broken = status;
    last = nullptr;
  }
  return status;
}

Expected<bool> Trainer::step(std::span<const ingot_trainer_tensor> feeds) {
  if (!training)
    return Status(StatusCode::FailedPrecondition,
                  "the trainer was opened with read_only and cannot train");
  INGOT_RETURN_IF_ERROR(checkReady());
  if (ended)
    return false;
  INGOT_RETURN_IF_ERROR(finishOpening());
  INGOT_RETURN_IF_ERROR(takeFeeds(*options.step, feeds, hook->feeds));
  TrainingLoop &loop = training->loop();
  auto goesOn = loop.runOne();
  if (!goesOn)
    return afterStep(explain(goesOn.takeStatus(), false));
  if (*goesOn) {
    last = hook->values;
    return true;
  }
  ended = true;
  INGOT_RETURN_IF_ERROR(afterStep(loop.end()));
  return false;
}

Status Trainer::run(std::string_view name,
                    std::span<const ingot_trainer_tensor> feeds) {
  INGOT_RETURN_IF_ERROR(checkReady());
  const ingot_program &program = command.program;
  const ingot_entry *entry = findEntry(program, name);
  if (!entry) {
    std::vector<std::string> names;
    for (uint32_t i = 0; i < program.num_entries; ++i)
      names.emplace_back(program.entries[i].name);
    return invalid(inQuotes(name) + " is not an entry of this program" +
                   knownNames(names, name));
  }
  std::vector<ingot_tensor> tensors;
  INGOT_RETURN_IF_ERROR(takeFeeds(*entry, feeds, tensors));
  auto found = runnable.find(entry);
  if (found == runnable.end()) {
    INGOT_ASSIGN_OR_RETURN(BoundEntryPoint made, session().bind(*entry));
    INGOT_ASSIGN_OR_RETURN(FeedDefaults defaults,
                           FeedDefaults::compute(session(), *entry));
    found = runnable
                .emplace(entry, EntryPointWithFeedDefaults{std::move(made),
                                                           std::move(defaults)})
                .first;
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    const ingot_tensor *value = found->second.defaults.find(i);
    if (isGiven(tensors[i]))
      continue;
    if (!value) // --feed gives values to step() only
      return invalid("entry " + inQuotes(name) + " also needs a feed for " +
                     inQuotes(entry->feeds[i].name));
    tensors[i] = *value;
  }
  last = nullptr;
  if (Status status = session().run(found->second.entry, tensors);
      !status.isOk())
    return std::move(status).withContext("entry " + inQuotes(name));
  last = &found->second.entry;
  if (training && changesState(*entry))
    training->loop().noteChange();
  return Status::ok();
}

Expected<ingot_trainer_tensor> Trainer::fetch(size_t index) const {
  if (!last)
    return Status(StatusCode::FailedPrecondition,
                  "nothing to fetch: no entry has run yet");
  if (index >= last->fetches().size())
    return invalid("fetch index " + std::to_string(index) +
                   " is out of range: the number of fetches of entry '" +
                   last->entry().name + "' is " +
                   std::to_string(last->fetches().size()));
  ingot_trainer_tensor shown =
      showTensor(last->fetchSpec(index), last->fetch(index));
  // Fetching copies the tensor from the device to the host, and only then may
  // the device report that the step has failed. So check the device after the
  // fetch.
  INGOT_RETURN_IF_ERROR(session().deviceStatus());
  return shown;
}

Expected<ingot_trainer_tensor> Trainer::fetch(std::string_view name) const {
  if (!last)
    return fetch(size_t(0));
  int index = findStepFetch(command.program, last->entry(), name);
  if (index < 0)
    return invalid(
        inQuotes(name) + " is not a fetch of entry '" + last->entry().name +
        "'" + knownNames(last->fetches(), name) +
        "; to add one, compile the graph with ingotc --observe TENSOR");
  return fetch(static_cast<size_t>(index));
}

Expected<uint32_t> Trainer::findVariable(std::string_view name) const {
  const ingot_program &program = command.program;
  std::vector<std::string> names;
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    if (name == program.variables[i].spec.name)
      return i;
    names.emplace_back(program.variables[i].spec.name);
  }
  return invalid(inQuotes(name) + " is not a variable of this program" +
                 knownNames(names, name));
}

Expected<ingot_trainer_tensor> Trainer::read(std::string_view name) {
  INGOT_RETURN_IF_ERROR(checkReady());
  INGOT_ASSIGN_OR_RETURN(uint32_t variable, findVariable(name));
  ingot_context &context = session().context();
  if (!context.initialized[variable])
    return Status(
        StatusCode::FailedPrecondition,
        "variable " + inQuotes(name) +
            " has no value: initialize or restore it before it is read");
  const void *data = readVariable(context, variable);
  if (context.device)
    INGOT_RETURN_IF_ERROR(Status(context.device->status()));
  return showTensor(command.program.variables[variable].spec, data);
}

Status Trainer::write(const ingot_trainer_tensor &value) {
  INGOT_RETURN_IF_ERROR(checkReady());
  if (!value.name)
    return invalid(
        "the tensor has no name: set it to the name of the variable to write");
  INGOT_ASSIGN_OR_RETURN(uint32_t variable, findVariable(value.name));
  const ingot_tensor_spec &spec = command.program.variables[variable].spec;
  INGOT_RETURN_IF_ERROR(checkTensor(value, spec, "variable"));
  ingot_context &context = session().context();
  void *data = changeVariable(context, variable);
  if (spec.dtype == INGOT_STRING) {
    std::vector<std::string> texts;
    auto *from = static_cast<const ingot_trainer_string *>(value.data);
    for (int64_t i = 0; i < elementCountOf(spec); ++i)
      texts.emplace_back(from[i].size == 0 ? "" : from[i].data, from[i].size);
    setStrings(context, variable, std::move(texts));
  } else {
    CallerTensorConverter
        copy; // `value.data` may point into this session's memory
    INGOT_ASSIGN_OR_RETURN(ingot_tensor from, copy.take(value));
    if (value.size != 0)
      std::memmove(data, from.data, value.size);
  }
  context.initialized[variable] = true;
  if (training)
    training->loop().noteChange();
  return Status::ok();
}

Status Trainer::save() {
  if (!training)
    return Status(StatusCode::FailedPrecondition,
                  "the trainer was opened with read_only and cannot save");
  INGOT_RETURN_IF_ERROR(checkReady());
  INGOT_RETURN_IF_ERROR(finishOpening());
  return training->loop().save();
}

/// Opens the training loop of a trainer that ingot_trainer_recover() has left
/// without a state, once the caller has initialized the model. Fails while the
/// init function runs.
Status Trainer::finishOpening() {
  if (isInitializing)
    return Status(StatusCode::FailedPrecondition,
                  "the init function may run entries, and read and write "
                  "variables, but nothing else");
  if (isReady || !training)
    return Status::ok();
  INGOT_RETURN_IF_ERROR(training->manager().finish(training->session()));
  isReady = true;
  return afterStep(training->loop().openPrepared());
}

Status Trainer::restore(const std::string &checkpoint) {
  if (isInitializing)
    return finishOpening();
  last = nullptr;
  runnable.clear();
  if (!training) {
    broken = prepareReader(checkpoint);
    isReady = broken.isOk();
    return broken;
  }
  TrainingLoop &loop = training->loop();
  if (!loop.hasSession())
    return Status(StatusCode::FailedPrecondition,
                  "the trainer has lost its session: close and reopen it: " +
                      broken.message());
  SessionStateSource source = options.source;
  if (!checkpoint.empty()) {
    source.checkpoints = nullptr;
    source.checkpoint = checkpoint;
  }
  elsewhere.emplace(std::move(source), console);
  loop.setManager(*elsewhere);
  Status status = loop.startOver();
  if (status.isOk())
    status = loop.open();
  if (!status.isOk()) {
    broken = status;
    return explain(std::move(status), elsewhere->failedOnCheckpoint());
  }
  broken = Status::ok();
  ended = false;
  isReady = true;
  return Status::ok();
}

Status Trainer::evaluate(const std::string &entry, int64_t batches) {
  if (isInitializing)
    return finishOpening();
  figures.clear();
  figureNames.clear();
  if (batches == 0 || batches < -1)
    return invalid("cannot evaluate " + std::to_string(batches) +
                   " batches: give a positive number, or -1 for all");
  EvaluationOptions evaluation;
  if (auto error = findEvaluation(command.program, entry, evaluation))
    return invalid(error->message +
                   (error->hint.empty() ? "" : "\n" + error->hint));
  if (evaluation.update->num_feeds != 0)
    return invalid("cannot evaluate entry '" +
                   std::string(evaluation.update->name) +
                   "', because it has feeds: call ingot_trainer_run() for each "
                   "batch instead");
  CheckpointManagerOptions names = training ? options.checkpoints : folder;
  if (training) {
    INGOT_RETURN_IF_ERROR(save());
    evaluation.directory = options.evaluations;
  }
  evaluation.steps = batches;
  evaluation.session = training ? options.session : readerOptions;
  CheckpointManager checkpoints(command.fileSystem, names);
  SessionStateSource source;
  source.checkpoint = training ? "" : command.flags.get("--checkpoint");
  if (source.checkpoint.empty()) {
    source.checkpoints = &checkpoints;
    source.mustRestore = true;
  }
  CommandContext plain{
      command.program, command.fileSystem, console, "trainer", {}};
  INGOT_ASSIGN_OR_RETURN(auto feeds, ExamplesFromFeedFlags::load(
                                         plain, *evaluation.update, false));
  bool failedOnCheckpoint = false;
  auto result =
      ingot::evaluate(plain, evaluation, source, *feeds, failedOnCheckpoint);
  if (!result)
    return explain(result.takeStatus(), failedOnCheckpoint);
  if (!result->written.isOk())
    console.warning(
        "the evaluation results were not written to an event file: " +
        result->written.message());
  for (const EvaluationResults::Metric &metric : result->metrics)
    if (metric.isNumber)
      figures.push_back(
          {figureNames.emplace_back(metric.name).c_str(), metric.value});
  return Status::ok();
}
