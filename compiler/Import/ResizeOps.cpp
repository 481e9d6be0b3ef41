//===- ResizeOps.cpp - Images brought to another size ---------------------===//
//
// Along each of the two axes a pixel of the result lies at some place of the
// image. Ops find these places, gather what is there and mix it; gradients are
// sums over the places that took from a pixel. With static sizes the places
// fold to constants.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Decomposition.h"

#include "dialects/Ingot/ArrayOps.h"
#include "dialects/Ingot/CastOps.h"
#include "dialects/Ingot/IndexingOps.h"
#include "dialects/Ingot/MathOps.h"
#include "dialects/Ingot/PointwiseOps.h"
#include "dialects/Ingot/ReductionOps.h"
#include "dialects/Ingot/RequireValuesOps.h"
#include "dialects/Ingot/ShapeInference.h"
#include "dialects/Ingot/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

namespace {
/// Where along an axis of the image the result's pixels lie: float32 [result].
struct Places {
  Value at;
  Value last; // int32 [], the image's last pixel
};

/// What the resizing ops and their gradients are made of.
class Resizing {
public:
  explicit Resizing(NodeImport &node)
      : parts(node),
        alignsCorners(node.attributes.getBool("align_corners", false)),
        hasPixelCenters(node.attributes.getBool("half_pixel_centers", false)) {
    if (parts && alignsCorners && hasPixelCenters)
      node.malformed("If half_pixel_centers is True, align_corners must be "
                     "False.");
    for (Value input : parts.inputs)
      checkImages(input);
  }

  explicit operator bool() const { return bool(parts); }

  /// Element `index` of a vector, as a scalar.
  Value element(Value vector, int64_t index) {
    return parts.make<GatherOp>({vector, parts.i32(index), parts.i32(0)});
  }
  /// The size of dimension `axis` of a tensor.
  Value size(Value tensor, int64_t axis) {
    auto type = TypeAttr::get(parts.builder.getI32Type());
    return element(
        parts.make<ShapeOp>({tensor}, {parts.node.named("output_type", type)}),
        axis);
  }
  Value cast(Value x, Type element) {
    if (!x || getElementTypeOrSelf(x) == element)
      return x;
    return parts.make<CastOp>(
        {x}, {parts.node.named("dst", TypeAttr::get(element))});
  }
  Value f32(Value x) { return cast(x, parts.builder.getF32Type()); }
  Value i32(Value x) { return cast(x, parts.builder.getI32Type()); }
  Value number(float value) {
    auto type = RankedTensorType::get({}, parts.builder.getF32Type());
    return createConstant(parts.builder, parts.node.loc,
                          DenseElementsAttr::get(type, value));
  }

  /// For an axis of `from` pixels that gets `to`; `isNearest` where one pixel
  /// is picked, for which half a pixel is not taken off again.
  Places places(Value from, Value to, bool isNearest);
  /// The pixels that are picked for the places: int32 [result].
  Value nearest(const Places &places);
  /// The pixels on either side of the places and the weight of the upper one:
  /// int32, int32 and float32 [result].
  std::array<Value, 3> neighbours(const Places &places);

  Value rows(Value image, Value indices, int64_t axis) {
    return parts.make<GatherOp>({image, indices, parts.i32(axis)});
  }
  /// Dimensions in another order.
  Value transposed(Value x, ArrayRef<int64_t> order) {
    return parts.make<TransposeOp>(
        {x, parts.vector(order, parts.builder.getI32Type())});
  }
  /// [result, ...] summed to [image, ...]: what each pixel was used for.
  Value sums(Value x, Value pixels, Value size) {
    return parts.make<SegmentReduceOp>({x, pixels, size},
                                       {parts.text("reduction", "sum")});
  }
  /// Along columns, then rows, the first dimension's sums by `sumsAlong`, which
  /// takes the axis: a result's gradient becomes the image's.
  Value spread(Value gradient,
               function_ref<Value(Value gradient, int64_t axis)> sumsAlong) {
    Value columns = sumsAlong(transposed(gradient, {2, 1, 0, 3}), 2);
    Value rows = sumsAlong(transposed(columns, {1, 0, 2, 3}), 1);
    return transposed(rows, {2, 0, 1, 3});
  }

