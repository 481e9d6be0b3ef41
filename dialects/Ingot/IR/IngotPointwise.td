//===- IngotPointwise.td - Elementwise functions -----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Elementwise ops beyond plain arithmetic: functions of one and of two numbers,
// integer divisions, and ops on bits.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_POINTWISE_TD
#define INGOT_DIALECTS_INGOT_POINTWISE_TD

include "dialects/Ingot/IR/IngotElementwise.td"

//===----------------------------------------------------------------------===//
// Functions of one number
//===----------------------------------------------------------------------===//

def Ingot_OnesLikeOp : Ingot_FunctionOp<"ones_like", "OnesLike", Ingot_NumericOrComplexTensor, "A tensor of ones in the operand's shape"> {
  let hasFolder = 1;
}
def Ingot_ReciprocalOp : Ingot_FunctionOp<"reciprocal", "Reciprocal", Ingot_NumericOrComplexTensor, "1 / x",
    "Integers are divided towards zero; 1 / 0, which TensorFlow's processor traps, is 0. "> {
  let tensorFlowOps = [TF_Op<"Reciprocal">, TF_Op<"Inv">];
}
def Ingot_RsqrtOp : Ingot_FunctionOp<"rsqrt", "Rsqrt", Ingot_FloatOrComplexTensor, "1 / sqrt(x)">;
def Ingot_Expm1Op : Ingot_FloatFunctionOp<"expm1", "Expm1", "exp(x) - 1, exact near zero">;
def Ingot_Log1pOp : Ingot_FloatFunctionOp<"log1p", "Log1p", "log(1 + x), exact near zero">;
def Ingot_SinOp : Ingot_FunctionOp<"sin", "Sin", Ingot_FloatOrComplexTensor, "Sine">;
def Ingot_CosOp : Ingot_FunctionOp<"cos", "Cos", Ingot_FloatOrComplexTensor, "Cosine">;
def Ingot_TanOp : Ingot_FunctionOp<"tan", "Tan", Ingot_FloatOrComplexTensor, "Tangent">;
def Ingot_AsinOp : Ingot_FloatFunctionOp<"asin", "Asin", "Inverse sine">;
def Ingot_AcosOp : Ingot_FloatFunctionOp<"acos", "Acos", "Inverse cosine">;
def Ingot_AtanOp : Ingot_FloatFunctionOp<"atan", "Atan", "Inverse tangent">;
def Ingot_SinhOp : Ingot_FunctionOp<"sinh", "Sinh", Ingot_FloatOrComplexTensor, "Hyperbolic sine">;
def Ingot_CoshOp : Ingot_FunctionOp<"cosh", "Cosh", Ingot_FloatOrComplexTensor, "Hyperbolic cosine">;
def Ingot_AsinhOp : Ingot_FloatFunctionOp<"asinh", "Asinh", "Inverse hyperbolic sine">;
def Ingot_AcoshOp : Ingot_FloatFunctionOp<"acosh", "Acosh", "Inverse hyperbolic cosine">;
def Ingot_AtanhOp : Ingot_FloatFunctionOp<"atanh", "Atanh", "Inverse hyperbolic tangent">;
def Ingot_ErfOp : Ingot_FloatFunctionOp<"erf", "Erf", "Error function">;
def Ingot_ErfcOp : Ingot_FloatFunctionOp<"erfc", "Erfc", "1 - erf(x), exact for large operands">;
def Ingot_NdtriOp : Ingot_FloatFunctionOp<"ndtri", "Ndtri", "The inverse of the standard normal distribution function",
    "Infinite at 0 and 1, and NaN outside of them. ">;
def Ingot_ErfinvOp : Ingot_FloatFunctionOp<"erfinv", "Erfinv", "The inverse of the error function",
    "As TensorFlow does, ndtri((x + 1) / 2) / sqrt(2): infinite at -1 and 1, and NaN outside of them. ">;
def Ingot_LgammaOp : Ingot_FloatFunctionOp<"lgamma", "Lgamma", "The logarithm of the gamma function's size",
    "Infinite at 0 and at negative integers. A float is rounded once; of a double the error is a few units in the last place of the larger of the result and 1. ">;
def Ingot_DigammaOp : Ingot_FloatFunctionOp<"digamma", "Digamma", "The slope of the gamma function's logarithm",
    "Nothing at 0 and at negative integers. As exact as `lgamma`. ">;
def Ingot_BesselI0eOp : Ingot_FloatFunctionOp<"bessel_i0e", "BesselI0e", "exp(-|x|) I0(x), with the modified Bessel function of order 0",
    "As TensorFlow does, by the Chebyshev series of Cephes. ">;
