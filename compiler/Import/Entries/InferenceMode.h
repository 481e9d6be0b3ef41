//===- InferenceMode.h - Inference mode of training graphs ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Switches dropout and batch normalization from training to inference mode.
// AdaNet evaluates in a graph of its own, which it does not save, so the
// inference form of these layers is added to the saved training graph.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_ENTRIES_INFERENCEMODE_H
#define INGOT_COMPILER_IMPORT_ENTRIES_INFERENCEMODE_H

#include "compiler/Import/Graph/Graph.h"
#include <string>
#include <vector>

#include "proto/MetaGraph.pb.h"

namespace ingot::importer {

/// The result of switchToInference(): which dropout and batch normalization
/// layers of the graph now run in inference mode, and which do not.
struct InferenceModeChanges {
  /// The layers that were switched to inference mode: the kind and name of
  /// each, such as "dropout 'NAME'".
  std::vector<std::string> switched;
  /// The batch normalization layers that stay in training mode, because their
  /// moving averages were not found; the kind and name of each.
  std::vector<std::string> left;
};

/// Replaces each name in `tensors` by that of the same tensor in inference
/// mode. Adds clones of the nodes that depend on a switched layer to `nodes`.
/// No other nodes are cloned, so the clones use the remaining nodes of the
/// training graph.
InferenceModeChanges switchToInference(proto::GraphDef &nodes,
                                       llvm::ArrayRef<std::string *> tensors);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ENTRIES_INFERENCEMODE_H
