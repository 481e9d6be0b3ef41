//===- Passes.td - Passes on the graph dialect -----------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// From the program as imported to values, static shapes and fusions.
// Each role has a file of its own.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_PASSES_TD
#define INGOT_COMPILER_GRAPH_PASSES_TD

include "compiler/Graph/TrainingPasses.td"
include "compiler/Graph/SizePasses.td"
include "compiler/Graph/EffectPasses.td"
include "compiler/Graph/LoopPasses.td"
include "compiler/Graph/EnsemblePasses.td"
include "compiler/Graph/KernelPasses.td"

#endif // INGOT_COMPILER_GRAPH_PASSES_TD
