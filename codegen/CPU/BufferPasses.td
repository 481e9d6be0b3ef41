//===- BufferPasses.td - Passes on kernels of buffers -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_CPU_BUFFERPASSES_TD
#define INGOT_CODEGEN_CPU_BUFFERPASSES_TD

include "mlir/Pass/PassBase.td"

def ElideIm2colPass : Pass<"ingot-cpu-elide-im2col", "::mlir::ModuleOp"> {
  let summary = "Replace im2col copies by overlapping views of the image (implicit GEMM)";
  let description = [{
    An im2col block that is an affine copy of a buffer is a strided view of that
    buffer, in which patches overlap. A tile of the GEMM reads that view as its
    first or second operand if the tile's rows (or columns) are neighbours in
    one row of an image. The tile's K loop becomes two loops, over rows of taps
    and over the elements of a row, in the order of the single loop, so no bit
    changes.

    ```mlir
    // Before: im2col is copied, and a tile of the GEMM reads the copy
    linalg.generic {indexing_maps = [affine_map<(n, y, x, r, e) -> (n, y + r, x * 8 + e)>, ...]} ins(%rows : memref<1x6x64xf32>) outs(%p : memref<1x4x6x3x24xf32>) { yield %in }
    %m = memref.collapse_shape %p [[0, 1, 2], [3, 4]] : memref<1x4x6x3x24xf32> into memref<24x72xf32>
    %a = memref.subview %m[%i, 0] [6, 72] [1, 1]
    linalg.generic {iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b) outs(%c) { mulf; addf }
    // After: the tile reads an overlapping view of the image
    %a = memref.reinterpret_cast %rows to offset: [%o], sizes: [6, 3, 24], strides: [8, 64, 1]
    %e = memref.expand_shape %b [[0, 1], [2]] : memref<72x16xf32> into memref<3x24x16xf32>
    linalg.generic {iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%a, %e) outs(%c) { mulf; addf }
    ```
  }];
  let statistics = [Statistic<"numReplaced", "num-replaced", "Number of im2col copies replaced by views">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def VectorizeGEMMsPass : Pass<"ingot-cpu-vectorize-gemms", "::mlir::ModuleOp"> {
  let summary = "Vectorize register tiles of GEMMs as outer products";
  let description = [{
    Builds the micro-kernel: the accumulators of a tile stay in registers over
    the whole K loop, and each step multiplies broadcast elements of a column of
    A with a row of B. A reduction over several dimensions is a loop nest. If
    the tile was filled with a constant, the accumulators start from that
    constant. If a row of the tile ends with less than a vector, its end is
    several shorter vectors, or, with 512-bit vectors, one masked vector. Tiles
    of large tensors that the epilogue reads are prefetched before the K loop;
    the operands that the next block of tiles will pack or read in place are
    prefetched step by step within the K loop.

    With `pair-factors`, f32 operands that have bfloat16 values
    (`host.bfloat16_factors`) are packed in pairs of K steps for VDPBF16PS: B
    before the loops whose tiles read it, A by each tile, a stretch of K at a
    time. The result has the same bits as without pairs.

    ```mlir
    // Before: a register tile of 2 x 16
    linalg.generic ins(%a, %b : memref<2x64xf32, ...>, memref<64x16xf32, ...>) outs(%c : memref<2x16xf32>)
    // After: a loop over K, which carries one accumulator for each row
    %r:2 = scf.for %k = %c0 to %c64 step %c1 iter_args(%c0 = ..., %c1 = ...) -> (vector<16xf32>, vector<16xf32>) {
      %row = vector.load %b[%k, %c0]
      %n0 = math.fma %a0, %row, %c0 : vector<16xf32>
    // After, for bfloat16 in pairs: an iteration is two steps of K
    %r:2 = scf.for %k = %c0 to %c32 step %c1 iter_args(%c0 = ..., %c1 = ...) -> (vector<16xf32>, vector<16xf32>) {
      %row = vector.load %panel[%k, %c0]
      %n0 = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%c0, %a0, %row)
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256", "Bits of a vector register">,
    Option<"useFMA", "fma", "bool", "true", "The target has fused multiply-add">,
    Option<"pairFactors", "pair-factors", "bool", "false", "The target multiplies pairs of bfloat16 (VDPBF16PS)">,
    Option<"caches", "caches", "::ingot::cpu::CacheHierarchy", "::ingot::cpu::CacheHierarchy()",
           "Sizes of L1, L2 and the last-level cache, such as 32K,512K,16M">];
  let statistics = [Statistic<"numTiles", "num-tiles", "Number of register tiles vectorized">,
                    Statistic<"numPaired", "num-paired", "Number of register tiles that multiply pairs of bfloat16">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
}

def BitcastBF16DotOperandsPass : Pass<"ingot-cpu-bitcast-bf16-dot-operands", "::mlir::ModuleOp"> {
  let summary = "Bitcast the operands of VDPBF16PS to vectors of bfloat16";
  let description = [{
    A pair of bfloat16 has the type f32 until all loads and stores are lowered.
    Here it becomes two bf16 lanes, as the operands of LLVM's intrinsic are
    vectors of bf16.

    ```mlir
    // Before: pairs of bfloat16 have the type f32
    %s = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%c, %a, %b) : (vector<16xf32>, vector<16xf32>, vector<16xf32>) -> vector<16xf32>
    // After: each vector of pairs is bitcast to a vector of bfloat16
    %x = llvm.bitcast %a : vector<16xf32> to vector<32xbf16>
    %y = llvm.bitcast %b : vector<16xf32> to vector<32xbf16>
    %s = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%c, %x, %y) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
    ```
  }];
  let statistics = [Statistic<"numBitcast", "num-bitcast", "Number of calls with bitcast operands">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def VectorizeDepthwiseConvolutionsPass : Pass<"ingot-cpu-vectorize-depthwise-convolutions", "::mlir::ModuleOp"> {
  let summary = "Vectorize depthwise convolutions along channels, with accumulators in registers";
  let description = [{
    The lanes of a vector are channels. The accumulators of some neighbouring
    outputs in a row of the image stay in registers over all taps, so that a
    loaded pixel and a loaded row of the filter's taps are used for all of these
    outputs. Each sum is one chain of multiply-adds in the order of taps. In the
    filter's gradient, the accumulators of a row of taps stay in registers over
    all windows of all images.

    ```mlir
    // Before: a depthwise convolution with a window of 3 x 3
    linalg.generic {indexing_maps = [affine_map<(n, y, x, r, s, c) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, r, s, c) -> (r, s, c)>, ...],
                    iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "parallel"]}
        ins(%image, %filter : memref<1x6x6x16xf32>, memref<3x3x16xf32>) outs(%sums : memref<1x4x4x16xf32>) { mulf; addf }
    // After: the sums of four neighbouring outputs stay in registers over the taps
    %r:4 = scf.for %tap = %c0 to %c3 step %c1 iter_args(%s0 = ..., %s1 = ..., %s2 = ..., %s3 = ...) -> (vector<16xf32>, ...) {
      %f0 = vector.load %filter[%tap, %c0, %c]
      ...
      %x0 = vector.load %image[%n, %row, %x, %c]
      %n0 = math.fma %x0, %f0, %s0 : vector<16xf32>
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256", "Bits of a vector register">,
    Option<"numRegisters", "num-registers", "unsigned", "16", "Number of vector registers">,
    Option<"useFMA", "fma", "bool", "true", "The target has fused multiply-add">];
  let statistics = [
    Statistic<"numConvolutions", "num-convolutions", "Number of depthwise convolutions vectorized">,
    Statistic<"numFilterGradients", "num-filter-gradients", "Number of filter gradients of depthwise convolutions vectorized">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def CollapseLoopsPass : Pass<"ingot-cpu-collapse-loops", "::mlir::ModuleOp"> {
  let summary = "Collapse loops over contiguous dimensions into one";
  let description = [{
    With one loop over contiguous dimensions, a vector spans several short rows,
    and a full reduction combines its lanes only once. A broadcast scalar, such
    as the bias of a single channel, does not prevent collapsing, nor do loads
    from rows that the body chooses by other indices. Copies of buffers that are
    not contiguous become such loops, too.

    ```mlir
    // Before: two loops, over contiguous rows of ten elements
    linalg.generic {iterator_types = ["parallel", "parallel"]} ins(%a : memref<64x10xf32>) outs(%o : memref<64x10xf32>) { ... }
    // After: one loop over all 640 elements
    %0 = memref.collapse_shape %a [[0, 1]] : memref<64x10xf32> into memref<640xf32>
    %1 = memref.collapse_shape %o [[0, 1]] : memref<64x10xf32> into memref<640xf32>
    linalg.generic {iterator_types = ["parallel"]} ins(%0 : memref<640xf32>) outs(%1 : memref<640xf32>) { ... }
    ```
  }];
  let statistics = [Statistic<"numCollapsed", "num-collapsed", "Number of ops with collapsed loops">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect"];
}

def VectorizeTransposesPass : Pass<"ingot-cpu-vectorize-transposes", "::mlir::ModuleOp"> {
  let summary = "Vectorize transposes as square blocks shuffled in registers";
  let description = [{
    A square block of the source, with as many rows as a vector has lanes, is
    loaded to registers. log2(lanes) rounds of shuffles transpose it, and its
    columns are stored as rows of the result. Smaller squares cover the
    remainder.

    ```mlir
    // Before: the transpose of a block of 8 x 8
    linalg.transpose ins(%a : memref<8x8xf32>) outs(%t : memref<8x8xf32>) permutation = [1, 0]
    // After: loads of rows, rounds of shuffles, stores of columns
    %r0 = vector.load %a[%i, %j] : memref<8x8xf32>, vector<8xf32>
    ...
    %s0 = vector.shuffle %r0, %r1 [0, 8, 2, 10, 4, 12, 6, 14] : vector<8xf32>, vector<8xf32>
    ...
    vector.store %u0, %t[%j, %i] : memref<8x8xf32>, vector<8xf32>
    ```
  }];
  let options = [Option<"vectorBits", "vector-bits", "unsigned", "256", "Bits of a vector register">];
  let statistics = [Statistic<"numVectorized", "num-vectorized", "Number of transposes vectorized">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def LowerContractionsToLoopsPass : Pass<"ingot-cpu-lower-contractions-to-loops", "::mlir::ModuleOp"> {
  let summary = "Lower contractions to scalar loops, whose results all other lowerings must match bit by bit";
  let description = [{
    This pass defines a GEMM's result: each element is one chain of
    multiply-adds in ascending order of the reduced dimensions, starting from
    the element that the result buffer has. Tiled GEMMs
    (`ingot-cpu-vectorize-gemms`) must compute the same bits. `ingotc
    --reference` uses this pass.

    ```mlir
    // Before: a GEMM
    linalg.generic ins(%a, %b : memref<4x8xf32>, memref<8x2xf32>) outs(%c : memref<4x2xf32>) { mulf; addf }
    // After: scalar loops, with K innermost and ascending
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c2 step %c1 {
        %start = memref.load %c[%i, %j]
        %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %start) -> (f32) {
          %next = math.fma %x, %y, %s : f32
          scf.yield %next : f32
        }
        memref.store %sum, %c[%i, %j]
    ```
  }];
  let options = [Option<"useFMA", "use-fma", "bool", "false",
                        "The target has fused multiply-add">];
  let statistics = [Statistic<"numLowered", "num-lowered", "Number of contractions lowered to scalar loops">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def VectorizeContractionsPass : Pass<"ingot-cpu-vectorize-contractions", "::mlir::ModuleOp"> {
  let summary = "Lower contractions that have no register tile to loops over vectors";
  let description = [{
    The pass lowers contractions that no earlier pass has tiled to registers:
    batches of small GEMMs, GEMMs of dynamic sizes, and contractions with other
    loops than M, N and K. Several neighbours in a row of the result are accumulators
    in registers during the whole sum. They are vectors if these neighbours are
    contiguous in a factor or use the same element of it; otherwise they are
    single elements. Each element's chain of multiply-adds is that of
    `ingot-cpu-lower-contractions-to-loops`, so the bits are the same.

    ```mlir
    // Before: a GEMM that no earlier pass has tiled
    linalg.generic ins(%a, %b : memref<4x8xf32>, memref<8x16xf32>) outs(%c : memref<4x16xf32>) { mulf; addf }
    // After: 16 columns of a row of C are one accumulator
    scf.for %i = %c0 to %c4 step %c1 {
      %start = vector.load %c[%i, %c0] : memref<4x16xf32>, vector<16xf32>
      %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %start) -> (vector<16xf32>) {
        %x = memref.load %a[%i, %k]
        %y = vector.load %b[%k, %c0] : memref<8x16xf32>, vector<16xf32>
        %next = math.fma (broadcast %x), %y, %s : vector<16xf32>
        scf.yield %next : vector<16xf32>
      }
      vector.store %sum, %c[%i, %c0]
    ```
  }];
  let options = [Option<"vectorBits", "vector-bits", "unsigned", "256", "Width of a vector register">,
                 Option<"useFMA", "use-fma", "bool", "false",
                        "The target has fused multiply-add">];
  let statistics = [
    Statistic<"numVectorized", "num-vectorized", "Number of contractions lowered to loops over vectors">,
    Statistic<"numElementwise", "num-elementwise", "Number of contractions lowered to loops over single elements">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def VectorizeLoopsPass : Pass<"ingot-cpu-vectorize-loops", "::mlir::ModuleOp"> {
  let summary = "Lower the linalg ops that no earlier pass has lowered to loops over vectors";
  let description = [{
    Lowers the linalg ops that no earlier pass has lowered. The innermost
    dimension is vectorized if its elements are contiguous: as an elementwise
    op, or as a reduction with one accumulator per lane. Booleans
    are bytes in memory and mask bits in vectors. Random bits of neighbouring
    elements are drawn together, and their key is loaded once. Other ops are
    computed element by element. A maximum or minimum of a row is taken in several
    vectors beside each other, as it is the same in any order. A row of which a
    reduction only picks the element at a given index is one load.

    ```mlir
    // Before: an elementwise op on 32 elements
    linalg.generic ins(%a : memref<32xf32>) outs(%o : memref<32xf32>) { addf }
    // After: a loop over vectors of eight elements
    scf.for %i = %c0 to %c32 step %c8 {
      %x = vector.load %a[%i] : memref<32xf32>, vector<8xf32>
      %y = arith.addf %x, %x : vector<8xf32>
      vector.store %y, %o[%i] : memref<32xf32>, vector<8xf32>
    }
    ```
  }];
  let options = [Option<"vectorBits", "vector-bits", "unsigned", "256", "Bits of a vector register">];
  let statistics = [
    Statistic<"numVectorized", "num-vectorized", "Number of ops lowered to loops over vectors">,
    Statistic<"numScalar", "num-scalar", "Number of ops lowered to scalar loops">,
    Statistic<"numTrees", "num-trees", "Number of long sums lowered to a tree of blocks">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
}

def SkipZeroQuotientsPass : Pass<"ingot-cpu-skip-zero-quotients", "::mlir::ModuleOp"> {
  let summary = "Branch around divisions by square roots where all lanes divide zeros";
  let description = [{
    A kernel with a row-sparse update may compute all rows of its table, too, as
    sparse Adam does. Rows without a gradient, so far or for long, divide zeros.
    The quotient of a zero and a number above zero is that zero, so the vector is
    not divided; a lane whose divisor may be zero, negative or NaN makes it so.

    ```mlir
    // Before, in a loop over all rows
    %r = math.sqrt %v : vector<8xf32>
    %d = arith.addf %r, %epsilon : vector<8xf32>
    %q = arith.divf %n, %d : vector<8xf32>
    // After
    %skips = ... // all lanes of %n are zeros, of %v at least 0, of %epsilon above 0
    %q = scf.if %skips -> vector<8xf32> {
      scf.yield %n : vector<8xf32>
    } else {
      %r = math.sqrt %v : vector<8xf32>
      %d = arith.addf %r, %epsilon : vector<8xf32>
      %p = arith.divf %n, %d : vector<8xf32>
      scf.yield %p : vector<8xf32>
    }
    ```
  }];
  let statistics = [Statistic<"numGuarded", "num-guarded", "Number of divisions that zeros skip">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerKernelSignaturesPass : Pass<"ingot-cpu-lower-kernel-signatures", "::mlir::ModuleOp"> {
  let summary = "Lower kernels' signatures to the runtime ABI, and record their grids";
  let description = [{
    A kernel becomes an `ingot_kernel` of the ABI: it loads its buffers'
    addresses from an argument table, and computes a range of its grid. The grid
    is the iterations of the loop marked `host.grid_loop`; their number, static
    or a function of dynamic sizes, becomes the kernel's attribute `host.grid`.
    A kernel without such a loop has one iteration.

    ```mlir
    // Before: the kernel's argument is a buffer
    func.func private @k(%a: memref<64xf32>) attributes {host.kernel} {
      scf.for %i = %c0 to %c64 step %c8 { ... } {host.grid_loop}
    // After: the kernel reads a table of arguments, and computes a range of its grid
    func.func private @k(%arguments: !llvm.ptr, %begin: i64, %end: i64)
        attributes {host.kernel, host.grid = array<i64: 64, 8>} {
      %a = host.bind %arguments[0] : memref<64xf32>
      scf.for %i = %from to %to step %c8 { ... }
    ```
  }];
  let statistics = [Statistic<"numLowered", "num-lowered", "Number of kernels lowered">];
  let dependentDialects = ["::mlir::host::HostDialect", "::mlir::LLVM::LLVMDialect"];
}

def ConvertKernelsToLLVMPass : Pass<"ingot-cpu-convert-kernels-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lower loops, vectors and buffers of kernels to the LLVM dialect";
  let description = [{
    This includes `host.bind`, which loads the address of a buffer from the
    kernel's argument table.

    ```mlir
    // Before: a buffer from slot 0 of the table of arguments
    %a = host.bind %arguments[0] : memref<4xf32>
    // After: a load of the buffer's address
    %place = llvm.getelementptr %arguments[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %a = llvm.load %place : !llvm.ptr -> !llvm.ptr
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif // INGOT_CODEGEN_CPU_BUFFERPASSES_TD
