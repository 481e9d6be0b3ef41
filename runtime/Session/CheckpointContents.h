//===- CheckpointContents.h - Contents of a checkpoint ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Defines what a session's checkpoint contains: the variables that the graph's
// tf.train.Saver lists, under the keys and slices that it gives them; further
// variables that a resumed run needs; and the position of every iterator, under
// a key of Ingot's own. All of them form one atomic set, which a stamp
// identifies (runtime/Checkpoint/CheckpointSaveId.h).
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_CHECKPOINTCONTENTS_H
#define INGOT_RUNTIME_SESSION_CHECKPOINTCONTENTS_H

#include "runtime/Checkpoint/SaveRestore.h"
#include "runtime/Session/Context.h"
#include "runtime/Session/PendingReads.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ingot {

/// Returns the index of the saver that a session uses for its checkpoints: 0,
/// or -1 if the program has no saver. With -1 all variables are saved under
/// their names.
int32_t sessionSaver(const ingot_program &program);

/// Returns the key of an iterator's position, a scalar string tensor beside the
/// variables.
std::string iteratorKey(const ingot_program &program, uint32_t iterator);

/// Returns the key under which a checkpoint stores an iterator's position in
/// TensorFlow's format, a variant tensor. If `saver` lists the iterator, this
/// is the key in its list, and otherwise the one that TensorFlow's
/// CheckpointInputPipelineHook uses ("IteratorV2:0_STATE").
std::string tensorFlowIteratorKey(const ingot_program &program, int32_t saver,
                                  uint32_t iterator);

/// Returns the key under which the session's checkpoints store a variable: the
/// key that the graph's saver lists or, if it does not list the variable, the
/// variable's name. If the saver saves something else under this name, the key
/// is `ingot/variable/<name>`. If the saver saves slices of the variable,
/// returns the key of the first.
std::string variableKey(const ingot_program &program, uint32_t variable);

/// The tensors of one checkpoint. Owns the memory of all data that is not in
/// variables. The items stay valid if this object is moved.
struct StateToSave {
  std::vector<TensorToSave> items;
  AlignedBuffer copy; // copy of variables; may be larger than needed
  /// `device` is set if kernels run on a device. `onDevice` has, for each item
  /// whose data is still there, the indices of the item and of its variable;
  /// detachState() copies the data.
  DeviceSession *device = nullptr;
  std::vector<std::pair<size_t, uint32_t>> onDevice;
  /// Set by detachState() if some items are not copied: until its wait()
  /// returns, no step may run. Whoever writes the items calls finishAll() at
  /// the end.
  std::shared_ptr<PendingReads> pendingReads;
  std::deque<std::string> iteratorStates, texts;
  /// The elements of string variables and of variant tensors.
  std::deque<std::vector<std::string>> strings;
  /// The names of saved variables that the graph's saver does not list, without
  /// states of random ops.
  std::vector<std::string> unlisted;
  /// True if `items` leaves out variables that still have the values which the
  /// init entry (the graph's init op) gives them: running it restores them.
  bool leavesOutInitial = false;
};

/// The states of hooks, keyed by the hooks' names.
using HookStates = std::map<std::string, std::string>;

/// Which iterators' positions a session's checkpoint has. All: those of every
/// iterator that is in use. Named: only those of the iterators that the graph's
/// saver names, for instance because all positions are saved to checkpoints of
/// their own (IteratorCheckpoints.h).
enum class IteratorsToSave { All, Named };

/// Which variables a session's checkpoint has. Listed: only those in the list
/// of the graph's saver, as in TensorFlow's own checkpoint. Needed: also each
/// variable whose value differs from the one that the init entry (the graph's
/// init op) gives it, because a resumed run without it would differ from a run
/// that was never stopped. All: every variable that outlives a session.
enum class VariablesToSave { Listed, Needed, All };

/// What collectState() does with variables that are newer on a device: it
/// copies them to the host (Here), or leaves them there for detachState()
/// (ToDetach).
enum class DeviceVariableHandling { Here, ToDetach };

