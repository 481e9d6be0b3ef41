//===- SavedState.cpp - Contents of a checkpoint --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/SavedState.h"

#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/SaveStamp.h"
#include "runtime/Device/Parallel.h"
#include "runtime/Session/Program.h"
#include "runtime/Support/Crc32c.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/StreamingCopy.h"

#include <algorithm>
#include <cstring>

using namespace ingot;

int32_t ingot::sessionSaver(const ingot_program &program) {
  return program.num_savers > 0 ? 0 : -1;
}

std::string ingot::iteratorKey(const ingot_program &program,
                               uint32_t iterator) {
  return "ingot/iterator/" + std::string(program.iterators[iterator].name);
}

// The bytes that a thread copies as one unit of work.
static constexpr uint64_t copyGrain = 1 << 20;

namespace {

/// A variable, or a slice of one, that a checkpoint contains.
struct VariableItem {
  uint32_t variable;
  std::string key, slice;
  uint32_t shard;
  bool isUnlisted = false; // the list of the graph's saver lacks it
};

} // namespace

/// Returns true if the graph's saver `saver` saves something under `key`.
static bool hasKey(const ingot_saver &saver, std::string_view key) {
  return std::any_of(
      saver.items, saver.items + saver.num_items,
      [&](const ingot_saved_item &item) { return item.key == key; });
}

/// Returns the key of a variable that the list of the graph's saver `saver`
/// lacks: its name, which another variable may have as its key.
static std::string unlistedKey(const ingot_program &program, int32_t saver,
                               uint32_t variable) {
  std::string name = program.variables[variable].spec.name;
  bool isTaken = saver >= 0 && hasKey(program.savers[saver], name);
  return isTaken ? "ingot/variable/" + name : name;
}

std::string ingot::variableKey(const ingot_program &program,
                               uint32_t variable) {
  int32_t saver = sessionSaver(program);
  if (saver >= 0)
    for (uint32_t i = 0; i < program.savers[saver].num_items; ++i)
      if (const ingot_saved_item &item = program.savers[saver].items[i];
          item.variable == static_cast<int32_t>(variable))
        return item.key;
  return unlistedKey(program, saver, variable);
}

/// Returns the variables that checkpoints with `saver` may have. Those of the
/// session's own saver may also have all other variables that outlive a
/// session, even if TensorFlow's saver leaves them out: without one of these, a
/// resumed run could differ from a run that was never stopped.
static std::vector<VariableItem> variableItems(const ingot_program &program,
                                               int32_t saver) {
  std::vector<VariableItem> items;
  std::vector<bool> covered(program.num_variables, false);
  if (saver >= 0) {
    const ingot_saver &graphs = program.savers[saver];
    for (uint32_t i = 0; i < graphs.num_items; ++i) {
      const ingot_saved_item &item = graphs.items[i];
      if (item.variable < 0)
        continue;
      uint32_t variable = static_cast<uint32_t>(item.variable);
      items.push_back(
          {variable, item.key, item.slice ? item.slice : "", item.shard});
      covered[variable] = true;
    }
  }
  if (saver != sessionSaver(program))
    return items;
  for (uint32_t i = 0; i < program.num_variables; ++i)
    if (!covered[i] && !(program.variables[i].flags & INGOT_VARIABLE_LOCAL))
      items.push_back({i, unlistedKey(program, saver, i), "", 0,
                       /*isUnlisted=*/saver >= 0});
  return items;
}

/// Returns a hash of the value of variable `index`, a numeric one.
static uint64_t hashValue(const ingot_context &context, uint32_t index) {
  auto *bytes = static_cast<const uint8_t *>(readVariable(context, index));
  uint64_t size = context.program->variables[index].byte_size, hash = size;
  for (uint64_t at = 0; at < size; at += sizeof(hash)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes + at, std::min<uint64_t>(sizeof(word), size - at));
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 32;
  }
  return hash;
}

void ingot::noteInitialValues(ingot_context &context) {
  const ingot_program &program = *context.program;
  int32_t saver = sessionSaver(program);
  if (saver < 0)
    return;
  context.initialValues.assign(program.num_variables, std::nullopt);
  for (const VariableItem &item : variableItems(program, saver))
    if (const ingot_variable &variable = program.variables[item.variable];
        item.isUnlisted && (variable.flags & INGOT_VARIABLE_CONSTANT_INIT) &&
        variable.spec.dtype != INGOT_STRING)
      context.initialValues[item.variable] = hashValue(context, item.variable);
}

