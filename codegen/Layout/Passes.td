//===- Passes.td - Layouts of the operands of GEMMs ------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// These passes choose layouts of the operands of GEMMs and convolutions that
// suit a target's kernels. They run on the graph dialect, before kernels are
// formed: there, a transpose or im2col is an op like any other, and can be fused
// or shared.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_LAYOUT_PASSES_TD
#define INGOT_CODEGEN_LAYOUT_PASSES_TD

include "codegen/PolicyOption.td"

def SwapThinGEMMOperandsPass : Pass<"ingot-swap-thin-gemm-operands", "::mlir::ModuleOp"> {
  let summary = "Swap the operands of GEMMs with few columns";
  let description = [{
    The weights of a layer with one or a few outputs have a gradient with many
    rows and few columns, A^T B. Its columns fill no vector, and A would be
    transposed first. B^T A, which is the transpose of the gradient, has as few
    rows, and its kernel reads rows of A in place. Each element remains a sum in
    the order of ascending k. A small A, which kernels read in place anyway,
    stays as it is.

    ```mlir
    // Before: the gradient of a layer with one output
    %c = ingot.matmul %a, %b {transpose_a = true} : (tensor<512x64xf32>, tensor<512x1xf32>) -> tensor<64x1xf32>
    // After
    %r = ingot.reshape %b, ... : (tensor<512x1xf32>, tensor<2xi64>) -> tensor<1x512xf32>
    %t = ingot.matmul %r, %a : (tensor<1x512xf32>, tensor<512x64xf32>) -> tensor<1x64xf32>
    %c = ingot.reshape %t, ... : (tensor<1x64xf32>, tensor<2xi64>) -> tensor<64x1xf32>
    ```
  }];
  let options = [Ingot_PolicyOption];
  let statistics = [Statistic<"numSwapped", "num-swapped", "GEMMs whose operands were swapped">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def MaterializeTransposesPass : Pass<"ingot-materialize-transposes", "::mlir::ModuleOp"> {
  let summary = "Materialize the transposes of matmul operands";
  let description = [{
    Replaces a transposed operand of a GEMM by the result of an `ingot.transpose`:
    a second operand that the target's kernels do not pack themselves, and a large
    first operand. A transpose costs far less than the GEMM, unless K is so large
    that kernels block K and read rows of both operands in place.

    A loop-invariant operand is transposed before the loop (LICM), even if
    kernels could pack it, as they would pack it in each iteration. GEMMs that
    read the same tensor transposed share the transpose. Unit dimensions are
    dropped from large transposes that the graph itself has.

    ```mlir
    // Before: a GEMM that transposes B
    %c = ingot.matmul %a, %b {transpose_b = true} : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<4x2xf32>
    // After: an op of its own transposes B
    %p = ingot.constant dense<[1, 0]> : tensor<2xi32>
    %t = ingot.transpose %b, %p : (tensor<2x8xf32>, tensor<2xi32>) -> tensor<8x2xf32>
    %c = ingot.matmul %a, %t : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    ```
  }];
  let options = [Ingot_PolicyOption];
  let statistics = [Statistic<"numTransposes", "num-transposes", "Number of operands of GEMMs transposed by an op of their own">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def LowerConvolutionsToIm2colPass : Pass<"ingot-lower-convolutions-to-im2col", "::mlir::ModuleOp"> {
  let summary = "Lower convolutions to im2col and GEMM";
  let description = [{
    Each row of the im2col matrix is a patch, the elements that the window covers
    at one position of the output; the filter is the other operand. A filter's
    gradient is the GEMM of the transposed im2col with the output's gradient; an
    input's gradient is the GEMM of the output's gradient with the filter, whose
    patches are added up (col2im). Depthwise convolutions stay as they are.

    ```mlir
    // Before: a convolution with a window of 3 x 3
    %y = ingot.conv2d %x, %w {padding = "VALID", strides = array<i64: 1, 1>}
        : (tensor<8x6x6x4xf32>, tensor<3x3x4x16xf32>) -> tensor<8x4x4x16xf32>
    // After: the GEMM of im2col and the filter
    %p = ingot.extract_patches %x {padding = "VALID", strides = array<i64: 1, 1>, window = array<i64: 3, 3>}
        : (tensor<8x6x6x4xf32>) -> tensor<8x4x4x9x4xf32>
    %a = ingot.reshape %p, %rows : (tensor<8x4x4x9x4xf32>, tensor<2xi64>) -> tensor<128x36xf32>
    %b = ingot.reshape %w, %columns : (tensor<3x3x4x16xf32>, tensor<2xi64>) -> tensor<36x16xf32>
    %c = ingot.matmul %a, %b : (tensor<128x36xf32>, tensor<36x16xf32>) -> tensor<128x16xf32>
    %y = ingot.reshape %c, %shape : (tensor<128x16xf32>, tensor<4xi64>) -> tensor<8x4x4x16xf32>
    ```

    If GEMMs fuse their im2col (`max-patch-depth`), the gradient of an input is
    computed as a convolution of the output's gradient with the flipped filter.
    This convolution is lowered to im2col and a GEMM, too. With stride one, it
    is a single convolution; otherwise there is one for each phase (the elements
    of the input whose indices have the same remainder modulo the stride), with
    the taps that read elements of the phase. So the zeros that a dilated
    gradient would contain are never multiplied. Elementwise ops that follow,
    such as the addition of a transposed convolution's bias, are computed on
    each phase.

    ```mlir
    // Before: the input gradient of a convolution with stride 2 along the width
    %dx = ingot.conv2d_backprop_input %size, %w, %dy {padding = "SAME", strides = array<i64: 1, 2>}
        : (tensor<4xi32>, tensor<1x3x16x32xf32>, tensor<8x1x3x32xf32>) -> tensor<8x1x6x16xf32>
    // After: a GEMM for the even columns, and one for the odd columns
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
  let options = [Ingot_PolicyOption];
  let statistics = [Statistic<"numLowered", "num-lowered", "Number of convolutions and their gradients lowered to GEMMs">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def RematerializeIm2colPass : Pass<"ingot-rematerialize-im2col", "::mlir::ModuleOp"> {
  let summary = "Rematerialize im2col for each GEMM that can fuse it";
  let description = [{
    For each GEMM whose kernel can tile im2col into itself, clones the im2col op,
    so that the GEMM is the clone's only user. Such an im2col is never in memory
    as a whole. This includes filter gradients, which read im2col transposed.

    ```mlir
    // Before: two GEMMs read the same im2col
    %p = ingot.extract_patches %x {padding = "SAME", strides = array<i64: 1, 1>, window = array<i64: 3, 3>}
        : (tensor<8x6x6x4xf32>) -> tensor<8x6x6x9x4xf32>
    %a = ingot.reshape %p, %rows : (tensor<8x6x6x9x4xf32>, tensor<2xi64>) -> tensor<288x36xf32>
    %y = ingot.matmul %a, %w : (tensor<288x36xf32>, tensor<36x16xf32>) -> tensor<288x16xf32>
    %g = ingot.matmul %a, %dy {transpose_a = true} : (tensor<288x36xf32>, tensor<288x16xf32>) -> tensor<36x16xf32>
    // After: each GEMM has an im2col of its own
    %p = ingot.extract_patches %x ...
    %a = ingot.reshape %p, %rows ...
    %q = ingot.extract_patches %x ...
    %b = ingot.reshape %q, %rows ...
    %y = ingot.matmul %b, %w ...
    %g = ingot.matmul %a, %dy {transpose_a = true} ...
    ```
  }];
  let options = [Ingot_PolicyOption];
  let statistics = [Statistic<"numCloned", "num-cloned", "Number of im2col ops cloned for one GEMM">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def WidenGEMMsToF32Pass : Pass<"ingot-widen-gemms-to-f32", "::mlir::ModuleOp"> {
  let summary = "Compute GEMMs and convolutions of 16-bit floats in f32";
  let description = [{
    For targets without 16-bit multiplication: converts the operands of 16-bit
    GEMMs and convolutions to f32 and the result back. Each operand is converted
    once as a whole, not each time that a sum reads an element, and the kernels
    are those for f32. A sum is rounded to 16 bits once, at its end, as in
    TensorFlow.

    ```mlir
    // Before: a GEMM of bfloat16
    %c = ingot.matmul %a, %b : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xbf16>
    // After: a GEMM of f32, on converted operands
    %x = ingot.cast %a {dst = f32} : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %y = ingot.cast %b {dst = f32} : (tensor<8x2xbf16>) -> tensor<8x2xf32>
    %z = ingot.matmul %x, %y : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    %c = ingot.cast %z {dst = bf16} : (tensor<4x2xf32>) -> tensor<4x2xbf16>
    ```
  }];
  let statistics = [Statistic<"numWidened", "num-widened", "Number of GEMMs and convolutions widened">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

#endif // INGOT_CODEGEN_LAYOUT_PASSES_TD
