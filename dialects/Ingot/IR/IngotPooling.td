//===- IngotPooling.td - Max and average pooling -----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Max and average pooling.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_POOLING_TD
#define INGOT_DIALECTS_INGOT_POOLING_TD

include "dialects/Ingot/IR/IngotBase.td"

// How a window moves over an image. Attributes with two elements are for height
// and width.
defvar Ingot_PoolAttributes = (ins
    DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides, StrAttr:$padding,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$explicit_paddings);

def Ingot_MaxPoolOp : Ingot_PureOp<"max_pool"> {
  let summary = "Max pooling";
  let description = [{
    TensorFlow's `MaxPool` and `MaxPoolV2` of [batch, height, width, channels].
    Padding and NaNs are ignored; the result is at least the lowest finite number.

    Constraints:
    - (pool_c1) the input has rank 4; `window` is two positive numbers.
    - (window_c1) strides and dilations are two positive numbers each.
    - (window_c2) the padding is SAME, VALID or EXPLICIT; EXPLICIT has four numbers, none of them negative.
    - (window_c3) the window fits into the padded input.

    ```mlir
    %y = ingot.max_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = "VALID"}
        : (tensor<8x32x32x16xf32>) -> tensor<8x16x16x16xf32>
    ```
  }];
  let arguments = !con((ins Ingot_NumericTensor:$input), Ingot_PoolAttributes);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_MaxPoolWithArgmaxOp : Ingot_PureOp<"max_pool_with_argmax", [Ingot_ComputedByRuntime]> {
  let summary = "Max pooling, with the index of each maximum";
  let description = [{
    TensorFlow's `MaxPoolWithArgmax` of [batch, height, width, channels]: for
    each window the first of its largest elements, and the index of this element
    in its image, flattened, or with `include_batch_in_index` in all images. A
    NaN is the result only if it is a window's first element.

    Constraints:
    - (pool_c1) the input has rank 4; `window` is two positive numbers.
    - (max_pool_with_argmax_c1) `index_type` is i32 or i64, and the padding is
      not EXPLICIT.
    - (window_c1) strides and dilations are two positive numbers each.
    - (window_c2) the padding is SAME, VALID or EXPLICIT; EXPLICIT has four numbers, none of them negative.
    - (window_c3) the window fits into the padded input.

    ```mlir
    %y, %at = ingot.max_pool_with_argmax %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = "VALID", index_type = i64}
        : (tensor<8x32x32x16xf32>) -> (tensor<8x16x16x16xf32>, tensor<8x16x16x16xi64>)
    ```
  }];
  let arguments = !con((ins Ingot_NumericTensor:$input), Ingot_PoolAttributes,
                       (ins DefaultValuedAttr<BoolAttr, "false">:$include_batch_in_index, TypeAttr:$index_type));
  let results = (outs Ingot_NumericTensor:$output, Ingot_IntTensor:$argmax);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_AvgPoolOp : Ingot_PureOp<"avg_pool"> {
  let summary = "Average pooling";
  let description = [{
    TensorFlow's `AvgPool` of [batch, height, width, channels]: the sum of the
    elements in a window divided by their number, both without padding.

    Constraints:
    - (pool_c1) the input has rank 4; `window` is two positive numbers.
    - (window_c1) strides and dilations are two positive numbers each.
    - (window_c2) the padding is SAME, VALID or EXPLICIT; EXPLICIT has four numbers, none of them negative.
    - (window_c3) the window fits into the padded input.

    ```mlir
    %y = ingot.avg_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = "VALID"}
        : (tensor<8x32x32x16xf32>) -> tensor<8x16x16x16xf32>
    ```
  }];
  let arguments = !con((ins Ingot_FloatTensor:$input), Ingot_PoolAttributes);
  let results = (outs Ingot_FloatTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_MaxPoolGradOp : Ingot_PureOp<"max_pool_grad"> {
  let summary = "Gradient of max_pool's input";
  let description = [{
    TensorFlow's `MaxPoolGrad` and `MaxPoolGradV2`: each window's gradient goes
    to the first of its largest elements, row by row. Where windows overlap,
    gradients are added in the windows' order.

    Constraints:
    - (pool_c1) the input has rank 4; `window` is two positive numbers.
    - (pool_grad_c1) the gradient has the shape of the pool's result and the input's element type.
    - (window_c1) strides and dilations are two positive numbers each.
    - (window_c2) the padding is SAME, VALID or EXPLICIT; EXPLICIT has four numbers, none of them negative.
    - (window_c3) the window fits into the padded input.

    ```mlir
    %dx = ingot.max_pool_grad %x, %dy {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = "VALID"}
        : (tensor<8x32x32x16xf32>, tensor<8x16x16x16xf32>) -> tensor<8x32x32x16xf32>
    ```
  }];
  let arguments = !con((ins Ingot_NumericTensor:$input, Ingot_NumericTensor:$gradient),
                       Ingot_PoolAttributes);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_AvgPoolGradOp : Ingot_PureOp<"avg_pool_grad"> {
  let summary = "Gradient of avg_pool's input";
  let description = [{
    TensorFlow's `AvgPoolGrad`: each window's gradient is distributed equally to the
    elements in the window. `input_shape` is the result's shape.

    Constraints:
    - (pool_c1) the input has rank 4; `window` is two positive numbers.
    - (pool_grad_c1) the gradient has the shape of the pool's result and the input's element type.
    - (pool_grad_c2) `input_shape` is a vector of four numbers.
    - (window_c1) strides and dilations are two positive numbers each.
    - (window_c2) the padding is SAME, VALID or EXPLICIT; EXPLICIT has four numbers, none of them negative.
    - (window_c3) the window fits into the padded input.

    ```mlir
    %dx = ingot.avg_pool_grad %shape, %dy {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = "VALID"}
        : (tensor<4xi32>, tensor<8x16x16x16xf32>) -> tensor<8x32x32x16xf32>
    ```
  }];
  let arguments = !con((ins Ingot_IntTensor:$input_shape, Ingot_FloatTensor:$gradient),
                       Ingot_PoolAttributes);
  let results = (outs Ingot_FloatTensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_POOLING_TD
