//===- TrainerMainTest.cpp - Verbs, help and exit codes -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/runtime/Session/TrainerProcess.h"

#include "runtime/ABI/Program.h"
#include "runtime/CommandLine/TrainerMain.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>

using namespace ingot::test;

namespace {

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(TrainerMainTest, UnknownFlagIsUsageErrorWithHint) {
  ProcessResult result = runTrainer({"train", "--max-step", "3"});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_EQ(result.err, "error: unknown flag '--max-step'\n"
                        "note: did you mean '--max-steps'?\n");
  EXPECT_EQ(result.out, "");
}

// The flags of searches exist only if the program's tables point to the
// extension for searches.
TEST(TrainerMainTest, ProgramWithoutExtensionHasNoFlagsOfSearches) {
  for (const char *verb : {"train", "train-and-evaluate", "evaluate"}) {
    ProcessResult result = runTrainer({verb, "--help"});
    EXPECT_EQ(result.exitCode, 0);
    EXPECT_FALSE(contains(result.out, "AdaNet")) << result.out;
    EXPECT_FALSE(contains(result.out, "--force-grow")) << result.out;
  }
  ProcessResult result = runTrainer({"train", "--force-grow"});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_TRUE(contains(result.err, "unknown flag '--force-grow'"))
      << result.err;
}

TEST(TrainerMainTest, UnknownVerbIsUsageErrorWithHint) {
  ProcessResult result = runTrainer({"trian", "--max-steps", "3"});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_EQ(result.err, "error: unknown verb 'trian'\n"
                        "note: did you mean 'train'?\n");
}

TEST(TrainerMainTest, EveryVerbHasAHelpWithAnExample) {
  for (const char *verb : {"train", "run", "info"}) {
    ProcessResult result = runTrainer({verb, "--help"});
    EXPECT_EQ(result.exitCode, 0);
    EXPECT_TRUE(contains(result.out, "usage: trainer " + std::string(verb)))
        << result.out;
    EXPECT_TRUE(contains(result.out, "example: trainer " + std::string(verb)));
    EXPECT_EQ(result.err, "");
  }
  EXPECT_EQ(runTrainer({"--help"}).exitCode, 0);
}

TEST(TrainerMainTest, VersionNamesRuntimeAndCompiler) {
  ProcessResult result = runTrainer({"--version"});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_TRUE(contains(result.out,
                       "artifact format " + std::to_string(INGOT_ABI_VERSION)));
  EXPECT_TRUE(contains(result.out, "compiled by by hand"));
}

TEST(TrainerMainTest, OtherAbiVersionIsAnError) {
  ingot_program program;
  std::memset(&program, 0xab, sizeof(program));
  program.magic = INGOT_PROGRAM_MAGIC;
  program.abi_version = 99;
  char name[] = "trainer", flag[] = "--version";
  char *argv[] = {name, flag, nullptr};
  testing::internal::CaptureStderr();
  int code = ingot::trainerMain(2, argv, program);
  std::string err = testing::internal::GetCapturedStderr();
  EXPECT_EQ(code, 1);
  EXPECT_TRUE(contains(err, "error: the program was compiled for ABI version "
                            "99"))
      << err;
}

TEST(TrainerMainTest, InfoListsTheProgram) {
  ProcessResult result = runTrainer({"info"});
  EXPECT_EQ(result.exitCode, 0);
  for (const char *part : {"counter.meta", "global_step", "int64[]",
                           "loss:0 float32[]", "IteratorV2", "mix_into_v"})
    EXPECT_TRUE(contains(result.out, part)) << part << "\n" << result.out;
}

TEST(TrainerMainTest, InfoListsKernels) {
  ProcessResult result = runTrainer({"info", "--kernels"});
  EXPECT_EQ(result.exitCode, 0);
  for (const char *part :
       {" kernels, for ", "  mix_into_v\n", " iteration", "FLOP"})
    EXPECT_TRUE(contains(result.out, part)) << part << "\n" << result.out;
}

TEST(TrainerMainTest, InfoAsJsonIsOneObject) {
  ProcessResult result = runTrainer({"info", "--json"});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_TRUE(result.out.starts_with("{\"source\":\"counter.meta\","))
      << result.out;
  EXPECT_TRUE(contains(
      result.out, "{\"name\":\"v/part_0\",\"dtype\":\"float32\",\"shape\":[2],"
                  "\"bytes\":8,\"trainable\":true,\"local\":false,"
                  "\"device\":\"\"}"))
      << result.out;
}

} // namespace
