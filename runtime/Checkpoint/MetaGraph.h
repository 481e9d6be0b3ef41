//===- MetaGraph.h - The graph beside a checkpoint --------------*- C++ -*-===//
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

#include <string>
#include <string_view>

namespace ingot {

/// What of a graph is left out, as tf.train.export_meta_graph's arguments of
/// these names say.
struct MetaGraphEdits {
  bool clearDevices = false;
  /// Attributes with the value that the graph's own list of ops has for their
  /// default, or that metaGraphOpsOfFunctions has.
  bool stripDefaultAttrs = false;
  /// Scopes with a save or restore op other than those of the graph's SaverDef,
  /// and the other SaverDefs in collection `savers`.
  bool clearExtraneousSavers = false;
};

/// The field of the MetaGraphDef in a program with an OpList of what its own
/// list lacks: ops that only functions use. No edited graph has it.
inline constexpr int metaGraphOpsOfFunctions = 1000;

/// The `size` bytes that the zlib stream `packed` holds.
Expected<std::string> unpackMetaGraph(std::string_view packed, uint64_t size);

/// The serialized MetaGraphDef `metaGraph` without what is to be left out.
/// DataLoss where it is none.
Expected<std::string> editMetaGraph(std::string_view metaGraph,
                                    const MetaGraphEdits &edits);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_METAGRAPH_H