/// Returns true if the variable has the value that the init entry gives it in
/// every run.
static bool hasInitialValue(ingot_context &context, uint32_t variable) {
  if (context.initialValues.empty() || !context.initialValues[variable])
    return false;
  if (*context.initialValues[variable] == hashValue(context, variable))
    return true;
  // A value that has changed once hardly ever returns, so it is not hashed
  // again.
  context.initialValues[variable].reset();
  return false;
}

/// Returns true if a checkpoint with `which` variables has `item`.
static bool isSaved(ingot_context &context, const VariableItem &item,
                    VariablesToSave which) {
  if (isRandomState(context.program->variables[item.variable]))
    return which != VariablesToSave::Listed;
  if (!item.isUnlisted || which == VariablesToSave::All)
    return true;
  return which == VariablesToSave::Needed &&
         !hasInitialValue(context, item.variable);
}

/// Returns true if the items of the graph's saver `saver` name the iterator.
/// Returns false if `saver` is -1, which stands for a program without savers.
static bool namesIterator(const ingot_program &program, int32_t saver,
                          uint32_t iterator) {
  if (saver < 0)
    return false;
  const ingot_saver &graphs = program.savers[saver];
  return std::any_of(graphs.items, graphs.items + graphs.num_items,
                     [&](const ingot_saved_item &item) {
                       return item.iterator == static_cast<int32_t>(iterator);
                     });
}

/// Returns true if `saver` saves the iterator's position. The session's own
/// saver saves the positions of all iterators.
static bool savesIterator(const ingot_program &program, int32_t saver,
                          uint32_t iterator) {
  return saver == sessionSaver(program) ||
         namesIterator(program, saver, iterator);
}

static uint32_t iteratorShard(const ingot_program &program, int32_t saver,
                              uint32_t iterator) {
  if (saver >= 0)
    for (uint32_t i = 0; i < program.savers[saver].num_items; ++i)
      if (program.savers[saver].items[i].iterator ==
          static_cast<int32_t>(iterator))
        return program.savers[saver].items[i].shard;
  return 0;
}

/// Adds the number and the checksum of the states of random ops, in the
/// program's order, to `stamp`.
static void addRandomStates(const ingot_context &context, SaveStamp &stamp) {
  const ingot_program &program = *context.program;
  for (uint32_t i = 0; i < program.num_variables; ++i)
    if (isRandomState(program.variables[i])) {
      stamp.random = crc32c(stamp.random, readVariable(context, i),
                            program.variables[i].byte_size);
      ++stamp.numRandom;
    }
}

/// Computes the stamp by which a restore recognizes that all parts of a
/// checkpoint were saved together (SaveStamp.h). Appends it to the states of
/// iterators and hooks, and adds the tensor "ingot/set", which contains it.
static void stampState(const ingot_context &context, int64_t step,
                       StateToSave &state) {
  SaveStamp stamp;
  addRandomStates(context, stamp);
  if (stamp.numRandom == 0 && state.iteratorStates.empty() &&
      !state.leavesOutInitial)
    return;
  stamp.step = globalStepOf(context).value_or(step);
  stamp.id = crc32c(stamp.random, &stamp.step, sizeof(stamp.step));
  for (const std::string &position : state.iteratorStates)
    stamp.id = crc32c(stamp.id, position.data(), position.size());
  for (std::string &position : state.iteratorStates)
    position = withStamp(std::move(position), stamp);
  SaveItem item;
  item.key = setKey;
  item.dtype = INGOT_STRING;
  item.data = &state.texts.emplace_back(stamp.text());
  state.items.push_back(std::move(item));
}

