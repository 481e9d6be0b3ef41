//===- ResetSearchProgress.h - Starts a new search --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANET_RESETSEARCHPROGRESS_H
#define INGOT_RUNTIME_ADANET_RESETSEARCHPROGRESS_H

struct ingot_context;

namespace ingot::adanet {

/// If the program trains iteration 0, sets the variables that say how far a
/// search has come to their values before the first step: the counters of
/// members and ensembles, the global step, the number of the iteration, and the
/// moving averages of losses. The variables of networks and ensembles keep
/// their values. If the program trains a later iteration, or none, does nothing
/// and returns false.
bool resetSearchProgress(ingot_context &context);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_RESETSEARCHPROGRESS_H
