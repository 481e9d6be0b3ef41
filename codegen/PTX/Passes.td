//===- Passes.td - Kernels for NVIDIA's GPUs -------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The passes that compile kernels for GPUs: they map a kernel's grid to blocks,
// its loops to threads and its temporaries to shared memory, and lower the
// kernel to NVVM.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_PASSES_TD
#define INGOT_CODEGEN_PTX_PASSES_TD

include "mlir/Pass/PassBase.td"

def MarkHostKernelsPass : Pass<"ingot-ptx-mark-host-kernels", "::mlir::ModuleOp"> {
  let summary = "Mark kernels that GPUs cannot run, such as those on strings, to run on the host";
  let description = [{
    Strings are addresses in the host's memory. A kernel that uses one loses its
    body, and receives the reason in the attribute `host.stays`. The passes
    after this one skip such kernels.

    ```mlir
    // Before: a kernel on strings (i128)
    func.func private @k(%a: tensor<4xi128>, %o: tensor<4xi128>) -> tensor<4xi128> attributes {host.kernel} { ... }
    // After: only its declaration is left, with the reason
    func.func private @k(tensor<4xi128>, tensor<4xi128>) -> tensor<4xi128>
      attributes {host.kernel, host.stays = "it computes on strings or complex128"}
    ```
  }];
  let statistics = [Statistic<"numLeft", "num-left", "Number of kernels left to the host">];
}

def GeneralizeTransposesPass : Pass<"ingot-ptx-generalize-transposes", "::mlir::ModuleOp"> {
  let summary = "Generalize transposes of kernels without reductions, so that they fuse with elementwise ops";
  let description = [{
    Threads read an operand that a fused op transposes through a tile in shared
    memory, so no temporary is needed. Kernels with a reduction or a GEMM keep
    their transposes: the bits of a reduction depend on how its operand lies in
    memory.

    ```mlir
    // Before: an op of its own
    %t = linalg.transpose ins(%a : tensor<64x32xf32>) outs(%e : tensor<32x64xf32>) permutation = [1, 0]
    // After: an elementwise op, with which ingot-fuse-elementwise fuses others
    %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], ...}
        ins(%a : tensor<64x32xf32>) outs(%e : tensor<32x64xf32>) { linalg.yield %x : f32 }
    ```
  }];
  let statistics = [Statistic<"numGeneralized", "num-generalized", "Number of transposes generalized">];
}

