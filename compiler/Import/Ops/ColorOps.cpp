//===- ColorOps.cpp - Color spaces and adjustments ------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// A color is three numbers along the last dimension: red, green and blue, or
// hue, saturation and value. Hues are in turns: 1 stands for 360 degrees.
// TensorFlow's kernels use different formulas for the same conversion, which
// round differently; each op here follows its kernel.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Ops/NodeDecomposition.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/ShapeInference.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

namespace {
/// Creates the ops that compute on colors. Every helper returns null if an
/// operand is null, so errors need not be checked at each op.
class ColorOpBuilder {
public:
  explicit ColorOpBuilder(NodeImport &node) : parts(node) {
    if (!parts)
      return;
    element = getElementTypeOrSelf(parts.inputs[0]);
    Shape shape = getTensorShape(parts.inputs[0].getType());
    if (!shape)
      node.unsupported("input must have 3 channels, but its rank is unknown; "
                       "state its shape, as with tf.ensure_shape");
    else if (shape->empty() || !areCompatibleDims(shape->back(), 3))
      node.malformed("input must have 3 channels: " + node.describeInputs());
    for (Value factor : llvm::drop_begin(parts.inputs))
      if (!mayHaveRank(factor.getType(), 0))
        node.malformed("the adjustment of a color must be a scalar: " +
                       node.describeInputs());
  }
  explicit operator bool() const { return bool(parts); }

  /// Returns the image's three channels, cast to `element`, the element type in
  /// which the node computes.
  std::array<Value, 3> channels() {
    Value image = cast(parts.inputs[0]);
    Operation *split =
        image ? parts.node.create<SplitOp>(
                    {parts.i32(-1), image,
                     parts.vector({1, 1, 1}, parts.builder.getI32Type())},
                    {parts.integer("count", 3)})
              : nullptr;
    if (!split)
      return {};
    return {split->getResult(0), split->getResult(1), split->getResult(2)};
  }
  /// Sets the node's output to an image with the three channels `channels`,
  /// cast to the type of the input image.
  void finish(ArrayRef<Value> channels) {
    Value image = parts.make<ConcatOp>(
        {parts.i32(-1), channels[0], channels[1], channels[2]});
    parts.finish(cast(image, getElementTypeOrSelf(parts.inputs[0])));
  }

  Value number(double value) {
    auto type = RankedTensorType::get({}, element);
    return createConstant(parts.builder, parts.node.loc,
                          DenseElementsAttr::get(
                              type, FloatAttr::get(element, value).getValue()));
  }
  Value cast(Value x, Type to) {
    if (!x || getElementTypeOrSelf(x) == to)
      return x;
    return parts.make<CastOp>({x},
                              {parts.node.named("dst", TypeAttr::get(to))});
  }
  Value cast(Value x) { return cast(x, element); }

  Value add(Value a, Value b) { return parts.make<AddOp>({a, b}); }
  Value sub(Value a, Value b) { return parts.make<SubOp>({a, b}); }
  Value mul(Value a, Value b) { return parts.make<MulOp>({a, b}); }
  Value div(Value a, Value b) { return parts.make<RealDivOp>({a, b}); }
  Value max(Value a, Value b) { return parts.make<MaximumOp>({a, b}); }
  Value min(Value a, Value b) { return parts.make<MinimumOp>({a, b}); }
  Value less(Value a, Value b) { return parts.make<LessOp>({a, b}); }
  Value equal(Value a, Value b) { return parts.make<EqualOp>({a, b}); }
  Value select(Value condition, Value a, Value b) {
    return parts.make<SelectOp>({condition, a, b});
  }
  /// Returns `x`, clamped to [0, 1].
  Value clamp(Value x) { return min(max(x, number(0)), number(1)); }
  /// Returns `values[i]` for the smallest i with `x` < `bounds[i]`, or the last
  /// of `values` if there is no such i.
  Value pick(Value x, ArrayRef<double> bounds, ArrayRef<Value> values) {
    Value found = values.back();
    for (size_t i = bounds.size(); i != 0; --i)
      found = select(less(x, number(bounds[i - 1])), values[i - 1], found);
    return found;
  }

  NodeDecomposition parts;
  Type element;
};
} // namespace

