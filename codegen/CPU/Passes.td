//===- Passes.td - Kernels for CPUs -----------------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The passes that compile kernels for CPUs: they tile to registers, vectorize,
// give kernels the ABI's signature, and lower them to LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_PASSES_TD
#define INGOT_CODEGEN_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def CollapseDrawLoopsPass : Pass<"ingot-cpu-collapse-draw-loops", "::mlir::ModuleOp"> {
  let summary = "Collapse loops that draw random numbers";
  let description = [{
    An elementwise op that draws a number for each element, as dropout does, has
    rows that begin within one of the generator's blocks where a row's length is
    no multiple of it. Each vector then takes one more block, and the rows' ends
    are short. If all operands are as large as the result, or scalars, one loop
    computes all rows, before they are divided into a grid. The numbers remain
    those of the elements' positions.

    ```mlir
    // Before: rows of 37
    %r = linalg.generic {iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x37xf32>) outs(%o : tensor<64x37xf32>) { host.random_bits at (i * 37 + j) }
    // After
    %c = tensor.collapse_shape %x [[0, 1]] : tensor<64x37xf32> into tensor<2368xf32>
    %s = linalg.generic {iterator_types = ["parallel"]} ins(%c : tensor<2368xf32>) outs(%p : tensor<2368xf32>) { host.random_bits at i }
    %r = tensor.expand_shape %s [[0, 1]] : tensor<2368xf32> into tensor<64x37xf32>
    ```
  }];
  let statistics = [Statistic<"numCollapsed", "num-collapsed", "Number of ops whose loops were collapsed">];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def TransposeShortReductionsPass : Pass<"ingot-cpu-transpose-short-reductions", "::mlir::ModuleOp"> {
  let summary = "Transpose tensors with short rows so that each lane reduces a row";
  let description = [{
    A reduction along a row of ten elements, such as a softmax over ten classes,
    does not fill a vector and spends its time on shuffles between lanes. If a
    kernel has such a reduction, its ops on these rows run on transposed tensors
    instead: each lane reduces a row of its own, in the order of the row, so no
    bit changes. The kernel's operands are transposed before these ops, and its
    results after them.

    ```mlir
    // Before: the maximum of each row of ten elements
    %m = linalg.generic {iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x10xf32>) outs(%i : tensor<64xf32>) { maximumf }
    // After: the rows are columns of a transposed tensor, one per lane
    %t = linalg.transpose ins(%x : tensor<64x10xf32>) outs(%e : tensor<10x64xf32>) permutation = [1, 0]
    %m = linalg.generic {iterator_types = ["reduction", "parallel"]} ins(%t : tensor<10x64xf32>) outs(%i : tensor<64xf32>) { maximumf }
    ```
  }];
  let statistics = [Statistic<"numTransposed", "num-transposed", "Number of ops computed on transposed tensors">];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def TileIm2colPass : Pass<"ingot-cpu-tile-im2col", "::mlir::ModuleOp"> {
  let summary = "Tile im2col into the GEMM that reads it";
  let description = [{
    A patch is one row of the im2col matrix: the elements that the convolution's
    window covers at one position. Instead of the whole matrix, a block of
    neighbouring patches is computed right before the GEMM reads it, and stays
    in a core's own caches. The grid is over blocks of the M dimension. In a
    filter's gradient, patches are the K dimension: a block of M is then a few
    elements of each patch, and K is blocked over patches in ascending order, so
    that every element of C is still one chain of multiply-adds. The number of
    images may be dynamic: then a block lies within one image.

    If the window is known (`host.window`) and the rows of a register tile lie
    in one row of an image, the block's input rows are copied with their padding
    (the halo). im2col becomes an affine copy of these rows, which
    `ingot-cpu-elide-im2col` removes: an implicit GEMM. Without padding, im2col
    is an affine copy of the image itself. If patches are the K dimension, a
    block covers one row of the window's taps. A GEMM with a small N is
    transposed: the lanes of a vector are elements of a patch, or neighbouring
    pixels of a transposed image, and the result is transposed back.

    If the height or width of images is dynamic, a block is a run of consecutive
    patches that may span images. The last block along M is computed whole, in a
    temporary, and only its valid rows are copied to the result, so that no
    register tile is cut short. The last block along K is shorter.

    ```mlir
    // Before: the whole im2col matrix, then the GEMM
    %p = linalg.generic outs(%e : tensor<8x6x6x9x4xf32>) { ... tensor.extract %image[...] ... }
    %a = tensor.collapse_shape %p [[0, 1, 2], [3, 4]] : tensor<8x6x6x9x4xf32> into tensor<288x36xf32>
    %c = linalg.generic ins(%a, %w) outs(%z) { mulf; addf } -> tensor<288x16xf32>
    // After: each iteration of the grid computes a block of im2col, then the GEMM of this block
    %c = scf.for %i = %c0 to %c288 step %c144 iter_args(%o = %out) -> (tensor<288x16xf32>) {
      %n = affine.apply affine_map<(d0) -> (d0 floordiv 36)>(%i)
      %p = linalg.generic outs(%own : tensor<4x6x6x9x4xf32>) { ... }
      %a = tensor.collapse_shape %p [[0, 1, 2], [3, 4]] : tensor<4x6x6x9x4xf32> into tensor<144x36xf32>
      %t = linalg.generic ins(%a, %w) outs(%zTile) { mulf; addf } -> tensor<144x16xf32>
      ...
    } {host.grid_loop}
    ```
  }];
  let options = [Option<"patchElements", "patch-elements", "int64_t", "64 * 1024",
                        "Maximum elements in a block of patches">,
                 Option<"tileRows", "tile-rows", "int64_t", "12",
                        "Rows of a register tile that is two vectors wide">,
                 Option<"vectorBits", "vector-bits", "unsigned", "512",
                        "Bits of a vector register">];
  let statistics = [Statistic<"numTiled", "num-tiled", "Number of GEMMs that compute their im2col block by block">,
                    Statistic<"numImplicit", "num-implicit", "Number of tiled GEMMs that read the image in place (implicit GEMM)">];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def BlockKPass : Pass<"ingot-cpu-block-k", "::mlir::ModuleOp"> {
  let summary = "Block the K dimension of GEMMs";
  let description = [{
    If K is very large, such as all positions of a batch of images in the
    filter's gradient of a 1x1 convolution, a panel of an operand is evicted
    from every cache before the next register tile reads it. So the K loop is
    blocked (the kc loop of Goto and BLIS): within an iteration of the grid,
    which computes a part of the result, all register tiles accumulate one block
    of K before they continue with the next block. Blocks are added in ascending
    order to the same accumulators, so every element is still one chain of
    multiply-adds in the order of K, unlike split-K. The epilogue of a part runs
    after its last block. If K is the row dimension of both operands, as in any
    weight's gradient, neither operand is packed or transposed for this, so a
    smaller K is worth blocking, too.

    A GEMM with few rows uses each element of its second operand only a few
    times. If that operand does not fit into the caches, packing it would take
    most of the time. Such a GEMM reads it in place, in short blocks of K of
    neighbouring columns, each of which prefetches the next.

    ```mlir
    // Before: a GEMM with a K of 32768
    %c = linalg.generic ins(%a, %b : tensor<32768x64xf32>, tensor<32768x128xf32>) outs(%z) { mulf; addf } -> tensor<64x128xf32>
    // After: a grid over columns of C; in it, a loop over blocks of K
    %c = scf.for %j = %c0 to %c128 step %c32 iter_args(%o = %out) -> (tensor<64x128xf32>) {
      %s = scf.for %k = %c0 to %c32768 step %c256 iter_args(%t = %zeros) -> (tensor<64x32xf32>) {
        %u = linalg.generic ins(%aBlock, %bBlock : tensor<256x64xf32>, tensor<256x32xf32>) outs(%t) { mulf; addf } -> tensor<64x32xf32>
        ...
      }
      ...
    } {host.grid_loop}
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256", "Bits of a vector register">,
    Option<"numRegisters", "num-registers", "unsigned", "16", "Number of vector registers">,
    Option<"halvesVectors", "halves-vectors", "bool", "false", "Units compute a vector as two halves">,
    Option<"pairFactors", "pair-factors", "bool", "false", "The target multiplies pairs of bfloat16 (VDPBF16PS)">,
    Option<"tileRows", "tile-rows", "int64_t", "12", "Maximum rows of a register tile">,
    Option<"tileVectors", "tile-vectors", "int64_t", "2", "Number of vectors in a row of a register tile">,
    Option<"caches", "caches", "::ingot::cpu::CacheHierarchy", "::ingot::cpu::CacheHierarchy()",
           "Sizes of L1, L2 and the last-level cache, such as 32K,512K,16M">];
  let statistics = [Statistic<"numBlocked", "num-blocked", "Number of GEMMs with a blocked K dimension">];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::affine::AffineDialect",
                           "::mlir::tensor::TensorDialect"];
}

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

def WidenGEMMOperandsPass : Pass<"ingot-cpu-widen-gemm-operands", "::mlir::ModuleOp"> {
  let summary = "Convert 16-bit operands of GEMMs to f32 before the GEMM";
  let description = [{
    Register tiles are for f32 factors, so an op of its own converts factors of
    16 bits. Only trainers for GPUs have GEMMs with such factors.

    ```mlir
    // Before: a GEMM whose body converts both factors.
    %c = linalg.generic ins(%a, %b : tensor<64x32xbf16>, tensor<32x16xbf16>) outs(%z) { extf; extf; mulf; addf } -> tensor<64x16xf32>
    // After: ops before the GEMM convert the factors.
    %x = linalg.generic ins(%a : tensor<64x32xbf16>) outs(%e) { extf } -> tensor<64x32xf32>
    %y = linalg.generic ins(%b : tensor<32x16xbf16>) outs(%f) { extf } -> tensor<32x16xf32>
    %c = linalg.generic ins(%x, %y : tensor<64x32xf32>, tensor<32x16xf32>) outs(%z) { mulf; addf } -> tensor<64x16xf32>
    ```
  }];
  let statistics = [Statistic<"numWidened", "num-widened", "GEMMs whose factors are converted">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def UnbatchGEMMsPass : Pass<"ingot-cpu-unbatch-gemms", "::mlir::ModuleOp"> {
  let summary = "Lower batched GEMMs to a grid loop over single GEMMs";
  let description = [{
    Each iteration of the loop computes one GEMM of the batch, which is then
    tiled to registers like any other GEMM. Batch dimensions may lie between
    those of the matrices, as the heads of an attention do: then the matrices
    are strided slices. A transposed first operand is transposed within the
    loop, into memory that stays in a core's own caches.

    ```mlir
    // Before: a batch of eight GEMMs
    %c = linalg.generic ins(%a, %b : tensor<8x128x64xf32>, tensor<8x64x128xf32>) outs(%z) { mulf; addf } -> tensor<8x128x128xf32>
    // After: a grid over the batch, with one GEMM per iteration
    %c = scf.for %i = %c0 to %c8 step %c1 iter_args(%o = %out) -> (tensor<8x128x128xf32>) {
      %x = tensor.extract_slice %a[%i, 0, 0] [1, 128, 64] [1, 1, 1] : tensor<8x128x64xf32> to tensor<128x64xf32>
      %y = tensor.extract_slice %b[%i, 0, 0] [1, 64, 128] [1, 1, 1] : tensor<8x64x128xf32> to tensor<64x128xf32>
      %t = linalg.generic ins(%x, %y) outs(%zTile) { mulf; addf } -> tensor<128x128xf32>
      %n = tensor.insert_slice %t into %o[%i, 0, 0] [1, 128, 128] [1, 1, 1] : tensor<128x128xf32> into tensor<8x128x128xf32>
      scf.yield %n : tensor<8x128x128xf32>
    } {host.grid_loop}
    ```
  }];
  let statistics = [Statistic<"numUnbatched", "num-unbatched", "Number of batch GEMMs unbatched">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def TileGEMMsPass : Pass<"ingot-cpu-tile-gemms", "::mlir::ModuleOp"> {
  let summary = "Tile GEMMs to registers and fuse their epilogues";
  let description = [{
    The kernel's last op is tiled so that the GEMM's tile fits into the target's
    vector registers. The GEMM and the elementwise ops after it (the epilogue)
    are fused into the loops over tiles. If B is large enough, the panel of B
    that a column of tiles reads is packed once for a block of rows, as in Goto
    and van de Geijn, "Anatomy of High-Performance Matrix Multiplication"
    (2008). Remainders are peeled so that every tile has a static shape.

    ```mlir
    // Before: a GEMM, then its epilogue
    %0 = linalg.generic ins(%a, %b) outs(%z) { mulf; addf } -> tensor<64x64xf32>
    %1 = linalg.generic ins(%0, %bias) outs(%out) { ... } -> tensor<64x64xf32>
    // After: loops over tiles of 8 x 32, each with its part of the epilogue
    %1 = scf.for %i = %c0 to %c64 step %c8 iter_args(%o = %out) -> (tensor<64x64xf32>) {
      scf.for %j = %c0 to %c64 step %c32 ... {
        %2 = linalg.generic ins(%aTile, %bTile) outs(%zTile) { mulf; addf } -> tensor<8x32xf32>
        %3 = linalg.generic ins(%2, %biasTile) outs(%oTile) { ... } -> tensor<8x32xf32>
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256", "Bits of a vector register">,
    Option<"numRegisters", "num-registers", "unsigned", "16", "Number of vector registers">,
    Option<"halvesVectors", "halves-vectors", "bool", "false", "Units compute a vector as two halves">,
    Option<"tileRows", "tile-rows", "int64_t", "12", "Maximum rows of a register tile">,
    Option<"tileVectors", "tile-vectors", "int64_t", "2", "Number of vectors in a row of a register tile, unless another number divides N better">,
    Option<"rowsOfBlock", "block-rows", "int64_t", "192", "Approximate number of rows of a block that shares a packed panel of B">,
    Option<"pairFactors", "pair-factors", "bool", "false", "The target multiplies pairs of bfloat16 (VDPBF16PS), so packing a panel pays for fewer rows">,
    Option<"caches", "caches", "::ingot::cpu::CacheHierarchy", "::ingot::cpu::CacheHierarchy()",
           "Sizes of L1, L2 and the last-level cache, such as 32K,512K,16M">];
  let statistics = [Statistic<"numTiled", "num-tiled", "Number of GEMMs tiled to registers">,
                    Statistic<"numPacked", "num-packed", "Number of tiled GEMMs that read packed panels of B">];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::affine::AffineDialect"];
}

def TileRemainderRowsPass : Pass<"ingot-cpu-tile-remainder-rows", "::mlir::ModuleOp"> {
  let summary = "Tile the remainder rows of GEMMs with a dynamic M";
  let description = [{
    After the full register tiles of a GEMM with a dynamic M, a number of rows
    that is known at run time only remains. They become tiles of four rows, then
    tiles of one row. So the elements of these rows, too, are chains of
    multiply-adds in registers. Their bits do not depend on where the full tiles
    of a target end.

    ```mlir
    // Before: a GEMM with a dynamic number of rows
    %0 = linalg.generic ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%z : tensor<?x32xf32>) { mulf; addf }
    // After: tiles of four rows, then of one row
    %0 = scf.for %i = %c0 to %whole step %c4 iter_args(%o = %z) ... {
      %1 = linalg.generic ins(%aRows, %b : tensor<4x64xf32>, tensor<64x32xf32>) outs(%oRows : tensor<4x32xf32>) { mulf; addf }
    %2 = scf.for %i = %whole to %rows step %c1 iter_args(%o = %0) ... {
      %3 = linalg.generic ins(%aRow, %b : tensor<1x64xf32>, tensor<64x32xf32>) outs(%oRow : tensor<1x32xf32>) { mulf; addf }
    ```
  }];
  let statistics = [Statistic<"numTiled", "num-tiled", "Number of remainder GEMMs tiled">];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::affine::AffineDialect"];
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
    as the bias of a single channel, does not prevent collapsing.

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
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
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

#endif // INGOT_CODEGEN_CPU_PASSES_TD
