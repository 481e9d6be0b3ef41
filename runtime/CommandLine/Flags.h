//===- Flags.h - Command-line flags from a table ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_FLAGS_H
#define INGOT_RUNTIME_COMMANDLINE_FLAGS_H

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ingot {

/// One flag of a verb.
struct FlagSpec {
  const char *name;  // "--max-steps"
  const char *value; // "N", for the help; null: a flag without value
  const char *help;
  bool repeatable = false;
};

/// Tables of flags, one after the other.
template <size_t... Sizes>
constexpr auto joinFlags(const FlagSpec (&...tables)[Sizes]) {
  std::array<FlagSpec, (Sizes + ...)> all = {};
  size_t at = 0;
  auto add = [&](const auto &table) {
    for (const FlagSpec &flag : table)
      all[at++] = flag;
  };
  (add(tables), ...);
  return all;
}

/// A mistake in a command line, and a hint.
struct UsageError {
  std::string message;
  std::string hint; // "" for none
};

/// The flags and other arguments of a command line.
class ParsedFlags {
public:
  bool has(std::string_view flag) const { return find(flag) != nullptr; }
  /// The flag's (last) value, or `fallback` where it wasn't given.
  std::string get(std::string_view flag, std::string fallback = "") const;
  /// All its values, in order.
  std::vector<std::string> all(std::string_view flag) const;

  /// The flag's value as a number from `min` on, or `fallback`. A mistake is
  /// left in `error`, and the first one stays there.
  int64_t getInteger(std::string_view flag, int64_t fallback, int64_t min,
                     std::optional<UsageError> &error) const;
  /// The same for a positive number of seconds or hours; infinity, "inf", is
  /// one where it is allowed.
  double getPositive(std::string_view flag, double fallback,
                     std::optional<UsageError> &error,
                     bool allowsInfinity = false) const;

  const std::vector<std::string> &positionals() const { return others; }

private:
  friend std::optional<UsageError>
  parseFlags(std::span<const FlagSpec>, std::span<char *const>, ParsedFlags &);
  const std::vector<std::string> *find(std::string_view flag) const;

  std::map<std::string, std::vector<std::string>, std::less<>> values;
  std::vector<std::string> others;
};

/// Reads `--flag VALUE`, `--flag=VALUE` and other arguments; after `--` all
/// are others.
std::optional<UsageError> parseFlags(std::span<const FlagSpec> specs,
                                     std::span<char *const> arguments,
                                     ParsedFlags &flags);

/// The flags as lines of a help text.
std::string flagHelp(std::span<const FlagSpec> specs);

/// The candidate that `name` was most likely meant to be; "" where none is
/// near.
std::string nearestName(std::string_view name,
                        std::span<const std::string> candidates);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_FLAGS_H
