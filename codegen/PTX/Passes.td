//===- Passes.td - Kernels for NVIDIA's GPUs -------------------*- tablegen -*-===//
//
// Map a kernel's grid on blocks, its loops on threads, its temporaries on
// shared memory; lower to NVVM.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_PASSES_TD
#define INGOT_CODEGEN_PTX_PASSES_TD

include "mlir/Pass/PassBase.td"

def SelectKernelsPass : Pass<"ingot-ptx-select-kernels", "::mlir::ModuleOp"> {
  let summary = "Leaves to the host what no device runs";
  let description = [{
    Strings are addresses of the host's memory. A kernel that touches one loses
    its body and says in `host.stays` why; the passes behind do not see it.

    ```mlir
    // Before
    func.func private @k(%a: tensor<4xi128>, %o: tensor<4xi128>) -> tensor<4xi128> attributes {host.kernel} { ... }
    // After
    func.func private @k(tensor<4xi128>, tensor<4xi128>) -> tensor<4xi128>
      attributes {host.kernel, host.stays = "it computes on strings"}
    ```
  }];
}

def TileProductsPass : Pass<"ingot-ptx-tile-products", "::mlir::ModuleOp"> {
  let summary = "Computes large products tile by tile, through shared memory";
  let description = [{
    A block of 256 threads computes a tile of 64 or 128 rows and columns. It
    brings both operands, however they lie, through shared memory, 16 steps of
    the sum at a time; each thread has 4 or 8 rows and as many columns of the
    tile in registers, adds one product after the other, in the order of the
    sum, and computes there what follows on the product's elements: nothing of
    it is written but what others read. What the threads share so,
    `host.by_threads` marks. Dimensions that only one factor or both have
    beside a row, a column and the sum are a batch, of products with tiles of
    their own. A factor whose rows are patches of images is in no memory: each
    thread computes what it brings of it. Products of small or strange sizes, or
    in company of more than elementwise ops, stay as they are.

    Factors of 16 bits, and those of f32 where `precision` says to what they are
    rounded, are multiplied by tensor cores: eight warps have parts of the tile,
    64 bytes of the sum lie in shared memory, in two stages, so that the next
    ones are read and rounded while these are multiplied, or in three where they
    need only be copied. Sums are of f32. With `tensor-cores=warpgroup` two groups of four warps
    multiply, which take both factors from shared memory.

    Where factors need no rounding and are the kernel's arguments, in rows of
    whole groups of 16 bytes, a GPU with bulk copies brings boxes of them by
    itself. The kernel says in `host.maps` of what memory, and finds the maps
    behind its parameters; `host.persistent` says that blocks go from tile to
    tile, and `host.dynamic_memory` marks the memory that its launch gives.

    ```mlir
    // Before
    linalg.fill ins(%zero : f32) outs(%t : memref<256x256xf32>)
    linalg.generic ins(%a, %b) outs(%t : memref<256x256xf32>) { mulf; addf }
    linalg.generic ins(%t, %bias) outs(%o : memref<256x256xf32>) { addf }
    // After, with host.grid = array<i64: 16, 1>, host.threads = 256
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
    // With precision=tf32
    scf.for %k = %c0 to %c256 step %c16 iter_args(...) -> (f32, ..., i32) {
      %next = vector.load %a[%i, %j] {alignment = 16 : i64} : memref<256x256xf32>, vector<4xf32>
      %x = nvvm.ldmatrix %place {num = 4 : i32, ...} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
      %sums = nvvm.mma.sync A[...] B[...] C[...] {multiplicandAPtxType = #nvvm.mma_type<tf32>, ...}
      %word = llvm.inline_asm "cvt.rna.tf32.f32 $0, $1;", "=r,f" %number : (f32) -> i32
      llvm.store %words, %place : vector<4xi32>, !llvm.ptr<3>
      gpu.barrier
    // With tensor-cores=warpgroup, of bf16 in memory
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
           "What factors of f32 are rounded to: f32 (not at all), tf32, bf16 or f16">,
    Option<"coresName", "tensor-cores", "std::string", "\"warp\"",
           "Who multiplies on the GPU: a warp, a warpgroup (sm_90a), or one thread into tensor-memory (sm_100a)">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def MapGridPass : Pass<"ingot-ptx-map-grid", "::mlir::ModuleOp"> {
  let summary = "Makes an iteration of a kernel's grid a block of threads";
  let description = [{
    The loop that is marked `host.grid_loop` becomes its body, in which the
    number of the block tells the iteration. What a kernel does beside the loop
    each block does anew, in memory of its own; a temporary that only the loop
    writes is one for all blocks, `host.all_blocks`. A loop whose iterations no
    grid can say, or a kernel that writes its results beside it, is one block's.

    ```mlir
    // Before
    func.func private @k(%a: memref<4096xf32>) attributes {host.kernel} {
      scf.for %i = %c0 to %c4096 step %c1024 { "use"(%i) } {host.grid_loop}
    // After
    func.func private @k(%a: memref<4096xf32>) attributes {host.kernel, host.grid = array<i64: 4096, 1024>} {
      %block = gpu.block_id x
      %distance = arith.muli %block, %c1024 : index
      %i = arith.addi %c0, %distance : index
      "use"(%i)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect"];
}

def PlaceMemoryPass : Pass<"ingot-ptx-place-memory", "::mlir::ModuleOp"> {
  let summary = "Gives temporaries of blocks shared memory";
  let description = [{
    A buffer that a block keeps to itself lies in the block's shared memory, one
    global of the kernel; the largest of those that have no room there, and what
    all blocks share, in scratch memory, the kernel's last argument, where each
    block has its part. What `host.dynamic_memory` marks has no size of its own: a
    launch gives it, as `host.dynamic_shared` says. A shape that only tells the
    sizes of a view is each thread's own. Scratch memory may be as large as the
    input says, where that is linear in sizes of arguments; a kernel with other
    temporaries is left to the host.

    ```mlir
    // Before
    func.func private @k(%o: memref<64xf32>) attributes {host.kernel} {
      %t = memref.alloc() : memref<64xf32>
    // After
    memref.global "private" @k_shared : memref<256xi8, 3> = uninitialized
    func.func private @k(%o: memref<64xf32>) attributes {host.kernel, host.shared = 256 : i64} {
      %shared = memref.get_global @k_shared : memref<256xi8, 3>
      %place = memref.view %shared[%c0][] : memref<256xi8, 3> to memref<64xf32, 3>
      %t = memref.memory_space_cast %place : memref<64xf32, 3> to memref<64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect"];
}

def DistributeLoopsPass : Pass<"ingot-ptx-distribute-loops", "::mlir::ModuleOp"> {
  let summary = "Distributes the loops of a block over its threads";
  let description = [{
    All threads of a block run through a kernel's ops in their order. Elements
    that an op computes go around among them; a sum is one thread's, in the
    order of its loop, or a warp's or the whole block's: each lane adds what is
    its own, then a tree of shuffles of one shape adds lanes, and one thread
    warps, in their order. The first thread does what is done once. Where an op
    touches what another thread may still write or read, a barrier stands in
    front of it.

    ```mlir
    // Before
    linalg.generic ins(%a : memref<1024xf32>) outs(%t : memref<1024xf32>) { ... }
    // After
    %thread = gpu.thread_id x
    scf.for %i = %thread to %c1024 step %c256 {
      %x = memref.load %a[%i] : memref<1024xf32>
      ...
      memref.store %y, %t[%i] : memref<1024xf32>
    }
    gpu.barrier
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def LowerKernelSignaturesPass : Pass<"ingot-ptx-lower-kernel-signatures", "::mlir::ModuleOp"> {
  let summary = "Gives kernels one parameter for each slot of their table";
  let description = [{
    A buffer is its address in the device's memory, and behind it each of its
    dynamic sizes: the slots of the argument table that a kernel has on a CPU,
    in their order, scratch memory last.

    ```mlir
    // Before
    func.func private @k(%a: memref<?x4xf32>, %o: memref<4xf32>) attributes {host.kernel}
    // After
    func.func private @k(%0: !llvm.ptr, %1: i64, %2: !llvm.ptr) attributes {host.kernel} {
      ...
      %a = builtin.unrealized_conversion_cast %descriptor : !llvm.struct<(...)> to memref<?x4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ConvertKernelsPass : Pass<"ingot-ptx-convert-kernels", "::mlir::ModuleOp"> {
  let summary = "Lowers kernels to the LLVM and NVVM dialects";
  let description = [{
    Roots and quotients are exact, and nothing is contracted: what the kernels
    write as one operation is one.

    ```mlir
    // Before
    %i = gpu.thread_id x
    %r = math.sqrt %x : f32
    // After
    %0 = nvvm.read.ptx.sreg.tid.x : i32
    %i = llvm.zext %0 : i32 to i64
    %r = llvm.intr.sqrt(%x) : (f32) -> f32
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // INGOT_CODEGEN_PTX_PASSES_TD
