//===- SummariesHook.h - Curves of members and candidates -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// AN-052, 201: fetches of the step with names of the form
//
// FOLDER/TAG
//
// go to the event file of a folder: a scalar as a point of a curve, any other
// tensor as a histogram. FOLDER is `subnetwork/NAME`, `ensemble/NAME` or, for
// the model directory itself, `.`; TAG is the name in TensorBoard, and may
// contain slashes. Names of a graph's tensors, which end in `:0`, do not have
// this form.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_SUMMARIESHOOK_H
#define INGOT_RUNTIME_ADANET_SUMMARIESHOOK_H

#include "runtime/Hooks/StepTimer.h"
#include "runtime/Session/SessionRunHook.h"
#include "runtime/Summary/EventWriter.h"

#include <map>
#include <optional>
#include <string_view>

namespace ingot::adanet {

/// A fetch's name taken apart.
struct SummaryName {
  std::string folder; // "subnetwork/t1_linear"; "" for the model directory
  std::string tag;    // "iteration_step/adanet/iteration_step"
};

/// Nothing for fetches that are no summaries.
std::optional<SummaryName> parseSummaryName(std::string_view fetch);

/// Writes the summaries of the first step and of later ones as its timer says,
/// at the global step before, as AdaNet does.
class SummariesHook final : public SessionRunHook {
public:
  /// `events` gives the model directory's event file once there is a session.
  SummariesHook(FileSystem &fileSystem, std::string modelDirectory,
                std::function<double()> clock, StepTimer timer,
                std::function<EventWriter *()> events, const ingot_entry &step);

  /// Whether the step has summaries at all.
  bool isNeeded() const { return !summaries.empty(); }

  const char *name() const override { return "AdaNetSummaries"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status afterCreateSession(RunContext &context) override;
  Status beforeRun(RunContext &context, RunRequest &request) override;
  Status afterRun(RunContext &context, const RunValues &values) override;

private:
  struct Points {
    std::vector<ScalarSummary> scalars;
    std::vector<SummaryValue> values;
  };
  std::string pathOf(const std::string &folder) const {
    return modelDirectory + "/" + folder;
  }
  Expected<EventWriter *> writerOf(const std::string &folder, int64_t step);

  FileSystem &fileSystem;
  std::string modelDirectory;
  std::function<double()> clock;
  StepTimer timer;
  std::function<EventWriter *()> events;
  /// The summaries, by the number of the fetch with their value.
  std::map<size_t, SummaryName> summaries;
  std::map<std::string, std::unique_ptr<EventWriter>> writers;
  /// The global step before the step that runs; -1: nothing is due.
  int64_t dueAt = -1;
};

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_SUMMARIESHOOK_H
