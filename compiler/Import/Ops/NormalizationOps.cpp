//===- NormalizationOps.cpp - Batch and response normalization, softmax ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/NormalizationOps.h"
#include "compiler/Import/Ops/ImageLayouts.h"
#include "compiler/Import/Ops/OneToOneOpSpec.h"
#include "compiler/Import/Ops/OpTable.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/ProductOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

static constexpr StringRef known[] = {"U", "epsilon", "exponential_avg_factor",
                                      "is_training"};

static void readAttributes(NodeImport &node,
                           SmallVectorImpl<NamedAttribute> &attributes) {
  Builder builder(node.context());
  attributes.push_back(node.named(
      "epsilon",
      builder.getF32FloatAttr(node.attributes.getFloat("epsilon", 1e-4f))));
  attributes.push_back(node.named(
      "is_training",
      builder.getBoolAttr(node.attributes.getBool("is_training", true))));
}

static Value constantOf(NodeImport &node, ArrayRef<int64_t> shape,
                        ArrayRef<float> values) {
  Builder builder(node.context());
  auto type = RankedTensorType::get(shape, builder.getF32Type());
  return createConstant(node.body.builder, node.loc,
                        DenseElementsAttr::get(type, values));
}

static void importBatchNorm(NodeImport &node) {
  if (!node.expectInputs(5))
    return;
  NHWCNodeReader images(node, known);
  if (node.hasFailed())
    return;
  SmallVector<NamedAttribute> attributes;
  readAttributes(node, attributes);
  attributes.push_back(node.named("exponential_avg_factor",
                                  Builder(node.context())
                                      .getF32FloatAttr(node.attributes.getFloat(
                                          "exponential_avg_factor", 1))));
  SmallVector<Value> operands = {images.image(0)};
  llvm::append_range(operands, node.tensors(1, 5));
  if (node.hasFailed() || !node.attributes.error().empty())
    return;
  Operation *op = node.create<FusedBatchNormOp>(operands, attributes);
  if (!op)
    return;
  images.setImage(0, op->getResult(0));
  for (unsigned port = 1; port < 5; ++port)
    node.setOutput(port, op->getResult(port));
  if (node.node.op().ends_with("V3"))
    node.setOutput(5, constantOf(node, {}, 0.0f));
}

// Imports FusedBatchNormGrad. Its outputs 3 and 4, and the sixth input of V3,
// matter to TensorFlow's GPU kernels only, so the outputs are empty and the
// input is ignored.
static void importBatchNormGrad(NodeImport &node) {
  if (!node.expectInputs(node.node.op().ends_with("V3") ? 6 : 5))
    return;
  NHWCNodeReader images(node, known);
  if (node.hasFailed())
    return;
  SmallVector<NamedAttribute> attributes;
  readAttributes(node, attributes);
  SmallVector<Value> operands = {images.image(0), images.image(1)};
  llvm::append_range(operands, node.tensors(2, 5));
  if (node.hasFailed() || !node.attributes.error().empty())
    return;
  Operation *op = node.create<FusedBatchNormGradOp>(operands, attributes);
  if (!op)
    return;
  images.setImage(0, op->getResult(0));
  node.setOutput(1, op->getResult(1));
  node.setOutput(2, op->getResult(2));
  for (int port : {3, 4})
    node.setOutput(port, constantOf(node, {0}, {}));
}

/// Computes the parts that LRN (local response normalization) and its gradient
/// have in common. LRN is x * norm(x) ^ -beta, where `norm` depends on the
/// squares of neighbouring channels.
class ResponseNormalization {
  NodeImport &node;
  OpBuilder &builder;

public:
  float alpha, beta, bias;
  int64_t radius;

  explicit ResponseNormalization(NodeImport &node)
      : node(node), builder(node.body.builder),
        alpha(node.attributes.getFloat("alpha", 1)),
        beta(node.attributes.getFloat("beta", 0.5)),
        bias(node.attributes.getFloat("bias", 1)),
        radius(node.attributes.getInt("depth_radius", 5)) {}

  template <typename OpTy> Value op(ValueRange operands) {
    if (!llvm::all_of(operands, [](Value value) { return bool(value); }))
      return {};
    Operation *op = node.create<OpTy>(operands);
    return op ? op->getResult(0) : Value();
  }
  Value number(Value like, double value) {
    auto type = RankedTensorType::get({}, getElementTypeOrSelf(like.getType()));
    Attribute element = FloatAttr::get(type.getElementType(), value);
    return createConstant(builder, node.loc,
                          DenseElementsAttr::get(type, element));
  }

  /// Casts `x` to the float type `element`, or returns it if it has that type.
  Value converted(Value x, Type element) {
    if (!x || getElementTypeOrSelf(x.getType()) == element)
      return x;
    Operation *op =
        node.create<CastOp>({x}, {node.named("dst", TypeAttr::get(element))});
    return op ? op->getResult(0) : Value();
  }
  /// Casts floats of less than 32 bits to f32. LRN computes in f32, so that its
  /// result is rounded only once, at the end.
  Value widened(Value x) {
    auto type = cast<FloatType>(getElementTypeOrSelf(x.getType()));
    return type.getWidth() < 32 ? converted(x, builder.getF32Type()) : x;
  }

