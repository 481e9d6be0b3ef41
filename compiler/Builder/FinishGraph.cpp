//===- FinishGraph.cpp - Adds entries that initialize, save and restore ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Adds the entries and the saver that TensorFlow's MonitoredSession would add
// to a graph, for all variables and iterators that the user has made.
//
//===----------------------------------------------------------------------===//

#include "compiler/Builder/GraphImpl.h"

#include "dialects/Ingot/IR/IngotDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

static constexpr StringRef saverName = "save/saver";

static NamedAttribute reference(GraphImpl &data, StringRef attribute,
                                StringRef symbol) {
  return data.builder.getNamedAttr(
      attribute, FlatSymbolRefAttr::get(&data.context, symbol));
}

// Emits ops that initialize all local variables (if `local`) or all other
// variables. All initial values are computed before the first variable is
// assigned.
static void initialize(GraphImpl &data, bool local) {
  SmallVector<std::pair<unsigned, Tensor>> initial;
  for (unsigned index = 0; index < data.variables.size(); ++index) {
    const GraphImpl::VariableImpl &variable = data.variables[index];
    if (!variable.op || variable.options.local != local)
      continue;
    Initializer initializer = variable.initializer;
    if (data.initialValues)
      if (std::optional<Array> given = data.initialValues(variable.name))
        initializer = values(std::move(*given));
    initial.push_back({index, initializer(*data.graph, variable.name,
                                          variable.dtype, variable.shape)});
  }
  for (auto [index, value] : initial)
    Variable(&data, index).assign(value);
}

void GraphImpl::addSaver() {
  SmallVector<std::pair<std::string, std::string>> saved;
  for (const VariableImpl &variable : variables)
    if (variable.op && !variable.options.local)
      saved.push_back({variable.name, variable.symbol});
  for (const IteratorImpl &iterator : iterators)
    if (iterator.op && iterator.saved)
      saved.push_back({iterator.name + ":0_STATE", iterator.symbol});
  llvm::sort(saved);
  SmallVector<mlir::Attribute> items;
  for (const auto &[key, symbol] : saved)
    items.push_back(SavedItemAttr::get(
        &context, key, FlatSymbolRefAttr::get(&context, symbol), "", 0));
  OperationState state(UnknownLoc::get(&context), "ingot.saver");
  std::string symbol = uniqueSymbol(saverName);
  state.addAttribute("sym_name", builder.getStringAttr(symbol));
  state.addAttribute("items", builder.getArrayAttr(items));
  state.addAttribute("filename", builder.getStringAttr("model"));
  state.addAttribute("num_shards", builder.getI32IntegerAttr(1));
  state.addAttribute("sharded", builder.getUnitAttr());
  state.addAttribute("max_to_keep", builder.getI32IntegerAttr(5));
  state.addAttribute("keep_checkpoint_every_n_hours",
                     builder.getF32FloatAttr(10000));
  within(module->getBody(), [&] { builder.create(state); });

  Type prefix = RankedTensorType::get({}, StringType::get(&context));
  for (auto [name, role] : {std::pair("save", mlir::ingot::Role::save),
                            {"restore", mlir::ingot::Role::restore}})
    addEntry(
        name, role,
        [&, name = name](Block *block) {
          create(name, block->getArgument(0), reference(*this, "saver", symbol),
                 TypeRange());
        },
        {"save/Const:0"}, prefix);
}

// Sorts the module's ops by kind, so that programs made with this API list them
// in the same order as programs imported from a TensorFlow graph.
void GraphImpl::arrange() {
  auto rank = [](Operation *op) {
    StringRef name = op->getName().getStringRef();
    return name == "ingot.variable"   ? 0
           : name == "ingot.iterator" ? 1
           : isa<func::FuncOp>(op)    ? 2
           : name == "ingot.saver"    ? 3
                                      : 4;
  };
  SmallVector<Operation *> ops;
  for (Operation &op : *module->getBody())
    ops.push_back(&op);
  llvm::stable_sort(
      ops, [&](Operation *a, Operation *b) { return rank(a) < rank(b); });
  for (Operation *op : ops)
    op->moveBefore(module->getBody(), module->getBody()->end());
}

bool GraphImpl::finish() {
  if (finished)
    return errors.empty();
  if (!entry.empty())
    error(entry, "the entry is still open; close it before the graph is "
                 "finished");
  if (!errors.empty())
    return false;
  scope.clear();
  addEntry("init", mlir::ingot::Role::init,
           [&](Block *) { initialize(*this, false); });
  addEntry("local_init", mlir::ingot::Role::local_init, [&](Block *) {
    initialize(*this, true);
    for (const IteratorImpl &iterator : iterators)
      if (iterator.op)
        create("iterator_make", {},
               reference(*this, "iterator", iterator.symbol), TypeRange());
  });
  SmallVector<mlir::Attribute> symbols;
  for (const VariableImpl &variable : variables)
    if (variable.op && !variable.options.local)
      symbols.push_back(FlatSymbolRefAttr::get(&context, variable.symbol));
  for (auto [name, role] :
       {std::pair("ready", mlir::ingot::Role::ready),
        {"ready_for_local_init", mlir::ingot::Role::ready_for_local_init}})
    addEntry(name, role, [&](Block *) {
      create("report_uninitialized", {},
             builder.getNamedAttr("variables", builder.getArrayAttr(symbols)),
             TypeRange());
    });
  addSaver();
  arrange();
  finished = true;
  DiagnosticCollector collect(*this);
  bool isValid = succeeded(verify(*module));
  if (!isValid && errors.empty())
    error("", "the graph builder made an invalid program: this is a bug in "
              "Ingot, not in the graph");
  return errors.empty();
}

} // namespace ingot::graph
