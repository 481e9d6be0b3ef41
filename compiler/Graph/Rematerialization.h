//===- Rematerialization.h - Rematerializes cheap producers -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_REMATERIALIZATION_H
#define INGOT_COMPILER_GRAPH_REMATERIALIZATION_H

#include "codegen/TargetPolicy.h"
#include "compiler/Graph/FusionRules.h"

namespace ingot::graph {

/// Makes consumers recompute a value, instead of reading it from memory, if the
/// value is a cheap function of a tensor that is in memory anyway. The typical
/// case is an activation's backward pass, which needs the activation's input,
/// not the intermediate values. Returns the number of values that consumers
/// recompute.
unsigned rematerialize(FusionGroups &groups, const FusionRules &rules,
                       mlir::Block &block,
                       const TargetPolicy::RematerializationLimits &policy);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_REMATERIALIZATION_H
