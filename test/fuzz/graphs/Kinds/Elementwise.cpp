//===- Elementwise.cpp - What is computed one element at a time -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/graphs/Kinds.h"

using namespace ingot::graph;

namespace ingot::fuzz {

Tensor activate(Tensor x, int64_t which) {
  switch (which) {
  case 0:
    return x;
  case 1:
    return relu(x);
  case 2:
    return tanh(x);
  case 3:
    return sigmoid(x);
  case 4:
    return elu(x);
  case 5:
    return softplus(x);
  case 6:
    return leakyRelu(x);
  case 7:
    return selu(x);
  case 8:
    return relu6(x);
  case 9:
    return abs(x);
  case 10:
    return square(tanh(x));
  case 11:
    return exp(minimum(x, scalarLike(x, 1)));
  case 12:
    return log1p(abs(x));
  case 13:
    return sqrt(abs(x) + 0.5);
  case 14:
    return rsqrt(square(x) + 1.0);
  default:
    return x * sigmoid(x);
  }
}

static Numbers drawActivation(Random &random, const Values &) {
  return {1 + random.below(numActivations - 1)};
}
static Tensor buildActivation(Build &, const Tensors &in, const Values &,
                              const Numbers &n) {
  return activate(in[0], n[0]);
}

static Numbers drawBinary(Random &random, const Values &) {
  return {random.below(9)};
}
static Result inferBinary(const Values &in, const Numbers &) {
  return in[0] == in[1] && !in[0].isIds ? in[0] : Result();
}
/// Returns the result of one of several binary functions, chosen by `which`.
/// All are bounded, or linear in each operand, so that values do not overflow
/// in deep graphs.
static Tensor combine(Tensor a, Tensor c, int64_t which) {
  switch (which) {
  case 0:
    return a + c;
  case 1:
    return a - c;
  case 2:
    return a * tanh(c);
  case 3:
    return maximum(a, c);
  case 4:
    return minimum(a, c);
  case 5:
    return squaredDifference(tanh(a), tanh(c));
  case 6:
    return a / (abs(c) + 1.0);
  case 7:
    return select(greater(a, c), a, c * 0.5);
  default:
    return select(less(a, scalarLike(a, 0)), tanh(c), a);
  }
}
static Tensor buildBinary(Build &, const Tensors &in, const Values &,
                          const Numbers &n) {
  return combine(in[0], in[1], n[0]);
}

/// Draws the numbers of a node that combines its input with a variable: bits
/// for the dimensions that the variable has (it is broadcast along the others),
/// the binary function, and whether the variable is shared with other nodes.
static Numbers drawScale(Random &random, const Values &in) {
  return {random.below(int64_t(1) << rankOf(in)), random.below(9),
          random.oneIn(3) ? 1 : 0};
}
static Tensor buildScale(Build &b, const Tensors &in, const Values &values,
                         const Numbers &n) {
  Sizes shape = values[0].shape;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (!(n[0] >> dim & 1))
      shape[dim] = 1;
  Tensor variable = b.variable("scale", shape, 0.5, 0.7, n[2]);
  // The shape of `variable` has no batch dimension, because broadcasting aligns
  // trailing dimensions.
  return combine(in[0], variable, n[1] % 7);
}

static Numbers drawCast(Random &random, const Values &) {
  return {random.below(5), random.below(3)};
}
static Tensor buildCast(Build &b, const Tensors &in, const Values &,
                        const Numbers &n) {
  // Convert random numbers to integers, not computed values: if a computed
  // value is close to an integer, different rounding of a sum could change its
  // conversion by 1, a difference that is no fault.
  if (n[0] >= 3) {
    Tensor whole =
        cast(b.draw(in[0], n[1]) * 5.0, n[0] == 3 ? DType::Int32 : DType::Int8);
    return in[0] + cast(whole, DType::Float32) * 0.1;
  }
  constexpr DType types[] = {DType::BFloat16, DType::Float16, DType::Float64};
  Tensor x = cast(tanh(in[0]), types[n[0]]);
  x = n[1] == 0 ? x * scalarLike(x, 0.5) : n[1] == 1 ? square(x) : x + x;
  return cast(x, DType::Float32);
}

static Tensor buildStop(Build &b, const Tensors &in, const Values &,
                        const Numbers &) {
  return b.graph.create("stop_gradient", {in[0]});
}

static Numbers drawClip(Random &random, const Values &) {
  return {1 + random.below(20), random.below(3)};
}
static Tensor buildClip(Build &, const Tensors &in, const Values &,
                        const Numbers &n) {
  Tensor x = in[0];
  double bound = static_cast<double>(n[0]) / 10;
  switch (n[1]) {
  case 0:
    return minimum(maximum(x, scalarLike(x, -bound)), scalarLike(x, bound));
  case 1: // per example, as tf.clip_by_norm
    return x * (bound / maximum(sqrt(sum(square(x), {-1}, true) + 1e-3),
                                scalarLike(x, bound)));
  default:
    return divNoNan(x, sum(abs(x), {-1}, true)) * bound;
  }
}

std::vector<Kind> elementwiseKinds() {
  return {
      {"activation", 1, 4, drawActivation, sameShape, buildActivation},
      {"binary", 2, 6, drawBinary, inferBinary, buildBinary},
      {"scale", 1, 4, drawScale, sameShape, buildScale},
      {"cast", 1, 2, drawCast, sameShape, buildCast},
      {"clip", 1, 2, drawClip, inferNorm, buildClip},
      {"stop", 1, 1, noNumbers, sameShape, buildStop},
  };
}

} // namespace ingot::fuzz
