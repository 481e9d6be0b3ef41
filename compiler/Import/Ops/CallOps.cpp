//===- CallOps.cpp - Calls of functions -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports calls of functions by inlining: the nodes of the called function's
// body are imported in place of the call.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/ControlFlow/BlockImport.h"
#include "compiler/Import/Program.h"

using namespace mlir;

namespace ingot::importer {

static void importCall(NodeImport &node) {
  proto::NameAttrList function;
  if (node.body.program.hasFunction(node.node.op())) {
    // The node calls a library function by using the function's name as its op.
    // So the node's attributes are the values of the function's attributes.
    function.set_name(node.node.def->op());
    *function.mutable_attr() = node.node.def->attr();
  } else if (const proto::NameAttrList *named =
                 node.attributes.getFunction("f")) {
    function = *named;
  } else {
    return node.malformed("attribute 'f' is missing");
  }
  SmallVector<ImportedNodeOutput> arguments, results;
  for (Output input : node.node.inputs)
    arguments.push_back(node.body.currentArgument(input, node.loc));
  if (!node.body.program.importCall(function, *node.body.builder.getBlock(),
                                    arguments, results, node.body.problems))
    return node.fail();
  for (auto [port, result] : llvm::enumerate(results))
    node.setOutput(port, result);
}

void addCallOps(OpTable &table) {
  table["PartitionedCall"] = {Effect::Called, importCall};
  table["StatefulPartitionedCall"] = {Effect::Called, importCall};
}

} // namespace ingot::importer
