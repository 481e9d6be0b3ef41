//===- SavedState.h - What a checkpoint of a program holds ------*- C++ -*-===//
//
// Between a program's saver and the checkpoint room: variables under the
// saver's keys and slices, and every iterator's position under a key of our
// own, in one atomic set.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_SAVEDSTATE_H
#define INGOT_RUNTIME_SESSION_SAVEDSTATE_H

#include "runtime/Checkpoint/SaveRestore.h"
#include "runtime/Session/Context.h"

#include <deque>
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

/// The tensors of one checkpoint, and what of them isn't the variables' own
/// memory. Moving keeps the items valid.
struct StateToSave {
  std::vector<SaveItem> items;
  AlignedBuffer copy; // of the variables
  std::deque<std::string> iteratorStates;
  std::deque<std::vector<std::string>> strings;
};

/// What `saver` (-1: none) saves: its items, then the variables that it leaves
/// out but a resumed run needs, then all iterators that are live.
Expected<StateToSave> collectState(ingot_context &context, int32_t saver);

/// Copies the variables into `state`, which a save can then write while steps
/// go on.
Status detachState(StateToSave &state);

/// Writes checkpoint `prefix` as `saver` does.
Status saveState(ingot_context &context, int32_t saver,
                 const std::string &prefix);

/// Reads the variables of checkpoint `prefix`, marks them initialized, and
/// leaves iterators' positions in their slots, where makeIterator() finds them.
Expected<RestoreReport> restoreState(ingot_context &context, int32_t saver,
                                     const std::string &prefix,
                                     const RestoreOptions &options);

/// As a restore op does: the saver's variables and iterators, at once.
Status restoreSaver(ingot_context &context, int32_t saver,
                    const std::string &prefix);

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_SAVEDSTATE_H
