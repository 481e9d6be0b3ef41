//===- MetaGraph.h - The graph beside a checkpoint --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow's Saver writes the graph, a MetaGraphDef, beside each checkpoint;
// options of the Saver leave parts of it out. A trainer contains, in compressed
// form, the graph from which it was compiled. The functions here edit the
// serialized bytes, because the runtime does not link protobuf classes of
// graphs.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_METAGRAPH_H
#define INGOT_RUNTIME_CHECKPOINT_METAGRAPH_H

#include "runtime/Support/Expected.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ingot {

/// The parts of a graph to leave out. The fields are named after the arguments
/// of tf.train.export_meta_graph.
struct MetaGraphExportOptions {
  bool clearDevices = false;
  /// Leaves out attributes that have their default value. The defaults are in
  /// the graph's own list of ops, and in the list of ops that only functions
  /// use (field metaGraphOpsOfFunctions).
  bool stripDefaultAttrs = false;
  /// Leaves out the name scopes of further Savers: each scope with a save or
  /// restore op, except the scope of the graph's own SaverDef. Also leaves out
  /// the SaverDefs of these Savers from collection `savers`.
  bool clearExtraneousSavers = false;
  /// If set, leaves out collections that are not in this list
  /// (collection_list).
  std::optional<std::vector<std::string>> collections;
  /// If not "", keeps only the nodes whose names begin with this scope, which
  /// is removed from their names. An input from outside of the scope is renamed
  /// to "$unbound_inputs_NAME" and listed in collection `unbound_inputs`.
  std::string exportScope;
  /// The name scope of a Saver, or "". The graph gets the SaverDef of this
  /// Saver from collection `savers`, like the graph that the Saver writes
  /// beside its checkpoints. If the collection has no SaverDef for this scope,
  /// the graph's own SaverDef stays.
  std::string saver;
};

/// The number of a field that Ingot adds to a program's MetaGraphDef: an OpList
/// of the ops that only functions use. The graph's own list lacks these ops.
/// Editing removes the field.
inline constexpr int metaGraphOpsOfFunctions = 1000;

/// Expands the zlib stream `packed` to `size` bytes. Returns DataLoss if it is
/// damaged or has another size.
Expected<std::string> unpackMetaGraph(std::string_view packed, uint64_t size);

/// Returns the serialized MetaGraphDef `metaGraph` without the parts that
/// `edits` excludes. Returns DataLoss if it cannot be parsed.
Expected<std::string> editMetaGraph(std::string_view metaGraph,
                                    const MetaGraphExportOptions &edits);

/// Returns `metaGraph` with only the nodes in name scope edits.exportScope.
/// editMetaGraph() calls this function after all other edits.
Expected<std::string> cutToScope(std::string_view metaGraph,
                                 const MetaGraphExportOptions &edits);

/// Returns the stack traces of the graph's nodes as a serialized
/// GraphDebugInfo; "" if the graph has none.
std::string debugInfoOf(std::string_view metaGraph);

/// A function that takes the next piece of a text.
using TextSink = std::function<Status(std::string_view)>;

/// Print a serialized MetaGraphDef, its GraphDef, or a GraphDebugInfo in
/// protobuf's text format. printGraphDef() prints numbers as tf.io.write_graph
/// does, and holds no more than a piece of the text in memory. All three return
/// DataLoss if the bytes cannot be parsed, and Unimplemented if a message has a
/// field that MetaGraphFields.inc lacks.
Expected<std::string> metaGraphText(std::string_view metaGraph);
Status printGraphDef(std::string_view metaGraph, const TextSink &sink);
Expected<std::string> debugInfoText(std::string_view debugInfo);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_METAGRAPH_H
