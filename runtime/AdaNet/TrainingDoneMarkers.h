//===- TrainingDoneMarkers.h - What is no longer trained --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The files of AdaNet's train manager: one for each member or ensemble that is
// no longer trained, with the reason. The file of member or ensemble NAME in
// iteration T is train_manager/tT/NAME.json.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_TRAININGDONEMARKERS_H
#define INGOT_RUNTIME_ADANET_TRAININGDONEMARKERS_H

#include "runtime/Support/FileSystem.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ingot::adanet {

/// The marker files of one iteration. Each file says that one spec, which is a
/// member or an ensemble, is no longer trained.
class TrainingDoneMarkers {
public:
  TrainingDoneMarkers(FileSystem &fileSystem, const std::string &modelDirectory,
                      int64_t iteration)
      : fileSystem(fileSystem), directory(modelDirectory + "/train_manager/t" +
                                          std::to_string(iteration)) {}

  /// The contents of a marker file: why the spec is no longer trained, and
  /// after how many steps.
  struct TrainingDoneMarker {
    std::string message;
    /// The number of steps that the message states, or std::nullopt if it
    /// states none.
    std::optional<int64_t> steps;

    /// Returns true if the marker holds for a spec that has made `made` steps.
    /// A marker that states more steps is left over from a longer run: the
    /// model directory was later set back to an earlier checkpoint (AN-113).
    bool holdsAfter(int64_t made) const { return !steps || *steps <= made; }
  };

  /// Reads the marker of the member or ensemble `spec`. Returns std::nullopt if
  /// there is no marker, and DataLoss, naming file and offset, if it is
  /// damaged.
  Expected<std::optional<TrainingDoneMarker>>
  read(const std::string &spec) const;

  /// Returns the names of the members and ensembles that have markers; an empty
  /// vector if the folder of the markers cannot be read.
  std::vector<std::string> list() const;

  /// Writes the marker of `spec` unless it exists already.
  Status add(const std::string &spec, const std::string &message) const;
  /// Returns the marker's message for a member or ensemble that made all its
  /// steps: "Training complete after 100 steps."
  static std::string complete(int64_t steps);
  /// Returns the marker's message for a member or ensemble that stops early but
  /// can still be selected: "Training stopped after 60 steps: WHY".
  static std::string stopped(int64_t steps, const std::string &why);
  /// Returns the marker's message for a member or ensemble that stops early and
  /// must not be selected: "Dropped after 60 steps: WHY".
  static std::string dropped(int64_t steps, const std::string &why);
  static bool isDropped(std::string_view message);
  /// Returns the marker's message for a member or ensemble whose input has
  /// ended: "Training stopped after 60 steps: the input has ended".
  static std::string inputEnded(int64_t steps);
  static bool isInputEnd(std::string_view message);
  /// Returns true if a marker's `message` says that the member or ensemble made
  /// all its steps, or was trained already by an earlier iteration.
  static bool isComplete(std::string_view message);
  /// Returns the marker's message for an ensemble that an earlier iteration
  /// trained.
  static std::string alreadyComplete() { return "Training already complete."; }

  /// Removes the marker of `spec`, for instance after the search was set back
  /// to an older checkpoint.
  Status remove(const std::string &spec) const;

  std::string path(const std::string &spec) const {
    return directory + "/" + spec + ".json";
  }

private:
  FileSystem &fileSystem;
  std::string directory;
};

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_TRAININGDONEMARKERS_H
