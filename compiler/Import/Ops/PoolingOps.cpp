//===- PoolingOps.cpp - Pooling -------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/PoolingOps.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Ops/ImageLayouts.h"
#include "compiler/Import/Ops/NodeDecomposition.h"
#include "compiler/Import/Ops/OpTable.h"
#include "compiler/Import/Ops/ShapeChecks.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/ConvolutionOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/ReductionOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

static constexpr StringRef known[] = {"ksize", "strides", "padding",
                                      "explicit_paddings"};

static constexpr StringRef placesKnown[] = {
    "ksize", "strides", "padding", "Targmax", "include_batch_in_index"};

// Appends the window, strides and padding of a pooling node to `attributes`.
// Window and strides are attributes of the node or, in V2 ops, the two inputs
// after the first `tensors` inputs. Returns false after a problem.
static bool readAttributes(NodeImport &node, NHWCNodeReader &images,
                           size_t tensors,
                           SmallVectorImpl<NamedAttribute> &attributes) {
  if (node.hasFailed())
    return false;
  SmallVector<int64_t> window, strides;
  bool isV2 = node.node.op().ends_with("V2");
  if (isV2 ? !images.readPair(tensors, "ksize", window) ||
                 !images.readPair(tensors + 1, "strides", strides)
           : !images.readPair("ksize", window) ||
                 !images.readPair("strides", strides))
    return false;
  attributes.push_back(images.pair("window", window));
  attributes.push_back(images.pair("strides", strides));
  return images.readPadding(attributes) && node.attributes.error().empty();
}

static bool expectTensors(NodeImport &node, size_t tensors) {
  return node.expectInputs(node.node.op().ends_with("V2") ? tensors + 2
                                                          : tensors);
}

template <typename OpTy> static void importPool(NodeImport &node) {
  if (!expectTensors(node, 1))
    return;
  NHWCNodeReader images(node, known);
  SmallVector<NamedAttribute> attributes;
  if (!readAttributes(node, images, 1, attributes))
    return;
  Value input = images.image(0);
  if (!input)
    return;
  if (Operation *op = node.create<OpTy>({input}, attributes))
    images.setImage(0, op->getResult(0));
}

// Imports MaxPoolGrad. Input 1, the result of the forward pool, is not needed,
// since the ingot op recomputes it.
static void importMaxPoolGrad(NodeImport &node) {
  if (!expectTensors(node, 3))
    return;
  NHWCNodeReader images(node, known);
  SmallVector<NamedAttribute> attributes;
  if (!readAttributes(node, images, 3, attributes))
    return;
  Value input = images.image(0), gradient = images.image(2);
  if (!input || !gradient)
    return;
  if (Operation *op = node.create<MaxPoolGradOp>({input, gradient}, attributes))
    images.setImage(0, op->getResult(0));
}

/// Returns, for each pooling window of `input`, the element of `given` at the
/// position of the window's first maximum: MaxPoolGradGrad returns these
/// elements. Extracts the elements of each window as a patch, and compares them
/// with the window's maximum. The patches of a tensor of ones are a mask that
/// excludes padding, because they are 0 only in the padding.
static Value atLargest(NodeImport &node, Value input, Value given,
                       ArrayRef<NamedAttribute> window) {
  OpBuilder &builder = node.body.builder;
  Type element = getElementTypeOrSelf(input);
  auto scalar = [&](TypedAttr value) {
    return createConstant(
        builder, node.loc,
        DenseElementsAttr::get(RankedTensorType::get({}, value.getType()),
                               Attribute(value)));
  };
  auto cast = [&](Value value, Type type) {
    return node.make<CastOp>({value}, node.named("dst", TypeAttr::get(type)));
  };
  auto patches = [&](Value image) {
    return node.make<ExtractPatchesOp>({image}, window);
  };
  Type i32 = builder.getI32Type();
  Value axis = scalar(builder.getI32IntegerAttr(3));
  Value seen = patches(input);
  Value largest = node.make<MaxPoolOp>({input}, window);
  Value isLargest =
      node.make<EqualOp>({seen, node.make<ExpandDimsOp>({largest, axis})});
  Value shape = node.make<ShapeOp>(
      {input}, {node.named("output_type", TypeAttr::get(i32))});
  Value ones = node.make<FillOp>({shape, scalar(builder.getI32IntegerAttr(1))});
  Value chosen = node.make<MulOp>({cast(isLargest, i32), patches(ones)});
  Value before = node.make<CumulativeOp>(
      {chosen, axis}, {node.named("kind", builder.getStringAttr("sum")),
                       node.named("exclusive", builder.getBoolAttr(true))});
  Value isFirst = node.make<LessOp>({before, chosen});
  Value first = node.make<MulOp>({cast(isFirst, element), patches(given)});
  return node.make<SumOp>({first, axis});
}

