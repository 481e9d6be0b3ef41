//===- ProcessClusterTest.cpp - TF_CONFIG ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/ProcessCluster.h"

#include <gtest/gtest.h>

using namespace ingot;

namespace {

const char *const twoWorkers =
    R"({"cluster": {"chief": ["host0:2222"], "ps": ["host3:2222"],
                    "worker": ["host1:2222", "host2:2222"]}, )";

Expected<ProcessCluster> withTask(const std::string &task) {
  return parseCluster(twoWorkers + task + "}");
}

TEST(ProcessClusterTest, SingleProcessIsChief) {
  for (const char *text : {"", "{}", R"({"task": {"type": "worker"}})"}) {
    auto cluster = parseCluster(text);
    ASSERT_TRUE(cluster) << cluster.status().message();
    EXPECT_TRUE(cluster->isChief()) << text;
    EXPECT_EQ(cluster->numWorkers(), 1u) << text;
  }
}

TEST(ProcessClusterTest, TaskIdentifiesProcess) {
  auto chief = withTask(R"("task": {"type": "chief", "index": 0})");
  ASSERT_TRUE(chief) << chief.status().message();
  EXPECT_TRUE(chief->isChief());
  EXPECT_EQ(chief->numWorkers(), 3u);
  auto worker = withTask(R"("task": {"type": "worker", "index": 1})");
  ASSERT_TRUE(worker) << worker.status().message();
  EXPECT_FALSE(worker->isChief());
  EXPECT_EQ(worker->self(), "worker 1 (host2:2222)");
  EXPECT_EQ(worker->chief(), "the chief, chief 0 (host0:2222)");
  // An evaluator is not part of the cluster.
  auto evaluator = withTask(R"("task": {"type": "evaluator", "index": 0})");
  ASSERT_TRUE(evaluator) << evaluator.status().message();
  EXPECT_TRUE(evaluator->isEvaluator());
  EXPECT_FALSE(evaluator->isChief());
}

TEST(ProcessClusterTest, WithoutChiefFirstWorkerIsChief) {
  for (int index : {0, 1}) {
    auto cluster = parseCluster(
        R"({"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker",
            "index": )" +
        std::to_string(index) + "}}");
    ASSERT_TRUE(cluster) << cluster.status().message();
    EXPECT_EQ(cluster->isChief(), index == 0);
  }
}

TEST(ProcessClusterTest, ErrorsAreReported) {
  auto message = [](const Expected<ProcessCluster> &cluster) {
    EXPECT_FALSE(cluster);
    EXPECT_EQ(cluster.status().code(), StatusCode::InvalidArgument);
    return cluster.status().message();
  };
  EXPECT_EQ(message(parseCluster("{")), "TF_CONFIG: is not a JSON object");
  EXPECT_EQ(message(parseCluster("[1]")), "TF_CONFIG: is not a JSON object");
  EXPECT_EQ(message(withTask(R"("task": {"type": "worker", "index": 2})")),
            "TF_CONFIG: the task is worker 2, the number of such tasks in "
            "'cluster' is 2");
  EXPECT_EQ(message(withTask(R"("task": {"type": "boss", "index": 0})")),
            "TF_CONFIG: the task is of type 'boss', which 'cluster' does not "
            "have");
  EXPECT_EQ(message(withTask(R"("task": {"type": "worker", "index": -1})")),
            "TF_CONFIG: the task's 'index' is -1, expected a whole number, 0 "
            "or more");
  EXPECT_EQ(message(withTask(R"("task": {})")),
            "TF_CONFIG: 'cluster' is given, but the task's 'type' is missing");
  EXPECT_EQ(message(parseCluster(
                R"({"cluster": {"chief": ["a:1", "b:1"]}, "task": {}})")),
            "TF_CONFIG: 'cluster' has 2 tasks of type 'chief', expected one");
  EXPECT_EQ(message(parseCluster(R"({"cluster": {"chief": "a:1"}})")),
            "TF_CONFIG: 'cluster' has no list of addresses for 'chief'");
}

} // namespace
