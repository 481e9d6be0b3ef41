//===- GraphFingerprintTest.cpp - What a graph's training step is ---------===//
// SPDX-License-Identifier: Apache-2.0
//
// The graphs are assembled here by the numbers of TensorFlow's .proto files, in
// protobuf's wire format.
//
//===----------------------------------------------------------------------===//

#include "runtime/Checkpoint/GraphFingerprint.h"

#include <functional>
#include <gtest/gtest.h>

using namespace ingot;

namespace {

std::string field(int number, const std::string &payload) {
  std::string start;
  for (size_t left : {static_cast<size_t>(number) << 3 | 2, payload.size()}) {
    for (; left >= 0x80; left >>= 7)
      start.push_back(static_cast<char>(left | 0x80));
    start.push_back(static_cast<char>(left));
  }
  return start + payload;
}

std::string attr(const std::string &name, const std::string &value) {
  return field(5, field(1, name) + field(2, value));
}

/// An attribute that is a string; any value will do where a test has a tensor.
std::string text(const std::string &name, const std::string &value) {
  return attr(name, field(2, value));
}

std::string node(const std::string &name, const std::string &op,
                 const std::vector<std::string> &inputs = {},
                 const std::string &rest = "") {
  std::string all = field(1, name) + field(2, op);
  for (const std::string &input : inputs)
    all += field(3, input);
  return field(1, all + rest);
}

std::string collection(const std::string &key, const std::string &name) {
  return field(4, field(1, key) + field(2, field(1, field(1, name))));
}

/// What a test changes in the graph of a step: w -= rate * f(w * x).
struct Step {
  std::string function = "Relu", rate = "0.1", variable = "w";
  std::string initial = "1.5", seed = "7", data = "a.csv", prefix;
  std::string epoch = "100";
  std::vector<std::string> controls = {"^epoch", "^noise"};
  std::string more; // further nodes

  std::string graph() const {
    auto in = [&](const std::string &name) { return prefix + name; };
    std::vector<std::string> update = {in("f"), in("rate") + ":0"};
    for (const std::string &control : controls)
      update.push_back("^" + in(control.substr(1)));
    std::string nodes =
        node(in("initial"), "Const", {}, text("value", initial)) +
        node(variable, "VariableV2") +
        node(in("assign"), "Assign", {variable, in("initial")}) +
        node(in("file"), "Const", {}, text("value", data)) +
        node(in("data"), "IteratorV2", {}, text("shared_name", in("data"))) +
        node(in("make"), "MakeIterator", {in("file"), in("data")}) +
        node(in("x"), "IteratorGetNext", {in("data")},
             text("output_types", "float") + text("output_shapes", data)) +
        node(in("noise"), "RandomUniform", {}, text("seed", seed)) +
        node(in("epoch"), "Const", {}, text("value", epoch)) +
        node(in("rate"), "Const", {}, text("value", rate)) +
        node(in("y"), "Mul", {variable, in("x")}) +
        node(in("f"), function, {in("y")}) +
        node(in("update"), "AssignSub", update);
    return field(2, nodes + more) + collection("train_op", in("update")) +
           collection("ingot_data", in("epoch"));
  }
};

/// The fingerprint of a step that `change` has changed.
std::string fingerprint(const std::function<void(Step &)> &change) {
  Step step;
  change(step);
  auto found = fingerprintOf(step.graph(), "");
  EXPECT_TRUE(found) << found.status().message();
  return found ? found->text : "";
}

const std::string usual = fingerprint([](Step &) {});

TEST(GraphFingerprintTest, TellsWhatAStepComputes) {
  EXPECT_EQ(usual.size(), 18u) << usual;
  EXPECT_EQ(fingerprint([](Step &) {}), usual);
  EXPECT_NE(fingerprint([](Step &step) { step.function = "Tanh"; }), usual);
  EXPECT_NE(fingerprint([](Step &step) { step.rate = "0.2"; }), usual);
  EXPECT_NE(fingerprint([](Step &step) { step.variable = "v"; }), usual);
  EXPECT_NE(fingerprint([](Step &step) { step.controls = {"^epoch"}; }), usual);
}

TEST(GraphFingerprintTest, IgnoresWhatExportsOfOneProgramDifferIn) {
  EXPECT_EQ(fingerprint([](Step &step) { step.initial = "0.2"; }), usual);
  EXPECT_EQ(fingerprint([](Step &step) { step.seed = "8"; }), usual);
  EXPECT_EQ(fingerprint([](Step &step) { step.data = "b.csv"; }), usual);
  EXPECT_EQ(fingerprint([](Step &step) { step.prefix = "scope/"; }), usual);
  EXPECT_EQ(fingerprint([](Step &step) { step.epoch = "150"; }), usual);
  EXPECT_EQ(
      fingerprint([](Step &step) { step.controls = {"^noise", "^epoch"}; }),
      usual);
  // An evaluation, or a summary.
  EXPECT_EQ(fingerprint([](Step &step) {
              step.more = node("accuracy", "Mean", {"f"});
            }),
            usual);
}

TEST(GraphFingerprintTest, CountsOps) {
  auto found = fingerprintOf(Step{}.graph(), "");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ops["Const"], 2);
  EXPECT_EQ(found->ops["Relu"], 1);
  EXPECT_FALSE(found->ops.contains("Assign"));
  EXPECT_FALSE(found->ops.contains("MakeIterator"));
}

