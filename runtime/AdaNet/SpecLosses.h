//===- SpecLosses.h - Losses of members and candidates ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The losses of members and candidate ensembles in a step: a member's is among
// the step's fetches, a candidate's moving average in a variable.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_SPECLOSSES_H
#define INGOT_RUNTIME_ADANET_SPECLOSSES_H

#include "runtime/AdaNet/Iteration.h"
#include "runtime/Session/Session.h"

#include <map>

namespace ingot::adanet {

/// The index of variable `candidate_<ensemble>/adanet_loss`, a float32 scalar;
/// -1 if it does not exist.
int32_t findAverage(const ingot_program &program, std::string_view ensemble);

/// The moving average of an ensemble's AdaNet loss; nothing if the program has
/// none.
std::optional<float> averageOf(const ingot_context &context,
                               std::string_view ensemble);

/// Which fetches of an entry give the loss of member `member`: the one called
/// "subnetwork/<member>/loss"; else those below the member's scope that its
/// head has put among the graph's losses, one for each head.
std::vector<size_t> findLossFetches(const ingot_entry &entry,
                                    std::string_view member, int64_t iteration);

/// The losses of an iteration's members in the step that has just run.
class MemberLosses {
public:
  explicit MemberLosses(const Iteration &iteration) : iteration(iteration) {}

  /// The mean over the examples, summed over heads; nothing if the entry that
  /// ran does not fetch it.
  std::optional<double> lossOf(const std::string &member,
                               const BoundEntry &step);

private:
  const Iteration &iteration;
  /// By the entry that runs, and the member's name.
  std::map<const ingot_entry *, std::map<std::string, std::vector<size_t>>>
      fetches;
};

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_SPECLOSSES_H
