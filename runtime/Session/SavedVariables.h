//===- SavedVariables.h - The variables of a checkpoint ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Determines what the functions of CheckpointContents.h save and restore: which
// variables (those that the graph's Saver lists, and others that a resumed run
// needs), under which keys and in which slices, which iterators, and which
// states of random ops.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_SAVEDVARIABLES_H
#define INGOT_RUNTIME_SESSION_SAVEDVARIABLES_H

#include "runtime/Checkpoint/CheckpointSaveId.h"
#include "runtime/Session/CheckpointContents.h"

namespace ingot {

/// A variable, or a slice of one, that a checkpoint contains.
struct SavedVariableOrSlice {
  uint32_t variable;
  std::string key, slice;
  uint32_t shard;
  bool isUnlisted = false; // the list of the graph's saver lacks it
};

/// Returns the variables that checkpoints of `saver` may have. Checkpoints of
/// the session's own saver may also have all other variables that outlive a
/// session, even those that TensorFlow's saver leaves out: without one of
/// these, a resumed run could differ from a run that was never stopped.
std::vector<SavedVariableOrSlice> variableItems(const ingot_program &program,
                                                int32_t saver);

/// Returns true if the variable still has the value that the init entry (the
/// graph's init op) gives it in every run, so that a checkpoint need not store
/// it.
bool hasInitialValue(ingot_context &context, uint32_t variable);

/// Sets what hasInitialValue() returns while the variable keeps its present
/// bytes. For a rank that does not have all parts of a variable.
void setHasInitialValue(ingot_context &context, uint32_t variable,
                        bool hasInitial);

/// Returns a shard for each of `items`, so that `numShards` shards have about
/// equal sizes. Strings are in shard 0, because their sizes vary. All items of
/// a variable that ranks divide are in one shard. Depends on the program only,
/// so that all ranks know it.
std::vector<uint32_t> shardsOfItems(const ingot_program &program,
                                    std::span<const SavedVariableOrSlice> items,
                                    uint32_t numShards);

/// Returns true if a checkpoint with the variables that `which` selects
/// contains `item`.
bool isSaved(ingot_context &context, const SavedVariableOrSlice &item,
             VariablesToSave which);

/// Returns true if the items of the graph's saver `saver` name the iterator.
/// Returns false if `saver` is -1 because the program has no savers.
bool namesIterator(const ingot_program &program, int32_t saver,
                   uint32_t iterator);

/// Returns true if `saver` saves the iterator's position. The session's own
/// saver saves the positions of all iterators.
bool savesIterator(const ingot_program &program, int32_t saver,
                   uint32_t iterator);

/// Adds the number and the checksum of the states of random ops, in the
/// program's order, to `stamp`.
void addRandomStates(const ingot_context &context, CheckpointSaveId &stamp);

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_SAVEDVARIABLES_H
