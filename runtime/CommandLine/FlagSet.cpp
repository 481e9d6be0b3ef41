//===- FlagSet.cpp - A verb's flags as a struct ---------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/FlagSet.h"

#include <cstdio>

using namespace ingot;

UntypedFlag::UntypedFlag(FlagSet *set, const char *name, const char *value,
                         std::string helpText, bool repeatable)
    : help(std::move(helpText)), spec{name, value, help.c_str(), repeatable} {
  set->members.push_back(this);
}

FlagHeading::FlagHeading(FlagSet *set, const char *title) {
  set->headings.emplace_back(set->members.size(), title);
}

std::vector<FlagSpec> FlagSet::specs() const {
  std::vector<FlagSpec> all;
  auto heading = headings.begin();
  for (size_t i = 0; i < members.size(); ++i) {
    for (; heading != headings.end() && heading->first == i; ++heading)
      all.push_back({heading->second, nullptr, nullptr});
    all.push_back(members[i]->spec);
  }
  return all;
}

std::optional<UsageError> FlagSet::read(const ParsedFlags &flags) {
  std::optional<UsageError> error;
  for (UntypedFlag *flag : members) {
    flag->given = flags.has(flag->name());
    if (flag->given)
      flag->read(flags, error);
  }
  return error;
}

std::string ingot::withDefault(std::string help, const std::string &byDefault) {
  if (!byDefault.empty() && help.find("(default:") == std::string::npos)
    help += " (default: " + byDefault + ")";
  return help;
}

std::string ingot::withDefault(std::string help, int64_t byDefault) {
  return withDefault(std::move(help),
                     byDefault > 0 ? std::to_string(byDefault) : "");
}

std::string ingot::withDefault(std::string help, double byDefault) {
  char number[32];
  std::snprintf(number, sizeof(number), "%g", byDefault);
  return withDefault(std::move(help), byDefault > 0 ? number : "");
}

std::string ingot::withDefault(std::string help, TimeoutSeconds byDefault) {
  return withDefault(std::move(help), byDefault.value);
}

UsageError ingot::wrongValue(const UntypedFlag &flag,
                             const std::string &expected,
                             const std::string &found) {
  return {flag.name() + std::string(": expected ") + expected + ", found '" +
              found + "'",
          ""};
}
