//===- IngotConvolution.td - Convolutions -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions of images in NHWC layout, their gradients, and the ops into
// which they are lowered: im2col and col2im.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_CONVOLUTION_TD
#define INGOT_DIALECTS_INGOT_CONVOLUTION_TD

include "dialects/Ingot/IR/IngotBase.td"

// How a window moves over an image. Attributes with two elements are for height
// and width.
defvar Ingot_WindowAttributes = (ins
    DenseI64ArrayAttr:$strides,
    DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilations,
    StrAttr:$padding,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$explicit_paddings);

def Ingot_Conv2DOp : Ingot_PureOp<"conv2d"> {
  let summary = "Convolution of images with a filter";
  let description = [{
    TensorFlow's `Conv2D`: `input` is [batch, height, width, channels], `filter`
    [height, width, channels, outputs]. With `depthwise`, TensorFlow's
    `DepthwiseConv2dNative`: the filter is [height, width, channels, multiplier],
    and each channel has outputs of its own. `explicit_paddings` are the numbers of
    elements before and after the height, then before and after the width.

    Constraints:
    - (conv2d_c1) input, filter and gradient have rank 4 and one element type.
    - (conv2d_c2) the filter has as many channels as the input.
    - (conv2d_c3) a gradient has the shape of the convolution's result.
    - (window_c1) strides and dilations are two positive numbers each.
    - (window_c2) the padding is SAME, VALID or EXPLICIT; EXPLICIT has four numbers, none of them negative.
    - (window_c3) the window fits into the padded input.

    ```mlir
    %y = ingot.conv2d %x, %w {strides = array<i64: 1, 1>, padding = "SAME"}
        : (tensor<8x32x32x3xf32>, tensor<3x3x3x16xf32>) -> tensor<8x32x32x16xf32>
    ```
  }];
  let arguments = !con((ins Ingot_NumericTensor:$input, Ingot_NumericTensor:$filter,
                            DefaultValuedAttr<BoolAttr, "false">:$depthwise),
                       Ingot_WindowAttributes);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "$input `,` $filter attr-dict `:` functional-type(operands, results)";
}

