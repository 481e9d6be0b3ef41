//===- DoneMarkers.h - train_manager/t<t>/<spec>.json -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// AdaNet's train manager: a file for each member and ensemble that is not to be
// trained further, with the reason in it.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_DONEMARKERS_H
#define INGOT_RUNTIME_ADANET_DONEMARKERS_H

#include "runtime/Support/FileSystem.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ingot::adanet {

/// The markers of one iteration.
class DoneMarkers {
public:
  DoneMarkers(FileSystem &fileSystem, const std::string &modelDirectory,
              int64_t iteration)
      : fileSystem(fileSystem), directory(modelDirectory + "/train_manager/t" +
                                          std::to_string(iteration)) {}

  struct Marker {
    std::string message;
    /// After how many steps; absent where it does not say so.
    std::optional<int64_t> steps;
  };

  /// The marker of `spec`; nothing if it does not exist. DataLoss, naming file
  /// and offset, where it is damaged.
  Expected<std::optional<Marker>> read(const std::string &spec) const;

  /// The specs that have markers; none if the folder cannot be read.
  std::vector<std::string> list() const;

  /// Writes the marker of `spec` unless it exists.
  Status add(const std::string &spec, const std::string &message) const;
  /// "Training complete after 100 steps."
  static std::string complete(int64_t steps);
  /// "Training stopped after 60 steps: WHY": the others go on.
  static std::string stopped(int64_t steps, const std::string &why);
  /// "Dropped after 60 steps: WHY": nor is it selected.
  static std::string dropped(int64_t steps, const std::string &why);
  static bool isDropped(std::string_view message);
  /// "Training stopped after 60 steps: the input has ended".
  static std::string inputEnded(int64_t steps);
  static bool isInputEnd(std::string_view message);
  /// Whether the spec has made all its steps, or had nothing to make.
  static bool isComplete(std::string_view message);
  /// The marker of specs that earlier iterations have trained.
  static std::string alreadyComplete() { return "Training already complete."; }

  /// Removes an outdated marker.
  Status remove(const std::string &spec) const;

  std::string path(const std::string &spec) const {
    return directory + "/" + spec + ".json";
  }

private:
  FileSystem &fileSystem;
  std::string directory;
};

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_DONEMARKERS_H