/// Collects the tensors that `saver` saves; it is -1 if the program has no
/// savers. If `saver` is the session's own saver and `variables` is not Listed,
/// also collects what else a resumed run needs: variables that the saver leaves
/// out, the positions of `iterators`, the states of random ops and of `hooks`,
/// and the tensor "ingot/set", which names the step and identifies the save. If
/// the program has no global step variable, "ingot/set" names `step`.
Expected<StateToSave>
collectState(ingot_context &context, int32_t saver, int64_t step,
             HookStates hooks = {},
             IteratorsToSave iterators = IteratorsToSave::All,
             DeviceVariableHandling values = DeviceVariableHandling::Here,
             VariablesToSave variables = VariablesToSave::Needed);

struct SavedVariableOrSlice;

/// Collects only the variables in `items`, each for the shard that its item
/// names. Numeric variables stay on the device until detachState().
Expected<StateToSave>
collectVariables(ingot_context &context,
                 std::span<const SavedVariableOrSlice> items);

/// Adds the position of an iterator as TensorFlow saves it, if the session
/// writes this form (ingot_context.savesForTensorFlow).
Status addTensorFlowPosition(ingot_context &context, int32_t saver,
                             uint32_t iterator, uint32_t shard,
                             StateToSave &state);

/// Records the values that the init entry (the graph's init op) has just
/// assigned, so that collectState() recognizes variables that still have them.
void noteInitialValues(ingot_context &context);

/// Reads the states of hooks from checkpoint `prefix`, from which the session
/// was restored. Returns DataLoss if a hook's state and the rest of the
/// checkpoint are from different saves.
Expected<HookStates> readHookStates(FileSystem &fileSystem,
                                    const std::string &prefix);

/// Sets the elements of a string variable; `elements` must have as many
/// elements as the variable.
void setStrings(ingot_context &context, uint32_t variable,
                std::vector<std::string> elements);

/// The number of bytes that detachState() copies unless the user chooses
/// another one, for a program whose variables take `variables` bytes: small
/// states are copied as a whole, and of large ones an eighth.
uint64_t defaultCopySize(uint64_t variables);

/// Copies variables into `state`, so that a save can write them while steps
/// continue. `buffer` is reused for the copy if it is large enough, since
/// memory that was touched before is filled many times faster than new memory.
///
/// Copies at most about `mostBytes`, and of each shard the items that are
/// written last. The other items are read from the variables, and
/// state.pendingReads is set, so that the next step can wait for them. Items on
/// a device are always copied.
Status detachState(StateToSave &state, AlignedBuffer buffer = {},
                   unsigned threads = 1, uint64_t mostBytes = UINT64_MAX);

/// Writes the tensors that `saver` saves (collectState()) to checkpoint
/// `prefix`.
Status saveState(ingot_context &context, int32_t saver,
                 const std::string &prefix);

/// Reads the variables of checkpoint `prefix` and marks them initialized.
/// Stores the positions of iterators in SessionDatasetIterator::state, at which
/// makeIterator() starts them. Returns DataLoss if the checkpoint mixes tensors
/// of several saves.
///
/// Like TensorFlow, requires only the variables in the saver's list. If the
/// checkpoint lacks other variables, adds a warning to the report and, before
/// it reads the first tensor, calls `initialize` (may be null).
Expected<RestoreReport>
restoreState(ingot_context &context, int32_t saver, const std::string &prefix,
             const RestoreOptions &options,
             const std::function<Status()> &initialize = nullptr);

/// Returns the global step that checkpoint `prefix` has saved as a variable. If
/// the program has no such variable or it cannot be read, returns the step in
/// the checkpoint's name. The name is used last because it may mislead:
/// AdaNet's increment.ckpt-1 comes after its model.ckpt-100.
int64_t savedGlobalStep(const ingot_program &program, FileSystem &fileSystem,
                        const std::string &prefix);

/// Restores at once what `saver` saves, as the graph's restore op does:
/// variables, and iterators, which continue at their saved positions.
Status restoreSaver(ingot_context &context, int32_t saver,
                    const std::string &prefix);

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_CHECKPOINTCONTENTS_H