def Ingot_BesselI1eOp : Ingot_FloatFunctionOp<"bessel_i1e", "BesselI1e", "exp(-|x|) I1(x), with the modified Bessel function of order 1",
    "As TensorFlow does, by the Chebyshev series of Cephes. ">;
def Ingot_FloorOp : Ingot_FloatFunctionOp<"floor", "Floor", "The largest integer that is not larger">;
def Ingot_CeilOp : Ingot_FloatFunctionOp<"ceil", "Ceil", "The smallest integer that is not smaller">;
def Ingot_RoundOp : Ingot_FunctionOp<"round", "Round", Ingot_NumericTensor, "The nearest integer",
    "Of two that are as near, the even one. "> {
  let tensorFlowOps = [TF_Op<"Round">, TF_Op<"Rint">];
}
def Ingot_InvertOp : Ingot_FunctionOp<"invert", "Invert", Ingot_AnyIntTensor, "Every bit flipped", "", "i32">;

def Ingot_IsNanOp : Ingot_TestOp<"is_nan", "IsNan", "Where the operand is not a number"> {
  let hasBuilders = 1;
}
def Ingot_IsInfOp : Ingot_TestOp<"is_inf", "IsInf", "Where the operand is infinite">;
def Ingot_IsFiniteOp : Ingot_TestOp<"is_finite", "IsFinite", "Where the operand is neither infinite nor a NaN"> {
  let hasBuilders = 1;
}

//===----------------------------------------------------------------------===//
// Functions of two numbers
//===----------------------------------------------------------------------===//

// Divisions of integers. They have a result for every pair of operands, because
// a kernel cannot report the errors that TensorFlow does.
class Ingot_DivisionOp<string mnemonic, string tensorFlow, string what, string more = "">
    : Ingot_BinaryFunctionOp<mnemonic, tensorFlow, Ingot_NumericTensor, what,
        more # "An integer divided by zero, before which `require_numbers` stops a run, gives 0. "> {
  let hasFolder = 1;
}

def Ingot_PowOp : Ingot_BinaryFunctionOp<"pow", "Pow", Ingot_NumericOrComplexTensor, "The first operand to the power of the second",
    "A negative power of an integer, before which `require_numbers` stops a run, is 1 / x^-n towards zero (0 for x = 0). "> {
  let hasBuilders = 1;
  let hasFolder = 1;
}
def Ingot_TruncateDivOp : Ingot_DivisionOp<"truncate_div", "TruncateDiv", "Quotient, rounded towards zero", "On integers also its `Div`. ">;
def Ingot_FloorDivOp : Ingot_DivisionOp<"floor_div", "FloorDiv", "Quotient, rounded down">;
def Ingot_TruncateModOp : Ingot_DivisionOp<"truncate_mod", "TruncateMod", "Remainder with the sign of the first operand"> {
  let tensorFlowOps = [TF_Op<"TruncateMod">, TF_Op<"Mod">];
}
def Ingot_FloorModOp : Ingot_DivisionOp<"floor_mod", "FloorMod", "Remainder with the sign of the second operand">;
def Ingot_Atan2Op : Ingot_BinaryFloatFunctionOp<"atan2", "Atan2", "The angle of the point whose y is the first operand and whose x is the second">;
def Ingot_MulNoNanOp : Ingot_BinaryFloatFunctionOp<"mul_no_nan", "MulNoNan", "Product, or zero where the second operand is zero">;
def Ingot_XdivyOp : Ingot_BinaryFloatFunctionOp<"xdivy", "Xdivy", "Quotient, or zero where the first operand is zero">;
def Ingot_XlogyOp : Ingot_BinaryFloatFunctionOp<"xlogy", "Xlogy", "x log(y), or zero where x is zero">;
def Ingot_Xlog1pyOp : Ingot_BinaryFloatFunctionOp<"xlog1py", "Xlog1py", "x log(1 + y), or zero where x is zero">;
def Ingot_NextAfterOp : Ingot_BinaryFunctionOp<"next_after", "NextAfter", TensorOf<[F32, F64]>,
    "The float beside the first operand, in the direction of the second">;
