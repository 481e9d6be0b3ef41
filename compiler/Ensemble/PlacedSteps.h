//===- PlacedSteps.h - A step's parts that processes share ------*- C++ -*-===//
#ifndef INGOT_COMPILER_ENSEMBLE_PLACEDSTEPS_H
#define INGOT_COMPILER_ENSEMBLE_PLACEDSTEPS_H

#include "ingot/graph.h"

namespace ingot::ensemble {

/// Members, by their names and the scopes of their variables.
using Owners = std::vector<std::pair<std::string, std::string>>;

/// Adds entries `place/<p>/<processes>`, p from 0, to a program that has
/// `step`: its parts that so many processes run, which share the members
/// between them (docs/guide/adanet.md, Workers). The first one runs all but
/// what trains members. Of what the others do not compute, they give zeros. All
/// count all steps.
void addPlacedSteps(graph::Graph &graph, const Owners &members,
                    int64_t processes);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_PLACEDSTEPS_H
