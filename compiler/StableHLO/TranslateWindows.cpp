//===- TranslateWindows.cpp - Reductions of windows -----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Pooling where the windows are those of pooling, cumulative ops where they are
// those, and otherwise one slice for each place of a window, axis after axis.
//
//===----------------------------------------------------------------------===//

#include "compiler/StableHLO/Translation.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::stablehlo {

namespace {

/// The longest window along one axis that is computed by slices.
constexpr int64_t mostSlices = 256;

struct Window {
  Sizes sizes, strides, inner, dilations, low, high;
};

/// Windows as those of pooling: images [batch, height, width, channels].
struct Pooling {
  Sizes order;         ///< of axes, before they are merged
  size_t spatial = 1;  ///< number of axes with windows
  Sizes window, steps; ///< of the images
};

} // namespace

static bool readWindow(Translation &t, const Op &op, size_t rank, Window &w) {
  auto get = [&](StringRef name, Sizes &out) {
    out.assign(rank, 1);
    if (!op.find(name))
      return true;
    auto values = t.integers(op, name);
    if (!values || values->size() != rank ||
        !all_of(*values, [](int64_t one) { return one >= 1 && one < 1 << 30; }))
      return false;
    out = *values;
    return true;
  };
  if (!op.find("window_dimensions") || !get("window_dimensions", w.sizes) ||
      !get("window_strides", w.strides) || !get("base_dilations", w.inner) ||
      !get("window_dilations", w.dilations))
    return false;
  w.low.assign(rank, 0);
  w.high.assign(rank, 0);
  if (!op.find("padding"))
    return true;
  auto padding = t.integers(op, "padding");
  if (!padding || padding->size() != 2 * rank)
    return false;
  for (size_t axis = 0; axis < rank; ++axis) {
    w.low[axis] = (*padding)[2 * axis];
    w.high[axis] = (*padding)[2 * axis + 1];
    if (std::abs(w.low[axis]) > 1 << 30 || std::abs(w.high[axis]) > 1 << 30)
      return false;
  }
  return true;
}

static Tensor padded(GraphBuilder &b, const Tensor &x, const Tensor &value,
                     const Window &w) {
  Sizes inner = w.inner;
  for (int64_t &one : inner)
    --one;
  return b.pad(x, value, w.low, w.high, inner);
}

static std::optional<Pooling> asPooling(const Tensor &x, const Window &w) {
  Pooling p;
  Sizes others, spatial;
  for (size_t axis = 0; axis < x->rank(); ++axis)
    (w.sizes[axis] != 1 || w.strides[axis] != 1 ? spatial : others)
        .push_back(static_cast<int64_t>(axis));
  bool isPlain = all_of(w.dilations, [](int64_t one) { return one == 1; });
  bool isSingle = isFloat(x->type) && x->type != proto::DT_DOUBLE;
  if (spatial.empty() || spatial.size() > 2 || others.empty() || !isPlain ||
      !isSingle)
    return std::nullopt;
  // The last axis without windows is the channels'.
  int64_t channels = others.pop_back_val();
  p.order = others;
  append_range(p.order, spatial);
  p.order.push_back(channels);
  p.spatial = spatial.size();
  p.window = p.steps = {1};
  if (spatial.size() == 1) {
    p.window.push_back(1);
    p.steps.push_back(1);
  }
  for (int64_t axis : spatial) {
    p.window.push_back(w.sizes[axis]);
    p.steps.push_back(w.strides[axis]);
  }
  p.window.push_back(1);
  p.steps.push_back(1);
  return p;
}

// Transposes and merges axes to [batch, height, width, channels].
static Tensor asImages(GraphBuilder &b, const Tensor &x, const Pooling &p) {
  Tensor turned = b.transpose(x, p.order);
  ArrayRef<int64_t> shape(turned->shape);
  ArrayRef<int64_t> images = shape.take_back(p.spatial + 1);
  Sizes merged = {numElements(shape.drop_back(p.spatial + 1)).value_or(0)};
  if (p.spatial == 1)
    merged.push_back(1);
  append_range(merged, images);
  return b.reshape(turned, merged);
}

// The reverse of asImages, for a result of shape `shape`.
static Tensor fromImages(GraphBuilder &b, const Tensor &y, const Pooling &p,
                         ArrayRef<int64_t> shape) {
  Sizes turned, back(p.order.size());
  for (auto [place, axis] : enumerate(p.order)) {
    turned.push_back(shape[axis]);
    back[axis] = static_cast<int64_t>(place);
  }
  return b.transpose(b.reshape(y, turned), back);
}

