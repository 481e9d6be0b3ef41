//===- ImageExport.cpp - Convolutions, pooling, normalization, matmuls ----===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/OpExport.h"

#include "dialects/Ingot/IR/ConvolutionOps.h"
#include "dialects/Ingot/IR/NormalizationOps.h"
#include "dialects/Ingot/IR/PoolingOps.h"
#include "dialects/Ingot/IR/ProductOps.h"
#include "dialects/Ingot/IR/ShapeInference.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

// Converts a window, stride or dilation, given for height and width, to
// TensorFlow's list with a number for each dimension of NHWC. The numbers for
// batch and channels are 1.
static proto::AttrValue spread(ArrayRef<int64_t> pair) {
  if (pair.size() != 2)
    return integers({1, 1, 1, 1});
  return integers({1, pair[0], pair[1], 1});
}

static AttributeMap windowOf(OpExport &op) {
  AttributeMap attributes = {{"strides", spread(op.integers("strides"))},
                             {"padding", text(op.text("padding"))},
                             {"data_format", text("NHWC")}};
  ArrayRef<int64_t> explicitly = op.integers("explicit_paddings");
  if (op.text("padding") == "EXPLICIT" && explicitly.size() == 4)
    attributes["explicit_paddings"] =
        integers({0, 0, explicitly[0], explicitly[1], explicitly[2],
                  explicitly[3], 0, 0});
  return attributes;
}

static AttributeMap convolutionOf(OpExport &op) {
  AttributeMap attributes = windowOf(op);
  attributes["dilations"] = spread(op.integers("dilations"));
  return attributes;
}

static void exportConvolution(OpExport &op) {
  op.emit(op.flag("depthwise") ? "DepthwiseConv2dNative" : "Conv2D",
          op.operands(), convolutionOf(op));
}

static void exportBackpropInput(OpExport &op) {
  SmallVector<NodeOutput> operands = op.operands();
  operands[0] = op.cast(operands[0], proto::DT_INT32);
  op.emit(op.flag("depthwise") ? "DepthwiseConv2dNativeBackpropInput"
                               : "Conv2DBackpropInput",
          operands, convolutionOf(op));
}

static void exportBackpropFilter(OpExport &op) {
  SmallVector<NodeOutput> operands = op.operands();
  operands[1] = op.cast(operands[1], proto::DT_INT32);
  op.emit(op.flag("depthwise") ? "DepthwiseConv2dNativeBackpropFilter"
                               : "Conv2DBackpropFilter",
          operands, convolutionOf(op));
}

// Exports extract_patches. Its result has separate dimensions for taps and
// channels, whereas TensorFlow's ExtractImagePatches merges these dimensions,
// so a Reshape follows.
static void exportPatches(OpExport &op) {
  auto patches = cast<ExtractPatchesOp>(op.op);
  Shape shape = getTensorShape(patches.getOutput().getType());
  if (op.text("padding") == "EXPLICIT")
    return op.refuse("TensorFlow's ExtractImagePatches has no padding "
                     "EXPLICIT, only SAME and VALID");
  if (!shape || ShapedType::isDynamic(shape->back()))
    return op.refuse("the number of channels must be static");
  proto::DataType type = op.operand(0).dtype;
  NodeOutput joined = op.add("ExtractImagePatches", op.operand(0), type,
                             {{"ksizes", spread(op.integers("window"))},
                              {"strides", spread(op.integers("strides"))},
                              {"rates", spread(op.integers("dilations"))},
                              {"padding", text(op.text("padding"))}});
  NodeOutput all = op.add("Shape", joined, proto::DT_INT32);
  NodeOutput outer =
      op.add("Slice", {all, op.vector({0}), op.vector({3})}, proto::DT_INT32);
  NodeOutput dims =
      op.add("ConcatV2",
             {outer, op.vector({(*shape)[3], shape->back()}), op.scalar(0)},
             proto::DT_INT32);
  op.emit("Reshape", {joined, dims});
}

static AttributeMap poolOf(OpExport &op) {
  AttributeMap attributes = windowOf(op);
  attributes["ksize"] = spread(op.integers("window"));
  return attributes;
}

