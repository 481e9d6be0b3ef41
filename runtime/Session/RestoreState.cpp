//===- RestoreState.cpp - Restores a session's state ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Input/TensorFlowIteratorState.h"
#include "runtime/Session/Program.h"
#include "runtime/Session/SavedLookupTables.h"
#include "runtime/Session/SavedVariables.h"

#include <algorithm>

using namespace ingot;

/// Checks that all parts of a restored checkpoint were saved together: the
/// stamps in `set` (the tensor "ingot/set") and in `positions` (the states of
/// iterators), the global step, and the random states must agree. If not,
/// returns DataLoss with a message that says what differs. Removes the stamps
/// from `positions`. `wholeRandom` is true if the checkpoint had all random
/// states of the program.
static Status checkSet(const ingot_context &context, const std::string &prefix,
                       const std::string &set, bool hasGlobalStep,
                       bool wholeRandom, std::vector<std::string> &positions) {
  auto mixed = [&](const std::string &what) {
    return Status(StatusCode::DataLoss, "'" + prefix +
                                            "' mixes several saves: " + what +
                                            "; restore another checkpoint");
  };
  auto atStep = [](int64_t step) { return "of step " + std::to_string(step); };
  // Compare three things: the stamp in tensor "ingot/set", the stamp in each
  // iterator's position, and the global step.
  std::optional<CheckpointSaveId> named = CheckpointSaveId::parse(set);
  if (!set.empty() && !named)
    return Status(StatusCode::DataLoss,
                  "'" + prefix + "': tensor '" + std::string(setKey) +
                      "' must be \"step N, id ID, random R of M\", but is '" +
                      set + "': the checkpoint is damaged");
  std::optional<int64_t> step;
  if (hasGlobalStep)
    step = globalStepOf(context);
  if (named && step && named->step != *step)
    return mixed("its variables are " + atStep(*step) +
                 ", tensor 'ingot/set' is " + atStep(named->step));
  for (uint32_t i = 0; i < positions.size(); ++i) {
    std::optional<CheckpointSaveId> stamp = takeStamp(positions[i]);
    if (!stamp)
      continue;
    std::string name = std::string("iterator '") +
                       context.program->iterators[i].name + "' is " +
                       atStep(stamp->step);
    if (step && stamp->step != *step)
      return mixed("its variables are " + atStep(*step) + ", the position of " +
                   name);
    if (named && stamp->step != named->step)
      return mixed("tensor 'ingot/set' is " + atStep(named->step) +
                   ", the position of " + name);
    if (named && !stamp->isSameSet(*named))
      return mixed("the position of " + name +
                   ", like tensor 'ingot/set', but another run saved it");
  }
  // The checksum covers all random states together. Compare it only if the
  // checkpoint has exactly the random states that this program has.
  CheckpointSaveId found;
  addRandomStates(context, found);
  if (named && wholeRandom && found.numRandom == named->numRandom &&
      found.random != named->random)
    return mixed(
        "its random states do not belong to tensor 'ingot/set', which is " +
        atStep(named->step));
  return Status::ok();
}

namespace {

/// One restore of a session's state. Implements restoreState() and
/// restoreSaver().
class StateRestore {
public:
  StateRestore(ingot_context &context, int32_t saver)
      : context(context), program(*context.program), saver(saver),
        variables(variableItems(program, saver)), tables(context, saver),
        positions(program.num_iterators), variants(program.num_iterators) {}

  /// Restores from checkpoint `prefix`. If it lacks a variable or table that
  /// the graph's saver does not list, calls `initialize` (may be null) before
  /// it reads the first tensor.
  Expected<RestoreReport> run(const std::string &prefix, RestoreOptions options,
                              const std::function<Status()> &initialize);

private:
  void addVariables();
  TensorToRestore &addText(std::string key, std::string &text, bool keepsName);
  void addTexts();
  Status refreshDevice();
  bool isUnlistedUser(size_t item) const;
  Status initializeMissing(std::span<const size_t> missing,
                           const std::function<Status()> &initialize);
  void warnOfMissing(RestoreReport &report) const;
  Status check(const std::string &prefix, const RestoreReport &report);
  void finish(const RestoreReport &report);

  ingot_context &context;
  const ingot_program &program;
  int32_t saver;
  std::vector<SavedVariableOrSlice>
      variables; // variables[i] belongs to items[i]
  LookupTableRestorer tables;
  std::vector<TensorToRestore> items;
  std::deque<std::vector<std::string>> strings; // elements of string variables
  std::vector<std::string> positions;           // positions of iterators
  // For each iterator, the elements of the variant tensor in which TensorFlow
  // saves its position; empty if the checkpoint has none.
  std::vector<std::vector<std::string>> variants;
  std::string ignored, set;
  bool isInitialized = false; // initialize() was called
};

} // namespace

