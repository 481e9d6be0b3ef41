//===- RandomNumbers.cpp - Dropouts and noise -----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/graphs/Kinds.h"

using namespace ingot::graph;

namespace ingot::fuzz {

/// Draws the numbers of a node "dropout" or "noise": a rate in tenths, and one
/// of few seeds, so that several nodes of a graph draw equal numbers.
static Numbers drawDropout(Random &random, const Values &) {
  return {1 + random.below(6), random.below(5)};
}
static Tensor buildDropout(Build &b, const Tensors &in, const Values &,
                           const Numbers &n) {
  double rate = static_cast<double>(n[0]) / 10;
  if (n[1] == 4)
    return layers::dropout(in[0], rate, /*training=*/true);
  Tensor keeps = greaterEqual(b.draw(in[0], n[1]), scalarLike(in[0], rate));
  return select(keeps, in[0] * (1 / (1 - rate)), scalarLike(in[0], 0));
}
static Tensor buildNoise(Build &b, const Tensors &in, const Values &,
                         const Numbers &n) {
  return in[0] + b.draw(in[0], n[1]) * (static_cast<double>(n[0]) / 20);
}

/// Draws the numbers of a node with a chain of random draws. The first says how
/// the final result is used. For each draw follow its seed, how it is used, and
/// bits for the dimensions along which its numbers differ (-1: all).
static Numbers drawDraws(Random &random, const Values &in) {
  Numbers numbers = {random.below(4)};
  for (int64_t count = 2 + random.below(4); count > 0; --count)
    numbers.insert(
        numbers.end(),
        {random.below(5), random.below(5),
         random.oneIn(2) ? -1 : random.below(int64_t(2) << rankOf(in))});
  return numbers;
}
static Tensor drawShaped(Build &b, Tensor like, const Sizes &shape,
                         int64_t seed, int64_t dims) {
  if (dims < 0)
    return b.draw(like, seed);
  // Along a dimension without a bit in `dims`, the drawn tensor has size 1, so
  // its numbers are broadcast, as with `noise_shape` of tf.nn.dropout.
  Tensor full = shapeOf(like);
  std::vector<int32_t> kept;
  for (size_t dim = 0; dim <= shape.size(); ++dim)
    kept.push_back(dims >> dim & 1);
  Tensor wanted = select(equal(ints(b, kept), b.graph.scalar(1, DType::Int32)),
                         full, onesLike(full));
  return b.drawOf(wanted, b.graph.globalStep(), seed);
}
static Tensor useDraw(Tensor x, Tensor draw, int64_t how) {
  switch (how) {
  case 0:
    return x + draw * 0.1;
  case 1:
    return x * (draw + 0.5);
  case 2:
    return x - square(draw) * 0.2;
  case 3:
    return x * cast(greaterEqual(draw, scalarLike(draw, 0.3)), x.dtype());
  default:
    return maximum(x, draw - 0.7);
  }
}
static Tensor buildDraws(Build &b, const Tensors &in, const Values &values,
                         const Numbers &n) {
  const Sizes &shape = values[0].shape;
  Tensor x = in[0];
  for (size_t at = 1; at + 2 < n.size(); at += 3)
    x = useDraw(x, drawShaped(b, in[0], shape, n[at], n[at + 2]), n[at + 1]);
  if (shape.empty() || n[0] < 2)
    return x;
  int64_t depth = shape.back();
  if (n[0] == 2)
    return x - mean(x, {-1}, /*keepDims=*/true);
  Tensor kernel = b.variable("kernel", {depth, depth}, 2.0 / (depth + 2));
  return reshape(matmul(reshape(x, Shape{unknown, depth}), kernel),
                 withBatch(shape));
}

std::vector<Kind> randomKinds() {
  return {
      {"dropout", 1, 10, drawDropout, sameShape, buildDropout},
      {"noise", 1, 5, drawDropout, sameShape, buildNoise},
      {"draws", 1, 6, drawDraws, sameShape, buildDraws},
  };
}

} // namespace ingot::fuzz
