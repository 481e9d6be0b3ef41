//===- ArithmeticDecomposition.h - Nodes that become arithmetic -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Helpers for functions that import a node as arithmetic on its input tensors
// and on the sizes of these tensors. Each helper returns null if an operand is
// null, as the helpers of NodeDecomposition do.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_OPS_ARITHMETICDECOMPOSITION_H
#define INGOT_COMPILER_IMPORT_OPS_ARITHMETICDECOMPOSITION_H

#include "compiler/Import/Ops/NodeDecomposition.h"
#include "compiler/Import/Ops/ShapeChecks.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/RequireValuesOps.h"
#include "dialects/Ingot/IR/ShapeInference.h"
#include "dialects/Ingot/IR/TensorOps.h"

namespace ingot::importer {

/// Imports a node as arithmetic ops on its input tensors and on their sizes.
class ArithmeticDecomposition : public NodeDecomposition {
public:
  using Value = mlir::Value;
  using NodeDecomposition::NodeDecomposition;

  Value add(Value a, Value b) { return make<mlir::ingot::AddOp>({a, b}); }
  Value sub(Value a, Value b) { return make<mlir::ingot::SubOp>({a, b}); }
  Value mul(Value a, Value b) { return make<mlir::ingot::MulOp>({a, b}); }
  Value div(Value a, Value b) { return make<mlir::ingot::RealDivOp>({a, b}); }
  Value smaller(Value a, Value b) {
    return make<mlir::ingot::MinimumOp>({a, b});
  }
  Value larger(Value a, Value b) {
    return make<mlir::ingot::MaximumOp>({a, b});
  }
  Value less(Value a, Value b) { return make<mlir::ingot::LessOp>({a, b}); }
  Value lessEqual(Value a, Value b) {
    return make<mlir::ingot::LessEqualOp>({a, b});
  }
  Value both(Value a, Value b) {
    return make<mlir::ingot::LogicalAndOp>({a, b});
  }
  Value select(Value condition, Value a, Value b) {
    return make<mlir::ingot::SelectOp>({condition, a, b});
  }

  Value cast(Value x, mlir::Type element) {
    if (!x || mlir::getElementTypeOrSelf(x) == element)
      return x;
    return make<mlir::ingot::CastOp>(
        {x}, {node.named("dst", mlir::TypeAttr::get(element))});
  }
  Value f32(Value x) { return cast(x, builder.getF32Type()); }
  Value i64(Value x) { return cast(x, builder.getI64Type()); }
  /// Returns a scalar constant of the float type `element`.
  Value number(mlir::Type element, double value) {
    auto type = mlir::RankedTensorType::get({}, element);
    return mlir::ingot::createConstant(
        builder, node.loc,
        mlir::DenseElementsAttr::get(
            type, mlir::FloatAttr::get(element, value).getValue()));
  }
  Value f32(double value) { return number(builder.getF32Type(), value); }
  Value integer64(int64_t value) { return scalar(value, builder.getI64Type()); }

  /// Returns the sizes of a tensor, an int64 vector.
  Value sizes(Value tensor) {
    auto i64 = mlir::TypeAttr::get(builder.getI64Type());
    return make<mlir::ingot::ShapeOp>({tensor},
                                      {node.named("output_type", i64)});
  }
  /// Returns element `index` of a vector.
  Value element(Value vector, int64_t index) { return row(vector, index, 0); }
  /// Returns the slice of `tensor` at index `index` of dimension `axis`. The
  /// slice lacks this dimension.
  Value row(Value tensor, int64_t index, int64_t axis) {
    return make<mlir::ingot::GatherOp>({tensor, i32(index), i32(axis)});
  }
  Value size(Value tensor, int64_t axis) {
    return element(sizes(tensor), axis);
  }
  Value expanded(Value x, int64_t axis) {
    return make<mlir::ingot::ExpandDimsOp>({x, i32(axis)});
  }
  /// Concatenates tensors along `axis`.
  Value joined(llvm::ArrayRef<Value> tensors, int64_t axis) {
    llvm::SmallVector<Value> operands = {i32(axis)};
    llvm::append_range(operands, tensors);
    return make<mlir::ingot::ConcatOp>(operands);
  }
  Value reshaped(Value x, Value shape) {
    return make<mlir::ingot::ReshapeOp>({x, shape});
  }
  /// Returns 0, 1, .., `count` - 1, in the type of `count`.
  Value range(Value count) {
    mlir::Type type = count ? mlir::getElementTypeOrSelf(count) : mlir::Type();
    return count ? make<mlir::ingot::RangeOp>(
                       {scalar(0, type), count, scalar(1, type)})
                 : Value();
  }

  /// Creates a run-time check that `numbers` meet the condition that
  /// NumberCheckKinds.def states for `kind`. Creates none if `numbers` are
  /// constants that meet it.
  void requireNumbers(Value numbers, llvm::StringRef kind) {
    if (numbers && !mlir::ingot::RequireNumbersOp::areKnown(numbers, kind))
      node.create<mlir::ingot::RequireNumbersOp>({numbers},
                                                 {text("kind", kind)});
  }
  /// Checks that `tensor` has rank `rank`; otherwise records a problem that
  /// begins with `message`, and returns false.
  bool requireRank(Value tensor, size_t rank, llvm::StringRef message) {
    mlir::ingot::Shape shape = mlir::ingot::getTensorShape(tensor.getType());
    if (!shape)
      node.unsupported(message + ", but the rank is unknown; state the shape, "
                                 "as with tf.ensure_shape");
    else if (shape->size() != rank)
      node.malformed(message + ": " + node.describeInputs());
    return shape && shape->size() == rank;
  }
  /// Checks that `tensor` has the sizes `shape`, except along the dimensions in
  /// `free`. `message` has a placeholder for each of the two shapes.
  void requireShape(Value tensor, llvm::ArrayRef<int64_t> shape,
                    const llvm::Twine &message,
                    llvm::ArrayRef<int64_t> free = {}) {
    auto type = mlir::RankedTensorType::get(shape, builder.getI32Type());
    checkSameShape(node, tensor,
                   mlir::ingot::createConstant(builder, node.loc,
                                               mlir::ingot::makeZeros(type)),
                   message, free);
  }
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_OPS_ARITHMETICDECOMPOSITION_H
