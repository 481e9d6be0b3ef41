//===- Resizing.h - What resized images are made of -------------*- C++ -*-===//
//
// Along each of the two axes a pixel of the result lies at some place of the
// image. Ops find these places, gather what is there and mix it; gradients are
// sums over the places that took from a pixel. With static sizes the places
// fold to constants.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_RESIZING_H
#define INGOT_COMPILER_IMPORT_RESIZING_H

#include "compiler/Import/Decomposition.h"
#include "dialects/Ingot/ArrayOps.h"
#include "dialects/Ingot/CastOps.h"
#include "dialects/Ingot/IndexingOps.h"
#include "dialects/Ingot/MathOps.h"
#include "dialects/Ingot/ReductionOps.h"
#include "dialects/Ingot/ShapeInference.h"
#include "dialects/Ingot/TensorOps.h"

namespace ingot::importer {

/// Where along an axis of the image the result's pixels lie: float32 [result].
struct Places {
  mlir::Value at;
  mlir::Value last; // int32 [], the image's last pixel
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
    for (mlir::Value input : parts.inputs)
      checkImages(input);
  }

  explicit operator bool() const { return bool(parts); }

  /// Element `index` of a vector, as a scalar.
  mlir::Value element(mlir::Value vector, int64_t index) {
    return parts.make<mlir::ingot::GatherOp>(
        {vector, parts.i32(index), parts.i32(0)});
  }
  /// The size of dimension `axis` of a tensor.
  mlir::Value size(mlir::Value tensor, int64_t axis) {
    auto type = mlir::TypeAttr::get(parts.builder.getI32Type());
    return element(parts.make<mlir::ingot::ShapeOp>(
                       {tensor}, {parts.node.named("output_type", type)}),
                   axis);
  }
  mlir::Value cast(mlir::Value x, mlir::Type element) {
    if (!x || mlir::getElementTypeOrSelf(x) == element)
      return x;
    return parts.make<mlir::ingot::CastOp>(
        {x}, {parts.node.named("dst", mlir::TypeAttr::get(element))});
  }
  mlir::Value f32(mlir::Value x) { return cast(x, parts.builder.getF32Type()); }
  mlir::Value i32(mlir::Value x) { return cast(x, parts.builder.getI32Type()); }
  mlir::Value number(float value) {
    auto type = mlir::RankedTensorType::get({}, parts.builder.getF32Type());
    return mlir::ingot::createConstant(
        parts.builder, parts.node.loc,
        mlir::DenseElementsAttr::get(type, value));
  }

  /// For an axis of `from` pixels that gets `to`; `isNearest` where one pixel
  /// is picked, for which half a pixel is not taken off again.
  Places places(mlir::Value from, mlir::Value to, bool isNearest);
  /// The pixels that are picked for the places: int32 [result].
  mlir::Value nearest(const Places &places);
  /// The pixels on either side of the places and the weight of the upper one:
  /// int32, int32 and float32 [result].
  std::array<mlir::Value, 3> neighbours(const Places &places);

  mlir::Value rows(mlir::Value image, mlir::Value indices, int64_t axis) {
    return parts.make<mlir::ingot::GatherOp>({image, indices, parts.i32(axis)});
  }
  /// Dimensions in another order.
  mlir::Value transposed(mlir::Value x, llvm::ArrayRef<int64_t> order) {
    return parts.make<mlir::ingot::TransposeOp>(
        {x, parts.vector(order, parts.builder.getI32Type())});
  }
  /// [result, ...] summed to [image, ...]: what each pixel was used for.
  mlir::Value sums(mlir::Value x, mlir::Value pixels, mlir::Value size) {
    return parts.make<mlir::ingot::SegmentReduceOp>(
        {x, pixels, size}, {parts.text("reduction", "sum")});
  }
  /// Along columns, then rows, the first dimension's sums by `sumsAlong`, which
  /// takes the axis: a result's gradient becomes the image's.
  mlir::Value
  spread(mlir::Value gradient,
         llvm::function_ref<mlir::Value(mlir::Value gradient, int64_t axis)>
             sumsAlong) {
    mlir::Value columns = sumsAlong(transposed(gradient, {2, 1, 0, 3}), 2);
    mlir::Value rows = sumsAlong(transposed(columns, {1, 0, 2, 3}), 1);
    return transposed(rows, {2, 0, 1, 3});
  }

  Decomposition parts;

private:
  /// That tensors of several dimensions are images with something in them.
  void checkImages(mlir::Value tensor);

  const bool alignsCorners;
  const bool hasPixelCenters;
};

/// Ways that take more than two pixels, which addResizeOps adds.
void addResizeWindowOps(OpTable &table);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_RESIZING_H
