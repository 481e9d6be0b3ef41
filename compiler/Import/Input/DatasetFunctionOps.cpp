//===- DatasetFunctionOps.cpp - Datasets that apply functions -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports datasets that apply a function to each element: maps, filters and
// scans, and datasets such as flat_map and interleave whose function turns an
// element into a dataset.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/IR/DatasetOps.h"

#include "compiler/Import/Input/DatasetImport.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/InputOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

static NamedAttribute symbolOf(NodeImport &node, func::FuncOp function) {
  return node.named("function", FlatSymbolRefAttr::get(node.context(),
                                                       function.getSymName()));
}

// Imports a map. After the function's captures, the node has `NumTensors`
// further inputs. The result's element types are refined from both the
// function's results and the types that the node declares.
template <typename OpT, unsigned NumTensors>
static void importMap(NodeImport &node) {
  SmallVector<Type> components;
  // The inputs after the captures, such as num_parallel_calls, affect only the
  // speed in TensorFlow, so they are ignored.
  auto function = functionOf(node, NumTensors);
  if (!function || !declaredComponents(node, "output_types", components))
    return;
  zipCaptured(node, *function);
  func::FuncOp compiled = compileFunction(node, *function);
  if (!compiled)
    return;
  refineComponents(components, compiled.getResultTypes());
  SmallVector<Value> operands = {function->input};
  if (std::is_same_v<OpT, ParallelMapDatasetOp>)
    llvm::append_range(operands, function->tensors);
  createDataset(node, OpT::getOperationName(), operands, components,
                symbolOf(node, compiled));
}

// Imports MapAndBatchDataset as a map and a batch. Its inputs after the
// function's captures are batch_size, num_parallel_calls and drop_remainder.
static void importMapAndBatch(NodeImport &node) {
  SmallVector<Type> batches;
  auto function = functionOf(node, 3);
  if (!function || !declaredComponents(node, "output_types", batches))
    return;
  zipCaptured(node, *function);
  func::FuncOp compiled = compileFunction(node, *function);
  if (!compiled)
    return;
  auto type = DatasetType::get(node.context(), compiled.getResultTypes());
  auto map = MapDatasetOp::create(node.body.builder, node.loc, type,
                                  function->input, compiled.getSymName());
  createDataset(node, BatchDatasetOp::getOperationName(),
                {map, function->tensors[0], function->tensors[2]}, batches);
}

// Imports FilterDataset or TakeWhileDataset. Elements pass unchanged, so their
// types are those of the input.
template <typename OpT, unsigned NumTensors>
static void importPredicate(NodeImport &node) {
  auto function = functionOf(node, NumTensors, "predicate");
  func::FuncOp compiled =
      function ? compileFunction(node, *function) : func::FuncOp();
  if (compiled)
    createDataset(node, OpT::getOperationName(), function->input,
                  SmallVector<Type>(componentsOf(function->input)),
                  symbolOf(node, compiled));
}

// Makes each dimension in `types` dynamic if its size differs from the size in
// `others`. Returns whether there was such a dimension, or std::nullopt if the
// ranks of two corresponding types differ.
static std::optional<bool> relax(SmallVectorImpl<Type> &types,
                                 ArrayRef<Type> others) {
  bool changed = false;
  for (auto [type, other] : llvm::zip(types, others)) {
    Shape shape = getTensorShape(type), otherShape = getTensorShape(other);
    if (!shape)
      continue;
    if (!otherShape || otherShape->size() != shape->size())
      return std::nullopt;
    for (auto [dim, otherDim] : llvm::zip(*shape, *otherShape))
      if (!ShapedType::isDynamic(dim) && dim != otherDim) {
        dim = ShapedType::kDynamic;
        changed = true;
      }
    type = getTensorType(shape, getElementTypeOrSelf(type));
  }
  return changed;
}

