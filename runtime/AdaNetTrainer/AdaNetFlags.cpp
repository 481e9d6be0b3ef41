//===- AdaNetFlags.cpp - The flags of a search's training run -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNetTrainer/AdaNetFlags.h"

#include "runtime/Support/Numeric.h"
#include "runtime/Support/ParseNumber.h"

#include <algorithm>
#include <charconv>
#include <cmath>

using namespace ingot;

/// Parses a decimal integer that is at least `least`. Returns std::nullopt if
/// `text` is anything else.
static std::optional<int64_t> wholeNumber(std::string_view text,
                                          int64_t least) {
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least)
    return std::nullopt;
  return value;
}

static std::optional<UsageError>
readPatience(const Flag<std::string> &patience,
             adanet::LossMonitorHook::LossMonitorOptions &watch) {
  if (!patience.isGiven())
    return std::nullopt;
  constexpr std::string_view delta = ",min_delta=";
  const std::string &text = patience;
  size_t at = text.find(delta);
  auto steps = wholeNumber(std::string_view(text).substr(0, at), 1);
  double least = 0;
  std::string number =
      at == std::string::npos ? "0" : text.substr(at + delta.size());
  if (!steps || !parseElement(number, INGOT_DOUBLE, &least) || !(least >= 0) ||
      !std::isfinite(least))
    return wrongValue(patience, "STEPS[,min_delta=X]", text);
  watch.patience = *steps;
  watch.minDelta = least;
  return std::nullopt;
}

static std::optional<UsageError>
readReplay(const Flag<std::string> &replayIndices,
           std::vector<int64_t> &replay) {
  if (!replayIndices.isGiven())
    return std::nullopt;
  const std::string &text = replayIndices;
  for (size_t at = 0; at <= text.size();) {
    size_t comma = std::min(text.find(',', at), text.size());
    // Index -1 stands for the previous ensemble, so it is the lowest index that
    // is accepted (AN-217).
    auto index = wholeNumber(std::string_view(text).substr(at, comma - at), -1);
    if (!index)
      return wrongValue(replayIndices,
                        "a candidate for each iteration, I,J,...", text);
    replay.push_back(*index);
    at = comma + 1;
  }
  return std::nullopt;
}

std::optional<UsageError> AdaNetOptions::parse(const ParsedFlags &flags) {
  if (auto error = read(flags))
    return error;
  if (continuesInput && restartsInput)
    return UsageError{"--continue-input and --restart-input exclude each other",
                      ""};
  watch.dropsDiverged = dropsDiverged;
  watch.maxSeconds = maxIterationSeconds;
  if (auto error = readPatience(patience, watch))
    return error;
  return readReplay(replayIndices, replay);
}
