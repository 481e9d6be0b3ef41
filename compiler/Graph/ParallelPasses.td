//===- ParallelPasses.td - Work that processes share ------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Splits the work of a step over slices of its batch.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_PARALLEL_PASSES_TD
#define INGOT_COMPILER_GRAPH_PARALLEL_PASSES_TD

include "codegen/PolicyOption.td"
include "mlir/Pass/PassBase.td"

def SplitBatchIntoSlicesPass : Pass<"ingot-split-batch-into-slices", "::mlir::ModuleOp"> {
  let summary = "Split steps over the slices of their batches";
  let description = [{
    If the attribute `ingot.program` states a number of slices, the batch of a
    step is cut into that many slices of equal size. Ops that compute on rows of
    the batch move into an `ingot.slice_region`, which runs once per slice. Each
    process computes all other ops for the whole batch. A sum over the batch is
    exchanged: the region yields the sum of each slice, and its result is the
    sum over all slices. A value that an op without a rule for splitting reads
    is gathered. Ops on rows that depend on the result of an exchange move into
    another region, the next phase.

    Evaluations of a batch are split likewise, if they have such sums.

    Several processes may share the slices of a region. The number of processes
    does not change any bit of the results.

    If the target's GEMMs can add the sums of slices themselves, and slices have
    equal sizes, the pass also inserts a clone of the step for runs of one rank
    (`host.one_rank_of`): it computes what it can for all rows at once, with the
    same bits, and has a `slice_region` for each other sum over the batch.

    ```mlir
    // Before: a matmul that sums over the 64 rows of the batch.
    %x, %dy = ingot.iterator_next @it : tensor<64x784xf32>, tensor<64x10xf32>
    %dw = ingot.matmul %x, %dy {transpose_a = true} : (tensor<64x784xf32>, tensor<64x10xf32>) -> tensor<784x10xf32>
    // After, with slices=8: each slice sums over 8 rows; the sums are added.
    %x, %dy = ingot.iterator_next @it : tensor<64x784xf32>, tensor<64x10xf32>
    %dw = ingot.slice_region(%x, %dy) slices 8 cuts [0, 0] exchanges ["sum"] joins [0] : (tensor<64x784xf32>, tensor<64x10xf32>) -> tensor<784x10xf32> {
    ^bb0(%rows: tensor<8x784xf32>, %gradients: tensor<8x10xf32>):
      %0 = ingot.matmul %rows, %gradients {transpose_a = true} : (tensor<8x784xf32>, tensor<8x10xf32>) -> tensor<784x10xf32>
      ingot.result %0 : tensor<784x10xf32>
    }
    ```
  }];
  let options = [
    Option<"slices", "slices", "int64_t", "0",
           "Number of slices, in place of that of the module">,
    Ingot_PolicyOption];
  let statistics = [
    Statistic<"numForOneRank", "num-for-one-rank", "Clones of steps for runs of one rank">,
    Statistic<"numPhases", "num-phases", "Phases in which slices compute">,
    Statistic<"numExchanges", "num-exchanges", "Values combined over slices">,
    Statistic<"numGathers", "num-gathers", "Values gathered from slices">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::ingot::IngotDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ShardOptimizerStatePass : Pass<"ingot-shard-optimizer-state", "::mlir::ModuleOp"> {
  let summary = "Divide slots of optimizers among the processes";
  let description = [{
    If the attribute `ingot.program` asks for it, variables that only elementwise
    ops of the step compute on, which slots of most optimizers are, are divided
    among the processes that train together (ZeRO, stage 1). The elements of
    such a variable form parts of equal size, as many as the batch has slices,
    and a process has the parts of its slices. It updates the slots and the
    weights of its parts only; then the parts of the weights are gathered.
    Gradients that only these updates read are scattered instead of summed
    everywhere.

    A variable keeps all parts everywhere if it is smaller than the module says, if
    an op that is not elementwise reads it, or if an entry other than those for
    initialization and saving uses it. A remark says why.

    ```mlir
    // Before, with slices=2:
    %r = ingot.slice_region(%x) slices 2 cuts [0] exchanges ["sum"] joins [0] : ...
    %w1, %a1 = ingot.apply_momentum %w, %a, %lr, %r, %m : ...
    ingot.return %w1, %a1 : tensor<256x64xf32>, tensor<256x64xf32>
    // After (reshapes to one dimension are left out):
    %r = ingot.slice_region(%x) slices 2 cuts [0] exchanges ["reduce_scatter"] joins [2] : ...
    %u:2 = ingot.slice_region(%w, %a, %r) slices 2 cuts [0, 0, 0] exchanges ["gather_in_place", "keep_in_place"] joins [0, 1] : ... {
    ^bb0(%wp: tensor<8192xf32>, %ap: tensor<8192xf32>, %gp: tensor<8192xf32>):
      %w2, %a2 = ingot.apply_momentum %wp, %ap, %lr, %gp, %m : ...
      ingot.result %w2, %a2 : tensor<8192xf32>, tensor<8192xf32>
    }
    ingot.return %u#0, %u#1 : ...
    ```
  }];
  let options = [
    Option<"slices", "slices", "int64_t", "0",
           "Number of slices, in place of that of the module">,
    Option<"minBytes", "min-bytes", "uint64_t", "0",
           "The least size of a variable that is divided, in place of that of the module">];
  let statistics = [
    Statistic<"numVariables", "num-variables", "Variables divided among processes">,
    Statistic<"numScattered", "num-scattered", "Sums of gradients that are scattered">
  ];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

#endif // INGOT_COMPILER_GRAPH_PARALLEL_PASSES_TD
