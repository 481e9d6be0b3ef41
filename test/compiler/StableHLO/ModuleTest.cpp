//===- ModuleTest.cpp - What the parser makes of a text -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/Parser.h"
#include "compiler/StableHLO/Translation.h"
#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::stablehlo;

static Module parse(llvm::StringRef text) {
  Module module;
  Parser parser(text, module);
  EXPECT_TRUE(parser.parse()) << parser.message();
  return module;
}

static const Op &firstOp(const Module &module) {
  return module.find("main")->body.ops.front();
}

/// The elements of the constant `text` of type `type`, or null.
static std::shared_ptr<const Elements>
elements(llvm::StringRef text, proto::DataType type, Sizes shape) {
  std::string error;
  auto found = parseElements(text, {type, std::move(shape), ""}, error);
  EXPECT_EQ(found == nullptr, !error.empty());
  return found;
}

TEST(ElementsTest, AreRoundedToTheirType) {
  auto half = elements("[1.0, 0.1]", proto::DT_HALF, {2});
  EXPECT_EQ(half->bytes, std::string("\x00\x3c\x66\x2e", 4));
  auto single = elements("0.1", proto::DT_FLOAT, {});
  EXPECT_EQ(single->bytes, std::string("\xcd\xcc\xcc\x3d", 4));
  auto infinite = elements("0xFF800000", proto::DT_FLOAT, {3});
  EXPECT_TRUE(infinite->isSplat);
  EXPECT_EQ(infinite->bytes, std::string("\0\0\x80\xff", 4));
}

TEST(ElementsTest, HaveTheShapeOfTheirType) {
  EXPECT_TRUE(elements("[[1, 2], [3, -4]]", proto::DT_INT32, {2, 2}));
  EXPECT_FALSE(elements("[[1, 2], [3]]", proto::DT_INT32, {2, 2}));
  EXPECT_FALSE(elements("[1, 2, 3]", proto::DT_INT32, {2}));
  EXPECT_FALSE(elements("[1, 2] 3", proto::DT_INT32, {2}));
  EXPECT_FALSE(elements("", proto::DT_INT32, {2}));
  EXPECT_TRUE(elements("", proto::DT_INT32, {2, 0}));
}

TEST(ElementsTest, FitTheirType) {
  EXPECT_TRUE(elements("[255, 0]", proto::DT_UINT8, {2}));
  EXPECT_FALSE(elements("[256, 0]", proto::DT_UINT8, {2}));
  EXPECT_FALSE(elements("[1.5, 0]", proto::DT_INT32, {2}));
  EXPECT_FALSE(elements("true", proto::DT_INT32, {}));
  EXPECT_TRUE(elements("18446744073709551615", proto::DT_UINT64, {}));
  EXPECT_FALSE(elements("18446744073709551616", proto::DT_UINT64, {}));
}

TEST(ElementsTest, OfHexadecimalDigitsAreThatMany) {
  auto two = elements("\"0x0000803F00000040\"", proto::DT_FLOAT, {2});
  EXPECT_EQ(two->bytes, std::string("\0\0\x80\x3f\0\0\0\x40", 8));
  EXPECT_TRUE(elements("\"0x0000803F\"", proto::DT_FLOAT, {7})->isSplat);
  EXPECT_FALSE(elements("\"0x0000803F00\"", proto::DT_FLOAT, {2}));
  EXPECT_FALSE(elements("\"0x0000803\"", proto::DT_FLOAT, {1}));
  // Booleans are bits, or bytes.
  EXPECT_EQ(elements("\"0x0501\"", proto::DT_BOOL, {9})->bytes,
            std::string("\1\0\1\0\0\0\0\0\1", 9));
  EXPECT_EQ(elements("\"0x010001\"", proto::DT_BOOL, {3})->bytes,
            std::string("\1\0\1", 3));
}

TEST(LocationTest, IsTheInnermostLineOutsideOfLibraries) {
  Module module = parse(R"(
#loc1 = loc("/usr/lib/python3/site-packages/optax/adam.py":7:1 to :9)
#loc2 = loc(callsite("adam"(#loc1) at "train"("train.py":12:3)))
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.abs"(%x) : (tensor<f32>) -> tensor<f32> loc(#loc3)
  return %0 : tensor<f32>
}
#loc3 = loc("jit(step)/abs"(#loc2))
)");
  Origin origin = module.originOf(firstOp(module).location);
  EXPECT_EQ(origin.name, "jit(step)/abs");
  EXPECT_EQ(origin.file, "train.py");
  EXPECT_EQ(origin.line, 12u);
}

