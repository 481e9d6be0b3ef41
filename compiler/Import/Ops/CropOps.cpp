//===- CropOps.cpp - Crops of images, resized -----------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports CropAndResize and its gradients. A box states the positions of two
// corners of a crop; 0 is the image's first and 1 its last pixel. The pixels of
// the crop are evenly spaced from one corner to the other.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Ops/ArithmeticDecomposition.h"
#include "compiler/Import/Ops/ValueChecks.h"

#include "dialects/Ingot/IR/GradientOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/ReductionOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

namespace {

/// Where the pixels of the crops lie in the image, along one axis. All members
/// have shape [boxes, pixels of a crop] unless stated otherwise.
struct CropSamplePositions {
  Value lower, upper; // int64: the pixels on either side of the position
  Value nearest;      // int64: the pixel nearest to the position
  Value weight;       // float32: the distance of the position from `lower`
  Value isInside;     // whether the position lies within the image
  /// The derivatives of the positions with respect to the box's two corners:
  /// how far each of the crop's pixels moves if the first (or second) corner
  /// moves by 1. Both are float32 [pixels of a crop].
  Value first, second;
};

/// Reads a node of CropAndResize or of one of its gradients.
class CropAndResizeNode : public ArithmeticDecomposition {
public:
  explicit CropAndResizeNode(NodeImport &node)
      : ArithmeticDecomposition(node),
        isNearest(node.attributes.getString("method", "bilinear") ==
                  "nearest") {}

  /// Reads the boxes and, from `indices`, the index of the image that each box
  /// belongs to. `imageSizes` is the shape vector of the images.
  bool readBoxes(Value boxes, Value indices, Value imageSizes);
  CropSamplePositions axis(int64_t axis, Value cropSize);

  /// Returns the indices, among all pixels of all images, of the pixels in rows
  /// `y` and columns `x`: int64 [boxes, rows of a crop, columns of a crop].
  Value pixels(Value y, Value x) {
    Value rows = mul(expanded(expanded(imageOfBox, -1), -1), height);
    rows = add(rows, expanded(y, 2));
    return add(mul(rows, width), expanded(x, 1));
  }
  /// Returns the pixels with the indices `pixels`, as float32. `images` has one
  /// row for each pixel of all images (`flattened`).
  Value gathered(Value images, Value pixels) {
    return f32(make<GatherOp>({images, pixels, i32(0)}));
  }
  /// Reshapes images to a matrix with a row for each pixel.
  Value flattened(Value images) {
    Value pixels = mul(mul(batch, height), width);
    return reshaped(
        images, joined({expanded(pixels, 0), expanded(size(images, 3), 0)}, 0));
  }
  /// Reshapes `x`, which has one element per row (or column) of each crop, so
  /// that it broadcasts with the crops.
  Value ofRows(Value x) { return expanded(expanded(x, -1), -1); }
  Value ofColumns(Value x) { return expanded(expanded(x, 1), -1); }
  /// Returns the image, interpolated bilinearly at the positions of the crops'
  /// pixels. If `isFixed`, no gradient flows to the image.
  Value bilinear(Value image, const CropSamplePositions &y,
                 const CropSamplePositions &x, bool isFixed = false);
  Value nearest(Value image, const CropSamplePositions &y,
                const CropSamplePositions &x);
  Value isInside(const CropSamplePositions &y, const CropSamplePositions &x) {
    return both(ofRows(y.isInside), ofColumns(x.isInside));
  }
  /// Returns 1 - `x`.
  Value rest(Value x) { return sub(f32(1.0), x); }

  bool isNearest;
  Value batch, height, width; // int64 scalars

private:
  Value corner(int64_t index) { return row(theBoxes, index, 1); }

  Value theBoxes, imageOfBox;
};

} // namespace