// Imports MaxPoolGradGrad. Input 1, the result of the forward pool, is not
// needed, since it is recomputed.
static void importMaxPoolGradGrad(NodeImport &node) {
  if (!expectTensors(node, 3))
    return;
  NHWCNodeReader images(node, known);
  SmallVector<NamedAttribute> attributes;
  if (!readAttributes(node, images, 3, attributes))
    return;
  Value input = images.image(0), given = images.image(2);
  if (!input || !given)
    return;
  checkSameShape(node, input, given,
                 "Expected grad shape to be {}, but got {}");
  if (Value result = atLargest(node, input, given, attributes))
    images.setImage(0, result);
}

static void importAvgPoolGrad(NodeImport &node) {
  if (!expectTensors(node, 2))
    return;
  NHWCNodeReader images(node, known);
  SmallVector<NamedAttribute> attributes;
  if (!readAttributes(node, images, 2, attributes))
    return;
  Value shape = images.imageShape(0), gradient = images.image(1);
  if (!shape || !gradient)
    return;
  if (Operation *op = node.create<AvgPoolGradOp>({shape, gradient}, attributes))
    images.setImage(0, op->getResult(0));
}

static void importMaxPoolWithArgmax(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  NHWCNodeReader images(node, placesKnown);
  SmallVector<NamedAttribute> attributes;
  if (!readAttributes(node, images, 1, attributes))
    return;
  Type index = convertElementType(
      node.attributes.getType("Targmax", proto::DT_INT64), node.context());
  bool hasBatch = node.attributes.getBool("include_batch_in_index", false);
  Value input = images.image(0);
  if (!input || !index)
    return;
  attributes.push_back(node.named("index_type", TypeAttr::get(index)));
  attributes.push_back(node.named("include_batch_in_index",
                                  node.body.builder.getBoolAttr(hasBatch)));
  if (Operation *op = node.create<MaxPoolWithArgmaxOp>({input}, attributes))
    for (auto [port, result] : llvm::enumerate(op->getResults()))
      node.setOutput(port, result);
}

// Imports MaxPoolGradWithArgmax: adds each element of the gradient to the
// position that the argmax input names for its window.
static void importMaxPoolGradWithArgmax(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  Value input = parts.inputs[0], places = parts.inputs[2];
  Type index = getElementTypeOrSelf(places);
  Value shape = parts.make<ShapeOp>(
      {input}, {node.named("output_type", TypeAttr::get(index))});
  auto product = [&](ArrayRef<int64_t> axes) {
    Type i32 = parts.builder.getI32Type();
    Value sizes =
        parts.make<GatherOp>({shape, parts.vector(axes, i32), parts.i32(0)});
    return parts.make<ProdOp>({sizes, parts.vector({0}, i32)});
  };
  if (!node.attributes.getBool("include_batch_in_index", false)) {
    Value images = parts.make<RangeOp>(
        {parts.scalar(0, index), product({0}), parts.scalar(1, index)});
    Value first = parts.make<MulOp>({images, product({1, 2, 3})});
    places = parts.make<AddOp>(
        {places,
         parts.make<ReshapeOp>({first, parts.vector({-1, 1, 1, 1}, index)})});
  }
  auto flat = [&](Value x) {
    return parts.make<ReshapeOp>({x, parts.vector({-1}, index)});
  };
  Value sums = parts.make<SegmentReduceOp>(
      {flat(parts.inputs[1]), flat(places), product({0, 1, 2, 3})},
      {parts.text("reduction", "sum")});
  parts.finish(parts.make<ReshapeOp>({sums, shape}));
}

void addPoolingOps(OpTable &table) {
  static const std::vector<ImportedOp> functions = {
      {{"MaxPoolGradWithArgmax",
        3,
        "",
        {{"ksize"},
         {"strides"},
         {"padding"},
         {"Targmax"},
         {"include_batch_in_index"}}},
       importMaxPoolGradWithArgmax}};
  addImportedOps(table, functions);
  table["MaxPoolWithArgmax"] = {Effect::Pure, importMaxPoolWithArgmax};
  table["MaxPoolWithArgmax"].outputs = {"output", "argmax"};
  table["MaxPool"] = {Effect::Pure, importPool<MaxPoolOp>};
  table["MaxPoolV2"] = {Effect::Pure, importPool<MaxPoolOp>};
  table["AvgPool"] = {Effect::Pure, importPool<AvgPoolOp>};
  table["MaxPoolGrad"] = {Effect::Pure, importMaxPoolGrad};
  table["MaxPoolGradV2"] = {Effect::Pure, importMaxPoolGrad};
  table["MaxPoolGradGrad"] = {Effect::Pure, importMaxPoolGradGrad};
  table["MaxPoolGradGradV2"] = {Effect::Pure, importMaxPoolGradGrad};
  table["AvgPoolGrad"] = {Effect::Pure, importAvgPoolGrad};
}

} // namespace ingot::importer
