//===- AdaNetNames.h - AdaNet's names of variables --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// AdaNet says by the names of variables what belongs to which iteration,
// member and ensemble: "adanet/iteration_1/subnetwork_t1_linear/step".
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ABI_ADANETNAMES_H
#define INGOT_RUNTIME_ABI_ADANETNAMES_H

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ingot::adanet {

/// A variable's name taken apart.
struct OwnName {
  enum Kind { Iteration, Member, Ensemble, Candidate } kind = Iteration;
  int64_t iteration = 0;
  std::string_view owner; // "t1_linear"; of an Iteration ""
  std::string_view rest;  // "step"

  /// Whether the variable, an int64 scalar, counts the steps of a member: only
  /// programs that train an iteration have one.
  bool isMemberStep() const { return kind == Member && rest == "step"; }
};

/// Nothing for what is not below "adanet/iteration_<t>/".
inline std::optional<OwnName> parseName(std::string_view name) {
  auto consume = [&name](std::string_view prefix) {
    if (!name.starts_with(prefix))
      return false;
    name.remove_prefix(prefix.size());
    return true;
  };
  OwnName own;
  if (!consume("adanet/iteration_"))
    return std::nullopt;
  auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), own.iteration);
  if (error != std::errc() || own.iteration < 0)
    return std::nullopt;
  name.remove_prefix(static_cast<size_t>(end - name.data()));
  if (!consume("/"))
    return std::nullopt;
  if (consume("subnetwork_"))
    own.kind = OwnName::Member;
  else if (consume("ensemble_"))
    own.kind = OwnName::Ensemble;
  else if (consume("candidate_"))
    own.kind = OwnName::Candidate;
  if (own.kind == OwnName::Iteration) {
    own.rest = name;
    return own;
  }
  // Variables of nested scopes, such as those of an average, belong to the
  // outermost one.
  size_t slash = name.find('/');
  own.owner = name.substr(0, slash);
  own.rest = slash == std::string_view::npos ? "" : name.substr(slash + 1);
  return own;
}

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ABI_ADANETNAMES_H
