//===- BestEnsembleTest.cpp - The ensemble that predicts ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/BestEnsemble.h"

#include "runtime/AdaNet/EnsembleSelection.h"
#include "runtime/AdaNet/IterationMemberAndCandidateNames.h"
#include "runtime/AdaNet/JsonFile.h"
#include "runtime/AdaNet/SearchProgress.h"
#include "runtime/AdaNet/TrainingDoneMarkers.h"
#include "runtime/Checkpoint/CheckpointManager.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>

using namespace ingot;
using namespace ingot::adanet;
using namespace ingot::test;

namespace {

/// A model directory of a search in iteration 1, at global step 20. In each
/// iteration, candidates add member "a" or "b"; iteration 0 has selected "a".
class BestEnsembleTest : public ::testing::Test {
protected:
  BestEnsembleTest() : files({".", "run"}) {
    number("global_step", 20);
    number("current_iteration", 1);
    for (const char *member :
         {"0/subnetwork_t0_a", "1/subnetwork_t1_a", "1/subnetwork_t1_b"})
      number(std::string("adanet/iteration_") + member + "/step", 10);
    architecture(0, "a_grow", 10, {{0, "a"}});
    ensemble(0, "t0_a_grow_mean", 10, 0.5f);
  }

  void number(const std::string &name, int64_t value) {
    auto &item = items[name];
    item.key = name;
    item.dtype = INGOT_INT64;
    item.data = &numbers.emplace_back(value);
  }
  void ensemble(int64_t iteration, const std::string &name, int64_t steps,
                float average) {
    std::string scope = "adanet/iteration_" + std::to_string(iteration);
    number(scope + "/ensemble_" + name + "/step", steps);
    std::string key = scope + "/candidate_" + name + "/adanet_loss";
    auto &item = items[key];
    item.key = key;
    item.dtype = INGOT_FLOAT;
    item.data = &averages.emplace_back(average);
  }
  void architecture(int64_t iteration, const std::string &candidate,
                    int64_t globalStep,
                    std::vector<EnsembleArchitecture::Member> members) {
    EnsembleArchitecture one;
    one.iteration = iteration;
    one.candidate = candidate;
    one.ensembler = "mean";
    one.globalStep = globalStep;
    one.members = std::move(members);
    ASSERT_TRUE(writeArchitecture(files, "run", one).isOk());
  }
  void drop(const std::string &name, int64_t steps, int64_t iteration = 1) {
    TrainingDoneMarkers markers(files, "run", iteration);
    ASSERT_TRUE(
        markers
            .add(name, TrainingDoneMarkers::dropped(steps, "its loss is nan"))
            .isOk());
  }

  BestEnsemble find() {
    CheckpointManagerOptions options;
    options.directory = "run";
    CheckpointManager manager(files, options);
    std::vector<TensorToSave> all;
    for (const auto &[name, item] : items)
      all.push_back(item);
    auto saved = manager.save(20, all);
    EXPECT_TRUE(saved) << saved.status().message();
    auto reader = CheckpointReader::open(files, *saved);
    auto best = findBestEnsemble(files, "run", **reader);
    EXPECT_TRUE(best) << best.status().message();
    auto progress = readProgress(files, "run");
    EXPECT_TRUE(progress) << progress.status().message();
    EXPECT_EQ(progress->selected, best->selected.has_value());
    return std::move(*best);
  }

