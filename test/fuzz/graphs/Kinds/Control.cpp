//===- Control.cpp - Branches, loops, and state that a step updates -------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/graphs/Kinds.h"

using namespace ingot::graph;

namespace ingot::fuzz {

static Tensor stop(Build &b, Tensor x) {
  return b.graph.create("stop_gradient", {x});
}

static Tensor isOdd(Build &b, Tensor step) {
  Tensor two = scalarLike(step, 2);
  return equal(b.graph.create("floor_mod", {step, two}), scalarLike(step, 1));
}

//===----------------------------------------------------------------------===//
// Branches (kind "branch")
//===----------------------------------------------------------------------===//

/// Draws the numbers of a node "branch": whether its condition depends on the
/// step, on the values or on a random number, what its first branch computes,
/// and a seed.
static Numbers drawBranch(Random &random, const Values &) {
  return {random.below(3), random.below(3), random.below(5)};
}
static Tensor buildBranch(Build &b, const Tensors &in, const Values &values,
                          const Numbers &n) {
  Tensor x = in[0], step = b.graph.globalStep().read();
  Tensor w = b.variable("w", {values[0].shape.back()}, 0.5, 0.5);
  Tensor wanted;
  if (n[0] == 0)
    wanted = isOdd(b, step);
  else if (n[0] == 1)
    wanted = greater(mean(x), b.graph.scalar(0.01));
  else
    wanted = less(b.drawOf(ints(b, {}), step, n[2]), b.graph.scalar(0.5));
  auto first = [&] {
    if (n[1] == 0)
      return Tensors{tanh(x * w)};
    if (n[1] == 1)
      return Tensors{x - mean(x * w, {-1}, /*keepDims=*/true)};
    return Tensors{x * b.drawOf(shapeOf(x), step, n[2] + 1) + w};
  };
  Tensors results = cond(wanted, first, [&] { return Tensors{x + w * 0.3}; });
  return results.empty() ? Tensor() : results[0];
}

//===----------------------------------------------------------------------===//
// Loops (kind "loop")
//===----------------------------------------------------------------------===//

/// Draws the numbers of a node "loop": its number of iterations, whether the
/// values may end it earlier, and whether each iteration draws random numbers.
static Numbers drawLoop(Random &random, const Values &) {
  return {random.below(5), random.below(2), random.below(2)};
}
/// Builds a loop that applies a small recurrent cell to the rows of the input
/// again and again. No gradient flows through the loop; the input is added to
/// its result, so that nodes before it still receive gradients.
static Tensor buildLoop(Build &b, const Tensors &in, const Values &values,
                        const Numbers &n) {
  const Sizes &shape = values[0].shape;
  int64_t depth = shape.back();
  Tensor x = stop(b, reshape(in[0], Shape{unknown, depth}));
  Tensor w =
      b.variable("w", {depth, depth}, 2.0 / (static_cast<double>(depth) + 2));
  Tensor limit = b.graph.scalar(static_cast<double>(n[0]), DType::Int64);
  auto test = [&](const Tensors &now) {
    Tensor goesOn = less(now[0], limit);
    return n[1] ? logicalAnd(goesOn,
                             less(mean(abs(now[1])), b.graph.scalar(0.35)))
                : goesOn;
  };
  auto body = [&](const Tensors &now) {
    Tensor next = tanh(matmul(now[1], w) + x * 0.5);
    if (n[2])
      next = next * b.drawOf(shapeOf(next), now[0], 3) + x * 0.1;
    return Tensors{now[0] + scalarLike(now[0], 1), next};
  };
  Tensors last = whileLoop({b.graph.scalar(0, DType::Int64), x}, test, body);
  if (last.empty())
    return {};
  Tensor result = reshape(stop(b, last[1]), withBatch(shape));
  return in[0] * (cast(last[0], DType::Float32) * 0.1 + 1.0) + result * 0.5;
}

//===----------------------------------------------------------------------===//
// Variables that the graph itself updates (kind "moving")
//===----------------------------------------------------------------------===//

/// Draws the numbers of a node "moving": bits that say whether the values read
/// before and after the update are used, and whether there is a second update.
static Numbers drawMoving(Random &random, const Values &) {
  return {1 + random.below(3), random.below(2)};
}
/// Builds a moving average of the input, a variable that is read before and
/// after its update, to test that reads and writes keep their order.
static Tensor buildMoving(Build &b, const Tensors &in, const Values &values,
                          const Numbers &n) {
  Axes axes;
  for (size_t dim = 0; dim < values[0].shape.size(); ++dim)
    axes.push_back(static_cast<int64_t>(dim));
  Variable average = b.state("average", {values[0].shape.back()}, 0.2, 0);
  Tensor before = average.read();
  Tensor moved = before * 0.8 + mean(stop(b, in[0]), axes) * 0.2;
  average.assign(moved);
  if (n[1])
    average.assign(average.read() * 0.5 + before);
  Tensor after = average.read(), y = in[0];
  if (n[0] & 1)
    y = y - before;
  if (n[0] & 2)
    y = y * (after + 1.0);
  return y;
}

std::vector<Kind> controlKinds() {
  return {
      {"branch", 1, 3, drawBranch, inferNorm, buildBranch},
      {"loop", 1, 2, drawLoop, inferNorm, buildLoop},
      {"moving", 1, 2, drawMoving, inferNorm, buildMoving},
  };
}

} // namespace ingot::fuzz
