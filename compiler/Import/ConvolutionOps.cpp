//===- ConvolutionOps.cpp - Convolutions ----------------------------------===//

#include "dialects/Ingot/ConvolutionOps.h"
#include "compiler/Import/Images.h"
#include "compiler/Import/OpTable.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

static constexpr StringRef known[] = {"strides", "dilations", "padding",
                                      "explicit_paddings"};

// Attributes that the three ops share.
static bool readAttributes(NodeImport &node, ImageNode &images,
                           SmallVectorImpl<NamedAttribute> &attributes) {
  if (node.hasFailed() || !images.readWindow(/*dilates=*/true, attributes))
    return false;
  bool depthwise = node.node.op().starts_with("Depthwise");
  attributes.push_back(
      node.named("depthwise", node.body.builder.getBoolAttr(depthwise)));
  return node.attributes.error().empty();
}

static void importConvolution(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  ImageNode images(node, known);
  SmallVector<NamedAttribute> attributes;
  if (!readAttributes(node, images, attributes))
    return;
  Value input = images.image(0), filter = node.tensor(1);
  if (!input || !filter)
    return;
  if (Operation *op = node.create<Conv2DOp>({input, filter}, attributes))
    images.setImage(0, op->getResult(0));
}

static void importBackpropInput(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  ImageNode images(node, known);
  SmallVector<NamedAttribute> attributes;
  if (!readAttributes(node, images, attributes))
    return;
  Value sizes = images.imageShape(0), filter = node.tensor(1),
        gradient = images.image(2);
  if (!sizes || !filter || !gradient)
    return;
  if (Operation *op = node.create<Conv2DBackpropInputOp>(
          {sizes, filter, gradient}, attributes))
    images.setImage(0, op->getResult(0));
}

static void importBackpropFilter(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  ImageNode images(node, known);
  SmallVector<NamedAttribute> attributes;
  if (!readAttributes(node, images, attributes))
    return;
  Value input = images.image(0), sizes = node.tensor(1),
        gradient = images.image(2);
  if (!input || !sizes || !gradient)
    return;
  if (Operation *op = node.create<Conv2DBackpropFilterOp>(
          {input, sizes, gradient}, attributes))
    node.setOutput(0, op->getResult(0));
}

void addConvolutionOps(OpTable &table) {
  table["Conv2D"] =
      table["DepthwiseConv2dNative"] = {Effect::Pure, importConvolution};
  table["Conv2DBackpropInput"] = table["DepthwiseConv2dNativeBackpropInput"] = {
      Effect::Pure, importBackpropInput};
  table["Conv2DBackpropFilter"] =
      table["DepthwiseConv2dNativeBackpropFilter"] = {Effect::Pure,
                                                      importBackpropFilter};
}

} // namespace ingot::importer
