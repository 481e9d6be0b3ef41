//===- IngotMath.td - Elementwise ops and reductions -*- tablegen -*-===//
//
// Arithmetic on tensors, with TensorFlow's broadcasting.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_MATH_TD
#define INGOT_DIALECTS_INGOT_MATH_TD

include "dialects/Ingot/IngotBase.td"

// Elementwise in one operand, which has the result's type.
class Ingot_UnaryOp<string mnemonic, Type type>
    : Ingot_PureOp<mnemonic, [Ingot_Elementwise]> {
  let arguments = (ins type:$input);
  let results = (outs type:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

// Elementwise in two operands of one element type, broadcast against each
// other as TensorFlow does.
class Ingot_BinaryOp<string mnemonic, Type type>
    : Ingot_PureOp<mnemonic, [Ingot_Elementwise]> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

// A comparison; the result is boolean.
class Ingot_CompareOp<string mnemonic>
    : Ingot_PureOp<mnemonic, [Ingot_Elementwise]> {
  let arguments = (ins Ingot_Tensor:$lhs, Ingot_Tensor:$rhs);
  let results = (outs Ingot_BoolTensor:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}


def Ingot_AbsOp : Ingot_UnaryOp<"abs", Ingot_NumericTensor> {
  let tensorFlowOps = [TF_Op<"Abs">];
  let summary = "Absolute value";
  let description = [{
    TensorFlow's `Abs`.

    ```mlir
    %y = ingot.abs %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_NegOp : Ingot_UnaryOp<"neg", Ingot_NumericTensor> {
  let tensorFlowOps = [TF_Op<"Neg">];
  let summary = "Negation";
  let description = [{
    TensorFlow's `Neg`.

    ```mlir
    %y = ingot.neg %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_SignOp : Ingot_UnaryOp<"sign", Ingot_NumericTensor> {
  let tensorFlowOps = [TF_Op<"Sign">];
  let summary = "Sign: -1, 0 or 1";
  let description = [{
    TensorFlow's `Sign`; a NaN stays a NaN.

    ```mlir
    %y = ingot.sign %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_SqrtOp : Ingot_UnaryOp<"sqrt", Ingot_FloatTensor> {
  let tensorFlowOps = [TF_Op<"Sqrt">];
  let summary = "Square root";
  let description = [{
    TensorFlow's `Sqrt`.

    ```mlir
    %y = ingot.sqrt %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_SquareOp : Ingot_UnaryOp<"square", Ingot_NumericTensor> {
  let tensorFlowOps = [TF_Op<"Square">];
  let summary = "The operand times itself";
  let description = [{
    TensorFlow's `Square`.

    ```mlir
    %y = ingot.square %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_ExpOp : Ingot_UnaryOp<"exp", Ingot_FloatTensor> {
  let tensorFlowOps = [TF_Op<"Exp">];
  let summary = "e to the operand";
  let description = [{
    TensorFlow's `Exp`.

    ```mlir
    %y = ingot.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_LogOp : Ingot_UnaryOp<"log", Ingot_FloatTensor> {
  let tensorFlowOps = [TF_Op<"Log">];
  let summary = "Natural logarithm";
  let description = [{
    TensorFlow's `Log`.

    ```mlir
    %y = ingot.log %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_TanhOp : Ingot_UnaryOp<"tanh", Ingot_FloatTensor> {
  let tensorFlowOps = [TF_Op<"Tanh">];
  let summary = "Hyperbolic tangent";
  let description = [{
    TensorFlow's `Tanh`.

    ```mlir
    %y = ingot.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_ReluOp : Ingot_UnaryOp<"relu", Ingot_NumericTensor> {
  let tensorFlowOps = [TF_Op<"Relu">];
  let summary = "max(x, 0)";
  let description = [{
    TensorFlow's `Relu`; a NaN stays a NaN.

    ```mlir
    %y = ingot.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_LogicalNotOp : Ingot_UnaryOp<"logical_not", Ingot_BoolTensor> {
  let tensorFlowOps = [TF_Op<"LogicalNot">];
  let summary = "Logical negation";
  let description = [{
    TensorFlow's `LogicalNot`.

    ```mlir
    %y = ingot.logical_not %x : (tensor<4xi1>) -> tensor<4xi1>
    ```
  }];
}

def Ingot_AddOp : Ingot_BinaryOp<"add", Ingot_NumericTensor> {
  let tensorFlowOps = [TF_Op<"AddV2">, TF_Op<"Add">];
  let summary = "Sum";
  let description = [{
    TensorFlow's `Add` and `AddV2` on numbers. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) their shapes can be broadcast against each other.

    ```mlir
    %y = ingot.add %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_SubOp : Ingot_BinaryOp<"sub", Ingot_NumericTensor> {
  let tensorFlowOps = [TF_Op<"Sub">];
  let summary = "Difference";
  let description = [{
    TensorFlow's `Sub`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) their shapes can be broadcast against each other.

    ```mlir
    %y = ingot.sub %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_MulOp : Ingot_BinaryOp<"mul", Ingot_NumericTensor> {
  let tensorFlowOps = [TF_Op<"Mul">];
  let summary = "Product";
  let description = [{
    TensorFlow's `Mul`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) their shapes can be broadcast against each other.

    ```mlir
    %y = ingot.mul %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_RealDivOp : Ingot_BinaryOp<"real_div", Ingot_FloatTensor> {
  let tensorFlowOps = [TF_Op<"RealDiv">];
  let summary = "Quotient";
  let description = [{
    TensorFlow's `RealDiv`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) their shapes can be broadcast against each other.

    ```mlir
    %y = ingot.real_div %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_DivNoNanOp : Ingot_BinaryOp<"div_no_nan", Ingot_FloatTensor> {
  let tensorFlowOps = [TF_Op<"DivNoNan">];
  let summary = "Quotient, or zero where the divisor is zero";
  let description = [{
    TensorFlow's `DivNoNan`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) their shapes can be broadcast against each other.

    ```mlir
    %y = ingot.div_no_nan %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_MaximumOp : Ingot_BinaryOp<"maximum", Ingot_NumericTensor> {
  let tensorFlowOps = [TF_Op<"Maximum">];
  let summary = "The larger one";
  let description = [{
    TensorFlow's `Maximum`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) their shapes can be broadcast against each other.

    ```mlir
    %y = ingot.maximum %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_MinimumOp : Ingot_BinaryOp<"minimum", Ingot_NumericTensor> {
  let tensorFlowOps = [TF_Op<"Minimum">];
  let summary = "The smaller one";
  let description = [{
    TensorFlow's `Minimum`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) their shapes can be broadcast against each other.

    ```mlir
    %y = ingot.minimum %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_SquaredDifferenceOp : Ingot_BinaryOp<"squared_difference", Ingot_NumericTensor> {
  let tensorFlowOps = [TF_Op<"SquaredDifference">];
  let summary = "(a - b)^2";
  let description = [{
    TensorFlow's `SquaredDifference`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) their shapes can be broadcast against each other.

    ```mlir
    %y = ingot.squared_difference %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_ReluGradOp : Ingot_BinaryOp<"relu_grad", Ingot_NumericTensor> {
  let tensorFlowOps = [TF_Op<"ReluGrad">];
  let summary = "Gradient of relu";
  let description = [{
    TensorFlow's `ReluGrad`: the gradient (first) where the features (second) are above zero, elsewhere the gradient times zero (NaN where it is infinite). Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) their shapes can be broadcast against each other.

    ```mlir
    %y = ingot.relu_grad %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
}

def Ingot_LogicalAndOp : Ingot_BinaryOp<"logical_and", Ingot_BoolTensor> {
  let tensorFlowOps = [TF_Op<"LogicalAnd">];
  let summary = "Logical and";
  let description = [{
    TensorFlow's `LogicalAnd`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) their shapes can be broadcast against each other.

    ```mlir
    %y = ingot.logical_and %a, %b : (tensor<4xi1>, tensor<i1>) -> tensor<4xi1>
    ```
  }];
}

def Ingot_LogicalOrOp : Ingot_BinaryOp<"logical_or", Ingot_BoolTensor> {
  let tensorFlowOps = [TF_Op<"LogicalOr">];
  let summary = "Logical or";
  let description = [{
    TensorFlow's `LogicalOr`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) their shapes can be broadcast against each other.

    ```mlir
    %y = ingot.logical_or %a, %b : (tensor<4xi1>, tensor<i1>) -> tensor<4xi1>
    ```
  }];
}

def Ingot_EqualOp : Ingot_CompareOp<"equal"> {
  let tensorFlowOps = [TF_Op<"Equal", [TF_MustBeTrue<"incompatible_shape_error">]>];
  let summary = "Where the first operand is equal";
  let description = [{
    TensorFlow's `Equal`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) their shapes can be broadcast against each other.

    ```mlir
    %y = ingot.equal %a, %b : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
    ```
  }];
}

def Ingot_NotEqualOp : Ingot_CompareOp<"not_equal"> {
  let tensorFlowOps = [TF_Op<"NotEqual", [TF_MustBeTrue<"incompatible_shape_error">]>];
  let summary = "Where the first operand is different";
  let description = [{
    TensorFlow's `NotEqual`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) their shapes can be broadcast against each other.

    ```mlir
    %y = ingot.not_equal %a, %b : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
    ```
  }];
}

def Ingot_LessOp : Ingot_CompareOp<"less"> {
  let tensorFlowOps = [TF_Op<"Less">];
  let summary = "Where the first operand is less";
  let description = [{
    TensorFlow's `Less`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) their shapes can be broadcast against each other.

    ```mlir
    %y = ingot.less %a, %b : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
    ```
  }];
}

def Ingot_LessEqualOp : Ingot_CompareOp<"less_equal"> {
  let tensorFlowOps = [TF_Op<"LessEqual">];
  let summary = "Where the first operand is less-or-equal";
  let description = [{
    TensorFlow's `LessEqual`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) their shapes can be broadcast against each other.

    ```mlir
    %y = ingot.less_equal %a, %b : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
    ```
  }];
}

def Ingot_GreaterOp : Ingot_CompareOp<"greater"> {
  let tensorFlowOps = [TF_Op<"Greater">];
  let summary = "Where the first operand is greater";
  let description = [{
    TensorFlow's `Greater`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) their shapes can be broadcast against each other.

    ```mlir
    %y = ingot.greater %a, %b : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
    ```
  }];
}

def Ingot_GreaterEqualOp : Ingot_CompareOp<"greater_equal"> {
  let tensorFlowOps = [TF_Op<"GreaterEqual">];
  let summary = "Where the first operand is greater-or-equal";
  let description = [{
    TensorFlow's `GreaterEqual`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) their shapes can be broadcast against each other.

    ```mlir
    %y = ingot.greater_equal %a, %b : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
    ```
  }];
}

def Ingot_SelectOp : Ingot_PureOp<"select", [Ingot_Elementwise]> {
  let tensorFlowOps = [TF_Op<"SelectV2">];
  let summary = "One of two values by a condition, elementwise";
  let description = [{
    TensorFlow's `SelectV2`: all three operands are broadcast against each
    other. (`Select`, whose vector condition picks rows, is imported as this
    with the condition reshaped.)

    Constraints:
    - (select_c1) both values have one element type.
    - (select_c2) the shapes can be broadcast against each other.

    ```mlir
    %y = ingot.select %c, %a, %b : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Ingot_BoolTensor:$condition, Ingot_Tensor:$then_value, Ingot_Tensor:$else_value);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$condition `,` $then_value `,` $else_value attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_AddNOp : Ingot_PureOp<"add_n", [Ingot_Elementwise]> {
  let tensorFlowOps = [
    TF_Op<"AddN", [TF_Implied<"N">]>,
    TF_Op<"AccumulateNV2", [TF_Implied<"N">, TF_Implied<"shape">]>];
  let summary = "Sum of several tensors of one type";
  let description = [{
    TensorFlow's `AddN`, summed from the first operand to the last.

    Constraints:
    - (add_n_c1) there is at least one operand.
    - (add_n_c2) all operands have compatible shapes and one element type.

    ```mlir
    %y = ingot.add_n %a, %b, %c : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<Ingot_NumericTensor>:$inputs);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "$inputs attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_CastOp : Ingot_PureOp<"cast", [Ingot_Elementwise]> {
  let tensorFlowOps = [TF_Op<"Cast", [TF_Implied<"SrcT">, TF_Type<"DstT", "dst">, TF_Implied<"Truncate">]>];
  let summary = "Conversion to another element type";
  let description = [{
    TensorFlow's `Cast` with `Truncate` false: floats to integers towards
    zero, anything to bool by comparing with zero.

    Constraints:
    - (cast_c1) `dst` is a type of numbers or i1.

    ```mlir
    %y = ingot.cast %x {dst = f32} : (tensor<4xi1>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Ingot_NumericTensor:$input, TypeAttr:$dst);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

// A reduction over the axes that a constant operand lists.
class Ingot_ReduceOp<string mnemonic> : Ingot_PureOp<mnemonic> {
  let arguments = (ins Ingot_NumericTensor:$input, Ingot_IntTensor:$axes,
                       DefaultValuedAttr<BoolAttr, "false">:$keep_dims);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "$input `,` $axes attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_SumOp : Ingot_ReduceOp<"sum"> {
  let tensorFlowOps = [TF_Op<"Sum", [TF_Implied<"Tidx">, TF_Bool<"keep_dims">]>];
  let summary = "Sum over axes";
  let description = [{
    TensorFlow's `Sum`. Axes count from the end where they are negative; with
    no axes the input is unchanged; `keep_dims` leaves reduced dimensions in
    place with size 1. The order of the reduction is fixed at compile time.

    Constraints:
    - (reduce_c1) constant axes lie within the input's rank.
    - (reduce_c2) no axis stands twice.
    - (reduce_c3) `axes` is a scalar or a vector.

    ```mlir
    %axes = ingot.constant dense<0> : tensor<1xi32>
    %y = ingot.sum %x, %axes : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<8xf32>
    ```
  }];
}

def Ingot_MeanOp : Ingot_ReduceOp<"mean"> {
  let tensorFlowOps = [TF_Op<"Mean", [TF_Implied<"Tidx">, TF_Bool<"keep_dims">]>];
  let summary = "Mean over axes";
  let description = [{
    TensorFlow's `Mean`. Axes count from the end where they are negative; with
    no axes the input is unchanged; `keep_dims` leaves reduced dimensions in
    place with size 1. The order of the reduction is fixed at compile time.

    Constraints:
    - (reduce_c1) constant axes lie within the input's rank.
    - (reduce_c2) no axis stands twice.
    - (reduce_c3) `axes` is a scalar or a vector.

    ```mlir
    %axes = ingot.constant dense<0> : tensor<1xi32>
    %y = ingot.mean %x, %axes : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<8xf32>
    ```
  }];
}

def Ingot_ProdOp : Ingot_ReduceOp<"prod"> {
  let tensorFlowOps = [TF_Op<"Prod", [TF_Implied<"Tidx">, TF_Bool<"keep_dims">]>];
  let summary = "Product over axes";
  let description = [{
    TensorFlow's `Prod`. Axes count from the end where they are negative; with
    no axes the input is unchanged; `keep_dims` leaves reduced dimensions in
    place with size 1. The order of the reduction is fixed at compile time.

    Constraints:
    - (reduce_c1) constant axes lie within the input's rank.
    - (reduce_c2) no axis stands twice.
    - (reduce_c3) `axes` is a scalar or a vector.

    ```mlir
    %axes = ingot.constant dense<0> : tensor<1xi32>
    %y = ingot.prod %x, %axes : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<8xf32>
    ```
  }];
}

def Ingot_MaxOp : Ingot_ReduceOp<"max"> {
  let tensorFlowOps = [
    TF_Op<"Max", [TF_Implied<"Tidx">, TF_Bool<"keep_dims">]>,
    TF_Op<"Any", [TF_Implied<"Tidx">, TF_Bool<"keep_dims">]>];
  let summary = "Maximum over axes";
  let description = [{
    TensorFlow's `Max`. Axes count from the end where they are negative; with
    no axes the input is unchanged; `keep_dims` leaves reduced dimensions in
    place with size 1. The order of the reduction is fixed at compile time.

    Constraints:
    - (reduce_c1) constant axes lie within the input's rank.
    - (reduce_c2) no axis stands twice.
    - (reduce_c3) `axes` is a scalar or a vector.

    ```mlir
    %axes = ingot.constant dense<0> : tensor<1xi32>
    %y = ingot.max %x, %axes : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<8xf32>
    ```
  }];
}

def Ingot_MinOp : Ingot_ReduceOp<"min"> {
  let tensorFlowOps = [
    TF_Op<"Min", [TF_Implied<"Tidx">, TF_Bool<"keep_dims">]>,
    TF_Op<"All", [TF_Implied<"Tidx">, TF_Bool<"keep_dims">]>];
  let summary = "Minimum over axes";
  let description = [{
    TensorFlow's `Min`. Axes count from the end where they are negative; with
    no axes the input is unchanged; `keep_dims` leaves reduced dimensions in
    place with size 1. The order of the reduction is fixed at compile time.

    Constraints:
    - (reduce_c1) constant axes lie within the input's rank.
    - (reduce_c2) no axis stands twice.
    - (reduce_c3) `axes` is a scalar or a vector.

    ```mlir
    %axes = ingot.constant dense<0> : tensor<1xi32>
    %y = ingot.min %x, %axes : (tensor<4x8xf32>, tensor<1xi32>) -> tensor<8xf32>
    ```
  }];
}

def Ingot_ArgMaxOp : Ingot_PureOp<"arg_max"> {
  let tensorFlowOps = [
    TF_Op<"ArgMax", [TF_Implied<"Tidx">, TF_Type<"output_type", "output_type", "DT_INT64">]>];
  let summary = "Index of the largest element along an axis";
  let description = [{
    TensorFlow's `ArgMax`: the first index where several are largest.

    Constraints:
    - (arg_max_c1) a constant axis lies within the input's rank.
    - (arg_max_c2) the axis is a scalar.
    - (arg_max_c3) `output_type` is i32 or i64.

    ```mlir
    %axis = ingot.constant dense<1> : tensor<i32>
    %y = ingot.arg_max %x, %axis {output_type = i64} : (tensor<4x8xf32>, tensor<i32>) -> tensor<4xi64>
    ```
  }];
  let arguments = (ins Ingot_NumericTensor:$input, Ingot_IntTensor:$axis, TypeAttr:$output_type);
  let results = (outs Ingot_IntTensor:$output);
  let assemblyFormat = "$input `,` $axis attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_MATH_TD