bool CropAndResizeNode::readBoxes(Value boxes, Value indices,
                                  Value imageSizes) {
  if (!requireRank(boxes, 2, "boxes must be 2-D") ||
      !requireRank(indices, 1, "box_index must be 1-D"))
    return false;
  requireShape(boxes, {1, 4}, "boxes must have 4 columns: {} is not like {}",
               {0});
  checkSameSizes(node, sizes(indices), expanded(size(boxes, 0), 0),
                 "box_index has incompatible shape: {} vs. {} boxes");
  batch = element(imageSizes, 0);
  height = element(imageSizes, 1);
  width = element(imageSizes, 2);
  requireNumbers(height, "cropped_image");
  requireNumbers(width, "cropped_image");
  if (!node.hasFailed())
    checkBelow(node, "box", indices, batch);
  theBoxes = boxes;
  imageOfBox = i64(indices);
  return !node.hasFailed();
}

/// Computes the positions of the crops' pixels along axis 1 or 2 of the images.
/// `cropSize`, an int64 scalar, is the number of pixels of a crop along the
/// axis. A single pixel is placed in the middle of the box.
CropSamplePositions CropAndResizeNode::axis(int64_t axis, Value cropSize) {
  Value from = corner(axis - 1), to = corner(axis + 1);
  Value one = integer64(1), isSingle = lessEqual(cropSize, one);
  Value last = f32(sub(axis == 1 ? height : width, one));
  Value steps = f32(larger(sub(cropSize, one), one));
  Value middle = mul(mul(f32(0.5), add(from, to)), last);
  Value scale = div(mul(sub(to, from), last), steps);
  scale = select(isSingle, f32(0.0), scale);
  Value start = select(isSingle, middle, mul(from, last));
  Value index = f32(range(cropSize));
  Value at = add(expanded(start, 1), mul(index, expanded(scale, 1)));
  CropSamplePositions result;
  result.isInside = both(lessEqual(f32(0.0), at), lessEqual(at, last));
  at = select(result.isInside, at, f32(0.0));
  Value floor = make<FloorOp>({at});
  result.weight = sub(at, floor);
  result.lower = i64(floor);
  result.upper = i64(make<CeilOp>({at}));
  // Round halves away from zero: the floor of the doubled fraction is 1 if the
  // fraction is at least a half.
  Value up = make<FloorOp>({add(result.weight, result.weight)});
  result.nearest = i64(add(floor, up));
  Value half = mul(f32(0.5), last), moved = mul(index, div(last, steps));
  result.first = select(isSingle, half, sub(last, moved));
  result.second = select(isSingle, half, moved);
  return result;
}

Value CropAndResizeNode::bilinear(Value image, const CropSamplePositions &y,
                                  const CropSamplePositions &x, bool isFixed) {
  Value images = flattened(image);
  auto at = [&](Value row, Value column) {
    Value found = gathered(images, pixels(row, column));
    return isFixed ? make<StopGradientOp>({found}) : found;
  };
  auto mix = [&](Value lower, Value upper, Value weight) {
    return add(lower, mul(sub(upper, lower), weight));
  };
  Value columns = ofColumns(x.weight);
  Value top = mix(at(y.lower, x.lower), at(y.lower, x.upper), columns);
  Value bottom = mix(at(y.upper, x.lower), at(y.upper, x.upper), columns);
  return mix(top, bottom, ofRows(y.weight));
}

/// Returns the image's pixels that are nearest to the positions of the crops'
/// pixels. As in TensorFlow, the boxes nevertheless get the gradient of
/// bilinear interpolation.
Value CropAndResizeNode::nearest(Value image, const CropSamplePositions &y,
                                 const CropSamplePositions &x) {
  Value found = gathered(flattened(image), pixels(y.nearest, x.nearest));
  Value mixed = bilinear(image, y, x, /*isFixed=*/true);
  return make<StraightThroughOp>({found, add(found, mixed)});
}

