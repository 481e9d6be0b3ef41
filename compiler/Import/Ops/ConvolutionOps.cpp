//===- ConvolutionOps.cpp - Convolutions ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ConvolutionOps.h"
#include "compiler/Import/Ops/GroupedConvolutions.h"
#include "compiler/Import/Ops/ImageLayouts.h"
#include "compiler/Import/Ops/OpTable.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

static constexpr StringRef known[] = {"strides", "dilations", "padding",
                                      "explicit_paddings"};

static bool isDepthwise(NodeImport &node) {
  return node.node.op().starts_with("Depthwise");
}

// Reads the attributes of a convolution, or of a gradient of one, and appends
// the corresponding attributes of the ingot op to `attributes`. Returns false
// after a problem.
static bool readAttributes(NodeImport &node, NHWCNodeReader &images,
                           SmallVectorImpl<NamedAttribute> &attributes) {
  if (node.hasFailed() || !images.readWindow(/*dilates=*/true, attributes))
    return false;
  attributes.push_back(node.named(
      "depthwise", node.body.builder.getBoolAttr(isDepthwise(node))));
  return node.attributes.error().empty();
}

/// Creates one `OpT` per group of channels; `operands(i)` returns the operands
/// of group i. Returns the results, concatenated along the channels, or null
/// after a problem.
template <typename OpT>
static Value
createGroups(NodeImport &node, int64_t groups,
             ArrayRef<NamedAttribute> attributes,
             llvm::function_ref<SmallVector<Value>(int64_t)> operands) {
  SmallVector<Value> results;
  for (int64_t group = 0; group < groups; ++group) {
    Operation *op = node.create<OpT>(operands(group), attributes);
    if (!op)
      return {};
    results.push_back(op->getResult(0));
  }
  return groups == 1 ? results.front() : joinChannels(node, results);
}

// Splits a tensor into one slice per group of channels. Returns the tensor
// itself if there is only one group.
static SmallVector<Value> groupsOf(NodeImport &node, Value value,
                                   int64_t groups) {
  return groups == 1 ? SmallVector<Value>{value}
                     : splitChannels(node, value, groups);
}

static void importConvolution(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  NHWCNodeReader images(node, known);
  SmallVector<NamedAttribute> attributes;
  if (!readAttributes(node, images, attributes))
    return;
  Value input = images.image(0), filter = node.tensor(1);
  if (!input || !filter)
    return;
  std::optional<int64_t> groups =
      isDepthwise(node) ? 1
                        : countGroups(node, knownDim(input, 3),
                                      knownDim(filter, 2), knownDim(filter, 3));
  if (!groups)
    return;
  auto inputs = groupsOf(node, input, *groups);
  auto filters = groupsOf(node, filter, *groups);
  if (node.hasFailed())
    return;
  if (Value result =
          createGroups<Conv2DOp>(node, *groups, attributes, [&](int64_t i) {
            return SmallVector<Value>{inputs[i], filters[i]};
          }))
    images.setImage(0, result);
}

static void importBackpropInput(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  NHWCNodeReader images(node, known);
  SmallVector<NamedAttribute> attributes;
  if (!readAttributes(node, images, attributes))
    return;
  Value sizes = images.imageShape(0), filter = node.tensor(1),
        gradient = images.image(2);
  if (!sizes || !filter || !gradient)
    return;
  std::optional<int64_t> groups =
      isDepthwise(node) ? 1
                        : countGroups(node, knownSize(sizes, 3),
                                      knownDim(filter, 2), knownDim(filter, 3));
  if (!groups)
    return;
  if (*groups != 1)
    sizes = withLastSize(node, sizes, knownDim(filter, 2));
  auto filters = groupsOf(node, filter, *groups);
  auto gradients = groupsOf(node, gradient, *groups);
  if (node.hasFailed())
    return;
  if (Value result = createGroups<Conv2DBackpropInputOp>(
          node, *groups, attributes, [&](int64_t i) {
            return SmallVector<Value>{sizes, filters[i], gradients[i]};
          }))
    images.setImage(0, result);
}

static void importBackpropFilter(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  NHWCNodeReader images(node, known);
  SmallVector<NamedAttribute> attributes;
  if (!readAttributes(node, images, attributes))
    return;
  Value input = images.image(0), sizes = node.tensor(1),
        gradient = images.image(2);
  if (!input || !sizes || !gradient)
    return;
  int64_t outputs = knownSize(sizes, 3);
  std::optional<int64_t> groups =
      isDepthwise(node)
          ? 1
          : countGroups(node, knownDim(input, 3), knownSize(sizes, 2), outputs);
  if (!groups)
    return;
  if (*groups != 1) {
    if (ShapedType::isDynamic(outputs))
      return node.unsupported(
          "grouped convolution with a filter of dynamic shape; state its "
          "shape, as with tf.ensure_shape");
    sizes = withLastSize(node, sizes, outputs / *groups);
  }
  auto inputs = groupsOf(node, input, *groups);
  auto gradients = groupsOf(node, gradient, *groups);
  if (node.hasFailed())
    return;
  if (Value result = createGroups<Conv2DBackpropFilterOp>(
          node, *groups, attributes, [&](int64_t i) {
            return SmallVector<Value>{inputs[i], sizes, gradients[i]};
          }))
    node.setOutput(0, result);
}

// Imports ExtractImagePatches as `ingot.extract_patches`, whose result has one
// dimension for the pixels of a patch and one for channels, and a reshape that
// merges the two.
static void importPatches(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  NHWCNodeReader images(node, {"ksizes", "strides", "rates", "padding"});
  SmallVector<int64_t> window, strides, rates;
  SmallVector<NamedAttribute> attributes;
  if (node.hasFailed() || !images.readPair("ksizes", window) ||
      !images.readPair("strides", strides) ||
      !images.readPair("rates", rates) || !images.readPadding(attributes))
    return;
  attributes.append({images.pair("window", window),
                     images.pair("strides", strides),
                     images.pair("dilations", rates)});
  Value image = node.tensor(0);
  if (!image || !node.attributes.error().empty())
    return;
  Value patches = node.make<ExtractPatchesOp>({image}, attributes);
  if (!patches)
    return;
  auto type = TypeAttr::get(node.body.builder.getI32Type());
  Value shape =
      node.make<ShapeOp>({patches}, {node.named("output_type", type)});
  // State the size of the last dimension: a reshape cannot infer a size of -1
  // if the batch is empty.
  int64_t channels = knownDim(image, 3);
  Value dims =
      !shape ? Value()
      : ShapedType::isDynamic(channels)
          ? withMergedLastSizes(node, shape)
          : withLastSize(node, shape, window[0] * window[1] * channels);
  if (Value result = node.make<ReshapeOp>({patches, dims}))
    node.setOutput(0, result);
}

void addConvolutionOps(OpTable &table) {
  table["ExtractImagePatches"] = {Effect::Pure, importPatches};
  table["Conv2D"] =
      table["DepthwiseConv2dNative"] = {Effect::Pure, importConvolution};
  table["Conv2DBackpropInput"] = table["DepthwiseConv2dNativeBackpropInput"] = {
      Effect::Pure, importBackpropInput};
  table["Conv2DBackpropFilter"] =
      table["DepthwiseConv2dNativeBackpropFilter"] = {Effect::Pure,
                                                      importBackpropFilter};
}

} // namespace ingot::importer
