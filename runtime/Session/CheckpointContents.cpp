//===- CheckpointContents.cpp - Contents of a checkpoint ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/CheckpointContents.h"

#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/CheckpointSaveId.h"
#include "runtime/Device/ParallelLoops.h"
#include "runtime/Session/Program.h"
#include "runtime/Session/SavedLookupTables.h"
#include "runtime/Session/SavedVariables.h"
#include "runtime/Support/Crc32c.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/StreamingCopy.h"

#include <algorithm>

using namespace ingot;

int32_t ingot::sessionSaver(const ingot_program &program) {
  return program.num_savers > 0 ? 0 : -1;
}

std::string ingot::iteratorKey(const ingot_program &program,
                               uint32_t iterator) {
  return "ingot/iterator/" + std::string(program.iterators[iterator].name);
}

static const ingot_saved_item *savedItem(const ingot_program &program,
                                         int32_t saver, uint32_t iterator) {
  if (saver >= 0)
    for (uint32_t i = 0; i < program.savers[saver].num_items; ++i)
      if (program.savers[saver].items[i].iterator ==
          static_cast<int32_t>(iterator))
        return &program.savers[saver].items[i];
  return nullptr;
}

std::string ingot::tensorFlowIteratorKey(const ingot_program &program,
                                         int32_t saver, uint32_t iterator) {
  const ingot_saved_item *item = savedItem(program, saver, iterator);
  return item ? std::string(item->key)
              : std::string(program.iterators[iterator].name) + ":0_STATE";
}

Status ingot::addTensorFlowPosition(ingot_context &context, int32_t saver,
                                    uint32_t iterator, uint32_t shard,
                                    StateToSave &state) {
  if (!context.savesForTensorFlow ||
      !context.iterators[iterator].iterator->isMade())
    return Status::ok();
  INGOT_ASSIGN_OR_RETURN(
      std::vector<std::string> variants,
      context.iterators[iterator].iterator->saveForTensorFlow());
  TensorToSave item;
  item.key = tensorFlowIteratorKey(*context.program, saver, iterator);
  item.dtype = INGOT_VARIANT;
  item.shape = {static_cast<int64_t>(variants.size())};
  item.data = state.strings.emplace_back(std::move(variants)).data();
  item.shard = shard;
  state.items.push_back(std::move(item));
  return Status::ok();
}

// The number of bytes that a thread copies as one unit of work.
static constexpr uint64_t copyGrain = 1 << 20;

static uint32_t iteratorShard(const ingot_program &program, int32_t saver,
                              uint32_t iterator) {
  const ingot_saved_item *item = savedItem(program, saver, iterator);
  return item ? item->shard : 0;
}

/// Computes the stamp by which a restore recognizes that all parts of a
/// checkpoint were saved together (CheckpointSaveId.h). Appends it to the
/// states of iterators and hooks, and adds the tensor "ingot/set", which
/// contains it.
static void stampState(const ingot_context &context, int64_t step,
                       StateToSave &state) {
  CheckpointSaveId stamp;
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
  TensorToSave item;
  item.key = setKey;
  item.dtype = INGOT_STRING;
  item.data = &state.texts.emplace_back(stamp.text());
  state.items.push_back(std::move(item));
}

/// Adds one variable, or a slice of one, to `state`. If `leavesThere` is true,
/// a numeric variable stays on the device for now: it is listed in
/// state.onDevice, and detachState() copies it.
static Status addVariable(ingot_context &context,
                          const SavedVariableOrSlice &variable,
                          bool leavesThere, StateToSave &state) {
  const ingot_tensor_spec &spec =
      context.program->variables[variable.variable].spec;
  if (!context.initialized[variable.variable])
    return Status(StatusCode::FailedPrecondition,
                  "variable '" + std::string(spec.name) +
                      "' has no value to save: run the init entry, or "
                      "restore a checkpoint, before saving");
  TensorToSave item;
  item.key = variable.key;
  item.slice = variable.slice;
  item.dtype = spec.dtype;
  item.shape = shapeOf(spec);
  item.data = context.variables[variable.variable];
  item.shard = variable.shard;
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
  return Status::ok();
}

