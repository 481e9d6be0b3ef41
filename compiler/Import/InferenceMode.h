//===- InferenceMode.h - A training graph's nodes as in inference -*- C++
//-*-===//
//
// Layers that compute something else while they train: dropout, and batch
// normalization by the batch's own mean. AdaNet evaluates in a graph where they
// don't; of a training graph it leaves, what they would compute is added.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_INFERENCEMODE_H
#define INGOT_COMPILER_IMPORT_INFERENCEMODE_H

#include "compiler/Import/Graph.h"
#include <string>
#include <vector>

#include "proto/MetaGraph.pb.h"

namespace ingot::importer {

/// What was found of layers that tell training from inference.
struct InferenceMode {
  /// Nodes of which inference computes something else, each with what it is:
  /// "dropout 'NAME'".
  std::vector<std::string> switched;
  /// Nodes that look as if they would, and are computed as in training.
  std::vector<std::string> left;
};

/// Makes each of `tensors` the name of what it is in inference. Nodes that
/// depend on such a layer are added to `nodes` once more, behind the layer's
/// inference; all others are shared.
InferenceMode switchToInference(proto::GraphDef &nodes,
                                llvm::ArrayRef<std::string *> tensors);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_INFERENCEMODE_H
