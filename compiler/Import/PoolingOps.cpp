//===- PoolingOps.cpp - Pools ---------------------------------------------===//

#include "dialects/Ingot/PoolingOps.h"
#include "compiler/Import/Images.h"
#include "compiler/Import/OpTable.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

static constexpr StringRef known[] = {"ksize", "strides", "padding",
                                      "explicit_paddings"};

// The window, from attributes or (V2) from the inputs behind the tensors.
static bool readAttributes(NodeImport &node, ImageNode &images, size_t tensors,
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
  ImageNode images(node, known);
  SmallVector<NamedAttribute> attributes;
  if (!readAttributes(node, images, 1, attributes))
    return;
  Value input = images.image(0);
  if (!input)
    return;
  if (Operation *op = node.create<OpTy>({input}, attributes))
    images.setImage(0, op->getResult(0));
}

// The pool's result, input 1, is computed again.
static void importMaxPoolGrad(NodeImport &node) {
  if (!expectTensors(node, 3))
    return;
  ImageNode images(node, known);
  SmallVector<NamedAttribute> attributes;
  if (!readAttributes(node, images, 3, attributes))
    return;
  Value input = images.image(0), gradient = images.image(2);
  if (!input || !gradient)
    return;
  if (Operation *op = node.create<MaxPoolGradOp>({input, gradient}, attributes))
    images.setImage(0, op->getResult(0));
}

static void importAvgPoolGrad(NodeImport &node) {
  if (!expectTensors(node, 2))
    return;
  ImageNode images(node, known);
  SmallVector<NamedAttribute> attributes;
  if (!readAttributes(node, images, 2, attributes))
    return;
  Value shape = images.imageShape(0), gradient = images.image(1);
  if (!shape || !gradient)
    return;
  if (Operation *op = node.create<AvgPoolGradOp>({shape, gradient}, attributes))
    images.setImage(0, op->getResult(0));
}

void addPoolingOps(OpTable &table) {
  table["MaxPool"] = {Effect::Pure, importPool<MaxPoolOp>};
  table["MaxPoolV2"] = {Effect::Pure, importPool<MaxPoolOp>};
  table["AvgPool"] = {Effect::Pure, importPool<AvgPoolOp>};
  table["MaxPoolGrad"] = {Effect::Pure, importMaxPoolGrad};
  table["MaxPoolGradV2"] = {Effect::Pure, importMaxPoolGrad};
  table["AvgPoolGrad"] = {Effect::Pure, importAvgPoolGrad};
}

} // namespace ingot::importer
