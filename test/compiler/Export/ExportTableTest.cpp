//===- ExportTableTest.cpp - Every op can be exported ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/OpExport.h"

#include "compiler/Export/Signatures.h"
#include "compiler/Import/Ops/OpTable.h"
#include "dialects/Ingot/IR/IngotDialect.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace ingot::exporter;

// Whether `op` is never exported: it is created by a pass, or is part of the
// program's structure, or is an ensemble op, which is expanded before export.
// Queues are not exported either: the exporter refuses their ops.
static bool isNoNode(llvm::StringRef op) {
  static constexpr llvm::StringRef names[] = {
      "ingot.broadcast_against",
      "ingot.complexity_penalty",
      "ingot.condition",
      "ingot.ema",
      "ingot.entry",
      "ingot.fusion",
      "ingot.gradients",
      "ingot.iterator",
      "ingot.join_phases",
      "ingot.mixture",
      "ingot.mixture_grad",
      "ingot.queue_batch_dataset",
      "ingot.queue_close",
      "ingot.queue_dataset",
      "ingot.queue_dequeue",
      "ingot.queue_enqueue",
      "ingot.queue_is_closed",
      "ingot.queue_runner_dataset",
      "ingot.queue_size",
      "ingot.queues_dataset",
      "ingot.reader_dataset",
      "ingot.require",
      "ingot.result",
      "ingot.return",
      "ingot.rows_empty",
      "ingot.rows_get",
      "ingot.rows_set",
      "ingot.saver",
      "ingot.select_best",
      "ingot.slice_region",
      "ingot.sum_patches",
      "ingot.table",
      "ingot.variable",
      "ingot.yield",
      "ingot.yield_rows",
  };
  return llvm::is_contained(names, op);
}

TEST(ExportTable, EveryOpThatGraphsAreImportedAsHasAWayBack) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::ingot::IngotDialect>();
  unsigned numOps = 0;
  for (mlir::RegisteredOperationName op : context.getRegisteredOperations()) {
    llvm::StringRef name = op.getStringRef();
    if (!name.starts_with("ingot."))
      continue;
    ++numOps;
    bool hasWay = hasRow(name) || getExportTable().contains(name);
    EXPECT_NE(hasWay, isNoNode(name)) << name.str();
  }
  EXPECT_GT(numOps, 300u);
}

// Without a signature, an exported node would have no outputs. After the
// importer has learnt a new op, run make_signatures.py again.
TEST(ExportTable, EveryOpOfTheImporterHasASignature) {
  for (const auto &row : ingot::importer::getOpTable())
    if (!row.getKey().starts_with("_")) {
      EXPECT_TRUE(findSignature(row.getKey())) << row.getKey().str();
    }
}
