//===- ResizeOps.cpp - Nearest-neighbour and bilinear resizing ------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports ops that resize images by nearest neighbours or bilinearly. Along
// each axis, a pixel of the result is the nearest pixel of the image, or
// interpolated between the two pixels on either side of its position.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Ops/ResizeNodeReader.h"

#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/RequireValuesOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

void ResizeNodeReader::checkImages(Value tensor) {
  Shape shape = getTensorShape(tensor.getType());
  // A vector is not checked: it holds the sizes of the result, not images.
  if (!parts || (shape && shape->size() == 1))
    return;
  if (!shape)
    return parts.node.unsupported(
        "image must have 4 dimensions, but its rank is unknown; state its "
        "shape, as with tf.ensure_shape");
  if (shape->size() != 4)
    return parts.node.malformed("image has " + Twine(shape->size()) +
                                " dimensions, expected 4");
  auto require = [&](int64_t axis, StringRef kind) {
    Value pixels = size(tensor, axis);
    if (pixels && !RequireNumbersOp::areKnown(pixels, kind))
      parts.node.create<RequireNumbersOp>({pixels}, {parts.text("kind", kind)});
  };
  require(1, "image");
  require(2, "image");
  if (!parts.node.node.op().ends_with("Grad"))
    require(3, "channels");
}

ResizeSamplePositions ResizeNodeReader::places(Value from, Value to,
                                               bool isNearest) {
  Value one = parts.i32(1);
  Value last = parts.make<SubOp>({from, one});
  Value scale;
  if (alignsCorners) {
    // If the result has only one pixel, there are no steps between pixels:
    // divide by 1 instead of 0. The position of the pixel is 0 for any scale.
    Value steps = parts.make<MaximumOp>({parts.make<SubOp>({to, one}), one});
    scale = parts.make<RealDivOp>({f32(last), f32(steps)});
  } else {
    scale = parts.make<RealDivOp>({f32(from), f32(to)});
  }
  Value at = f32(parts.make<RangeOp>({parts.i32(0), to, one}));
  if (hasPixelCenters)
    at = parts.make<AddOp>({at, number(0.5f)});
  at = parts.make<MulOp>({at, scale});
  if (hasPixelCenters && !isNearest)
    at = parts.make<SubOp>({at, number(0.5f)});
  return {at, last};
}

Value ResizeNodeReader::nearest(const ResizeSamplePositions &places) {
  Value lower = parts.make<FloorOp>({places.at});
  if (alignsCorners) {
    // Round halves away from zero. Doubling the fraction `rest` is exact, and
    // the floor of the double is 1 if the fraction is at least a half.
    Value rest = parts.make<SubOp>({places.at, lower});
    Value up = parts.make<FloorOp>({parts.make<AddOp>({rest, rest})});
    lower = parts.make<AddOp>({lower, up});
  }
  return parts.make<MinimumOp>({i32(lower), places.last});
}

std::array<Value, 3>
ResizeNodeReader::neighbours(const ResizeSamplePositions &places) {
  Value floor = parts.make<FloorOp>({places.at});
  Value lower = parts.make<MaximumOp>({i32(floor), parts.i32(0)});
  Value upper = parts.make<MinimumOp>(
      {i32(parts.make<CeilOp>({places.at})), places.last});
  return {lower, upper, parts.make<SubOp>({places.at, floor})};
}

static void importNearest(NodeImport &node) {
  ResizeNodeReader resizing(node);
  if (!resizing)
    return;
  Value image = resizing.parts.inputs[0], sizes = resizing.parts.inputs[1];
  for (int64_t axis : {2, 1}) {
    ResizeSamplePositions places =
        resizing.places(resizing.size(image, axis),
                        resizing.element(sizes, axis - 1), /*isNearest=*/true);
    image = resizing.rows(image, resizing.nearest(places), axis);
  }
  resizing.parts.finish(image);
}

// Imports ResizeBilinear. Interpolates along columns (axis 2) before rows (axis
// 1), as in TensorFlow's kernel, so that results round equally.
static void importBilinear(NodeImport &node) {
  ResizeNodeReader resizing(node);
  if (!resizing)
    return;
  NodeDecomposition &parts = resizing.parts;
  Value image = parts.inputs[0], sizes = parts.inputs[1];
  for (int64_t axis : {2, 1}) {
    ResizeSamplePositions places = resizing.places(
        resizing.size(image, axis), resizing.element(sizes, axis - 1),
        /*isNearest=*/false);
    auto [lower, upper, weight] = resizing.neighbours(places);
    // Reshape the weights to [size, 1] for columns or [size, 1, 1] for rows, so
    // that they broadcast over the dimensions after `axis`.
    for (int64_t inner = axis; inner < 3; ++inner)
      weight = parts.make<ExpandDimsOp>({weight, parts.i32(-1)});
    // Converted after the gathers, an image of bytes is read as bytes.
    Value first = resizing.f32(resizing.rows(image, lower, axis));
    Value second = resizing.f32(resizing.rows(image, upper, axis));
    Value difference = parts.make<SubOp>({second, first});
    image = parts.make<AddOp>({first, parts.make<MulOp>({difference, weight})});
  }
  parts.finish(image);
}

static void importNearestGrad(NodeImport &node) {
  ResizeNodeReader resizing(node);
  if (!resizing)
    return;
  Value gradient = resizing.parts.inputs[0], sizes = resizing.parts.inputs[1];
  resizing.parts.finish(resizing.spread(gradient, [&](Value x, int64_t axis) {
    Value from = resizing.element(sizes, axis - 1);
    ResizeSamplePositions places =
        resizing.places(from, resizing.size(gradient, axis),
                        /*isNearest=*/true);
    return resizing.sums(x, resizing.nearest(places), from);
  }));
}

static void importBilinearGrad(NodeImport &node) {
  ResizeNodeReader resizing(node);
  if (!resizing)
    return;
  NodeDecomposition &parts = resizing.parts;
  Value gradient = parts.inputs[0], image = parts.inputs[1];
  Value result = resizing.spread(gradient, [&](Value x, int64_t axis) {
    Value from = resizing.size(image, axis);
    ResizeSamplePositions places =
        resizing.places(from, resizing.size(gradient, axis),
                        /*isNearest=*/false);
    auto [lower, upper, weight] = resizing.neighbours(places);
    for (int64_t inner = 0; inner < 3; ++inner)
      weight = parts.make<ExpandDimsOp>({weight, parts.i32(-1)});
    Value rest = parts.make<SubOp>({resizing.number(1), weight});
    Value ofLower = parts.make<MulOp>({x, rest});
    Value ofUpper = parts.make<MulOp>({x, weight});
    return parts.make<AddOp>({resizing.sums(ofLower, lower, from),
                              resizing.sums(ofUpper, upper, from)});
  });
  parts.finish(resizing.cast(result, getElementTypeOrSelf(image)));
}

void addResizeOps(OpTable &table) {
  static const std::vector<AttributeSpec> attributes = {{"align_corners"},
                                                        {"half_pixel_centers"}};
  static const std::vector<ImportedOp> functions = {
      {{"ResizeNearestNeighbor", 2, "", attributes}, importNearest},
      {{"ResizeNearestNeighborGrad", 2, "", attributes}, importNearestGrad},
      {{"ResizeBilinear", 2, "", attributes}, importBilinear},
      {{"ResizeBilinearGrad", 2, "", attributes}, importBilinearGrad},
  };
  addImportedOps(table, functions);
  addBicubicResizeOps(table);
}

} // namespace ingot::importer
