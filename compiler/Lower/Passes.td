//===- Passes.td - From the graph dialect to linalg and host -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Fusions become kernels of linalg ops; entries become functions that launch
// them and call the runtime.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_PASSES_TD
#define INGOT_COMPILER_LOWER_PASSES_TD

include "codegen/PolicyOption.td"

def LowerToStorageTypesPass : Pass<"ingot-lower-to-storage-types", "::mlir::ModuleOp"> {
  let summary = "Lower strings, variants and unsigned integers to their storage types";
  let description = [{
    Strings become 128-bit integers (address and size), variants become 64-bit
    integers, and unsigned integers become signless integers. The attribute
    `element_types` of an op with such an operand or result lists the user's
    element types of operands, then of results. Attributes of entries and
    functions list the user's types of feeds and fetches.

    ```mlir
    // Before: a maximum of unsigned integers.
    %y = ingot.maximum %x, %x : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
    // After: signless integers; an attribute keeps the user's types.
    %y = ingot.maximum %x, %x {element_types = [ui8, ui8, ui8]} : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
    ```
  }];
  let dependentDialects = ["::mlir::host::HostDialect"];
}

def OutlineKernelsPass : Pass<"ingot-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Outline fusions as kernels";
  let description = [{
    A kernel's arguments are the values that the fusion captured, then one
    destination per result. If a result is the new value of a variable, its
    destination is the variable itself, so that the update is in place. This
    requires that the new value is computed by an op that ties its result to the
    variable, or by an elementwise op that reads each element of the variable
    before it writes this element.

    ```mlir
    // Before: a fusion in an entry.
    %1 = ingot.fusion "h_Relu" -> tensor<4xf32> {
      %2 = ingot.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
      ingot.return %2 : tensor<4xf32>
    }
    // After: a launch, and the kernel as a function.
    %e = tensor.empty() : tensor<4xf32>
    %1 = host.launch @h_Relu ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    func.func private @h_Relu(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32>
        attributes {host.kernel} {
      %2 = ingot.relu %a : (tensor<4xf32>) -> tensor<4xf32>
      return %2 : tensor<4xf32>
    }
    ```
  }];
  let statistics = [Statistic<"numInPlace", "num-in-place", "Results that overwrite a variable or accumulator">];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::host::HostDialect"];
}