static void importCropAndResize(NodeImport &node) {
  CropAndResizeNode parts(node);
  if (!parts)
    return;
  Value image = parts.inputs[0], crop = parts.inputs[3];
  if (!parts.requireRank(image, 4, "input image must be 4-D") ||
      !parts.requireRank(crop, 1, "crop_size must be 1-D"))
    return;
  parts.requireShape(crop, {2}, "crop_size must have two elements: {} vs. {}");
  if (!parts.readBoxes(parts.inputs[1], parts.inputs[2], parts.sizes(image)))
    return;
  parts.requireNumbers(crop, "crop_size");
  parts.requireNumbers(parts.inputs[1], "boxes");
  CropSamplePositions y = parts.axis(1, parts.i64(parts.element(crop, 0)));
  CropSamplePositions x = parts.axis(2, parts.i64(parts.element(crop, 1)));
  Value mixed = parts.isNearest ? parts.nearest(image, y, x)
                                : parts.bilinear(image, y, x);
  double outside = node.attributes.getFloat("extrapolation_value", 0);
  parts.finish(parts.select(parts.isInside(y, x), mixed, parts.f32(outside)));
}

// Checks that `gradient`, the gradient of the crops, has as many crops as there
// are boxes, and that its height and width are positive.
static bool checkCrops(CropAndResizeNode &parts, Value gradient, Value boxes) {
  if (!parts.requireRank(gradient, 4, "grads image must be 4-D"))
    return false;
  for (int64_t axis : {1, 2})
    parts.requireNumbers(parts.size(gradient, axis), "grads_size");
  checkSameSizes(parts.node, parts.expanded(parts.size(gradient, 0), 0),
                 parts.expanded(parts.size(boxes, 0), 0),
                 "boxes and grads have incompatible shape: {} vs. {}");
  return !parts.node.hasFailed();
}

// Imports CropAndResizeGradImage. The gradient of a crop's pixel is added to
// those pixels of the image from which it was interpolated, with the weights of
// the interpolation, in the order of TensorFlow's kernel.
static void importImageGradient(NodeImport &node) {
  CropAndResizeNode parts(node);
  if (!parts)
    return;
  Value gradient = parts.inputs[0], boxes = parts.inputs[1];
  Value imageSizes = parts.inputs[3];
  if (!parts.requireRank(imageSizes, 1, "image_size must be 1-D"))
    return;
  parts.requireShape(imageSizes, {4},
                     "image_size must have 4 elements: {} vs. {}");
  imageSizes = parts.i64(imageSizes);
  // Rebuild the vector of the image's sizes from its four elements, so that its
  // length is static even if that of the input is dynamic.
  SmallVector<Value> each;
  for (int64_t dim = 0; dim < 4; ++dim)
    each.push_back(parts.expanded(parts.element(imageSizes, dim), 0));
  imageSizes = parts.joined(each, 0);
  if (!parts.readBoxes(boxes, parts.inputs[2], imageSizes) ||
      !checkCrops(parts, gradient, boxes))
    return;
  parts.requireNumbers(imageSizes, "size");
  checkSameSizes(node, imageSizes, parts.sizes(gradient),
                 "image_size and grads are incompatible: {} vs. {}", {0, 1, 2});
  CropSamplePositions y = parts.axis(1, parts.size(gradient, 1));
  CropSamplePositions x = parts.axis(2, parts.size(gradient, 2));
  SmallVector<Value> shares, pixels;
  proto::DataType dtype = node.attributes.getType("T", proto::DT_FLOAT);
  Type type = convertElementType(dtype, node.context());
  if (!type)
    return node.unsupported("element type " + getTypeName(dtype));
  Value isInside =
      parts.both(parts.expanded(y.isInside, 2), parts.expanded(x.isInside, 1));
  auto pass = [&](Value row, Value column, Value share) {
    Value pixel =
        parts.select(isInside, parts.pixels(row, column), parts.integer64(-1));
    pixels.push_back(parts.expanded(pixel, 3));
    shares.push_back(parts.expanded(parts.cast(share, type), 3));
  };
  if (parts.isNearest) {
    pass(y.nearest, x.nearest, gradient);
  } else {
    Value rows = parts.ofRows(y.weight), columns = parts.ofColumns(x.weight);
    Value top = parts.mul(parts.rest(rows), gradient);
    Value bottom = parts.mul(rows, gradient);
    pass(y.lower, x.lower, parts.mul(parts.rest(columns), top));
    pass(y.lower, x.upper, parts.mul(columns, top));
    pass(y.upper, x.lower, parts.mul(parts.rest(columns), bottom));
    pass(y.upper, x.upper, parts.mul(columns, bottom));
  }
  if (node.hasFailed())
    return;
  Value count = parts.mul(parts.mul(parts.batch, parts.height), parts.width);
  Value sums = parts.make<SegmentReduceOp>(
      {parts.joined(shares, 3), parts.joined(pixels, 3), count},
      {parts.text("reduction", "sum")});
  parts.finish(parts.reshaped(sums, imageSizes));
}

