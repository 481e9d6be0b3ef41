//===- PlacedSteps.h - Parts of a step for several processes ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_PLACEDSTEPS_H
#define INGOT_COMPILER_ENSEMBLE_PLACEDSTEPS_H

#include "ingot/graph.h"

namespace ingot::ensemble {

/// Pairs of a member's name and the scope of its variables.
using Owners = std::vector<std::pair<std::string, std::string>>;

/// Adds entries of role placed_step to a program that has a step: the parts of
/// the step for a number of processes, which share the members between them
/// (docs/guide/adanet.md, Workers). The first process runs all but the members'
/// training. Values that a process does not compute are zeros. All count all
/// steps.
void addPlacedSteps(graph::Graph &graph, const Owners &members,
                    int64_t processes);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_PLACEDSTEPS_H
