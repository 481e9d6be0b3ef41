//===- ReportExport.cpp - Checks and summaries ----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/OpExport.h"

#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/GradientOps.h"
#include "dialects/Ingot/IR/ReportOps.h"
#include "dialects/Ingot/IR/RequireOps.h"
#include "dialects/Ingot/IR/RequireValuesOps.h"
#include "dialects/Ingot/IR/StateOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

static void exportCheckNumerics(OpExport &op) {
  op.touch("world", /*writes=*/true);
  op.emit(op.flag("signs") ? "CheckNumericsV2" : "CheckNumerics", op.operands(),
          {{"message", text(op.text("message"))}});
}

static void exportStopGradient(OpExport &op) {
  if (op.op->hasAttr("refusal"))
    op.emit("PreventGradient", op.operands(),
            {{"message", text(op.text("refusal"))}});
  else
    op.emit("StopGradient", op.operands());
}

// Exports a summary. The entry merges the outputs of all its summary nodes.
static void emitSummary(OpExport &op, StringRef node,
                        ArrayRef<NodeOutput> inputs,
                        AttributeMap attributes = {}) {
  op.block.summaries.push_back(
      op.emit(node, inputs, proto::DT_STRING, std::move(attributes)).front());
}

static void exportScalarSummary(OpExport &op) {
  emitSummary(op, "ScalarSummary",
              {op.constant(string(op.text("tag"))), op.operand(0)});
}

// Exports a summary op. Refuses an op with a step operand: it writes to a
// summary writer, and programs have no summary writers.
template <unsigned NumOperands>
static void exportRecord(OpExport &op, StringRef node,
                         AttributeMap attributes = {}) {
  if (op.op->getNumOperands() > NumOperands)
    return op.refuse("a summary of TensorFlow 2 needs a summary writer, and "
                     "the program has none");
  emitSummary(op, node, op.operands(), std::move(attributes));
}

// TensorSummary, unlike TensorSummaryV2, has no tag: it uses the name of its
// node.
static void exportTensor(OpExport &op) {
  if (op.text("node_name").empty())
    exportRecord<3>(op, "TensorSummaryV2");
  else
    emitSummary(op, "TensorSummary", op.operand(1));
}

static void exportImage(OpExport &op) {
  auto record = cast<RecordImageOp>(op.op);
  AttributeMap attributes = {{"max_images", integer(op.integer("max_images"))}};
  auto color = record.getBadColor().getDefiningOp<ConstantOp>();
  if (!color)
    return op.refuse("the color of NaN pixels must be a constant, as it is an "
                     "attribute of TensorFlow's ImageSummary");
  attributes["bad_color"] = tensor(color.getValue());
  if (record.getStep())
    return op.refuse("a summary of TensorFlow 2 needs a summary writer, and "
                     "the program has none");
  emitSummary(op, "ImageSummary", {op.operand(0), op.operand(1)}, attributes);
}

void addReportExports(ExportTable &table) {
  // TensorFlow's ops check their operands themselves, so checks need no nodes.
  table[RequireIndicesOp::getOperationName()] = [](OpExport &) {};
  table[RequireNumbersOp::getOperationName()] = [](OpExport &) {};
  table[RequireOrderOp::getOperationName()] = [](OpExport &) {};
  table[RequireSameShapeOp::getOperationName()] = [](OpExport &) {};
  table[CheckNumericsOp::getOperationName()] = exportCheckNumerics;
  table[StopGradientOp::getOperationName()] = exportStopGradient;
  table[StraightThroughOp::getOperationName()] = [](OpExport &op) {
    op.emit("Identity", op.operand(0));
  };
  table[ScalarSummaryOp::getOperationName()] = exportScalarSummary;
  table[RecordScalarOp::getOperationName()] = [](OpExport &op) {
    exportRecord<2>(op, "ScalarSummary");
  };
  table[RecordHistogramOp::getOperationName()] = [](OpExport &op) {
    exportRecord<2>(op, "HistogramSummary");
  };
  table[RecordTensorOp::getOperationName()] = exportTensor;
  table[RecordImageOp::getOperationName()] = exportImage;
}

} // namespace ingot::exporter