def LowerToLinalgPass : Pass<"ingot-lower-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lower kernels to linalg on tensors";
  let description = [{
    Most ops of a kernel become `linalg.generic`; others become `scf` loops over
    elements or slices.

    ```mlir
    // Before: an op of the graph dialect in a kernel.
    %2 = ingot.relu %a : (tensor<4xf32>) -> tensor<4xf32>
    // After: a loop nest that computes one element per iteration.
    %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%x: f32, %o: f32):
      %c = arith.cmpf olt, %x, %zero : f32
      %y = arith.select %c, %zero, %x : f32
      linalg.yield %y : f32
    } -> tensor<4xf32>
    ```
  }];
  let options = [Ingot_PolicyOption];
  let statistics = [
    Statistic<"numKernels", "num-kernels", "Kernels lowered">,
    Statistic<"numAccumulated", "num-accumulated", "Results that accumulate in their destinations">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def SplitKernelsAtReductionsPass : Pass<"ingot-split-kernels-at-reductions", "::mlir::ModuleOp"> {
  let summary = "Split kernels at full reductions that later loops need";
  let description = [{
    In batch normalization, one loop computes a sum for each image and channel,
    the next one adds up the sums of all images, and a later loop over all
    elements reads the result. In a single kernel, the grid could consist of the
    channels only. If there are too few channels, each of the large loops
    becomes a kernel whose grid consists of the images, and the ops between
    these loops become kernels, too. The order of additions is unchanged. A loop
    whose result several loops read is computed once. Elementwise loops whose
    results only the last loop reads stay in its kernel.

    ```mlir
    // Before: one kernel normalizes a batch of images.
    %y = host.launch @Norm ins(%x : tensor<64x32x32x16xf32>) outs(%e : tensor<64x32x32x16xf32>) -> tensor<64x32x32x16xf32>
    // After: @Norm_blocks sums each image, @Norm_blocks_0 adds up these sums.
    %s = host.launch @Norm_blocks ins(%x : tensor<64x32x32x16xf32>) outs(%f : tensor<64x16xf32>) -> tensor<64x16xf32>
    %m = host.launch @Norm_blocks_0 ins(%s : tensor<64x16xf32>) outs(%g : tensor<16xf32>) -> tensor<16xf32>
    %y = host.launch @Norm ins(%x, %m : ...) outs(%e : tensor<64x32x32x16xf32>) -> tensor<64x32x32x16xf32>
    ```
  }];
  let statistics = [Statistic<"numSplit", "num-split", "Kernels split">];
  let options = [Ingot_PolicyOption];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def SplitReductionsPass : Pass<"ingot-split-reductions", "::mlir::ModuleOp"> {
  let summary = "Split large reductions into blocks";
  let description = [{
    If a reduction of static size has few results, a first kernel reduces blocks
    of rows: the blocks run in parallel, and long sums lose less precision. A
    second kernel combines the blocks' results in order. The blocks depend on
    sizes only, never on the number of threads, so results are reproducible.
    Reductions with enough results to parallelize over, or with few elements,
    stay as they are. With `gemm-splits-min-depth` of the policy, a GEMM with few tiles is split
    along K, so that there are about `gemm-splits-tiles` tiles: the blocks are a batch
    of GEMMs, and the original kernel adds their results and computes the
    epilogue.

    ```mlir
    // Before: one kernel sums all elements.
    %s = host.launch @Sum ins(%x : tensor<1048576xf32>) outs(%e : tensor<f32>) -> tensor<f32>
    // After: a kernel sums 64 blocks, and @Sum adds up the 64 results.
    %p = host.launch @Sum_blocks ins(%x : tensor<1048576xf32>) outs(%f : tensor<64xf32>) -> tensor<64xf32>
    %s = host.launch @Sum ins(%p : tensor<64xf32>) outs(%e : tensor<f32>) -> tensor<f32>
    ```
  }];
  let statistics = [Statistic<"numSplit", "num-split", "Reductions split">];
  let options = [Ingot_PolicyOption];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def MaterializeRoundedGEMMOperandsPass : Pass<"ingot-materialize-rounded-gemm-operands", "::mlir::ModuleOp"> {
  let summary = "Round the f32 factors of large GEMMs to 16 bits once";
  let description = [{
    In a GEMM of f32 factors that is computed with a precision of 16 bits, each
    tile rounds the elements that it loads, and many tiles load the same
    element. For a GEMM of at least `rounded-gemm-operands-min-multiplications`, and
    with M, N and K of at least `rounded-gemm-operands-min-side`, a separate kernel
    rounds each factor (operand) once, and the GEMM reads the 16-bit results.
    Sums stay f32. A value that is a factor of several GEMMs is rounded once for
    all of them. GEMMs of dynamic sizes, with im2col factors, or in kernels with
    other ops than an elementwise epilogue stay as they are.

    ```mlir
    // Before: a GEMM whose tiles round both factors.
    %y = host.launch @MatMul ins(%x, %w : tensor<4096x8192xf32>, tensor<8192x8192xf32>) outs(%e : tensor<4096x8192xf32>) -> tensor<4096x8192xf32>
    // After: two kernels round the factors.
    %a = host.launch @MatMul_rounded ins(%x : tensor<4096x8192xf32>) outs(%f : tensor<4096x8192xbf16>) -> tensor<4096x8192xbf16>
    %b = host.launch @MatMul_rounded_0 ins(%w : tensor<8192x8192xf32>) outs(%g : tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16>
    %y = host.launch @MatMul ins(%a, %b : tensor<4096x8192xbf16>, tensor<8192x8192xbf16>) outs(%e : tensor<4096x8192xf32>) -> tensor<4096x8192xf32>
    ```
  }];
  let statistics = [
    Statistic<"numGEMMs", "num-gemms", "GEMMs that read rounded factors">,
    Statistic<"numRounded", "num-rounded", "Values rounded">
  ];
  let options = [Ingot_PolicyOption];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ResolveLaunchResultShapesPass : Pass<"ingot-resolve-launch-result-shapes", "::mlir::ModuleOp"> {
  let summary = "Compute the dynamic result shapes of launches";
  let description = [{
    The destination of a kernel's result is allocated before the launch. If the
    result has a dynamic dimension, the ops of the kernel that compute its size
    (from dimensions of operands, or elements of small tensors) are therefore
    cloned to the caller, before the launch.

    ```mlir
    // Before: the size of %e is a placeholder, %c0.
    %e = tensor.empty(%c0) : tensor<?xf32>
    %1 = host.launch @h_Relu ins(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    // After: the size of %e is computed from the operand %0.
    %n = tensor.dim %0, %c0 : tensor<?xf32>
    %e = tensor.empty(%n) : tensor<?xf32>
    %1 = host.launch @h_Relu ins(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    ```
  }];
  let statistics = [Statistic<"numResolved", "num-resolved", "Launches with dynamic result sizes resolved">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def CastLaunchOperandsToArgumentTypesPass : Pass<"ingot-cast-launch-operands-to-argument-types", "::mlir::ModuleOp"> {
  let summary = "Cast operands of launches to the types of kernels' arguments";
  let description = [{
    Canonicalization folds a cast from static to dynamic sizes into the launch
    that reads its result, so that the launch's operand no longer has the type
    of the kernel's argument. The pass casts the operand instead of changing the
    kernel, which other launches may share.

    ```mlir
    // Before: @Relu is a kernel on tensor<?xf32>, but %e is static.
    %e = tensor.empty() : tensor<4xf32>
    %1 = host.launch @Relu ins(%0 : tensor<?xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    // After: %e is cast to the kernel's type, and the result back.
    %e = tensor.empty() : tensor<4xf32>
    %c = tensor.cast %e : tensor<4xf32> to tensor<?xf32>
    %r = host.launch @Relu ins(%0 : tensor<?xf32>) outs(%c : tensor<?xf32>) -> tensor<?xf32>
    %1 = tensor.cast %r : tensor<?xf32> to tensor<4xf32>
    ```
  }];
  let statistics = [Statistic<"numCast", "num-cast", "Operands cast">];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def MergeSimilarKernelsPass : Pass<"ingot-merge-similar-kernels", "::mlir::ModuleOp"> {
  let summary = "Merge kernels that differ in numbers only";
  let description = [{
    Members of an ensemble have kernels that differ in rates and weights of
    penalties only, layers of the same shape those that differ in where their
    random numbers begin: initializers and dropouts. Such kernels become
    identical: each constant that differs becomes an argument, a number as a
    tensor of rank 0. Then `ingot-deduplicate-kernels` keeps one of them.

    Constants that code depends on, such as indices, stay.

    Kernels remain apart if more than 4 of their constants differ.

    ```mlir
    // Before: the kernels @a and @b differ in this constant only.
    func.func @a(%x: tensor<4xf32>, ...) {
      %rate = arith.constant 1.000000e-01 : f32
    %r = host.launch @a ins(%x : tensor<4xf32>) ...
    // After, and likewise for @b:
    func.func @a(%x: tensor<4xf32>, %constant: tensor<f32>, ...) {
      %rate = tensor.extract %constant[] : tensor<f32>
    %c = arith.constant dense<1.000000e-01> : tensor<f32>
    %r = host.launch @a ins(%x, %c : tensor<4xf32>, tensor<f32>) ...
    ```
  }];
  let statistics = [Statistic<"numParameterized", "num-parameterized", "Kernels whose constants became arguments">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def DeduplicateKernelsPass : Pass<"ingot-deduplicate-kernels", "::mlir::ModuleOp"> {
  let summary = "Deduplicate identical kernels";
  let description = [{
    Layers of the same shape have kernels that differ in their names only. Only
    the first of these kernels is kept, and all their launches use it, so that
    its code is generated once.

    ```mlir
    // Before: the kernels @h1_Relu and @h2_Relu are identical.
    %a = host.launch @h1_Relu(%x) ...
    %b = host.launch @h2_Relu(%y) ...
    // After: both launches use @h1_Relu.
    %a = host.launch @h1_Relu(%x) ...
    %b = host.launch @h1_Relu(%y) ...
    ```
  }];
  let statistics = [Statistic<"numMerged", "num-merged", "Kernels erased as duplicates">];
}

def LowerReshapesToViewsPass : Pass<"ingot-lower-reshapes-to-views", "::mlir::ModuleOp"> {
  let summary = "Lower reshapes between kernels to views";
  let description = [{
    Tensors are dense and row-major in memory, so that a reshape is a view and
    copies nothing.

    ```mlir
    // Before: a reshape in an entry.
    %1 = ingot.reshape %0, %s : (tensor<64x36xf32>, tensor<3xi64>) -> tensor<64x9x4xf32>
    // After: a view of the same elements.
    %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [64, 9, 4] : tensor<64x36xf32> into tensor<64x9x4xf32>
    ```
  }];
  let statistics = [
    Statistic<"numReshapes", "num-reshapes", "Reshapes lowered to views">,
    Statistic<"numRows", "num-rows", "Ops on stacked rows lowered to slices">
  ];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def LowerControlFlowToSCFPass : Pass<"ingot-lower-control-flow-to-scf", "::mlir::ModuleOp"> {
  let summary = "Lower if and while to scf over buffers";
  let description = [{
    Loop-carried values and results of branches are stored in buffers; each
    iteration of a loop reads these and then overwrites them. A tensor of
    dynamic shape is copied from each iteration to the next instead.

    An `ingot.slice_region` becomes a loop over the slices of the process. The
    loop passes the values that each slice yields to the runtime, which returns
    the combined values after the loop.

    ```mlir
    // Before: a branch with a tensor as its result.
    %y = ingot.if %c : tensor<i1> -> (tensor<4xf32>) {
      ingot.result %a : tensor<4xf32>
    } else {
      ingot.result %b : tensor<4xf32>
    }
    // After: both branches write their result to the buffer %m.
    %m = memref.alloc() : memref<4xf32>
    %p = tensor.extract %c[] : tensor<i1>
    scf.if %p {
      bufferization.materialize_in_destination %a in restrict writable %m
    } else {
      bufferization.materialize_in_destination %b in restrict writable %m
    }
    %y = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
    ```
  }];
  let statistics = [
    Statistic<"numBranches", "num-branches", "Branches lowered">,
    Statistic<"numLoops", "num-loops", "Loops lowered">,
    Statistic<"numSliceRegions", "num-slice-regions", "Slice regions lowered">
  ];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def AssignResourceIndicesPass : Pass<"ingot-assign-resource-indices", "::mlir::ModuleOp"> {
  let summary = "Assign variables, lookup tables, iterators and savers their indices in the descriptor's tables";
  let description = [{
    Variables, lookup tables, iterators and savers are each numbered from 0, in
    the order of their symbols in the module. Iterators that are alternatives to
    another one, because several pipelines may initialize it, come last. From
    this pass on, the module's verifier checks the numbers.

    Constraints:
    - (assign_resource_indices_c1) each variable, table, iterator and saver has a number.
    - (assign_resource_indices_c2) the n symbols of a kind have the numbers 0 to n - 1.
    - (assign_resource_indices_c3) alternatives have the last numbers of iterators.

    ```mlir
    // Before: a variable without a number.
    ingot.variable @w : tensor<4xf32>
    // After: the program's first variable has the number 0.
    ingot.variable @w : tensor<4xf32> {ingot.number = 0 : i32}
    ```
  }];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def LowerEntriesToFunctionsPass : Pass<"ingot-lower-entries-to-functions", "::mlir::ModuleOp"> {
  let summary = "Lower entries to functions on the storage of variables, feeds and fetches";
  let description = [{
    Arguments are the storage of variables, feeds and fetches. Side effects
    become host ops. Each result of an entry is written to its destination: a
    variable's storage or the caller's fetch. Symbols are referred to by their
    numbers (ingot-assign-resource-indices).

    ```mlir
    // Before: an entry that updates @w.
    ingot.entry @step role(step) feeds [] fetches [] variables [@w] updates [@w] {
    ^bb0(%w: tensor<f32>):
      %y = host.launch @k ins() outs(%w : tensor<f32>) -> tensor<f32>
      ingot.return %y : tensor<f32>
    }
    // After: a function that writes to %s, the storage of @w.
    func.func @step(%s: memref<f32> {host.variable = 0 : i32}) attributes {host.entry = #host.entry<...>} {
      %w = bufferization.to_tensor %s restrict writable : memref<f32> to tensor<f32>
      %y = host.launch @k outs(%w : tensor<f32>) -> tensor<f32>
      bufferization.materialize_in_destination %y in restrict writable %s : (tensor<f32>, memref<f32>) -> ()
      return
    }
    ```
  }];
  let statistics = [
    Statistic<"numEntries", "num-entries", "Entries lowered">,
    Statistic<"numFunctions", "num-functions", "Functions of datasets lowered">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
                           "::mlir::func::FuncDialect", "::mlir::host::HostDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def BranchOnBatchSizePass : Pass<"ingot-branch-on-batch-size", "::mlir::ModuleOp"> {
  let summary = "Join a step and its full-batch clone in one function";
  let description = [{
    The function of an entry draws a batch and branches on its size: for a full
    batch, it runs the code of the clone
    (ingot-specialize-steps-for-full-batches), and for a partial batch, the code
    of the entry. A clone whose fetches have other types than those of the
    entry, such as predictions of static batch size, is dropped.

    ```mlir
    // Before: an entry's function and its clone for batches of 50 rows.
    func.func @step(%w: memref<4xf32>) {
      %x = host.iterator_next 0 : tensor<?x4xf32>
      ...
    }
    func.func @step.full(%w: memref<4xf32>) attributes {host.full_batch_of = @step} {
      %x = host.iterator_next 0 : tensor<50x4xf32>
      ...
    }
    // After: one function, with a branch for full and one for short batches.
    func.func @step(%w: memref<4xf32>) {
      %x = host.iterator_next 0 : tensor<?x4xf32>
      %n = tensor.dim %x, %c0 : tensor<?x4xf32>
      %full = arith.cmpi eq, %n, %c50 : index
      scf.if %full {
        %y = tensor.cast %x : tensor<?x4xf32> to tensor<50x4xf32>
        ...
      } else {
        ...
      }
    }
    ```
  }];
  let statistics = [
    Statistic<"numJoined", "num-joined", "Clones for full batches joined">,
    Statistic<"numDropped", "num-dropped", "Clones for full batches dropped">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
}

def BranchOnOneRankPass : Pass<"ingot-branch-on-one-rank", "::mlir::ModuleOp"> {
  let summary = "Join a step and its clone for one rank in one function";
  let description = [{
    The function of an entry branches on the slices that its rank has: with all
    of them, it runs the code of the clone for one rank
    (ingot-split-batch-into-slices), and else the code of the entry. The branch
    follows the ops that draw a batch. A clone that does not draw as the entry
    does, or with other fetches, is dropped.

    ```mlir
    // Before: an entry's function and its clone for runs of one rank.
    func.func @step(%w: memref<4xf32>) {
      %x = host.iterator_next 0 : tensor<64x4xf32>
      ...
    }
    func.func @step.one_rank(%w: memref<4xf32>) attributes {host.one_rank_of = @step, host.slices = 8 : i64} {
      %x = host.iterator_next 0 : tensor<64x4xf32>
      ...
    }
    // After: one function, with a branch for one rank and one for several.
    func.func @step(%w: memref<4xf32>) {
      %x = host.iterator_next 0 : tensor<64x4xf32>
      %0:2 = host.call "ingot_op_slice_range" ...
      %alone = arith.cmpi eq, ... : index
      scf.if %alone {
        ...
      } else {
        ...
      }
    }
    ```
  }];
  let statistics = [
    Statistic<"numJoined", "num-joined", "Clones for one rank joined">,
    Statistic<"numDropped", "num-dropped", "Clones for one rank dropped">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
}

#endif // INGOT_COMPILER_LOWER_PASSES_TD
