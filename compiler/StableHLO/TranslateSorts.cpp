//===- TranslateSorts.cpp - sort and top_k --------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// By TopK on integers that order as the elements do: TopK takes the first of
// equals.
//
//===----------------------------------------------------------------------===//

#include "compiler/StableHLO/EvaluateRegion.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;

namespace ingot::stablehlo {

static Tensor places(GraphBuilder &b, const Tensor &keys, int64_t count) {
  Sizes shape = keys->shape;
  shape.back() = count;
  TensorType values{keys->type, shape, ""};
  TensorType indices{proto::DT_INT32, shape, ""};
  return b.add("TopKV2", {keys, b.scalar(count, proto::DT_INT32)},
               {values, indices}, {{"sorted", exporter::boolean(true)}})[1];
}

// The order that puts `axis` last.
static Sizes lastAxis(size_t rank, int64_t axis) {
  Sizes order;
  for (size_t one = 0; one < rank; ++one)
    if (static_cast<int64_t>(one) != axis)
      order.push_back(static_cast<int64_t>(one));
  order.push_back(axis);
  return order;
}

static Sizes inverse(ArrayRef<int64_t> order) {
  Sizes back(order.size());
  for (auto [place, axis] : enumerate(order))
    back[axis] = static_cast<int64_t>(place);
  return back;
}

namespace {
struct Order {
  bool isKnown = false, ascends = true;
  /// Whether floats are in the total order: -0 before 0, -NaN first.
  bool isTotal = false;
};
} // namespace

// Runs a comparator on pairs of tuples, and returns in which order it sorts
// them if it compares the first `keys` operands one after another: ascending or
// descending, by value or in the total order. Others must not matter.
static Order orderOf(const Translation &t, const Block &block, size_t count,
                     size_t keys) {
  std::vector<SmallVector<double>> samples(count, {0, 1});
  size_t total = 2;
  for (size_t i = 0; i < count; ++i) {
    proto::DataType type = t.typeOf(block.arguments[2 * i]).element;
    if (i < keys && type != proto::DT_BOOL)
      samples[i].push_back(2);
    if (i < keys && (isFloat(type) || isSigned(type)))
      samples[i].push_back(-1);
    if (i < keys && isFloat(type))
      samples[i].append({-0.0, INFINITY, -INFINITY});
    total *= samples[i].size() * samples[i].size();
    if (total > 1 << 20)
      return {};
  }
  bool ascends = true, descends = true, ascendsTotally = true,
       descendsTotally = true;
  for (size_t number = 0; number < total / 2; ++number) {
    SmallVector<double> arguments;
    size_t rest = number;
    int order = 0, totalOrder = 0;
    for (size_t i = 0; i < count; ++i) {
      for (int side = 0; side < 2; ++side) {
        arguments.push_back(samples[i][rest % samples[i].size()]);
        rest /= samples[i].size();
      }
      double one = arguments[2 * i], other = arguments[2 * i + 1];
      if (i >= keys)
        continue;
      order = order ? order : one < other ? -1 : one > other;
      if (!totalOrder)
        totalOrder = compareTotally(one, other);
    }
    auto found = evaluate(t, block, arguments);
    if (!found || found->size() != 1)
      return {};
    bool isFirst = (*found)[0] != 0;
    ascends &= isFirst == (order < 0);
    descends &= isFirst == (order > 0);
    ascendsTotally &= isFirst == (totalOrder < 0);
    descendsTotally &= isFirst == (totalOrder > 0);
  }
  bool byValue = ascends || descends;
  return {byValue || ascendsTotally || descendsTotally,
          byValue ? ascends : ascendsTotally, !byValue};
}

static Tensors sort(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  if (x.empty() || op.regions.size() != 1 ||
      op.regions[0]->arguments.size() != 2 * x.size() || !x[0]->rank())
    return {};
  size_t rank = x[0]->rank();
  int64_t axis = t.integer(op, "dimension").value_or(-1);
  if (axis < 0)
    axis += static_cast<int64_t>(rank);
  for (const Tensor &one : x)
    if (one->shape != x[0]->shape)
      return {};
  if (!areAxes({axis}, rank))
    return {};
  if (x[0]->shape[axis] <= 1)
    return Tensors(x);
  Order order;
  size_t keys = 0;
  while (!order.isKnown && keys < x.size())
    order = orderOf(t, *op.regions[0], x.size(), ++keys);
  if (!order.isKnown)
    return t.refuse("its comparator does not compare its first operands, "
                    "ascending or descending");
  Sizes turn = lastAxis(rank, axis), back = inverse(turn);
  int64_t last = static_cast<int64_t>(rank) - 1;
  auto keyOf = [&](size_t index) {
    Tensor turned = b.transpose(x[index], turn);
    Tensor key = order.isTotal && isFloat(turned->type) ? orderedBits(b, turned)
                                                        : sortKeys(b, turned);
    return order.ascends ? b.pointwise("Invert", key) : key;
  };
  // By the last key first: each sort is stable.
  int64_t size = x[0]->shape[axis];
  Tensor at = places(b, keyOf(--keys), size);
  while (keys > 0)
    at = b.gather(at, places(b, b.gather(keyOf(--keys), at, last, last), size),
                  last, last);
  Tensors sorted;
  for (const Tensor &one : x)
    sorted.push_back(
        b.transpose(b.gather(b.transpose(one, turn), at, last, last), back));
  return sorted;
}

// The k largest of each row in the total order, and where they are.
static Tensors topK(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  auto k = t.integer(op, "k");
  if (!k || !x[0]->rank() || *k < 0 || *k > x[0]->shape.back())
    return {};
  int64_t last = static_cast<int64_t>(x[0]->rank()) - 1;
  Tensor keys = isFloat(x[0]->type) ? orderedBits(b, x[0]) : sortKeys(b, x[0]);
  Tensor at = places(b, keys, *k);
  return {b.gather(x[0], at, last, last), at};
}

void addSortOps(OpTable &table) {
  table["stablehlo.sort"] = {sort, -1, -1};
  table["chlo.top_k"] = {topK, 1, 2};
}

} // namespace ingot::stablehlo
