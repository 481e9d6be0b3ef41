// SPDX-License-Identifier: Apache-2.0
#include "compiler/Ensemble/SearchFile.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace ingot::ensemble;

namespace {

/// The smallest valid search, with `of` replaced by `instead`.
std::string search(const std::string &instead = "",
                   const std::string &of = "") {
  std::string text = "max_iteration_steps: 10\n"
                     "train {\n"
                     "  csv { file: 'x.csv' header: true }\n"
                     "  batch: 8\n"
                     "}\n"
                     "feature { name: 'a' numeric {} }\n"
                     "head { regression {} label: 'y' }\n"
                     "generator {\n"
                     "  linear {}\n"
                     "  optimizer { sgd { learning_rate: 0.1 } }\n"
                     "}\n";
  if (!of.empty())
    text.replace(text.find(of), of.size(), instead);
  return text;
}

std::vector<std::string> problems(const std::string &text) {
  std::vector<std::string> all;
  readSearch("s.pbtxt", text,
             [&](const std::string &problem) { all.push_back(problem); });
  return all;
}

TEST(SearchFile, isTakenWhereItSaysAllThatASearchNeeds) {
  EXPECT_EQ(problems(search()), std::vector<std::string>());
  EXPECT_TRUE(readSearch("s.pbtxt", search(), [](const std::string &) {}));
}

TEST(SearchFile, isToldFromAGraph) {
  EXPECT_TRUE(looksLikeSearch("# A comment.\nmax_iterations: 3\n"));
  EXPECT_FALSE(looksLikeSearch("node { name: 'x' op: 'Const' }"));
  EXPECT_FALSE(looksLikeSearch("meta_info_def { tags: 'train' }"));
  EXPECT_FALSE(looksLikeSearch(""));
}

// An error in a search file is reported with its line and column (AN-003,
// AN-004, AN-011, AN-017, AN-174).
TEST(SearchFile, isWrongAtALineAndColumn) {
  struct {
    const char *instead, *of, *expected;
  } cases[] = {
      {"max_iteration_steps: -1", "max_iteration_steps: 10",
       "s.pbtxt:1:1: max_iteration_steps must be positive, not -1"},
      {"max_iteration_steps: 10 max_iterations: -1", "max_iteration_steps: 10",
       "s.pbtxt:1:25: max_iterations must be positive, not -1"},
      {"max_iteration_steps: 10 adanet_loss_decay: 1",
       "max_iteration_steps: 10",
       "s.pbtxt:1:25: adanet_loss_decay must be in [0, 1), not 1"},
      {"  batch: 0", "  batch: 8", "s.pbtxt:4:3: batch must be positive"},
      {"feature { name: 'a b' numeric {} }", "feature { name: 'a' numeric {} }",
       "s.pbtxt:6:11: name 'a b' must be 1 to 128 letters"},
      {"  optimizer { sgd { learning_rate: -0.1 } }",
       "  optimizer { sgd { learning_rate: 0.1 } }",
       "s.pbtxt:10:21: learning_rate must be positive and finite, not -0.1"},
      {"head { multi_class { classes: 1 } label: 'y' }",
       "head { regression {} label: 'y' }",
       "s.pbtxt:7:22: classes must be at least 2"},
      {"feature { name: 'a' bucketized { boundary: 2 boundary: 1 } }",
       "feature { name: 'a' numeric {} }",
       "s.pbtxt:6:46: boundaries must be finite and increasing"},
      {"max_iteration_steps: 10 strategy { kind: SOLO keep_newest: 2 }",
       "max_iteration_steps: 10", "s.pbtxt:1:47: keep_newest needs kind GROW"},
      {"  graph { file: 'g' name: 'g' features: 'x=a' logits: 'l' "
       "input { csv { file: 'x.csv' } } }",
       "  linear {}", "s.pbtxt:9:59: missing field batch"},
  };
  for (const auto &it : cases) {
    std::vector<std::string> found = problems(search(it.instead, it.of));
    ASSERT_EQ(found.size(), 1u) << it.instead;
    EXPECT_EQ(found[0].substr(0, std::string(it.expected).size()), it.expected);
  }
}

// Errors are metrics that do not suit the head, and options that do not suit
// the metric.
TEST(SearchFile, asksForMetricsThatThereAre) {
  const char *regression = "head { regression {} label: 'y' }";
  const std::string classes = "head { multi_class { classes: 3 } label: 'y' } ";
  struct {
    std::string instead;
    const char *expected;
  } cases[] = {
      {"head { regression {} label: 'y' } metric { kind: AUC }",
       "s.pbtxt:7:44: AUC is not defined for this kind of head"},
      {classes + "metric { name: 'a' }", "s.pbtxt:7:48: missing field kind"},
      {classes + "metric { kind: PRECISION class_id: 3 }",
       "s.pbtxt:7:73: class_id 3 is not in [0, 3), the range of classes of the "
       "head"},
      {classes + "metric { kind: PRECISION at: 0.5 }",
       "s.pbtxt:7:73: at does not apply to PRECISION"},
      {classes + "metric { kind: RECALL_AT_PRECISION at: 1.5 }",
       "s.pbtxt:7:83: at must be in [0, 1], not 1.5"},
      {classes + "metric { kind: AUC num_thresholds: 1 }",
       "s.pbtxt:7:67: AUC needs at least 2 thresholds"},
      {classes + "metric { kind: AUC name: 'loss' }",
       "s.pbtxt:7:67: 'loss' is the name of an ensemble's loss: choose another "
       "name"},
      {classes + "metric { kind: AUC } metric { kind: AUC curve: PR }",
       "s.pbtxt:7:69: duplicate metric 'auc': give it another name"},
      {classes + "metric { kind: AUC head: 'other' }",
       "s.pbtxt:7:67: the search has no head 'other'"},
      {"head { multi { head { name: 'a' regression {} label: 'y' } head { "
       "name: "
       "'b' binary {} label: 'z' } } } metric { kind: RECALL }",
       "s.pbtxt:7:113: RECALL is not defined for this kind of head 'a'"},
  };
  for (const auto &it : cases) {
    std::vector<std::string> found = problems(search(it.instead, regression));
    ASSERT_EQ(found.size(), 1u) << it.instead;
    EXPECT_EQ(found[0].substr(0, std::string(it.expected).size()), it.expected);
  }
}

TEST(SearchFile, isToldAllThatIsWrong) {
  std::string text = search("  batch: 0", "  batch: 8");
  text.replace(0, text.find('\n'), "max_iteration_steps: 0");
  EXPECT_EQ(problems(text).size(), 2u);
}

TEST(SearchFile, thatIsNoTextOfItsKindIsWrongWhereItStops) {
  for (const char *text : {"max_iteration_steps: 10 frobnicate: 3",
                           "max_iteration_steps: 'ten'", "train {"}) {
    std::vector<std::string> found = problems(text);
    ASSERT_FALSE(found.empty()) << text;
    EXPECT_EQ(found[0].find("s.pbtxt:"), 0u) << found[0];
  }
}

// Each required field that is missing is named (AN-001, AN-002).
TEST(SearchFile, lacksWhatASearchNeeds) {
  std::vector<std::string> found = problems("seed: 1\n");
  for (const char *field :
       {"head", "generator", "max_iteration_steps", "train", "feature"})
    EXPECT_EQ(std::count_if(found.begin(), found.end(),
                            [&](const std::string &problem) {
                              return problem.ends_with(
                                  std::string(": missing field ") + field);
                            }),
              1)
        << field;
}

} // namespace
