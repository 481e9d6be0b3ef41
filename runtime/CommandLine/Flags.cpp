//===- Flags.cpp - Parses command-line flags ------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Flags.h"

#include "runtime/Support/EditDistance.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

using namespace ingot;

const std::vector<std::string> *ParsedFlags::find(std::string_view flag) const {
  auto found = values.find(flag);
  return found == values.end() ? nullptr : &found->second;
}

std::string ParsedFlags::get(std::string_view flag,
                             std::string fallback) const {
  const std::vector<std::string> *given = find(flag);
  return given ? given->back() : fallback;
}

std::vector<std::string> ParsedFlags::all(std::string_view flag) const {
  const std::vector<std::string> *given = find(flag);
  return given ? *given : std::vector<std::string>();
}

static void setError(std::optional<UsageError> &error, std::string_view flag,
                     const std::string &value, const std::string &expected) {
  if (!error)
    error = UsageError{std::string(flag) + ": expected " + expected +
                           ", found '" + value + "'",
                       ""};
}

int64_t ParsedFlags::getInteger(std::string_view flag, int64_t fallback,
                                int64_t min,
                                std::optional<UsageError> &error) const {
  const std::vector<std::string> *given = find(flag);
  if (!given)
    return fallback;
  const std::string &text = given->back();
  int64_t value = 0;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || value < min)
    setError(error, flag, text,
             "a whole number of at least " + std::to_string(min));
  return value;
}

double ParsedFlags::getPositive(std::string_view flag, double fallback,
                                std::optional<UsageError> &error,
                                bool allowsInfinity) const {
  const std::vector<std::string> *given = find(flag);
  if (!given)
    return fallback;
  const std::string &text = given->back();
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  bool isNumber = !text.empty() && *end == '\0' && value > 0 &&
                  (std::isfinite(value) || allowsInfinity);
  if (!isNumber)
    setError(error, flag, text,
             allowsInfinity ? "a positive number or inf" : "a positive number");
  return value;
}

static UsageError unknownFlag(std::string_view name,
                              std::span<const FlagSpec> specs) {
  std::vector<std::string> names;
  for (const FlagSpec &spec : specs)
    if (spec.help)
      names.emplace_back(spec.name);
  std::string nearest = nearestName(name, names);
  return {"unknown flag '" + std::string(name) + "'",
          nearest.empty() ? "--help lists the flags"
                          : "did you mean '" + nearest + "'?"};
}

std::optional<UsageError> ingot::parseFlags(std::span<const FlagSpec> specs,
                                            std::span<char *const> arguments,
                                            ParsedFlags &flags) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string_view argument = arguments[i];
    if (argument == "--") {
      flags.others.insert(flags.others.end(), arguments.begin() + i + 1,
                          arguments.end());
      break;
    }
    if (argument.size() < 2 || argument.front() != '-') {
      flags.others.emplace_back(argument);
      continue;
    }
    size_t equals = argument.find('=');
    std::string_view name = argument.substr(0, equals);
    auto spec =
        std::find_if(specs.begin(), specs.end(),
                     [&](const FlagSpec &spec) { return spec.name == name; });
    if (spec == specs.end())
      return unknownFlag(name, specs);
    std::string value;
    if (equals != std::string_view::npos) {
      if (!spec->value)
        return UsageError{std::string(name) + " takes no value", ""};
      value = argument.substr(equals + 1);
    } else if (spec->value) {
      if (i + 1 == arguments.size())
        return UsageError{std::string(name) + " needs a value: " +
                              std::string(name) + " " + spec->value,
                          ""};
      value = arguments[++i];
    }
    std::vector<std::string> &values = flags.values[std::string(name)];
    if (!values.empty() && !spec->repeatable)
      return UsageError{std::string(name) + " is given twice", ""};
    values.push_back(std::move(value));
  }
  return std::nullopt;
}

std::string ingot::flagHelp(std::span<const FlagSpec> specs) {
  constexpr size_t column = 36;
  std::string text;
  for (const FlagSpec &spec : specs) {
    if (!spec.help) {
      text += (text.empty() ? "" : "\n") + std::string(spec.name) + ":\n";
      continue;
    }
    std::string left = std::string("  ") + spec.name;
    if (spec.value)
      left += std::string(" ") + spec.value;
    if (spec.repeatable)
      left += " ...";
    if (left.size() + 2 > column)
      left += "\n" + std::string(column, ' ');
    else
      left.resize(column, ' ');
    text += left + spec.help + "\n";
  }
  return text;
}

std::string ingot::nearestName(std::string_view name,
                               std::span<const std::string> candidates) {
  std::string nearest;
  size_t least = std::max<size_t>(2, name.size() / 3) + 1;
  for (const std::string &candidate : candidates) {
    size_t distance = editDistance(name, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}
