//===- ServingGraph.h - A training graph as a SavedModel --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_CHECKPOINT_SERVINGGRAPH_H
#define INGOT_RUNTIME_CHECKPOINT_SERVINGGRAPH_H

#include "runtime/Support/Expected.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ingot {

/// A signature of a SavedModel: its inputs, which are placeholders, and its
/// outputs.
struct ServingSignature {
  /// An input or output of the signature.
  struct SignatureTensor {
    std::string key;            // the name that callers use
    std::string tensor;         // "dense/BiasAdd:0"
    int32_t dtype;              // TensorFlow's DataType
    std::vector<int64_t> shape; // -1: dynamic
  };
  std::string name;
  std::vector<SignatureTensor> inputs, outputs;
};

/// The result of servingGraph().
struct ServingGraph {
  std::string savedModel;              // a serialized SavedModel
  std::vector<std::string> signatures; // sorted names of signatures
};

/// Converts a serialized MetaGraphDef to a SavedModel with tag `serve`. The
/// SavedModel has the graph's inference signatures and those of `added`. It
/// keeps only the nodes that signatures, saver, variables and tables need, and
/// so no training ops. A MetaGraphDef that has an object graph, as TensorFlow 2
/// writes it, is kept unchanged.
///
/// Returns InvalidArgument if a tensor of `added` is not in the graph or there
/// would be no signature, FailedPrecondition if the graph has no saver, and
/// DataLoss if it cannot be parsed.
Expected<ServingGraph> servingGraph(std::string_view metaGraph,
                                    std::span<const ServingSignature> added);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_SERVINGGRAPH_H
