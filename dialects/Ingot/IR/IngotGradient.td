//===- IngotGradient.td - Ops for gradients ----------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Gradients by reverse differentiation: each op implements an interface that
// computes the gradients of its operands from those of its results.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_GRADIENT_TD
#define INGOT_DIALECTS_INGOT_GRADIENT_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::mlir::ingot";
  let description = [{
    An op that has a gradient in TensorFlow, or is known to stop gradients. The
    implementation is in <Family>Gradients.cpp.
  }];
  let methods = [
    InterfaceMethod<"Adds to the operands' gradients, given those of the results.",
                    "void", "addGradients", (ins "::mlir::ingot::Gradients &":$gradients)>
  ];
}

def Ingot_GradientsOp : Ingot_Op<"gradients", [Pure, AttrSizedOperandSegments]> {
  let hasBuilders = 1;
  let summary = "Gradients of values with respect to others";
  let description = [{
    TensorFlow's `tf.gradients`: result i is the derivative of the sum of all
    elements of `outputs` with respect to input i, or zeros if no output depends
    on it. With `weights`, one tensor for each output, elements are weighted
    before they are summed.

    No gradient flows through integers, and through ops without a gradient in
    TensorFlow (`arg_max`, `floor`, ...). `ingot-differentiate` replaces the op
    by the ops that compute the gradients.

    Constraints:
    - (gradients_c1) there are at least one output and at least one input.
    - (gradients_c2) there are no weights, or there is one for each output, of
      the output's type.
    - (gradients_c3) a result has the type of its input.

    ```mlir
    %dw, %db = ingot.gradients of(%loss) by(%w, %b)
        : (tensor<f32>, tensor<64x10xf32>, tensor<10xf32>) -> (tensor<64x10xf32>, tensor<10xf32>)
    ```
  }];
  let arguments = (ins Variadic<Ingot_FloatTensor>:$outputs, Variadic<Ingot_FloatTensor>:$weights,
                       Variadic<Ingot_FloatTensor>:$inputs);
  let results = (outs Variadic<Ingot_FloatTensor>:$gradients);
  let assemblyFormat = [{
    `of` `(` $outputs `)` (`weights` `(` $weights^ `)`)? `by` `(` $inputs `)` attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Ingot_StopGradientOp : Ingot_PureOp<"stop_gradient"> {
  let summary = "Stops gradients";
  let description = [{
    TensorFlow's `StopGradient`, or with `refusal` `PreventGradient`: differentiating
    it is an error with this text. `ingot-differentiate` replaces it by its input
    when all gradients have been computed.

    ```mlir
    %y = ingot.stop_gradient %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Ingot_FloatOrComplexTensor:$input, OptionalAttr<StrAttr>:$refusal);
  let results = (outs Ingot_FloatTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_StraightThroughOp : Ingot_PureOp<"straight_through"> {
  let summary = "Passes gradients to another tensor than the value's operands";
  let description = [{
    Straight-through estimator (Bengio et al. 2013): the result is `value`, whose
    gradient flows to `surrogate` unchanged, and not to `value`. TensorFlow's ops
    that round, such as `QuantizeAndDequantizeV2`, have such gradients.
    `ingot-differentiate` replaces it by `value` when all gradients have been
    computed.

    Constraints:
    - (straight_through_c1) `value` and `surrogate` have one type.

    ```mlir
    %y = ingot.straight_through %rounded, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Ingot_FloatTensor:$value, Ingot_FloatTensor:$surrogate);
  let results = (outs Ingot_FloatTensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_GRADIENT_TD
