//===- Passes.td - Kernels for CPUs -----------------------------*- tablegen -*-===//
//
// Tile to registers, vectorize, lower to the ABI's signature and to LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_PASSES_TD
#define INGOT_CODEGEN_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def TransposeNarrowTensorsPass : Pass<"ingot-cpu-transpose-narrow-tensors", "::mlir::ModuleOp"> {
  let summary = "Computes tensors of short rows column by column";
  let description = [{
    A reduction along a row of ten, such as a softmax has over ten classes, has
    one vector and much to do between its lanes. Where a kernel has one, the ops
    on such rows run over columns instead, whose neighbours are rows: each lane
    reduces a row of its own, in the row's order. What comes from elsewhere, or
    goes there, is transposed.

    ```mlir
    // Before
    %m = linalg.generic {iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x10xf32>) outs(%i : tensor<64xf32>) { maximumf }
    // After
    %t = linalg.transpose ins(%x : tensor<64x10xf32>) outs(%e : tensor<10x64xf32>) permutation = [1, 0]
    %m = linalg.generic {iterator_types = ["reduction", "parallel"]} ins(%t : tensor<10x64xf32>) outs(%i : tensor<64xf32>) { maximumf }
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def TilePatchesPass : Pass<"ingot-cpu-tile-patches", "::mlir::ModuleOp"> {
  let summary = "Has a product of patches make them, block by block";
  let description = [{
    Patches are what each position of a convolution's window sees. A block of
    them, neighbours in an image, is made where the product needs it, and stays
    in a core's own caches while the product reads it. Blocks of the result's
    rows are the grid. Where the product sums over all patches, as a filter's
    gradient does, a block of its rows is some elements of each patch, and the
    sum goes over blocks of patches, in their order. There may be any number of
    images: a block is a part of one then.

    Where the patches' window is known, `host.window`, and a register tile's rows
    lie in one row of an image, what a block sees of the images is copied, with
    the padding, and its patches are an affine copy of that, which
    `ingot-cpu-read-images` leaves out; without padding they are one of the
    images themselves. Of a sum over all patches a block has a row of the
    window's taps then. Where a product has few columns, rows and columns change
    places: vectors hold elements of a patch, or neighbours in an image, which is
    transposed for that, and so is the result.

    Where it is not known how many patches an image has, a block is some of them
    that follow each other, of whichever images. The last one is made as a whole,
    too, in memory of its own, and the result gets what it has room for: no tile
    is cut short. A sum has a shorter last block.

    ```mlir
    // Before
    %p = linalg.generic outs(%e : tensor<8x6x6x9x4xf32>) { ... tensor.extract %image[...] ... }
    %a = tensor.collapse_shape %p [[0, 1, 2], [3, 4]] : tensor<8x6x6x9x4xf32> into tensor<288x36xf32>
    %c = linalg.generic ins(%a, %w) outs(%z) { mulf; addf } -> tensor<288x16xf32>
    // After
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
                        "A block of patches has at most so many elements">,
                 Option<"tileRows", "tile-rows", "int64_t", "12",
                        "Rows of a register tile two vectors wide">,
                 Option<"vectorBits", "vector-bits", "unsigned", "512",
                        "Width of a vector register">];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def SumInBlocksPass : Pass<"ingot-cpu-sum-in-blocks", "::mlir::ModuleOp"> {
  let summary = "Has a product of long sums take them block by block";
  let description = [{
    A sum over all positions of a batch of images, as the filter's gradient of a
    convolution of one by one has, is so long that nothing of the operands stays
    in a cache until the next register tile reads it. So tiles of a part of the
    result, an iteration of the grid, add a block of the sum each, and then the
    next. Every element is still one chain of multiply-adds in the sum's order.
    What follows on the result runs on the part when it is complete. Where the
    sum's steps are rows of both operands, as in any gradient of a weight, neither
    is packed or transposed for that: so the sum may be shorter.

    ```mlir
    // Before
    %c = linalg.generic ins(%a, %b : tensor<32768x64xf32>, tensor<32768x128xf32>) outs(%z) { mulf; addf } -> tensor<64x128xf32>
    // After
    %c = scf.for %j = %c0 to %c128 step %c32 iter_args(%o = %out) -> (tensor<64x128xf32>) {
      %s = scf.for %k = %c0 to %c32768 step %c256 iter_args(%t = %zeros) -> (tensor<64x32xf32>) {
        %u = linalg.generic ins(%aBlock, %bBlock : tensor<256x64xf32>, tensor<256x32xf32>) outs(%t) { mulf; addf } -> tensor<64x32xf32>
        ...
      }
      ...
    } {host.grid_loop}
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::affine::AffineDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ReadImagesPass : Pass<"ingot-cpu-read-images", "::mlir::ModuleOp"> {
  let summary = "Has products read images instead of copies of their patches";
  let description = [{
    Patches that are an affine copy of a buffer are a view of it, in which they
    overlap. A product of some rows of their matrix, or of some columns, reads
    that view, as its first operand or its second, where its
    rows are neighbours in one row of an image; its sum runs over a row of taps
    after the other then, in the order that it had.

    ```mlir
    // Before
    linalg.generic {indexing_maps = [affine_map<(n, y, x, r, e) -> (n, y + r, x * 8 + e)>, ...]} ins(%rows : memref<1x6x64xf32>) outs(%p : memref<1x4x6x3x24xf32>) { yield %in }
    %m = memref.collapse_shape %p [[0, 1, 2], [3, 4]] : memref<1x4x6x3x24xf32> into memref<24x72xf32>
    %a = memref.subview %m[%i, 0] [6, 72] [1, 1]
    linalg.generic {iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b) outs(%c) { mulf; addf }
    // After
    %a = memref.reinterpret_cast %rows to offset: [%o], sizes: [6, 3, 24], strides: [8, 64, 1]
    %e = memref.expand_shape %b [[0, 1], [2]] : memref<72x16xf32> into memref<3x24x16xf32>
    linalg.generic {iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%a, %e) outs(%c) { mulf; addf }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def UnbatchProductsPass : Pass<"ingot-cpu-unbatch-products", "::mlir::ModuleOp"> {
  let summary = "Makes a batch of products a loop over products";
  let description = [{
    The loop is the kernel's grid, and the product in it is tiled to registers
    like any other. The dimensions of the batch may stand between those of the
    matrices, as the heads of an attention do: these are slices then. A first
    operand that is read across its rows is transposed there, where a core's own
    caches hold it.

    ```mlir
    // Before
    %c = linalg.generic ins(%a, %b : tensor<8x128x64xf32>, tensor<8x64x128xf32>) outs(%z) { mulf; addf } -> tensor<8x128x128xf32>
    // After
    %c = scf.for %i = %c0 to %c8 step %c1 iter_args(%o = %out) -> (tensor<8x128x128xf32>) {
      %x = tensor.extract_slice %a[%i, 0, 0] [1, 128, 64] [1, 1, 1] : tensor<8x128x64xf32> to tensor<128x64xf32>
      %y = tensor.extract_slice %b[%i, 0, 0] [1, 64, 128] [1, 1, 1] : tensor<8x64x128xf32> to tensor<64x128xf32>
      %t = linalg.generic ins(%x, %y) outs(%zTile) { mulf; addf } -> tensor<128x128xf32>
      %n = tensor.insert_slice %t into %o[%i, 0, 0] [1, 128, 128] [1, 1, 1] : tensor<128x128xf32> into tensor<8x128x128xf32>
      scf.yield %n : tensor<8x128x128xf32>
    } {host.grid_loop}
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def TileKernelsPass : Pass<"ingot-cpu-tile-kernels", "::mlir::ModuleOp"> {
  let summary = "Tiles products to registers and fuses what consumes them";
  let description = [{
    The tile of the kernel's last op, and with it the product's, is one that
    the target's vector registers hold. Remainders are peeled so that every
    tile has a static shape.

    ```mlir
    // Before
    %0 = linalg.generic ins(%a, %b) outs(%z) { mulf; addf } -> tensor<64x64xf32>
    %1 = linalg.generic ins(%0, %bias) outs(%out) { ... } -> tensor<64x64xf32>
    // After
    %1 = scf.for %i = %c0 to %c64 step %c8 iter_args(%o = %out) -> (tensor<64x64xf32>) {
      scf.for %j = %c0 to %c64 step %c32 ... {
        %2 = linalg.generic ins(%aTile, %bTile) outs(%zTile) { mulf; addf } -> tensor<8x32xf32>
        %3 = linalg.generic ins(%2, %biasTile) outs(%oTile) { ... } -> tensor<8x32xf32>
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256", "Width of a vector register">,
    Option<"numRegisters", "num-registers", "unsigned", "16", "How many there are">,
    Option<"tileRows", "tile-rows", "int64_t", "12", "Rows of a tile at the most">,
    Option<"tileVectors", "tile-vectors", "int64_t", "2", "Vectors of a tile's row, where these divide the whole">,
    Option<"rowsOfBlock", "block-rows", "int64_t", "192", "About so many rows share a panel that is packed once">,
    Option<"pairFactors", "pair-factors", "bool", "false", "The target multiplies pairs of bfloat16: panels are packed for fewer rows">];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::affine::AffineDialect"];
}

def TileLastRowsPass : Pass<"ingot-cpu-tile-last-rows", "::mlir::ModuleOp"> {
  let summary = "Cuts remainders of products into rows";
  let description = [{
    Behind the tiles of a product of any number of rows are some rows whose
    number only the run knows: they become tiles of four rows, then of one. So
    their elements, too, are chains of multiply-adds in registers, and the same
    bits wherever a target's tiles end.

    ```mlir
    // Before
    %0 = linalg.generic ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%z : tensor<?x32xf32>) { mulf; addf }
    // After
    %0 = scf.for %i = %c0 to %whole step %c4 iter_args(%o = %z) ... {
      %1 = linalg.generic ins(%aRows, %b : tensor<4x64xf32>, tensor<64x32xf32>) outs(%oRows : tensor<4x32xf32>) { mulf; addf }
    %2 = scf.for %i = %whole to %rows step %c1 iter_args(%o = %0) ... {
      %3 = linalg.generic ins(%aRow, %b : tensor<1x64xf32>, tensor<64x32xf32>) outs(%oRow : tensor<1x32xf32>) { mulf; addf }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::affine::AffineDialect"];
}

def VectorizeProductsPass : Pass<"ingot-cpu-vectorize-products", "::mlir::ModuleOp"> {
  let summary = "Lowers tiles of products to vectors held in registers";
  let description = [{
    Rows of the accumulator stay in registers over the whole reduction; each
    step multiplies a broadcast element of the first operand with a row of the
    second; a reduction along several dimensions is as many loops. Where the tile was filled with a number, they begin with that.
    A row's end that is no vector is several shorter ones, or, with vectors of 512 bits, which can be loaded in part, one. What
    consumers of the tile have beside it of large tensors is fetched before, and what the next block of tiles will pack
    or read in place, step by step while this one's are computed.

    With `pair-factors` factors that are bfloat16 (`host.bfloat16_factors`) are
    packed in pairs of steps: the second operand in front of the loops whose
    tiles read it, the first by each tile, a stretch of the sum at a time. Every
    bit of the sum is as without.

    ```mlir
    // Before
    linalg.generic ins(%a, %b : memref<2x64xf32, ...>, memref<64x16xf32, ...>) outs(%c : memref<2x16xf32>)
    // After
    %r:2 = scf.for %k = %c0 to %c64 step %c1 iter_args(%c0 = ..., %c1 = ...) -> (vector<16xf32>, vector<16xf32>) {
      %row = vector.load %b[%k, %c0]
      %n0 = math.fma %a0, %row, %c0 : vector<16xf32>
    // After, of bfloat16 in pairs
    %r:2 = scf.for %k = %c0 to %c32 step %c1 iter_args(%c0 = ..., %c1 = ...) -> (vector<16xf32>, vector<16xf32>) {
      %row = vector.load %panel[%k, %c0]
      %n0 = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%c0, %a0, %row)
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256", "Width of a vector register">,
    Option<"useFMA", "fma", "bool", "true", "The target multiplies and adds in one instruction">,
    Option<"pairFactors", "pair-factors", "bool", "false", "The target multiplies pairs of bfloat16">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
}

def TypePairsPass : Pass<"ingot-cpu-type-pairs", "::mlir::ModuleOp"> {
  let summary = "Gives instructions on pairs of bfloat16 their types";
  let description = [{
    bfloat16 is stored as bits, and so are pairs of it, until nothing is left
    that stores them. LLVM's instruction has types of its own.

    ```mlir
    // Before
    %s = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%c, %a, %b) : (vector<16xf32>, vector<16xf32>, vector<16xf32>) -> vector<16xf32>
    // After
    %x = llvm.bitcast %a : vector<16xf32> to vector<32xbf16>
    %y = llvm.bitcast %b : vector<16xf32> to vector<32xbf16>
    %s = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%c, %x, %y) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def VectorizeWindowsPass : Pass<"ingot-cpu-vectorize-windows", "::mlir::ModuleOp"> {
  let summary = "Sums over windows of images by channel, held in registers";
  let description = [{
    A convolution that has a filter for each channel is as many sums of products
    as there are channels, side by side in a vector. Those of some neighbours in
    a row of the image stay in registers over all taps: an element of the image
    is read once for all of them, and a row of the filter's taps once, too. Each
    sum is one chain of multiply-adds in the order of taps. Of the filter's
    gradient rows of taps stay in registers over all windows of all images.

    ```mlir
    // Before
    linalg.generic {indexing_maps = [affine_map<(n, y, x, r, s, c) -> (n, y + r, x + s, c)>, affine_map<(n, y, x, r, s, c) -> (r, s, c)>, ...],
                    iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "parallel"]}
        ins(%image, %filter : memref<1x6x6x16xf32>, memref<3x3x16xf32>) outs(%sums : memref<1x4x4x16xf32>) { mulf; addf }
    // After
    %r:4 = scf.for %tap = %c0 to %c3 step %c1 iter_args(%s0 = ..., %s1 = ..., %s2 = ..., %s3 = ...) -> (vector<16xf32>, ...) {
      %f0 = vector.load %filter[%tap, %c0, %c]
      ...
      %x0 = vector.load %image[%n, %row, %x, %c]
      %n0 = math.fma %x0, %f0, %s0 : vector<16xf32>
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256", "Width of a vector register">,
    Option<"numRegisters", "num-registers", "unsigned", "16", "How many there are">,
    Option<"useFMA", "fma", "bool", "true", "The target multiplies and adds in one instruction">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def CollapseLoopsPass : Pass<"ingot-cpu-collapse-loops", "::mlir::ModuleOp"> {
  let summary = "Makes loops over short rows that lie one behind the other one loop";
  let description = [{
    Whole vectors cover several rows then, and a sum over all elements has one
    reduction between lanes. A number that all elements share, such as the bias
    of a single channel, keeps no loops apart.

    ```mlir
    // Before
    linalg.generic {iterator_types = ["parallel", "parallel"]} ins(%a : memref<64x10xf32>) outs(%o : memref<64x10xf32>) { ... }
    // After
    %0 = memref.collapse_shape %a [[0, 1]] : memref<64x10xf32> into memref<640xf32>
    %1 = memref.collapse_shape %o [[0, 1]] : memref<64x10xf32> into memref<640xf32>
    linalg.generic {iterator_types = ["parallel"]} ins(%0 : memref<640xf32>) outs(%1 : memref<640xf32>) { ... }
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def VectorizeTransposesPass : Pass<"ingot-cpu-vectorize-transposes", "::mlir::ModuleOp"> {
  let summary = "Transposes squares in registers";
  let description = [{
    As many rows as a vector has lanes are loaded, exchanged by shuffles, and
    stored as rows of the target; smaller squares cover what is left over.

    ```mlir
    // Before
    linalg.transpose ins(%a : memref<8x8xf32>) outs(%t : memref<8x8xf32>) permutation = [1, 0]
    // After
    %r0 = vector.load %a[%i, %j] : memref<8x8xf32>, vector<8xf32>
    ...
    %s0 = vector.shuffle %r0, %r1 [0, 8, 2, 10, 4, 12, 6, 14] : vector<8xf32>, vector<8xf32>
    ...
    vector.store %u0, %t[%j, %i] : memref<8x8xf32>, vector<8xf32>
    ```
  }];
  let options = [Option<"vectorBits", "vector-bits", "unsigned", "256", "Width of a vector register">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def LowerProductsToLoopsPass : Pass<"ingot-cpu-lower-products-to-loops", "::mlir::ModuleOp"> {
  let summary = "Lowers products to loops, one multiply-add a step";
  let description = [{
    The definition of a product: each element is one chain of multiply-adds in
    ascending order of the dimensions that are summed over, from the number that
    the result holds. Tiled products (`ingot-cpu-vectorize-products`) have to
    give the same bits. `ingotc --reference` uses it.

    ```mlir
    // Before
    linalg.generic ins(%a, %b : memref<4x8xf32>, memref<8x2xf32>) outs(%c : memref<4x2xf32>) { mulf; addf }
    // After
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
                        "Round once after a product and its sum">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def VectorizeContractionsPass : Pass<"ingot-cpu-vectorize-contractions", "::mlir::ModuleOp"> {
  let summary = "Lowers products that have no register tile to loops over vectors";
  let description = [{
    Batches of small products, products of sizes that only the run knows, and
    those of kernels with other loops. Some neighbours in a row of the result
    are held in registers over all of the sum, where these lie next to each
    other in both factors or use the same element; otherwise some elements,
    each a chain of its own. Chains are those of
    `ingot-cpu-lower-products-to-loops`, so bits are the same.

    ```mlir
    // Before
    linalg.generic ins(%a, %b : memref<4x8xf32>, memref<8x16xf32>) outs(%c : memref<4x16xf32>) { mulf; addf }
    // After
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
                        "Round once after a product and its sum">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def VectorizeLoopsPass : Pass<"ingot-cpu-vectorize-loops", "::mlir::ModuleOp"> {
  let summary = "Lowers all other linalg ops to loops over vectors";
  let description = [{
    The innermost dimension is computed in vectors where its elements lie next
    to each other: elementwise, or as a reduction with one accumulator a lane.
    Booleans are bytes in memory and bits of a mask in vectors. Random bits of
    neighbours are drawn together, and the key that they need is read once. What
    does not fit is computed element by element.

    ```mlir
    // Before
    linalg.generic ins(%a : memref<32xf32>) outs(%o : memref<32xf32>) { addf }
    // After
    scf.for %i = %c0 to %c32 step %c8 {
      %x = vector.load %a[%i] : memref<32xf32>, vector<8xf32>
      %y = arith.addf %x, %x : vector<8xf32>
      vector.store %y, %o[%i] : memref<32xf32>, vector<8xf32>
    }
    ```
  }];
  let options = [Option<"vectorBits", "vector-bits", "unsigned", "256", "Width of a vector register">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
}

def LowerKernelSignaturesPass : Pass<"ingot-cpu-lower-kernel-signatures", "::mlir::ModuleOp"> {
  let summary = "Gives kernels the ABI's signature and says what their grids are";
  let description = [{
    A kernel becomes an ingot_kernel: buffers come from a table of arguments,
    and it computes a range of its grid, the iterations of the loop that is
    marked `host.grid_loop`. How many there are, of static or dynamic sizes, is
    its attribute `host.grid`. A kernel without such a loop has one iteration.

    ```mlir
    // Before
    func.func private @k(%a: memref<64xf32>) attributes {host.kernel} {
      scf.for %i = %c0 to %c64 step %c8 { ... } {host.grid_loop}
    // After
    func.func private @k(%arguments: !llvm.ptr, %begin: i64, %end: i64)
        attributes {host.kernel, host.grid = array<i64: 64, 8>} {
      %a = host.bind %arguments[0] : memref<64xf32>
      scf.for %i = %from to %to step %c8 { ... }
    ```
  }];
  let dependentDialects = ["::mlir::host::HostDialect", "::mlir::LLVM::LLVMDialect"];
}

def ConvertKernelsPass : Pass<"ingot-cpu-convert-kernels", "::mlir::ModuleOp"> {
  let summary = "Lowers loops, vectors and buffers of kernels to LLVM";
  let description = [{
    ```mlir
    // Before
    %a = host.bind %arguments[0] : memref<4xf32>
    // After
    %place = llvm.getelementptr %arguments[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %a = llvm.load %place : !llvm.ptr -> !llvm.ptr
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif // INGOT_CODEGEN_CPU_PASSES_TD
