//===- DatasetGroupOps.cpp - Datasets that group elements -----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports datasets that group elements by key (GroupByWindowDataset) or by
// index (SlidingWindowDataset). Each of these datasets becomes a dataset whose
// elements are windows, which are datasets themselves, and a flat_map whose
// region makes a dataset from each window.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/IR/DatasetOps.h"

#include "compiler/Import/Input/DatasetImport.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

namespace {

/// The three functions of a GroupByWindowDataset: `key` maps an element to its
/// group, `size` maps a key to the size of its windows, and `reduce` maps a key
/// and a window to a dataset.
struct GroupByWindowFunctions {
  DatasetFunctionInputs key, reduce, size;
};

} // namespace

static bool readFunctions(NodeImport &node, GroupByWindowFunctions &functions) {
  size_t next = 1;
  for (auto [function, name, types] :
       {std::tuple(&functions.key, "key_func", "Tkey_func_other_arguments"),
        std::tuple(&functions.reduce, "reduce_func",
                   "Treduce_func_other_arguments"),
        std::tuple(&functions.size, "window_size_func",
                   "Twindow_size_func_other_arguments")}) {
    function->function = node.attributes.getFunction(name);
    if (!function->function) {
      node.malformed("attribute '" + llvm::Twine(name) + "' is missing");
      return false;
    }
    size_t count = node.attributes.getTypes(types).size();
    if (next + count > node.numInputs()) {
      node.malformed("has " + llvm::Twine(node.numInputs()) +
                     " inputs, but its attribute '" + types +
                     "' needs at least " + llvm::Twine(next + count));
      return false;
    }
    for (size_t i = 0; i < count; ++i)
      function->captured.push_back(
          node.body.argument(node.node.inputs[next++]));
  }
  return node.expectInputs(next);
}

// Imports a call of `function`, the dataset's key function or window size
// function, and returns its result, a scalar int64. If the function returns
// anything else, records a problem and returns null.
static Value callForNumber(NodeImport &node, DatasetFunctionInputs &function,
                           OpBuilder &builder,
                           SmallVector<ImportedNodeOutput> arguments) {
  SmallVector<ImportedNodeOutput> results;
  Block &block = *builder.getInsertionBlock();
  if (!addCaptured(node, function, &builder, arguments))
    return {};
  if (!node.body.program.importCall(*function.function, block, arguments,
                                    results, node.body.problems)) {
    node.fail();
    return {};
  }
  builder.setInsertionPointToEnd(&block);
  Value number = results.size() == 1 ? results[0].value : Value();
  if (number && getElementTypeOrSelf(number.getType()).isInteger(64))
    return number;
  node.malformed("function '" + function.function->name() +
                 "' must return one int64, a key or the size of a window");
  return {};
}