/// Adds to `state` the variables that `variables` chooses for this checkpoint.
/// `leavesThere` is passed to addVariable().
static Status addVariables(ingot_context &context, int32_t saver,
                           VariablesToSave variables, bool leavesThere,
                           StateToSave &state) {
  const ingot_program &program = *context.program;
  for (const SavedVariableOrSlice &variable : variableItems(program, saver)) {
    if (!isSaved(context, variable, variables)) {
      state.leavesOutInitial |= variables == VariablesToSave::Needed;
      continue;
    }
    const ingot_variable &declared = program.variables[variable.variable];
    if (variable.isUnlisted && !isRandomState(declared))
      state.unlisted.emplace_back(declared.spec.name);
    INGOT_RETURN_IF_ERROR(addVariable(context, variable, leavesThere, state));
  }
  return Status::ok();
}

Expected<StateToSave>
ingot::collectVariables(ingot_context &context,
                        std::span<const SavedVariableOrSlice> items) {
  StateToSave state;
  state.device = context.device.get();
  for (const SavedVariableOrSlice &item : items)
    INGOT_RETURN_IF_ERROR(
        addVariable(context, item, context.device != nullptr, state));
  return state;
}

Expected<StateToSave> ingot::collectState(ingot_context &context, int32_t saver,
                                          int64_t step, HookStates hooks,
                                          IteratorsToSave iterators,
                                          DeviceVariableHandling values,
                                          VariablesToSave variables) {
  const ingot_program &program = *context.program;
  bool isListed = variables == VariablesToSave::Listed;
  if (isListed) {
    iterators = IteratorsToSave::Named;
    hooks.clear();
  }
  bool leavesThere =
      context.device && values == DeviceVariableHandling::ToDetach;
  if (context.device && !leavesThere)
    INGOT_RETURN_IF_ERROR(context.device->readVariables());
  StateToSave state;
  state.device = context.device.get();
  INGOT_RETURN_IF_ERROR(
      addVariables(context, saver, variables, leavesThere, state));
  INGOT_RETURN_IF_ERROR(addTables(context, saver, variables, state));
  for (uint32_t i = 0; i < program.num_iterators; ++i) {
    SessionDatasetIterator &slot = context.iterators[i];
    // Skip iterators that have no position. (The position of an iterator that
    // was restored but has not been used yet is in `slot.state`.)
    if ((!slot.iterator->isMade() && slot.state.empty()) ||
        !(iterators == IteratorsToSave::All ? savesIterator(program, saver, i)
                                            : namesIterator(program, saver, i)))
      continue;
    INGOT_RETURN_IF_ERROR(addTensorFlowPosition(
        context, saver, i, iteratorShard(program, saver, i), state));
    // With VariablesToSave::Listed, a checkpoint has only what TensorFlow's own
    // checkpoint would have: the position in TensorFlow's form, and not in
    // Ingot's.
    if (isListed && context.savesForTensorFlow && slot.iterator->isMade())
      continue;
    std::string &position = state.iteratorStates.emplace_back(slot.state);
    if (slot.iterator->isMade()) {
      INGOT_ASSIGN_OR_RETURN(position, slot.iterator->save());
    }
    TensorToSave item;
    item.key = iteratorKey(program, i);
    item.dtype = INGOT_STRING;
    item.data = &position;
    item.shard = iteratorShard(program, saver, i);
    state.items.push_back(std::move(item));
  }
  // Adds the states of hooks to `iteratorStates`, so that stampState() appends
  // the stamp to them as to the positions of iterators.
  for (auto &[name, hook] : hooks) {
    TensorToSave item;
    item.key = std::string(hookKeyPrefix) + name;
    item.dtype = INGOT_STRING;
    item.data = &state.iteratorStates.emplace_back(std::move(hook));
    state.items.push_back(std::move(item));
  }
  for (uint32_t i = 0; saver >= 0 && i < program.savers[saver].num_items; ++i) {
    const ingot_saved_item &saved = program.savers[saver].items[i];
    if (!saved.constant.data)
      continue;
    TensorToSave item;
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
struct MemoryCopyRange {
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
  for (const MemoryCopyRange *
           copy = static_cast<const MemoryCopyRange *>(arguments[0]) + begin,
          *last = static_cast<const MemoryCopyRange *>(arguments[0]) + end;
       copy != last; ++copy)
    streamingCopy(copy->to, copy->from, copy->size);
}

uint64_t ingot::defaultCopySize(uint64_t variables) {
  return std::max<uint64_t>(64 << 20, variables / 8);
}

/// Returns the number of bytes that an item's copy takes.
static uint64_t copySizeOf(const TensorToSave &item) {
  // collectState() has copied the strings already, so they need no copy here.
  if (item.dtype == INGOT_STRING)
    return 0;
  return static_cast<uint64_t>(elementCount(item.shape).value_or(0)) *
         dtypeSize(item.dtype);
}

/// Returns for each item whether it is copied, so that all copies take about
/// `mostBytes`. A shard is written in the order of its items, and a step waits
/// for the last one that is not copied: so those at the end are copied.
static std::vector<bool> chooseCopies(const StateToSave &state,
                                      uint64_t mostBytes) {
  std::vector<bool> copied(state.items.size(), true);
  uint64_t total = 0;
  std::map<uint32_t, uint64_t> left; // by shard: the bytes that may be copied
  for (const TensorToSave &item : state.items) {
    total += copySizeOf(item);
    left[item.shard] = 0;
  }
  if (total <= mostBytes)
    return copied;
  for (auto &[shard, bytes] : left)
    bytes = mostBytes / left.size();
  for (size_t i = state.items.size(); i-- > 0;) {
    uint64_t bytes = copySizeOf(state.items[i]);
    uint64_t &rest = left[state.items[i].shard];
    copied[i] = bytes <= rest;
    rest = copied[i] ? rest - bytes : 0;
  }
  for (auto [item, variable] : state.onDevice)
    copied[item] = true;
  return copied;
}

/// Lets the save read the items that are not copied from the variables.
static void readInPlace(StateToSave &state, const std::vector<bool> &copied) {
  size_t count =
      static_cast<size_t>(std::count(copied.begin(), copied.end(), false));
  if (count == 0)
    return;
  state.pendingReads = std::make_shared<PendingReads>(count);
  for (size_t i = 0; i < copied.size(); ++i)
    if (!copied[i])
      state.items[i].written = [reads = state.pendingReads] {
        reads->finishOne();
      };
}

Status ingot::detachState(StateToSave &state, AlignedBuffer buffer,
                          unsigned threads, uint64_t mostBytes) {
  std::vector<bool> copied = chooseCopies(state, mostBytes);
  uint64_t total = 0;
  for (size_t i = 0; i < state.items.size(); ++i)
    total += copied[i] ? copySizeOf(state.items[i]) : 0;
  state.copy = std::move(buffer);
  if (state.copy.size() < total) {
    state.copy = {};
    INGOT_ASSIGN_OR_RETURN(
        state.copy, AlignedBuffer::allocate(total, "a checkpoint's variables"));
  }
  readInPlace(state, copied);
  // Collects the copies of all variables in a list before it copies any: one
  // parallel loop then executes the list, and threads wait for each other only
  // at its end.
  std::vector<MemoryCopyRange> copies;
  std::vector<VariableDownload> fromDevice;
  size_t next = 0;
  uint8_t *to = state.copy.data();
  for (size_t i = 0; i < state.items.size(); ++i) {
    TensorToSave &item = state.items[i];
    uint64_t bytes = copied[i] ? copySizeOf(item) : 0;
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

Expected<HookStates> ingot::readHookStates(FileSystem &fileSystem,
                                           const std::string &prefix) {
  INGOT_ASSIGN_OR_RETURN(std::unique_ptr<CheckpointReader> reader,
                         CheckpointReader::open(fileSystem, prefix));
  auto read = [&](std::string_view key) -> Expected<std::string> {
    std::string text;
    INGOT_RETURN_IF_ERROR(reader->read(key, "", INGOT_STRING, {}, &text));
    return text;
  };
  std::optional<CheckpointSaveId> set;
  if (reader->find(setKey)) {
    INGOT_ASSIGN_OR_RETURN(std::string text, read(setKey));
    set = CheckpointSaveId::parse(text);
  }
  HookStates states;
  for (const std::string &key : reader->keys()) {
    if (!key.starts_with(hookKeyPrefix))
      continue;
    std::string name = key.substr(hookKeyPrefix.size());
    INGOT_ASSIGN_OR_RETURN(std::string state, read(key));
    std::optional<CheckpointSaveId> stamp = takeStamp(state);
    if (set && stamp && !stamp->isSameSet(*set))
      return Status(
          StatusCode::DataLoss,
          "'" + prefix +
              "' mixes several saves: tensor 'ingot/set' is of step " +
              std::to_string(set->step) + ", the state of hook '" + name +
              "' is of step " + std::to_string(stamp->step) +
              (set->step == stamp->step ? ", but another run saved it" : "") +
              "; restore another checkpoint");
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