Expected<StateToSave> ingot::collectState(ingot_context &context, int32_t saver,
                                          int64_t step, HookStates hooks,
                                          SavedIterators iterators,
                                          SavedValues values,
                                          VariablesToSave variables) {
  const ingot_program &program = *context.program;
  bool isListed = variables == VariablesToSave::Listed;
  if (isListed) {
    iterators = SavedIterators::Named;
    hooks.clear();
  }
  bool leavesThere = context.device && values == SavedValues::ToDetach;
  if (context.device && !leavesThere)
    INGOT_RETURN_IF_ERROR(context.device->readVariables());
  StateToSave state;
  state.device = context.device.get();
  for (const VariableItem &variable : variableItems(program, saver)) {
    if (!isSaved(context, variable, variables)) {
      state.leavesOutInitial |= variables == VariablesToSave::Needed;
      continue;
    }
    const ingot_tensor_spec &spec = program.variables[variable.variable].spec;
    if (variable.isUnlisted &&
        !isRandomState(program.variables[variable.variable]))
      state.unlisted.emplace_back(spec.name);
    SaveItem item;
    item.key = variable.key;
    item.slice = variable.slice;
    item.dtype = spec.dtype;
    item.shape = shapeOf(spec);
    item.data = context.variables[variable.variable];
    item.shard = variable.shard;
    if (!context.initialized[variable.variable])
      return Status(StatusCode::FailedPrecondition,
                    "variable '" + std::string(spec.name) +
                        "' has no value to save: run the init entry, or "
                        "restore a checkpoint, before saving");
    if (spec.dtype == INGOT_STRING) {
      auto *elements = static_cast<const ingot_string *>(item.data);
      std::vector<std::string> &copy = state.strings.emplace_back();
      for (int64_t i = 0, e = elementCountOf(spec); i < e; ++i)
        copy.emplace_back(elements[i].data, elements[i].size);
      item.data = copy.data();
    } else if (leavesThere) {
      state.onDevice.emplace_back(state.items.size(), variable.variable);
    }
    state.items.push_back(std::move(item));
  }
  for (uint32_t i = 0; i < program.num_iterators; ++i) {
    IteratorSlot &slot = context.iterators[i];
    // Skips iterators that have no position. One that was restored but has not
    // been used yet has its restored position in `slot.state`.
    if ((!slot.iterator->isMade() && slot.state.empty()) ||
        !(iterators == SavedIterators::All ? savesIterator(program, saver, i)
                                           : namesIterator(program, saver, i)))
      continue;
    std::string &position = state.iteratorStates.emplace_back(slot.state);
    if (slot.iterator->isMade()) {
      INGOT_ASSIGN_OR_RETURN(position, slot.iterator->save());
    }
    SaveItem item;
    item.key = iteratorKey(program, i);
    item.dtype = INGOT_STRING;
    item.data = &position;
    item.shard = iteratorShard(program, saver, i);
    state.items.push_back(std::move(item));
  }
  // Adds the states of hooks to `iteratorStates`, so that stampState() appends
  // the stamp to them as to the positions of iterators.
  for (auto &[name, hook] : hooks) {
    SaveItem item;
    item.key = std::string(hookKeyPrefix) + name;
    item.dtype = INGOT_STRING;
    item.data = &state.iteratorStates.emplace_back(std::move(hook));
    state.items.push_back(std::move(item));
  }
  for (uint32_t i = 0; saver >= 0 && i < program.savers[saver].num_items; ++i) {
    const ingot_saved_item &saved = program.savers[saver].items[i];
    if (saved.variable >= 0 || saved.iterator >= 0)
      continue;
    SaveItem item;
    item.key = saved.key;
    item.dtype = INGOT_STRING;
    item.data =
        &state.texts.emplace_back(saved.constant.data, saved.constant.size);
    item.shard = saved.shard;
    state.items.push_back(std::move(item));
  }
  if (saver == sessionSaver(program) && !isListed)
    stampState(context, step, state);
  return state;
}

namespace {

/// A contiguous piece of memory to copy, as one iteration of a parallel loop.
struct Copy {
  uint8_t *to;
  const uint8_t *from;
  uint64_t size;
};

} // namespace

/// The body of a parallel loop over an array of copies: executes copies [begin,
/// end).
static void copyAll(void *const *arguments, int64_t begin, int64_t end) {
  // Streaming stores keep the copy out of the caches, which the next step
  // needs. The saver reads the copy too late to find it in a cache anyway.
  for (const Copy *copy = static_cast<const Copy *>(arguments[0]) + begin,
                  *last = static_cast<const Copy *>(arguments[0]) + end;
       copy != last; ++copy)
    streamingCopy(copy->to, copy->from, copy->size);
}