// A group_by_window dataset becomes a map dataset, which computes the key of
// each element, and a dataset that groups the results. Creates the function of
// the map. It returns the element's key, the size of the windows for this key,
// the element itself, and the tensors that depend on the key and that datasets
// in reduce_func have as operands. The function `operands` computes these
// tensors; its body is cloned into the new function. On failure, records a
// problem and returns null.
static func::FuncOp makeKeys(NodeImport &node,
                             GroupByWindowFunctions &functions,
                             func::FuncOp operands) {
  Program &program = node.body.program;
  llvm::SaveAndRestore within(program.place, Program::ExecutionPlace::Function);
  ArrayRef<Type> components = componentsOf(functions.key.input);
  OpBuilder builder = OpBuilder::atBlockEnd(program.module.getBody());
  auto keys = func::FuncOp::create(
      builder, node.loc,
      program.uniqueSymbol(functions.key.function->name() + "/keys"),
      builder.getFunctionType(components, {}));
  keys.setPrivate();
  Block &block = *keys.addEntryBlock();
  builder.setInsertionPointToEnd(&block);
  SmallVector<ImportedNodeOutput> element(block.getArguments());
  Value key = callForNumber(node, functions.key, builder, element);
  Value size = key ? callForNumber(node, functions.size, builder,
                                   {ImportedNodeOutput(key)})
                   : Value();
  if (!size) {
    keys.erase();
    return {};
  }
  SmallVector<Value> results = {key, size};
  llvm::append_range(results, block.getArguments());
  IRMapping mapping;
  Block &computed = operands.getBody().front();
  mapping.map(computed.getArguments(), ValueRange(key));
  for (Operation &op : computed.without_terminator())
    builder.clone(op, mapping);
  for (Value value : computed.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  func::ReturnOp::create(builder, node.loc, results);
  keys.setFunctionType(
      builder.getFunctionType(components, ValueRange(results).getTypes()));
  BlockImport::eraseDead(block);
  return keys;
}

/// Adds the block of a group's region. Its arguments are the group's key and a
/// window of the group's elements. The window is passed as several datasets,
/// one for each component of the elements of `input`.
static Block &addWindowBlock(NodeImport &node, Value input, Region &region) {
  Block &block = region.emplaceBlock();
  block.addArgument(
      RankedTensorType::get({}, IntegerType::get(node.context(), 64)),
      node.loc);
  for (Type component : componentsOf(input))
    block.addArgument(DatasetType::get(node.context(), component), node.loc);
  return block;
}

static void importGroupByWindow(NodeImport &node) {
  GroupByWindowFunctions functions;
  SmallVector<Type> components;
  if (!node.expectAtLeastInputs(1) || !readFunctions(node, functions) ||
      !declaredComponents(node, "output_types", components))
    return;
  Value input = node.dataset(0);
  if (!input || node.hasFailed() || !expectTensors(node, input))
    return;
  functions.key.input = input;

  // Import reduce_func before the key function: the datasets in reduce_func may
  // use tensors that depend on the key, and the function that computes the key
  // must also compute these tensors (`makeKeys`).
  OpBuilder &builder = node.body.builder;
  auto region = std::make_unique<Region>();
  Block &block = addWindowBlock(node, input, *region);
  OpBuilder inside(node.context()); // the region is not part of an op yet
  inside.setInsertionPointToEnd(&block);
  Value window = block.getArgument(1);
  if (block.getNumArguments() > 2)
    window = ZipDatasetOp::create(
        inside, node.loc, DatasetType::get(node.context(), componentsOf(input)),
        block.getArguments().drop_front());
  SmallVector<ImportedNodeOutput> arguments = {block.getArgument(0), window},
                                  results;
  if (!addCaptured(node, functions.reduce, &inside, arguments))
    return;
  Program &program = node.body.program;
  {
    llvm::SaveAndRestore within(program.place,
                                Program::ExecutionPlace::Function);
    if (!program.importCall(*functions.reduce.function, block, arguments,
                            results, node.body.problems))
      return node.fail();
  }
  Value dataset = results.size() == 1 ? results[0].value : Value();
  if (!dataset || !isa<DatasetType>(dataset.getType()))
    return node.malformed("function '" + functions.reduce.function->name() +
                          "' must return one dataset, but returns " +
                          (results.size() == 1
                               ? std::string("something else")
                               : std::to_string(results.size()) + " results"));
  // Reject reduce_func if it reads a variable. This also rejects random ops,
  // because they read the variable with their state.
  bool reads = false;
  block.walk([&](ReadOp) { reads = true; });
  if (reads)
    return node.unsupported(
        "the reduce_func draws random numbers or reads a variable; do so in a "
        "map before or after this dataset");
  inside.setInsertionPointToEnd(&block);
  YieldOp::create(inside, node.loc, dataset);
  BlockImport::eraseDead(block);
  func::FuncOp operands =
      outlineOperands(node, block, functions.reduce.function->name());
  func::FuncOp keys = makeKeys(node, functions, operands);
  auto numOperands = static_cast<int64_t>(operands.getNumResults());
  operands.erase();
  if (!keys)
    return;

  auto keyed = MapDatasetOp::create(
      builder, node.loc,
      DatasetType::get(node.context(), keys.getResultTypes()), input,
      keys.getSymName());
  auto groups = GroupDatasetOp::create(
      builder, node.loc,
      DatasetType::get(node.context(),
                       llvm::to_vector(block.getArgumentTypes())),
      keyed, static_cast<uint64_t>(numOperands));
  refineComponents(components, componentsOf(dataset));
  OperationState state(node.loc, FlatMapDatasetOp::getOperationName());
  state.addOperands(groups.getDataset());
  state.addTypes(DatasetType::get(node.context(), components));
  state.addRegion(std::move(region));
  if (Operation *op = node.verified(builder.create(state)))
    node.setOutput(0, op->getResult(0));
}

// Imports SlidingWindowDataset, with inputs window_size, window_shift and
// window_stride. Each window becomes one batch.
static void importSlidingWindow(NodeImport &node) {
  SmallVector<Type> components;
  if (!node.expectInputs(4) ||
      !declaredComponents(node, "output_types", components))
    return;
  Value input = node.dataset(0);
  if (!input || !expectTensors(node, input))
    return;
  SmallVector<Value> tensors = node.tensors(1, 4);
  if (node.hasFailed())
    return;
  OpBuilder &builder = node.body.builder;
  bool drops = node.attributes.getBool("drop_remainder", true);
  Value drop = createConstant(
      builder, node.loc,
      DenseElementsAttr::get(RankedTensorType::get({}, builder.getI1Type()),
                             drops));
  SmallVector<Type> windows;
  for (Type component : componentsOf(input))
    windows.push_back(DatasetType::get(node.context(), component));
  auto window = WindowDatasetOp::create(
      builder, node.loc, DatasetType::get(node.context(), windows), input,
      tensors[0], tensors[1], tensors[2], drop);
  if (!node.verified(window))
    return;
  auto region = std::make_unique<Region>();
  Block &block = region->emplaceBlock();
  OpBuilder inside(node.context()); // the region is not part of an op yet
  inside.setInsertionPointToEnd(&block);
  // Clone constant operands into the region of the flat_map, so that the region
  // uses no values from outside.
  auto here = [&](Value operand) -> Value {
    auto constant = operand.getDefiningOp<ConstantOp>();
    return constant ? inside.clone(*constant)->getResult(0) : operand;
  };
  Value size = here(tensors[0]), dropHere = here(drop);
  SmallVector<Value> batches;
  for (auto [type, component] : llvm::zip(windows, components)) {
    Value elements = block.addArgument(type, node.loc);
    batches.push_back(BatchDatasetOp::create(
        inside, node.loc, DatasetType::get(node.context(), component), elements,
        size, dropHere));
  }
  Value whole = batches.front();
  if (batches.size() > 1)
    whole = ZipDatasetOp::create(inside, node.loc,
                                 DatasetType::get(node.context(), components),
                                 batches);
  YieldOp::create(inside, node.loc, whole);
  OperationState state(node.loc, FlatMapDatasetOp::getOperationName());
  state.addOperands(window.getDataset());
  state.addTypes(DatasetType::get(node.context(), components));
  state.addRegion(std::move(region));
  if (Operation *op = node.verified(builder.create(state)))
    node.setOutput(0, op->getResult(0));
}

void addDatasetGroupOps(OpTable &table) {
  for (StringRef prefix : {"", "Experimental"}) {
    table[(prefix + "GroupByWindowDataset").str()] = {Effect::Pure,
                                                      importGroupByWindow};
    table[(prefix + "SlidingWindowDataset").str()] = {Effect::Pure,
                                                      importSlidingWindow};
  }
  table["GroupByWindowDataset"] = {Effect::Pure, importGroupByWindow};
}

} // namespace ingot::importer