static AttributeMap poolingAttributes(const Pooling &p) {
  return {{"ksize", exporter::integers(p.window)},
          {"strides", exporter::integers(p.steps)},
          {"padding", exporter::text("VALID")}};
}

static Tensor pooled(GraphBuilder &b, StringRef op, const Tensor &x,
                     const Pooling &p, ArrayRef<int64_t> result) {
  Tensor images = b.cast(asImages(b, x, p), proto::DT_FLOAT);
  Sizes shape;
  for (size_t axis = 0; axis < 4; ++axis)
    shape.push_back((images->shape[axis] - p.window[axis]) / p.steps[axis] + 1);
  Tensor y = b.node(op, images, images->type, shape, poolingAttributes(p));
  return b.cast(fromImages(b, y, p, result), x->type);
}

// Combines the elements of windows along one axis.
static Tensor
along(GraphBuilder &b, const Tensor &x, size_t axis, const Window &w,
      function_ref<Tensor(const Tensor &, const Tensor &)> combine) {
  int64_t reach = (w.sizes[axis] - 1) * w.dilations[axis];
  int64_t count = (x->shape[axis] - reach - 1) / w.strides[axis] + 1;
  Tensor found;
  for (int64_t place = 0; place < w.sizes[axis]; ++place) {
    Sizes begin(x->rank(), 0), end = x->shape, steps(x->rank(), 1);
    begin[axis] = place * w.dilations[axis];
    end[axis] = begin[axis] + (count - 1) * w.strides[axis] + 1;
    steps[axis] = w.strides[axis];
    Tensor one = b.slice(x, begin, end, steps);
    found = found ? combine(found, one) : one;
  }
  return found;
}

// A window as long as its axis, padded so that place i sees all elements up to
// i, or all from i on: what JAX's and PyTorch's cumsum are.
static Tensor cumulative(GraphBuilder &b, const Tensor &x, const Window &w,
                         StringRef combiner) {
  std::optional<size_t> axis;
  for (size_t i = 0; i < x->rank(); ++i) {
    if (w.sizes[i] == 1 && !w.low[i] && !w.high[i])
      continue;
    if (axis || w.sizes[i] != x->shape[i])
      return nullptr;
    axis = i;
  }
  StringRef op = combiner == "add"        ? "Cumsum"
                 : combiner == "multiply" ? "Cumprod"
                                          : "";
  auto isOne = [](int64_t value) { return value == 1; };
  if (!axis || op.empty() || !all_of(w.strides, isOne) ||
      !all_of(w.inner, isOne) || !all_of(w.dilations, isOne))
    return nullptr;
  int64_t others = x->shape[*axis] - 1;
  bool isForward = w.low[*axis] == others && !w.high[*axis];
  bool isReverse = !w.low[*axis] && w.high[*axis] == others;
  if (!isForward && !isReverse)
    return nullptr;
  int64_t place = static_cast<int64_t>(*axis);
  return b.node(op, {x, b.scalar(place, proto::DT_INT32)}, x->type, x->shape,
                {{"reverse", exporter::boolean(!isForward)}});
}

// Whether `x` is the constant `value`.
static bool isScalar(const Tensor &x, const Tensor &value) {
  return x->constant && value->constant &&
         x->constant->bytes == value->constant->bytes;
}

