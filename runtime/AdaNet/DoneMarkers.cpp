//===- DoneMarkers.cpp - train_manager/t<t>/<spec>.json -------------------===//

#include "runtime/AdaNet/DoneMarkers.h"

#include "runtime/AdaNet/JsonFile.h"
#include "runtime/Support/Json.h"

#include <charconv>

using namespace ingot;
using namespace ingot::adanet;

static constexpr std::string_view before = "Training complete after ",
                                  behind = " steps.";

std::string DoneMarkers::complete(int64_t steps) {
  return std::string(before) + std::to_string(steps) + std::string(behind);
}

static std::optional<int64_t> stepsOf(std::string_view message) {
  if (!message.starts_with(before) || !message.ends_with(behind) ||
      message.size() <= before.size() + behind.size())
    return std::nullopt;
  message.remove_prefix(before.size());
  message.remove_suffix(behind.size());
  int64_t steps = 0;
  auto [end, error] =
      std::from_chars(message.data(), message.data() + message.size(), steps);
  if (error != std::errc() || end != message.data() + message.size())
    return std::nullopt;
  return steps;
}

Expected<std::optional<DoneMarkers::Marker>>
DoneMarkers::read(const std::string &spec) const {
  if (fileSystem.kindOf(path(spec)) == FileKind::None)
    return std::optional<Marker>();
  INGOT_ASSIGN_OR_RETURN(auto object, readJsonFile(fileSystem, path(spec)));
  auto message = object.find("message");
  if (message == object.end() || !message->is_string())
    return damagedJson(path(spec), 0, "there is no 'message'");
  Marker marker;
  marker.message = message->get<std::string>();
  marker.steps = stepsOf(marker.message);
  return std::optional<Marker>(std::move(marker));
}

Status DoneMarkers::add(const std::string &spec,
                        const std::string &message) const {
  if (fileSystem.kindOf(path(spec)) != FileKind::None)
    return Status::ok();
  std::string text = "{\"message\": ";
  appendJsonString(text, message);
  return writeSmallFile(fileSystem, directory, spec + ".json", text + "}");
}

Status DoneMarkers::remove(const std::string &spec) const {
  if (fileSystem.kindOf(path(spec)) != FileKind::Regular)
    return Status::ok();
  return fileSystem.remove(path(spec));
}