/// A graph whose step calls a function of this name with this body.
std::string calling(const std::string &name, const std::string &op) {
  std::string argument = field(1, "a"), result = field(1, "r");
  std::string function =
      field(1, field(1, name) + field(2, argument) + field(3, result)) +
      field(3, field(1, "body") + field(2, op) + field(3, "a")) +
      field(4, field(1, "r") + field(2, "body:y:0"));
  return field(2, node("x", "Placeholder") +
                      node("call", "PartitionedCall", {"x"},
                           attr("f", field(10, field(1, name)))) +
                      field(2, field(1, function))) +
         collection("train_op", "call");
}

TEST(GraphFingerprintTest, TakesFunctionsByTheirBodies) {
  auto one = fingerprintOf(calling("f_1", "Relu"), "");
  auto same = fingerprintOf(calling("f_22", "Relu"), "");
  auto other = fingerprintOf(calling("f_1", "Tanh"), "");
  ASSERT_TRUE(one && same && other);
  EXPECT_EQ(one->text, same->text);
  EXPECT_NE(one->text, other->text);
  EXPECT_EQ(one->ops["Relu"], 1);
}

/// A loop of TensorFlow 1, whose graph has a cycle.
std::string looping(const std::string &body) {
  return field(2, node("enter", "Enter", {"x"}) + node("x", "Placeholder") +
                      node("merge", "Merge", {"enter", "next"}) +
                      node("body", body, {"merge"}) +
                      node("next", "NextIteration", {"body"}) +
                      node("exit", "Exit", {"merge"})) +
         collection("train_op", "exit");
}

TEST(GraphFingerprintTest, FollowsLoops) {
  auto one = fingerprintOf(looping("Relu"), "");
  auto other = fingerprintOf(looping("Tanh"), "");
  ASSERT_TRUE(one && other);
  EXPECT_NE(one->text, other->text);
  EXPECT_EQ(one->ops["Relu"], 1);
}

/// A graph whose step calls a function with a loop of TensorFlow 1, in which
/// `next` is what the next iteration starts from.
std::string callingLoop(const std::string &next, const std::string &data = "") {
  auto inner = [](const std::string &name, const std::string &op,
                  const std::vector<std::string> &inputs) {
    std::string all = field(1, name) + field(2, op);
    for (const std::string &input : inputs)
      all += field(3, input);
    return field(3, all);
  };
  std::string function =
      field(1,
            field(1, "f") + field(2, field(1, "a")) + field(3, field(1, "r"))) +
      inner("enter", "Enter", {"a"}) +
      inner("merge", "Merge", {"enter:output:0", "next:output:0"}) +
      inner("one", "Relu", {"merge:output:0"}) +
      inner("other", "Tanh", {"merge:output:0"}) +
      inner("next", "NextIteration", {next}) +
      inner("exit", "Exit", {"merge:output:0"}) +
      field(4, field(1, "r") + field(2, "exit:output:0"));
  return field(2, node("x", "Placeholder") +
                      node("call", "PartitionedCall", {"x"},
                           attr("f", field(10, field(1, "f")))) +
                      field(2, field(1, function))) +
         collection("train_op", "call") +
         (data.empty() ? "" : collection("ingot_data", data));
}

TEST(GraphFingerprintTest, FollowsLoopsInFunctions) {
  auto one = fingerprintOf(callingLoop("one:activations:0"), "");
  auto other = fingerprintOf(callingLoop("other:y:0"), "");
  ASSERT_TRUE(one && other);
  EXPECT_NE(one->text, other->text);
}

TEST(GraphFingerprintTest, DataNodesAreThoseOfTheGraphItself) {
  // Functions may have nodes of the same names.
  auto one = fingerprintOf(callingLoop("one:activations:0", "one"), "");
  auto same = fingerprintOf(callingLoop("one:activations:0"), "");
  ASSERT_TRUE(one && same);
  EXPECT_EQ(one->text, same->text);
}

TEST(GraphFingerprintTest, TakesUpdatesAndLossWithoutATrainOp) {
  auto graph = [](const std::string &function) {
    return field(2, node("x", "Placeholder") + node("loss", function, {"x"}));
  };
  auto none = fingerprintOf(graph("Relu"), "");
  ASSERT_TRUE(none);
  EXPECT_EQ(none->text, "");
  auto one = fingerprintOf(graph("Relu"), "loss:0");
  auto other = fingerprintOf(graph("Tanh"), "loss:0");
  ASSERT_TRUE(one && other);
  EXPECT_NE(one->text, other->text);
}

TEST(GraphFingerprintTest, BytesOfNoGraphAreDataLoss) {
  auto found = fingerprintOf("\x12\xff\xff\xff\x0f", "");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.status().code(), StatusCode::DataLoss);
}

} // namespace
