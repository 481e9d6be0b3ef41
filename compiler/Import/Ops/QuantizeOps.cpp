//===- QuantizeOps.cpp - Quantization and dequantization ------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports QuantizeAndDequantize ops, which simulate the quantization of floats
// to integers of few bits: each float is scaled, rounded and scaled back. The
// scale maps the range of floats into that of the integers and keeps zero.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Ops/ArithmeticDecomposition.h"

#include "dialects/Ingot/IR/GradientOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"

#include <limits>

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

namespace {

/// Reads a QuantizeAndDequantize node. If the node has an axis, each slice
/// along the axis is quantized by a range of its own, whose bounds are elements
/// of vectors.
class QuantizeAndDequantizeNode : public ArithmeticDecomposition {
public:
  explicit QuantizeAndDequantizeNode(NodeImport &node)
      : ArithmeticDecomposition(node),
        isSigned(node.attributes.getBool("signed_input", true)),
        isGiven(node.attributes.getBool("range_given", false)),
        axis(node.attributes.getInt("axis", -1)) {
    if (!*this)
      return;
    type = getElementTypeOrSelf(inputs[0]);
    Shape shape = getTensorShape(inputs[0].getType());
    rank = shape ? static_cast<int64_t>(shape->size()) : 0;
    if (!shape)
      node.unsupported(
          "input has unknown rank; state its shape, as with tf.ensure_shape");
    else if (axis < -1)
      node.malformed("Axis must be at least -1. Found " + Twine(axis));
    else if (axis >= rank)
      node.malformed("Axis requested is larger than input dimensions. Axis: " +
                     Twine(axis) + " Input Dimensions: " + Twine(rank));
  }

  /// Returns input `index`, a bound of the range or, with an axis, the vector
  /// of bounds, reshaped to broadcast with the quantized tensor.
  Value givenBound(unsigned index, StringRef name) {
    Value bound = inputs[index];
    if (axis < 0)
      return reshaped(bound, vector({}, builder.getI64Type()));
    if (!requireRank(bound, 1,
                     ("Shape must be rank 1 for " + name +
                      "_tensor when the axis is specified")
                         .str()))
      return {};
    checkSameSizes(node, sizes(bound), expanded(size(inputs[0], axis), 0),
                   name + "_tensor has incorrect size to match dim " +
                       Twine(axis) + " of the input: {} vs. {}");
    return alongAxis(bound);
  }
  /// Returns a bound of the range for a node that does not state its bounds:
  /// the smallest (MinOp) or largest (MaxOp) element of the quantized tensor
  /// or, with an axis, of each of its slices.
  template <typename OpTy> Value foundBound() {
    SmallVector<int64_t> others;
    for (int64_t dim = 0; dim < rank; ++dim)
      if (dim != axis)
        others.push_back(dim);
    Value bound = make<OpTy>({inputs[0], vector(others, builder.getI32Type())});
    return axis < 0 ? bound : alongAxis(bound);
  }
  Value quantize(Value least, Value most, Value bits);

  bool isSigned, isGiven;
  int64_t axis, rank = 0;
  Type type;

private:
  Value alongAxis(Value bounds) {
    for (int64_t dim = axis + 1; dim < rank; ++dim)
      bounds = expanded(bounds, -1);
    return bounds;
  }
  Value toType(Value x) { return ArithmeticDecomposition::cast(x, type); }
  Value round(Value x) {
    if (node.attributes.getString("round_mode", "HALF_TO_EVEN") == "HALF_UP")
      return make<FloorOp>({add(x, number(type, 0.5))});
    return make<RoundOp>({x});
  }
  /// Returns the scale, the factor that maps `bound` to the integer `limit`:
  /// the lower bound of the range to the smallest integer, or the upper bound
  /// to the largest. If `bound` and `limit` do not have the same sign, the
  /// range has no elements on this side of zero. The result is then the largest
  /// float, so that the other bound determines the scale.
  Value scaleOfSide(Value limit, Value bound) {
    auto floatType = mlir::cast<FloatType>(type);
    auto largest = APFloat::getLargest(floatType.getFloatSemantics());
    Value isSide = less(number(type, 0), mul(limit, bound));
    return select(isSide, div(limit, bound),
                  number(type, largest.convertToDouble()));
  }
};

} // namespace

/// Quantizes the input to integers of `bits` bits, an int64 scalar, and
/// dequantizes it. One factor maps the bound `least` of the range to the
/// smallest integer, another one maps `most` to the largest. The scale is the
/// smaller of them, so that both bounds fit; the range then extends beyond the
/// bound that does not determine the scale.
Value QuantizeAndDequantizeNode::quantize(Value least, Value most, Value bits) {
  Value one = integer64(1);
  Value count = make<LeftShiftOp>({one, isSigned ? sub(bits, one) : bits});
  Value last = sub(count, one), first = integer64(0);
  if (isSigned) {
    first = sub(first, count);
    if (node.attributes.getBool("narrow_range", false))
      first = add(first, one);
  }
  first = toType(first);
  last = toType(last);
  Value ofLeast = scaleOfSide(first, least), ofMost = scaleOfSide(last, most);
  Value isLeast = less(ofLeast, ofMost);
  Value scale = select(isLeast, ofLeast, ofMost);
  Value step = select(isLeast, div(least, first), div(most, last));
  Value x = inputs[0];
  if (isGiven) {
    x = smaller(x, select(isLeast, mul(last, step), most));
    x = larger(x, select(isLeast, least, mul(first, step)));
  }
  return mul(round(mul(x, scale)), step);
}

