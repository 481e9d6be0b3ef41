//===- InputExport.cpp - Datasets and iterators ---------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/OpExport.h"
#include "compiler/Import/Input/DatasetOpSpec.h"

#include "dialects/Ingot/IR/DatasetOps.h"
#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

static ArrayRef<Type> componentsOf(Value dataset) {
  return cast<DatasetType>(dataset.getType()).getComponents();
}

// Returns the attributes that declare the components of a dataset's elements:
// the attribute named `types` with the element types, and `output_shapes` with
// the shapes.
static AttributeMap declare(OpExport &op, StringRef types = "output_types") {
  AttributeMap attributes;
  addComponents(attributes, componentsOf(op.op->getResult(0)), types);
  return attributes;
}

// Exports a dataset op whose TensorFlow op has the same operands.
static void exportPlain(OpExport &op) {
  op.emit(getDatasetName(op.op), op.operands(), declare(op));
}

// Exports a dataset op by its row in the importer's table of datasets
// (DatasetOpSpec), which states TensorFlow's op name, flags and element types.
static void exportDataset(OpExport &op, const importer::DatasetOpSpec &spec) {
  AttributeMap attributes;
  if (spec.elements != importer::DatasetOpSpec::Record)
    attributes = declare(op);
  for (StringRef flag : spec.flags)
    attributes[flag.str()] = boolean(op.flag(flag));
  op.emit(spec.name, op.operands(), attributes);
}

static void exportDataset(OpExport &op) {
  for (const importer::DatasetOpSpec &spec : importer::getDatasetSpecs())
    if (spec.ours == op.op->getName().getStringRef())
      return exportDataset(op, spec);
}

static void exportTensors(OpExport &op) {
  AttributeMap attributes = declare(op, "Toutput_types");
  // Erase Toutput_types, as `emit` sets it from the types of the operands. Keep
  // `output_shapes`, the shapes of an element's components: in a
  // TensorSliceDataset, these lack the first dimension of the operands.
  attributes.erase("Toutput_types");
  op.emit(isa<TensorDatasetOp>(op.op) ? "TensorDataset" : "TensorSliceDataset",
          op.operands(), attributes);
}

static void exportZip(OpExport &op) {
  AttributeMap attributes = declare(op);
  attributes["N"] = integer(op.op->getNumOperands());
  op.emit("ZipDataset", op.operands(), attributes);
}

// Exports padded_batch. TensorFlow's op has its inputs in this order: dataset,
// batch size, shapes, padding values, drop remainder.
static void exportPaddedBatch(OpExport &op) {
  auto batch = cast<PaddedBatchDatasetOp>(op.op);
  AttributeMap attributes = declare(op, "Toutput_types");
  SmallVector<NodeOutput> inputs = {op.block.value(batch.getInput()),
                                    op.block.value(batch.getBatchSize())};
  llvm::append_range(inputs, op.tensors(batch.getPaddedShapes()));
  llvm::append_range(inputs, op.tensors(batch.getPaddingValues()));
  inputs.push_back(op.block.value(batch.getDropRemainder()));
  attributes["N"] =
      integer(static_cast<int64_t>(batch.getPaddedShapes().size()));
  op.emit("PaddedBatchDatasetV2", inputs, attributes);
}

// Exports a dataset of random numbers. Rejects a dataset that draws new numbers
// in each epoch: for this, TensorFlow needs a seed generator resource, which
// programs do not have.
static void exportRandom(OpExport &op) {
  if (op.flag("rerandomize_each_iteration"))
    return op.refuse("rerandomize_each_iteration = true needs a seed "
                     "generator, which is not exported");
  op.emit("RandomDataset", op.operands(), declare(op));
}

static void exportDirected(OpExport &op) {
  AttributeMap attributes = declare(op);
  attributes["N"] = integer(op.op->getNumOperands() - 1);
  attributes["stop_on_empty_dataset"] =
      boolean(op.flag("stop_on_empty_dataset"));
  op.emit("DirectedInterleaveDataset", op.operands(), attributes);
}

static void exportScan(OpExport &op) {
  AttributeMap attributes = declare(op);
  attributes["f"] = function(op.block.program.functionOf(
      op.op->getAttrOfType<FlatSymbolRefAttr>("function")));
  attributes["Targuments"] = types({});
  attributes["preserve_cardinality"] = boolean(op.flag("preserve_cardinality"));
  op.emit("ScanDataset", op.operands(), attributes);
}

// Returns whether the function of a map may draw random numbers. This is
// assumed if the function reads a variable, because the state of a random op is
// a variable of the program.
static bool drawsRandom(OpExport &op) {
  Operation *function = op.block.program.symbols.lookup(
      op.op->getAttrOfType<FlatSymbolRefAttr>("function").getValue());
  return function &&
         function->walk([&](ReadOp) { return WalkResult::interrupt(); })
             .wasInterrupted();
}

