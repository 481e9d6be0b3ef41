//===- IngotArray.td - Concatenate, split, broadcast -------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops that concatenate, split and broadcast tensors, and that compute with
// shapes for broadcasting.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_ARRAY_TD
#define INGOT_DIALECTS_INGOT_ARRAY_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_ConcatOp : Ingot_PureOp<"concat"> {
  let hasBuilders = 1;
  let summary = "Concatenates tensors along an axis";
  let description = [{
    TensorFlow's `ConcatV2` and `Concat`; `Pack` becomes this op after
    `expand_dims`. Vectors of integers fold as far as they are known.

    Constraints:
    - (concat_c1) the axis is one number; where it is constant it lies within
      the inputs' rank.
    - (concat_c2) inputs have one element type and one rank, and the same size
      in every dimension but the axis.

    ```mlir
    %axis = ingot.constant dense<0> : tensor<i32>
    %0 = ingot.concat %axis, %a, %b : (tensor<i32>, tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
    ```
  }];
  let arguments = (ins Ingot_IntTensor:$axis, Variadic<Ingot_Tensor>:$inputs);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$axis `,` $inputs attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_SplitOp : Ingot_PureOp<"split"> {
  let summary = "Splits a tensor along an axis";
  let description = [{
    TensorFlow's `Split` if `sizes` is empty: `count` pieces of equal size.
    Otherwise `SplitV`: pieces of the given sizes, one of which may be -1 and then
    is what the others leave.

    Constraints:
    - (split_c1) the axis is a scalar or has one element; if it is constant, it
      lies within the input's rank.
    - (split_c2) there are at least one and at most 2^20 pieces.
    - (split_c3) if `sizes` is empty, `count` divides the axis; otherwise there
      is one size for each piece, and the sizes add up to the axis. One of them
      may be -1; no other is negative.

    ```mlir
    %axis = ingot.constant dense<1> : tensor<i32>
    %0:2 = ingot.split %axis, %x {count = 2 : i64} : (tensor<i32>, tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
    ```
  }];
  let arguments = (ins Ingot_IntTensor:$axis, Ingot_Tensor:$input, Variadic<Ingot_NumericTensor>:$sizes, I64Attr:$count);
  let results = (outs Variadic<Ingot_Tensor>:$outputs);
  let assemblyFormat = "$axis `,` $input (`sizes` $sizes^)? attr-dict `:` functional-type(operands, results)";
}

