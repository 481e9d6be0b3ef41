//===- Reductions.cpp - Sums, softmax, attention --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/graphs/Kinds.h"

#include <algorithm>

using namespace ingot::graph;

namespace ingot::fuzz {

/// Draws the numbers of a reduction: its axes as bits, its function, and
/// whether the reduced dimensions are dropped, kept with size 1, or broadcast
/// and subtracted from the input.
static Numbers drawReduce(Random &random, const Values &in) {
  return {
      1 + random.below(std::max<int64_t>(1, (int64_t(1) << rankOf(in)) - 1)),
      random.below(5), random.below(3)};
}
static Axes axesOf(int64_t bits) {
  Axes axes;
  for (int64_t dim = 0; bits >> dim; ++dim)
    if (bits >> dim & 1)
      axes.push_back(dim + 1);
  return axes;
}
static Result inferReduce(const Values &in, const Numbers &n) {
  if (in[0].isIds || n[0] >> rankOf(in))
    return {};
  if (n[2] == 2)
    return in[0];
  Value value;
  for (int64_t dim = 0; dim < rankOf(in); ++dim)
    if (!(n[0] >> dim & 1))
      value.shape.push_back(in[0].shape[dim]);
    else if (n[2] == 1)
      value.shape.push_back(1);
  return value;
}
static Tensor buildReduce(Build &, const Tensors &in, const Values &,
                          const Numbers &n) {
  Axes axes = axesOf(n[0]);
  bool keeps = n[2] != 0;
  Tensor x = in[0], reduced;
  switch (n[1]) {
  case 0:
    reduced = tanh(sum(x, axes, keeps));
    break;
  case 1:
    reduced = mean(x, axes, keeps);
    break;
  case 2:
    reduced = max(x, axes, keeps);
    break;
  case 3:
    reduced = min(x, axes, keeps);
    break;
  default:
    reduced = sqrt(mean(square(x), axes, keeps) + 0.01);
  }
  return n[2] == 2 ? x - reduced : reduced;
}

/// Draws the numbers of a sum with ops that are fused into it: the type in
/// which it is computed, the number of columns of a gather (0: no gather),
/// whether there is a factor per column, and the reduced dimensions. Fusing
/// these ops must not change the order of the additions.
static Numbers drawFusedSum(Random &random, const Values &) {
  return {random.below(4), random.pick<int64_t>({0, 0, 20, 33, 48, 70}),
          random.below(2), random.below(3)};
}
static Tensor buildFusedSum(Build &b, const Tensors &in, const Values &values,
                            const Numbers &n) {
  auto last = static_cast<int64_t>(values[0].shape.size());
  int64_t columns = values[0].shape.back();
  Tensor x = withStaticSizes(in[0], values[0].shape);
  if (n[1] != 0) {
    std::vector<int32_t> indices;
    for (int64_t i = 0; i < n[1]; ++i)
      indices.push_back(static_cast<int32_t>((7 * i + 3) % columns));
    x = gather(x, ints(b, indices), last);
    columns = n[1];
  }
  if (n[0] == 1)
    x = cast(x, DType::Float64);
  else if (n[0] == 2)
    x = cast(cast(x * 8.0, DType::Int64), DType::Float32) * x;
  else if (n[0] == 3)
    x = cast(cast(x, DType::Float16), DType::Float32);
  if (n[2] != 0) {
    Tensor factor = b.variable("factor", {columns}, 0.3, 1);
    x = x * (n[0] == 1 ? cast(factor, DType::Float64) : factor);
  }
  Axes axes;
  for (int64_t axis = n[3] == 0 ? last : 2 - n[3]; axis <= last; ++axis)
    axes.push_back(axis);
  Tensor total = sum(x, axes, /*keepDims=*/true);
  if (n[0] == 1)
    total = cast(total, DType::Float32);
  return in[0] + tanh(total * 0.1) * 0.1;
}

static Numbers drawChoice(Random &random, const Values &) {
  return {random.below(2)};
}
static Tensor buildSoftmax(Build &, const Tensors &in, const Values &,
                           const Numbers &n) {
  return n[0] % 2 ? logSoftmax(in[0]) * 0.2 : softmax(in[0]);
}

static Numbers drawAttention(Random &random, const Values &) {
  return {random.pick<int64_t>({1, 2, 4, 5, 8, 16}), random.below(2)};
}
static Result inferAttention(const Values &in, const Numbers &n) {
  if (in[0].isIds || in[0].shape.size() != 2)
    return {};
  return Value{{in[0].shape[0], n[0]}};
}
/// Builds self-attention over a sequence. `n[1]` says whether values have a
/// projection of their own or are the keys.
static Tensor buildAttention(Build &b, const Tensors &in, const Values &values,
                             const Numbers &n) {
  int64_t length = values[0].shape[0], depth = values[0].shape[1];
  auto project = [&](const std::string &name) {
    Tensor kernel =
        b.variable(name, {depth, n[0]}, 1 / std::max(1.0, depth / 4.0));
    Tensor rows = reshape(in[0], Shape{unknown, depth});
    return reshape(matmul(rows, kernel), Shape{unknown, length, n[0]});
  };
  Tensor query = project("query"), key = project("key");
  Tensor scores =
      b.graph.create("batch_matmul", {query, key}, {{"adj_y", true}});
  Tensor weights = softmax(scores * 0.5);
  return b.graph.create("batch_matmul",
                        {weights, n[1] ? project("value") : key});
}

static Result inferGram(const Values &in, const Numbers &) {
  if (in[0].isIds || in[0].shape.size() != 2)
    return {};
  return Value{{in[0].shape[1], in[0].shape[1]}};
}
static Tensor buildGram(Build &b, const Tensors &in, const Values &values,
                        const Numbers &) {
  Tensor x = tanh(in[0]);
  return b.graph.create("batch_matmul", {x, x}, {{"adj_x", true}}) *
         (1.0 / static_cast<double>(values[0].shape[0]));
}

/// Draws the numbers of a cumulative sum: its axis, and bits that say whether
/// it is exclusive and whether it is reversed.
static Numbers drawCumulative(Random &random, const Values &in) {
  return {random.below(std::max<int64_t>(1, rankOf(in))), random.below(4)};
}
static Result inferCumulative(const Values &in, const Numbers &n) {
  return in[0].isIds || n[0] >= rankOf(in) ? Result() : in[0];
}
static Tensor buildCumulative(Build &b, const Tensors &in, const Values &,
                              const Numbers &n) {
  Tensor axis = b.graph.scalar(static_cast<double>(n[0] + 1), DType::Int32);
  return tanh(b.graph.create("cumulative", {in[0], axis},
                             {{"kind", std::string("sum")},
                              {"exclusive", n[1] % 2 == 1},
                              {"reverse", n[1] / 2 == 1}}));
}

/// Draws the numbers of a node that multiplies each example by a weight of its
/// own. The weights are a vector over the batch, a shape that other kinds
/// seldom have.
static Numbers drawPerExample(Random &random, const Values &) {
  return {random.below(numActivations), random.below(5), random.below(2)};
}
static Tensor buildPerExample(Build &b, const Tensors &in, const Values &values,
                              const Numbers &n) {
  Tensor x = in[0];
  Axes axes = axesOf((int64_t(1) << rankOf(values)) - 1);
  Tensor weight = activate(mean(x, axes), n[0]);
  if (n[2])
    weight = weight * (b.draw(weight, n[1]) + 0.5) - 0.25;
  weight = tanh(weight) + 1.0;
  return x * reshape(weight, withBatch(Sizes(values[0].shape.size(), 1)));
}

std::vector<Kind> reductionKinds() {
  return {
      {"reduce", 1, 4, drawReduce, inferReduce, buildReduce},
      {"fused_sum", 1, 4, drawFusedSum, inferNorm, buildFusedSum},
      {"softmax", 1, 2, drawChoice, inferNorm, buildSoftmax},
      {"attention", 1, 3, drawAttention, inferAttention, buildAttention},
      {"per_example", 1, 3, drawPerExample, inferNorm, buildPerExample},
      {"gram", 1, 1, noNumbers, inferGram, buildGram},
      {"cumulative", 1, 1, drawCumulative, inferCumulative, buildCumulative},
  };
}

} // namespace ingot::fuzz
