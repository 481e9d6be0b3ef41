//===- MemberLosses.h - Losses of members and candidates --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The losses of members and candidate ensembles in a step. A member's loss is a
// fetch of the step; the moving average of a candidate's loss is a variable.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_MEMBERLOSSES_H
#define INGOT_RUNTIME_ADANET_MEMBERLOSSES_H

#include "runtime/AdaNet/Iteration.h"
#include "runtime/Session/Session.h"

#include <map>

namespace ingot::adanet {

/// Returns the index of variable `candidate_<ensemble>/adanet_loss`, a float32
/// scalar, or -1 if it does not exist.
int32_t findAverage(const ingot_program &program, std::string_view ensemble);

/// Returns the moving average of an ensemble's AdaNet loss, or std::nullopt if
/// the program has no variable of it.
std::optional<float> averageOf(const ingot_context &context,
                               std::string_view ensemble);

/// Returns the indices of the fetches of `entry` that make up the loss of
/// `member`: the fetch called "subnetwork/<member>/loss" if there is one;
/// otherwise the fetches in the member's scope that its heads added to the
/// graph's losses, one for each head.
std::vector<size_t> findLossFetches(const ingot_entry &entry,
                                    std::string_view member, int64_t iteration);

/// The losses of an iteration's members in the step that has just run.
class MemberLosses {
public:
  explicit MemberLosses(const Iteration &iteration) : iteration(iteration) {}

  /// Returns the member's loss, averaged over the examples and summed over
  /// heads, or std::nullopt if the entry of `step` does not fetch it.
  std::optional<double> lossOf(const std::string &member,
                               const BoundEntryPoint &step);

private:
  const Iteration &iteration;
  /// The result of findLossFetches for each entry and member name.
  std::map<const ingot_entry *, std::map<std::string, std::vector<size_t>>>
      fetches;
};

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_MEMBERLOSSES_H
