//===- ExportGraph.cpp - trainer export --meta-graph ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Verbs/ExportGraph.h"

#include "runtime/CommandLine/Verbs/SaverFlags.h"
#include "runtime/Support/ReplaceFile.h"

using namespace ingot;

/// Returns `path` with the suffix .debug instead of its own, as TensorFlow
/// names the file: a.meta and a.debug.
static std::string debugPath(const std::string &path) {
  size_t dot = path.rfind('.'), slash = path.rfind('/');
  size_t start = slash == std::string::npos ? 0 : slash + 1;
  // A dot at the start of the file name does not begin a suffix.
  bool hasSuffix = dot != std::string::npos && dot > start;
  return path.substr(0, hasSuffix ? dot : path.size()) + ".debug";
}

Status ingot::exportGraph(const CommandContext &command,
                          const std::string &path) {
  FileSystem &fileSystem = command.fileSystem;
  auto writeNew = [&](const std::string &name,
                      const std::string &bytes) -> Status {
    if (fileSystem.kindOf(name) != FileKind::None)
      return Status(StatusCode::AlreadyExists,
                    "'" + name +
                        "' exists already: remove it, or choose "
                        "another name");
    return replaceFile(fileSystem, name, name + ".tmp", contentsOf(bytes));
  };
  if (command.flags.has("--debug-info")) {
    INGOT_ASSIGN_OR_RETURN(std::string debugInfo,
                           debugInfoFile(command.flags, command.program));
    INGOT_RETURN_IF_ERROR(writeNew(debugPath(path), debugInfo));
  }
  INGOT_ASSIGN_OR_RETURN(std::string graph,
                         metaGraphFile(command.flags, command.program));
  return writeNew(path, graph);
}