def Ingot_BitwiseAndOp : Ingot_BinaryFunctionOp<"bitwise_and", "BitwiseAnd", Ingot_AnyIntTensor, "Bits that both have", "", "i32">;
def Ingot_BitwiseOrOp : Ingot_BinaryFunctionOp<"bitwise_or", "BitwiseOr", Ingot_AnyIntTensor, "Bits that one has", "", "i32">;
def Ingot_BitwiseXorOp : Ingot_BinaryFunctionOp<"bitwise_xor", "BitwiseXor", Ingot_AnyIntTensor, "Bits that only one has", "", "i32">;
def Ingot_LeftShiftOp : Ingot_BinaryFunctionOp<"left_shift", "LeftShift", Ingot_AnyIntTensor, "Bits moved up",
    "Distances are limited to those from 0 to one less than an element's bits. ", "i32">;
def Ingot_RightShiftOp : Ingot_BinaryFunctionOp<"right_shift", "RightShift", Ingot_AnyIntTensor, "Bits moved down",
    "Distances are limited to those from 0 to one less than an element's bits; a signed element keeps its sign. ", "i32">;

def Ingot_ApproximateEqualOp
    : Ingot_PointwiseOp<"approximate_equal", [{::mlir::ingot::inferBinary(
          loc, adaptor.getLhs(), adaptor.getRhs(),
          ::mlir::IntegerType::get(adaptor.getLhs().getContext(), 1), types)}]> {
  let tensorFlowOps = [TF_Op<"ApproximateEqual", [TF_Float<"tolerance">]>];
  let summary = "Whether the operands differ by at most a tolerance";
  let description = [{
    TensorFlow's `ApproximateEqual`. Operands are broadcast against each other.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) the operands' shapes can be broadcast against each other.

    ```mlir
    %y = ingot.approximate_equal %a, %b {tolerance = 1.0e-3 : f32} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    ```
  }];
  let arguments = (ins Ingot_NumericTensor:$lhs, Ingot_NumericTensor:$rhs,
                       DefaultValuedAttr<F32Attr, "1.0e-5f">:$tolerance);
  let results = (outs Ingot_BoolTensor:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Ingot_FakeQuantOp : Ingot_PureOp<"fake_quant", [Ingot_Elementwise]> {
  let hasBuilders = 1;
  let summary = "Fake quantization: rounds to numbers of few bits";
  let description = [{
    TensorFlow's `FakeQuantWithMinMaxArgs`, `FakeQuantWithMinMaxVars` and
    `FakeQuantWithMinMaxVarsPerChannel` (`kind` args, vars and channels): the
    nearest of 2^`num_bits` (with `narrow_range`, 2^`num_bits` - 1) evenly spaced
    numbers from `min` to `max`, both of which are adjusted so that zero is one of
    the numbers. The bounds are scalars, or vectors with one bound for each channel,
    the input's last dimension. If both bounds are zero, the result is zero. Its
    gradients are those of clipping the input to the bounds.

    Constraints:
    - (fake_quant_c1) bounds are scalars; if `kind` is channels, they are
      vectors as long as the input's last dimension.
    - (fake_quant_c2) `num_bits` is between 2 and 16.
    - (fake_quant_c3) `kind` is args, vars or channels.

    ```mlir
    %y = ingot.fake_quant %x, %min, %max {num_bits = 4 : i64, kind = "vars"} : (tensor<8x3xf32>, tensor<f32>, tensor<f32>) -> tensor<8x3xf32>
    ```
  }];
  let arguments = (ins TensorOf<[F32]>:$input, TensorOf<[F32]>:$min, TensorOf<[F32]>:$max, DefaultValuedAttr<I64Attr, "8">:$num_bits,
                       DefaultValuedAttr<BoolAttr, "false">:$narrow_range, StrAttr:$kind);
  let results = (outs TensorOf<[F32]>:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

//===----------------------------------------------------------------------===//
// Bits of elements
//===----------------------------------------------------------------------===//

def Ingot_BitcastOp : Ingot_PureOp<"bitcast"> {
  let tensorFlowOps = [TF_Op<"Bitcast", [TF_Type<"type", "dst">]>];
  let summary = "Bitcast to another element type";
  let description = [{
    TensorFlow's `Bitcast`. If the new elements are smaller, the result has one more
    dimension at the end, for the parts of an element, lowest bytes first. If they
    are larger, the last dimension is combined into one element.

    Constraints:
    - (bitcast_c1) `dst` is a type of numbers; the size of its elements is a
      multiple of the size of the input's elements, or the other way round.
    - (bitcast_c2) if the elements of `dst` are larger, the input's last
      dimension has exactly the elements that become one element.

    ```mlir
    %y = ingot.bitcast %x {dst = i8} : (tensor<4xf32>) -> tensor<4x4xi8>
    ```
  }];
  let arguments = (ins Ingot_NumericTensor:$input, TypeAttr:$dst);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_POINTWISE_TD
