//===- AdaNetNames.h - AdaNet's names of variables --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Parses the names that AdaNet gives variables. A name says which iteration,
// member or ensemble the variable belongs to:
// "adanet/iteration_1/subnetwork_t1_linear/step".
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ABI_ADANETNAMES_H
#define INGOT_RUNTIME_ABI_ADANETNAMES_H

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ingot::adanet {

/// The parts of the name that AdaNet gives a variable: its iteration, the
/// member or ensemble that owns it, and the rest.
struct AdaNetVariableName {
  enum Kind { Iteration, Member, Ensemble, Candidate } kind = Iteration;
  int64_t iteration = 0;
  std::string_view owner; // "t1_linear"; "" if `kind` is Iteration
  std::string_view rest;  // "step"

  /// Returns true if the variable, an int64 scalar, counts the steps of a
  /// member. Only programs that train an iteration have such variables.
  bool isMemberStep() const { return kind == Member && rest == "step"; }
};

/// Parses `name`. Returns std::nullopt unless it begins with
/// "adanet/iteration_<t>/".
inline std::optional<AdaNetVariableName> parseName(std::string_view name) {
  auto consume = [&name](std::string_view prefix) {
    if (!name.starts_with(prefix))
      return false;
    name.remove_prefix(prefix.size());
    return true;
  };
  AdaNetVariableName own;
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
    own.kind = AdaNetVariableName::Member;
  else if (consume("ensemble_"))
    own.kind = AdaNetVariableName::Ensemble;
  else if (consume("candidate_"))
    own.kind = AdaNetVariableName::Candidate;
  if (own.kind == AdaNetVariableName::Iteration) {
    own.rest = name;
    return own;
  }
  // The owner is the outermost scope below the iteration's scope. Variables of
  // nested scopes, such as a moving average, belong to this owner, too.
  size_t slash = name.find('/');
  own.owner = name.substr(0, slash);
  own.rest = slash == std::string_view::npos ? "" : name.substr(slash + 1);
  return own;
}

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ABI_ADANETNAMES_H
