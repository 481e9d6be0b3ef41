//===- ObjectCheckpointNames.h - Names in object-based files ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// tf.train.Checkpoint and Keras save variables under paths through objects
// ("net/kernel/.ATTRIBUTES/VARIABLE_VALUE"). They also save a description of
// the objects, which contains the variables' names. A graph has only the names
// of its variables. With the description, such a checkpoint can be restored
// into a graph, as TensorFlow's Saver does.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_OBJECTCHECKPOINTNAMES_H
#define INGOT_RUNTIME_CHECKPOINT_OBJECTCHECKPOINTNAMES_H

#include "runtime/Checkpoint/CheckpointReader.h"

#include <map>

namespace ingot {

/// The key of the string tensor that describes the objects of an object-based
/// checkpoint, as a serialized TrackableObjectGraph.
inline constexpr std::string_view objectGraphKey =
    "_CHECKPOINTABLE_OBJECT_GRAPH";

/// Maps between the names and the keys of an object-based checkpoint's
/// variables.
class ObjectCheckpointNames {
public:
  /// Reads the description of the objects. The maps are empty if the checkpoint
  /// is not object-based. Returns DataLoss, naming the tensor, if the
  /// description is damaged.
  static Expected<ObjectCheckpointNames> read(const CheckpointReader &reader);

  bool isObjectBased() const { return objectBased; }

  /// Returns the key of the variable `name`. Returns `name` itself if the
  /// checkpoint has a tensor of that name, or if the name is unknown. Returns
  /// InvalidArgument, listing the keys, if several variables have the name.
  Expected<std::string> keyOf(const CheckpointReader &reader,
                              const std::string &name) const;

  /// Returns the name of the variable under `key`, or `key` itself if the
  /// description has no name for it.
  std::string nameOf(const std::string &key) const;

  /// Returns true for tensors that are not variables: the description of the
  /// objects, the save counter, and the Python state of objects.
  bool isBookkeeping(const std::string &key) const;

private:
  bool objectBased = false;
  std::multimap<std::string, std::string> keys; // keyed by variable name
  std::map<std::string, std::string> names;     // keyed by checkpoint key
};

/// Returns true if the tensor is a slot variable of an optimizer. TF1 names a
/// slot like its variable, with a suffix; object-based checkpoints have slots
/// under separate keys. The shadow variables of moving averages are not slots.
bool isOptimizerSlot(const CheckpointReader &reader, const std::string &key);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_OBJECTCHECKPOINTNAMES_H
