//===- OpTable.cpp - Which of TensorFlow's ops become what ----------------===//

#include "compiler/Import/OpTable.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace ingot::importer {

const OpTable &getOpTable() {
  static const OpTable table = [] {
    OpTable ops;
    addComputeOps(ops);
    addStateOps(ops);
    addInputOps(ops);
    return ops;
  }();
  return table;
}

const OpInfo *findOp(StringRef op) {
  auto it = getOpTable().find(op);
  return it == getOpTable().end() ? nullptr : &it->second;
}

std::optional<int> firstPortOf(StringRef op, StringRef argument) {
  if (op == "SparseSoftmaxCrossEntropyWithLogits")
    return StringSwitch<std::optional<int>>(argument)
        .Case("loss", 0)
        .Case("backprop", 1)
        .Default(std::nullopt);
  if (op == "StatelessRandomGetKeyCounter")
    return StringSwitch<std::optional<int>>(argument)
        .Case("key", 0)
        .Case("counter", 1)
        .Default(std::nullopt);
  // Only dense features are supported, so nothing stands before them.
  if (op == "ParseExampleV2" && argument != "dense_values")
    return std::nullopt;
  return 0;
}

} // namespace ingot::importer
