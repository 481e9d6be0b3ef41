//===- InferenceMode.h - Inference mode of training graphs ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Switches layers that behave differently in training to inference mode:
// dropout, and batch normalization with batch statistics. AdaNet evaluates in a
// graph of its own, which is not saved; the inference form of these layers is
// added to the training graph instead.
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
  /// The layers that were switched to inference mode, described as "dropout
  /// 'NAME'".
  std::vector<std::string> switched;
  /// The layers that stay in training mode because no replacement was found.
  std::vector<std::string> left;
};

/// Renames each of `tensors` to its counterpart in inference mode. Nodes that
/// depend on a switched layer are cloned into `nodes`; all other nodes are
/// shared.
InferenceMode switchToInference(proto::GraphDef &nodes,
                                llvm::ArrayRef<std::string *> tensors);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_INFERENCEMODE_H
