// SPDX-License-Identifier: Apache-2.0
#include "ingot/graph.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace ingot::graph;

namespace {

/// Writes `bytes` to a temporary file of the test, and returns its path.
std::string file(const std::string &name, const std::string &bytes) {
  std::string path = testing::TempDir() + name;
  std::ofstream(path) << bytes;
  return path;
}

Dataset numbers() {
  return Dataset::slices(
      {{"x", Array(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2})},
       {"y", Array(std::vector<int64_t>{0, 1, 0})}});
}

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(Graph, ofOneStepIsAProgramThatStartsSavesAndRestores) {
  Graph g;
  Iterator input = g.iterator(numbers().shuffle(3, 7).repeat().batch(2));
  {
    Entry step(g, "step", Role::Step);
    Element batch = input.next();
    Variable w = g.variable("w", {2, 3}, DType::Float32, glorotUniform(42));
    Tensor logits = biasAdd(matmul(batch["x"], w), g.variable("b", {3}));
    step.loss("loss", mean(sparseSoftmaxCrossEntropy(logits, batch["y"])));
    g.globalStep().assign(g.globalStep() + 1);
  }
  ASSERT_TRUE(g.finish()) << g.errors();
  std::string text = g.toMLIR();
  for (const char *part :
       {"#ingot.program<loss = \"loss\", global_step = @global_step>",
        "ingot.variable @w : tensor<2x3xf32> {trainable}",
        "ingot.variable @global_step : tensor<i64>",
        "ingot.iterator @IteratorV2 : [tensor<?x2xf32>, tensor<?xi64>]",
        "ingot.entry @init role(init)", "ingot.entry @local_init",
        "ingot.entry @ready role(ready)", "ingot.entry @ready_for_local_init",
        "ingot.entry @save role(save) feeds [\"save/Const:0\"]",
        "ingot.entry @restore role(restore)",
        "#ingot.saved<\"IteratorV2:0_STATE\", @IteratorV2, \"\", 0>",
        "role(step) feeds [] fetches [\"loss\"]"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Graph, resultsHaveTheShapesThatOperandsSay) {
  Graph g;
  Entry entry(g, "e", Role::Other);
  Tensor x = entry.feed("x", DType::Float32, {unknown, 4});
  auto shape = [](Tensor t) { return t.shape().value(); };
  EXPECT_EQ(shape(x), (Shape{unknown, 4}));
  EXPECT_EQ(shape(matmul(x, g.variable("w", {4, 5}))), (Shape{unknown, 5}));
  EXPECT_EQ(shape(sum(x, {1})), (Shape{unknown}));
  EXPECT_EQ(shape(mean(x)), (Shape{}));
  EXPECT_EQ(shape(sum(x, {-1}, true)), (Shape{unknown, 1}));
  EXPECT_EQ(shape(concat({x, x}, 1)), (Shape{unknown, 8}));
  EXPECT_EQ(shape(stack({x, x}, 1)), (Shape{unknown, 2, 4}));
  EXPECT_EQ(shape(transpose(x, {1, 0})), (Shape{4, unknown}));
  EXPECT_EQ(shape(reshape(x, {unknown, 2, 2})), (Shape{unknown, 2, 2}));
  EXPECT_EQ(shape(oneHot(argMax(x, 1), 3)), (Shape{unknown, 3}));
  EXPECT_EQ(shape(slice(x, {0, 1}, {-1, 2})), (Shape{unknown, 2}));
  EXPECT_EQ(shape(x * 2 + 1), (Shape{unknown, 4}));
  EXPECT_EQ(greater(x, scalarLike(x, 0)).dtype(), DType::Bool);
  EXPECT_EQ(argMax(x, 1).dtype(), DType::Int64);
  EXPECT_EQ(cast(x, DType::Float64).dtype(), DType::Float64);
  Tensor image = entry.feed("i", DType::Float32, {unknown, 8, 8, 1});
  Tensor filtered = conv2d(image, g.variable("f", {3, 3, 1, 6}));
  EXPECT_EQ(shape(filtered), (Shape{unknown, 8, 8, 6}));
  EXPECT_EQ(shape(maxPool(filtered, 2, 2)), (Shape{unknown, 4, 4, 6}));
  EXPECT_TRUE(g.ok()) << g.errors();
}

TEST(Graph, tellsAllErrorsByTheNamesOfWhatWasMade) {
  Graph g;
  {
    Entry entry(g, "e", Role::Other);
    NameScope scope(g, "hidden");
    Tensor x = entry.feed("x", DType::Float32, {2, 4});
    Tensor y = entry.feed("y", DType::Float32, {3, 5});
    Tensor bad = matmul(x, y);
    EXPECT_FALSE(bad);
    // Ops whose operand was in error report no further errors.
    EXPECT_FALSE(relu(bad + x));
    x + y;
    g.constant(Array(std::vector<float>{1, 2, 3}, {2}));
  }
  EXPECT_FALSE(g.finish());
  std::string errors = g.errors();
  EXPECT_EQ(count(errors, "\n"), 3u) << errors;
  EXPECT_NE(errors.find("'hidden/matmul': "), std::string::npos) << errors;
  EXPECT_NE(errors.find("'hidden/add': "), std::string::npos) << errors;
  EXPECT_NE(
      errors.find(
          "'hidden/constant': an array has 12 bytes, but its shape needs 8"),
      std::string::npos)
      << errors;
}

TEST(Graph, refusesWhatNoEntryIsOpenFor) {
  Graph g;
  g.scalar(1);
  EXPECT_NE(g.errors().find("no open entry"), std::string::npos);
}

TEST(Graph, refusesAnEntryWithinAnother) {
  Graph g;
  Entry outer(g, "outer", Role::Other);
  Entry inner(g, "inner", Role::Other);
  EXPECT_NE(g.errors().find("cannot begin an entry inside entry 'outer'"),
            std::string::npos)
      << g.errors();
}

TEST(Graph, refusesAnOpThatThereIsNot) {
  Graph g;
  Entry entry(g, "e", Role::Other);
  Tensor x = entry.feed("x", DType::Float32, {});
  EXPECT_FALSE(g.create("frobnicate", {x}));
  EXPECT_NE(g.errors().find("unknown op 'frobnicate'"), std::string::npos);
}

TEST(Graph, refusesOperandsOfAnotherGraph) {
  Graph g, other;
  Entry entry(g, "e", Role::Other), elsewhere(other, "e", Role::Other);
  Tensor x = entry.feed("x", DType::Float32, {});
  Tensor y = elsewhere.feed("y", DType::Float32, {});
  EXPECT_FALSE(x + y);
  EXPECT_NE(g.errors().find("belongs to another graph"), std::string::npos);
}

TEST(Control, hasTheTypesAndGradientsOfItsBranches) {
  Graph g;
  {
    Entry entry(g, "e", Role::Other);
    Tensor x = entry.feed("x", DType::Float32, {unknown, 3});
    std::vector<Tensor> results = cond(
        greater(mean(x), g.scalar(0)),
        [&] { return std::vector<Tensor>{sum(x, {1}), x}; },
        [&] { return std::vector<Tensor>{mean(x, {1}), x * 2.0}; });
    ASSERT_EQ(results.size(), 2u) << g.errors();
    EXPECT_EQ(results[0].shape(), Shape{unknown});
    EXPECT_EQ(results[1].shape(), (Shape{unknown, 3}));
    EXPECT_TRUE(gradients(results[1], std::vector<Tensor>{x})[0]);
    entry.fetch("y", results[0]);
  }
  EXPECT_TRUE(g.finish()) << g.errors();
}

TEST(Control, hasNoGradientWhereABranchAssigns) {
  Graph g;
  Entry entry(g, "e", Role::Other);
  Tensor x = entry.feed("x", DType::Float32, {2});
  Variable calls = g.variable("calls", {}, DType::Int32);
  auto branch = [&] {
    calls.assign(calls.read() + g.scalar(1, DType::Int32));
    return std::vector<Tensor>{x};
  };
  std::vector<Tensor> results = cond(g.scalar(1, DType::Bool), branch,
                                     [&] { return std::vector<Tensor>{x}; });
  ASSERT_EQ(results.size(), 1u) << g.errors();
  EXPECT_FALSE(gradients(results[0], std::vector<Tensor>{x})[0]);
  EXPECT_NE(g.errors().find("side effects"), std::string::npos) << g.errors();
}

TEST(Control, refusesBranchesOfDifferentTypes) {
  Graph g;
  Entry entry(g, "e", Role::Other);
  Tensor x = entry.feed("x", DType::Float32, {2});
  std::vector<Tensor> results = cond(
      g.scalar(1, DType::Bool), [&] { return std::vector<Tensor>{x}; },
      [&] { return std::vector<Tensor>{cast(x, DType::Int32)}; });
  EXPECT_TRUE(results.empty());
  EXPECT_NE(g.errors().find("'cond': "), std::string::npos) << g.errors();
}

TEST(Control, refusesALoopWhoseStateChangesItsType) {
  Graph g;
  Entry entry(g, "e", Role::Other);
  Tensor x = entry.feed("x", DType::Float32, {2});
  auto test = [](const std::vector<Tensor> &now) {
    return less(mean(now[0]), scalarLike(now[0], 1));
  };
  EXPECT_TRUE(whileLoop({x}, test, [](const std::vector<Tensor> &now) {
                return std::vector<Tensor>{concat({now[0], now[0]}, 0)};
              }).empty());
  EXPECT_NE(g.errors().find("'while': "), std::string::npos) << g.errors();
  std::vector<Tensor> loop =
      whileLoop({x}, test, [](const std::vector<Tensor> &now) {
        return std::vector<Tensor>{now[0] + 1.0};
      });
  ASSERT_EQ(loop.size(), 1u);
  EXPECT_EQ(loop[0].shape(), Shape{2});
}

TEST(Control, saysNothingMoreOfABodyThatIsInvalid) {
  Graph g;
  Entry entry(g, "e", Role::Other);
  Tensor x = entry.feed("x", DType::Float32, {2});
  EXPECT_TRUE(
      cond(
          g.scalar(1, DType::Bool),
          [&] { return std::vector<Tensor>{g.create("frobnicate", {x})}; },
          [&] { return std::vector<Tensor>{x}; })
          .empty());
  EXPECT_EQ(count(g.errors(), "\n"), 1u) << g.errors();
}

TEST(Variable, isTheSameWhereItIsAskedForAgain) {
  Graph g;
  Variable w = g.variable("w", {2});
  EXPECT_EQ(g.variable("w", {2}).number(), w.number());
  EXPECT_TRUE(g.ok());
  EXPECT_FALSE(g.variable("w", {3}));
  EXPECT_FALSE(g.variable("w", {2}, DType::Float64));
  EXPECT_EQ(count(g.errors(), "'w': variable already exists"), 2u);
}

TEST(Variable, hasTheNameOfItsScopes) {
  Graph g;
  NameScope outer(g, "adanet/iteration_0");
  {
    NameScope inner(g, "subnetwork_a");
    EXPECT_EQ(g.variable("step", {}).name(),
              "adanet/iteration_0/subnetwork_a/step");
  }
  EXPECT_EQ(g.variable("bias", {1}).name(), "adanet/iteration_0/bias");
  EXPECT_EQ(g.globalStep().name(), "global_step");
  EXPECT_EQ(g.variables("adanet/iteration_0/subnetwork_a/").size(), 1u);
  EXPECT_EQ(g.variables("", /*onlyTrainable=*/true).size(), 2u);
}

TEST(Variable, refusesAValueOfAnotherShape) {
  Graph g;
  Entry entry(g, "e", Role::Other);
  Variable w = g.variable("w", {2});
  w.assign(entry.feed("x", DType::Float32, {3}));
  EXPECT_NE(g.errors().find("'w': tensor<3xf32> is assigned to a variable of "
                            "tensor<2xf32>"),
            std::string::npos)
      << g.errors();
}

TEST(Variable, ofOneNameWithAnEntryKeepsBoth) {
  Graph g;
  g.variable("step", {}, DType::Int64);
  {
    Entry entry(g, "step", Role::Other);
  }
  ASSERT_TRUE(g.finish()) << g.errors();
  EXPECT_NE(g.toMLIR().find("ingot.name = \"step\""), std::string::npos);
}

TEST(Seeds, thatAreNotGivenDifferByVariable) {
  Graph g;
  g.setSeed(5);
  for (const char *name : {"a", "b"})
    g.variable(name, {2}, DType::Float32, uniform(0, 1));
  g.variable("c", {2}, DType::Float32, uniform(0, 1, 9));
  ASSERT_TRUE(g.finish()) << g.errors();
  std::string text = g.toMLIR();
  EXPECT_EQ(count(text, "dense<[5, "), 2u) << text;
  EXPECT_EQ(count(text, "dense<[9, 0]> : tensor<2xi64>"), 1u) << text;
  Graph again;
  again.setSeed(5);
  for (const char *name : {"a", "b"})
    again.variable(name, {2}, DType::Float32, uniform(0, 1));
  again.variable("c", {2}, DType::Float32, uniform(0, 1, 9));
  ASSERT_TRUE(again.finish());
  EXPECT_EQ(again.toMLIR(), text);
}

TEST(Dataset, ofCsvTakesColumnsByName) {
  Graph g;
  std::string path = file("by-name.csv", "a,\"b c\",y\n1,2,3\n");
  Iterator input =
      g.iterator(Dataset::csv({path}, {{"y", DType::Int64}, {"a"}, {"b c"}}));
  Entry entry(g, "e", Role::Other);
  Element row = input.next();
  EXPECT_EQ(row["y"].dtype(), DType::Int64);
  EXPECT_EQ(row["a"].dtype(), DType::Float32);
  EXPECT_FALSE(row["z"]);
  EXPECT_NE(
      g.errors().find("'z': no such component; the input has 'a', 'b c', 'y'"),
      std::string::npos)
      << g.errors();
}

TEST(Dataset, ofCsvNamesTheFileThatLacksAColumn) {
  Graph g;
  std::string one = file("one.csv", "a,b\n1,2\n"),
              other = file("other.csv", "b,a\n1,2\n");
  EXPECT_FALSE(g.iterator(Dataset::csv({one}, {{"c"}})));
  EXPECT_FALSE(g.iterator(Dataset::csv({one, other}, {{"a"}})));
  EXPECT_FALSE(g.iterator(Dataset::csv({one + ".none"}, {{"a"}})));
  std::string errors = g.errors();
  EXPECT_NE(errors.find(one + "': has no column 'c'; it has 'a', 'b'"),
            std::string::npos)
      << errors;
  EXPECT_NE(errors.find(other + "': columns must be in the same order as in"),
            std::string::npos)
      << errors;
  EXPECT_NE(errors.find(one + ".none: No such file"), std::string::npos)
      << errors;
}

TEST(Dataset, ofCsvWithoutAHeaderTakesColumnsByTheNamesGiven) {
  Graph g;
  std::string path = file("no-header.csv", "1,2,3\n");
  CsvOptions options{.header = false, .names = {"a", "b", "c"}};
  ASSERT_TRUE(g.iterator(Dataset::csv({path}, {{"c"}, {"a"}}, options)));
  EXPECT_NE(g.toMLIR().find("dense<[0, 2]> : tensor<2xi64>"),
            std::string::npos);
  EXPECT_FALSE(g.iterator(Dataset::csv({path}, {{"d"}}, options)));
}

TEST(CsvHeader, isReadWhereTheOptionsSay) {
  file("header.csv", "a,\"b,c\"\r\n1,2\n");
  std::string error;
  CsvOptions options{.directory = testing::TempDir()};
  EXPECT_EQ(csvHeader("header.csv", options, error),
            (std::vector<std::string>{"a", "b,c"}));
  options.header = false;
  EXPECT_EQ(csvHeader("header.csv", options, error),
            (std::vector<std::string>{"0", "1"}));
  options.names = {"x", "y"};
  EXPECT_EQ(csvHeader("header.csv", options, error), options.names);
  EXPECT_EQ(csvHeader("none.csv", {.directory = "/nowhere"}, error),
            std::nullopt);
  EXPECT_EQ(error, "/nowhere/none.csv: No such file or directory");
}

TEST(Dataset, ofArraysOfDifferentLengthsIsRefused) {
  Graph g;
  EXPECT_FALSE(
      g.iterator(Dataset::slices({{"x", Array(std::vector<float>{1, 2})},
                                  {"y", Array(std::vector<float>{1, 2, 3})}})));
  EXPECT_NE(g.errors().find("'y': has 3 examples, but 'x' has 2"),
            std::string::npos)
      << g.errors();
}

TEST(Dataset, mapsElements) {
  Graph g;
  Iterator input =
      g.iterator(numbers()
                     .filter([](const Element &e) {
                       return greater(e["y"], scalarLike(e["y"], 0));
                     })
                     .map([](const Element &e) {
                       return Element{{"sum", sum(e["x"])}, {"y", e["y"]}};
                     })
                     .batch(2, /*dropRemainder=*/true));
  {
    Entry entry(g, "e", Role::Other);
    Element element = input.next();
    EXPECT_EQ(element["sum"].shape().value(), (Shape{2}));
    entry.fetch("y", element["y"]);
  }
  ASSERT_TRUE(g.finish()) << g.errors();
}

} // namespace
