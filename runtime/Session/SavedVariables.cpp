//===- SavedVariables.cpp - The variables of a checkpoint -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/SavedVariables.h"

#include "runtime/Session/Program.h"
#include "runtime/Support/Crc32c.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace ingot;

/// Returns true if the graph's saver `saver` saves something under `key`.
static bool hasKey(const ingot_saver &saver, std::string_view key) {
  return std::any_of(
      saver.items, saver.items + saver.num_items,
      [&](const ingot_saved_item &item) { return item.key == key; });
}

/// Returns the key of a variable that is not in the list of the graph's saver
/// `saver`: its name, or `ingot/variable/<name>` if the saver uses the name as
/// the key of something else.
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

std::vector<SavedVariableOrSlice>
ingot::variableItems(const ingot_program &program, int32_t saver) {
  std::vector<SavedVariableOrSlice> items;
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
  for (const SavedVariableOrSlice &item : variableItems(program, saver))
    if (const ingot_variable &variable = program.variables[item.variable];
        item.isUnlisted && (variable.flags & INGOT_VARIABLE_CONSTANT_INIT) &&
        variable.spec.dtype != INGOT_STRING)
      context.initialValues[item.variable] = hashValue(context, item.variable);
}

bool ingot::hasInitialValue(ingot_context &context, uint32_t variable) {
  if (context.initialValues.empty() || !context.initialValues[variable])
    return false;
  if (*context.initialValues[variable] == hashValue(context, variable))
    return true;
  // After a change, a variable hardly ever gets its initial value again. So
  // forget the hash of the initial value: later calls need not compute the
  // variable's hash.
  context.initialValues[variable].reset();
  return false;
}

void ingot::setHasInitialValue(ingot_context &context, uint32_t variable,
                               bool hasInitial) {
  if (context.initialValues.empty())
    return;
  if (hasInitial)
    context.initialValues[variable] = hashValue(context, variable);
  else
    context.initialValues[variable].reset();
}

std::vector<uint32_t>
ingot::shardsOfItems(const ingot_program &program,
                     std::span<const SavedVariableOrSlice> items,
                     uint32_t numShards) {
  std::vector<TensorToSave> tensors;
  for (const SavedVariableOrSlice &item : items) {
    const ingot_tensor_spec &spec = program.variables[item.variable].spec;
    TensorToSave &tensor = tensors.emplace_back();
    tensor.dtype = spec.dtype;
    tensor.shape =
        spec.dtype == INGOT_STRING ? std::vector<int64_t>{0} : shapeOf(spec);
  }
  spreadOverShards(tensors, numShards);
  std::vector<uint32_t> shards;
  std::map<uint32_t, uint32_t> ofDivided; // the first item's shard
  for (size_t i = 0; i < items.size(); ++i) {
    const ingot_variable &variable = program.variables[items[i].variable];
    uint32_t shard = variable.spec.dtype == INGOT_STRING ? 0 : tensors[i].shard;
    if (variable.shards != 0)
      shard = ofDivided.try_emplace(items[i].variable, shard).first->second;
    shards.push_back(shard);
  }
  return shards;
}

bool ingot::isSaved(ingot_context &context, const SavedVariableOrSlice &item,
                    VariablesToSave which) {
  if (isRandomState(context.program->variables[item.variable]))
    return which != VariablesToSave::Listed;
  if (!item.isUnlisted || which == VariablesToSave::All)
    return true;
  return which == VariablesToSave::Needed &&
         !hasInitialValue(context, item.variable);
}

bool ingot::namesIterator(const ingot_program &program, int32_t saver,
                          uint32_t iterator) {
  if (saver < 0)
    return false;
  const ingot_saver &graphs = program.savers[saver];
  return std::any_of(graphs.items, graphs.items + graphs.num_items,
                     [&](const ingot_saved_item &item) {
                       return item.iterator == static_cast<int32_t>(iterator);
                     });
}

bool ingot::savesIterator(const ingot_program &program, int32_t saver,
                          uint32_t iterator) {
  return saver == sessionSaver(program) ||
         namesIterator(program, saver, iterator);
}

void ingot::addRandomStates(const ingot_context &context,
                            CheckpointSaveId &stamp) {
  const ingot_program &program = *context.program;
  for (uint32_t i = 0; i < program.num_variables; ++i)
    if (isRandomState(program.variables[i])) {
      stamp.random = crc32c(stamp.random, readVariable(context, i),
                            program.variables[i].byte_size);
      ++stamp.numRandom;
    }
}
