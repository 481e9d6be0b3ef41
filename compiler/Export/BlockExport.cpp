//===- BlockExport.cpp - Exports the ops of a block as nodes --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/OpExport.h"

#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "dialects/Ingot/IR/TableOps.h"
#include "dialects/Ingot/IR/VariableOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

void BlockExport::run(Block &block) {
  for (Operation &op : block.without_terminator())
    run(&op);
}

void BlockExport::run(Operation *op) {
  if (absorbed.contains(op))
    return;
  OpExport context(*this, op);
  auto found = getExportTable().find(op->getName().getStringRef());
  if (found != getExportTable().end())
    found->second(context);
  else if (!exportByRow(context))
    context.refuse("no TensorFlow op corresponds to '" +
                   op->getName().getStringRef() + "'");
}

NodeOutput BlockExport::value(Value value) {
  auto found = values.find(value);
  if (found != values.end())
    return found->second;
  // No node computes `value`, so return the name of a node that does not exist.
  // Either the export of the op that defines `value` failed with an error, and
  // no graph is written anyway. Or this op is a read of a variable that
  // exportRead() leaves out, and prune() later erases all nodes that have this
  // input.
  return {"refused", "output", 0, 0, toTensorType(value.getType())};
}

NodeOutput BlockExport::handle(StringRef key, NodeSpec spec) {
  auto [found, isNew] = handles.try_emplace(key);
  if (isNew) {
    spec.outputs = {proto::DT_RESOURCE};
    found->second = scope.add(std::move(spec)).front();
  }
  return found->second;
}

NodeOutput BlockExport::variable(StringRef symbol) {
  auto variable = program.symbols.lookup<VariableOp>(symbol);
  NodeSpec spec;
  spec.op = "VarHandleOp";
  if (!variable)
    return {"refused", "output", 0, 0, proto::DT_RESOURCE};
  spec.name = getUserName(variable).str();
  Type tensor = variable.getType();
  spec.attributes = {{"dtype", type(toTensorType(tensor))},
                     {"shape", shape(toShape(tensor))},
                     {"shared_name", text(spec.name)}};
  return handle(("variable " + symbol).str(), std::move(spec));
}

NodeOutput BlockExport::iterator(StringRef symbol) {
  auto iterator = program.symbols.lookup<IteratorOp>(symbol);
  NodeSpec spec;
  spec.op = "IteratorV2";
  if (!iterator)
    return {"refused", "output", 0, 0, proto::DT_RESOURCE};
  spec.name = getUserName(iterator).str();
  SmallVector<Type> components(
      iterator.getComponents().getAsValueRange<TypeAttr>());
  // If the iterator's users expect optionals, the first component of its
  // elements is a flag: whether there is an element. TensorFlow's iterator has
  // no such component.
  if (iterator->hasAttr(givesOptionalsAttrName))
    components.erase(components.begin());
  addComponents(spec.attributes, components);
  spec.attributes["shared_name"] = text(spec.name);
  spec.attributes["container"] = text("");
  return handle(("iterator " + symbol).str(), std::move(spec));
}

NodeOutput BlockExport::table(StringRef symbol) {
  auto table = program.symbols.lookup<TableOp>(symbol);
  if (!table)
    return {"refused", "output", 0, 0, proto::DT_RESOURCE};
  auto value = cast<RankedTensorType>(table.getValueType());
  NodeSpec spec;
  spec.op = table.getInitializedOnce() ? "HashTableV2"
            : value.getRank() != 0     ? "MutableHashTableOfTensorsV2"
                                       : "MutableHashTableV2";
  spec.name = getUserName(table).str();
  spec.attributes = {{"key_dtype", type(toTensorType(table.getKeyType()))},
                     {"value_dtype", type(toTensorType(value))},
                     {"shared_name", text(spec.name)}};
  if (value.getRank() != 0)
    spec.attributes["value_shape"] = shape(toShape(value));
  return handle(("table " + symbol).str(), std::move(spec));
}

void BlockExport::want(Value value, StringRef node, int port) {
  wanted[node].emplace_back(value, port);
}

bool BlockExport::isWanted(ValueRange outputs, StringRef node) const {
  auto found = wanted.find(node);
  return found != wanted.end() &&
         llvm::all_of(found->second, [&](const auto &wish) {
           size_t port = wish.second;
           return port < outputs.size() && outputs[port] == wish.first;
         });
}

} // namespace ingot::exporter
