//===- SpecWatchTest.cpp - Members that diverge, or learn no more ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "SearchRuns.h"

#include "runtime/AdaNet/Candidates.h"
#include "runtime/AdaNet/EnsembleArchitecture.h"
#include "runtime/Session/Program.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::adanet;
using namespace ingot::test;

namespace {

class SpecWatchTest : public testing::Test {
protected:
  SpecWatchTest() : files(searchFolders) {}
  ~SpecWatchTest() override { divergeAt("", 0); }

  std::string marker(const std::string &spec) {
    std::string text = files.get("run/train_manager/t0/" + spec + ".json");
    constexpr std::string_view before = "{\"message\": \"";
    return text.empty()
               ? text
               : text.substr(before.size(), text.size() - before.size() - 2);
  }
  FaultFileSystem files;
};

TEST_F(SpecWatchTest, LateDivergenceDropsWithLastAverage) {
  // Member "b" diverges at its fifth step; the average that its ensemble had
  // before is stated (AN-138, AN-243).
  divergeAt("t0_b", 5);
  ASSERT_EQ(train(files, 0, {"--drop-nan"}), 0);
  EXPECT_EQ(marker("t0_b"), "Dropped after 5 steps: its loss is nan");
  std::string ensemble = marker("t0_b_grow_mean");
  EXPECT_TRUE(ensemble.starts_with("Dropped after 5 steps: its member 't0_b' "
                                   "is dropped, its last average was 10."))
      << ensemble;
  EXPECT_EQ(marker("t0_a"), "Training complete after 10 steps.");
  auto candidates = readCandidates(files, "run", 0);
  ASSERT_TRUE(candidates) << candidates.status().message();
  EXPECT_EQ(candidates->selected, 0u);
  ASSERT_EQ(candidates->values.size(), 2u);
  EXPECT_TRUE(std::isfinite(candidates->values[0].average));
  EXPECT_TRUE(std::isnan(candidates->values[1].average));
  EXPECT_EQ(candidates->values[1].steps, 5);
  EXPECT_EQ(candidates->values[1].dropped, ensemble);
  // The global step is the mean of ten and five steps, rounded down (AN-037).
  EXPECT_EQ(readArchitecture(files, "run", 0)->globalStep, 7);
}

TEST_F(SpecWatchTest, DivergedBestIsDropped) {
  // In AdaNet's graphs a candidate whose average is NaN would be selected
  // (AN-135).
  divergeAt("t0_a", 9);
  ASSERT_EQ(train(files, 0, {"--drop-nan"}), 0);
  auto selected = readArchitecture(files, "run", 0);
  ASSERT_TRUE(selected);
  EXPECT_EQ(selected->ensembleName(), "t0_b_grow_mean");
}

TEST_F(SpecWatchTest, StateOfADroppedMemberStaysWithoutAPartialStep) {
  // The step then changes what "b" has, and the trainer puts it back: here its
  // step counter and the lookup table (AN-040).
  ingot_program program = searchProgram(0);
  std::vector<ingot_entry> entries(program.entries,
                                   program.entries + program.num_entries);
  for (ingot_entry &entry : entries)
    if (entry.role == INGOT_ROLE_PARTIAL_STEP)
      entry.role = INGOT_ROLE_OTHER, entry.of = -1;
  uint32_t step = 0, table = 0;
  while (program.variables[step].spec.name !=
         std::string("adanet/iteration_0/subnetwork_t0_b/step"))
    ++step;
  entries.push_back(entries.front());
  ingot_entry &state = entries.back();
  state.name = "state";
  state.role = INGOT_ROLE_MEMBER_STATE;
  state.of = static_cast<int32_t>(findEntry(program, INGOT_ROLE_STEP) -
                                  program.entries);
  state.member = "t0_b";
  state.num_assigned = state.num_changed_tables = 1;
  state.assigned = &step;
  state.changed_tables = &table;
  program.num_entries = static_cast<uint32_t>(entries.size());
  program.entries = entries.data();
  divergeAt("t0_b", 3);
  (void)takeDrawnElements();
  ASSERT_EQ(train(files, program, {"--drop-nan"}), 0);
  std::vector<int64_t> drawn = takeDrawnElements();
  ASSERT_EQ(drawn.size(), 10u);
  // The global step is the mean of 10 and 3 steps.
  const std::string prefix = "run/model.ckpt-6";
  EXPECT_EQ(numbersIn(files, prefix, "adanet/iteration_0/subnetwork_t0_b/step"),
            std::vector<int64_t>({3}));
  EXPECT_EQ(numbersIn(files, prefix, "seen-keys"),
            std::vector<int64_t>(drawn.begin(), drawn.begin() + 3));
  EXPECT_EQ(numbersIn(files, prefix, "seen-values"),
            std::vector<int64_t>({1, 2, 3}));
}

TEST_F(SpecWatchTest, KillsDoNotChangeWhatIsDropped) {
  // After a kill, the state in the checkpoint suffices to drop the same member
  // (AN-247).
  divergeAt("t0_b", 3);
  FaultFileSystem whole(searchFolders);
  ASSERT_EQ(train(whole, 0, {"--drop-nan", "--patience", "4"}), 0);
  auto expected = contents(whole);
  for (size_t call = 0;; call += 3) {
    FaultFileSystem killed(searchFolders);
    killed.crashAtCall(call);
    (void)train(killed, 0, {"--drop-nan", "--patience", "4"});
    bool wentDown = killed.isDown();
    killed.restart(Crash::DropsUnsynced);
    ASSERT_EQ(train(killed, 0, {"--drop-nan", "--patience", "4"}), 0) << call;
    auto found = contents(killed);
    for (const auto &[path, bytes] : expected)
      if (!path.starts_with("run/model.ckpt-") && path != "run/checkpoint")
        ASSERT_EQ(found[path], bytes) << call << ": " << path;
    if (!wentDown)
      break;
  }
}

} // namespace