def Ingot_OneHotOp : Ingot_PureOp<"one_hot"> {
  let tensorFlowOps = [TF_Op<"OneHot", [TF_Implied<"TI">, TF_Int<"axis">]>];
  let summary = "One-hot rows";
  let description = [{
    TensorFlow's `OneHot`: `axis` is the position of the new dimension of size
    `depth`, or -1 for the last one. An index outside of [0, depth) yields a row
    of `off`.

    Constraints:
    - (one_hot_c1) `depth`, `on` and `off` are scalars; a constant depth is not
      negative.
    - (one_hot_c2) `on` and `off` have one element type.
    - (one_hot_c3) the axis lies within the result's rank.

    ```mlir
    %0 = ingot.one_hot %i, %depth, %on, %off {axis = -1 : i64} : (tensor<4xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Ingot_NumericTensor:$indices, Ingot_IntTensor:$depth, Ingot_Tensor:$on, Ingot_Tensor:$off,
    DefaultValuedAttr<I64Attr, "-1">:$axis);
  let results = (outs Ingot_Tensor:$output);
  let hasFolder = 1;
  let assemblyFormat = "$indices `,` $depth `,` $on `,` $off attr-dict `:` functional-type(operands, results)";
}

def Ingot_BroadcastToOp : Ingot_PureOp<"broadcast_to"> {
  let hasBuilders = 1;
  let tensorFlowOps = [TF_Op<"BroadcastTo", [TF_Implied<"Tidx">]>];
  let summary = "Broadcasts the operand to a shape";
  let description = [{
    TensorFlow's `BroadcastTo`.

    Constraints:
    - (broadcast_to_c1) `shape` is a vector of at most 254 elements that are
      not negative.
    - (broadcast_to_c2) the operand can be broadcast to exactly that shape.

    ```mlir
    %s = ingot.constant dense<[4, 3]> : tensor<2xi32>
    %0 = ingot.broadcast_to %x, %s : (tensor<3xf32>, tensor<2xi32>) -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Ingot_IntTensor:$shape);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input `,` $shape attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_SumToShapeOp : Ingot_PureOp<"sum_to_shape"> {
  let summary = "The gradient of broadcasting from a shape";
  let description = [{
    The sum over all dimensions along which a tensor of shape `shape` is repeated
    when it is broadcast to the operand's shape. TensorFlow's gradients compute it
    as `Reshape(Sum(x, BroadcastGradientArgs(...)), shape)`. This op needs no
    vector of axes, whose length would depend on the sizes.

    Constraints:
    - (sum_to_shape_c1) `shape` is a vector of at most 254 elements that are
      not negative.
    - (sum_to_shape_c2) `shape` can be broadcast to the operand's shape.

    ```mlir
    %s = ingot.constant dense<[3]> : tensor<1xi32>
    %0 = ingot.sum_to_shape %x, %s : (tensor<4x3xf32>, tensor<1xi32>) -> tensor<3xf32>
    ```
  }];
  let arguments = (ins Ingot_NumericOrComplexTensor:$input, Ingot_IntTensor:$shape);
  let results = (outs Ingot_NumericOrComplexTensor:$output);
  let assemblyFormat = "$input `,` $shape attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_BroadcastArgsOp : Ingot_PureOp<"broadcast_args"> {
  let hasBuilders = 1;
  let tensorFlowOps = [TF_Op<"BroadcastArgs">];
  let summary = "The shape that two shapes broadcast to";
  let description = [{
    TensorFlow's `BroadcastArgs`.

    Constraints:
    - (broadcast_args_c1) operands are vectors of at most 254 elements, of one
      element type.
    - (broadcast_args_c2) the two shapes can be broadcast against each other.

    ```mlir
    %0 = ingot.broadcast_args %a, %b : (tensor<1xi32>, tensor<2xi32>) -> tensor<2xi32>
    ```
  }];
  let arguments = (ins Ingot_IntTensor:$s0, Ingot_IntTensor:$s1);
  let results = (outs Ingot_IntTensor:$output);
  let assemblyFormat = "$s0 `,` $s1 attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_BroadcastGradientArgsOp : Ingot_PureOp<"broadcast_gradient_args", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"BroadcastGradientArgs", [], ["r0", "r1"]>];
  let summary = "The axes over which gradients of broadcast operands are summed";
  let description = [{
    TensorFlow's `BroadcastGradientArgs`. It folds if the shapes are known. If its
    results are only the axes of a sum whose result is reshaped, the importer
    replaces all three ops by `sum_to_shape`.

    Constraints:
    - (broadcast_gradient_args_c1) operands are vectors of at most 254
      elements, of one element type.
    - (broadcast_gradient_args_c2) the two shapes can be broadcast against each
      other.

    ```mlir
    %r0, %r1 = ingot.broadcast_gradient_args %a, %b : (tensor<2xi32>, tensor<2xi32>) -> (tensor<?xi32>, tensor<?xi32>)
    ```
  }];
  let arguments = (ins Ingot_IntTensor:$s0, Ingot_IntTensor:$s1);
  let results = (outs Ingot_IntTensor:$r0, Ingot_IntTensor:$r1);
  let assemblyFormat = "$s0 `,` $s1 attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_EnsureShapeOp : Ingot_PureOp<"ensure_shape", [Ingot_ComputedByRuntime]> {
  let summary = "The operand with a shape that the graph asserts";
  let description = [{
    TensorFlow's `EnsureShape`. -1 stands for any size. It folds if the operand's
    type already guarantees the shape.

    Constraints:
    - (ensure_shape_c1) the operand's type does not contradict that shape.

    ```mlir
    %0 = ingot.ensure_shape %x {shape = array<i64: -1, 3>} : (tensor<?x?xf32>) -> tensor<?x3xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, DenseI64ArrayAttr:$shape);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

#endif // INGOT_DIALECTS_INGOT_ARRAY_TD