  Decomposition parts;

private:
  /// That tensors of several dimensions are images with something in them.
  void checkImages(Value tensor);

  const bool alignsCorners;
  const bool hasPixelCenters;
};
} // namespace

void Resizing::checkImages(Value tensor) {
  Shape shape = getTensorShape(tensor.getType());
  if (!parts || (shape && shape->size() == 1)) // sizes
    return;
  if (!shape)
    return parts.node.unsupported("the number of dimensions is not known");
  if (shape->size() != 4)
    return parts.node.malformed("its image has " + Twine(shape->size()) +
                                " dimensions and not 4");
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

Places Resizing::places(Value from, Value to, bool isNearest) {
  Value one = parts.i32(1);
  Value last = parts.make<SubOp>({from, one});
  Value scale;
  if (alignsCorners) {
    // A single pixel is the first, whatever its distance would be.
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

Value Resizing::nearest(const Places &places) {
  Value lower = parts.make<FloorOp>({places.at});
  if (alignsCorners) {
    // Halves away from zero: twice the rest is exact, and 0.x or 1.x.
    Value rest = parts.make<SubOp>({places.at, lower});
    Value up = parts.make<FloorOp>({parts.make<AddOp>({rest, rest})});
    lower = parts.make<AddOp>({lower, up});
  }
  return parts.make<MinimumOp>({i32(lower), places.last});
}

std::array<Value, 3> Resizing::neighbours(const Places &places) {
  Value floor = parts.make<FloorOp>({places.at});
  Value lower = parts.make<MaximumOp>({i32(floor), parts.i32(0)});
  Value upper = parts.make<MinimumOp>(
      {i32(parts.make<CeilOp>({places.at})), places.last});
  return {lower, upper, parts.make<SubOp>({places.at, floor})};
}

static void importNearest(NodeImport &node) {
  Resizing resizing(node);
  if (!resizing)
    return;
  Value image = resizing.parts.inputs[0], sizes = resizing.parts.inputs[1];
  for (int64_t axis : {2, 1}) {
    Places places =
        resizing.places(resizing.size(image, axis),
                        resizing.element(sizes, axis - 1), /*isNearest=*/true);
    image = resizing.rows(image, resizing.nearest(places), axis);
  }
  resizing.parts.finish(image);
}

// Columns before rows, as TensorFlow mixes them.
static void importBilinear(NodeImport &node) {
  Resizing resizing(node);
  if (!resizing)
    return;
  Decomposition &parts = resizing.parts;
  Value image = resizing.f32(parts.inputs[0]), sizes = parts.inputs[1];
  for (int64_t axis : {2, 1}) {
    Places places = resizing.places(resizing.size(image, axis),
                                    resizing.element(sizes, axis - 1),
                                    /*isNearest=*/false);
    auto [lower, upper, weight] = resizing.neighbours(places);
    // [size, 1] or [size, 1, 1]: a weight for each row or column.
    for (int64_t inner = axis; inner < 3; ++inner)
      weight = parts.make<ExpandDimsOp>({weight, parts.i32(-1)});
    Value first = resizing.rows(image, lower, axis);
    Value second = resizing.rows(image, upper, axis);
    Value difference = parts.make<SubOp>({second, first});
    image = parts.make<AddOp>({first, parts.make<MulOp>({difference, weight})});
  }
  parts.finish(image);
}

static void importNearestGrad(NodeImport &node) {
  Resizing resizing(node);
  if (!resizing)
    return;
  Value gradient = resizing.parts.inputs[0], sizes = resizing.parts.inputs[1];
  resizing.parts.finish(resizing.spread(gradient, [&](Value x, int64_t axis) {
    Value from = resizing.element(sizes, axis - 1);
    Places places = resizing.places(from, resizing.size(gradient, axis),
                                    /*isNearest=*/true);
    return resizing.sums(x, resizing.nearest(places), from);
  }));
}

static void importBilinearGrad(NodeImport &node) {
  Resizing resizing(node);
  if (!resizing)
    return;
  Decomposition &parts = resizing.parts;
  Value gradient = parts.inputs[0], image = parts.inputs[1];
  Value result = resizing.spread(gradient, [&](Value x, int64_t axis) {
    Value from = resizing.size(image, axis);
    Places places = resizing.places(from, resizing.size(gradient, axis),
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
}

} // namespace ingot::importer
