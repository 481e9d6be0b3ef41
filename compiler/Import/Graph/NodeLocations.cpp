//===- NodeLocations.cpp - Source lines of nodes --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Graph/NodeLocations.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace ingot::importer {

NodeLocations::NodeLocations(const proto::GraphDef &graph)
    : debug(graph.debug_info()) {
  // GraphDebugInfo keys a node of a function as "node@function", and a node of
  // the graph itself as "node@" or "node".
  auto add = [&](StringRef key,
                 const proto::GraphDebugInfo::StackTrace &trace) {
    auto [node, function] = key.rsplit('@');
    traces.try_emplace(function.empty()
                           ? node.str()
                           : (llvm::Twine(function) + "/" + node).str(),
                       &trace);
  };
  for (const auto &[key, trace] : debug.traces())
    add(key, trace);
  for (const auto &[key, id] : debug.name_to_trace_id())
    if (auto it = debug.traces_by_id().find(id);
        it != debug.traces_by_id().end())
      add(key, it->second);
}

static bool isLibrary(StringRef file) {
  return file.contains("/tensorflow/python/") ||
         file.contains("/tensorflow/core/") || file.contains("/keras/") ||
         file.contains("/tensorflow_estimator/") || file.contains("/adanet/");
}

std::string
NodeLocations::describe(const proto::GraphDebugInfo::StackTrace &trace) const {
  std::string found;
  auto consider = [&](const proto::GraphDebugInfo::FileLineCol &frame) {
    if (frame.file_index() < 0 || frame.file_index() >= debug.files_size())
      return;
    const std::string &file = debug.files(frame.file_index());
    // The stack frames are ordered from the outermost to the innermost. Keep
    // the last frame outside of libraries or, if all frames are in libraries,
    // the first frame.
    if (found.empty() || !isLibrary(file))
      found = file + ":" + std::to_string(frame.line());
  };
  for (const auto &frame : trace.file_line_cols())
    consider(frame);
  for (uint64_t id : trace.frame_id())
    if (auto it = debug.frames_by_id().find(id);
        it != debug.frames_by_id().end())
      consider(it->second);
  return found;
}

std::string NodeLocations::find(StringRef node) const {
  auto it = traces.find(node);
  return it == traces.end() ? "" : describe(*it->second);
}

} // namespace ingot::importer
