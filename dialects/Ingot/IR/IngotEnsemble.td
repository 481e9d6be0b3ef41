//===- IngotEnsemble.td - Ensembles and their candidates -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops of AdaNet's ensembles: mixtures (weighted sums) of the outputs of an
// ensemble's members, the penalty on the weights, moving averages of losses,
// and the choice of the best candidate ensemble. Each op can be expressed by
// simpler ops; `expandEnsembleOp` (EnsembleExpansion.h) does so.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_ENSEMBLE_TD
#define INGOT_DIALECTS_INGOT_ENSEMBLE_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_MixtureOp : Ingot_PureOp<"mixture", [AttrSizedOperandSegments]> {
  let hasBuilders = 1;
  let summary = "Weighted sum of an ensemble's members";
  let description = [{
    The logits of an ensemble. A member's weight is a scalar (it scales the
    member's logits), a vector (it scales each class) or a matrix (the member's
    last layer is multiplied by it). The sum starts with the bias, to which the
    members are added one by one, in their order; with `bias_last` it starts with
    the first member, and the bias is added last.

    Constraints:
    - (mixture_c1) there are as many weights as members, and at least one.
    - (mixture_c2) a weight has rank 0, 1 or 2. A member with a weight of rank 2
      has rank 2; a member with a weight of rank 1 has at least rank 1.
    - (mixture_c3) a weight of rank 1 has one element, and a weight of rank 2 one
      row, for each element of the member's last dimension.
    - (mixture_c4) the weighted members have compatible shapes.
    - (mixture_c5) the bias is a vector as long as the last dimension of the
      weighted members.
    - (mixture_c6) all operands have one element type.

    ```mlir
    %logits = ingot.mixture(%h0, %h1) weights(%w0, %w1) bias(%b)
        : (tensor<64x32xf32>, tensor<64x16xf32>, tensor<32x10xf32>, tensor<16x10xf32>, tensor<10xf32>) -> tensor<64x10xf32>
    ```
  }];
  let arguments = (ins Variadic<Ingot_FloatTensor>:$members, Variadic<Ingot_FloatTensor>:$weights,
                       Optional<Ingot_FloatTensor>:$bias,
                       DefaultValuedAttr<BoolAttr, "false">:$bias_last);
  let results = (outs Ingot_FloatTensor:$output);
  let assemblyFormat = [{
    `(` $members `)` `weights` `(` $weights `)` (`bias` `(` $bias^ `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def Ingot_MixtureGradOp : Ingot_PureOp<"mixture_grad"> {
  let hasBuilders = 1;
  let summary = "Gradients of a mixture's weights and of its bias";
  let description = [{
    The gradient of each member's weight, whose rank is in `weight_ranks`: for a
    scalar, the sum of the member times `gradient`; for a vector, the sum of these
    products over all dimensions but the last; for a matrix, the product of the
    transposed member with `gradient`. With `has_bias`, the last result is the
    gradient of the bias: the sum of `gradient` over all dimensions but the last.

    A member's own gradient is that of a product: `gradient` times its weight.

    Constraints:
    - (mixture_grad_c1) there is a rank for each member, 0, 1 or 2, and at least one member or the bias.
    - (mixture_grad_c2) a member with a weight of rank 0 or 1 (`weight_ranks`)
      has the gradient's shape; a member with a weight of rank 2 is a matrix
      with as many rows as the gradient, which is a matrix too.
    - (mixture_grad_c3) if there is a bias or a weight of rank 1, the gradient
      has at least rank 1.
    - (mixture_grad_c4) all operands have one element type.

    ```mlir
    %dw0, %db = ingot.mixture_grad(%h0) of %g {weight_ranks = array<i64: 2>, has_bias = true}
        : (tensor<64x32xf32>, tensor<64x10xf32>) -> (tensor<32x10xf32>, tensor<10xf32>)
    ```
  }];
  let arguments = (ins Variadic<Ingot_FloatTensor>:$members, Ingot_FloatTensor:$gradient,
                       DenseI64ArrayAttr:$weight_ranks,
                       DefaultValuedAttr<BoolAttr, "false">:$has_bias);
  let results = (outs Variadic<Ingot_FloatTensor>:$gradients);
  let assemblyFormat = [{
    `(` $members `)` `of` $gradient attr-dict `:` functional-type(operands, results)
  }];
}

def Ingot_ComplexityPenaltyOp
    : Ingot_PureOp<"complexity_penalty", [AttrSizedOperandSegments]> {
  let hasBuilders = 1;
  let summary = "AdaNet's penalty on the weights of a mixture";
  let description = [{
    The sum, from the first member to the last, of
    (`lambda` * complexity + `beta`) * ‖weight‖₁, and each member's norm: the
    sum of the absolute values of its weight, whatever the weight's shape.

    The gradient of a weight is (`lambda` * complexity + `beta`) * sign(weight)
    times that of the penalty; the sign of zero is zero.

    Constraints:
    - (complexity_penalty_c1) there is a complexity for each weight, and at
      least one weight.
    - (complexity_penalty_c2) complexities are scalars.
    - (complexity_penalty_c3) all operands have one element type.
    - (complexity_penalty_c4) `lambda` and `beta` are finite and not negative.

    ```mlir
    %penalty, %norm0, %norm1 = ingot.complexity_penalty(%w0, %w1) complexities(%r0, %r1) {lambda = 0.1, beta = 0.01}
        : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
    ```
  }];
  let arguments = (ins Variadic<Ingot_FloatTensor>:$weights, Variadic<Ingot_FloatTensor>:$complexities,
                       F64Attr:$lambda, F64Attr:$beta);
  let results = (outs Ingot_FloatTensor:$penalty, Variadic<Ingot_FloatTensor>:$norms);
  let assemblyFormat = [{
    `(` $weights `)` `complexities` `(` $complexities `)` attr-dict
    `:` functional-type(operands, results)
  }];
  let hasCanonicalizeMethod = 1;
}

def Ingot_EmaOp : Ingot_PureOp<"ema"> {
  let hasBuilders = 1;
  let summary = "A step of a zero-debiased moving average";
  let description = [{
    With d = 1 - `rate`: new_biased = biased - (biased - value) * rate,
    new_step = local_step + 1, average = new_biased / (1 - d^new_step). All in
    the operands' type, d included; `biased` and `local_step` start at 0.

    Constraints:
    - (ema_c1) `biased` and `value` have compatible shapes; `local_step` is a scalar.
    - (ema_c2) all operands have one element type.
    - (ema_c3) `rate` is larger than 0, and at most 1.

    ```mlir
    %average, %biased1, %step1 = ingot.ema %biased, %step, %loss {rate = 0.1}
        : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
    ```
  }];
  let arguments = (ins Ingot_FloatTensor:$biased, Ingot_FloatTensor:$local_step,
                       Ingot_FloatTensor:$value, F64Attr:$rate);
  let results = (outs Ingot_FloatTensor:$average, Ingot_FloatTensor:$new_biased,
                      Ingot_FloatTensor:$new_step);
  let assemblyFormat = "$biased `,` $local_step `,` $value attr-dict `:` functional-type(operands, results)";
}

def Ingot_SelectBestOp
    : Ingot_PureOp<"select_best", [AttrSizedOperandSegments]> {
  let hasBuilders = 1;
  let summary = "The candidate with the smallest loss, and its values";
  let description = [{
    The first result is the index of the smallest loss, the first one if several
    are equal. `values` consists of lists with one value for each candidate, one
    list after the other; each further result is the chosen candidate's value
    from one list.

    `nan` tells how a NaN is compared. "first": it is smaller than any other
    loss, as in AdaNet's graphs. "dropped": candidates whose loss is not finite
    are left out; if no candidate remains, the index is -1 and the values are
    those of the first candidate that was compared. With `force_grow`, the
    candidate at index 0, the previous ensemble, is left out; the others keep
    their indices.

    Constraints:
    - (select_best_c1) there is at least one loss; with `force_grow`, there are
      at least two.
    - (select_best_c2) losses are scalars of one element type.
    - (select_best_c3) there are as many values as losses, or a multiple of that.
    - (select_best_c4) the values of one list have compatible shapes and one element type.
    - (select_best_c5) `nan` is "first" or "dropped".

    ```mlir
    %index, %loss = ingot.select_best(%ema0, %ema1) values(%loss0, %loss1) {nan = "first"}
        : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<i64>, tensor<f32>)
    ```
  }];
  let arguments = (ins Variadic<Ingot_FloatTensor>:$losses, Variadic<Ingot_Tensor>:$values,
                       StrAttr:$nan, DefaultValuedAttr<BoolAttr, "false">:$force_grow);
  let results = (outs TensorOf<[I64]>:$index, Variadic<Ingot_Tensor>:$chosen);
  let assemblyFormat = [{
    `(` $losses `)` (`values` `(` $values^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

#endif // INGOT_DIALECTS_INGOT_ENSEMBLE_TD
