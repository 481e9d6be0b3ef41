//===- SavedState.cpp - What a checkpoint of a program holds --------------===//

#include "runtime/Session/SavedState.h"

#include "runtime/Session/Program.h"
#include "runtime/Support/DType.h"

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

namespace {

/// A variable's place in a checkpoint.
struct VariableItem {
  uint32_t variable;
  std::string key, slice;
  uint32_t shard;
};

} // namespace

/// The variables of a session's checkpoints: the saver's, and whatever else
/// lives longer than a session. A variable that TensorFlow's saver leaves out
/// would make a resumed run differ from one that was never stopped.
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
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    const ingot_variable &variable = program.variables[i];
    if (!covered[i] && !(variable.flags & INGOT_VARIABLE_LOCAL))
      items.push_back({i, variable.spec.name, "", 0});
  }
  return items;
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

Expected<StateToSave> ingot::collectState(ingot_context &context,
                                          int32_t saver) {
  const ingot_program &program = *context.program;
  StateToSave state;
  for (const VariableItem &variable : variableItems(program, saver)) {
    const ingot_tensor_spec &spec = program.variables[variable.variable].spec;
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
                        "' has no value to save");
    if (spec.dtype == INGOT_STRING) {
      auto *elements = static_cast<const ingot_string *>(item.data);
      std::vector<std::string> &copy = state.strings.emplace_back();
      for (int64_t i = 0, e = elementCountOf(spec); i < e; ++i)
        copy.emplace_back(elements[i].data, elements[i].size);
      item.data = copy.data();
    }
    state.items.push_back(std::move(item));
  }
  for (uint32_t i = 0; i < program.num_iterators; ++i) {
    IteratorSlot &slot = context.iterators[i];
    // One that nothing has asked for keeps the position it was restored to.
    if (!slot.iterator->isMade() && slot.state.empty())
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
  for (uint32_t i = 0; saver >= 0 && i < program.savers[saver].num_items; ++i) {
    const ingot_saved_item &saved = program.savers[saver].items[i];
    if (saved.variable >= 0 || saved.iterator >= 0)
      continue;
    SaveItem item;
    item.key = saved.key;
    item.dtype = INGOT_STRING;
    item.data = &state.iteratorStates.emplace_back(saved.constant.data,
                                                   saved.constant.size);
    item.shard = saved.shard;
    state.items.push_back(std::move(item));
  }
  return state;
}

Status ingot::detachState(StateToSave &state) {
  auto bytesOf = [](const SaveItem &item) -> uint64_t {
    // Strings were copied when the state was collected.
    if (item.dtype == INGOT_STRING)
      return 0;
    return static_cast<uint64_t>(elementCount(item.shape).value_or(0)) *
           dtypeSize(item.dtype);
  };
  uint64_t total = 0;
  for (const SaveItem &item : state.items)
    total += bytesOf(item);
  INGOT_ASSIGN_OR_RETURN(
      state.copy, AlignedBuffer::allocate(total, "a checkpoint's variables"));
  uint8_t *to = state.copy.data();
  for (SaveItem &item : state.items) {
    uint64_t bytes = bytesOf(item);
    if (bytes == 0)
      continue;
    std::memcpy(to, item.data, bytes);
    item.data = to;
    to += bytes;
  }
  return Status::ok();
}

Status ingot::saveState(ingot_context &context, int32_t saver,
                        const std::string &prefix) {
  INGOT_ASSIGN_OR_RETURN(StateToSave state, collectState(context, saver));
  const ingot_program &program = *context.program;
  uint32_t shards = saver >= 0 ? program.savers[saver].num_shards : 1;
  bool sharded = saver >= 0 && program.savers[saver].sharded;
  return writeCheckpoint(*context.fileSystem, prefix, shards, sharded,
                         state.items);
}

/// Gives a string variable the elements that `elements` owns.
static void setStrings(ingot_context &context, uint32_t variable,
                       std::vector<std::string> elements) {
  std::vector<std::string> &owner = context.strings[variable];
  owner = std::move(elements);
  auto *target = static_cast<ingot_string *>(context.variables[variable]);
  for (size_t i = 0; i < owner.size(); ++i)
    target[i] = {owner[i].data(), owner[i].size()};
}

Expected<RestoreReport> ingot::restoreState(ingot_context &context,
                                            int32_t saver,
                                            const std::string &prefix,
                                            const RestoreOptions &options) {
  const ingot_program &program = *context.program;
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
    item.optional = isRandomState(program.variables[variable.variable]);
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
    item.optional = true;
    items.push_back(std::move(item));
  };
  for (uint32_t i = 0; i < program.num_iterators; ++i)
    addPosition(iteratorKey(program, i), i);
  // TensorFlow's own keys, so that they aren't taken for tensors that nobody
  // wants; variants there are skipped with a note.
  // So are texts that are written beside the variables.
  std::string ignored;
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

  INGOT_ASSIGN_OR_RETURN(
      RestoreReport report,
      restoreCheckpoint(*context.fileSystem, prefix, items, options));

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
    context.iterators[i].state = std::move(positions[i]);
  return report;
}

Status ingot::restoreSaver(ingot_context &context, int32_t saver,
                           const std::string &prefix) {
  RestoreOptions options;
  // A restore op reads what it names and ignores the rest.
  options.allowUnused = true;
  INGOT_ASSIGN_OR_RETURN(RestoreReport report,
                         restoreState(context, saver, prefix, options));
  for (uint32_t i = 0; i < context.program->num_iterators; ++i)
    if (!context.iterators[i].state.empty())
      INGOT_RETURN_IF_ERROR(makeIterator(context, i));
  return Status::ok();
}
