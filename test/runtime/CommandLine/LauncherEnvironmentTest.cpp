//===- LauncherEnvironmentTest.cpp - What started this process ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/LauncherEnvironment.h"

#include <gtest/gtest.h>
#include <map>

using namespace ingot;

namespace {

LauncherEnvironment
launcherOf(const std::map<std::string, std::string> &variables) {
  return readLauncher([&](const char *name) -> const char * {
    auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

/// Three ranks that fit.
std::vector<RankConfiguration> threeRanks() {
  std::vector<RankConfiguration> ranks;
  for (const char *host : {"a", "b", "c"})
    ranks.push_back({host, "abc/def", "x86-64-v3", "--max-steps 10\n", 0});
  return ranks;
}

} // namespace

TEST(LauncherEnvironmentTest, a_process_alone_has_no_launcher) {
  EXPECT_FALSE(launcherOf({}).isThere());
  EXPECT_EQ(launcherOf({}).size, 1);
  // A batch job of one task, which srun has not started.
  EXPECT_FALSE(
      launcherOf({{"SLURM_NTASKS", "1"}, {"SLURM_PROCID", "0"}}).isThere());
}

TEST(LauncherEnvironmentTest, each_launcher_has_its_variables) {
  LauncherEnvironment open = launcherOf(
      {{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "2"}});
  EXPECT_EQ(open.variable, "OMPI_COMM_WORLD_SIZE");
  EXPECT_EQ(open.size, 4);
  EXPECT_EQ(open.rank, 2);
  LauncherEnvironment mpich =
      launcherOf({{"PMI_SIZE", "3"}, {"PMI_RANK", "1"}});
  EXPECT_EQ(mpich.variable, "PMI_SIZE");
  EXPECT_EQ(mpich.size, 3);
  EXPECT_EQ(mpich.rank, 1);
  LauncherEnvironment slurm =
      launcherOf({{"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "5"}});
  EXPECT_EQ(slurm.variable, "SLURM_NTASKS");
  EXPECT_EQ(slurm.size, 8);
  EXPECT_EQ(slurm.rank, 5);
  // mpirun -n 1 has an engine to ask.
  EXPECT_TRUE(launcherOf({{"PMI_SIZE", "1"}}).isThere());
}

TEST(LauncherEnvironmentTest, a_launcher_within_a_job_counts) {
  // mpirun -n 2 in a batch job of eight tasks, and srun -n 1 in one.
  EXPECT_EQ(
      launcherOf({{"SLURM_NTASKS", "8"}, {"OMPI_COMM_WORLD_SIZE", "2"}}).size,
      2);
  LauncherEnvironment one =
      launcherOf({{"SLURM_NTASKS", "8"}, {"SLURM_STEP_NUM_TASKS", "1"}});
  EXPECT_EQ(one.size, 1);
  EXPECT_FALSE(one.isThere());
}

TEST(LauncherEnvironmentTest, a_jobs_script_is_a_process_alone) {
  std::map<std::string, std::string> script = {
      {"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}};
  EXPECT_EQ(launcherOf(script).size, 1);
  EXPECT_FALSE(launcherOf(script).isThere());
  script["SLURM_STEP_ID"] = "0";
  EXPECT_EQ(launcherOf(script).size, 8);
  // mpirun in it has its own variables.
  EXPECT_EQ(launcherOf({{"SLURM_JOB_ID", "7"}, {"PMI_SIZE", "8"}}).size, 8);
}

TEST(LauncherEnvironmentTest, pmix_alone_is_a_launcher) {
  LauncherEnvironment launcher = launcherOf({{"PMIX_RANK", "3"}});
  EXPECT_TRUE(launcher.isThere());
  EXPECT_EQ(launcher.rank, 3);
}

TEST(LauncherEnvironmentTest, equal_ranks_train_together) {
  EXPECT_TRUE(compareRanks(threeRanks()).isOk());
  auto ranks = threeRanks();
  ranks[1].target = "x86-64-v4"; // the same bits as v3's
  ranks[2].tasks = 3;
  EXPECT_TRUE(compareRanks(ranks).isOk());
}

TEST(LauncherEnvironmentTest, other_ranks_are_named) {
  auto differs = [](auto change) {
    auto ranks = threeRanks();
    change(ranks[2]);
    return compareRanks(ranks).message();
  };
  EXPECT_EQ(
      differs([](RankConfiguration &rank) { rank.build = "fed"; }),
      "rank 2 (c) runs another artifact than rank 0 (a), build fed instead of "
      "abc/def: start the same file on every host");
  EXPECT_EQ(differs([](RankConfiguration &rank) { rank.target = "x86-64-v2"; }),
            "rank 2 (c) runs the code for x86-64-v2, rank 0 (a) that for "
            "x86-64-v3, and these differ in their last bits: leave the older "
            "machine out, or compile with --cpu=x86-64-v2");
  EXPECT_EQ(
      differs([](RankConfiguration &rank) { rank.flags += "--seed 1\n"; }),
      "rank 2 (c) has '--seed 1', unlike rank 0 (a): give all ranks the "
      "same flags");
  EXPECT_EQ(differs([](RankConfiguration &rank) { rank.flags = ""; }),
            "rank 2 (c) lacks '--max-steps 10', unlike rank 0 (a): give all "
            "ranks the same flags");
  EXPECT_EQ(differs([](RankConfiguration &rank) { rank.tasks = 4; }),
            "rank 2 (c): TF_CONFIG has 4 chief and worker tasks, but the "
            "launcher has started 3 ranks");
}
