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
/// members of an ensemble, in its order, added up over heads. Returns an empty
/// vector if the program has no mixture weights of the ensemble, or weights of
/// other members, or if one is not a number.
std::vector<double> memberWeights(const ingot_context &context,
                                  std::string_view ensemble, size_t numMembers);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_MEMBERWEIGHTS_H
