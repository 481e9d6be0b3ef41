//===- MetaGraph.h - The graph beside a checkpoint --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow's Saver writes the graph beside each checkpoint, a MetaGraphDef;
// its options leave parts of it out. A program carries its graph compressed and
// otherwise as it was compiled, and works on the bytes: the runtime knows no
// message of a graph.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_METAGRAPH_H
#define INGOT_RUNTIME_CHECKPOINT_METAGRAPH_H

#include "runtime/Support/Expected.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ingot {

/// The parts of a graph to leave out, as tf.train.export_meta_graph's arguments
/// of these names say.
struct MetaGraphEdits {
  bool clearDevices = false;
  /// Attributes with the value that the graph's own list of ops has for their
  /// default, or that metaGraphOpsOfFunctions has.
  bool stripDefaultAttrs = false;
  /// Scopes with a save or restore op other than those of the graph's SaverDef,
  /// and the other SaverDefs in collection `savers`.
  bool clearExtraneousSavers = false;
  /// Collections of other names (collection_list).
  std::optional<std::vector<std::string>> collections;
  /// Nodes whose names don't begin so; those that do lose the scope. An input
  /// from outside is called "$unbound_inputs_NAME", and all of these are listed
  /// in collection `unbound_inputs`.
  std::string exportScope;
};

/// The field of the MetaGraphDef in a program with an OpList of the ops that
/// its own list lacks: those that only functions use. No edited graph has it.
inline constexpr int metaGraphOpsOfFunctions = 1000;

/// The `size` bytes that the zlib stream `packed` holds.
Expected<std::string> unpackMetaGraph(std::string_view packed, uint64_t size);

/// The serialized MetaGraphDef `metaGraph` without the parts to leave out.
/// DataLoss where it is invalid; Unimplemented where a collection cannot be cut
/// to a scope.
Expected<std::string> editMetaGraph(std::string_view metaGraph,
                                    const MetaGraphEdits &edits);

/// `metaGraph` reduced to edits.exportScope; a part of the above
/// (MetaGraphScope.cpp).
Expected<std::string> cutToScope(std::string_view metaGraph,
                                 const MetaGraphEdits &edits);

/// The stack traces of the graph's nodes, a serialized GraphDebugInfo; "" if
/// the graph has none.
std::string debugInfoOf(std::string_view metaGraph);

/// Protobuf's text form of a serialized MetaGraphDef, or GraphDebugInfo.
/// DataLoss where it is invalid, Unimplemented where it has a field that
/// MetaGraphFields.inc lacks.
Expected<std::string> metaGraphText(std::string_view metaGraph);
Expected<std::string> debugInfoText(std::string_view debugInfo);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_METAGRAPH_H