  FaultFileSystem files;
  std::map<std::string, TensorToSave> items;
  std::deque<int64_t> numbers;
  std::deque<float> averages;
};

TEST_F(BestEnsembleTest, LowestAverageOfCandidatesPredicts) {
  ensemble(1, "t1_a_grow_mean", 10, 0.4f);
  ensemble(1, "t1_b_grow_mean", 10, 0.3f);
  EXPECT_EQ(find().name, "t1_b_grow_mean");
  ensemble(0, "t0_a_grow_mean", 10, 0.2f);
  EXPECT_EQ(find().name, "t0_a_grow_mean");
}

TEST_F(BestEnsembleTest, FirstOfEqualAveragesPredicts) {
  ensemble(1, "t1_a_grow_mean", 10, 0.5f);
  ensemble(1, "t1_b_grow_mean", 10, 0.5f);
  EXPECT_EQ(find().name, "t0_a_grow_mean");
  ensemble(0, "t0_a_grow_mean", 10, 0.6f);
  EXPECT_EQ(find().name, "t1_a_grow_mean");
  // The order is the program's, not that of names.
  Iteration iteration;
  iteration.number = 1;
  iteration.previous = MemberOrEnsemble{"t0_a_grow_mean", 0, "", {}};
  for (const char *name : {"t1_b_grow_mean", "t1_a_grow_mean"})
    iteration.ensembles.push_back({name, 0, "", {}});
  ASSERT_TRUE(writeOrder(files, "run", iteration).isOk());
  EXPECT_EQ(find().name, "t1_b_grow_mean");
  // Without any number, the first one predicts in iteration 0.
  number("current_iteration", 0);
  ensemble(0, "t0_a_grow_mean", 10, NAN);
  ensemble(0, "t0_b_grow_mean", 10, NAN);
  iteration = Iteration();
  for (const char *name : {"t0_b_grow_mean", "t0_a_grow_mean"})
    iteration.ensembles.push_back({name, 0, "", {}});
  ASSERT_TRUE(writeOrder(files, "run", iteration).isOk());
  EXPECT_EQ(find().name, "t0_b_grow_mean");
}

TEST_F(BestEnsembleTest, CandidatesWithoutStepDoNotPredict) {
  ensemble(1, "t1_a_grow_mean", 0, 0);
  ensemble(1, "t1_b_grow_mean", 1, 0.6f);
  EXPECT_EQ(find().name, "t0_a_grow_mean");
  // A candidate that has trained no step does not predict, even if the averages
  // of all others are NaN.
  ensemble(0, "t0_a_grow_mean", 10, NAN);
  ensemble(1, "t1_b_grow_mean", 1, NAN);
  BestEnsemble best = find();
  EXPECT_EQ(best.name, "t0_a_grow_mean");
  EXPECT_TRUE(best.hasDiverged);
}

TEST_F(BestEnsembleTest, DroppedAndDivergedCandidatesDoNotPredict) {
  ensemble(1, "t1_a_grow_mean", 10, NAN);
  ensemble(1, "t1_b_grow_mean", 10, 0.3f);
  drop("t1_b_grow_mean", 11);
  EXPECT_EQ(find().name, "t1_b_grow_mean") << "dropped in a later checkpoint";
  ASSERT_TRUE(
      TrainingDoneMarkers(files, "run", 1).remove("t1_b_grow_mean").isOk());
  drop("t1_b_grow_mean", 10);
  EXPECT_EQ(find().name, "t0_a_grow_mean");
  // In iteration 0, in which none wins, the first that was not dropped.
  number("current_iteration", 0);
  drop("t0_a_grow_mean", 10, 0);
  ensemble(0, "t0_b_grow_mean", 10, NAN);
  EXPECT_EQ(find().name, "t0_b_grow_mean");
}

TEST_F(BestEnsembleTest, SelectionOutranksAverages) {
  ensemble(1, "t1_a_grow_mean", 10, 0.1f);
  ensemble(1, "t1_b_grow_mean", 10, 0.3f);
  architecture(1, "b_grow", 20, {{0, "a"}, {1, "b"}});
  EXPECT_EQ(find().name, "t1_b_grow_mean");
  // The selected ensemble has the same candidate name as that of iteration 0,
  // but two members; then iteration 0's ensemble is selected again.
  architecture(1, "a_grow", 20, {{0, "a"}, {1, "a"}});
  EXPECT_EQ(find().name, "t1_a_grow_mean");
  architecture(1, "a_grow", 20, {{0, "a"}});
  EXPECT_EQ(find().name, "t0_a_grow_mean");
  // The architecture is of another step than the checkpoint, so it selects
  // nothing (AN-113).
  architecture(1, "b_grow", 30, {{0, "a"}, {1, "b"}});
  EXPECT_EQ(find().name, "t1_a_grow_mean");
}

TEST_F(BestEnsembleTest, DamagedFileOfTheIterationBeforeIsAnError) {
  ensemble(1, "t1_a_grow_mean", 10, 0.4f);
  EXPECT_EQ(find().name, "t1_a_grow_mean");
  auto reader = CheckpointReader::open(files, "run/model.ckpt-20");
  ASSERT_TRUE(reader) << reader.status().message();
  ASSERT_TRUE(writeSmallFile(files, "run", "architecture-0.json", "{").isOk());
  auto best = findBestEnsemble(files, "run", **reader);
  ASSERT_FALSE(best);
  EXPECT_EQ(best.status().code(), StatusCode::DataLoss);
  EXPECT_NE(best.status().message().find("run/architecture-0.json"),
            std::string::npos)
      << best.status().message();
}

TEST_F(BestEnsembleTest, PrunedEnsembleIsTheOneInTheCheckpoint) {
  architecture(1, "pruned", 20, {{0, "a"}});
  EXPECT_EQ(find().name, "t0_a_grow_mean") << "an interrupted prune";
  ensemble(0, "t0_pruned_mean", 10, 0.9f);
  EXPECT_EQ(find().name, "t0_pruned_mean");
}

TEST_F(BestEnsembleTest, PreviousEnsembleIsTheOneThatWasSelected) {
  // Two ensembles of iteration 0 are in the checkpoint, as they are after
  // `ingot-adanet prune`.
  ensemble(0, "t0_pruned_mean", 10, 0.6f);
  ensemble(1, "t1_a_grow_mean", 10, 0.7f);
  EXPECT_EQ(find().name, "t0_a_grow_mean");
  architecture(0, "pruned", 10, {{0, "a"}});
  EXPECT_EQ(find().name, "t0_pruned_mean");
}

} // namespace
