//===- IngotNormalization.td - Normalizations and losses -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Batch normalization, softmax and its losses.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_NORMALIZATION_TD
#define INGOT_DIALECTS_INGOT_NORMALIZATION_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_FusedBatchNormOp : Ingot_PureOp<"fused_batch_norm"> {
  let summary = "Normalizes each channel to a mean and a variance";
  let description = [{
    TensorFlow's `FusedBatchNorm`, `V2` and `V3`, channels last: y = (x - mean)
    / sqrt(variance + epsilon) * scale + offset. In training, mean and variance
    are the batch's; `running_mean` and `running_variance` (unbiased) are the new
    moving averages, weighted by `exponential_avg_factor`; and `saved_*` are the
    values that the gradient needs. Otherwise, all of these equal the operands
    `mean` and `variance`.

    Constraints:
    - (batch_norm_c1) `x` has rank 4 or 5.
    - (batch_norm_c2) scale, offset, mean and variance are vectors as long as the channels; mean and
      variance may be empty where they are not used.
    - (batch_norm_c3) scale, offset, mean and variance have one element type,
      which is not narrower than that of `x`.

    ```mlir
    %y, %m, %v, %sm, %sv = ingot.fused_batch_norm %x, %scale, %offset, %mean, %variance
        : (tensor<8x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<0xf32>, tensor<0xf32>)
          -> (tensor<8x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
    ```
  }];
  let arguments = (ins Ingot_FloatTensor:$x, Ingot_FloatTensor:$scale, Ingot_FloatTensor:$offset,
                       Ingot_FloatTensor:$mean, Ingot_FloatTensor:$variance,
                       DefaultValuedAttr<F32Attr, "1.0e-4f">:$epsilon,
                       DefaultValuedAttr<F32Attr, "1.0f">:$exponential_avg_factor,
                       DefaultValuedAttr<BoolAttr, "true">:$is_training);
  let results = (outs Ingot_FloatTensor:$y, Ingot_FloatTensor:$running_mean,
                      Ingot_FloatTensor:$running_variance, Ingot_FloatTensor:$saved_mean,
                      Ingot_FloatTensor:$saved_variance);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_FusedBatchNormGradOp : Ingot_PureOp<"fused_batch_norm_grad"> {
  let summary = "Gradients of a batch normalization";
  let description = [{
    TensorFlow's `FusedBatchNormGrad`, `V2` and `V3`: the gradients of the
    input, the scale and the offset. `mean` and `variance` are those that the
    input was normalized with; in training the gradient also flows through them.

    Constraints:
    - (batch_norm_c1) `x` has rank 4 or 5.
    - (batch_norm_c2) scale, offset, mean and variance are vectors as long as the channels; mean and
      variance may be empty where they are not used.
    - (batch_norm_c3) scale, offset, mean and variance have one element type,
      which is not narrower than that of `x`.
    - (batch_norm_grad_c1) the gradient has x's shape and element type.

    ```mlir
    %dx, %ds, %do = ingot.fused_batch_norm_grad %dy, %x, %scale, %mean, %variance
        : (tensor<8x4x4x16xf32>, tensor<8x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
          -> (tensor<8x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
    ```
  }];
  let arguments = (ins Ingot_FloatTensor:$gradient, Ingot_FloatTensor:$x, Ingot_FloatTensor:$scale,
                       Ingot_FloatTensor:$mean, Ingot_FloatTensor:$variance,
                       DefaultValuedAttr<F32Attr, "1.0e-4f">:$epsilon,
                       DefaultValuedAttr<BoolAttr, "true">:$is_training);
  let results = (outs Ingot_FloatTensor:$x_backprop, Ingot_FloatTensor:$scale_backprop,
                      Ingot_FloatTensor:$offset_backprop);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_SoftmaxOp : Ingot_PureOp<"softmax"> {
  let tensorFlowOps = [TF_Op<"Softmax">];
  let summary = "Softmax along the last dimension";
  let description = [{
    TensorFlow's `Softmax`: exp(x - max) / sum(exp(x - max)).

    Constraints:
    - (softmax_c1) the logits have at least one dimension.

    ```mlir
    %p = ingot.softmax %x : (tensor<64x10xf32>) -> tensor<64x10xf32>
    ```
  }];
  let arguments = (ins Ingot_FloatTensor:$logits);
  let results = (outs Ingot_FloatTensor:$output);
  let assemblyFormat = "$logits attr-dict `:` functional-type(operands, results)";
}

def Ingot_LogSoftmaxOp : Ingot_PureOp<"log_softmax"> {
  let tensorFlowOps = [TF_Op<"LogSoftmax">];
  let summary = "Logarithm of softmax, along the last dimension";
  let description = [{
    TensorFlow's `LogSoftmax`: x - max - log(sum(exp(x - max))).

    Constraints:
    - (softmax_c1) the logits have at least one dimension.

    ```mlir
    %p = ingot.log_softmax %x : (tensor<64x10xf32>) -> tensor<64x10xf32>
    ```
  }];
  let arguments = (ins Ingot_FloatTensor:$logits);
  let results = (outs Ingot_FloatTensor:$output);
  let assemblyFormat = "$logits attr-dict `:` functional-type(operands, results)";
}

def Ingot_SoftmaxCrossEntropyOp : Ingot_PureOp<"softmax_cross_entropy"> {
  let tensorFlowOps = [TF_Op<"SoftmaxCrossEntropyWithLogits", [], ["loss", "backprop"]>];
  let summary = "Cross entropy of softmax(logits) against distributions, and its gradient";
  let description = [{
    TensorFlow's `SoftmaxCrossEntropyWithLogits`: logits and labels are [batch,
    classes], broadcast against each other. `loss` is [batch]; `backprop` is
    softmax(logits) less the labels, [batch, classes].

    Constraints:
    - (softmax_xent_c1) logits and labels can be broadcast to one shape of rank
      2.
    - (softmax_xent_c2) logits and labels have one element type.

    ```mlir
    %loss, %grad = ingot.softmax_cross_entropy %logits, %labels
        : (tensor<64x10xf32>, tensor<64x10xf32>) -> (tensor<64xf32>, tensor<64x10xf32>)
    ```
  }];
  let arguments = (ins Ingot_FloatTensor:$logits, Ingot_FloatTensor:$labels);
  let results = (outs Ingot_FloatTensor:$loss, Ingot_FloatTensor:$backprop);
  let assemblyFormat = "$logits `,` $labels attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_NORMALIZATION_TD
