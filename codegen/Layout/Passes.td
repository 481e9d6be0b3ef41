//===- Passes.td - How operands lie in memory ------------------*- tablegen -*-===//
//
// Forms of products and convolutions that a target's kernels read well. On the
// graph dialect, before kernels are cut: a copy is an op like any other there.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_LAYOUT_PASSES_TD
#define INGOT_CODEGEN_LAYOUT_PASSES_TD

include "mlir/Pass/PassBase.td"

def MaterializeTransposesPass : Pass<"ingot-materialize-transposes", "::mlir::ModuleOp"> {
  let summary = "Makes transpositions of a matmul's operands ops of their own";
  let description = [{
    Where the target's kernels don't pack what they read of the second operand,
    and of a large first operand: transposing costs far less than the product,
    unless the sum is so long that rows of both operands are taken block by block.
    What a loop does not change is transposed in front of it, also where kernels
    would pack it in each iteration.
    Products that read one tensor across share its transpose. Of large transposes
    that the graph has, dimensions of one element are left out.

    ```mlir
    // Before
    %c = ingot.matmul %a, %b {transpose_b = true} : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<4x2xf32>
    // After
    %p = ingot.constant dense<[1, 0]> : tensor<2xi32>
    %t = ingot.transpose %b, %p : (tensor<2x8xf32>, tensor<2xi32>) -> tensor<8x2xf32>
    %c = ingot.matmul %a, %t : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    ```
  }];
  let options = [
    Option<"maxSecondDepth", "max-second-depth", "int64_t", "0",
           "A transposed second operand is copied where the sum is longer, or of unknown length">,
    Option<"packsEachTime", "packs-each-time", "bool", "false",
           "Packing takes time in each iteration of a loop">,
    Option<"maxFirstElements", "max-first-elements", "int64_t", "16 * 1024",
           "A transposed first operand of more elements is copied">,
    Option<"longSumDepth", "long-sum-depth", "int64_t", "0",
           "But where the sum has at least so many steps (0: never)">,
    Option<"longSumTimes", "long-sum-times", "int64_t", "0",
           "And so many times as many as the result has rows, or columns">,
    Option<"longSumSide", "long-sum-side", "int64_t", "0",
           "The fewer of which are at most so many">,
    Option<"maxPatchDepth", "max-patch-depth", "int64_t", "0",
           "Patches of so many elements are read as ingot-read-patches says">,
    Option<"patchesOfUnknownSizes", "patches-of-unknown-sizes", "bool", "false",
           "Patches of images of unknown height and width, too">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def ExpandConvolutionsPass : Pass<"ingot-expand-convolutions", "::mlir::ModuleOp"> {
  let summary = "Turns convolutions into products of patches";
  let description = [{
    What each output sees of its image becomes a row of a matrix; the filter is
    the other. A filter's gradient is the product of the patches with the
    output's gradient; an input's gradient adds up products of that with the
    filter, as patches. Convolutions of each channel by itself stay as they are.

    ```mlir
    // Before
    %y = ingot.conv2d %x, %w {padding = "VALID", strides = array<i64: 1, 1>}
        : (tensor<8x6x6x4xf32>, tensor<3x3x4x16xf32>) -> tensor<8x4x4x16xf32>
    // After
    %p = ingot.extract_patches %x {padding = "VALID", strides = array<i64: 1, 1>, window = array<i64: 3, 3>}
        : (tensor<8x6x6x4xf32>) -> tensor<8x4x4x9x4xf32>
    %a = ingot.reshape %p, %rows : (tensor<8x4x4x9x4xf32>, tensor<2xi64>) -> tensor<128x36xf32>
    %b = ingot.reshape %w, %columns : (tensor<3x3x4x16xf32>, tensor<2xi64>) -> tensor<36x16xf32>
    %c = ingot.matmul %a, %b : (tensor<128x36xf32>, tensor<36x16xf32>) -> tensor<128x16xf32>
    %y = ingot.reshape %c, %shape : (tensor<128x16xf32>, tensor<4xi64>) -> tensor<8x4x4x16xf32>
    ```

    Where products compute their patches themselves, the gradient of an input
    is made of convolutions of the output's gradient with the filter turned
    round, so of products of patches as well: one, where the window passed by
    steps of one, else one for each phase, the elements that so many steps lie
    between, with the taps that see them. No zero between elements is
    multiplied. Elementwise ops that follow, as a transposed convolution's bias,
    are computed on each phase.

    ```mlir
    // Before
    %dx = ingot.conv2d_backprop_input %size, %w, %dy {padding = "SAME", strides = array<i64: 1, 2>}
        : (tensor<4xi32>, tensor<1x3x16x32xf32>, tensor<8x1x3x32xf32>) -> tensor<8x1x6x16xf32>
    // After
    %t = ingot.transpose %w, %across : (tensor<1x3x16x32xf32>, tensor<4xi32>) -> tensor<1x3x32x16xf32>
    %p = ingot.extract_patches %dy {explicit_paddings = array<i64: 0, 0, 1, 0>, window = array<i64: 1, 2>, ...} : (tensor<8x1x3x32xf32>) -> tensor<8x1x3x2x32xf32>
    %v = ingot.strided_slice %t, ... : (...) -> tensor<1x2x32x16xf32>
    %a = ingot.matmul ... : (tensor<24x64xf32>, tensor<64x16xf32>) -> tensor<24x16xf32>
    %u = ingot.strided_slice %t, ... : (...) -> tensor<1x1x32x16xf32>
    %b = ingot.matmul ... : (tensor<24x32xf32>, tensor<32x16xf32>) -> tensor<24x16xf32>
    %dx = ingot.join_phases %even, %odd {phases = array<i64: 0, 1>, size = array<i64: 1, 6>, strides = array<i64: 1, 2>}
        : (tensor<8x1x3x16xf32>, tensor<8x1x3x16xf32>) -> tensor<8x1x6x16xf32>
    ```
  }];
  let options = [
    Option<"maxPatchDepth", "max-patch-depth", "int64_t", "0",
           "Products compute patches of so many elements themselves">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def ReadPatchesPass : Pass<"ingot-read-patches", "::mlir::ModuleOp"> {
  let summary = "Gives products patches of their own";
  let description = [{
    A product whose kernel can compute the patches that it reads, some rows of
    them at a time, gets an op of its own that says which; patches that nothing
    else needs are then never in memory as a whole. Across its rows, too: as a
    filter's gradient reads them.

    ```mlir
    // Before
    %p = ingot.extract_patches %x {padding = "SAME", strides = array<i64: 1, 1>, window = array<i64: 3, 3>}
        : (tensor<8x6x6x4xf32>) -> tensor<8x6x6x9x4xf32>
    %a = ingot.reshape %p, %rows : (tensor<8x6x6x9x4xf32>, tensor<2xi64>) -> tensor<288x36xf32>
    %y = ingot.matmul %a, %w : (tensor<288x36xf32>, tensor<36x16xf32>) -> tensor<288x16xf32>
    %g = ingot.matmul %a, %dy {transpose_a = true} : (tensor<288x36xf32>, tensor<288x16xf32>) -> tensor<36x16xf32>
    // After
    %p = ingot.extract_patches %x ...
    %a = ingot.reshape %p, %rows ...
    %q = ingot.extract_patches %x ...
    %b = ingot.reshape %q, %rows ...
    %y = ingot.matmul %b, %w ...
    %g = ingot.matmul %a, %dy {transpose_a = true} ...
    ```
  }];
  let options = [Option<"maxDepth", "max-depth", "int64_t", "2304",
                        "Elements of a patch, where a product reads it along its rows">,
                 Option<"ofUnknownSizes", "of-unknown-sizes", "bool", "false",
                        "Patches of images of unknown height and width, too">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def WidenProductsPass : Pass<"ingot-widen-products", "::mlir::ModuleOp"> {
  let summary = "Computes products of 16-bit floats on 32 bits";
  let description = [{
    Where a target multiplies no floats of 16 bits, each factor is converted
    once, and not each time that a sum reads it; products and convolutions are
    those of f32 then, with their kernels. A sum is rounded once, at its end, as
    TensorFlow rounds it.

    ```mlir
    // Before
    %c = ingot.matmul %a, %b : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xbf16>
    // After
    %x = ingot.cast %a {dst = f32} : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %y = ingot.cast %b {dst = f32} : (tensor<8x2xbf16>) -> tensor<8x2xf32>
    %z = ingot.matmul %x, %y : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    %c = ingot.cast %z {dst = bf16} : (tensor<4x2xf32>) -> tensor<4x2xbf16>
    ```
  }];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

#endif // INGOT_CODEGEN_LAYOUT_PASSES_TD