Status ingot::detachState(StateToSave &state, AlignedBuffer buffer,
                          unsigned threads) {
  auto bytesOf = [](const SaveItem &item) -> uint64_t {
    // Strings need no copy here, since collectState() has copied them.
    if (item.dtype == INGOT_STRING)
      return 0;
    return static_cast<uint64_t>(elementCount(item.shape).value_or(0)) *
           dtypeSize(item.dtype);
  };
  uint64_t total = 0;
  for (const SaveItem &item : state.items)
    total += bytesOf(item);
  state.copy = std::move(buffer);
  if (state.copy.size() < total) {
    state.copy = {};
    INGOT_ASSIGN_OR_RETURN(
        state.copy, AlignedBuffer::allocate(total, "a checkpoint's variables"));
  }
  // Collects the copies of all variables in a list before it copies any: one
  // parallel loop then executes the list, and threads wait for each other only
  // at its end.
  std::vector<Copy> copies;
  std::vector<VariableCopy> fromDevice;
  size_t next = 0;
  uint8_t *to = state.copy.data();
  for (size_t i = 0; i < state.items.size(); ++i) {
    SaveItem &item = state.items[i];
    uint64_t bytes = bytesOf(item);
    bool isThere =
        next < state.onDevice.size() && state.onDevice[next].first == i;
    uint32_t variable = isThere ? state.onDevice[next++].second : 0;
    if (bytes == 0)
      continue;
    if (isThere) {
      fromDevice.push_back({variable, to});
      item.data = to;
      to += bytes;
      continue;
    }
    const auto *from = static_cast<const uint8_t *>(item.data);
    for (uint64_t at = 0; at < bytes; at += copyGrain)
      copies.push_back({to + at, from + at, std::min(copyGrain, bytes - at)});
    item.data = to;
    to += bytes;
  }
  void *arguments[] = {copies.data()};
  parallelFor(threads, copyAll, static_cast<int64_t>(copies.size()), arguments);
  return fromDevice.empty() ? Status::ok()
                            : state.device->takeVariables(fromDevice);
}

Status ingot::saveState(ingot_context &context, int32_t saver,
                        const std::string &prefix) {
  INGOT_ASSIGN_OR_RETURN(
      StateToSave state,
      collectState(context, saver, stepOf(prefix).value_or(0)));
  const ingot_program &program = *context.program;
  uint32_t shards = saver >= 0 ? program.savers[saver].num_shards : 1;
  bool sharded = saver >= 0 && program.savers[saver].sharded;
  return writeCheckpoint(*context.fileSystem, prefix, shards, sharded,
                         state.items);
}

/// Checks that all parts of a restored checkpoint were saved together: the
/// stamps in `set` (the tensor "ingot/set") and in `positions` (the states of
/// iterators), the global step, and the random states must agree. Returns
/// DataLoss, saying what differs, if not. Removes the stamps from `positions`.
/// `wholeRandom` is true if the checkpoint had all random states of the
/// program.
static Status checkSet(const ingot_context &context, const std::string &prefix,
                       const std::string &set, bool hasGlobalStep,
                       bool wholeRandom, std::vector<std::string> &positions) {
  auto mixed = [&](const std::string &what) {
    return Status(StatusCode::DataLoss,
                  "'" + prefix + "' mixes several saves: " + what);
  };
  auto atStep = [](int64_t step) { return "of step " + std::to_string(step); };
  // The stamp in the set's name and that of each position must agree with each
  // other and with the global step.
  std::optional<SaveStamp> named = SaveStamp::parse(set);
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
    std::optional<SaveStamp> stamp = takeStamp(positions[i]);
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
  // Compares the checksums of random states only if the checkpoint has exactly
  // the random states that this program has.
  SaveStamp found;
  addRandomStates(context, found);
  if (named && wholeRandom && found.numRandom == named->numRandom &&
      found.random != named->random)
    return mixed(
        "its random states do not belong to tensor 'ingot/set', which is " +
        atStep(named->step));
  return Status::ok();
}

