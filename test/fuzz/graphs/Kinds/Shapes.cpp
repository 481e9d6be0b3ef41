//===- Shapes.cpp - What rearranges elements ------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/graphs/Kinds.h"

#include <algorithm>

using namespace ingot::graph;

namespace ingot::fuzz {

static Result inferFlatten(const Values &in, const Numbers &) {
  return in[0].isIds ? Result() : Value{{elementsOf(in[0].shape)}};
}
static Tensor buildFlatten(Build &, const Tensors &in, const Values &values,
                           const Numbers &) {
  return reshape(in[0], Shape{unknown, elementsOf(values[0].shape)});
}

/// Draws the numbers of a reshape that splits the last dimension into two: the
/// size of one of them, a divisor of the dimension.
static Numbers drawSplitDim(Random &random, const Values &in) {
  int64_t last = in[0].shape.empty() ? 1 : in[0].shape.back();
  std::vector<int64_t> divisors;
  for (int64_t size = 1; size <= last; ++size)
    if (last % size == 0)
      divisors.push_back(size);
  return {random.pick(divisors)};
}
static Result inferSplitDim(const Values &in, const Numbers &n) {
  if (in[0].isIds || in[0].shape.empty() || in[0].shape.size() > 3 ||
      in[0].shape.back() % n[0] != 0)
    return {};
  Value value = in[0];
  value.shape.back() = n[0];
  value.shape.push_back(in[0].shape.back() / n[0]);
  return value;
}
static Tensor buildSplitDim(Build &, const Tensors &in, const Values &values,
                            const Numbers &n) {
  return reshape(in[0], withBatch(inferSplitDim(values, n)->shape));
}

static Numbers drawTranspose(Random &random, const Values &in) {
  Numbers order;
  for (int64_t dim = 0; dim < rankOf(in); ++dim)
    order.insert(order.begin() + random.below(dim + 1), dim);
  return order;
}
static Result inferTranspose(const Values &in, const Numbers &n) {
  if (in[0].isIds || n.size() != in[0].shape.size() || n.size() < 2)
    return {};
  Value value = in[0];
  for (size_t dim = 0; dim < n.size(); ++dim)
    value.shape[dim] = in[0].shape[n[dim]];
  return value;
}
static Tensor buildTranspose(Build &, const Tensors &in, const Values &,
                             const Numbers &n) {
  std::vector<int64_t> order = {0};
  for (int64_t dim : n)
    order.push_back(dim + 1);
  return transpose(in[0], order);
}

/// Draws the numbers of a slice: its dimension, first index and stride, and
/// whether it takes a single element.
static Numbers drawSlice(Random &random, const Values &in) {
  int64_t dim = random.below(std::max<int64_t>(1, rankOf(in)));
  int64_t size = in[0].shape.empty() ? 1 : in[0].shape[dim];
  return {dim, random.below(size), 1 + random.below(3), random.oneIn(3),
          random.below(2)};
}
static Result inferSlice(const Values &in, const Numbers &n) {
  if (in[0].isIds || n[0] >= rankOf(in) || n[1] >= in[0].shape[n[0]])
    return {};
  Value value = in[0];
  int64_t rest = in[0].shape[n[0]] - n[1];
  if (n[3])
    value.shape.erase(value.shape.begin() + n[0]);
  else
    value.shape[n[0]] = n[4] ? rest : (rest + n[2] - 1) / n[2];
  return value;
}
static Tensor buildSlice(Build &b, const Tensors &in, const Values &values,
                         const Numbers &n) {
  size_t rank = values[0].shape.size() + 1;
  if (n[4] && !n[3]) {
    std::vector<int64_t> begin(rank, 0), size(rank, -1);
    begin[n[0] + 1] = n[1];
    return slice(in[0], begin, size);
  }
  std::vector<int32_t> begin(rank, 0), end(rank, 0), strides(rank, 1);
  int64_t dim = n[0] + 1, all = (int64_t(1) << rank) - 1;
  begin[dim] = static_cast<int32_t>(n[1]);
  end[dim] = static_cast<int32_t>(n[1] + 1);
  strides[dim] = n[3] ? 1 : static_cast<int32_t>(n[2]);
  int64_t others = all & ~(int64_t(1) << dim);
  return b.graph.create(
      "strided_slice", {in[0], ints(b, begin), ints(b, end), ints(b, strides)},
      {{"begin_mask", others},
       {"end_mask", n[3] ? others : all},
       {"shrink_axis_mask", n[3] ? int64_t(1) << dim : int64_t(0)}});
}

static Numbers drawConcat(Random &random, const Values &in) {
  return {random.below(std::max<int64_t>(1, rankOf(in)))};
}
static Result inferConcat(const Values &in, const Numbers &n) {
  if (in[0].isIds || in[1].isIds || in[0].shape.size() != in[1].shape.size() ||
      n[0] >= rankOf(in))
    return {};
  Value value = in[0];
  for (size_t dim = 0; dim < value.shape.size(); ++dim)
    if (static_cast<int64_t>(dim) == n[0])
      value.shape[dim] += in[1].shape[dim];
    else if (value.shape[dim] != in[1].shape[dim])
      return {};
  return value;
}
static Tensor buildConcat(Build &, const Tensors &in, const Values &,
                          const Numbers &n) {
  return concat({in[0], in[1]}, n[0] + 1);
}

static Numbers drawPad(Random &random, const Values &in) {
  return {random.below(std::max<int64_t>(1, rankOf(in))), random.below(3),
          random.below(3)};
}
static Result inferPad(const Values &in, const Numbers &n) {
  if (in[0].isIds || n[0] >= rankOf(in))
    return {};
  Value value = in[0];
  value.shape[n[0]] += n[1] + n[2];
  return value;
}
static Tensor buildPad(Build &b, const Tensors &in, const Values &values,
                       const Numbers &n) {
  int64_t rank = static_cast<int64_t>(values[0].shape.size()) + 1;
  std::vector<int32_t> paddings(2 * rank, 0);
  paddings[2 * (n[0] + 1)] = static_cast<int32_t>(n[1]);
  paddings[2 * (n[0] + 1) + 1] = static_cast<int32_t>(n[2]);
  return b.graph.create("pad",
                        {in[0], b.graph.constant(Array(paddings, {rank, 2})),
                         scalarLike(in[0], 0.25)});
}

static Numbers drawAxis(Random &random, const Values &in) {
  return {random.below(std::max<int64_t>(1, rankOf(in))), random.below(4)};
}
static Result inferAxis(const Values &in, const Numbers &n) {
  return in[0].isIds || n[0] >= rankOf(in) ? Result() : in[0];
}
static Tensor buildReverse(Build &b, const Tensors &in, const Values &,
                           const Numbers &n) {
  if (n[1] < 2)
    return b.graph.create("reverse",
                          {in[0], ints(b, {static_cast<int32_t>(n[0] + 1)})});
  return b.graph.create("roll", {in[0], ints(b, {static_cast<int32_t>(n[1])}),
                                 ints(b, {static_cast<int32_t>(n[0] + 1)})});
}
static Result inferTile(const Values &in, const Numbers &n) {
  if (in[0].isIds || n[0] >= rankOf(in))
    return {};
  Value value = in[0];
  value.shape[n[0]] *= 1 + n[1] % 3;
  return value;
}
static Tensor buildTile(Build &b, const Tensors &in, const Values &values,
                        const Numbers &n) {
  std::vector<int32_t> multiples(values[0].shape.size() + 1, 1);
  multiples[n[0] + 1] = static_cast<int32_t>(1 + n[1] % 3);
  return b.graph.create("tile", {in[0], ints(b, multiples)});
}

std::vector<Kind> shapeKinds() {
  return {
      {"flatten", 1, 2, noNumbers, inferFlatten, buildFlatten},
      {"split_dim", 1, 2, drawSplitDim, inferSplitDim, buildSplitDim},
      {"transpose", 1, 2, drawTranspose, inferTranspose, buildTranspose},
      {"slice", 1, 3, drawSlice, inferSlice, buildSlice},
      {"concat", 2, 3, drawConcat, inferConcat, buildConcat},
      {"pad", 1, 2, drawPad, inferPad, buildPad},
      {"reverse", 1, 3, drawAxis, inferAxis, buildReverse},
      {"tile", 1, 1, drawAxis, inferTile, buildTile},
  };
}

} // namespace ingot::fuzz
