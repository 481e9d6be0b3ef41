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

/// A function of a SavedModel: from placeholders to other tensors.
struct ServingSignature {
  struct Tensor {
    std::string key;            // the name for callers
    std::string tensor;         // "dense/BiasAdd:0"
    int32_t dtype;              // numbered as TensorFlow's DataType
    std::vector<int64_t> shape; // -1: open
  };
  std::string name;
  std::vector<Tensor> inputs, outputs;
};

struct ServingGraph {
  std::string savedModel;              // a serialized SavedModel
  std::vector<std::string> signatures; // that it has, sorted
};

/// The SavedModel with tag `serve` of a serialized MetaGraphDef: its inference
/// signatures and those of `added`, the nodes that they, its saver, its
/// variables and its tables need, and nothing of its training. A graph with a
/// description of its objects (TensorFlow 2's) stays as it is. InvalidArgument
/// where a tensor of `added` is not in the graph or there would be no
/// signature, FailedPrecondition where the graph has no saver, DataLoss where
/// it is invalid.
Expected<ServingGraph> servingGraph(std::string_view metaGraph,
                                    std::span<const ServingSignature> added);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_SERVINGGRAPH_H
