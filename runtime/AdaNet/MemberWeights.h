//===- MemberWeights.h - How much an ensemble weighs its members *- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANET_MEMBERWEIGHTS_H
#define INGOT_RUNTIME_ADANET_MEMBERWEIGHTS_H

#include <cstddef>
#include <string_view>
#include <vector>

struct ingot_context;

namespace ingot::adanet {

/// Returns the L1 norm of the mixture weights of each of the `numMembers`
/// members of an ensemble, added up over heads, in the order of the ensemble's
/// members. Returns an empty vector if the program lacks a member's weights,
/// has weights of more members, or if a weight is NaN or infinite.
std::vector<double> memberWeights(const ingot_context &context,
                                  std::string_view ensemble, size_t numMembers);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_MEMBERWEIGHTS_H
