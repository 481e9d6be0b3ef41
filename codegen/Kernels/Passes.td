//===- Passes.td - Kernels, whatever their target --------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Fuse, bufferize, partition into a grid, hoist allocations out. These passes
// process only functions with host.kernel.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_KERNELS_PASSES_TD
#define INGOT_CODEGEN_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseElementwisePass : Pass<"ingot-fuse-elementwise", "::mlir::ModuleOp"> {
  let summary = "Fuse chains of elementwise ops inside each kernel";
  let description = [{
    A producer with one use is computed in its consumer's loops. The operands of
    GEMMs are not fused, and scalars that a whole tensor uses (a learning rate)
    stay outside its loops.

    ```mlir
    // Before
    %1 = linalg.generic ... ins(%0, %bias) { addf }
    %2 = linalg.generic ... ins(%1) { select }
    // After
    %2 = linalg.generic ... ins(%0, %bias) { addf; select }
    ```
  }];
}

def BufferizeKernelsPass : Pass<"ingot-bufferize-kernels", "::mlir::ModuleOp"> {
  let summary = "Bufferize kernels";
  let description = [{
    The tensors of a kernel's signature become buffers, the results last
    (destination-passing style); One-Shot Bufferize then decides which ops are
    computed in place.

    ```mlir
    // Before
    func.func private @k(%a: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32>
    // After
    func.func private @k(%a: memref<4xf32>, %o: memref<4xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def ElideResultCopiesPass : Pass<"ingot-elide-result-copies", "::mlir::ModuleOp"> {
  let summary = "Elide copies of dynamically sized buffers to results";
  let description = [{
    A buffer of a dynamic size that is copied to a result at the end of the
    kernel is replaced by the result.

    ```mlir
    // Before
    %0 = memref.alloc(%n) : memref<?x8xf32>
    linalg.fill ins(%zero : f32) outs(%0 : memref<?x8xf32>)
    memref.copy %0, %o : memref<?x8xf32> to memref<?x8xf32>
    // After
    linalg.fill ins(%zero : f32) outs(%o : memref<?x8xf32>)
    ```
  }];
}

def PartitionKernelsPass : Pass<"ingot-partition-kernels", "::mlir::ModuleOp"> {
  let summary = "Partition the ops of a kernel into a grid of independent blocks";
  let description = [{
    Where all ops of a kernel share a parallel dimension (rows of a softmax,
    elements of an optimizer's step), they become one loop over blocks of that
    dimension, the kernel's grid. The length of a block depends on sizes only.
    Temporaries shrink to a block. With `leave-small`, small ops that depend on
    nothing else and have no such dimension (a moving average beside a batch
    normalization) go into an `scf.if` of the first block. In a sequential loop
    (a scan) each block runs all iterations on its part of the dimension.

    Where indices choose the rows that are updated (row-sparse updates), a block
    is a range of rows: it scans all indices in order, and skips those outside
    its range, so that each row gets its updates in order and no two blocks write
    one row. `host.grid_range` says that blocks may be merged, so that a thread
    scans the indices once. Where the kernel also computes all rows before or
    after the updates, a range is cut into parts that stay in cache
    (`part-bytes`), each of which scans all indices: so a part has at least a
    quarter as many rows as there are indices.

    ```mlir
    // Before
    linalg.generic ins(%a : memref<65536xf32>) outs(%o : memref<65536xf32>) { ... }
    // After
    scf.for %i = %c0 to %c65536 step %c4096 {
      %0 = memref.subview %a[%i] [4096] [1] : memref<65536xf32> to memref<4096xf32, strided<[1], offset: ?>>
      %1 = memref.subview %o[%i] [4096] [1] : ...
      linalg.generic ins(%0) outs(%1) { ... }
    } {host.grid_loop}

    // Before
    scf.for %i = %c0 to %c512 step %c1 {
      %row = memref.load %indices[%i] : memref<512xindex>
      %isInside = arith.cmpi ult, %row, %c1024 : index
      scf.if %isInside { ... memref.subview %table[%row, 0] [1, 64] [1, 1] ... }
    }
    // After
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
    Option<"blockOperations", "block-operations", "int64_t", "32 * 1024", "Or approximate number of operations of a block">,
    Option<"maxOwnBytes", "max-own-bytes", "int64_t", "64 * 1024",
           "Maximum bytes of a temporary that is private to a block">,
    Option<"partBytes", "part-bytes", "int64_t", "0",
           "Bytes of a part of rows that are both updated by index and computed as a whole; 0: do not cut">,
    Option<"leavesSmall", "leave-small", "bool", "false",
           "Run small independent ops without the shared dimension in the first block">];
  let statistics = [Statistic<"numPartitioned", "num-partitioned", "Number of kernels partitioned into a grid">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def EstimateKernelsPass : Pass<"ingot-estimate-kernels", "::mlir::ModuleOp"> {
  let summary = "Annotate kernels with the operations and bytes of a grid iteration";
  let description = [{
    The estimates tell the runtime whether several threads pay off. Temporaries
    of the kernel are not counted, and memory that an iteration reads repeatedly
    is counted once. A grid that is too small for a second thread on any machine
    is removed. Where each iteration touches a stretch of an argument of its own,
    `host.strides` has the distance of these stretches in bytes, so that a launch
    can wait for parts of another one.

    ```mlir
    // Before
    func.func private @k(%a: memref<65536xf32>, %o: memref<65536xf32>) attributes {host.kernel}
    // After
    func.func private @k(%a: memref<65536xf32>, %o: memref<65536xf32>)
      attributes {host.kernel, host.flops = 4096 : i64, host.bytes = 32768 : i64,
                  host.strides = array<i64: 16384, 16384>}
    ```
  }];
  let options = [
    Option<"minGridOperations", "min-grid-operations", "int64_t", "128 * 1024",
           "Remove a grid with fewer operations in all, if it has fewer bytes, too">,
    Option<"minGridBytes", "min-grid-bytes", "int64_t", "128 * 1024", "Remove a grid with fewer bytes in all, if it has fewer operations, too">];
}

def ExpandRandomBitsPass : Pass<"ingot-expand-random-bits", "::mlir::ModuleOp"> {
  let summary = "Expand random bits into the arithmetic of Philox-4x32-10";
  let description = [{
    A scalar is computed by itself, with all four words of its Philox block
    (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011). A
    vector has whole blocks, whose words are in the order of memory: each round
    multiplies, shuffles, shifts and combines once for the four blocks of a
    512-bit vector. A vector that may begin within a block computes one more.

    ```mlir
    // Before
    %v = host.random_bits %key, %low, %high, %index aligned : vector<16xi32>
    // After
    %p = arith.muli %lower, %factors : vector<8xi64>
    %w = vector.bitcast %p : vector<8xi64> to vector<16xi32>
    %s = vector.shuffle %w, %w [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]
    %q = vector.bitcast %s : vector<16xi32> to vector<8xi64>
    %x = arith.xori %q, %upper : vector<8xi64>
    %n = arith.xori %x, %key0 : vector<8xi64>
    ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def PlaceScratchPass : Pass<"ingot-place-scratch", "::mlir::ModuleOp"> {
  let summary = "Move a kernel's allocations to the stack or to scratch memory";
  let description = [{
    Small buffers live on the stack; others lie in scratch memory, the kernel's
    last argument, which the caller of a launch provides. Its size in bytes is
    the attribute `host.scratch`. A buffer that the blocks of a grid only read, a
    packed operand, lives on the stack up to a larger size: each thread packs its
    own.

    ```mlir
    // Before
    func.func private @k(%o: memref<4xf32>) { %t = memref.alloc() : memref<64x64xf32> ... }
    // After
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
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

#endif // INGOT_CODEGEN_KERNELS_PASSES_TD