static Tensors reduceWindow(Translation &t, const Op &op,
                            ArrayRef<Tensor> inputs) {
  GraphBuilder &b = t.builder();
  Window w;
  Tensor x = inputs[0], initial = inputs[1];
  if (op.regions.size() != 1 || initial->rank() || !x->rank() ||
      initial->type != x->type || !readWindow(t, op, x->rank(), w))
    return {};
  StringRef combiner = combinerOf(*op.regions[0]);
  bool isExtreme = combiner == "maximum" || combiner == "minimum";
  Tensor neutral = isExtreme ? limit(b, x->type, combiner == "maximum")
                             : b.scalar(combiner == "multiply", x->type);
  bool isKnown = isExtreme || combiner == "add" || combiner == "multiply";
  bool isNeutral = isKnown && isScalar(initial, neutral);
  const Block &block = *op.regions[0];
  if (block.arguments.size() != 2 || block.returned.size() != 1)
    return t.refuse("windows of several operands are not supported");
  auto combine = [&](const Tensor &one, const Tensor &other) {
    return combiner == "add"        ? b.add(one, other)
           : combiner == "multiply" ? b.mul(one, other)
           : isExtreme ? extreme(b, one, other, combiner == "maximum")
                       : t.mapRegion(block, {one, other})[0];
  };
  if (Tensor made = isNeutral ? cumulative(b, x, w, combiner) : nullptr)
    return {made};
  x = padded(b, x, initial, w);
  const Sizes &shape = t.resultOf(op).shape;
  if (shape.size() != x->rank())
    return {};
  for (size_t axis = 0; axis < x->rank(); ++axis) {
    int64_t reach = (w.sizes[axis] - 1) * w.dilations[axis] + 1;
    if (x->shape[axis] < reach ||
        (x->shape[axis] - reach) / w.strides[axis] + 1 != shape[axis])
      return {};
  }
  std::optional<Pooling> pooling = asPooling(x, w);
  int64_t count = numElements(w.sizes).value_or(0);
  if (pooling && isNeutral && combiner == "maximum")
    return {pooled(b, "MaxPool", x, *pooling, shape)};
  if (pooling && isNeutral && combiner == "add" && count > 16 &&
      x->type == proto::DT_FLOAT) {
    Tensor mean = pooled(b, "AvgPool", x, *pooling, shape);
    return {b.mul(mean, b.like(static_cast<double>(count), mean))};
  }
  for (size_t axis = 0; axis < x->rank(); ++axis) {
    if (w.sizes[axis] > mostSlices)
      return t.refuse("a window of " + Twine(w.sizes[axis]) +
                      " is too long; the most is " + Twine(mostSlices));
    x = along(b, x, axis, w, combine);
  }
  return {isNeutral ? x : combine(b.broadcast(initial, shape), x)};
}

// Whether a region compares its elements by >=.
static bool selectsLargest(const Block &block) {
  const Attribute *direction = block.ops.size() == 1
                                   ? block.ops[0].find("comparison_direction")
                                   : nullptr;
  return combinerOf(block) == "compare" && direction &&
         direction->text == "GE" && block.ops[0].operands == block.arguments;
}

// The gradient of max pooling: each source goes to the first largest element
// of its window.
static Tensors selectAndScatter(Translation &t, const Op &op,
                                ArrayRef<Tensor> inputs) {
  GraphBuilder &b = t.builder();
  Window w;
  Tensor operand = inputs[0], source = inputs[1];
  if (op.regions.size() != 2 || !operand->rank() || inputs[2]->rank() ||
      source->rank() != operand->rank() || source->type != operand->type ||
      !readWindow(t, op, operand->rank(), w))
    return {};
  if (!selectsLargest(*op.regions[0]) || combinerOf(*op.regions[1]) != "add" ||
      !isScalar(inputs[2], b.like(0, operand)))
    return t.refuse("its regions are not those of max pooling's gradient");
  Tensor x = padded(b, operand, limit(b, operand->type, true), w);
  std::optional<Pooling> p = asPooling(x, w);
  if (!p)
    return t.refuse("its windows are not a pooling of f32, bf16 or f16 over "
                    "one or two axes");
  for (size_t axis = 0; axis < x->rank(); ++axis)
    if (x->shape[axis] < w.sizes[axis] ||
        (x->shape[axis] - w.sizes[axis]) / w.strides[axis] + 1 !=
            source->shape[axis])
      return {};
  constexpr proto::DataType single = proto::DT_FLOAT;
  Tensor images = b.cast(asImages(b, x, *p), single);
  Tensor gradient = b.cast(asImages(b, source, *p), single);
  Tensor largest =
      b.node("MaxPool", images, single, gradient->shape, poolingAttributes(*p));
  Tensor found = b.node("MaxPoolGrad", {images, largest, gradient}, single,
                        images->shape, poolingAttributes(*p));
  Tensor whole = b.cast(fromImages(b, found, *p, x->shape), x->type);
  Sizes begin, end;
  for (size_t axis = 0; axis < x->rank(); ++axis) {
    if (w.low[axis] < 0 || w.high[axis] < 0)
      return t.refuse("negative padding is not supported");
    begin.push_back(w.low[axis]);
    end.push_back(w.low[axis] + operand->shape[axis]);
  }
  return {b.slice(whole, begin, end)};
}

void addWindowOps(OpTable &table) {
  table["stablehlo.reduce_window"] = {reduceWindow, 2, 1};
  table["stablehlo.select_and_scatter"] = {selectAndScatter, 3, 1};
}

} // namespace ingot::stablehlo
