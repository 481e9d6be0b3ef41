//===- BicubicResizeOps.cpp - Bicubic resizing ----------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports ResizeBicubic and its gradient. A pixel of the result is a sum of
// four pixels along each axis, weighted by Keys' cubic (Keys 1981), which
// TensorFlow tabulates in 1,024 steps.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Ops/ResizeNodeReader.h"

#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/ProductOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// Weights are read from a table of the cubic convolution kernel. Like
// TensorFlow's, the table has this many entries per distance of one pixel.
static constexpr int64_t cubicSteps = 1024;

/// Along an axis, each pixel of the result is the weighted sum of four pixels
/// of the image. A BicubicTap describes one of the four: `pixel` has its index
/// (int32) and `weight` its weight (float32). Both are vectors with an element
/// for each pixel of the result.
struct BicubicTap {
  Value pixel;
  Value weight;
};

/// Returns a table of Keys' cubic convolution kernel with coefficient `a` at
/// distances of 0, 1, .., 2,048 steps. The values are computed in the same
/// order of operations as TensorFlow's, so that they are bitwise equal.
static Value makeCubicTable(NodeDecomposition &parts, double a) {
  std::vector<float> table(2 * cubicSteps + 1);
  for (int64_t i = 0; i <= cubicSteps; ++i) {
    float x = i * 1.0 / cubicSteps;
    table[i] = ((a + 2) * x - (a + 3)) * x * x + 1;
    x += 1.0;
    if (i > 0)
      table[cubicSteps + i] = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  }
  auto type =
      RankedTensorType::get({2 * cubicSteps + 1}, parts.builder.getF32Type());
  return createConstant(parts.builder, parts.node.loc,
                        DenseElementsAttr::get(type, ArrayRef<float>(table)));
}

/// Returns, for each position along an axis, four pixels of the image: the last
/// two at or before the position, and the first two after it. With
/// half_pixel_centers, a pixel outside of the image has weight 0, and the other
/// weights are divided by their sum. Otherwise, the pixel at the edge of the
/// image takes the place of a pixel outside.
static std::array<BicubicTap, 4> findTaps(ResizeNodeReader &resizing,
                                          const ResizeSamplePositions &places,
                                          bool hasPixelCenters) {
  NodeDecomposition &parts = resizing.parts;
  Value floor = parts.make<FloorOp>({places.at});
  Value rest = parts.make<SubOp>({places.at, floor});
  Value steps = resizing.i32(parts.make<RoundOp>(
      {parts.make<MulOp>({rest, resizing.number(cubicSteps)})}));
  Value back = parts.make<SubOp>({parts.i32(cubicSteps), steps});
  Value more = parts.i32(cubicSteps);
  Value distances[] = {parts.make<AddOp>({steps, more}), steps, back,
                       parts.make<AddOp>({back, more})};
  Value table = makeCubicTable(parts, hasPixelCenters ? -0.5 : -0.75);
  Value below = resizing.i32(floor), sum;
  std::array<BicubicTap, 4> taps;
  for (int64_t i = 0; i < 4; ++i) {
    Value at = parts.make<AddOp>({below, parts.i32(i - 1)});
    Value pixel = parts.make<MinimumOp>(
        {parts.make<MaximumOp>({at, parts.i32(0)}), places.last});
    Value weight = resizing.rows(table, distances[i], 0);
    if (hasPixelCenters) {
      weight = parts.make<SelectOp>(
          {parts.make<EqualOp>({pixel, at}), weight, resizing.number(0)});
      sum = sum ? parts.make<AddOp>({sum, weight}) : weight;
    }
    taps[i] = {pixel, weight};
  }
  if (hasPixelCenters) {
    Value factor = parts.make<RealDivOp>({resizing.number(1), sum});
    for (BicubicTap &tap : taps)
      tap.weight = parts.make<MulOp>({tap.weight, factor});
  }
  return taps;
}

static std::array<BicubicTap, 4> findTaps(ResizeNodeReader &resizing,
                                          Value from, Value to) {
  bool hasPixelCenters =
      resizing.parts.node.attributes.getBool("half_pixel_centers", false);
  return findTaps(resizing, resizing.places(from, to, /*isNearest=*/false),
                  hasPixelCenters);
}

/// Appends `inner` dimensions of size 1 to a vector of weights along an axis,
/// so that it broadcasts over the dimensions after the axis.
static Value alongAxis(NodeDecomposition &parts, Value weight, int64_t inner) {
  for (int64_t i = 0; i < inner; ++i)
    weight = parts.make<ExpandDimsOp>({weight, parts.i32(-1)});
  return weight;
}

// Imports ResizeBicubic. Rows (axis 1) are summed before columns (axis 2), as
// in TensorFlow's kernel, so that results round equally.
static void importBicubic(NodeImport &node) {
  ResizeNodeReader resizing(node);
  if (!resizing)
    return;
  NodeDecomposition &parts = resizing.parts;
  Value image = resizing.f32(parts.inputs[0]), sizes = parts.inputs[1];
  for (int64_t axis : {1, 2}) {
    Value mixed;
    for (BicubicTap tap : findTaps(resizing, resizing.size(image, axis),
                                   resizing.element(sizes, axis - 1))) {
      Value part = parts.make<MulOp>({resizing.rows(image, tap.pixel, axis),
                                      alongAxis(parts, tap.weight, 3 - axis)});
      mixed = mixed ? parts.make<AddOp>({mixed, part}) : part;
    }
    image = mixed;
  }
  parts.finish(image);
}

static void importBicubicGrad(NodeImport &node) {
  ResizeNodeReader resizing(node);
  if (!resizing)
    return;
  NodeDecomposition &parts = resizing.parts;
  Value gradient = parts.inputs[0], image = parts.inputs[1];
  Value result = resizing.spread(gradient, [&](Value x, int64_t axis) {
    Value from = resizing.size(image, axis), sum;
    for (BicubicTap tap :
         findTaps(resizing, from, resizing.size(gradient, axis))) {
      Value part =
          parts.make<MulOp>({x, alongAxis(parts, tap.weight, /*inner=*/3)});
      part = resizing.sums(part, tap.pixel, from);
      sum = sum ? parts.make<AddOp>({sum, part}) : part;
    }
    return sum;
  });
  parts.finish(resizing.cast(result, getElementTypeOrSelf(image)));
}

void addBicubicResizeOps(OpTable &table) {
  static const std::vector<AttributeSpec> attributes = {{"align_corners"},
                                                        {"half_pixel_centers"}};
  static const std::vector<ImportedOp> functions = {
      {{"ResizeBicubic", 2, "", attributes}, importBicubic},
      {{"ResizeBicubicGrad", 2, "", attributes}, importBicubicGrad},
  };
  addImportedOps(table, functions);
}

} // namespace ingot::importer