def TileGEMMsPass : Pass<"ingot-ptx-tile-gemms", "::mlir::ModuleOp"> {
  let summary = "Tile large GEMMs through shared memory, with tensor cores and fused epilogues";
  let description = [{
    A block of 256 threads computes a tile of 32, 64 or 128 rows and columns. It
    copies both operands, whatever their layout, to shared memory, 16 steps of K
    at a time, and loads the next 16 steps meanwhile. Each thread keeps the
    accumulators of 2, 4 or 8 rows and columns of the tile in registers, adds
    products in ascending K, and computes the elementwise epilogue in registers:
    only results that other kernels read are stored. Code that is already
    distributed over threads like this is marked `host.by_threads`. Dimensions
    that are neither M, N nor K form a batch of GEMMs, each with tiles of its
    own. An operand that is im2col is not stored in memory: each thread computes
    the addresses in the image of the elements that it loads (implicit GEMM).
    GEMMs of small or odd sizes, and GEMMs in a kernel with more than
    elementwise ops, are left alone.

    Operands of 16 bits are multiplied by tensor cores, and so are f32 operands
    if `precision` says to which type they are rounded. Each of eight warps has
    a part of the tile. A stage in shared memory has 64 bytes of each row along
    K. There are two stages, so that the next one is loaded and rounded while
    the current one is multiplied, or three if operands are only copied.
    Accumulators are f32. With `tensor-cores=warpgroup` two warpgroups multiply
    (wgmma), which read both operands from shared memory.

    If operands need no rounding and are arguments of the kernel whose rows are
    a multiple of 16 bytes, a GPU with bulk tensor copies (TMA) loads boxes of
    them. The attribute `host.maps` describes the memory of these operands, and
    the kernel receives the tensor maps as its last parameters.
    `host.persistent` says that a block computes tile after tile (a persistent
    kernel), and `host.dynamic_memory` marks shared memory that the launch
    provides.

    ```mlir
    // Before: a GEMM with its fill and its epilogue
    linalg.fill ins(%zero : f32) outs(%t : memref<256x256xf32>)
    linalg.generic ins(%a, %b) outs(%t : memref<256x256xf32>) { mulf; addf }
    linalg.generic ins(%t, %bias) outs(%o : memref<256x256xf32>) { addf }
    // After: code of a block, for its tile of C (host.grid = array<i64: 16, 1>, host.threads = 256)
    scf.execute_region no_inline {
      %block = gpu.block_id x
      %sums:16 = scf.for %k = %c0 to %c256 step %c16 iter_args(...) -> (f32, ...) {
        gpu.barrier
        memref.store %x, %shared[%row, %column] : memref<16x68xf32>
        gpu.barrier
        ... math.fma ...
      }
      scf.if %isInside {
        %y = arith.addf %sums#0, %z : f32
        memref.store %y, %o[%i, %j] : memref<256x256xf32>
      }
    } {host.by_threads}
    // After, with precision=tf32: tensor cores multiply rounded elements
    scf.for %k = %c0 to %c256 step %c16 iter_args(...) -> (f32, ..., i32) {
      %next = vector.load %a[%i, %j] {alignment = 16 : i64} : memref<256x256xf32>, vector<4xf32>
      %x = nvvm.ldmatrix %place {num = 4 : i32, ...} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
      %sums = nvvm.mma.sync A[...] B[...] C[...] {multiplicandAPtxType = #nvvm.mma_type<tf32>, ...}
      %word = llvm.inline_asm "cvt.rna.tf32.f32 $0, $1;", "=r,f" %number : (f32) -> i32
      llvm.store %words, %place : vector<4xi32>, !llvm.ptr<3>
      gpu.barrier
    // After, with tensor-cores=warpgroup and bf16 in memory: some warps copy, others multiply
    scf.if %brings {
      scf.for %tile = %block to %c4 step %blocks iter_args(...) -> (i32) {
        scf.for %k = %c0 to %c256 step %c64 iter_args(...) -> (i32) {
          llvm.inline_asm "... mbarrier.try_wait ...", %empty, %parity
          llvm.inline_asm "mbarrier.arrive.expect_tx ...", %full, %bytes
          llvm.inline_asm "cp.async.bulk.tensor.2d ...", %stage, %map, %full, %k, %row
    scf.if %multiplies {
      scf.for %tile = %block to %c4 step %blocks iter_args(...) -> (i32) {
        %sums:65 = scf.for %k = %c0 to %c256 step %c64 iter_args(...) -> (f32, ..., i32) {
          llvm.inline_asm "... mbarrier.try_wait ...", %full, %parity
          llvm.inline_asm "... wgmma.mma_async ...", ..., %first, %second
          llvm.inline_asm "mbarrier.arrive ...", %empty
    ```
  }];
  let options = [
    Option<"precisionName", "precision", "std::string", "\"f32\"",
           "Type that f32 operands are rounded to: f32 (not at all), tf32, bf16 or f16">,
    Option<"coresName", "tensor-cores", "std::string", "\"warp\"",
           "Unit that issues matrix multiplications: a warp (mma.sync), a warpgroup (wgmma, sm_90a), or one thread into tensor-memory (tcgen05, sm_100a)">,
  ];
  let statistics = [Statistic<"numTiled", "num-tiled", "Number of GEMMs tiled through shared memory">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def CollapseLeadingDimensionsPass : Pass<"ingot-ptx-collapse-leading-dimensions", "::mlir::ModuleOp"> {
  let summary = "Collapse leading dimensions that all ops of a kernel share, so that its grid has more blocks";
  let description = [{
    This applies to kernels whose first dimension has fewer than 1,024
    iterations, each with at least 4,096 elements. Only types, loops and
    indexing maps change, since tensors are contiguous.

    ```mlir
    // Before: the grid has 32 iterations
    func.func private @k(%a: tensor<32x512x1024xf32>, %o: tensor<32x512xf32>) -> tensor<32x512xf32> attributes {host.kernel} {
      linalg.generic {iterator_types = ["parallel", "parallel", "reduction"]}
    // After: it has 16,384
    func.func private @k(%a: tensor<16384x1024xf32>, %o: tensor<16384xf32>) -> tensor<16384xf32> attributes {host.kernel} {
      linalg.generic {iterator_types = ["parallel", "reduction"]}
    ```
  }];
  let statistics = [Statistic<"numCollapsed", "num-collapsed", "Number of kernels whose leading dimensions are collapsed">];
}

def MapGridToBlocksPass : Pass<"ingot-ptx-map-grid-to-blocks", "::mlir::ModuleOp"> {
  let summary = "Map the iterations of a kernel's grid to blocks of threads";
  let description = [{
    The loop marked `host.grid_loop` is replaced by its body, with the induction
    variable computed from the block's index. Ops outside of the loop are
    repeated by each block, in memory of its own. A temporary that only the loop
    writes is shared by all blocks, and marked `host.all_blocks`. If the trip
    count is not an affine function of sizes, or the kernel writes results
    outside of the loop, one block runs the whole kernel.

    ```mlir
    // Before: a grid loop of four iterations
    func.func private @k(%a: memref<4096xf32>) attributes {host.kernel} {
      scf.for %i = %c0 to %c4096 step %c1024 { "use"(%i) } {host.grid_loop}
    // After: block i runs iteration i
    func.func private @k(%a: memref<4096xf32>) attributes {host.kernel, host.grid = array<i64: 4096, 1024>} {
      %block = gpu.block_id x
      %distance = arith.muli %block, %c1024 : index
      %i = arith.addi %c0, %distance : index
      "use"(%i)
    ```
  }];
  let statistics = [Statistic<"numMapped", "num-mapped", "Number of grids mapped to blocks of threads">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect"];
}

def FoldFillsIntoReductionsPass : Pass<"ingot-ptx-fold-fills-into-reductions", "::mlir::ModuleOp"> {
  let summary = "Fold fills into the reductions that they initialize";
  let description = [{
    Erases a `linalg.fill` if the next op that accesses the filled buffer is a
    reduction with this buffer as its destination. The reduction then starts
    from the constant with which the buffer was filled. The attribute
    `host.starts` has this constant for each result.

    ```mlir
    // Before: a fill with zero, and a reduction that adds to it
    linalg.fill ins(%zero : f32) outs(%s : memref<16xf32>)
    linalg.generic {iterator_types = ["reduction", "parallel"], ...} ins(%a : memref<64x16xf32>) outs(%s : memref<16xf32>) {...}
    // After: the reduction starts from the constant
    linalg.generic {iterator_types = ["reduction", "parallel"], ...} ins(%a : memref<64x16xf32>) outs(%s : memref<16xf32>) {...}
        {host.starts = [0.000000e+00 : f32]}
    ```
  }];
  let statistics = [Statistic<"numFolded", "num-folded", "Number of fills folded into reductions">];
}

def SplitIterationsAcrossThreadBlocksPass : Pass<"ingot-ptx-split-iterations-across-thread-blocks", "::mlir::ModuleOp"> {
  let summary = "Divide large iterations of a grid among several thread blocks";
  let description = [{
    The grid of a kernel with large iterations, such as images, may be smaller
    than the GPU. Then several blocks share each iteration. They divide among
    themselves the elements of the ops with most of the work, which get the
    attribute `host.blocks`. Each block computes the temporaries that these ops
    read, in memory of its own. The first block runs all other ops that write
    results. This is legal if no other op accesses an element that a divided op
    writes, unless both ops are elementwise: the same thread then computes the
    element in both. Which thread computes an element does not change its bits.
    The number of blocks depends on sizes only.

    ```mlir
    // Before: 64 iterations, with one block each
    func.func private @k(%a: memref<64x4096xf32>) attributes {host.kernel, host.grid = array<i64: 64, 1>} {
      %i = gpu.block_id x
      %row = memref.subview %a[%i, 0] [1, 4096] [1, 1] : ...
      linalg.generic ins(...) outs(%row : ...)
    // After: 16 blocks share each iteration
    func.func private @k(%a: memref<64x4096xf32>) attributes {host.kernel, host.grid = array<i64: 1024, 1>} {
      %block = gpu.block_id x
      %i = arith.divui %block, %c16 : index
      %row = memref.subview %a[%i, 0] [1, 4096] [1, 1] : ...
      linalg.generic ins(...) outs(%row : ...) {host.blocks = 16}
    ```
  }];
  let statistics = [Statistic<"numDivided", "num-divided", "Number of kernels whose iterations are divided">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect"];
}

def AssignMemorySpacesPass : Pass<"ingot-ptx-assign-memory-spaces", "::mlir::ModuleOp"> {
  let summary = "Place the temporaries of blocks in shared or scratch memory";
  let description = [{
    A buffer private to a block is placed in the block's shared memory, which is
    one global of the kernel. If shared memory is too small, the largest buffers
    are placed in scratch memory instead, and so are buffers that all blocks
    share. Scratch memory is the kernel's last argument, in which each block has
    its own part. A buffer marked `host.dynamic_memory` is dynamic shared
    memory, which the launch provides (`host.dynamic_shared` is its size in
    bytes). A buffer that only has the sizes of a view is local to each thread.
    The size of scratch memory may be dynamic if it is linear in sizes of
    arguments; a kernel with other temporaries is left to the host.

    ```mlir
    // Before: a temporary of the block
    func.func private @k(%o: memref<64xf32>) attributes {host.kernel} {
      %t = memref.alloc() : memref<64xf32>
    // After: the temporary is a part of shared memory
    memref.global "private" @k_shared : memref<256xi8, 3> = uninitialized
    func.func private @k(%o: memref<64xf32>) attributes {host.kernel, host.shared = 256 : i64} {
      %shared = memref.get_global @k_shared : memref<256xi8, 3>
      %place = memref.view %shared[%c0][] : memref<256xi8, 3> to memref<64xf32, 3>
      %t = memref.memory_space_cast %place : memref<64xf32, 3> to memref<64xf32>
    ```
  }];
  let statistics = [
    Statistic<"numPrivate", "num-private", "Number of buffers private to each thread">,
    Statistic<"numShared", "num-shared", "Number of buffers in shared memory">,
    Statistic<"numScratch", "num-scratch", "Number of buffers in scratch memory">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect"];
}

def DistributeLoopsToThreadsPass : Pass<"ingot-ptx-distribute-loops-to-threads", "::mlir::ModuleOp"> {
  let summary = "Distribute the loops of a block over its threads";
  let description = [{
    All threads of a block run through a kernel's ops in order. The elements
    that an op computes are distributed over the threads cyclically. An element
    of a reduction's result is computed by one thread, in the order of its loop,
    or by a warp or the whole block: each lane reduces its own elements, then
    shuffles combine the lanes in a tree of fixed shape, and finally each thread
    combines the results of the warps in order. So the bits of a reduction do
    not depend on timing. The first thread runs scalar code. A barrier is
    inserted before an op that accesses memory which another thread may still
    read or write.

    An operand that is read along another dimension than the result is stored,
    because the op transposes it or reduces its rows, is copied to shared memory
    first, a tile at a time and in its own order. The threads of a warp then
    access neighbours in global memory, and different banks in shared memory.

    A loop over indices that has an effect only in a branch, such as the loop of
    a row-sparse update, is searched first: each thread tests some iterations,
    the warps record in shared memory which of them take the branch, and the
    block then runs these iterations in order.

    ```mlir
    // Before: an op on 1024 elements
    linalg.generic ins(%a : memref<1024xf32>) outs(%t : memref<1024xf32>) { ... }
    // After: each of 256 threads computes every 256th element
    %thread = gpu.thread_id x
    scf.for %i = %thread to %c1024 step %c256 {
      %x = memref.load %a[%i] : memref<1024xf32>
      ...
      memref.store %y, %t[%i] : memref<1024xf32>
    }
    gpu.barrier

    // Before: a transpose
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], ...}
        ins(%a : memref<32x32xf32>) outs(%t : memref<32x32xf32>) { ... }
    // After: a tile of 32 x 33 words, one of each row unused
    %x = memref.load %a[%row, %column] : memref<32x32xf32>
    memref.store %x, %tile[%place] : memref<1055xf32>
    gpu.barrier
    %y = memref.load %tile[%turned] : memref<1055xf32>
    memref.store %y, %t[%row, %column] : memref<32x32xf32>
    ```
  }];
  let statistics = [
    Statistic<"numDistributed", "num-distributed", "Number of ops distributed over threads">,
    Statistic<"numBarriers", "num-barriers", "Number of barriers inserted">,
    Statistic<"numSearched", "num-searched", "Number of loops whose threads first search for the iterations that have an effect">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerKernelSignaturesPass : Pass<"ingot-ptx-lower-kernel-signatures", "::mlir::ModuleOp"> {
  let summary = "Lower kernels' signatures to one parameter for each slot of the argument table";
  let description = [{
    A buffer becomes parameters: its address in the device's memory, followed by
    each of its dynamic sizes. These are the slots of the argument table that a
    kernel has on a CPU, in the same order. Scratch memory is the last
    parameter, before tensor maps.

    ```mlir
    // Before: buffers as arguments
    func.func private @k(%a: memref<?x4xf32>, %o: memref<4xf32>) attributes {host.kernel}
    // After: addresses and dynamic sizes as parameters
    func.func private @k(%0: !llvm.ptr, %1: i64, %2: !llvm.ptr) attributes {host.kernel} {
      ...
      %a = builtin.unrealized_conversion_cast %descriptor : !llvm.struct<(...)> to memref<?x4xf32>
    ```
  }];
  let statistics = [Statistic<"numLowered", "num-lowered", "Number of kernels lowered">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ConvertKernelsToNVVMPass : Pass<"ingot-ptx-convert-kernels-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Lower kernels to the LLVM and NVVM dialects";
  let description = [{
    Square roots and quotients are rounded correctly. No multiplication and
    addition are contracted to a fused multiply-add that the kernel does not
    have.

    ```mlir
    // Before: the thread's index and a square root
    %i = gpu.thread_id x
    %r = math.sqrt %x : f32
    // After: a special register and an LLVM intrinsic
    %0 = nvvm.read.ptx.sreg.tid.x : i32
    %i = llvm.zext %0 : i32 to i64
    %r = llvm.intr.sqrt(%x) : (f32) -> f32
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // INGOT_CODEGEN_PTX_PASSES_TD
