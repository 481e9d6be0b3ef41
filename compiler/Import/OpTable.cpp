//===- OpTable.cpp - Which of TensorFlow's ops become what ----------------===//

#include "compiler/Import/OpTable.h"
#include "compiler/Import/LayerOps.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::importer {

void addRandomOps(OpTable &table);

const OpTable &getOpTable() {
  static const OpTable table = [] {
    OpTable ops;
    addCallOps(ops);
    addCheckpointOps(ops);
    addComputeOps(ops);
    addControlOps(ops);
    addStateOps(ops);
    addInputOps(ops);
    addOptimizerOps(ops);
    addConvolutionOps(ops);
    addNormalizationOps(ops);
    addPoolingOps(ops);
    addProductOps(ops);
    addArrayOps(ops);
    addScatterOps(ops);
    addPointwiseOps(ops);
    addDatasetOps(ops);
    addRandomOps(ops);
    addRaisedOps(ops);
    addReductionOps(ops);
    addRearrangeOps(ops);
    addRaisedOps(ops);
    addReportOps(ops);
    addArrayOps(ops);
    addSetOps(ops);
    addSparseOps(ops);
    addStringOps(ops);
    addTableOps(ops);
    return ops;
  }();
  return table;
}

bool isReferenceVariable(StringRef op) {
  return op == "VariableV2" || op == "Variable";
}

bool isVariable(StringRef op) {
  return op == "VarHandleOp" || isReferenceVariable(op);
}

const OpInfo *findOp(StringRef op) {
  auto it = getOpTable().find(op);
  return it == getOpTable().end() ? nullptr : &it->second;
}

std::optional<int> firstPortOf(const proto::NodeDef &node, StringRef argument) {
  // Only dense features are supported, so nothing stands before them.
  if (node.op() == "ParseExampleV2" && argument != "dense_values")
    return std::nullopt;
  const OpInfo *info = findOp(node.op());
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
