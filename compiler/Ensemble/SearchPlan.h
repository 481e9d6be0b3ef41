//===- SearchPlan.h - The plan of a search's trainers -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_SEARCHPLAN_H
#define INGOT_COMPILER_ENSEMBLE_SEARCHPLAN_H

#include "ingot/adanet.h"

namespace ingot::ensemble {

/// Returns the plan of a search as JSON text: after how many iterations or
/// steps the search ends, and the command line flags of the trainers. The
/// search command of tools/AdaNetTool reads the plan.
std::string searchPlan(const adanet::Search &search);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_SEARCHPLAN_H