static void exportMap(OpExport &op) {
  // A map that computes keys of groups is exported by exportGroupByWindow.
  if (llvm::any_of(op.op->getUsers(), llvm::IsaPred<GroupDatasetOp>))
    return;
  AttributeMap attributes = declare(op);
  bool filters = isa<FilterDatasetOp, TakeWhileDatasetOp>(op.op);
  attributes[filters ? "predicate" : "f"] =
      function(op.block.program.functionOf(
          op.op->getAttrOfType<FlatSymbolRefAttr>("function")));
  attributes["Targuments"] = types({});
  if (isa<ParallelMapDatasetOp>(op.op) && drawsRandom(op))
    // A ParallelMapDataset may call its function for elements in any order,
    // which would change the random numbers of each element. A MapDataset keeps
    // the order.
    return op.emit("MapDataset", op.operand(0), attributes);
  op.emit(isa<TakeWhileDatasetOp>(op.op)     ? "TakeWhileDataset"
          : filters                          ? "FilterDataset"
          : isa<ParallelMapDatasetOp>(op.op) ? "ParallelMapDatasetV2"
                                             : "MapDataset",
          op.operands(), attributes);
}

// Exports flat_map or interleave. The op's region, which makes a dataset of the
// components of an element, becomes a library function.
static void exportBodied(OpExport &op) {
  if (op.op->getOperand(0).getDefiningOp<GroupDatasetOp>())
    return exportGroupByWindow(op);
  Block &body = op.op->getRegion(0).front();
  SmallVector<proto::DataType> arguments;
  for (Type type : body.getArgumentTypes())
    arguments.push_back(toTensorType(type));
  std::string name = op.nodeName();
  name = op.block.program.addFunction(
      name.empty() ? "dataset" : name + "_body", arguments,
      [&](BlockExport &block, ArrayRef<NodeOutput> inputs) {
        for (auto [value, tensor] : llvm::zip(body.getArguments(), inputs))
          block.bind(value, tensor);
        block.run(body);
        return SmallVector<NodeOutput>{
            block.value(body.getTerminator()->getOperand(0))};
      });
  AttributeMap attributes = declare(op);
  attributes["f"] = function(name);
  attributes["Targuments"] = types({});
  op.emit(isa<FlatMapDatasetOp>(op.op) ? "FlatMapDataset" : "InterleaveDataset",
          op.operands(), attributes);
}

static void exportShuffle(OpExport &op) {
  AttributeMap attributes = declare(op);
  attributes["reshuffle_each_iteration"] =
      boolean(op.flag("reshuffle_each_iteration"));
  op.emit("ShuffleDataset", op.operands(), attributes);
}

// Exports csv_dataset. The operand with the columns to exclude becomes the last
// input, because TensorFlow's op has it after the columns' defaults.
static void exportCSV(OpExport &op) {
  auto csv = cast<CSVDatasetOp>(op.op);
  SmallVector<NodeOutput> inputs = op.operands(csv.getRecordDefaults().size());
  NodeOutput excluded = inputs.pop_back_val();
  llvm::append_range(inputs, op.tensors(csv.getRecordDefaults()));
  inputs.push_back(excluded);
  op.emit("CSVDatasetV2", inputs, declare(op));
}

// Replaces an optional_dataset by its input dataset. No node is needed, because
// TensorFlow's iterators turn elements into optionals themselves
// (IteratorGetNextAsOptional).
static void exportOptional(OpExport &op) { op.set(0, op.operand(0)); }

static StringRef symbolOf(OpExport &op) {
  return op.op->getAttrOfType<FlatSymbolRefAttr>("iterator").getValue();
}

static SmallVector<proto::DataType> typesOf(TypeRange tensors) {
  SmallVector<proto::DataType> dtypes;
  for (Type type : tensors)
    dtypes.push_back(toTensorType(type));
  return dtypes;
}

// Adds a library function whose argument is an optional. It returns the
// components of the optional's value, or zeros if `hasValue` is false. Returns
// the function's name.
static std::string valueFunction(OpExport &op, ArrayRef<Type> components,
                                 bool hasValue) {
  SmallVector<proto::DataType> dtypes = typesOf(components);
  return op.block.program.addFunction(
      op.nodeName() + (hasValue ? "_value" : "_none"), {proto::DT_VARIANT},
      [&](BlockExport &block, ArrayRef<NodeOutput> inputs) {
        OpExport inside(block, op.op);
        if (hasValue) {
          AttributeMap attributes;
          addComponents(attributes, components);
          return inside.addAll("OptionalGetValue", inputs, dtypes, attributes);
        }
        SmallVector<NodeOutput> zeros;
        for (auto [type, dtype] : llvm::zip(components, dtypes)) {
          SmallVector<int64_t> dims;
          if (auto ranked = dyn_cast<RankedTensorType>(type))
            for (int64_t size : ranked.getShape())
              dims.push_back(ShapedType::isDynamic(size) ? 0 : size);
          NodeOutput zero =
              dtype == proto::DT_STRING
                  ? inside.constant(strings(ArrayRef<StringRef>{""}))
                  : inside.scalar(0, dtype);
          if (dtype == proto::DT_STRING)
            zero = inside.add("Reshape", {zero, inside.vector({})}, dtype);
          zeros.push_back(
              inside.add("Fill", {inside.vector(dims), zero}, dtype));
        }
        return zeros;
      });
}