Expected<HookStates> ingot::readHookStates(FileSystem &fileSystem,
                                           const std::string &prefix) {
  INGOT_ASSIGN_OR_RETURN(std::unique_ptr<CheckpointReader> reader,
                         CheckpointReader::open(fileSystem, prefix));
  auto read = [&](std::string_view key) -> Expected<std::string> {
    std::string text;
    INGOT_RETURN_IF_ERROR(reader->read(key, "", INGOT_STRING, {}, &text));
    return text;
  };
  std::optional<SaveStamp> set;
  if (reader->find(setKey)) {
    INGOT_ASSIGN_OR_RETURN(std::string text, read(setKey));
    set = SaveStamp::parse(text);
  }
  HookStates states;
  for (const std::string &key : reader->keys()) {
    if (!key.starts_with(hookKeyPrefix))
      continue;
    std::string name = key.substr(hookKeyPrefix.size());
    INGOT_ASSIGN_OR_RETURN(std::string state, read(key));
    std::optional<SaveStamp> stamp = takeStamp(state);
    if (set && stamp && !stamp->isSameSet(*set))
      return Status(
          StatusCode::DataLoss,
          "'" + prefix +
              "' mixes several saves: tensor 'ingot/set' is of step " +
              std::to_string(set->step) + ", the state of hook '" + name +
              "' is of step " + std::to_string(stamp->step) +
              (set->step == stamp->step ? ", but another run saved it" : ""));
    states.emplace(std::move(name), std::move(state));
  }
  return states;
}

void ingot::setStrings(ingot_context &context, uint32_t variable,
                       std::vector<std::string> elements) {
  std::vector<std::string> &owner = context.strings[variable];
  owner = std::move(elements);
  auto *target = static_cast<ingot_string *>(context.variables[variable]);
  for (size_t i = 0; i < owner.size(); ++i)
    target[i] = {owner[i].data(), owner[i].size()};
}

/// Adds to `report` a warning that names the unlisted variables which the
/// checkpoint lacks. A checkpoint with tensor "ingot/set" lacks variables that
/// always begin alike because they had these values when it was saved
/// (VariablesToSave::Needed), so there is nothing to warn of.
static void warnOfUnlisted(const ingot_program &program,
                           std::span<const VariableItem> variables, bool hasSet,
                           RestoreReport &report) {
  std::string names;
  for (size_t i : report.missing) {
    if (i >= variables.size() || !variables[i].isUnlisted)
      continue;
    const ingot_variable &variable = program.variables[variables[i].variable];
    bool isExact = hasSet && (variable.flags & INGOT_VARIABLE_CONSTANT_INIT);
    if (!isRandomState(variable) && !isExact)
      names +=
          std::string(names.empty() ? "'" : ", '") + variable.spec.name + "'";
  }
  if (!names.empty())
    report.warnings.push_back(
        "lacks variables that the graph's saver leaves out, which get their "
        "initial values: " +
        names);
}

