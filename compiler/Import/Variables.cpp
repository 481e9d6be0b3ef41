//===- Variables.cpp - Nodes that read and write variables ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Variables.h"

#include "compiler/Import/Graph/ConvertTypes.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/VariableOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

Value readVariable(NodeImport &node, VariableOp variable) {
  return ReadOp::create(node.body.builder, node.loc, variable.getType(),
                        variable.getSymName());
}

void assignVariable(NodeImport &node, VariableOp variable, Value value) {
  auto type = cast<TensorType>(value.getType());
  auto expected = cast<TensorType>(variable.getType());
  if (type.getElementType() != expected.getElementType() ||
      failed(verifyCompatibleShape(type, expected)))
    return node.malformed("assigns " + describeType(type) + " to variable '" +
                          variable.getSymName() + "', which is " +
                          describeType(expected));
  AssignOp::create(node.body.builder, node.loc, variable.getSymName(), value);
}

} // namespace ingot::importer
