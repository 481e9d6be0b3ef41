//===- IngotRandom.td - Random numbers -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops on random numbers. All numbers but those of threefry_bits, including
// those of stateless_random_uniform (IngotNN.td), come from Philox 4x32-10, a
// generator without state: a 64-bit key and a 128-bit counter determine a block
// of four 32-bit numbers. Ops of TensorFlow that have a state (ops with seeds,
// tf.random.Generator) are imported as these ops and a variable that holds the
// counter.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_RANDOM_TD
#define INGOT_DIALECTS_INGOT_RANDOM_TD

include "dialects/Ingot/IR/IngotBase.td"

// A key or counter. In TensorFlow these are unsigned, but only the bits matter,
// so signless integers are accepted, too.
def Ingot_KeyTensor : TensorOf<[I64, UI64]>;

def Ingot_RandomSkipOp : Ingot_PureOp<"random_skip"> {
  let summary = "Advances a counter by a number of blocks";
  let description = [{
    The first two elements are a 128-bit number, the lower half first, to which
    ceil(product(`counts`) * `factor` / `divisor`) is added; the words after them
    (a generator's key) are unchanged. TensorFlow's `RngSkip`. Ops with seeds
    advance their own counters in this way after each execution; `counts` is the
    shape that was drawn.

    Constraints:
    - (random_skip_c1) the state is a vector of at least 2 elements.
    - (random_skip_c2) `counts` is a scalar or a vector.

    ```mlir
    %1 = ingot.random_skip %0, %shape {factor = 256 : i64} : (tensor<2xi64>, tensor<2xi32>) -> tensor<2xi64>
    ```
  }];
  let arguments = (ins Ingot_KeyTensor:$state, TensorOf<[I32, I64, UI64]>:$counts,
                       DefaultValuedAttr<I64Attr, "1">:$factor,
                       DefaultValuedAttr<I64Attr, "1">:$divisor);
  let results = (outs Ingot_KeyTensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

// An op that draws a tensor of random numbers from a key and a counter.
class Ingot_DrawOp<string mnemonic, dag extraArguments, list<Trait> traits = []>
    : Ingot_PureOp<mnemonic, traits> {
  let arguments = !con((ins Ingot_IntTensor:$shape, Ingot_KeyTensor:$key,
                            Ingot_KeyTensor:$counter, TensorOf<[I32]>:$algorithm),
                       extraArguments);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_StatelessRandomUniformIntOp
    : Ingot_DrawOp<"stateless_random_uniform_int",
                   (ins Ingot_NumericTensor:$minval, Ingot_NumericTensor:$maxval)> {
  let summary = "Uniform random integers in [minval, maxval)";
  let description = [{
    TensorFlow's `StatelessRandomUniformIntV2`, bit for bit: random bits modulo
    the range's size, so that the distribution is slightly uneven if the size is no
    power of two. If the range is empty, all numbers are `minval`.

    Constraints:
    - (random_c1) the key has shape [1], the counter [2].
    - (random_c2) if the algorithm is constant, it is 1 (Philox) or 3 (auto).
    - (random_c3) the element type is a float for normal numbers, or an integer
      of 32 or 64 bits for uniform integers.
    - (random_c4) `shape` is a vector of at most 254 elements; constant dimensions are not
      negative, and their product stays below 2^63.
    - (random_range_c1) both bounds are scalars of one type of integers.
    - (random_range_c2) if both bounds are constant, `minval` is less than
      `maxval`.

    ```mlir
    %r = ingot.stateless_random_uniform_int %shape, %key, %counter, %alg, %lo, %hi
        : (tensor<1xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>, tensor<i64>, tensor<i64>) -> tensor<8xi64>
    ```
  }];
}

def Ingot_StatelessRandomUniformFullIntOp
    : Ingot_DrawOp<"stateless_random_uniform_full_int", (ins TypeAttr:$dtype)> {
  let summary = "Random integers over the whole range of their type";
  let description = [{
    TensorFlow's `StatelessRandomUniformFullIntV2`: the generator's bits.
    Shape, key and counter have the constraints of stateless_random_uniform_int.

    ```mlir
    %r = ingot.stateless_random_uniform_full_int %shape, %key, %counter, %alg {dtype = i64}
        : (tensor<1xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>) -> tensor<8xi64>
    ```
  }];
}

def Ingot_StatelessRandomNormalOp
    : Ingot_DrawOp<"stateless_random_normal", (ins TypeAttr:$dtype), [Ingot_ComputedByRuntime]> {
  let summary = "Random floats of the standard normal distribution";
  let description = [{
    TensorFlow's `StatelessRandomNormalV2`: Box-Muller on pairs of uniform
    numbers, with the C library's logarithm, sine and cosine.
    Shape, key and counter have the constraints of stateless_random_uniform_int.

    ```mlir
    %r = ingot.stateless_random_normal %shape, %key, %counter, %alg {dtype = f32}
        : (tensor<1xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>) -> tensor<8xf32>
    ```
  }];
}

def Ingot_StatelessTruncatedNormalOp
    : Ingot_DrawOp<"stateless_truncated_normal", (ins TypeAttr:$dtype), [Ingot_ComputedByRuntime]> {
  let summary = "Random floats of the standard normal distribution, truncated to (-2, 2)";
  let description = [{
    TensorFlow's `StatelessTruncatedNormalV2`: normal numbers, drawn again where
    they lie more than two standard deviations from the mean (rejection
    sampling). Each group of numbers has counters of its own, so that groups are
    independent of each other's rejections.
    Shape, key and counter have the constraints of stateless_random_uniform_int.

    ```mlir
    %r = ingot.stateless_truncated_normal %shape, %key, %counter, %alg {dtype = f32}
        : (tensor<1xi32>, tensor<1xi64>, tensor<2xi64>, tensor<i32>) -> tensor<8xf32>
    ```
  }];
}

def Ingot_ThreefryBitsOp : Ingot_PureOp<"threefry_bits"> {
  let tensorFlowOps = [TF_Op<"Ingot>ThreefryBits", [TF_Implied<"Tshape">, TF_Type<"dtype">]>];
  let summary = "Random bits of Threefry-2x32, JAX's generator";
  let description = [{
    Threefry-2x32 with 20 rounds (Salmon et al., "Parallel random numbers: as easy
    as 1, 2, 3", SC 2011) turns a key of two 32-bit words and a 64-bit counter,
    whose upper half is the first word, into two words. The number at place i of
    `shape`, in row-major order, has the counter `first` + i. A number of 64 bits
    has the first word in its upper half; one of 32 bits is the XOR of both words.
    These are the bits of `jax.random` with `jax_threefry_partitionable`.

    `key` may be a tensor of keys, which a last dimension of 2 holds: each draws
    a tensor of `shape`, with its own counter in `first`.

    Constraints:
    - (threefry_bits_c1) the last dimension of `key` is 2.
    - (threefry_bits_c2) `first` has the other dimensions of `key`.
    - (threefry_bits_c3) `dtype` is ui32 or ui64.
    - (threefry_bits_c4) `shape` is a vector as (random_c4) states.

    ```mlir
    %r = ingot.threefry_bits %key, %first, %shape {dtype = ui32}
        : (tensor<5x2xui32>, tensor<5xui64>, tensor<1xi32>) -> tensor<5x8xui32>
    ```
  }];
  let arguments = (ins TensorOf<[UI32, I32]>:$key, TensorOf<[UI64, I64]>:$first, Ingot_IntTensor:$shape, TypeAttr:$dtype);
  let results = (outs TensorOf<[UI32, UI64, I32, I64]>:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_RandomShuffleOp : Ingot_PureOp<"random_shuffle", [Ingot_ComputedByRuntime]> {
  let summary = "Shuffles a tensor's rows";
  let description = [{
    TensorFlow's `RandomShuffle` along the first dimension, by the generator
    with this key and counter.

    Constraints:
    - (random_shuffle_c1) the key has shape [1], the counter [2].

    ```mlir
    %1 = ingot.random_shuffle %0, %key, %counter : (tensor<8x3xf32>, tensor<1xi64>, tensor<2xi64>) -> tensor<8x3xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$value, Ingot_KeyTensor:$key, Ingot_KeyTensor:$counter);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_MultinomialOp : Ingot_PureOp<"multinomial", [Ingot_ComputedByRuntime]> {
  let summary = "Classes drawn by their unnormalized log-probabilities";
  let description = [{
    TensorFlow's `Multinomial`: `num_samples` classes for each row of logits, of
    type `dtype`. Rows draw one after the other, as on one thread of
    TensorFlow's.

    Constraints:
    - (multinomial_c1) the logits are a matrix.
    - (multinomial_c2) `num_samples` is a scalar; if it is constant, it is not
      negative.
    - (multinomial_c3) the key has shape [1], the counter [2].

    ```mlir
    %1 = ingot.multinomial %logits, %n, %key, %counter {dtype = i64}
        : (tensor<4x10xf32>, tensor<i32>, tensor<1xi64>, tensor<2xi64>) -> tensor<4x?xi64>
    ```
  }];
  let arguments = (ins Ingot_NumericTensor:$logits, TensorOf<[I32]>:$num_samples,
                       Ingot_KeyTensor:$key, Ingot_KeyTensor:$counter, TypeAttr:$dtype);
  let results = (outs Ingot_IntTensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_CandidateSampleOp : Ingot_PureOp<"candidate_sample", [Ingot_ComputedByRuntime]> {
  let summary = "Candidate sampling: classes that stand for all of them in a loss";
  let description = [{
    TensorFlow's `UniformCandidateSampler` (`distribution` is "uniform") and
    `LogUniformCandidateSampler` ("log_uniform"), bit for bit: `num_sampled`
    classes below `range_max`, distinct with `unique`, and the expected counts of
    `true_classes` and of the classes drawn. `AllCandidateSampler` ("all") draws
    each class once, in ascending order, and expects each once.

    Constraints:
    - (candidate_sample_c1) `true_classes` is a matrix.
    - (candidate_sample_c2) `num_sampled` and `range_max` are positive; with
      `unique`, `num_sampled` is at most `range_max`.
    - (candidate_sample_c3) `distribution` is "uniform", "log_uniform" or "all";
      with "all", `num_sampled` is `range_max`.
    - (candidate_sample_c4) the key has shape [1], the counter [2].

    ```mlir
    %s, %t, %e = ingot.candidate_sample %classes, %key, %counter {num_sampled = 5 : i64, range_max = 100 : i64, unique = true, distribution = "log_uniform"}
        : (tensor<4x1xi64>, tensor<1xi64>, tensor<2xi64>) -> (tensor<5xi64>, tensor<4x1xf32>, tensor<5xf32>)
    ```
  }];
  let arguments = (ins TensorOf<[I64]>:$true_classes, Ingot_KeyTensor:$key, Ingot_KeyTensor:$counter,
                       I64Attr:$num_sampled, I64Attr:$range_max, BoolAttr:$unique, StrAttr:$distribution);
  let results = (outs TensorOf<[I64]>:$sampled, TensorOf<[F32]>:$true_expected, TensorOf<[F32]>:$sampled_expected);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

// An op that, like RandomGamma, has a tensor of distribution parameters as an operand, and draws a
// tensor of shape `shape` from the distribution of each parameter.
class Ingot_ParametricDrawOp<string mnemonic, dag parameter>
    : Ingot_PureOp<mnemonic, [Ingot_ComputedByRuntime]> {
  let arguments = !con((ins Ingot_IntTensor:$shape), parameter,
                       (ins Ingot_KeyTensor:$key, Ingot_KeyTensor:$counter, TypeAttr:$dtype));
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_RandomGammaOp : Ingot_ParametricDrawOp<"random_gamma", (ins Ingot_FloatTensor:$alpha)> {
  let summary = "Random numbers of gamma distributions";
  let description = [{
    TensorFlow's `RandomGamma`, bit for bit: for each element of `alpha`, the
    distribution's shape parameter, a tensor of `shape` numbers. The result has the
    dimensions of `shape` and then those of `alpha`. Marsaglia and Tsang, "A Simple
    Method for Generating Gamma Variables" (2000); 256 numbers of the generator
    are reserved for each result.

    Constraints:
    - (random_gamma_c1) the key has shape [1], the counter [2].
    - (random_gamma_c2) `shape` is a vector as (random_c4) states.
    - (random_gamma_c3) `dtype` is the element type of `alpha`: f16, f32 or f64.

    ```mlir
    %r = ingot.random_gamma %shape, %alpha, %key, %counter {dtype = f32}
        : (tensor<1xi32>, tensor<3xf32>, tensor<1xi64>, tensor<2xi64>) -> tensor<?x3xf32>
    ```
  }];
}

def Ingot_RandomPoissonOp : Ingot_ParametricDrawOp<"random_poisson", (ins Ingot_NumericTensor:$rate)> {
  let summary = "Random numbers of Poisson distributions";
  let description = [{
    TensorFlow's `RandomPoissonV2`, bit for bit: for each element of `rate`, the
    expected number of events, a tensor of `shape` numbers of type `dtype`. The
    result has the dimensions of `shape` and then those of `rate`. Rates below 10
    are drawn by Knuth's products of uniform numbers, others by Hormann's
    transformed rejection (1993); 256 numbers of the generator are reserved
    for each result.

    Constraints:
    - (random_poisson_c1) the key has shape [1], the counter [2].
    - (random_poisson_c2) `shape` is a vector as (random_c4) states.
    - (random_poisson_c3) `dtype` and the element type of `rate` are f16, f32,
      f64, i32 or i64.

    ```mlir
    %r = ingot.random_poisson %shape, %rate, %key, %counter {dtype = i64}
        : (tensor<1xi32>, tensor<3xf32>, tensor<1xi64>, tensor<2xi64>) -> tensor<?x3xi64>
    ```
  }];
}

def Ingot_RandomGammaGradOp : Ingot_PureOp<"random_gamma_grad", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"RandomGammaGrad">];
  let summary = "The derivative of a gamma distribution's sample by its parameter";
  let description = [{
    TensorFlow's `RandomGammaGrad`: how `sample`, drawn by `random_gamma`, changes
    with `alpha` where the sample's quantile stays the same (implicit
    reparameterization, Figurnov et al. 2018). Operands are broadcast against each
    other.

    Constraints:
    - (random_gamma_grad_c1) the operands have one element type, and their shapes
      can be broadcast against each other.

    ```mlir
    %d = ingot.random_gamma_grad %alpha, %sample : (tensor<3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
    ```
  }];
  let arguments = (ins TensorOf<[F32, F64]>:$alpha, TensorOf<[F32, F64]>:$sample);
  let results = (outs TensorOf<[F32, F64]>:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_AccidentalHitsOp : Ingot_PureOp<"accidental_hits", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [
    TF_Op<"ComputeAccidentalHits", [TF_Implied<"num_true">, TF_Implied<"seed">, TF_Implied<"seed2">],
          ["indices", "ids", "weights"]>];
  let summary = "Positions of true classes among sampled candidates";
  let description = [{
    TensorFlow's `ComputeAccidentalHits`: for each element of `true_classes`, in
    row-major order, that also occurs in `sampled`: the index of its row, the last
    position of its class in `sampled`, and the lowest finite float. Added to this
    candidate's logit, the float excludes the candidate from the row's softmax.

    Constraints:
    - (accidental_hits_c1) `true_classes` is a matrix, `sampled` a vector.

    ```mlir
    %rows, %places, %weights = ingot.accidental_hits %classes, %sampled
        : (tensor<4x1xi64>, tensor<5xi64>) -> (tensor<?xi32>, tensor<?xi64>, tensor<?xf32>)
    ```
  }];
  let arguments = (ins TensorOf<[I64]>:$true_classes, TensorOf<[I64]>:$sampled);
  let results = (outs TensorOf<[I32]>:$rows, TensorOf<[I64]>:$places, TensorOf<[F32]>:$weights);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_RANDOM_TD
