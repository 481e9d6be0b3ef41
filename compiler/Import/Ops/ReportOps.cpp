//===- ReportOps.cpp - Assertions, prints and summaries -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ReportOps.h"
#include "compiler/Import/Graph/Constants.h"
#include "compiler/Import/Ops/OneToOneOpSpec.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

using Kind = AttributeSpec::Kind;

// Imports CheckNumericsV2, whose message distinguishes positive and negative
// infinities, unlike that of CheckNumerics.
static void importCheckNumericsV2(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  Value input = node.tensor(0);
  if (!input)
    return;
  Builder &builder = node.body.builder;
  Operation *op = node.create<CheckNumericsOp>(
      input,
      {node.named("message", builder.getStringAttr(
                                 node.attributes.getString("message", ""))),
       node.named("signs", builder.getBoolAttr(true))});
  if (op)
    node.setOutput(0, op->getResult(0));
}

// Imports SummaryWriter and the ops that open, flush and close it. No ops are
// created for them, since the trainer writes one event file of its own.
static void importNothing(NodeImport &) {}

// Imports an op that writes a summary, with inputs writer, step and others.
// `Inputs` lists the indices of the other inputs in the order of the ingot op's
// operands; the step is the last operand.
template <typename OpT, unsigned... Inputs>
static void importWrite(NodeImport &node) {
  if (!node.expectInputs(sizeof...(Inputs) + 2))
    return;
  SmallVector<Value> operands = {node.tensor(Inputs)..., node.tensor(1)};
  if (!node.hasFailed())
    node.create<OpT>(operands);
}

// Imports an op that computes a summary, such as HistogramSummary, as an ingot
// op that records the summary for the current step. In TensorFlow, the node
// returns a serialized protocol buffer. Here it has no output, so only
// MergeSummary, for which no op is created, may use it.
template <typename OpT> static void importSummary(NodeImport &node) {
  SmallVector<Value> operands = node.tensors(0, node.numInputs());
  if (!node.hasFailed())
    node.create<OpT>(operands);
}

// Imports TensorSummary, which has no tag and no serialized metadata, unlike
// TensorSummaryV2.
static void importTensorSummary(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  Value value = node.tensor(0);
  if (!value)
    return;
  OpBuilder &builder = node.body.builder;
  auto type = RankedTensorType::get({}, StringType::get(node.context()));
  Value empty = createConstant(builder, node.loc,
                               DenseStringElementsAttr::get(type, StringRef()));
  node.create<RecordTensorOp>(
      {empty, value, empty},
      node.named("node_name", builder.getStringAttr(node.node.name())));
}

// Creates the op for an ImageSummary or a WriteImageSummary. The two have
// different inputs and attributes; the number of images (max_images) is an
// attribute of both.
static void createImage(NodeImport &node, ArrayRef<Value> operands) {
  Builder &builder = node.body.builder;
  int64_t count = node.attributes.getInt("max_images", 3);
  if (count < 1)
    return node.malformed("max_images must be positive, got " +
                          llvm::Twine(count));
  node.create<RecordImageOp>(
      operands, {node.named("max_images", builder.getI64IntegerAttr(count))});
}

static void importImageSummary(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  SmallVector<Value> operands = node.tensors(0, 2);
  proto::TensorProto red;
  red.set_dtype(proto::DT_UINT8);
  red.mutable_tensor_shape()->add_dim()->set_size(4);
  red.set_tensor_content(std::string("\xff\0\0\xff", 4));
  const proto::TensorProto *color = node.attributes.getTensor("bad_color");
  std::string error;
  ElementsAttr value =
      convertTensor(color ? *color : red, node.context(), error);
  if (!value)
    return node.malformed("attribute 'bad_color': " + error);
  if (node.hasFailed())
    return;
  operands.push_back(createConstant(node.body.builder, node.loc, value));
  createImage(node, operands);
}

static void importWriteImageSummary(NodeImport &node) {
  if (!node.expectInputs(5))
    return;
  SmallVector<Value> operands = node.tensors(2, 5);
  operands.push_back(node.tensor(1));
  if (!node.hasFailed())
    createImage(node, operands);
}

void addReportOps(OpTable &table) {
  table["CheckNumericsV2"] = {Effect::Consumes, importCheckNumericsV2};
  table["SummaryWriter"] = {Effect::Pure, importNothing};
  for (StringRef op :
       {"CreateSummaryFileWriter", "FlushSummaryWriter", "CloseSummaryWriter"})
    table[op] = {Effect::Consumes, importNothing};
  table["WriteSummary"] = {Effect::Consumes,
                           importWrite<RecordTensorOp, 3, 2, 4>};
  table["WriteScalarSummary"] = {Effect::Consumes,
                                 importWrite<RecordScalarOp, 2, 3>};
  table["WriteHistogramSummary"] = {Effect::Consumes,
                                    importWrite<RecordHistogramOp, 2, 3>};
  table["HistogramSummary"] = {Effect::Consumes,
                               importSummary<RecordHistogramOp>};
  table["ImageSummary"] = {Effect::Consumes, importImageSummary};
  table["WriteImageSummary"] = {Effect::Consumes, importWriteImageSummary};
  table["TensorSummary"] = {Effect::Consumes, importTensorSummary};
  table["TensorSummaryV2"] = {Effect::Consumes, importSummary<RecordTensorOp>};
}

} // namespace ingot::importer
