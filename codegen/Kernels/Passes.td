//===- Passes.td - Passes for kernels of all targets -------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The passes that kernels of all targets have in common. They fuse ops,
// bufferize, partition a kernel into a grid, and move allocations out of it.
// They process only functions with host.kernel.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_KERNELS_PASSES_TD
#define INGOT_CODEGEN_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseElementwisePass : Pass<"ingot-fuse-elementwise", "::mlir::ModuleOp"> {
  let summary = "Fuse chains of elementwise ops inside each kernel";
  let description = [{
    Fuses an elementwise producer that has one use into its consumer's loops. The
    operands of GEMMs are not fused, and scalars that apply to a whole tensor,
    such as a learning rate, are computed outside of the tensor's loops.

    ```mlir
    // Before: an addition, then a select
    %1 = linalg.generic ... ins(%0, %bias) { addf }
    %2 = linalg.generic ... ins(%1) { select }
    // After: one op computes both
    %2 = linalg.generic ... ins(%0, %bias) { addf; select }
    ```
  }];
  let statistics = [
    Statistic<"numFused", "num-fused", "Number of ops fused into their consumers">,
    Statistic<"numInDestinations", "num-in-destinations", "Number of results computed in their destinations">
  ];
}

def SimplifyKernelsPass : Pass<"ingot-simplify-kernels", "::mlir::ModuleOp"> {
  let summary = "Fold all ops, and canonicalize those of some dialects";
  let description = [{
    Does what MLIR's canonicalizer does, with two differences that make it half as
    long: only the ops of `dialects` have canonicalization patterns, and blocks are
    not simplified. Kernels have structured control flow, or LLVM simplifies their
    blocks afterwards. If no pass has changed the module since the last run, as
    passes tell by preserving all analyses, it does nothing.

    ```mlir
    // Before: a remainder, which is a loop of one iteration
    scf.for %i = %c0 to %c4 step %c4 { memref.store %v, %a[%i] : memref<4xf32> }
    // After: its body
    memref.store %v, %a[%c0] : memref<4xf32>
    ```
  }];
  let options = [
    ListOption<"dialects", "dialects", "std::string", "The dialects whose ops are canonicalized">
  ];
}

