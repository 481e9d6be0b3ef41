//===- FuzzTest.cpp - Damaged graphs are rejected -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Import.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>
#include <random>

using namespace ingot::importer;

namespace {
/// Imports bytes, and checks that there are errors exactly if there is no
/// program; the messages are ignored.
class FuzzTest : public testing::Test {
protected:
  void SetUp() override {
    auto file =
        llvm::MemoryBuffer::getFile(INGOT_TEST_DATA "/mlp_adam/train.meta");
    ASSERT_TRUE(file);
    original = (*file)->getBuffer().str();
  }

  void import(const ingot::proto::MetaGraphDef &graph) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    std::string error;
    mlir::ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
            error = diagnostic.str();
          return llvm::success();
        });
    ImportOptions options;
    ImportReport report;
    mlir::OwningOpRef<mlir::ModuleOp> module =
        importMetaGraph(graph, context, options, &report);
    EXPECT_EQ(static_cast<bool>(module), error.empty());
    // If the verifier rejects the imported program, the importer has a bug.
    EXPECT_EQ(static_cast<bool>(module), report.ok()) << error;
    imported += module ? 1 : 0;
    refused += module ? 0 : 1;
  }

  void importBytes(llvm::StringRef bytes) {
    int errors = 0;
    auto file = parseGraph("fuzz", bytes, [&](const llvm::Twine &message) {
      ++errors;
      EXPECT_FALSE(message.str().empty());
    });
    EXPECT_EQ(errors, failed(file) ? 1 : 0);
    if (succeeded(file) && file->kind != GraphFile::MLIR)
      import(file->graph);
    else
      ++unread;
  }

  std::string original;
  std::mt19937 random{20240501};
  int imported = 0, refused = 0, unread = 0;
};
} // namespace

TEST_F(FuzzTest, CutOffFilesAreRefused) {
  for (int round = 0; round < 500; ++round)
    importBytes(
        llvm::StringRef(original).take_front(random() % original.size()));
  // A file that is cut between two fields of the outermost message can still be
  // parsed, so not all cuts are errors.
  EXPECT_GT(unread, 480);
}

TEST_F(FuzzTest, FlippedBytesNeverCrash) {
  for (int round = 0; round < 1000; ++round) {
    std::string bytes = original;
    for (unsigned flip = 0; flip <= random() % 4; ++flip)
      bytes[random() % bytes.size()] ^= 1 << random() % 8;
    importBytes(bytes);
  }
  EXPECT_GT(imported, 0);
  EXPECT_GT(refused, 0);
  EXPECT_GT(unread, 0);
}

TEST_F(FuzzTest, NoiseIsRefused) {
  for (int round = 0; round < 500; ++round) {
    std::string bytes(random() % 4096, 0);
    for (char &byte : bytes)
      byte = random();
    importBytes(bytes);
  }
  EXPECT_EQ(imported, 0);
}

// Files that can be parsed, in which nodes refer to random other nodes.
TEST_F(FuzzTest, ChangedNodesNeverCrash) {
  ingot::proto::MetaGraphDef whole;
  ASSERT_TRUE(whole.ParseFromString(original));
  int size = whole.graph_def().node_size();
  for (int round = 0; round < 1000; ++round) {
    ingot::proto::MetaGraphDef graph = whole;
    auto anyNode = [&]() -> ingot::proto::NodeDef & {
      return *graph.mutable_graph_def()->mutable_node(random() % size);
    };
    for (unsigned change = 0; change <= random() % 3; ++change) {
      ingot::proto::NodeDef &node = anyNode();
      const ingot::proto::NodeDef &other = anyNode();
      switch (random() % 8) {
      case 0:
        node.set_op(other.op());
        break;
      case 1:
        if (node.input_size())
          node.set_input(random() % node.input_size(), other.name());
        break;
      case 2:
        if (node.input_size())
          node.mutable_input()->RemoveLast();
        break;
      case 3:
        node.add_input((random() % 2 ? "^" : "") + other.name());
        break;
      case 4:
        *node.mutable_attr() = other.attr();
        break;
      case 5:
        node.mutable_attr()->clear();
        break;
      case 6:
        for (auto &[name, value] : *node.mutable_attr())
          if (value.has_tensor() && value.tensor().int_val_size())
            value.mutable_tensor()->set_int_val(0, random());
        break;
      case 7:
        for (auto &[name, value] : *node.mutable_attr())
          if (value.has_shape() && value.shape().dim_size())
            value.mutable_shape()->mutable_dim(0)->set_size(
                static_cast<int>(random()) % 100);
        break;
      }
    }
    import(graph);
  }
  EXPECT_GT(imported, 0);
  EXPECT_GT(refused, 0);
}
