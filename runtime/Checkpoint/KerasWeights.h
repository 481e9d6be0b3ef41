//===- KerasWeights.h - Where Keras keeps a model's weights -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The collection `ingot_keras_weights` of a graph that was exported from a
// Keras model describes the HDF5 file that model.save_weights() writes. An
// array of the file has a line with its path and its variable, such as
// "layers/dense/vars/0\tdense/kernel". A group has a line with its path only,
// such as "layers/dropout/vars/\t".
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_KERASWEIGHTS_H
#define INGOT_RUNTIME_CHECKPOINT_KERASWEIGHTS_H

#include "runtime/Support/Expected.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ingot {

/// The groups and arrays of a Keras weights file (HDF5), by their paths in the
/// file.
struct KerasWeights {
  std::vector<std::string> groups;
  /// Pairs of an array's path in the weights file and the name of its variable.
  std::vector<std::pair<std::string, std::string>> arrays;

  bool empty() const { return arrays.empty(); }
  /// Returns true if the array or group at `path` belongs to the optimizer or
  /// to a metric, and so not to the model's weights.
  static bool isOfTraining(std::string_view path);
};

/// Reads the Keras weights of a serialized MetaGraphDef. The result is empty
/// for a graph that was not exported from Keras. Returns DataLoss if the
/// collection is damaged.
Expected<KerasWeights> kerasWeightsOf(std::string_view metaGraph);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_KERASWEIGHTS_H
