//===- TensorPasses.td - Passes on kernels of tensors -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_CPU_TENSORPASSES_TD
#define INGOT_CODEGEN_CPU_TENSORPASSES_TD

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

def SinkTransposesPass : Pass<"ingot-cpu-sink-transposes", "::mlir::ModuleOp"> {
  let summary = "Sink transposes below elementwise ops";
  let description = [{
    A convolution with few output channels is computed as the transpose of its
    result (`ingot-cpu-tile-im2col`), so that vectors hold neighbours in a row of
    the image. Its bias and activation are computed before it is transposed, too:
    afterwards each row has a few channels, which do not fill vectors. This is
    done where all other operands are scalars, or have one value for each row or
    column, and where there is one result.

    ```mlir
    // Before: rows of six elements
    %t = linalg.transpose ins(%x : tensor<6x192xf32>) outs(%e : tensor<192x6xf32>) permutation = [1, 0]
    %y = linalg.generic {iterator_types = ["parallel", "parallel"]} ins(%t, %bias : tensor<192x6xf32>, tensor<6xf32>) outs(%o : tensor<192x6xf32>) { tanh }
    // After: rows of 192 elements
    %z = linalg.generic {iterator_types = ["parallel", "parallel"]} ins(%x, %bias : tensor<6x192xf32>, tensor<6xf32>) outs(%f : tensor<6x192xf32>) { tanh }
    %y = linalg.transpose ins(%z : tensor<6x192xf32>) outs(%o : tensor<192x6xf32>) permutation = [1, 0]
    ```
  }];
  let options = [Option<"vectorBits", "vector-bits", "unsigned", "256", "Width of a vector register">];
  let statistics = [Statistic<"numSunk", "num-sunk", "Number of ops computed before a transpose">];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
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

#endif // INGOT_CODEGEN_CPU_TENSORPASSES_TD
