//===- PlacedSteps.h - Parts of a step for several processes ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_PLACEDSTEPS_H
#define INGOT_COMPILER_ENSEMBLE_PLACEDSTEPS_H

#include "ingot/graph.h"

namespace ingot::ensemble {

/// A name and a variable scope for each member.
using MemberScopes = std::vector<std::pair<std::string, std::string>>;

/// Adds an entry of role placed_step for each of `processes` processes to a
/// program that has a step (docs/guide/adanet.md, Workers). Process 0 runs the
/// step without the members' training; each other process trains some of the
/// members. A process that gets no member has no entry. In every process,
/// values that it does not compute are zeros, and all step counters are
/// incremented.
void addPlacedSteps(graph::Graph &graph, const MemberScopes &members,
                    int64_t processes);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_PLACEDSTEPS_H
