//===- IngotTensor.td - Making tensors, changing shapes -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops that create tensors and that change their shapes.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_TENSOR_TD
#define INGOT_DIALECTS_INGOT_TENSOR_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_FillOp : Ingot_PureOp<"fill"> {
  let tensorFlowOps = [TF_Op<"Fill", [TF_Implied<"index_type">]>];
  let summary = "A tensor of one value";
  let description = [{
    TensorFlow's `Fill`.

    Constraints:
    - (fill_c1) `dims` is a vector of at most 254 elements, `value` a scalar.
    - (fill_c2) constant dimensions are not negative, and their product stays
      below 2^63.

    ```mlir
    %dims = ingot.constant dense<[2, 3]> : tensor<2xi32>
    %0 = ingot.fill %dims, %v : (tensor<2xi32>, tensor<f32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Ingot_IntTensor:$dims, Ingot_Tensor:$value);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$dims `,` $value attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_ZerosLikeOp : Ingot_PureOp<"zeros_like"> {
  let tensorFlowOps = [TF_Op<"ZerosLike">];
  let summary = "Zeros in the operand's shape";
  let description = [{
    TensorFlow's `ZerosLike`.

    ```mlir
    %0 = ingot.zeros_like %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Ingot_NumericOrComplexTensor:$input);
  let results = (outs Ingot_NumericOrComplexTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_ShapeOp : Ingot_PureOp<"shape"> {
  let hasBuilders = 1;
  let tensorFlowOps = [TF_Op<"Shape", [TF_Type<"out_type", "output_type", "DT_INT32">]>];
  let summary = "The operand's shape as a vector";
  let description = [{
    TensorFlow's `Shape`; it folds to a constant if the shape is static.

    Constraints:
    - (shape_c1) `output_type` is i32 or i64.

    ```mlir
    %0 = ingot.shape %x {output_type = i32} : (tensor<4x2xf32>) -> tensor<2xi32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, TypeAttr:$output_type);
  let results = (outs Ingot_IntTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_ReshapeOp : Ingot_PureOp<"reshape"> {
  let hasBuilders = 1;
  let summary = "Reshapes a tensor";
  let description = [{
    TensorFlow's `Reshape`. One dimension may be -1: its size follows from the
    number of elements.

    Constraints:
    - (reshape_c1) `shape` is a vector of at most 254 elements, with at most one
      -1 and no other negative.
    - (reshape_c2) the number of elements stays the same.

    ```mlir
    %s = ingot.constant dense<[-1]> : tensor<1xi32>
    %0 = ingot.reshape %x, %s : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<6xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Ingot_IntTensor:$shape);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input `,` $shape attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_ExpandDimsOp : Ingot_PureOp<"expand_dims"> {
  let tensorFlowOps = [TF_Op<"ExpandDims", [TF_Implied<"Tdim">]>];
  let summary = "Inserts a unit dimension";
  let description = [{
    TensorFlow's `ExpandDims`; a negative axis counts from the result's end.

    Constraints:
    - (expand_dims_c1) a constant axis lies within the result's rank.
    - (expand_dims_c2) the axis is a scalar or has one element.

    ```mlir
    %axis = ingot.constant dense<-1> : tensor<i32>
    %0 = ingot.expand_dims %x, %axis : (tensor<4xf32>, tensor<i32>) -> tensor<4x1xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Ingot_IntTensor:$axis);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input `,` $axis attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_SqueezeOp : Ingot_PureOp<"squeeze"> {
  let tensorFlowOps = [TF_Op<"Squeeze", [TF_Ints<"squeeze_dims", "dims">]>];
  let summary = "Removes unit dimensions";
  let description = [{
    TensorFlow's `Squeeze`: removes the listed dimensions, or if the list is
    empty, all dimensions of size 1.

    Constraints:
    - (squeeze_c1) listed dimensions lie within the input's rank and have size 1.

    ```mlir
    %0 = ingot.squeeze %x {dims = array<i64: 1>} : (tensor<4x1xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$dims);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_TileOp : Ingot_PureOp<"tile"> {
  let tensorFlowOps = [TF_Op<"Tile", [TF_Implied<"Tmultiples">]>];
  let summary = "Tiles the operand along its dimensions";
  let description = [{
    TensorFlow's `Tile`.

    Constraints:
    - (tile_c1) there is a multiple for each dimension.
    - (tile_c2) constant multiples are not negative, and the result's size stays
      below 2^63.

    ```mlir
    %m = ingot.constant dense<[64]> : tensor<1xi32>
    %0 = ingot.tile %x, %m : (tensor<1xf32>, tensor<1xi32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Ingot_IntTensor:$multiples);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input `,` $multiples attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_RangeOp : Ingot_PureOp<"range"> {
  let tensorFlowOps = [TF_Op<"Range", [TF_Implied<"Tidx">]>];
  let summary = "start, start + delta, ... below limit";
  let description = [{
    TensorFlow's `Range`.

    Constraints:
    - (range_c1) operands are scalars of one element type.
    - (range_c2) a constant delta is not zero.
    - (range_c3) a constant delta leads from a constant start towards a constant
      limit, and the number of elements fits in 63 bits.

    ```mlir
    %0 = ingot.range %start, %limit, %delta : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
    ```
  }];
  let arguments = (ins Ingot_NumericTensor:$start, Ingot_NumericTensor:$limit, Ingot_NumericTensor:$delta);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "$start `,` $limit `,` $delta attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_TransposeOp : Ingot_PureOp<"transpose"> {
  let hasBuilders = 1;
  let tensorFlowOps = [TF_Op<"Transpose", [TF_Implied<"Tperm">]>];
  let summary = "Transposes dimensions";
  let description = [{
    TensorFlow's `Transpose`: dimension i of the result is `permutation[i]` of
    the operand.

    Constraints:
    - (transpose_c1) a constant permutation permutes the operand's dimensions.

    ```mlir
    %p = ingot.constant dense<[1, 0]> : tensor<2xi32>
    %0 = ingot.transpose %x, %p : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Ingot_IntTensor:$permutation);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input `,` $permutation attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

#endif // INGOT_DIALECTS_INGOT_TENSOR_TD
