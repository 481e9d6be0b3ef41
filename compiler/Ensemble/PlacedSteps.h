//===- PlacedSteps.h - Parts of a step for several processes ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_PLACEDSTEPS_H
#define INGOT_COMPILER_ENSEMBLE_PLACEDSTEPS_H

#include "ingot/graph.h"

namespace ingot::ensemble {

/// Pairs of a member's name and the scope of its variables.
using Owners = std::vector<std::pair<std::string, std::string>>;

/// Adds an entry `place/<p>/<processes>` for each process p, counted from 0, to
/// a program that has `step`. Each is the part of the step that one process
/// runs if several processes share the members (docs/guide/adanet.md, Workers).
/// The first process runs everything except the training of members. Values
/// that a process does not compute are zeros. All processes count all steps.
void addPlacedSteps(graph::Graph &graph, const Owners &members,
                    int64_t processes);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_PLACEDSTEPS_H