TEST(LocationTest, MayReferToItself) {
  Module module = parse(R"(
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.abs %x : tensor<f32> loc(#loc3)
  return %0 : tensor<f32>
}
#loc3 = loc(fused[#loc4, #loc4])
#loc4 = loc(callsite(#loc3 at #loc3))
)");
  EXPECT_EQ(module.originOf(firstOp(module).location).file, "");
}

/// Translates @main of `text`, whose arguments are placeholders. Returns the
/// description of the first problem.
static std::string translate(llvm::StringRef text) {
  Module module = parse(text);
  proto::GraphDef graph;
  GraphBuilder builder(*graph.mutable_node(), *graph.mutable_debug_info());
  Translation translation(module, graph, builder, "step.mlir");
  const Function &function = *module.find("main");
  Tensors arguments;
  for (unsigned argument : function.body.arguments)
    arguments.push_back(builder.node("Placeholder", {},
                                     function.types[argument].element,
                                     function.types[argument].shape));
  translation.translate(function, arguments, "");
  return translation.problems().describeFirst();
}

TEST(TranslationTest, FunctionsThatCallThemselvesAreRefused) {
  EXPECT_EQ(translate(R"(
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @main(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
)"),
            "node 'step.mlir:3' (func.call): the module has too many ops, or "
            "functions that call themselves");
}

TEST(TranslationTest, ShortTextsOfManyOpsAreRefused) {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    std::string name = i ? "f" + std::to_string(i) : "main";
    std::string next = "@f" + std::to_string(i + 1);
    text += "func.func @" + name + "(%x: tensor<f32>) -> tensor<f32> {\n" +
            "  %0 = call " + next + "(%x) : (tensor<f32>) -> tensor<f32>\n" +
            "  %1 = call " + next + "(%0) : (tensor<f32>) -> tensor<f32>\n" +
            "  return %1 : tensor<f32>\n}\n";
  }
  text += "func.func @f60(%x: tensor<f32>) -> tensor<f32> {\n"
          "  return %x : tensor<f32>\n}\n";
  EXPECT_NE(translate(text).find("too many ops"), std::string::npos);
}

TEST(TranslationTest, WhatNoResultNeedsIsNoProblem) {
  EXPECT_EQ(translate(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @foreign(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.abs %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}
)"),
            "");
}

TEST(TranslationTest, AttributesThatDoNotFitAreRefused) {
  const char *const ops[] = {
      "stablehlo.transpose %x, dims = [0, 0] : (tensor<2x3xf32>) -> "
      "tensor<2x2xf32>",
      "stablehlo.transpose %x, dims = [0, 7] : (tensor<2x3xf32>) -> "
      "tensor<2x2xf32>",
      "stablehlo.slice %x [0:2, 1:9] : (tensor<2x3xf32>) -> tensor<2x8xf32>",
      "stablehlo.slice %x [0:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>",
      "stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<2x2xf32>",
      "stablehlo.broadcast_in_dim %x, dims = [1, 0] : (tensor<2x3xf32>) -> "
      "tensor<2x3xf32>",
      "stablehlo.concatenate %x, %x, dim = 2 : (tensor<2x3xf32>, "
      "tensor<2x3xf32>) -> tensor<2x2xf32>",
      "stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : "
      "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>",
      "stablehlo.iota dim = 3 : tensor<2x2xf32>",
      "\"stablehlo.gather\"(%x, %i) <{dimension_numbers = "
      "#stablehlo.gather<offset_dims = [0, 9], start_index_map = [5]>, "
      "slice_sizes = array<i64: 1, 1>}> : (tensor<2x3xf32>, tensor<i32>) -> "
      "tensor<2x2xf32>",
      "stablehlo.convolution(%x, %x) dim_numbers = [b, f]x[i, o]->[b, f], "
      "window = {} {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
      "tensor<2x2xf32>",
      "stablehlo.add %i, %i : (tensor<i32>, tensor<i32>) -> tensor<2x2xf32>",
  };
  for (llvm::StringRef op : ops) {
    std::string type = op.rsplit(' ').second.str();
    std::string text = "func.func @main(%x: tensor<2x3xf32>, %i: tensor<i32>)"
                       " -> " +
                       type + " {\n  %0 = " + op.str() +
                       "\n  return %0 : " + type + "\n}";
    EXPECT_NE(translate(text), "") << text;
  }
}
