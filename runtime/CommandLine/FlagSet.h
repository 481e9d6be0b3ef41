//===- FlagSet.h - A verb's flags as a struct -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Declares a verb's flags as members of a struct, so that the name, help text,
// default and value of a flag are in one declaration:
//
//   struct TrainFlags : FlagSet {
//     Flag<int64_t> maxSteps{this, "--max-steps", "N",
//                            "train until the global step is N", -1};
//   };
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_FLAGSET_H
#define INGOT_RUNTIME_COMMANDLINE_FLAGSET_H

#include "runtime/CommandLine/Flags.h"

#include <type_traits>

namespace ingot {

class FlagSet;

/// The base class of Flag<T>. It does not store a value. Flags that several
/// verbs share are declared as UntypedFlag: the code that reads them looks up
/// the value in ParsedFlags by the flag's name.
class UntypedFlag {
public:
  UntypedFlag(FlagSet *set, const char *name, const char *value,
              std::string help, bool repeatable = false);
  UntypedFlag(const UntypedFlag &) = delete;
  UntypedFlag &operator=(const UntypedFlag &) = delete;

  const char *name() const { return spec.name; }
  bool isGiven() const { return given; }

private:
  friend class FlagSet;
  /// Called if the command line contains the flag: stores its value.
  virtual void read(const ParsedFlags &flags,
                    std::optional<UsageError> &error) {}

  std::string help;
  FlagSpec spec;
  bool given = false;
};

/// A heading in the help text, above the flags that are declared after it.
class FlagHeading {
public:
  FlagHeading(FlagSet *set, const char *title);
};

/// The flags of a verb, in the order of their declarations.
class FlagSet {
public:
  FlagSet() = default;
  FlagSet(const FlagSet &) = delete;
  FlagSet &operator=(const FlagSet &) = delete;

  /// Returns the descriptions of all flags, for the parser and the help text.
  /// Their texts belong to this set and live as long as it.
  std::vector<FlagSpec> specs() const;
  /// Reads the value of every flag. Returns the first error, if any.
  std::optional<UsageError> read(const ParsedFlags &flags);

private:
  friend class UntypedFlag;
  friend class FlagHeading;
  std::vector<UntypedFlag *> members;
  /// Headings, each with the index of the flag (in `members`) above which the
  /// help text shows it.
  std::vector<std::pair<size_t, const char *>> headings;
};

/// Appends "(default: 100)" to a help text that does not mention a default.
/// Zero and negative defaults are not mentioned.
std::string withDefault(std::string help, int64_t byDefault);
std::string withDefault(std::string help, double byDefault);
std::string withDefault(std::string help, const std::string &byDefault);

/// A waiting time: a positive number of seconds, or infinity ("inf").
struct TimeoutSeconds {
  double value = 0;
};
std::string withDefault(std::string help, TimeoutSeconds byDefault);

/// A flag and its value. T is bool (a flag without a value), int64_t (at least
/// `least`), double (positive), TimeoutSeconds, std::string, or a vector of
/// strings (a flag that may be repeated).
template <typename T> class Flag final : public UntypedFlag {
public:
  Flag(FlagSet *set, const char *name, const char *value, const char *help,
       T byDefault = T(), int64_t least = 0)
      : UntypedFlag(set, name, value, helpOf(help, byDefault), isList),
        value(std::move(byDefault)), least(least) {}

  operator const T &() const { return value; }
  const T &get() const { return value; }
  const T *operator->() const { return &value; }
  Flag &operator=(T other) {
    value = std::move(other);
    return *this;
  }

private:
  static constexpr bool isList = std::is_same_v<T, std::vector<std::string>>;

  static std::string helpOf(const char *help, const T &byDefault) {
    if constexpr (isList || std::is_same_v<T, bool>)
      return help;
    else
      return withDefault(help, byDefault);
  }

  void read(const ParsedFlags &flags,
            std::optional<UsageError> &error) override {
    if constexpr (std::is_same_v<T, bool>)
      value = true;
    else if constexpr (std::is_same_v<T, int64_t>)
      value = flags.getInteger(name(), value, least, error);
    else if constexpr (std::is_same_v<T, double>)
      value = flags.getPositive(name(), value, error);
    else if constexpr (std::is_same_v<T, TimeoutSeconds>)
      value.value = flags.getPositive(name(), value.value, error,
                                      /*allowsInfinity=*/true);
    else if constexpr (std::is_same_v<T, std::string>)
      value = flags.get(name());
    else
      value = flags.all(name());
  }

  T value;
  int64_t least;
};

/// Returns a usage error which says that the value of `flag` is `found`, but
/// should be `expected`.
UsageError wrongValue(const UntypedFlag &flag, const std::string &expected,
                      const std::string &found);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_FLAGSET_H
