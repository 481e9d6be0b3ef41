//===- IteratorCheckpoints.cpp - Checkpoints of iterators only ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/IteratorCheckpoints.h"

#include "runtime/Checkpoint/CheckpointSaveId.h"
#include "runtime/Input/TensorFlowIteratorState.h"

using namespace ingot;

Expected<StateToSave> ingot::collectIterators(ingot_context &context) {
  StateToSave state;
  for (uint32_t i = 0; i < context.iterators.size(); ++i) {
    const SessionDatasetIterator &slot = context.iterators[i];
    if (!slot.iterator->isMade())
      continue;
    INGOT_ASSIGN_OR_RETURN(std::string position, slot.iterator->save());
    TensorToSave item;
    item.key = iteratorKey(*context.program, i);
    item.dtype = INGOT_STRING;
    item.data = &state.iteratorStates.emplace_back(std::move(position));
    state.items.push_back(std::move(item));
    INGOT_RETURN_IF_ERROR(addTensorFlowPosition(
        context, sessionSaver(*context.program), i, 0, state));
  }
  return state;
}

Status ingot::restoreIterators(ingot_context &context,
                               const std::string &prefix) {
  std::vector<std::string> positions(context.iterators.size());
  std::vector<std::vector<std::string>> variants(positions.size());
  std::vector<TensorToRestore> items;
  for (uint32_t i = 0; i < positions.size(); ++i) {
    TensorToRestore item;
    item.key = iteratorKey(*context.program, i);
    item.dtype = INGOT_STRING;
    item.data = &positions[i];
    item.optional = true;
    items.push_back(item);
    item.key = tensorFlowIteratorKey(*context.program,
                                     sessionSaver(*context.program), i);
    item.variants = &variants[i];
    items.push_back(std::move(item));
  }
  RestoreOptions options;
  options.allowUnused = true;
  INGOT_ASSIGN_OR_RETURN(
      RestoreReport report,
      restoreCheckpoint(*context.fileSystem, prefix, items, options));
  for (uint32_t i = 0; i < positions.size(); ++i) {
    if (positions[i].empty() && !variants[i].empty())
      positions[i] = input::packVariants(variants[i]);
    if (positions[i].empty())
      continue;
    // The position of an iterator that was saved with a model ends in a stamp.
    // restoreState() checks by the stamp that the position belongs to the
    // restored variables. No variables are restored here, so remove the stamp
    // without a check.
    (void)takeStamp(positions[i]);
    context.iterators[i].state = std::move(positions[i]);
    INGOT_RETURN_IF_ERROR(
        makeIterator(context, i).withContext("'" + prefix + "'"));
  }
  return Status::ok();
}