// Imports all versions of QuantizeAndDequantize. The first version has the
// bounds as attributes, and V3 has the number of bits as an input. The gradient
// of the input equals the gradient of the result; in V4, it is zero for
// elements outside the range.
static void importQuantize(NodeImport &node) {
  QuantizeAndDequantizeNode parts(node);
  if (!parts)
    return;
  bool isFirst = node.node.op() == "QuantizeAndDequantize";
  bool isThird = node.node.op().ends_with("V3");
  bool isFourth = node.node.op().ends_with("V4");
  Value bits = parts.integer64(node.attributes.getInt("num_bits", 8));
  if (isThird) {
    if (!parts.requireRank(parts.inputs[3], 0,
                           "Invalid shape. The `num_bits` tensor should be a "
                           "scalar"))
      return;
    bits = parts.i64(parts.inputs[3]);
  }
  parts.requireNumbers(bits, parts.isSigned ? "signed_bits" : "unsigned_bits");
  Value least, most;
  if (isFirst) {
    least = parts.number(parts.type, node.attributes.getFloat("input_min", 0));
    most = parts.number(parts.type, node.attributes.getFloat("input_max", 0));
  } else if (parts.isGiven || isFourth) {
    least = parts.givenBound(1, "input_min");
    most = parts.givenBound(2, "input_max");
  }
  if (parts.isGiven && parts.axis < 0)
    parts.requireNumbers(parts.sub(most, least), "range_given");
  Value x = parts.inputs[0], surrogate = x;
  if (isFourth)
    surrogate =
        parts.larger(parts.smaller(x, parts.make<StopGradientOp>({most})),
                     parts.make<StopGradientOp>({least}));
  if (!parts.isGiven) {
    least = parts.foundBound<MinOp>();
    most = parts.foundBound<MaxOp>();
  }
  parts.finish(parts.make<StraightThroughOp>(
      {parts.quantize(least, most, bits), surrogate}));
}

// Imports QuantizeAndDequantizeV4Grad. The gradients of the bounds, outputs 1
// and 2, are zeros.
static void importQuantizeGradient(NodeImport &node) {
  QuantizeAndDequantizeNode parts(node);
  if (!parts)
    return;
  // Inputs 0 and 1 are the gradient and the quantized tensor.
  checkSameShape(node, parts.inputs[0], parts.inputs[1],
                 "gradient and input must be the same size: {} vs. {}");
  if (parts.axis < 0)
    for (unsigned i : {2, 3})
      if (!parts.requireRank(parts.inputs[i], 0,
                             i == 2 ? "input_min must be a scalar if axis is "
                                      "unspecified"
                                    : "input_max must be a scalar if axis is "
                                      "unspecified"))
        return;
  Value least = parts.givenBound(2, "input_min");
  Value most = parts.givenBound(3, "input_max");
  Value isInside = parts.both(parts.lessEqual(least, parts.inputs[1]),
                              parts.lessEqual(parts.inputs[1], most));
  parts.finish(parts.mul(parts.inputs[0], parts.cast(isInside, parts.type)));
  for (unsigned port : {1, 2})
    if (Value zeros = parts.make<ZerosLikeOp>({parts.inputs[port + 1]}))
      node.setOutput(port, zeros);
}

void addQuantizeOps(OpTable &table) {
  static const std::vector<AttributeSpec> first = {{"signed_input"},
                                                   {"num_bits"},
                                                   {"range_given"},
                                                   {"input_min"},
                                                   {"input_max"}};
  static const std::vector<AttributeSpec> later = {
      {"signed_input"}, {"num_bits"},     {"range_given"},
      {"round_mode"},   {"narrow_range"}, {"axis"}};
  static const std::vector<AttributeSpec> ofGradient = {{"axis"}};
  static const std::vector<ImportedOp> functions = {
      {{"QuantizeAndDequantize", 1, "", first}, importQuantize},
      {{"QuantizeAndDequantizeV2", 3, "", later}, importQuantize},
      {{"QuantizeAndDequantizeV3", 4, "", later}, importQuantize},
      {{"QuantizeAndDequantizeV4", 3, "", later}, importQuantize},
      {{"QuantizeAndDequantizeV4Grad", 4, "", ofGradient},
       importQuantizeGradient}};
  addImportedOps(table, functions);
  table["QuantizeAndDequantizeV4Grad"].outputs = {
      "input_backprop", "input_min_backprop", "input_max_backprop"};
}

} // namespace ingot::importer
