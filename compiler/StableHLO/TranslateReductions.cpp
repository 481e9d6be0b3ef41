//===- TranslateReductions.cpp - Reductions along axes --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/EvaluateRegion.h"
#include "compiler/StableHLO/Translation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace llvm;

namespace ingot::stablehlo {

StringRef combinerOf(const Block &block) {
  if (block.arguments.size() != 2 || block.returned.size() != 1)
    return "";
  unsigned first = block.arguments[0], second = block.arguments[1];
  if (block.ops.empty())
    return block.returned[0] == second ? "second" : "";
  const Op &op = block.ops.front();
  bool isWhole = block.ops.size() == 1 && op.operands.size() == 2 &&
                 op.results.size() == 1 && block.returned == op.results;
  bool takesBoth = isWhole && is_contained(op.operands, first) &&
                   is_contained(op.operands, second);
  StringRef name = op.name;
  return takesBoth && name.consume_front("stablehlo.") ? name : "";
}

// The op of TensorFlow that reduces by a combiner; "" if there is none.
static StringRef reductionOf(StringRef combiner, bool isBool) {
  return StringSwitch<StringRef>(combiner)
      .Case("add", isBool ? "Any" : "Sum")
      .Case("multiply", isBool ? "All" : "Prod")
      .Case("maximum", isBool ? "Any" : "Max")
      .Case("minimum", isBool ? "All" : "Min")
      .Case("or", isBool ? "Any" : "")
      .Case("and", isBool ? "All" : "")
      .Default("");
}

// Whether `x` is a constant all of whose bytes are those of `value`.
static bool isConstant(const Tensor &x, const Tensor &value) {
  const auto &one = thinOf(x)->constant, &other = value->constant;
  if (!one || !other || one->bytes.empty())
    return false;
  return StringRef(one->bytes).take_front(other->bytes.size()) ==
             other->bytes &&
         (one->isSplat || one->bytes.size() == other->bytes.size());
}

// Combines the result with the initial value, unless that changes nothing.
static Tensor withInitial(GraphBuilder &b, StringRef combiner, const Tensor &x,
                          const Tensor &initial) {
  bool isBool = x->type == proto::DT_BOOL;
  Tensor first = b.broadcast(initial, x->shape);
  if (combiner == "maximum" || combiner == "minimum")
    return isConstant(initial, limit(b, x->type, combiner == "maximum"))
               ? x
               : extreme(b, x, first, combiner == "maximum");
  bool isOne = combiner == "multiply" || combiner == "and";
  if (isConstant(initial, b.scalar(isOne, x->type)) ||
      (isFloat(x->type) && !isOne && isConstant(initial, b.like(-0.0, x))))
    return x;
  StringRef op =
      isBool ? (isOne ? "LogicalAnd" : "LogicalOr") : (isOne ? "Mul" : "AddV2");
  return b.pointwise(op, {x, first});
}

// Whether a region keeps of two values and their places the larger one, or the
// smaller, and of equals the first: what an argmax is. Returns "GT", "LT", or
// "" for everything else. The region is run on pairs of numbers, for front ends
// write it in many ways.
static StringRef argExtreme(Translation &t, const Block &block) {
  if (block.arguments.size() != 4)
    return "";
  bool takesFloats = isFloat(t.typeOf(block.arguments[0]).element);
  SmallVector<double> samples = {-2, 0, 1};
  if (takesFloats)
    samples.append({INFINITY, -INFINITY, std::nan("")});
  for (bool isLargest : {true, false}) {
    bool isIt = true;
    for (double one : samples)
      for (double other : samples)
        for (double place : {0, 1}) {
          // Of two NaNs the one that is seen first stays, which is the first.
          if (std::isnan(one) && std::isnan(other))
            continue;
          auto found = evaluate(t, block, {one, place, other, 1 - place});
          if (!found)
            return "";
          bool takesOne = one == other
                              ? place == 0
                              : std::isnan(one) ||
                                    (!std::isnan(other) &&
                                     (isLargest ? one > other : one < other));
          double value = takesOne ? one : other;
          bool isSame = (*found)[0] == value ||
                        (std::isnan((*found)[0]) && std::isnan(value));
          isIt &= isSame && (*found)[1] == (takesOne ? place : 1 - place);
        }
    if (isIt)
      return isLargest ? "GT" : "LT";
  }
  return "";
}

// Whether a reduction is that of values and their places along an axis.
static bool isArgReduction(Translation &t, const Op &op, ArrayRef<Tensor> x,
                           ArrayRef<int64_t> axes) {
  if (axes.size() != 1 || x[1]->shape != x[0]->shape ||
      x[0]->shape[axes[0]] < 1)
    return false;
  const Tensor &place = thinOf(x[1]);
  return place->isRange && place->rank() == x[0]->rank() &&
         place->shape[axes[0]] == place->size() &&
         !argExtreme(t, *op.regions[0]).empty();
}

static Tensors argReduce(Translation &t, const Op &op, ArrayRef<Tensor> x,
                         ArrayRef<int64_t> axes) {
  GraphBuilder &b = t.builder();
  StringRef direction = argExtreme(t, *op.regions[0]);
  int64_t axis = axes[0];
  bool isLargest = direction == "GT";
  Tensor values =
      x[0]->type == proto::DT_BOOL ? b.cast(x[0], proto::DT_INT32) : x[0];
  Sizes shape = t.resultOf(op).shape;
  auto first = [&](StringRef name, const Tensor &from) {
    return b.node(name, {from, b.scalar(axis, proto::DT_INT32)},
                  proto::DT_INT32, shape,
                  {{"output_type", exporter::type(proto::DT_INT32)}});
  };
  Tensor at = first(isLargest ? "ArgMax" : "ArgMin", values);
  Tensor best = b.reduce(isLargest ? "Max" : "Min", values, axes);
  if (isFloat(values->type)) {
    Tensor isNan = b.pointwise("IsNan", values, proto::DT_BOOL);
    at = b.select(b.reduce("Any", isNan, axes),
                  first("ArgMax", b.cast(isNan, proto::DT_INT32)), at);
  }
  return {b.cast(best, x[0]->type), b.cast(at, x[1]->type)};
}

// Reduces by any region, which is associative and commutative by definition:
// halves of the rows are combined element by element until one row is left, and
// then the initial values.
static Tensors reduceByHalves(Translation &t, const Op &op, ArrayRef<Tensor> x,
                              ArrayRef<int64_t> axes) {
  GraphBuilder &b = t.builder();
  size_t count = x.size() / 2;
  const Block &block = *op.regions[0];
  if (block.arguments.size() != x.size() || block.returned.size() != count)
    return {};
  Sizes order(axes), shape = {1};
  for (auto [axis, size] : enumerate(x[0]->shape))
    if (!is_contained(axes, static_cast<int64_t>(axis))) {
      order.push_back(static_cast<int64_t>(axis));
      shape.push_back(size);
    }
  Tensors rows;
  for (const Tensor &one : x.take_front(count)) {
    if (one->shape != x[0]->shape)
      return {};
    Sizes flat = shape;
    for (int64_t axis : axes)
      flat[0] *= one->shape[axis];
    rows.push_back(b.reshape(b.transpose(one, order), flat));
  }
  auto part = [&](const Tensor &one, int64_t begin, int64_t end) {
    Sizes first(one->rank(), 0), last = one->shape;
    first[0] = begin;
    last[0] = end;
    return b.slice(one, first, last);
  };
  while (rows[0]->shape[0] > 1) {
    int64_t size = rows[0]->shape[0], half = size / 2;
    Tensors arguments;
    for (int64_t begin : {int64_t(0), half})
      for (const Tensor &one : rows)
        arguments.push_back(part(one, begin, begin + half));
    Tensors combined = t.mapRegion(block, arguments);
    for (auto [one, made] : zip(rows, combined))
      one = size % 2 ? b.concat({made, part(one, size - 1, size)}, 0) : made;
  }
  Tensors arguments;
  for (const Tensor &one : x.drop_front(count))
    arguments.push_back(b.broadcast(one, shape));
  if (rows[0]->shape[0]) {
    append_range(arguments, rows);
    arguments = t.mapRegion(block, arguments);
  }
  for (Tensor &one : arguments)
    one = b.reshape(one, ArrayRef<int64_t>(shape).drop_front());
  return arguments;
}

static Tensors reduce(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  auto axes = t.integers(op, "dimensions");
  if (x.size() % 2 || x.empty() || op.results.size() != x.size() / 2 || !axes ||
      op.regions.size() != 1 || !areAxes(*axes, x[0]->rank()))
    return {};
  size_t count = x.size() / 2;
  for (size_t i = 0; i < count; ++i)
    if (x[count + i]->rank() || x[count + i]->type != x[i]->type)
      return {};
  if (count == 2 && isArgReduction(t, op, x, *axes))
    return argReduce(t, op, x, *axes);
  StringRef combiner = count == 1 ? combinerOf(*op.regions[0]) : "";
  StringRef name = reductionOf(combiner, x[0]->type == proto::DT_BOOL);
  if (name.empty() && !combiner.empty())
    return t.refuse("a reduction by " + combiner + " is not supported");
  if (name.empty())
    return reduceByHalves(t, op, x, *axes);
  return {withInitial(b, combiner, b.reduce(name, x[0], *axes), x[1])};
}

void addReductionOps(OpTable &table) {
  table["stablehlo.reduce"] = {reduce, -1, -1};
}

} // namespace ingot::stablehlo