void StateRestore::addVariables() {
  for (const SavedVariableOrSlice &variable : variables) {
    const ingot_tensor_spec &spec = program.variables[variable.variable].spec;
    bool isRandom = isRandomState(program.variables[variable.variable]);
    TensorToRestore item;
    item.key = variable.key;
    item.slice = variable.slice;
    item.dtype = spec.dtype;
    item.shape = shapeOf(spec);
    item.data = context.variables[variable.variable];
    item.optional = isRandom || variable.isUnlisted;
    item.keepsName = isRandom;
    item.reshape = saver >= 0 && program.savers[saver].reshape;
    if (spec.dtype == INGOT_STRING)
      item.data =
          strings.emplace_back(static_cast<size_t>(elementCountOf(spec)))
              .data();
    items.push_back(std::move(item));
  }
}

/// Adds an item that reads a scalar string, which the checkpoint may lack.
TensorToRestore &StateRestore::addText(std::string key, std::string &text,
                                       bool keepsName) {
  TensorToRestore item;
  item.key = std::move(key);
  item.dtype = INGOT_STRING;
  item.data = &text;
  item.optional = true;
  item.keepsName = keepsName;
  return items.emplace_back(std::move(item));
}

/// Adds items for the positions of iterators, in Ingot's form and in
/// TensorFlow's, for the tensor "ingot/set", and for constant strings of the
/// saver. Nothing uses the constant strings, but without these items the
/// restore would report their tensors as unused.
void StateRestore::addTexts() {
  for (uint32_t i = 0; i < program.num_iterators; ++i)
    if (savesIterator(program, saver, i)) {
      addText(iteratorKey(program, i), positions[i], /*keepsName=*/true);
      addText(tensorFlowIteratorKey(program, saver, i), positions[i],
              /*keepsName=*/true)
          .variants = &variants[i];
    }
  addText(std::string(setKey), set, /*keepsName=*/true);
  for (uint32_t i = 0; saver >= 0 && i < program.savers[saver].num_items; ++i) {
    const ingot_saved_item &saved = program.savers[saver].items[i];
    if (saved.constant.data)
      addText(saved.key, ignored, /*keepsName=*/false);
  }
}

/// Copies newer values of variables from the device to the host, and marks the
/// host's copies as the newer ones. A restore writes into them, and a restore
/// of slices changes only parts of a variable, so the other parts must be
/// current.
Status StateRestore::refreshDevice() {
  if (!context.device)
    return Status::ok();
  INGOT_RETURN_IF_ERROR(context.device->readVariables());
  context.device->wroteVariables();
  return Status::ok();
}

/// Returns true if the item is a variable of the user's graph that the graph's
/// saver does not list.
bool StateRestore::isUnlistedUser(size_t item) const {
  return item < variables.size() && variables[item].isUnlisted &&
         !isRandomState(program.variables[variables[item].variable]);
}

/// Calls `initialize` if the checkpoint has no value for a variable or lookup
/// table that is not in the list of the graph's saver. Variables that have
/// their initial values already do not make the call necessary.
Status
StateRestore::initializeMissing(std::span<const size_t> missing,
                                const std::function<Status()> &initialize) {
  bool isNeeded = std::any_of(missing.begin(), missing.end(), [&](size_t i) {
    if (!isUnlistedUser(i))
      return !tables.unlistedName(i).empty();
    uint32_t variable = variables[i].variable;
    return !context.initialized[variable] ||
           !hasInitialValue(context, variable);
  });
  if (!isNeeded || !initialize)
    return Status::ok();
  isInitialized = true;
  INGOT_RETURN_IF_ERROR(initialize());
  return refreshDevice();
}

/// Adds to `report` warnings that name the unlisted variables and tables which
/// the checkpoint lacks. Variables that the init entry always gives the same
/// value need no warning if the checkpoint has tensor "ingot/set": it then
/// lacks them because they still had this value when it was saved
/// (VariablesToSave::Needed).
void StateRestore::warnOfMissing(RestoreReport &report) const {
  std::string names, tableNames;
  for (size_t i : report.missing) {
    if (std::string table = tables.unlistedName(i);
        !table.empty() && !tableNames.ends_with("'" + table + "'"))
      tableNames += (tableNames.empty() ? "'" : ", '") + table + "'";
    if (!isUnlistedUser(i))
      continue;
    const ingot_variable &variable = program.variables[variables[i].variable];
    if (set.empty() || !(variable.flags & INGOT_VARIABLE_CONSTANT_INIT))
      names +=
          std::string(names.empty() ? "'" : ", '") + variable.spec.name + "'";
  }
  if (!names.empty())
    report.warnings.push_back(
        "lacks variables that the graph's saver leaves out, which get their "
        "initial values: " +
        names);
  if (!tableNames.empty())
    report.warnings.push_back(
        "lacks tables that the graph's saver leaves out, which have their "
        "initial contents: " +
        tableNames);
}