def Ingot_Conv2DBackpropInputOp : Ingot_PureOp<"conv2d_backprop_input"> {
  let summary = "Gradient of a convolution's input, or a transposed convolution";
  let description = [{
    TensorFlow's `Conv2DBackpropInput`, or with `depthwise`
    `DepthwiseConv2dNativeBackpropInput`: each element of `gradient`, multiplied
    by the filter, is added to those elements of the input's gradient that its
    window covers. `input_sizes` is the result's shape, or its height and width.

    Constraints:
    - (conv2d_c1) input, filter and gradient have rank 4 and one element type.
    - (conv2d_c2) the filter has as many channels as the input.
    - (conv2d_c3) a gradient has the shape of the convolution's result.
    - (conv2d_c4) sizes are a vector of four numbers, none of them negative; `input_sizes` may be just height and width.
    - (window_c1) strides and dilations are two positive numbers each.
    - (window_c2) the padding is SAME, VALID or EXPLICIT; EXPLICIT has four numbers, none of them negative.
    - (window_c3) the window fits into the padded input.

    ```mlir
    %dx = ingot.conv2d_backprop_input %sizes, %w, %dy {strides = array<i64: 2, 2>, padding = "SAME"}
        : (tensor<4xi32>, tensor<3x3x3x16xf32>, tensor<8x16x16x16xf32>) -> tensor<8x32x32x3xf32>
    ```
  }];
  let arguments = !con((ins Ingot_IntTensor:$input_sizes, Ingot_NumericTensor:$filter,
                            Ingot_NumericTensor:$gradient,
                            DefaultValuedAttr<BoolAttr, "false">:$depthwise),
                       Ingot_WindowAttributes);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_Conv2DBackpropFilterOp : Ingot_PureOp<"conv2d_backprop_filter"> {
  let summary = "Gradient of a convolution's filter";
  let description = [{
    TensorFlow's `Conv2DBackpropFilter`, or with `depthwise`
    `DepthwiseConv2dNativeBackpropFilter`. `filter_sizes` is the result's shape.

    Constraints:
    - (conv2d_c1) input, filter and gradient have rank 4 and one element type.
    - (conv2d_c2) the filter has as many channels as the input.
    - (conv2d_c3) a gradient has the shape of the convolution's result.
    - (conv2d_c4) sizes are a vector of four numbers, none of them negative; `input_sizes` may be just height and width.
    - (window_c1) strides and dilations are two positive numbers each.
    - (window_c2) the padding is SAME, VALID or EXPLICIT; EXPLICIT has four numbers, none of them negative.
    - (window_c3) the window fits into the padded input.

    ```mlir
    %dw = ingot.conv2d_backprop_filter %x, %sizes, %dy {strides = array<i64: 1, 1>, padding = "SAME"}
        : (tensor<8x32x32x3xf32>, tensor<4xi32>, tensor<8x32x32x16xf32>) -> tensor<3x3x3x16xf32>
    ```
  }];
  let arguments = !con((ins Ingot_NumericTensor:$input, Ingot_IntTensor:$filter_sizes,
                            Ingot_NumericTensor:$gradient,
                            DefaultValuedAttr<BoolAttr, "false">:$depthwise),
                       Ingot_WindowAttributes);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_ExtractPatchesOp : Ingot_PureOp<"extract_patches"> {
  let hasBuilders = 1;
  let summary = "im2col: the elements under each position of a window";
  let description = [{
    TensorFlow's `ExtractImagePatches`, with the window's elements in a
    dimension of their own: from [batch, height, width, channels] to [batch,
    rows, columns, elements, channels], zeros where the window reaches into the
    padding. A convolution is a GEMM of this tensor with the filter.

    Constraints:
    - (patches_c1) images have rank 4; patches have rank 5 and as many elements
      as the window.
    - (window_c1) strides and dilations are two positive numbers each.
    - (window_c2) the padding is SAME, VALID or EXPLICIT; EXPLICIT has four numbers, none of them negative.
    - (window_c3) the window fits into the padded input.

    ```mlir
    %p = ingot.extract_patches %x {window = array<i64: 3, 3>, strides = array<i64: 1, 1>, padding = "SAME"}
        : (tensor<8x32x32x3xf32>) -> tensor<8x32x32x9x3xf32>
    ```
  }];
  let arguments = !con((ins Ingot_NumericTensor:$input, DenseI64ArrayAttr:$window),
                       Ingot_WindowAttributes);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_SumPatchesOp : Ingot_PureOp<"sum_patches"> {
  let hasBuilders = 1;
  let summary = "col2im: adds patches up to the image that they were extracted from";
  let description = [{
    col2im, the transpose of `extract_patches`: each element of an image of the
    height and width `size` is the sum of the elements of the patches that cover
    it, in the order of the patches. If an element of `size` is -1, the dimension
    is dynamic and an element of `sizes`: the image's shape, or its height and
    width.

    Constraints:
    - (patches_c1) images have rank 4; patches have rank 5 and as many elements
      as the window.
    - (sum_patches_c1) `size` is two numbers, and there are as many patches as an image of this size has; if one is -1, there is an operand `sizes`.
    - (window_c1) strides and dilations are two positive numbers each.
    - (window_c2) the padding is SAME, VALID or EXPLICIT; EXPLICIT has four numbers, none of them negative.
    - (window_c3) the window fits into the padded input.

    ```mlir
    %dx = ingot.sum_patches %p {size = array<i64: 32, 32>, window = array<i64: 3, 3>, strides = array<i64: 1, 1>, padding = "SAME"}
        : (tensor<8x32x32x9x3xf32>) -> tensor<8x32x32x3xf32>
    ```
  }];
  let arguments = !con((ins Ingot_NumericTensor:$patches, Optional<Ingot_IntTensor>:$sizes, DenseI64ArrayAttr:$size,
                            DenseI64ArrayAttr:$window),
                       Ingot_WindowAttributes);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "$patches (`,` $sizes^)? attr-dict `:` functional-type(operands, results)";
}

def Ingot_JoinPhasesOp : Ingot_PureOp<"join_phases"> {
  let hasBuilders = 1;
  let summary = "Interleaves the phases of images";
  let description = [{
    An image of height and width `size` consists of `strides`[0] * `strides`[1]
    phases: phase i * `strides`[1] + j has the elements of rows i, i +
    `strides`[0], ... and columns j, j + `strides`[1], ... Operand k is phase
    `phases`[k], from its first row and column on; rows and columns past the end
    are dropped. Elements of phases that are no operand are zero. The gradient of
    a strided convolution's input consists of such phases, each of which is a
    convolution with stride one.

    Constraints:
    - (join_phases_c1) phases have rank 4, and one element type, batch and number of channels.
    - (join_phases_c2) `size` is two numbers that are not negative, `strides` two positive ones.
    - (join_phases_c3) `phases` ascend, one for each operand, and are less than the strides' product.
    - (join_phases_c4) a phase has a static number of rows and columns, at least as many as the image has of this phase.

    ```mlir
    %x = ingot.join_phases %a, %b {size = array<i64: 5, 6>, strides = array<i64: 2, 1>, phases = array<i64: 0, 1>}
        : (tensor<8x3x6x16xf32>, tensor<8x2x6x16xf32>) -> tensor<8x5x6x16xf32>
    ```
  }];
  let arguments = (ins Variadic<Ingot_NumericTensor>:$inputs, DenseI64ArrayAttr:$size,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$phases);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "$inputs attr-dict `:` functional-type($inputs, results)";
}

#endif // INGOT_DIALECTS_INGOT_CONVOLUTION_TD
