//===- OneRankStep.h - Steps of a rank that trains alone --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A step that is computed slice by slice pays for it: each slice writes
// gradients as large as those of the whole batch, which are then read to be
// added, and their updates are no epilogues of the GEMMs that compute them. A
// rank that has all slices need not: what each slice computes for its rows can
// be computed for all rows at once, with the same bits. Only sums over the
// batch must be those of slices, added in the tree over slices.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_ONERANKSTEP_H
#define INGOT_COMPILER_GRAPH_ONERANKSTEP_H

#include "codegen/TargetPolicy.h"
#include "compiler/Graph/BatchSplitPlan.h"

namespace ingot::graph {

/// Clones `step`, which `split` splits over slices of equal size but has not
/// been changed yet, for runs of one rank, and returns the clone, which is not
/// inserted into a module. Its results have the bits of the split step. Returns
/// null if some op of the step would round otherwise for all rows than for
/// those of a slice, or if the target lacks GEMMs with `sum_block`.
mlir::ingot::EntryOp cloneForOneRank(mlir::ingot::EntryOp step,
                                     const BatchSplitPlan &split,
                                     const TargetPolicy &policy);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_ONERANKSTEP_H
