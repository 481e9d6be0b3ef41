//===- TrainingDoneMarkers.cpp - Files that say what is no longer trained -===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/TrainingDoneMarkers.h"

#include "runtime/AdaNet/JsonFile.h"
#include "runtime/Support/Json.h"

#include <charconv>

using namespace ingot;
using namespace ingot::adanet;

static constexpr std::string_view trained = "Training complete",
                                  ended = "Training stopped", left = "Dropped",
                                  after = " after ";

static std::string sayAfter(std::string_view what, int64_t steps,
                            const std::string &rest) {
  return std::string(what) + std::string(after) + std::to_string(steps) +
         " steps" + rest;
}

std::string TrainingDoneMarkers::complete(int64_t steps) {
  return sayAfter(trained, steps, ".");
}

std::string TrainingDoneMarkers::stopped(int64_t steps,
                                         const std::string &why) {
  return sayAfter(ended, steps, ": " + why);
}

std::string TrainingDoneMarkers::dropped(int64_t steps,
                                         const std::string &why) {
  return sayAfter(left, steps, ": " + why);
}

bool TrainingDoneMarkers::isDropped(std::string_view message) {
  return message.starts_with(std::string(left) + std::string(after));
}

bool TrainingDoneMarkers::isComplete(std::string_view message) {
  return message == alreadyComplete() ||
         message.starts_with(std::string(trained) + std::string(after));
}

static constexpr std::string_view noInput = "the input has ended";

std::string TrainingDoneMarkers::inputEnded(int64_t steps) {
  return stopped(steps, std::string(noInput));
}

bool TrainingDoneMarkers::isInputEnd(std::string_view message) {
  return message.starts_with(ended) && message.ends_with(noInput);
}

/// Parses the number of steps from a marker's message that sayAfter() made,
/// such as "Training complete after 100 steps."; returns std::nullopt for other
/// messages.
static std::optional<int64_t> stepsOf(std::string_view message) {
  for (std::string_view what : {trained, ended, left}) {
    if (!message.starts_with(std::string(what) + std::string(after)))
      continue;
    message.remove_prefix(what.size() + after.size());
    int64_t steps = 0;
    auto [end, error] =
        std::from_chars(message.data(), message.data() + message.size(), steps);
    std::string_view rest(end, message.data() + message.size());
    if (error == std::errc() &&
        (rest == " steps." || rest.starts_with(" steps: ")))
      return steps;
    return std::nullopt;
  }
  return std::nullopt;
}

Expected<std::optional<TrainingDoneMarkers::TrainingDoneMarker>>
TrainingDoneMarkers::read(const std::string &spec) const {
  if (fileSystem.kindOf(path(spec)) == FileKind::None)
    return std::optional<TrainingDoneMarker>();
  INGOT_ASSIGN_OR_RETURN(auto object, readJsonFile(fileSystem, path(spec)));
  auto message = object.find("message");
  if (message == object.end() || !message->is_string())
    return damagedJson(path(spec), 0, "'message' is missing");
  TrainingDoneMarker marker;
  marker.message = message->get<std::string>();
  marker.steps = stepsOf(marker.message);
  return std::optional<TrainingDoneMarker>(std::move(marker));
}

std::vector<std::string> TrainingDoneMarkers::list() const {
  constexpr std::string_view suffix = ".json";
  std::vector<std::string> specs;
  if (auto names = fileSystem.list(directory))
    for (const std::string &name : *names)
      if (name.ends_with(suffix))
        specs.push_back(name.substr(0, name.size() - suffix.size()));
  return specs;
}

Status TrainingDoneMarkers::add(const std::string &spec,
                                const std::string &message) const {
  if (fileSystem.kindOf(path(spec)) != FileKind::None)
    return Status::ok();
  std::string text = "{\"message\": ";
  appendJsonString(text, message);
  return writeSmallFile(fileSystem, directory, spec + ".json", text + "}");
}

Status TrainingDoneMarkers::remove(const std::string &spec) const {
  if (fileSystem.kindOf(path(spec)) != FileKind::Regular)
    return Status::ok();
  return fileSystem.remove(path(spec));
}