static void exportMaxPool(OpExport &op) {
  op.emit("MaxPool", op.operands(), poolOf(op));
}

static void exportAvgPool(OpExport &op) {
  op.emit("AvgPool", op.operands(), poolOf(op));
}

static void exportMaxPoolWithArgmax(OpExport &op) {
  AttributeMap attributes = poolOf(op);
  attributes.erase("data_format");
  attributes.erase("explicit_paddings");
  attributes["include_batch_in_index"] =
      boolean(op.flag("include_batch_in_index"));
  attributes["Targmax"] = type(op.type("index_type"));
  op.emit("MaxPoolWithArgmax", op.operands(), attributes);
}

// Exports a max pool gradient. TensorFlow's node also needs the result of the
// max pool, so a MaxPool that computes it again is added.
static void exportMaxPoolGrad(OpExport &op) {
  SmallVector<NodeOutput> operands = op.operands();
  AttributeMap attributes = poolOf(op);
  NodeOutput pooled =
      op.add("MaxPool", operands[0], operands[0].dtype, attributes);
  op.emit("MaxPoolGrad", {operands[0], pooled, operands[1]}, attributes);
}

static void exportAvgPoolGrad(OpExport &op) {
  SmallVector<NodeOutput> operands = op.operands();
  operands[0] = op.cast(operands[0], proto::DT_INT32);
  op.emit("AvgPoolGrad", operands, poolOf(op));
}

static AttributeMap normalizationOf(OpExport &op) {
  auto images = cast<ShapedType>(op.op->getOperand(0).getType());
  bool isVolumes = images.hasRank() && images.getRank() == 5;
  return {{"epsilon", number(op.number("epsilon"))},
          {"is_training", boolean(op.flag("is_training"))},
          {"data_format", text(isVolumes ? "NDHWC" : "NHWC")}};
}

static void exportBatchNorm(OpExport &op) {
  AttributeMap attributes = normalizationOf(op);
  attributes["exponential_avg_factor"] =
      number(op.number("exponential_avg_factor"));
  op.emit("FusedBatchNormV3", op.operands(), attributes);
}

// Exports a batch norm gradient. The node's sixth input matters only to
// TensorFlow's GPU kernel, so a zero is passed.
static void exportBatchNormGrad(OpExport &op) {
  SmallVector<NodeOutput> operands = op.operands();
  operands.push_back(op.scalar(0, operands[3].dtype));
  op.emit("FusedBatchNormGradV3", operands, normalizationOf(op));
}

// Exports an einsum. In equations of the ingot dialect, digits are the labels
// of an ellipsis's dimensions, so each sequence of digits becomes "...".
static void exportEinsum(OpExport &op) {
  std::string equation;
  bool isDigit = false;
  for (char c : op.text("equation")) {
    bool wasDigit = std::exchange(isDigit, llvm::isDigit(c));
    if (!isDigit)
      equation.push_back(c);
    else if (!wasDigit)
      equation += "...";
  }
  op.emit("Einsum", op.operands(), {{"equation", text(equation)}});
}

void addImageExports(ExportTable &table) {
  table[Conv2DOp::getOperationName()] = exportConvolution;
  table[ExtractPatchesOp::getOperationName()] = exportPatches;
  table[Conv2DBackpropInputOp::getOperationName()] = exportBackpropInput;
  table[Conv2DBackpropFilterOp::getOperationName()] = exportBackpropFilter;
  table[MaxPoolOp::getOperationName()] = exportMaxPool;
  table[MaxPoolWithArgmaxOp::getOperationName()] = exportMaxPoolWithArgmax;
  table[AvgPoolOp::getOperationName()] = exportAvgPool;
  table[MaxPoolGradOp::getOperationName()] = exportMaxPoolGrad;
  table[AvgPoolGradOp::getOperationName()] = exportAvgPoolGrad;
  table[FusedBatchNormOp::getOperationName()] = exportBatchNorm;
  table[FusedBatchNormGradOp::getOperationName()] = exportBatchNormGrad;
  table[EinsumOp::getOperationName()] = exportEinsum;
}

} // namespace ingot::exporter
