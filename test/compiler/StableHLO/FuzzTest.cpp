//===- FuzzTest.cpp - Damaged modules are refused -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/Parser.h"
#include "compiler/StableHLO/StepGraph.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>
#include <random>

using namespace ingot;
using namespace ingot::stablehlo;
using llvm::StringRef;

namespace {
/// Reads the modules of forms.test, which are one step in three forms, and
/// compiles damaged copies as far as the import.
class StableHLOFuzzTest : public testing::Test {
protected:
  void SetUp() override {
    auto file = llvm::MemoryBuffer::getFile(
        INGOT_TEST_DATA "/../compiler/StableHLO/forms.test");
    ASSERT_TRUE(file);
    for (StringRef form : {"pretty", "generic", "located"}) {
      StringRef rest = (*file)
                           ->getBuffer()
                           .split(("\n//--- " + form + ".mlir\n").str())
                           .second;
      originals.push_back(rest.split("\n//--- ").first.str());
      ASSERT_TRUE(StringRef(originals.back()).contains("stablehlo.while"));
    }
    roles.state.resize(2);
    roles.state[0].name = "count";
    roles.state[1].name = "weights";
    roles.state[0].initial = roles.state[1].initial = 0;
    roles.state[0].result = 1;
    roles.state[1].result = 0;
    roles.batch = {"x"};
    roles.outputs = {"loss", "largest"};
  }

  void compile(const std::string &text) {
    Module module;
    Parser parser(text, module);
    if (!parser.parse()) {
      EXPECT_TRUE(StringRef(parser.message()).starts_with("line "));
      ++malformed;
      return;
    }
    proto::MetaGraphDef meta;
    RoleFiles files("");
    StepGraph graph(module, roles, files, "step.mlir", meta);
    graph.addStep();
    graph.finish();
    if (!graph.problems().empty()) {
      ++refused;
      return;
    }
    // A graph that has been made is valid: the importer takes all of it.
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    std::string error;
    mlir::ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
            error = diagnostic.str();
          for (const mlir::Diagnostic &note : diagnostic.getNotes())
            error += "\n" + note.str();
          return llvm::success();
        });
    EXPECT_TRUE(importer::importMetaGraph(meta, context, {})) << error << text;
    ++compiled;
  }

  /// Compiles `rounds` copies of each form, each changed by `damage`.
  void run(int rounds, llvm::function_ref<void(std::string &)> damage) {
    for (const std::string &original : originals)
      for (int round = 0; round < rounds; ++round) {
        std::string text = original;
        damage(text);
        compile(text);
      }
  }

  std::vector<std::string> originals;
  Roles roles;
  std::mt19937 random{20261129};
  int malformed = 0, refused = 0, compiled = 0;
};
} // namespace

TEST_F(StableHLOFuzzTest, WholeModulesCompile) {
  run(1, [](std::string &) {});
  EXPECT_EQ(compiled, 3);
}

TEST_F(StableHLOFuzzTest, CutOffModulesAreRefused) {
  run(300, [&](std::string &text) { text.resize(random() % text.size()); });
  // The located form ends with locations that no op needs.
  EXPECT_GT(malformed, 600);
}

TEST_F(StableHLOFuzzTest, FlippedBytesNeverCrash) {
  run(300, [&](std::string &text) {
    for (unsigned flip = 0; flip <= random() % 4; ++flip)
      text[random() % text.size()] ^= 1 << random() % 8;
  });
  EXPECT_GT(malformed, 100);
}

TEST_F(StableHLOFuzzTest, OtherNumbersAreCompiledOrRefused) {
  run(500, [&](std::string &text) {
    for (unsigned change = 0; change <= random() % 3; ++change) {
      size_t at = random() % text.size();
      while (!llvm::isDigit(text[at]))
        at = (at + 1) % text.size();
      text[at] = '0' + random() % 10;
    }
  });
  EXPECT_GT(malformed, 0);
  EXPECT_GT(refused, 0);
  EXPECT_GT(compiled, 0);
}

TEST_F(StableHLOFuzzTest, ForeignWordsNeverCrash) {
  static const char *const words[] = {
      "[",    "]",    "(",   ")",  "{",  "}",           "<",      ">",
      ",",    "->",   "\"",  "-1", "%0", "99999999999", "-",      "?x",
      "@f",   "#loc", "^bb", ":",  "=",  "0x7f",        "dense<", "tensor<",
      "loc(", "true", "!x",  "//", "i1", "tensor<f32>", "cond",   "{-#"};
  run(300, [&](std::string &text) {
    text.insert(random() % text.size(), words[random() % std::size(words)]);
  });
  EXPECT_GT(malformed, 300);
}

TEST_F(StableHLOFuzzTest, MovedLinesNeverCrash) {
  run(300, [&](std::string &text) {
    llvm::SmallVector<StringRef> lines;
    StringRef(text).split(lines, '\n');
    std::swap(lines[random() % lines.size()], lines[random() % lines.size()]);
    text = llvm::join(lines, "\n");
  });
  EXPECT_GT(malformed, 100);
}
