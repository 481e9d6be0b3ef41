//===- IngotActivation.td - Activations, their gradients ---*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Activation functions and the gradients of elementwise functions.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_ACTIVATION_TD
#define INGOT_DIALECTS_INGOT_ACTIVATION_TD

include "dialects/Ingot/IR/IngotElementwise.td"

def Ingot_SigmoidOp : Ingot_FunctionOp<"sigmoid", "Sigmoid", Ingot_FloatOrComplexTensor, "1 / (1 + exp(-x))">;
def Ingot_Relu6Op : Ingot_FunctionOp<"relu6", "Relu6", Ingot_NumericTensor, "min(max(x, 0), 6)">;
def Ingot_EluOp : Ingot_FloatFunctionOp<"elu", "Elu", "x, or exp(x) - 1 where x is negative">;
def Ingot_SeluOp : Ingot_FloatFunctionOp<"selu", "Selu", "s x, or s a (exp(x) - 1) where x is negative",
    "s = 1.0507... and a = 1.6732... keep means at 0 and variances at 1. ">;
def Ingot_SoftplusOp : Ingot_FloatFunctionOp<"softplus", "Softplus", "log(1 + exp(x))">;
def Ingot_SoftsignOp : Ingot_FloatFunctionOp<"softsign", "Softsign", "x / (1 + |x|)">;

def Ingot_LeakyReluOp
    : Ingot_PointwiseOp<"leaky_relu", "::mlir::ingot::inferUnary(adaptor.getInput(), types)"> {
  let tensorFlowOps = [TF_Op<"LeakyRelu", [TF_Float<"alpha">]>];
  let summary = "x, or alpha x where x is negative";
  let description = [{
    TensorFlow's `LeakyRelu`: max(x, alpha x), or min(x, alpha x) if `alpha` is
    above 1.

    ```mlir
    %y = ingot.leaky_relu %x {alpha = 0.1 : f32} : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Ingot_FloatTensor:$input, DefaultValuedAttr<F32Attr, "0.2f">:$alpha);
  let results = (outs Ingot_FloatTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_SqrtGradOp : Ingot_GradientOp<"sqrt_grad", "SqrtGrad", Ingot_FloatOrComplexTensor, "Gradient of sqrt",
    "dy / 2y, from its result y (first) and the gradient dy of that; zero where dy is. ">;
def Ingot_RsqrtGradOp : Ingot_GradientOp<"rsqrt_grad", "RsqrtGrad", Ingot_FloatOrComplexTensor, "Gradient of rsqrt",
    "dy (-y^3 / 2), from its result y (first) and the gradient dy of that; zero where dy is. ">;
def Ingot_ReciprocalGradOp : Ingot_GradientOp<"reciprocal_grad", "ReciprocalGrad", Ingot_FloatOrComplexTensor, "Gradient of reciprocal",
    "-dy y^2, from its result y (first) and the gradient dy of that; zero where dy is. "> {
  let tensorFlowOps = [TF_Op<"ReciprocalGrad">, TF_Op<"InvGrad">];
}
def Ingot_TanhGradOp : Ingot_GradientOp<"tanh_grad", "TanhGrad", Ingot_FloatOrComplexTensor, "Gradient of tanh",
    "dy (1 - y^2), from its result y (first) and the gradient dy of that. ">;
def Ingot_SigmoidGradOp : Ingot_GradientOp<"sigmoid_grad", "SigmoidGrad", Ingot_FloatOrComplexTensor, "Gradient of sigmoid",
    "dy y (1 - y), from its result y (first) and the gradient dy of that. ">;
def Ingot_Relu6GradOp : Ingot_GradientOp<"relu6_grad", "Relu6Grad", Ingot_NumericTensor, "Gradient of relu6",
    "The gradient (first) where the features (second) lie between 0 and 6, elsewhere the gradient times zero. ">;
def Ingot_EluGradOp : Ingot_GradientOp<"elu_grad", "EluGrad", Ingot_FloatTensor, "Gradient of elu",
    "The gradient (first), times y + 1 where the result y of elu (second) is negative. ">;
def Ingot_SeluGradOp : Ingot_GradientOp<"selu_grad", "SeluGrad", Ingot_FloatTensor, "Gradient of selu",
    "The gradient (first) times s, or times y + s a where the result y of selu (second) is negative. ">;
def Ingot_SoftplusGradOp : Ingot_GradientOp<"softplus_grad", "SoftplusGrad", Ingot_FloatTensor, "Gradient of softplus",
    "The gradient (first) over 1 + exp(-x) of the features x (second). ">;
def Ingot_SoftsignGradOp : Ingot_GradientOp<"softsign_grad", "SoftsignGrad", Ingot_FloatTensor, "Gradient of softsign",
    "The gradient (first) over (1 + |x|)^2 of the features x (second). ">;

def Ingot_LeakyReluGradOp
    : Ingot_PointwiseOp<"leaky_relu_grad",
        "::mlir::ingot::inferGradient(loc, adaptor.getLhs(), adaptor.getRhs(), types)"> {
  let tensorFlowOps = [TF_Op<"LeakyReluGrad", [TF_Float<"alpha">]>];
  let summary = "Gradient of leaky_relu";
  let description = [{
    TensorFlow's `LeakyReluGrad`: the gradient (first) where the features
    (second) are above zero, elsewhere the gradient times `alpha`.

    Constraints:
    - (binary_c1) the operands have one element type.
    - (binary_c2) the operands' shapes can be broadcast against each other.

    ```mlir
    %y = ingot.leaky_relu_grad %g, %x {alpha = 0.1 : f32} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Ingot_FloatTensor:$lhs, Ingot_FloatTensor:$rhs,
                       DefaultValuedAttr<F32Attr, "0.2f">:$alpha);
  let results = (outs Ingot_FloatTensor:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_ACTIVATION_TD
