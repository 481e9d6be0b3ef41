//===- ResizeNodeReader.h - Common parts of image resizing ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Helpers for ops that resize images. Along each of the two axes, every pixel
// of the result has a position in the image. The ops compute these positions,
// gather the image's pixels next to them and interpolate. The gradient of a
// pixel of the image is the weighted sum of the gradients of all result pixels
// that were computed from it. If the sizes are static, the positions fold to
// constants.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_OPS_RESIZENODEREADER_H
#define INGOT_COMPILER_IMPORT_OPS_RESIZENODEREADER_H

#include "compiler/Import/Ops/NodeDecomposition.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/ReductionOps.h"
#include "dialects/Ingot/IR/ShapeInference.h"
#include "dialects/Ingot/IR/TensorOps.h"

namespace ingot::importer {

/// The positions of the result's pixels along an axis of the image, in pixels
/// of the image. `at` is a float32 vector with an element for each pixel of the
/// result along the axis.
struct ResizeSamplePositions {
  mlir::Value at;
  mlir::Value last; // int32 [], index of the image's last pixel on the axis
};

/// Reads a resizing node or the node of its gradient, and computes positions,
/// pixels and weights for it.
class ResizeNodeReader {
public:
  explicit ResizeNodeReader(NodeImport &node)
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

  /// Returns element `index` of a vector as a scalar.
  mlir::Value element(mlir::Value vector, int64_t index) {
    return parts.make<mlir::ingot::GatherOp>(
        {vector, parts.i32(index), parts.i32(0)});
  }
  /// Returns the size of dimension `axis` of a tensor, as a scalar operand.
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

  /// Returns the positions along an axis of `from` pixels that is resized to
  /// `to` pixels. Pixel i of the result is at i * scale or, with
  /// half_pixel_centers, at (i + 0.5) * scale - 0.5. If `isNearest`, the
  /// position with half_pixel_centers is (i + 0.5) * scale, because rounding it
  /// down yields the nearest pixel.
  ResizeSamplePositions places(mlir::Value from, mlir::Value to,
                               bool isNearest);
  /// Returns the index of the image's pixel that is nearest to each position,
  /// as an int32 vector.
  mlir::Value nearest(const ResizeSamplePositions &places);
  /// Returns, for each position, the indices of the two neighbouring pixels of
  /// the image along the axis, at or before the position and at or after it
  /// (two int32 vectors), and the weight of the latter pixel (a float32
  /// vector).
  std::array<mlir::Value, 3> neighbours(const ResizeSamplePositions &places);

  mlir::Value rows(mlir::Value image, mlir::Value indices, int64_t axis) {
    return parts.make<mlir::ingot::GatherOp>({image, indices, parts.i32(axis)});
  }
  /// Permutes the dimensions of `x`.
  mlir::Value transposed(mlir::Value x, llvm::ArrayRef<int64_t> order) {
    return parts.make<mlir::ingot::TransposeOp>(
        {x, parts.vector(order, parts.builder.getI32Type())});
  }
  /// Sums rows of `x` by pixel, as the gradient of a resize along an axis
  /// needs. `x` has one row for each output pixel of the resize. The returned
  /// tensor has one row for each of its `size` input pixels: row i is the sum
  /// of the rows j of `x` for which `pixels[j]` is i.
  mlir::Value sums(mlir::Value x, mlir::Value pixels, mlir::Value size) {
    return parts.make<mlir::ingot::SegmentReduceOp>(
        {x, pixels, size}, {parts.text("reduction", "sum")});
  }
  /// Returns the gradient of the image, given the `gradient` of the resized
  /// image. Calls `sumsAlong` for axis 2 (columns), then for axis 1 (rows),
  /// after a transpose of the axis into dimension 0. `sumsAlong` returns, for
  /// each pixel of the image along dimension 0, the (weighted) sum of the
  /// gradients of the pixels that were computed from it.
  mlir::Value
  spread(mlir::Value gradient,
         llvm::function_ref<mlir::Value(mlir::Value gradient, int64_t axis)>
             sumsAlong) {
    mlir::Value columns = sumsAlong(transposed(gradient, {2, 1, 0, 3}), 2);
    mlir::Value rows = sumsAlong(transposed(columns, {1, 0, 2, 3}), 1);
    return transposed(rows, {2, 0, 1, 3});
  }

  NodeDecomposition parts;

private:
  /// Checks that `tensor` is a batch of images (4-D) and that no size is 0.
  /// Does nothing if `tensor` is a vector, which holds the sizes of the result
  /// instead of images.
  void checkImages(mlir::Value tensor);

  const bool alignsCorners;
  const bool hasPixelCenters;
};

/// Adds the resize ops whose pixels are weighted sums of more than two source
/// pixels per axis, such as ResizeBicubic, to the op table. addResizeOps()
/// calls this function.
void addBicubicResizeOps(OpTable &table);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_OPS_RESIZENODEREADER_H