// Imports ScanDataset. Its inputs are a dataset, the initial state, and the
// function's captures.
static void importScan(NodeImport &node) {
  SmallVector<Type> components;
  size_t numStates = node.attributes.getTypes("Tstate").size();
  auto function = functionOf(node, 0, "f", numStates);
  if (!function || !declaredComponents(node, "output_types", components))
    return;
  for (Value state : function->state)
    function->stateTypes.push_back(state.getType());
  func::FuncOp compiled;
  // The shape of the state that the function returns may differ from that of
  // the state that it receives. If so, make the differing dimensions dynamic
  // and compile the function again, until the types of both states are equal.
  for (bool again = true; again;) {
    compiled = compileFunction(node, *function);
    if (!compiled)
      return;
    ArrayRef<Type> results = compiled.getResultTypes();
    if (results.size() != numStates + components.size())
      return node.malformed("function returns " + llvm::Twine(results.size()) +
                            " tensors, expected " + llvm::Twine(numStates) +
                            " of state and " + llvm::Twine(components.size()) +
                            " of an element");
    auto relaxed = relax(function->stateTypes, results.take_front(numStates));
    if (!relaxed)
      return node.unsupported(
          "the function returns a state of another rank than it receives; "
          "return tensors of the same ranks");
    again = *relaxed;
  }
  refineComponents(components, compiled.getResultTypes().drop_front(numStates));
  SmallVector<Value> operands = {function->input};
  llvm::append_range(operands, function->state);
  bool preserves = node.attributes.getBool("preserve_cardinality", false);
  createDataset(node, ScanDatasetOp::getOperationName(), operands, components,
                {symbolOf(node, compiled),
                 node.named("preserve_cardinality",
                            node.body.builder.getBoolAttr(preserves))});
}

// Imports a dataset whose function makes a dataset of each element, such as
// FlatMapDataset. After the function's captures, the node has `NumTensors`
// further inputs. The first `NumKept` of them, such as cycle_length, determine
// the order of elements; the remaining ones affect only speed and are dropped.
template <typename OpT, unsigned NumTensors, unsigned NumKept>
static void importBodied(NodeImport &node) {
  SmallVector<Type> components;
  auto function = functionOf(node, NumTensors);
  if (!function || !declaredComponents(node, "output_types", components))
    return;
  Value dataset;
  std::unique_ptr<Region> region = importBody(node, *function, dataset);
  if (!region)
    return;
  refineComponents(components, componentsOf(dataset));
  OperationState state(node.loc, OpT::getOperationName());
  state.addOperands(function->input);
  state.addOperands(ArrayRef(function->tensors).take_front(NumKept));
  state.addTypes(DatasetType::get(node.context(), components));
  state.addRegion(std::move(region));
  if (Operation *op = node.verified(node.body.builder.create(state)))
    node.setOutput(0, op->getResult(0));
}

void addDatasetFunctionOps(OpTable &table) {
  auto add = [&](StringRef op, void (*import)(NodeImport &)) {
    table[op] = {Effect::Pure, import};
  };
  auto addBoth = [&](StringRef op, void (*import)(NodeImport &)) {
    add(op, import);
    table[("Experimental" + op).str()] = {Effect::Pure, import};
  };
  addBoth("MapDataset", importMap<MapDatasetOp, 0>);
  add("ParallelMapDataset", importMap<MapDatasetOp, 1>);
  add("ParallelMapDatasetV2", importMap<ParallelMapDatasetOp, 1>);
  addBoth("MapAndBatchDataset", importMapAndBatch);
  add("FilterDataset", importPredicate<FilterDatasetOp, 0>);
  add("ParallelFilterDataset", importPredicate<FilterDatasetOp, 1>);
  addBoth("TakeWhileDataset", importPredicate<TakeWhileDatasetOp, 0>);
  addBoth("ScanDataset", importScan);
  add("FlatMapDataset", importBodied<FlatMapDatasetOp, 0, 0>);
  add("InterleaveDataset", importBodied<InterleaveDatasetOp, 2, 2>);
  add("ParallelInterleaveDatasetV2", importBodied<InterleaveDatasetOp, 3, 2>);
  add("ParallelInterleaveDatasetV3", importBodied<InterleaveDatasetOp, 3, 2>);
  add("ParallelInterleaveDatasetV4", importBodied<InterleaveDatasetOp, 5, 2>);
  // The first version, ParallelInterleaveDataset, is imported like V2 to V4:
  // all of them return elements in the same order if they are deterministic.
  addBoth("ParallelInterleaveDataset", importBodied<InterleaveDatasetOp, 5, 2>);
  add("LegacyParallelInterleaveDatasetV2",
      importBodied<InterleaveDatasetOp, 4, 2>);
}

} // namespace ingot::importer