// Exports iterator_next of an iterator whose elements begin with a flag:
// whether there is an element. TensorFlow's op returns an optional instead, so
// an If returns the components of the optional's value, or zeros if the input
// has ended.
static void exportNextOptional(OpExport &op, StringRef symbol) {
  SmallVector<Type> components(
      ValueRange(op.op->getResults()).drop_front().getTypes());
  AttributeMap attributes;
  addComponents(attributes, components);
  op.touch(symbol, /*writes=*/true);
  NodeOutput optional =
      op.emit("IteratorGetNextAsOptional", op.block.iterator(symbol),
              ArrayRef<proto::DataType>{proto::DT_VARIANT}, attributes)
          .front();
  NodeOutput flag = op.add("OptionalHasValue", optional, proto::DT_BOOL);
  op.set(0, flag);
  SmallVector<proto::DataType> dtypes = typesOf(components);
  AttributeMap branches = {
      {"then_branch", function(valueFunction(op, components, true))},
      {"else_branch", function(valueFunction(op, components, false))},
      {"Tin", types(proto::DT_VARIANT)},
      {"Tout", types(dtypes)}};
  for (auto [index, tensor] :
       llvm::enumerate(op.addAll("If", {flag, optional}, dtypes, branches)))
    op.set(index + 1, tensor);
}

static void exportNext(OpExport &op) {
  AttributeMap attributes;
  auto iterator = op.block.program.symbols.lookup<IteratorOp>(symbolOf(op));
  if (iterator && iterator->hasAttr(givesOptionalsAttrName))
    return exportNextOptional(op, symbolOf(op));
  addComponents(attributes, SmallVector<Type>(op.op->getResultTypes()));
  op.touch(symbolOf(op), /*writes=*/true);
  op.emit("IteratorGetNext", op.block.iterator(symbolOf(op)), attributes);
}

// Exports the initialization of an iterator. Also adds the nodes of its
// datasets, which are ops in the region of the iterator op.
static void exportMake(OpExport &op) {
  StringRef symbol = symbolOf(op);
  auto iterator = op.block.program.symbols.lookup<IteratorOp>(symbol);
  if (!iterator)
    return op.refuse("the program has no ingot.iterator @" + symbol);
  Block &body = iterator.getBody().front();
  op.block.run(body);
  NodeOutput root = op.block.value(body.getTerminator()->getOperand(0));
  if (auto first = iterator->getAttrOfType<FlatSymbolRefAttr>(madeIntoAttrName))
    symbol = first.getValue();
  op.touch(symbol, /*writes=*/true);
  op.emit("MakeIterator", {root, op.block.iterator(symbol)},
          ArrayRef<proto::DataType>());
}

void addInputExports(ExportTable &table) {
  for (const importer::DatasetOpSpec &spec : importer::getDatasetSpecs())
    table[spec.ours] = exportDataset;
  table[CacheDatasetOp::getOperationName()] = exportPlain;
  table[ConcatenateDatasetOp::getOperationName()] = exportPlain;
  table[WindowDatasetOp::getOperationName()] = exportPlain;
  table[RandomDatasetOp::getOperationName()] = exportRandom;
  table[DirectedInterleaveDatasetOp::getOperationName()] = exportDirected;
  table[ScanDatasetOp::getOperationName()] = exportScan;
  table[TakeWhileDatasetOp::getOperationName()] = exportMap;
  table[TensorDatasetOp::getOperationName()] = exportTensors;
  table[TensorSliceDatasetOp::getOperationName()] = exportTensors;
  table[ZipDatasetOp::getOperationName()] = exportZip;
  table[PaddedBatchDatasetOp::getOperationName()] = exportPaddedBatch;
  table[MapDatasetOp::getOperationName()] = exportMap;
  table[ParallelMapDatasetOp::getOperationName()] = exportMap;
  table[FilterDatasetOp::getOperationName()] = exportMap;
  table[FlatMapDatasetOp::getOperationName()] = exportBodied;
  table[InterleaveDatasetOp::getOperationName()] = exportBodied;
  table[ShuffleDatasetOp::getOperationName()] = exportShuffle;
  table[CSVDatasetOp::getOperationName()] = exportCSV;
  table[OptionalDatasetOp::getOperationName()] = exportOptional;
  // A group dataset needs no function here: exportGroupByWindow exports it
  // together with the flat_map over it.
  table[GroupDatasetOp::getOperationName()] = [](OpExport &) {};
  table[IteratorNextOp::getOperationName()] = exportNext;
  table[IteratorMakeOp::getOperationName()] = exportMake;
}

} // namespace ingot::exporter