  /// Returns, for each channel, the sum of the channels at most `radius` away
  /// from it, itself included, as a product with a band matrix of ones.
  Value neighbours(Value x) {
    Shape shape = x ? getTensorShape(x.getType()) : Shape();
    if (!x)
      return {};
    if (!shape || shape->size() != 4 || ShapedType::isDynamic(shape->back())) {
      node.unsupported("the images' number of channels must be static");
      return {};
    }
    int64_t channels = shape->back();
    constexpr int64_t maxChannels = 1 << 13;
    if (channels > maxChannels) {
      node.unsupported(Twine(channels) + " channels; at most " +
                       Twine(maxChannels) + " are supported");
      return {};
    }
    auto element = cast<FloatType>(getElementTypeOrSelf(x.getType()));
    APFloat one(element.getFloatSemantics(), 1),
        zero(element.getFloatSemantics());
    SmallVector<APFloat> band;
    for (int64_t i = 0; i < channels; ++i)
      for (int64_t j = 0; j < channels; ++j)
        band.push_back(std::abs(i - j) <= radius ? one : zero);
    Value ones = createConstant(
        builder, node.loc,
        DenseElementsAttr::get(
            RankedTensorType::get({channels, channels}, element), band));
    return op<BatchMatMulOp>({x, ones});
  }

  /// Returns `norm` of LRN: bias + alpha * (the sum of the squares of the
  /// neighbouring channels of `x`).
  Value norm(Value x) {
    Value sum = neighbours(op<SquareOp>(x));
    if (!sum)
      return {};
    Value scaled = op<MulOp>({sum, number(x, alpha)});
    return op<AddOp>({scaled, number(x, bias)});
  }

  /// Returns norm ^ -beta, the factor by which LRN multiplies its input.
  Value inversePower(Value norm) {
    if (!norm)
      return {};
    Value scaled = op<MulOp>({op<LogOp>(norm), number(norm, -beta)});
    return op<ExpOp>(scaled);
  }
};

static constexpr StringRef responseAttributes[] = {"T", "alpha", "beta", "bias",
                                                   "depth_radius"};

static void importLRN(NodeImport &node) {
  if (!node.expectInputs(1) || !knowsAttributes(node, responseAttributes))
    return;
  Value x = node.tensor(0);
  if (!x)
    return;
  ResponseNormalization lrn(node);
  Type element = getElementTypeOrSelf(x.getType());
  x = lrn.widened(x);
  Value result =
      lrn.converted(lrn.op<MulOp>({x, lrn.inversePower(lrn.norm(x))}), element);
  if (result)
    node.setOutput(0, result);
}

// Imports LRNGrad. LRN divides each channel by a power of its norm, which is
// computed from a sum over neighbouring channels. So a channel's gradient has
// two parts: `own`, because the channel is a numerator, minus `scaled`, because
// it is also part of its neighbours' norms.
static void importLRNGrad(NodeImport &node) {
  if (!node.expectInputs(3) || !knowsAttributes(node, responseAttributes))
    return;
  SmallVector<Value> inputs = node.tensors(0, 3);
  if (node.hasFailed())
    return;
  ResponseNormalization lrn(node);
  Type element = getElementTypeOrSelf(inputs[1].getType());
  Value gradient = lrn.widened(inputs[0]), x = lrn.widened(inputs[1]),
        y = lrn.widened(inputs[2]);
  Value norm = lrn.norm(x);
  if (!norm)
    return;
  Value own = lrn.op<MulOp>({gradient, lrn.inversePower(norm)});
  Value response = lrn.op<RealDivOp>({lrn.op<MulOp>({gradient, y}), norm});
  Value others = lrn.op<MulOp>({lrn.neighbours(response), x});
  if (!others)
    return;
  Value scaled =
      lrn.op<MulOp>({others, lrn.number(x, 2.0 * lrn.alpha * lrn.beta)});
  if (Value result = lrn.converted(lrn.op<SubOp>({own, scaled}), element))
    node.setOutput(0, result);
}

void addNormalizationOps(OpTable &table) {
  for (StringRef version : {"", "V2", "V3"}) {
    OpTableRow &forward = table[("FusedBatchNorm" + version).str()];
    forward = {Effect::Pure, importBatchNorm};
    forward.outputs = {"y", "batch_mean", "batch_variance", "reserve_space_1",
                       "reserve_space_2"};
    OpTableRow &backward = table[("FusedBatchNormGrad" + version).str()];
    backward = {Effect::Pure, importBatchNormGrad};
    backward.outputs = {"x_backprop", "scale_backprop", "offset_backprop"};
    if (version == "V3") {
      forward.outputs.push_back("reserve_space_3");
      backward.outputs.append({"reserve_space_4", "reserve_space_5"});
    } else {
      backward.outputs.append({"reserve_space_3", "reserve_space_4"});
    }
  }
  table["LRN"] = {Effect::Pure, importLRN};
  table["LRNGrad"] = {Effect::Pure, importLRNGrad};
}

} // namespace ingot::importer