// Imports AdjustContrast: multiplies the difference between each pixel and the
// mean of its channel over the image by the factor, and adds the mean again.
static void importAdjustContrast(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  Value images = parts.inputs[0], factor = parts.inputs[1];
  auto shape = dyn_cast<RankedTensorType>(images.getType());
  auto factorShape = dyn_cast<RankedTensorType>(factor.getType());
  if (!shape || !factorShape)
    return node.unsupported(
        "input must be at least 3-D, but its rank is unknown; state its shape, "
        "as with tf.ensure_shape");
  if (shape.getRank() < 3)
    return node.malformed("input must be at least 3-D: " +
                          node.describeInputs());
  if (factorShape.getRank() != 0)
    return node.malformed("contrast_factor must be scalar: " +
                          node.describeInputs());
  Value mean = parts.make<MeanOp>(
      {images, parts.vector({-3, -2}, parts.builder.getI32Type())},
      {node.named("keep_dims", parts.builder.getBoolAttr(true))});
  Value distance = parts.make<SubOp>({images, mean});
  parts.finish(
      parts.make<AddOp>({parts.make<MulOp>({distance, factor}), mean}));
}

/// Returns the hue of a color, as a fraction of a turn of the color circle.
/// `value` is the largest channel, `range` the difference of the largest and
/// smallest, and `norm` is 1 / (6 * `range`). The hue is that of the largest
/// channel (0 for red, 1/3 for green, 2/3 for blue) plus `norm` times the
/// difference of the other two channels.
static Value findHue(ColorOpBuilder &f, ArrayRef<Value> rgb, Value value,
                     Value range, Value norm) {
  auto [red, green, blue] = std::tie(rgb[0], rgb[1], rgb[2]);
  Value ofGreen = f.add(f.mul(norm, f.sub(blue, red)), f.number(2.0 / 6.0));
  Value ofBlue = f.add(f.mul(norm, f.sub(red, green)), f.number(4.0 / 6.0));
  Value hue = f.select(f.equal(red, value), f.mul(norm, f.sub(green, blue)),
                       f.select(f.equal(green, value), ofGreen, ofBlue));
  hue = f.select(f.less(f.number(0), range), hue, f.number(0));
  return f.select(f.less(hue, f.number(0)), f.add(hue, f.number(1)), hue);
}

static void importRgbToHsv(NodeImport &node) {
  ColorOpBuilder f(node);
  if (!f)
    return;
  std::array<Value, 3> rgb = f.channels();
  Value value = f.max(f.max(rgb[0], rgb[1]), rgb[2]);
  Value range = f.sub(value, f.min(f.min(rgb[0], rgb[1]), rgb[2]));
  Value saturation =
      f.select(f.less(f.number(0), value), f.div(range, value), f.number(0));
  Value norm = f.mul(f.div(f.number(1), range), f.number(1.0 / 6.0));
  f.finish({findHue(f, rgb, value, range, norm), saturation, value});
}

// Imports HSVToRGB. Each channel is value * (1 - saturation + saturation *
// share). The share of a channel is a piecewise linear function of the hue h,
// clamped to [0, 1]: |6h - 3| - 1 for red, 2 - |6h - 2| for green, and 2 - |6h
// - 4| for blue.
static void importHsvToRgb(NodeImport &node) {
  ColorOpBuilder f(node);
  if (!f)
    return;
  auto [hue, saturation, value] = f.channels();
  Value sixths = f.mul(hue, f.number(6));
  auto distance = [&](double from) {
    return f.parts.make<AbsOp>({f.sub(sixths, f.number(from))});
  };
  Value rest = f.sub(f.number(1), saturation);
  auto channel = [&](Value share) {
    return f.mul(f.add(rest, f.mul(saturation, f.clamp(share))), value);
  };
  f.finish({channel(f.sub(distance(3), f.number(1))),
            channel(f.sub(f.number(2), distance(2))),
            channel(f.sub(f.number(2), distance(4)))});
}

