//===- ObjectNames.h - Variables' names in object-based files ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// tf.train.Checkpoint and Keras save variables under paths through objects
// ("net/kernel/.ATTRIBUTES/VARIABLE_VALUE"), and beside them a description of
// the objects, which has the variables' names. By it a graph that knows names
// only can restore such a checkpoint, as TensorFlow's Saver does.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_OBJECTNAMES_H
#define INGOT_RUNTIME_CHECKPOINT_OBJECTNAMES_H

#include "runtime/Checkpoint/CheckpointReader.h"

#include <map>

namespace ingot {

/// The key of an object-based checkpoint's description of its objects.
inline constexpr std::string_view objectGraphKey =
    "_CHECKPOINTABLE_OBJECT_GRAPH";

/// The names of an object-based checkpoint's variables.
class ObjectNames {
public:
  /// Reads them; none where `reader` isn't object-based. DataLoss names the
  /// tensor where the description is damaged.
  static Expected<ObjectNames> read(const CheckpointReader &reader);

  bool isObjectBased() const { return objectBased; }

  /// The key of the variable called `name`: `name` itself where the checkpoint
  /// has it, or where it isn't known; InvalidArgument lists the keys where
  /// several variables bear the name.
  Expected<std::string> keyOf(const CheckpointReader &reader,
                              const std::string &name) const;

  /// The name of the variable under `key`: `key` itself where it isn't known.
  std::string nameOf(const std::string &key) const;

  /// True for tf.train.Checkpoint's own values beside a model's variables: the
  /// description, its save counter, objects' Python state.
  bool isBookkeeping(const std::string &key) const;

private:
  bool objectBased = false;
  std::multimap<std::string, std::string> keys; // by name
  std::map<std::string, std::string> names;     // by key
};

/// True for an optimizer's slot variables. TF1 names them after their variable,
/// with a suffix; object-based checkpoints have them under a key of their own.
/// Shadow variables of moving averages aren't the optimizer's.
bool isOptimizerSlot(const CheckpointReader &reader, const std::string &key);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_OBJECTNAMES_H
