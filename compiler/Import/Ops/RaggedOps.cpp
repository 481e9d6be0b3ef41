//===- RaggedOps.cpp - Outputs of ops on ragged tensors -------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds the output ports of ops that return a ragged tensor. The first output
// argument of such an op is a list of row splits. The values come after the
// list, so their port depends on its length.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Ops/OpTable.h"

using namespace mlir;

namespace ingot::importer {

/// Returns the first port of output argument `argument` of a node whose
/// attribute `raggedRank` says how many row splits it returns.
static std::optional<int> findRaggedPort(const proto::NodeDef &node,
                                         StringRef argument,
                                         const char *raggedRank) {
  if (argument == "output_nested_splits")
    return 0;
  auto rank = node.attr().find(raggedRank);
  if (argument != "output_dense_values" || rank == node.attr().end())
    return std::nullopt;
  return static_cast<int>(rank->second.i());
}

void addRaggedOps(OpTable &table) {
  table["RaggedTensorFromVariant"].findPort = [](const proto::NodeDef &node,
                                                 StringRef argument) {
    return findRaggedPort(node, argument, "output_ragged_rank");
  };
  table["RaggedGather"].findPort = [](const proto::NodeDef &node,
                                      StringRef argument) {
    return findRaggedPort(node, argument, "OUTPUT_RAGGED_RANK");
  };
}

} // namespace ingot::importer
