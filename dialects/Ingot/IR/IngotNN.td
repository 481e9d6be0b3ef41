//===- IngotNN.td - Layers, losses, random numbers -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Matrix products, biases, sparse softmax cross entropy and uniform random
// numbers: the ops of which simple neural networks consist.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_NN_TD
#define INGOT_DIALECTS_INGOT_NN_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_MatMulOp : Ingot_PureOp<"matmul"> {
  let hasBuilders = 1;
  let tensorFlowOps = [
    TF_Op<"MatMul", [TF_Bool<"transpose_a">, TF_Bool<"transpose_b">, TF_Implied<"grad_a">, TF_Implied<"grad_b">]>];
  let summary = "Matrix product (GEMM)";
  let description = [{
    TensorFlow's `MatMul`: `a` is [m, k], `b` is [k, n]; with `transpose_a` or
    `transpose_b` the operand is transposed first. Each element is summed in the
    order of ascending k. With `sum_block`, k consists of blocks of that many
    steps: each block is summed in this order, and the sums of the blocks are
    added in the tree over slices of a batch (`ingot.slice_region`).

    Constraints:
    - (matmul_c1) both operands have rank 2.
    - (matmul_c2) the inner dimensions agree.
    - (matmul_c3) the operands have one element type.
    - (matmul_c4) `sum_block` divides k, which is static, and elements are f32 or f64.

    ```mlir
    %c = ingot.matmul %a, %b {transpose_b = true} : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<4x2xf32>
    ```
  }];
  let arguments = (ins Ingot_NumericOrComplexTensor:$a, Ingot_NumericOrComplexTensor:$b,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose_a,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose_b,
                       OptionalAttr<I64Attr>:$sum_block);
  let results = (outs Ingot_NumericOrComplexTensor:$output);
  let assemblyFormat = "$a `,` $b attr-dict `:` functional-type(operands, results)";
}

def Ingot_BiasAddOp : Ingot_PureOp<"bias_add", [Ingot_Elementwise]> {
  let tensorFlowOps = [TF_Op<"BiasAdd", [TF_String<"data_format">]>, TF_Op<"BiasAddV1">];
  let summary = "A vector added along the channels";
  let description = [{
    TensorFlow's `BiasAdd`: channels are the last dimension (NHWC) or the
    second (NCHW).

    Constraints:
    - (bias_add_c1) `bias` is a vector, `value` has at least rank 2.
    - (bias_add_c2) the bias is as long as the channel dimension.
    - (bias_add_c3) `data_format` is NHWC or NCHW.
    - (bias_add_c4) `bias` and `value` have one element type.

    ```mlir
    %y = ingot.bias_add %x, %b : (tensor<64x32xf32>, tensor<32xf32>) -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Ingot_NumericTensor:$value, Ingot_NumericTensor:$bias,
                       DefaultValuedStrAttr<StrAttr, "NHWC">:$data_format);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "$value `,` $bias attr-dict `:` functional-type(operands, results)";
}

def Ingot_BiasAddGradOp : Ingot_PureOp<"bias_add_grad"> {
  let tensorFlowOps = [TF_Op<"BiasAddGrad", [TF_String<"data_format">]>];
  let summary = "Gradient of the bias: the sum over all but the channels";
  let description = [{
    TensorFlow's `BiasAddGrad`.

    Constraints:
    - (bias_add_grad_c1) the gradient has at least rank 2.
    - (bias_add_grad_c2) `data_format` is NHWC or NCHW.

    ```mlir
    %db = ingot.bias_add_grad %dy : (tensor<64x32xf32>) -> tensor<32xf32>
    ```
  }];
  let arguments = (ins Ingot_NumericTensor:$gradient,
                       DefaultValuedStrAttr<StrAttr, "NHWC">:$data_format);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "$gradient attr-dict `:` functional-type(operands, results)";
}

def Ingot_SparseSoftmaxCrossEntropyOp : Ingot_PureOp<"sparse_softmax_cross_entropy"> {
  let tensorFlowOps = [
    TF_Op<"SparseSoftmaxCrossEntropyWithLogits", [TF_Implied<"Tlabels">], ["loss", "backprop"]>];
  let summary = "Sparse softmax cross entropy, against class indices, and its "
                "gradient";
  let description = [{
    TensorFlow's `SparseSoftmaxCrossEntropyWithLogits`: `logits` is [batch,
    classes], `labels` [batch]. `loss` is [batch]; `backprop` is softmax(logits),
    minus 1 at the label, [batch, classes]. If a label is outside of [0, classes),
    both are NaN in its row.

    Constraints:
    - (xent_c1) logits have rank 2, labels rank 1.
    - (xent_c2) logits and labels have the same batch size.

    ```mlir
    %loss, %grad = ingot.sparse_softmax_cross_entropy %logits, %labels
        : (tensor<64x10xf32>, tensor<64xi64>) -> (tensor<64xf32>, tensor<64x10xf32>)
    ```
  }];
  let arguments = (ins Ingot_FloatTensor:$logits, Ingot_IntTensor:$labels);
  let results = (outs Ingot_FloatTensor:$loss, Ingot_FloatTensor:$backprop);
  let assemblyFormat = "$logits `,` $labels attr-dict `:` functional-type(operands, results)";
}

def Ingot_StatelessRandomGetKeyCounterOp : Ingot_PureOp<"stateless_random_get_key_counter"> {
  let tensorFlowOps = [TF_Op<"StatelessRandomGetKeyCounter", [TF_Implied<"Tseed">]>];
  let summary = "Key and counter of a counter-based generator, from a seed";
  let description = [{
    TensorFlow's `StatelessRandomGetKeyCounter`: the seed's two numbers,
    scrambled by Philox 4x32-10. Key is [1], counter [2], as 64-bit integers.

    Constraints:
    - (key_counter_c1) the seed has shape [2].

    ```mlir
    %key, %counter = ingot.stateless_random_get_key_counter %seed : (tensor<2xi32>) -> (tensor<1xi64>, tensor<2xi64>)
    ```
  }];
  let arguments = (ins Ingot_IntTensor:$seed);
  let results = (outs TensorOf<[I64]>:$key, TensorOf<[I64]>:$counter);
  let assemblyFormat = "$seed attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_StatelessRandomUniformOp : Ingot_PureOp<"stateless_random_uniform"> {
  let summary = "Uniform random floats in [0, 1)";
  let description = [{
    TensorFlow's `StatelessRandomUniformV2`, bit for bit. Algorithm 1 is Philox
    4x32-10; 3 (auto) means Philox on a CPU.

    Constraints:
    - (random_uniform_c1) the key has shape [1], the counter [2].
    - (random_uniform_c2) if the algorithm is constant, it is 1 (Philox) or 3
      (auto).
    - (random_uniform_c3) `dtype` is a type of floats.
    - (random_uniform_c4) `shape` is a vector of at most 254 elements; constant dimensions are not
      negative, and their product stays below 2^63.

    ```mlir
    %r = ingot.stateless_random_uniform %shape, %key, %counter, %alg {dtype = f32}
        : (tensor<2xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>) -> tensor<64x64xf32>
    ```
  }];
  let arguments = (ins Ingot_IntTensor:$shape, TensorOf<[I64]>:$key, TensorOf<[I64]>:$counter,
                       TensorOf<[I32]>:$algorithm, TypeAttr:$dtype);
  let results = (outs Ingot_FloatTensor:$output);
  let assemblyFormat = "$shape `,` $key `,` $counter `,` $algorithm attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_NN_TD
