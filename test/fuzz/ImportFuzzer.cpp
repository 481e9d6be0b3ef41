//===- ImportFuzzer.cpp - Any bytes, read as a graph ----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports any bytes as a graph file. They must be imported, or rejected with a
// message: the import never crashes, and never produces a program that the
// verifier rejects. libFuzzer drives this function in builds with INGOT_FUZZ;
// other builds replay files.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Import.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include <cstdio>
#include <cstdlib>

using namespace ingot::importer;

static void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  int errors = 0;
  auto file = parseGraph("fuzz", bytes, [&](const llvm::Twine &message) {
    ++errors;
    require(!message.str().empty(), "an empty message");
  });
  require(errors == (failed(file) ? 1 : 0), "not one message for one failure");
  if (failed(file) || file->kind == GraphFile::MLIR)
    return 0;
  if (file->kind == GraphFile::GraphDef)
    addConventions(file->graph);

  // Fetch as many nodes as possible: the import ignores nodes that no entry
  // depends on.
  ImportOptions options;
  ImportOptions::UserDefinedEntry &all = options.entries.emplace_back();
  all.name = "all";
  for (const auto &node : file->graph.graph_def().node())
    if (all.fetches.size() < 50)
      all.fetches.push_back(node.name());
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  bool said = false;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &) {
    said = true;
    return llvm::success();
  });
  ImportReport report;
  auto module = importMetaGraph(file->graph, context, options, &report);
  require(static_cast<bool>(module) == !said, "refused without a message");
  require(static_cast<bool>(module) == report.ok(),
          "the verifier refuses what the importer made");
  return 0;
}
