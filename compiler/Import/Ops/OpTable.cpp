//===- OpTable.cpp - The table of supported TensorFlow ops ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Ops/OpTable.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::importer {

const OpTable &getOpTable() {
  static const OpTable table = [] {
    OpTable ops;
    addOpRows(ops);
    addAccumulatorOps(ops);
    addSparseAccumulatorOps(ops);
    addArrayOps(ops);
    addCallOps(ops);
    addCheckpointOps(ops);
    addComputeOps(ops);
    addControlOps(ops);
    addColorOps(ops);
    addFakeQuantOps(ops);
    addConvolutionOps(ops);
    addCropOps(ops);
    addDataFormatOps(ops);
    addDatasetOps(ops);
    addFeatureOps(ops);
    addGlobalNormalizationOps(ops);
    addInputOps(ops);
    addListOps(ops);
    addNormalizationOps(ops);
    addOptimizerOps(ops);
    addPointwiseOps(ops);
    addPoolingOps(ops);
    addProductOps(ops);
    addQuantizeOps(ops);
    addRaggedCountOps(ops);
    addRaisedControlFlowOps(ops);
    addQueueOps(ops);
    addRaggedOps(ops);
    addRandomOps(ops);
    addRearrangeOps(ops);
    addRecurrentCellOps(ops);
    addReductionOps(ops);
    addReportOps(ops);
    addResizeOps(ops);
    addScatterOps(ops);
    addSetOps(ops);
    addSparseOps(ops);
    addStateOps(ops);
    addStringOps(ops);
    addTableOps(ops);
    addTensorArrayOps(ops);
    addVolumeOps(ops);
    return ops;
  }();
  return table;
}

bool isReferenceVariable(StringRef op) {
  return op == "VariableV2" || op == "Variable" || op == "TemporaryVariable";
}

bool isVariable(StringRef op) {
  return op == "VarHandleOp" || isReferenceVariable(op);
}

const OpTableRow *findOp(StringRef op) {
  auto it = getOpTable().find(op);
  return it == getOpTable().end() ? nullptr : &it->second;
}

std::optional<int> firstPortOf(const proto::NodeDef &node, StringRef argument) {
  const OpTableRow *info = findOp(node.op());
  if (info && info->findPort)
    return info->findPort(node, argument);
  if (!info || info->outputs.empty())
    return 0;
  auto name = llvm::find(info->outputs, argument);
  if (name == info->outputs.end())
    return std::nullopt;
  return name - info->outputs.begin();
}

} // namespace ingot::importer
