//===- SearchPlan.h - What a search asks of its trainers --------*- C++ -*-===//
#ifndef INGOT_COMPILER_ENSEMBLE_SEARCHPLAN_H
#define INGOT_COMPILER_ENSEMBLE_SEARCHPLAN_H

#include "ingot/adanet.h"

namespace ingot::ensemble {

/// A JSON object for whoever runs the search (runtime/AdaNetTool): where it
/// ends, and the flags of its trainers.
std::string searchPlan(const adanet::Search &search);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_SEARCHPLAN_H
