//===- Passes.td - Kernels, whatever their target --------------*- tablegen -*-===//
//
// Fuse, bufferize, take allocations out. Of a module only functions with
// host.kernel are looked at.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_KERNELS_PASSES_TD
#define INGOT_CODEGEN_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseElementwisePass : Pass<"ingot-fuse-elementwise", "::mlir::ModuleOp"> {
  let summary = "Merges chains of elementwise ops inside each kernel";
  let description = [{
    Whatever is used once is computed where it is used. Products keep their
    operands as they are, and what is computed once for a whole tensor (a
    step size) stays outside its loops.

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
  let summary = "Gives every tensor of a kernel a buffer";
  let description = [{
    Kernels get buffers for arguments, the last of which are their results;
    One-Shot Bufferize then decides what happens in place.

    ```mlir
    // Before
    func.func private @k(%a: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32>
    // After
    func.func private @k(%a: memref<4xf32>, %o: memref<4xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def ComputeInResultsPass : Pass<"ingot-compute-in-results", "::mlir::ModuleOp"> {
  let summary = "Computes results of unknown sizes where they are to lie";
  let description = [{
    What is as large as the input says, and is copied to a result in the end, is
    computed there.

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
  let summary = "Makes the ops of a kernel one loop over independent blocks";
  let description = [{
    Where all that a kernel computes shares a parallel dimension (rows of a
    softmax, elements of an optimizer's step), the loop runs over blocks of that
    dimension and its iterations are independent: they become the kernel's grid.
    The length of a block depends on sizes only. Temporaries shrink to a block.
    Small ops that share nothing with the rest and have no such dimension (a moving average beside a batch
    normalization) are in an `scf.if` of the first block, with `leave-small`.
    Of a loop over positions (a scan's) each block does all, with its part of
    what is computed there.

    Where indices choose the rows that are updated, a block is a range of rows:
    it looks at all indices in their order, and leaves those to others that
    choose from outside of it. `host.grid_range` says that blocks may be done
    together, so that a thread looks at the indices once. Where all elements of
    the rows are computed as well, before the updates or behind them, a range is
    cut into parts that stay in caches meanwhile (`part-bytes`), each of which
    looks at all indices: so a part has a quarter as many rows as there are
    indices, at least.

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
    Option<"blockBytes", "block-bytes", "int64_t", "32 * 1024", "A block reads and writes about as much">,
    Option<"blockOperations", "block-operations", "int64_t", "32 * 1024", "Or it computes about as much">,
    Option<"maxOwnBytes", "max-own-bytes", "int64_t", "64 * 1024",
           "A larger temporary stays one buffer for all blocks">,
    Option<"partBytes", "part-bytes", "int64_t", "0",
           "Ranges of rows that are updated, and computed as a whole as well, are cut into parts of so many bytes; 0: never">,
    Option<"leavesSmall", "leave-small", "bool", "false",
           "What is small, and shares nothing with the rest but no dimension either, the first block does">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def MeasureKernelsPass : Pass<"ingot-measure-kernels", "::mlir::ModuleOp"> {
  let summary = "Notes what an iteration of a kernel's grid computes and moves";
  let description = [{
    Operations and bytes are estimates, from which the runtime knows whether
    several threads are worth it. Memory of the kernel's own is not counted, and
    what an iteration reads again and again is counted once. A grid that is too
    small for a second thread on any machine is taken back. Where iterations
    have stretches of an argument to themselves, it is noted how far apart these
    are, in bytes: launches wait for parts of each other then.

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
           "A grid that computes less in all is taken back, where it moves little as well">,
    Option<"minGridBytes", "min-grid-bytes", "int64_t", "128 * 1024", "And that is as many bytes">];
}

def ExpandRandomBitsPass : Pass<"ingot-expand-random-bits", "::mlir::ModuleOp"> {
  let summary = "Computes random bits as arithmetic";
  let description = [{
    A number is computed by itself, with all four words of its block. A vector
    has whole blocks, whose words stay where they are in memory: each round
    multiplies, shuffles, shifts and combines once for four blocks of a vector
    of 512 bits. One that may begin within a block takes a block more.

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
  let summary = "Takes allocations out of kernels";
  let description = [{
    What is small lives on the stack; what is not lies in one block of bytes,
    the kernel's last argument, which whoever launches it provides. Its size is
    the attribute `host.scratch`. What a grid's blocks only read, a packed
    operand, lives on the stack up to a larger size: each thread fills its own.

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
           "Larger buffers lie in scratch memory.">,
    Option<"maxOperandBytes", "max-operand-bytes", "int64_t", "16 * 1024",
           "Larger buffers that blocks of a grid only read lie in scratch memory.">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

#endif // INGOT_CODEGEN_KERNELS_PASSES_TD
