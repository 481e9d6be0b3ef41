//===- GraphTest.cpp - Names, indexing and order --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Graph/Graph.h"
#include "compiler/Import/Ops/OpTable.h"
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

using namespace ingot::importer;

TEST(TensorNameTest, NamesAreTakenApart) {
  auto name = TensorName::parse("scope/op:12");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->node, "scope/op");
  EXPECT_EQ(name->port, 12);
  EXPECT_TRUE(name->hasPort);
  name = TensorName::parse("op");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->port, 0);
  EXPECT_FALSE(name->hasPort);
  name = TensorName::parse("^op");
  ASSERT_TRUE(name);
  EXPECT_TRUE(name->isControl);
}

TEST(TensorNameTest, MalformedNamesAreRefused) {
  for (const char *text : {"", "^", ":0", "op:", "op:-1", "op:1:2", "^op:0",
                           "op:99999999999999999999", "op:1x", "^^op"})
    EXPECT_FALSE(TensorName::parse(text)) << text;
}

// The names of the nodes that `target` needs, in the order of schedule(); an op
// named "Write" counts as one that writes.
static std::vector<std::string> orderOf(const char *text, const char *target,
                                        const char *fed = nullptr) {
  ingot::proto::GraphDef def;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &def));
  ImportErrors problems;
  Graph graph = Graph::index(def, problems);
  Feeds feeds;
  if (fed)
    feeds.insert({graph.find(fed), 0});
  std::vector<std::string> names;
  for (int node : schedule(
           graph, graph.find(target), feeds,
           [&](int node) { return graph[node].op() == "Write"; }, problems))
    names.push_back(graph[node].name().str());
  return names;
}

using Names = std::vector<std::string>;

TEST(ScheduleTest, WritesWaitUntilNothingElseIsLeft) {
  EXPECT_EQ(orderOf("node { name: 'w' op: 'Write' }"
                    "node { name: 'r' op: 'Read' }"
                    "node { name: 's' op: 'Sum' input: 'r' }"
                    "node { name: 'all' op: 'NoOp' input: '^w' input: '^s' }",
                    "all"),
            (Names{"r", "s", "w", "all"}));
}

TEST(ScheduleTest, ControlEdgesComeFirst) {
  EXPECT_EQ(orderOf("node { name: 'r' op: 'Read' input: '^w' }"
                    "node { name: 'w' op: 'Write' }",
                    "r"),
            (Names{"w", "r"}));
}

TEST(ScheduleTest, FedTensorsAreNotComputedButTheirNodesMayRun) {
  const char *graph = "node { name: 'a' op: 'Read' }"
                      "node { name: 'p' op: 'Placeholder' }"
                      "node { name: 'b' op: 'Neg' input: 'a' }"
                      "node { name: 'c' op: 'Neg' input: 'b' input: '^b' }"
                      "node { name: 'd' op: 'Neg' input: 'p' input: '^p' }";
  EXPECT_EQ(orderOf(graph, "b", "a"), (Names{"b"}));
  // Of fed nodes, only placeholders are left out of the schedule.
  EXPECT_EQ(orderOf(graph, "c", "b"), (Names{"a", "b", "c"}));
  EXPECT_EQ(orderOf(graph, "d", "p"), (Names{"d"}));
}

TEST(ScheduleTest, AChainOfAHundredThousandNodesIsNoProblem) {
  ingot::proto::GraphDef def;
  def.add_node()->set_name("0");
  for (int i = 1; i < 100000; ++i) {
    ingot::proto::NodeDef &node = *def.add_node();
    node.set_name(std::to_string(i));
    node.set_op("Identity");
    node.add_input(std::to_string(i - 1));
  }
  ImportErrors problems;
  Graph graph = Graph::index(def, problems);
  EXPECT_EQ(
      schedule(
          graph, graph.size() - 1, {}, [](int) { return false; }, problems)
          .size(),
      100000u);
  EXPECT_EQ(graph.skipIdentities({graph.size() - 1, 0}), Output(0, 0));
  EXPECT_TRUE(problems.empty());
}

TEST(FunctionTest, OutputsAreFoundByArgumentAndNumber) {
  ingot::proto::FunctionDef def;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT }"
      "            output_arg { name: 'y' type: DT_FLOAT } }"
      "node_def { name: 'e' op: 'SparseSoftmaxCrossEntropyWithLogits'"
      "           input: 'x' input: 'x:0' }"
      "node_def { name: 'n' op: 'Neg' input: 'e:backprop:0' input: '^e' }"
      "node_def { name: 'bad' op: 'Neg' input: 'e:gradient:0' }"
      "ret { key: 'y' value: 'n:y:0' }",
      &def));
  ImportErrors problems;
  Graph graph = Graph::index(def, ingot::importer::firstPortOf, problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(graph[graph.find("e")].inputs[1], Output(0, 0));
  EXPECT_EQ(graph[graph.find("n")].inputs[0], Output(graph.find("e"), 1));
  EXPECT_EQ(graph[graph.find("n")].controls[0], graph.find("e"));
  EXPECT_FALSE(graph[graph.find("bad")].error.empty());
  ASSERT_EQ(graph.returns.size(), 1u);
  EXPECT_EQ(graph.returns[0], Output(graph.find("n"), 0));
  EXPECT_EQ(graph.qualifiedName(graph.find("n")), "f/n");
}
