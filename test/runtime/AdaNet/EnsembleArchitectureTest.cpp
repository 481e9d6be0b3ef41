//===- EnsembleArchitectureTest.cpp - AdaNet's small files ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/EnsembleSelection.h"
#include "runtime/AdaNet/TrainingDoneMarkers.h"

#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::adanet;
using namespace ingot::test;

namespace {

// An architecture file as AdaNet wrote it (AN-090; AN-nnn are the numbers of
// test/structure/adanet_facts.md).
const std::string second =
    R"({"ensemble_candidate_name": "2_layer_dnn_grow", "ensembler_name": "complexity_regularized", "global_step": 200, "iteration_number": 1, "replay_indices": [1, 2], "subnetworks": [{"builder_name": "1_layer_dnn", "iteration_number": 0}, {"builder_name": "2_layer_dnn", "iteration_number": 1}]})";

TEST(EnsembleArchitectureTest, RewritesAdaNetsFilesByteForByte) {
  FaultFileSystem files({".", "run"});
  files.put("run/architecture-1.json", second);
  auto read = readArchitecture(files, "run", 1);
  ASSERT_TRUE(read) << read.status().message();
  EXPECT_EQ(read->ensembleName(), "t1_2_layer_dnn_grow_complexity_regularized");
  EXPECT_EQ(read->members[1].name(), "t1_2_layer_dnn");
  ASSERT_TRUE(files.createDirectories("copy").isOk());
  ASSERT_TRUE(writeArchitecture(files, "copy", *read).isOk());
  EXPECT_EQ(files.get("copy/architecture-1.json"), second);
}

TEST(EnsembleArchitectureTest, CrashLeavesWholeFileOrNone) {
  EnsembleArchitecture architecture;
  {
    FaultFileSystem files({".", "run"});
    files.put("run/architecture-1.json", second);
    architecture = *readArchitecture(files, "run", 1);
  }
  // Unlike AdaNet, which overwrites the file in place, a crash must leave the
  // whole file or none (AN-098).
  for (Crash crash :
       {Crash::KeepsAll, Crash::DropsUnsynced, Crash::Tears, Crash::Reorders})
    for (size_t call = 0;; ++call) {
      FaultFileSystem files({".", "run"});
      files.crashAtCall(call);
      bool written = writeArchitecture(files, "run", architecture).isOk();
      files.restart(crash, static_cast<uint32_t>(call));
      std::string found = files.get("run/architecture-1.json");
      if (written) {
        EXPECT_EQ(found, second);
        break;
      }
      EXPECT_TRUE(found.empty() || found == second) << found;
      // After the restart, writing the file succeeds (AN-250).
      ASSERT_TRUE(writeArchitecture(files, "run", architecture).isOk());
      EXPECT_EQ(files.get("run/architecture-1.json"), second);
    }
}

TEST(EnsembleArchitectureTest, GapIsReported) {
  FaultFileSystem files({".", "run"});
  files.put("run/architecture-1.json", second);
  // Every earlier iteration must have its file (AN-031, AN-097).
  auto all = readArchitectures(files, "run", 2);
  ASSERT_FALSE(all);
  EXPECT_EQ(all.status().code(), StatusCode::NotFound);
  EXPECT_NE(all.status().message().find("'run/architecture-0.json'"),
            std::string::npos);
  EXPECT_EQ(countArchitectures(files, "run").status().code(),
            StatusCode::NotFound);
  files.put("run/architecture-99999999999999999999.json", "{}");
  files.put("run/architecture-.json", "{}");
  files.put("run/architecture-0.json", second);
  EXPECT_EQ(*countArchitectures(files, "run"), 2);
}

TEST(EnsembleArchitectureTest, TruncationIsReportedWithOffset) {
  for (size_t size = 0; size < second.size(); ++size) {
    FaultFileSystem files({".", "run"});
    files.put("run/architecture-1.json", second.substr(0, size));
    auto read = readArchitecture(files, "run", 1);
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.status().code(), StatusCode::DataLoss);
    EXPECT_NE(
        read.status().message().find("'run/architecture-1.json', offset "),
        std::string::npos)
        << read.status().message();
  }
}

TEST(TrainingDoneMarkersTest, FirstReasonIsKept) {
  FaultFileSystem files({".", "run"});
  TrainingDoneMarkers markers(files, "run", 3);
  EXPECT_FALSE(*markers.read("t3_linear"));
  ASSERT_TRUE(
      markers.add("t3_linear", TrainingDoneMarkers::complete(20)).isOk());
  // The marker's text is the one that adanet 0.9.0 writes (AN-109, AN-111).
  EXPECT_EQ(files.get("run/train_manager/t3/t3_linear.json"),
            R"({"message": "Training complete after 20 steps."})");
  ASSERT_TRUE(
      markers.add("t3_linear", TrainingDoneMarkers::alreadyComplete()).isOk());
  auto marker = markers.read("t3_linear");
  ASSERT_TRUE(marker && *marker);
  EXPECT_EQ((*marker)->steps, 20);
  files.put(
      "run/train_manager/t3/t3_other.json",
      R"({"message": "Training complete after 99999999999999999999 steps."})");
  marker = markers.read("t3_other");
  ASSERT_TRUE(marker && *marker);
  EXPECT_FALSE((*marker)->steps);
  ASSERT_TRUE(markers.remove("t3_linear").isOk());
  EXPECT_FALSE(*markers.read("t3_linear"));
}

TEST(TrainingDoneMarkersTest, EveryReasonHasItsStep) {
  // Each reason states its step, by which a marker is recognized as one that a
  // later checkpoint left (AN-113).
  FaultFileSystem files({".", "run"});
  TrainingDoneMarkers markers(files, "run", 0);
  const std::string reasons[] = {
      TrainingDoneMarkers::complete(7),
      TrainingDoneMarkers::stopped(7, "its time is up"),
      TrainingDoneMarkers::dropped(7, "its loss is nan"),
      TrainingDoneMarkers::inputEnded(7)};
  for (size_t i = 0; i < std::size(reasons); ++i) {
    std::string name = "t0_" + std::to_string(i);
    ASSERT_TRUE(markers.add(name, reasons[i]).isOk());
    auto marker = markers.read(name);
    ASSERT_TRUE(marker && *marker);
    EXPECT_EQ((*marker)->message, reasons[i]);
    EXPECT_EQ((*marker)->steps, 7) << reasons[i];
    EXPECT_EQ(TrainingDoneMarkers::isDropped(reasons[i]), i == 2);
    EXPECT_EQ(TrainingDoneMarkers::isInputEnd(reasons[i]), i == 3);
  }
  for (const char *other :
       {"Stop requested.", "Training complete after 5 years.",
        "Dropped after x steps: y", "Training already complete."}) {
    files.put("run/train_manager/t0/t0_other.json",
              std::string(R"({"message": ")") + other + "\"}");
    EXPECT_FALSE((*markers.read("t0_other"))->steps) << other;
  }
}

} // namespace