// Imports AdjustHue, which rotates the hue. The largest and the smallest value
// among a color's channels stay the same.
static void importAdjustHue(NodeImport &node) {
  ColorOpBuilder f(node);
  if (!f)
    return;
  // As in TensorFlow's kernel, half floats are computed in f32.
  f.element = f.parts.builder.getF32Type();
  auto [red, green, blue] = f.channels();
  Value largest = f.max(f.max(red, green), blue);
  Value smallest = f.min(f.min(red, green), blue);
  Value middle = f.max(f.min(red, green), f.min(f.max(red, green), blue));
  // `sixth` is the index, 0 to 5, of the sector of the color circle in which
  // the hue lies. The order of the three channels' values determines the
  // sector. If the hue increases within an even sector, the middle one of the
  // three values increases, too; within an odd sector, this value decreases.
  auto order = [&](Value lower, Value upper, double last, double first,
                   double between) {
    return f.select(
        f.less(blue, lower), f.number(last),
        f.select(f.less(upper, blue), f.number(first), f.number(between)));
  };
  Value sixth = f.select(f.less(red, green), order(red, green, 1, 3, 2),
                         order(green, red, 0, 4, 5));
  Value range = f.sub(largest, smallest);
  Value ratio = f.div(f.sub(middle, smallest), range);
  auto isOdd = [&](Value sixth) {
    return f.equal(f.parts.make<FloorModOp>({sixth, f.number(2)}), f.number(1));
  };
  auto turned = [&](Value sixth, Value ratio) {
    return f.select(isOdd(sixth), f.sub(f.number(1), ratio), ratio);
  };
  Value hue = f.select(f.equal(largest, smallest), f.number(0),
                       f.add(sixth, turned(sixth, ratio)));
  hue = f.add(hue, f.mul(f.cast(f.parts.inputs[1]), f.number(6)));
  hue = f.parts.make<FloorModOp>({hue, f.number(6)});
  sixth = f.parts.make<FloorOp>({hue});
  ratio = turned(sixth, f.sub(hue, sixth));
  middle = f.add(smallest, f.mul(ratio, range));
  f.finish(
      {f.pick(hue, {1, 2, 4, 5}, {largest, middle, smallest, middle, largest}),
       f.pick(hue, {1, 3, 4}, {middle, largest, middle, smallest}),
       f.pick(hue, {2, 3, 5}, {smallest, middle, largest, middle})});
}

// Imports AdjustSaturation: converts colors to hue, saturation and value,
// scales the saturation, and converts the colors back. The three channels of a
// color are `chroma`, `middle` and 0, each plus `rest`; which channel is which
// depends on the sector of the hue, a sixth of a turn.
static void importAdjustSaturation(NodeImport &node) {
  ColorOpBuilder f(node);
  if (!f)
    return;
  f.element = f.parts.builder.getF32Type();
  std::array<Value, 3> rgb = f.channels();
  Value value = f.max(rgb[0], f.max(rgb[1], rgb[2]));
  Value range = f.sub(value, f.min(rgb[0], f.min(rgb[1], rgb[2])));
  Value saturation =
      f.select(f.less(f.number(0), value), f.div(range, value), f.number(0));
  Value norm = f.div(f.number(1), f.mul(f.number(6), range));
  Value hue = findHue(f, rgb, value, range, norm);
  saturation = f.clamp(f.mul(saturation, f.cast(f.parts.inputs[1])));

  Value chroma = f.mul(saturation, value);
  Value rest = f.sub(value, chroma);
  Value sixths = f.mul(hue, f.number(6));
  Value within = f.parts.make<FloorModOp>({sixths, f.number(2)});
  Value middle =
      f.mul(chroma, f.sub(f.number(1),
                          f.parts.make<AbsOp>({f.sub(within, f.number(1))})));
  Value none = f.number(0);
  auto channel = [&](ArrayRef<double> bounds, ArrayRef<Value> values) {
    return f.add(f.pick(sixths, bounds, values), rest);
  };
  // The six sectors cover hues of less than a whole turn. If rounding yields a
  // whole turn (`sixths` = 6), each channel is the last value of its list,
  // `none`.
  f.finish(
      {channel({1, 2, 4, 5, 6}, {chroma, middle, none, middle, chroma, none}),
       channel({1, 3, 4}, {middle, chroma, middle, none}),
       channel({2, 3, 5, 6}, {none, middle, chroma, middle, none})});
}

void addColorOps(OpTable &table) {
  static const std::vector<ImportedOp> functions = {
      {{"AdjustContrastv2", 2, "", {}}, importAdjustContrast},
      {{"AdjustHue", 2, "", {}}, importAdjustHue},
      {{"AdjustSaturation", 2, "", {}}, importAdjustSaturation},
      {{"HSVToRGB", 1, "", {}}, importHsvToRgb},
      {{"RGBToHSV", 1, "", {}}, importRgbToHsv},
  };
  addImportedOps(table, functions);
}

} // namespace ingot::importer
