//===- Export.cpp - From a graph in memory to a GraphDef ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/Export.h"
#include "compiler/Builder/GraphImpl.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

namespace ingot::graph {

bool exportGraphDef(Graph &graph, const std::string &path) {
  if (!graph.finish())
    return false;
  GraphImpl &data = graph.data();
  DiagnosticCollector collect(data);
  // Export a copy of the program, because the exporter expands, in place, ops
  // that TensorFlow lacks.
  OwningOpRef<ModuleOp> program = data.module->clone();
  auto exported = exporter::exportGraphDef(*program);
  if (failed(exported))
    return false;
  std::string bytes;
  if (!exported->SerializeToString(&bytes)) {
    data.error(path, "the graph exceeds the limit of 2 GiB for a GraphDef");
    return false;
  }
  std::error_code code;
  llvm::ToolOutputFile file(path, code, llvm::sys::fs::OF_None);
  if (!code) {
    file.os() << bytes;
    file.os().flush();
    code = file.os().error();
  }
  if (code) {
    file.os().clear_error();
    data.error(path, code.message());
    return false;
  }
  file.keep();
  return true;
}

} // namespace ingot::graph
