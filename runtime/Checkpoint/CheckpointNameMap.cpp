//===- CheckpointNameMap.cpp - Renames tensors, finds similar names -------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/CheckpointNameMap.h"

#include "runtime/Support/EditDistance.h"

#include <algorithm>
#include <regex.h>

using namespace ingot;

/// One compiled regular expression and its replacement.
struct CheckpointNameMap::Rule {
  regex_t expression;
  std::string replacement;
  bool compiled = false;

  ~Rule() {
    if (compiled)
      regfree(&expression);
  }
};

CheckpointNameMap::CheckpointNameMap() = default;
CheckpointNameMap::CheckpointNameMap(CheckpointNameMap &&) = default;
CheckpointNameMap &CheckpointNameMap::operator=(CheckpointNameMap &&) = default;
CheckpointNameMap::~CheckpointNameMap() = default;

Expected<CheckpointNameMap> CheckpointNameMap::create(
    std::span<const std::pair<std::string, std::string>> renames) {
  CheckpointNameMap map;
  for (const auto &[pattern, replacement] : renames) {
    auto rule = std::make_unique<Rule>();
    rule->replacement = replacement;
    int error = regcomp(&rule->expression, pattern.c_str(), REG_EXTENDED);
    if (error != 0) {
      char reason[128];
      regerror(error, &rule->expression, reason, sizeof(reason));
      return Status(StatusCode::InvalidArgument,
                    "regular expression '" + pattern + "': " + reason);
    }
    rule->compiled = true;
    map.rules.push_back(std::move(rule));
  }
  return map;
}

namespace {

/// Appends `replacement` to `out`, with \0 to \9 replaced by the groups of the
/// match in `subject`.
void appendReplacement(std::string &out, const std::string &replacement,
                       const char *subject, const regmatch_t (&groups)[10]) {
  for (size_t i = 0; i < replacement.size(); ++i) {
    char c = replacement[i];
    if (c != '\\' || i + 1 == replacement.size()) {
      out.push_back(c);
      continue;
    }
    char next = replacement[++i];
    if (next < '0' || next > '9') {
      out.push_back(next);
      continue;
    }
    const regmatch_t &group = groups[next - '0'];
    if (group.rm_so >= 0)
      out.append(subject + group.rm_so,
                 static_cast<size_t>(group.rm_eo - group.rm_so));
  }
}

/// Replaces every match of an expression in `name`.
std::string replaceAll(const regex_t &expression,
                       const std::string &replacement,
                       const std::string &name) {
  std::string result;
  const char *rest = name.c_str();
  regmatch_t groups[10];
  int flags = 0;
  while (regexec(&expression, rest, 10, groups, flags) == 0) {
    result.append(rest, static_cast<size_t>(groups[0].rm_so));
    appendReplacement(result, replacement, rest, groups);
    bool empty = groups[0].rm_eo == groups[0].rm_so;
    rest += groups[0].rm_eo;
    flags = REG_NOTBOL;
    // After an empty match, copies one character, since otherwise the next
    // match would be the same empty one.
    if (*rest == '\0')
      return result;
    if (empty)
      result.push_back(*rest++);
  }
  return result + rest;
}

} // namespace

std::string CheckpointNameMap::apply(std::string name) const {
  for (const std::unique_ptr<Rule> &rule : rules)
    name = replaceAll(rule->expression, rule->replacement, name);
  return name;
}

std::vector<std::string>
ingot::nearestNames(const std::string &name,
                    std::span<const std::string> candidates, size_t limit) {
  std::vector<std::pair<size_t, const std::string *>> ranked;
  for (const std::string &candidate : candidates) {
    size_t longer = std::max(name.size(), candidate.size());
    size_t shorter = std::min(name.size(), candidate.size());
    if (longer - shorter > longer / 2)
      continue;
    size_t far = editDistance(name, candidate);
    if (far <= longer / 2)
      ranked.emplace_back(far, &candidate);
  }
  std::stable_sort(
      ranked.begin(), ranked.end(),
      [](const auto &a, const auto &b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (size_t i = 0; i < ranked.size() && i < limit; ++i)
    names.push_back(*ranked[i].second);
  return names;
}