def BufferizeKernelsPass : Pass<"ingot-bufferize-kernels", "::mlir::ModuleOp"> {
  let summary = "Bufferize kernels";
  let description = [{
    The tensors of a kernel's signature become buffers, the results last
    (destination-passing style); One-Shot Bufferize then decides which ops are
    computed in place.

    ```mlir
    // Before: a kernel on tensors, which returns its result
    func.func private @k(%a: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32>
    // After: the kernel writes the result to its last argument
    func.func private @k(%a: memref<4xf32>, %o: memref<4xf32>)
    ```
  }];
  let statistics = [Statistic<"numAssembled", "num-assembled", "Number of tensors of many slices assembled in a buffer">];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def ElideResultCopiesPass : Pass<"ingot-elide-result-copies", "::mlir::ModuleOp"> {
  let summary = "Elide copies of dynamically sized buffers to results";
  let description = [{
    If a buffer of a dynamic size is copied to a result at the end of the kernel,
    the result's buffer replaces it.

    ```mlir
    // Before: a temporary is copied to the result
    %0 = memref.alloc(%n) : memref<?x8xf32>
    linalg.fill ins(%zero : f32) outs(%0 : memref<?x8xf32>)
    memref.copy %0, %o : memref<?x8xf32> to memref<?x8xf32>
    // After: the temporary's memory is that of the result
    linalg.fill ins(%zero : f32) outs(%o : memref<?x8xf32>)
    ```
  }];
  let statistics = [Statistic<"numElided", "num-elided", "Number of copies to results elided">];
}

def PartitionKernelsIntoBlocksPass : Pass<"ingot-partition-kernels-into-blocks", "::mlir::ModuleOp"> {
  let summary = "Partition the ops of a kernel into a grid of independent blocks";
  let description = [{
    If all ops of a kernel share a parallel dimension, such as the rows of a
    softmax or the elements of an optimizer's step, they become the body of one
    loop over blocks of that dimension: the kernel's grid. The length of a block
    depends on tensor sizes only. Temporaries shrink to the size of a block. With
    `leave-small`, small ops without this dimension that do not depend on the
    other ops, such as a moving average beside a batch normalization, go into an
    `scf.if` that only the first block runs. In a sequential loop (a scan), each
    block runs all iterations on its part of the dimension.

    If indices choose the rows that are updated (row-sparse updates), a block is
    a range of rows. It scans all indices in order and skips those outside of
    its range, so that each row gets its updates in order and no two blocks
    write the same row. The attribute `host.grid_range` allows the merging of a
    thread's blocks, so that the thread scans the indices only once. If the
    kernel also computes all rows before or after the updates, a range is cut
    into parts that stay in cache (`part-bytes`). As each part scans all
    indices, it has at least a quarter as many rows as there are indices.

    ```mlir
    // Before: an elementwise op on 65536 elements
    linalg.generic ins(%a : memref<65536xf32>) outs(%o : memref<65536xf32>) { ... }
    // After: a grid over blocks of 4096 elements
    scf.for %i = %c0 to %c65536 step %c4096 {
      %0 = memref.subview %a[%i] [4096] [1] : memref<65536xf32> to memref<4096xf32, strided<[1], offset: ?>>
      %1 = memref.subview %o[%i] [4096] [1] : ...
      linalg.generic ins(%0) outs(%1) { ... }
    } {host.grid_loop}

    // Before: a row-sparse update, as a loop over 512 indices of rows
    scf.for %i = %c0 to %c512 step %c1 {
      %row = memref.load %indices[%i] : memref<512xindex>
      %isInside = arith.cmpi ult, %row, %c1024 : index
      scf.if %isInside { ... memref.subview %table[%row, 0] [1, 64] [1, 1] ... }
    }
    // After: a grid over ranges of eight rows, each of which scans all indices
    scf.for %first = %c0 to %c1024 step %c8 {
      %size = affine.min affine_map<(i) -> (-i + 1024, 8)>(%first)
      scf.for %i = %c0 to %c512 step %c1 {
        %row = memref.load %indices[%i] : memref<512xindex>
        %isInside = arith.cmpi ult, %row, %c1024 : index
        %distance = arith.subi %row, %first : index
        %isHere = arith.cmpi ult, %distance, %size : index
        %both = arith.andi %isInside, %isHere : i1
        scf.if %both { ... }
      }
    } {host.grid_loop, host.grid_range}
    ```
  }];
  let options = [
    Option<"blockBytes", "block-bytes", "int64_t", "32 * 1024", "Approximate number of bytes that a block reads and writes">,
    Option<"blockOperations", "block-operations", "int64_t", "32 * 1024", "Approximate number of operations of a block, if it reads and writes fewer bytes">,
    Option<"maxOwnBytes", "max-own-bytes", "int64_t", "64 * 1024",
           "Maximum bytes of a temporary that is private to a block">,
    Option<"partBytes", "part-bytes", "int64_t", "0",
           "If a kernel both updates rows by index and computes all rows: bytes of the rows that it processes at a time (0: all rows)">,
    Option<"leavesSmall", "leave-small", "bool", "false",
           "Run small independent ops without the shared dimension in the first block">,
    Option<"maxRanges", "max-ranges", "int64_t", "128",
           "Maximum number of ranges into which the rows of a row-sparse update are divided">,
    Option<"rangeRows", "range-rows", "int64_t", "64",
           "Rows in a range of a row-sparse update of tables with a dynamic number of rows">,
    Option<"innerMultiple", "inner-multiple", "int64_t", "64",
           "Blocks along a contiguous dimension are a multiple of this: whole vectors of every element type">,
    Option<"leastMultiple", "least-multiple", "int64_t", "64",
           "The same of a kernel with much work that would have too few blocks otherwise: whole cache lines">,
    Option<"transposedMultiple", "transposed-multiple", "int64_t", "1",
           "Blocks along a dimension that is contiguous in some large operands only are a multiple of this">];
  let statistics = [Statistic<"numPartitioned", "num-partitioned", "Number of kernels partitioned into a grid">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def EstimateKernelCostsPass : Pass<"ingot-estimate-kernel-costs", "::mlir::ModuleOp"> {
  let summary = "Annotate kernels with the operations and bytes of a grid iteration";
  let description = [{
    Sets `host.flops` and `host.bytes`, from which the runtime decides whether
    several threads pay off. The kernel's temporaries are not counted, and
    memory that an iteration reads repeatedly is counted once. A grid that is
    too small for a second thread on any machine is removed. If each iteration
    accesses its own range of an argument, `host.strides` is the distance in
    bytes between these ranges (0 for other arguments), so that a launch can
    start when parts of another launch are done.

    ```mlir
    // Before: a kernel with a grid
    func.func private @k(%a: memref<65536xf32>, %o: memref<65536xf32>) attributes {host.kernel}
    // After: its operations, bytes and strides per iteration of the grid are attributes
    func.func private @k(%a: memref<65536xf32>, %o: memref<65536xf32>)
      attributes {host.kernel, host.flops = 4096 : i64, host.bytes = 32768 : i64,
                  host.strides = array<i64: 16384, 16384>}
    ```
  }];
  let options = [
    Option<"minGridOperations", "min-grid-operations", "int64_t", "128 * 1024",
           "Remove a grid whose iterations together have fewer operations, and fewer bytes than min-grid-bytes">,
    Option<"minGridBytes", "min-grid-bytes", "int64_t", "128 * 1024",
           "Remove a grid whose iterations together have fewer bytes, and fewer operations than min-grid-operations">,
    Option<"flopsOfDivision", "flops-of-division", "int64_t", "::ingot::kernels::operationsPerDivision",
           "The operations that a core computes as multiply-adds in the time of a division">,
    Option<"flopsOfSquareRoot", "flops-of-square-root", "int64_t", "::ingot::kernels::operationsPerDivision",
           "The operations that a core computes as multiply-adds in the time of a square root">,
    Option<"flopsOfRandomNumber", "flops-of-random-number", "int64_t", "::ingot::kernels::operationsPerRandomNumber",
           "The operations that a core computes as multiply-adds in the time of a random number">];
  let statistics = [Statistic<"numRemoved", "num-removed", "Number of grids removed as too small">];
}

def ExpandRandomBitsToPhiloxPass : Pass<"ingot-expand-random-bits-to-philox", "::mlir::ModuleOp"> {
  let summary = "Expand random bits into the arithmetic of Philox-4x32-10";
  let description = [{
    A scalar random number is computed together with all four words of its Philox
    block (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011).
    A vector is computed as whole blocks, whose words are in the order of memory:
    each round multiplies, shuffles, shifts and combines once for the four blocks
    of a 512-bit vector. If a vector may begin within a block, one more block is
    computed.

    ```mlir
    // Before: 16 random numbers from the beginning of a block
    %v = host.random_bits %key, %low, %high, %index aligned : vector<16xi32>
    // After: ten rounds of Philox, of which this is the first
    %p = arith.muli %lower, %factors : vector<8xi64>
    %w = vector.bitcast %p : vector<8xi64> to vector<16xi32>
    %s = vector.shuffle %w, %w [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]
    %q = vector.bitcast %s : vector<16xi32> to vector<8xi64>
    %x = arith.xori %q, %upper : vector<8xi64>
    %n = arith.xori %x, %key0 : vector<8xi64>
    ...
    ```
  }];
  let statistics = [Statistic<"numExpanded", "num-expanded", "Number of random-bits ops expanded">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def ExpandThreefryPass : Pass<"ingot-expand-threefry", "::mlir::ModuleOp"> {
  let summary = "Expand Threefry-2x32 into its rounds of additions, rotations and XORs";
  let description = [{
    Twenty rounds, after each fourth of which words of the key are added (Salmon et
    al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011). Loops have been
    vectorized before on CPUs, so lanes compute numbers beside each other.

    ```mlir
    // Before
    %x:2 = host.threefry %key0, %key1, %high, %low : vector<16xi32>
    // After: 20 rounds, of which this is the first
    %a = arith.addi %high0, %low0 : vector<16xi32>
    %l = arith.shli %low0, %c13 : vector<16xi32>
    %r = arith.shrui %low0, %c19 : vector<16xi32>
    %t = arith.ori %l, %r : vector<16xi32>
    %b = arith.xori %t, %a : vector<16xi32>
    ...
    ```
  }];
  let statistics = [Statistic<"numExpanded", "num-expanded", "Number of threefry ops expanded">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LowerAllocsToStackOrScratchPass : Pass<"ingot-lower-allocs-to-stack-or-scratch", "::mlir::ModuleOp"> {
  let summary = "Move a kernel's allocations to the stack or to scratch memory";
  let description = [{
    Small buffers are allocated on the stack, larger ones in scratch memory, the
    kernel's last argument, which the caller of a launch provides. Its size in
    bytes is the attribute `host.scratch`. A buffer that the blocks of a grid
    only read, such as a packed operand, may have up to `max-operand-bytes` on
    the stack: each thread fills a buffer of its own.

    ```mlir
    // Before: a temporary of 16 KiB
    func.func private @k(%o: memref<4xf32>) { %t = memref.alloc() : memref<64x64xf32> ... }
    // After: the temporary is in scratch memory, a new argument
    func.func private @k(%o: memref<4xf32>, %s: memref<16384xi8>) attributes {host.scratch = 16384 : i64} {
      %t = memref.view %s[%c0][] : memref<16384xi8> to memref<64x64xf32>
    ```
  }];
  let options = [
    Option<"maxStackBytes", "max-stack-bytes", "int64_t", "16 * 1024",
           "Maximum bytes of a buffer on the stack">,
    Option<"maxOperandBytes", "max-operand-bytes", "int64_t", "16 * 1024",
           "Maximum bytes of a buffer on the stack that blocks of a grid only read">
  ];
  let statistics = [
    Statistic<"numOnStack", "num-on-stack", "Number of buffers moved to the stack">,
    Statistic<"numInScratch", "num-in-scratch", "Number of buffers moved to scratch memory">,
    Statistic<"scratchBytes", "scratch-bytes", "Bytes of scratch memory of all kernels">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

#endif // INGOT_CODEGEN_KERNELS_PASSES_TD