// Imports CropAndResizeGradBoxes. If a corner of a box moves, the pixels of its
// crop are read at other positions, and their colors change by the slope of the
// image there.
static void importBoxesGradient(NodeImport &node) {
  CropAndResizeNode parts(node);
  if (!parts)
    return;
  Value gradient = parts.inputs[0], image = parts.inputs[1];
  Value boxes = parts.inputs[2];
  if (!parts.requireRank(image, 4, "input image must be 4-D") ||
      !parts.readBoxes(boxes, parts.inputs[3], parts.sizes(image)) ||
      !checkCrops(parts, gradient, boxes))
    return;
  checkSameSizes(node, parts.sizes(gradient), parts.sizes(image),
                 "image, grads depth differ: {} vs. {}", {0, 1, 2});
  CropSamplePositions y = parts.axis(1, parts.size(gradient, 1));
  CropSamplePositions x = parts.axis(2, parts.size(gradient, 2));
  Value images = parts.flattened(image);
  auto at = [&](Value row, Value column) {
    return parts.gathered(images, parts.pixels(row, column));
  };
  Value topLeft = at(y.lower, x.lower), topRight = at(y.lower, x.upper);
  Value bottomLeft = at(y.upper, x.lower), bottomRight = at(y.upper, x.upper);
  auto slope = [&](Value lower, Value upper, Value lowerEnd, Value upperEnd,
                   Value weight) {
    Value first = parts.mul(parts.rest(weight), parts.sub(upper, lower));
    Value second = parts.mul(weight, parts.sub(upperEnd, lowerEnd));
    Value change = parts.mul(parts.add(first, second), gradient);
    return parts.select(parts.isInside(y, x), change, parts.f32(0.0));
  };
  Value ofY = slope(topLeft, bottomLeft, topRight, bottomRight,
                    parts.ofColumns(x.weight));
  Value ofX =
      slope(topLeft, topRight, bottomLeft, bottomRight, parts.ofRows(y.weight));
  Value axes = parts.vector({1, 2, 3}, parts.builder.getI32Type());
  auto total = [&](Value change, Value moved) {
    return parts.expanded(parts.make<SumOp>({parts.mul(change, moved), axes}),
                          1);
  };
  auto alongRows = [&](Value moved) {
    return parts.expanded(parts.expanded(moved, -1), -1);
  };
  parts.finish(parts.joined({total(ofY, alongRows(y.first)),
                             total(ofX, parts.expanded(x.first, -1)),
                             total(ofY, alongRows(y.second)),
                             total(ofX, parts.expanded(x.second, -1))},
                            1));
}

void addCropOps(OpTable &table) {
  static const std::vector<AttributeSpec> ofCrop = {{"method"},
                                                    {"extrapolation_value"}};
  static const std::vector<AttributeSpec> ofGradient = {{"method"}};
  static const std::vector<ImportedOp> functions = {
      {{"CropAndResize", 4, "", ofCrop}, importCropAndResize},
      {{"CropAndResizeGradImage", 4, "", ofGradient}, importImageGradient},
      {{"CropAndResizeGradBoxes", 4, "", ofGradient}, importBoxesGradient}};
  addImportedOps(table, functions);
}

} // namespace ingot::importer
