//===- InferenceMode.h - Inference mode of training graphs ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Layers that behave differently in training: dropout, and batch normalization
// with batch statistics. AdaNet evaluates in a graph of its own; this adds the
// inference form of these layers to the training graph.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_INFERENCEMODE_H
#define INGOT_COMPILER_IMPORT_INFERENCEMODE_H

#include "compiler/Import/Graph.h"
#include <string>
#include <vector>

#include "proto/MetaGraph.pb.h"

namespace ingot::importer {

/// The layers that behave differently in training.
struct InferenceMode {
  /// Nodes that inference mode replaces, each with its description: "dropout
  /// 'NAME'".
  std::vector<std::string> switched;
  /// Nodes that look like such layers, and stay in training mode.
  std::vector<std::string> left;
};

/// Renames each of `tensors` to its inference-mode counterpart. Nodes that
/// depend on such a layer are cloned into `nodes`, after the layer's
/// replacement; all others are shared.
InferenceMode switchToInference(proto::GraphDef &nodes,
                                llvm::ArrayRef<std::string *> tensors);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_INFERENCEMODE_H
