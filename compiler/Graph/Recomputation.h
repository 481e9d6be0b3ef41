//===- Recomputation.h - What is computed again rather than kept -*- C++
//-*-===//
#ifndef INGOT_COMPILER_GRAPH_RECOMPUTATION_H
#define INGOT_COMPILER_GRAPH_RECOMPUTATION_H

#include "codegen/TargetPolicy.h"
#include "compiler/Graph/FusionRules.h"

namespace ingot::graph {

/// Has kernels compute what another one would have to leave in memory for them,
/// where that is a short function of a tensor that lies there anyway: an
/// activation's backward pass needs what goes into the activation, not what
/// stands in the middle of it.
void recompute(FusionGroups &groups, const FusionRules &rules,
               mlir::Block &block, const TargetPolicy::Recomputation &policy);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_RECOMPUTATION_H
