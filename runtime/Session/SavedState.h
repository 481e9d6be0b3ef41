//===- SavedState.h - Contents of a checkpoint ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Between a program's saver and the checkpoint library: variables under the
// saver's keys and slices, and every iterator's position under a key of our
// own, in one atomic set that has a name (runtime/Checkpoint/SetStamp.h).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_SAVEDSTATE_H
#define INGOT_RUNTIME_SESSION_SAVEDSTATE_H

#include "runtime/Checkpoint/SaveRestore.h"
#include "runtime/Session/Context.h"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace ingot {

/// The saver that a session saves with: the program's first, or -1 where it
/// has none and all of its variables are saved under their names.
int32_t sessionSaver(const ingot_program &program);

/// The key of an iterator's position: a scalar string beside the variables.
/// TensorFlow's key for it ("IteratorV2") holds a variant that only the
/// TensorFlow which wrote it can read, and is left alone.
std::string iteratorKey(const ingot_program &program, uint32_t iterator);

/// The tensors of one checkpoint, and the memory of those that are not
/// variables. Moving keeps the items valid.
struct StateToSave {
  std::vector<SaveItem> items;
  AlignedBuffer copy; // of the variables; may be larger
  /// If kernels run on a device: the items whose data are still on it, and
  /// their variables. detachState() copies them.
  DeviceSession *device = nullptr;
  std::vector<std::pair<size_t, uint32_t>> onDevice;
  std::deque<std::string> iteratorStates, texts;
  std::deque<std::vector<std::string>> strings;
};

/// The states of hooks, by their names.
using HookStates = std::map<std::string, std::string>;

/// The iterators whose positions are in a session's checkpoint: all live ones,
/// or those that the graph's saver names, if the others are saved in
/// checkpoints of their own (IteratorPositions.h).
enum class SavedIterators { All, Named };

/// The location of a state's variables: the session's memory, or, for those
/// that are newer there, a device until detachState() copies them.
enum class SavedValues { Here, ToDetach };

/// The state that `saver` (-1: none) saves: its items; for the session's saver
/// also the variables that it leaves out but a resumed run needs, `iterators`,
/// and the set's name if the variables are not all. `step` is used where the
/// program has no global step.
Expected<StateToSave>
collectState(ingot_context &context, int32_t saver, int64_t step,
             HookStates hooks = {},
             SavedIterators iterators = SavedIterators::All,
             SavedValues values = SavedValues::Here);

/// The states of hooks in checkpoint `prefix`, which has been restored.
/// DataLoss where one wasn't saved together with the rest.
Expected<HookStates> readHookStates(FileSystem &fileSystem,
                                    const std::string &prefix);

/// Gives a string variable as many `elements` as it has.
void setStrings(ingot_context &context, uint32_t variable,
                std::vector<std::string> elements);

/// Copies the variables into `state`, which a save can then write while steps
/// continue. `buffer` is used for the copy if it is large enough: memory that
/// has been touched before is filled many times faster.
Status detachState(StateToSave &state, AlignedBuffer buffer = {},
                   unsigned threads = 1);

/// Writes checkpoint `prefix` as `saver` does.
Status saveState(ingot_context &context, int32_t saver,
                 const std::string &prefix);

/// Reads the variables of checkpoint `prefix`, marks them initialized, and
/// leaves iterators' positions in their slots, where makeIterator() finds them.
/// DataLoss where the checkpoint mixes several sets.
Expected<RestoreReport> restoreState(ingot_context &context, int32_t saver,
                                     const std::string &prefix,
                                     const RestoreOptions &options);

/// The global step among the variables of checkpoint `prefix`; where the
/// program has none, or the checkpoint can't say, the one that its name ends
/// in. Names alone mislead: AdaNet's increment.ckpt-1 follows its
/// model.ckpt-100.
int64_t savedGlobalStep(const ingot_program &program, FileSystem &fileSystem,
                        const std::string &prefix);

/// Restores the saver's variables and iterators at once, as a restore op does.
Status restoreSaver(ingot_context &context, int32_t saver,
                    const std::string &prefix);

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_SAVEDSTATE_H