/// Implements restoreState() and restoreSaver(). `initialize` may be null.
static Expected<RestoreReport>
restoreItems(ingot_context &context, int32_t saver, const std::string &prefix,
             RestoreOptions options,
             const std::function<Status()> &initialize) {
  const ingot_program &program = *context.program;
  if (context.device) { // slices may be restored, so the rest must be current
    INGOT_RETURN_IF_ERROR(context.device->readVariables());
    context.device->wroteVariables();
  }
  std::vector<VariableItem> variables = variableItems(program, saver);
  std::vector<RestoreItem> items;
  std::deque<std::vector<std::string>> strings;
  for (const VariableItem &variable : variables) {
    const ingot_tensor_spec &spec = program.variables[variable.variable].spec;
    RestoreItem item;
    item.key = variable.key;
    item.slice = variable.slice;
    item.dtype = spec.dtype;
    item.shape = shapeOf(spec);
    item.data = context.variables[variable.variable];
    item.optional = isRandomState(program.variables[variable.variable]) ||
                    variable.isUnlisted;
    item.keepsName = isRandomState(program.variables[variable.variable]);
    item.reshape = saver >= 0 && program.savers[saver].reshape;
    if (spec.dtype == INGOT_STRING)
      item.data =
          strings.emplace_back(static_cast<size_t>(elementCountOf(spec)))
              .data();
    items.push_back(std::move(item));
  }

  std::vector<std::string> positions(program.num_iterators);
  auto addPosition = [&](std::string key, uint32_t iterator) {
    RestoreItem item;
    item.key = std::move(key);
    item.dtype = INGOT_STRING;
    item.data = &positions[iterator];
    item.optional = item.keepsName = true;
    items.push_back(std::move(item));
  };
  for (uint32_t i = 0; i < program.num_iterators; ++i)
    if (savesIterator(program, saver, i))
      addPosition(iteratorKey(program, i), i);
  // Adds items for tensors that the program does not use, since restoring
  // reports unused tensors: the name of the set, constant strings of the saver,
  // and the variants that TensorFlow saves for iterators, which are skipped
  // with a note.
  std::string ignored, set;
  {
    RestoreItem item;
    item.key = setKey;
    item.dtype = INGOT_STRING;
    item.data = &set;
    item.optional = item.keepsName = true;
    items.push_back(std::move(item));
  }
  for (uint32_t i = 0; saver >= 0 && i < program.savers[saver].num_items; ++i) {
    const ingot_saved_item &saved = program.savers[saver].items[i];
    if (saved.iterator >= 0) {
      addPosition(saved.key, static_cast<uint32_t>(saved.iterator));
    } else if (saved.variable < 0) {
      RestoreItem item;
      item.key = saved.key;
      item.dtype = INGOT_STRING;
      item.data = &ignored;
      item.optional = true;
      items.push_back(std::move(item));
    }
  }

  bool isInitialized = false;
  options.beforeReading = [&](std::span<const size_t> missing) -> Status {
    bool lacksUnlisted =
        std::any_of(missing.begin(), missing.end(), [&](size_t i) {
          return i < variables.size() && variables[i].isUnlisted &&
                 !isRandomState(program.variables[variables[i].variable]) &&
                 !hasInitialValue(context, variables[i].variable);
        });
    if (!lacksUnlisted || !initialize)
      return Status::ok();
    isInitialized = true;
    INGOT_RETURN_IF_ERROR(initialize());
    if (!context.device)
      return Status::ok();
    INGOT_RETURN_IF_ERROR(context.device->readVariables());
    context.device->wroteVariables();
    return Status::ok();
  };
  INGOT_ASSIGN_OR_RETURN(
      RestoreReport report,
      restoreCheckpoint(*context.fileSystem, prefix, items, options));
  if (isInitialized)
    warnOfUnlisted(program, variables, !set.empty(), report);

  bool hasGlobalStep = false, wholeRandom = saver == sessionSaver(program);
  for (size_t i = 0; i < variables.size(); ++i) {
    auto variable = static_cast<int32_t>(variables[i].variable);
    bool missing =
        std::binary_search(report.missing.begin(), report.missing.end(), i);
    hasGlobalStep |= variable == program.global_step && !missing;
    wholeRandom &= !missing || !isRandomState(program.variables[variable]);
  }
  INGOT_RETURN_IF_ERROR(
      checkSet(context, prefix, set, hasGlobalStep, wholeRandom, positions));
  if (std::optional<SaveStamp> stamp = SaveStamp::parse(set))
    report.step = stamp->step;

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
  for (uint32_t i = 0; i < program.num_iterators; ++i)
    if (savesIterator(program, saver, i))
      context.iterators[i].state = std::move(positions[i]);
  return report;
}

Expected<RestoreReport>
ingot::restoreState(ingot_context &context, int32_t saver,
                    const std::string &prefix, const RestoreOptions &options,
                    const std::function<Status()> &initialize) {
  return restoreItems(context, saver, prefix, options, initialize);
}

int64_t ingot::savedGlobalStep(const ingot_program &program,
                               FileSystem &fileSystem,
                               const std::string &prefix) {
  for (const VariableItem &item :
       variableItems(program, sessionSaver(program))) {
    if (static_cast<int64_t>(item.variable) != program.global_step)
      continue;
    int64_t step = 0;
    int32_t narrow = 0;
    RestoreItem wanted;
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
  // others.
  options.allowUnused = true;
  INGOT_ASSIGN_OR_RETURN(
      RestoreReport report,
      restoreItems(context, saver, prefix, std::move(options), nullptr));
  for (uint32_t i = 0; i < context.program->num_iterators; ++i)
    if (!context.iterators[i].state.empty() &&
        savesIterator(*context.program, saver, i))
      INGOT_RETURN_IF_ERROR(makeIterator(context, i));
  return Status::ok();
}
