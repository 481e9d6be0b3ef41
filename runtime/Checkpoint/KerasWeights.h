//===- KerasWeights.h - Where Keras keeps a model's weights -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A graph exported from a Keras model tells the layout of model.save_weights():
// collection `ingot_keras_weights` has "layers/dense/vars/0\tdense/kernel" for
// an array and its variable, "layers/dropout/vars/\t" for a group.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_KERASWEIGHTS_H
#define INGOT_RUNTIME_CHECKPOINT_KERASWEIGHTS_H

#include "runtime/Support/Expected.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ingot {

struct KerasWeights {
  std::vector<std::string> groups;
  /// Paths in the file, and the graph's variables.
  std::vector<std::pair<std::string, std::string>> arrays;

  bool empty() const { return arrays.empty(); }
  /// Whether `path` is the optimizer's or a metric's, and none of the model's.
  static bool isOfTraining(std::string_view path);
};

/// The Keras weights of a serialized MetaGraphDef; nothing for a graph that is
/// not Keras's. DataLoss where it is damaged.
Expected<KerasWeights> kerasWeightsOf(std::string_view metaGraph);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_KERASWEIGHTS_H
