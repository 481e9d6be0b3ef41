//===- Flags.h - Parses command-line flags ----------------------*- C++ -*-===//
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

/// The description of a flag for the parser and the help text, or a heading in
/// the help text.
struct FlagSpec {
  const char *name;  // such as "--max-steps", or the heading
  const char *value; // "N" in the help; null: a flag without value
  const char *help;  // null: a heading above the flags that follow
  bool repeatable = false;
};

/// Concatenates tables of flags.
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

/// An error in a command line, and a hint on how to correct it.
struct UsageError {
  std::string message;
  std::string hint; // may be ""
};

/// The parsed flags and positional arguments of a command line.
class ParsedFlags {
public:
  bool has(std::string_view flag) const { return find(flag) != nullptr; }
  /// Returns the value of the flag's last occurrence, or `fallback` if there is
  /// none.
  std::string get(std::string_view flag, std::string fallback = "") const;
  /// Returns the values of all occurrences of the flag, in order.
  std::vector<std::string> all(std::string_view flag) const;

  /// Returns the flag's value as an integer of at least `min`, or `fallback` if
  /// the flag is not given. An invalid value is reported in `error`, unless an
  /// earlier error is already there.
  int64_t getInteger(std::string_view flag, int64_t fallback, int64_t min,
                     std::optional<UsageError> &error) const;
  /// Like getInteger, for a positive number of seconds or hours. "inf" is valid
  /// only if `allowsInfinity`.
  double getPositive(std::string_view flag, double fallback,
                     std::optional<UsageError> &error,
                     bool allowsInfinity = false) const;

  /// Returns the values of all flags that are given, by name.
  const std::map<std::string, std::vector<std::string>, std::less<>> &
  all() const {
    return values;
  }

  const std::vector<std::string> &positionals() const { return others; }

private:
  friend std::optional<UsageError>
  parseFlags(std::span<const FlagSpec>, std::span<char *const>, ParsedFlags &);
  const std::vector<std::string> *find(std::string_view flag) const;

  std::map<std::string, std::vector<std::string>, std::less<>> values;
  std::vector<std::string> others;
};

/// Parses `--flag VALUE`, `--flag=VALUE` and positional arguments; after `--`,
/// all arguments are positional.
std::optional<UsageError> parseFlags(std::span<const FlagSpec> specs,
                                     std::span<char *const> arguments,
                                     ParsedFlags &flags);

/// Returns the part of a verb's help text that describes its flags, one line or
/// more for each.
std::string flagHelp(std::span<const FlagSpec> specs);

/// Returns the candidate that `name` is probably a misspelling of, or "" if
/// none is similar.
std::string nearestName(std::string_view name,
                        std::span<const std::string> candidates);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_FLAGS_H
