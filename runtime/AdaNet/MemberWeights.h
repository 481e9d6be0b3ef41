//===- MemberWeights.h - How much an ensemble weighs its members *- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANET_MEMBERWEIGHTS_H
#define INGOT_RUNTIME_ADANET_MEMBERWEIGHTS_H

#include <cstddef>
#include <string_view>
#include <vector>

struct ingot_context;

namespace ingot::adanet {

/// For each of the `numMembers` members of an ensemble, in the ensemble's
/// order, returns the L1 norm of its mixture weights, added up over heads.
/// Returns an empty vector if the program lacks the weights of a member, if it
/// has weights of more than `numMembers` members, or if a weight is NaN or
/// infinite.
std::vector<double> memberWeights(const ingot_context &context,
                                  std::string_view ensemble, size_t numMembers);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_MEMBERWEIGHTS_H
