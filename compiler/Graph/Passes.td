//===- Passes.td - Passes on the graph dialect -----------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The graph stage's passes, which turn the imported program into SSA values
// with static shapes, grouped into fusions. There is one file for each group of
// related passes.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_PASSES_TD
#define INGOT_COMPILER_GRAPH_PASSES_TD

include "compiler/Graph/TrainingPasses.td"
include "compiler/Graph/SizePasses.td"
include "compiler/Graph/EffectPasses.td"
include "compiler/Graph/LoopPasses.td"
include "compiler/Graph/EnsemblePasses.td"
include "compiler/Graph/ParallelPasses.td"
include "compiler/Graph/KernelPasses.td"

#endif // INGOT_COMPILER_GRAPH_PASSES_TD
