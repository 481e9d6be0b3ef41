//===- KerasWeights.h - Where Keras keeps a model's weights -----*- C++ -*-===//
//
// A graph that was exported from a Keras model says what the file of
// model.save_weights() has for each of its variables: collection
// `ingot_keras_weights`, "layers/dense/vars/0\tdense/kernel" for an array and
// the variable that it is, "layers/dropout/vars/\t" for a group.
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
