//===- AdaNetSummariesHook.h - Curves of candidates -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Writes the fetches of the step that are named FOLDER/TAG to the event file of
// that folder (AN-052, 201): scalars as points of a curve, other tensors as
// histograms. FOLDER is `subnetwork/NAME`, `ensemble/NAME` or, for the model
// directory itself, `.`; TAG is the name in TensorBoard, and may contain
// slashes. Fetches whose names end in `:0` are the graph's own tensors and not
// summaries.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_ADANETSUMMARIESHOOK_H
#define INGOT_RUNTIME_ADANET_ADANETSUMMARIESHOOK_H

#include "runtime/Hooks/SecondOrStepTimer.h"
#include "runtime/Session/SessionRunHook.h"
#include "runtime/Summary/EventWriter.h"

#include <map>
#include <optional>
#include <string_view>

namespace ingot::adanet {

/// A fetch with a summary is named FOLDER/TAG: the folder of the event file,
/// and the summary's tag in that file.
struct SummaryName {
  std::string folder; // "subnetwork/t1_linear"; "" for the model directory
  std::string tag;    // "iteration_step/adanet/iteration_step"
};

/// Splits the name of a fetch; returns std::nullopt if the fetch is not a
/// summary.
std::optional<SummaryName> parseSummaryName(std::string_view fetch);

/// Writes the summaries of the first step, and of later steps when `timer` is
/// due. As in AdaNet, a point's step is the global step before the training
/// step.
class AdaNetSummariesHook final : public SessionRunHook {
public:
  /// `events` returns the event writer of the model directory; it is called
  /// only after a session was created.
  AdaNetSummariesHook(FileSystem &fileSystem, std::string modelDirectory,
                      std::function<double()> clock, SecondOrStepTimer timer,
                      std::function<EventWriter *()> events,
                      const ingot_entry &step);

  /// Leaves out the summaries of folders whose names begin with `prefix`.
  void leaveOut(std::string_view prefix);
  /// Returns true if the step fetches any summary.
  bool isNeeded() const { return !summaries.empty(); }

  const char *name() const override { return "AdaNetSummaries"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status afterCreateSession(SessionRunContext &context) override;
  Status beforeRun(SessionRunContext &context,
                   SessionRunArgs &request) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;

private:
  /// The summaries of one step that go to the event file of one folder.
  struct EventFileSummaries {
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
  SecondOrStepTimer timer;
  std::function<EventWriter *()> events;
  /// The names of the summaries, keyed by the index of their fetch.
  std::map<size_t, SummaryName> summaries;
  std::map<std::string, std::unique_ptr<EventWriter>> writers;
  /// If the current step writes summaries, the global step before it. Otherwise
  /// -1.
  int64_t dueAt = -1;
};

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_ADANETSUMMARIESHOOK_H