/// Checks that all parts of the checkpoint were saved together, and that
/// tables have as many keys as values.
Status StateRestore::check(const std::string &prefix,
                           const RestoreReport &report) {
  if (Status status = tables.check(report.missing); !status.isOk())
    return std::move(status).withContext("'" + prefix + "'");
  bool hasGlobalStep = false, wholeRandom = saver == sessionSaver(program);
  for (size_t i = 0; i < variables.size(); ++i) {
    auto variable = static_cast<int32_t>(variables[i].variable);
    bool missing =
        std::binary_search(report.missing.begin(), report.missing.end(), i);
    hasGlobalStep |= variable == program.global_step && !missing;
    wholeRandom &= !missing || !isRandomState(program.variables[variable]);
  }
  return checkSet(context, prefix, set, hasGlobalStep, wholeRandom, positions);
}

/// Passes the restored strings, tables and positions of iterators to the
/// session, and marks the restored variables as initialized. The elements of
/// numeric variables need no step here: they were read directly into the
/// variables.
void StateRestore::finish(const RestoreReport &report) {
  size_t nextStrings = 0;
  for (size_t i = 0; i < variables.size(); ++i) {
    uint32_t variable = variables[i].variable;
    bool isString = program.variables[variable].spec.dtype == INGOT_STRING;
    bool restored = std::find(report.missing.begin(), report.missing.end(),
                              i) == report.missing.end();
    if (isString && restored)
      setStrings(context, variable, std::move(strings[nextStrings]));
    nextStrings += isString;
    if (restored)
      context.initialized[variable] = true;
  }
  tables.finish(report.missing);
  for (uint32_t i = 0; i < program.num_iterators; ++i)
    if (savesIterator(program, saver, i))
      context.iterators[i].state = positions[i].empty() && !variants[i].empty()
                                       ? input::packVariants(variants[i])
                                       : std::move(positions[i]);
}

Expected<RestoreReport>
StateRestore::run(const std::string &prefix, RestoreOptions options,
                  const std::function<Status()> &initialize) {
  INGOT_RETURN_IF_ERROR(refreshDevice());
  addVariables();
  tables.addItems(items);
  addTexts();
  options.beforeReading = [&](std::span<const size_t> missing) {
    return initializeMissing(missing, initialize);
  };
  INGOT_ASSIGN_OR_RETURN(
      RestoreReport report,
      restoreCheckpoint(*context.fileSystem, prefix, items, options));
  if (isInitialized)
    warnOfMissing(report);
  INGOT_RETURN_IF_ERROR(check(prefix, report));
  if (std::optional<CheckpointSaveId> stamp = CheckpointSaveId::parse(set))
    report.step = stamp->step;
  finish(report);
  return report;
}

Expected<RestoreReport>
ingot::restoreState(ingot_context &context, int32_t saver,
                    const std::string &prefix, const RestoreOptions &options,
                    const std::function<Status()> &initialize) {
  return StateRestore(context, saver).run(prefix, options, initialize);
}

int64_t ingot::savedGlobalStep(const ingot_program &program,
                               FileSystem &fileSystem,
                               const std::string &prefix) {
  for (const SavedVariableOrSlice &item :
       variableItems(program, sessionSaver(program))) {
    if (static_cast<int64_t>(item.variable) != program.global_step)
      continue;
    int64_t step = 0;
    int32_t narrow = 0;
    TensorToRestore wanted;
    wanted.key = item.key;
    wanted.dtype = program.variables[item.variable].spec.dtype;
    bool isWide = wanted.dtype == INGOT_INT64;
    wanted.data = isWide ? static_cast<void *>(&step) : &narrow;
    RestoreOptions options;
    options.allowUnused = true;
    if (restoreCheckpoint(fileSystem, prefix, {&wanted, 1}, options))
      return isWide ? step : narrow;
  }
  return stepOf(prefix).value_or(0);
}

Status ingot::restoreSaver(ingot_context &context, int32_t saver,
                           const std::string &prefix) {
  RestoreOptions options;
  // TensorFlow's restore op reads the tensors that it names and ignores all
  // other tensors of the checkpoint.
  options.allowUnused = true;
  INGOT_ASSIGN_OR_RETURN(
      RestoreReport report,
      StateRestore(context, saver).run(prefix, std::move(options), nullptr));
  for (uint32_t i = 0; i < context.program->num_iterators; ++i)
    if (!context.iterators[i].state.empty() &&
        savesIterator(*context.program, saver, i))
      INGOT_RETURN_IF_ERROR(makeIterator(context, i));
  return Status::ok();
}
