//===- InputExport.cpp - Datasets and iterators ---------------------------===//

#include "compiler/Export/OpExport.h"

#include "dialects/Ingot/DatasetOps.h"
#include "dialects/Ingot/IngotDialect.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

static ArrayRef<Type> componentsOf(Value dataset) {
  return cast<DatasetType>(dataset.getType()).getComponents();
}

// The result's components, as most datasets declare them.
static AttributeMap declare(OpExport &op, StringRef types = "output_types") {
  AttributeMap attributes;
  addComponents(attributes, componentsOf(op.op->getResult(0)), types);
  return attributes;
}

// "batch_dataset" is BatchDatasetV2, most others are like RangeDataset.
static void exportPlain(OpExport &op) {
  StringRef mnemonic = op.op->getName().stripDialect();
  mnemonic.consume_back("_dataset");
  std::string name = mnemonic.str();
  name[0] = llvm::toUpper(name[0]);
  bool isV2 = isa<BatchDatasetOp, RebatchDatasetOp>(op.op);
  op.emit(name + (isV2 ? "DatasetV2" : "Dataset"), op.operands(), declare(op));
}

static void exportTensors(OpExport &op) {
  AttributeMap attributes = declare(op, "Toutput_types");
  // Shapes are those of the tensors, whole or less the first dimension.
  attributes.erase("Toutput_types");
  op.emit(isa<TensorDatasetOp>(op.op) ? "TensorDataset" : "TensorSliceDataset",
          op.operands(), attributes);
}

static void exportRecords(OpExport &op) {
  op.emit(isa<TFRecordDatasetOp>(op.op)     ? "TFRecordDataset"
          : isa<TFRecordDatasetV2Op>(op.op) ? "TFRecordDatasetV2"
          : isa<TextLineDatasetOp>(op.op)   ? "TextLineDataset"
                                            : "FixedLengthRecordDatasetV2",
          op.operands());
}

static void exportZip(OpExport &op) {
  AttributeMap attributes = declare(op);
  attributes["N"] = integer(op.op->getNumOperands());
  op.emit("ZipDataset", op.operands(), attributes);
}

// input, shapes, values, batch size, drop remainder.
static void exportPaddedBatch(OpExport &op) {
  auto batch = cast<PaddedBatchDatasetOp>(op.op);
  AttributeMap attributes = declare(op, "Toutput_types");
  SmallVector<Tensor> inputs = {op.block.value(batch.getInput()),
                                op.block.value(batch.getBatchSize())};
  llvm::append_range(inputs, op.tensors(batch.getPaddedShapes()));
  llvm::append_range(inputs, op.tensors(batch.getPaddingValues()));
  inputs.push_back(op.block.value(batch.getDropRemainder()));
  attributes["N"] =
      integer(static_cast<int64_t>(batch.getPaddedShapes().size()));
  op.emit("PaddedBatchDatasetV2", inputs, attributes);
}

// The numbers of a new pass are drawn by a generator, which is no part of a
// program.
static void exportRandom(OpExport &op) {
  if (op.flag("rerandomize_each_iteration"))
    return op.refuse("rerandomize_each_iteration = true");
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

static void exportMap(OpExport &op) {
  AttributeMap attributes = declare(op);
  bool filters = isa<FilterDatasetOp, TakeWhileDatasetOp>(op.op);
  attributes[filters ? "predicate" : "f"] =
      function(op.block.program.functionOf(
          op.op->getAttrOfType<FlatSymbolRefAttr>("function")));
  attributes["Targuments"] = types({});
  op.emit(isa<TakeWhileDatasetOp>(op.op)     ? "TakeWhileDataset"
          : filters                          ? "FilterDataset"
          : isa<ParallelMapDatasetOp>(op.op) ? "ParallelMapDatasetV2"
                                             : "MapDataset",
          op.operands(), attributes);
}

// The region takes an element's tensors and gives a dataset.
static void exportBodied(OpExport &op) {
  Block &body = op.op->getRegion(0).front();
  SmallVector<proto::DataType> arguments;
  for (Type type : body.getArgumentTypes())
    arguments.push_back(toTensorType(type));
  std::string name = op.nodeName();
  name = op.block.program.addFunction(
      name.empty() ? "dataset" : name + "_body", arguments,
      [&](BlockExport &block, ArrayRef<Tensor> inputs) {
        for (auto [value, tensor] : llvm::zip(body.getArguments(), inputs))
          block.bind(value, tensor);
        block.run(body);
        return SmallVector<Tensor>{
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

static StringRef symbolOf(OpExport &op) {
  return op.op->getAttrOfType<FlatSymbolRefAttr>("iterator").getValue();
}

static void exportNext(OpExport &op) {
  AttributeMap attributes;
  addComponents(attributes, SmallVector<Type>(op.op->getResultTypes()));
  op.touch(symbolOf(op), /*writes=*/true);
  op.emit("IteratorGetNext", op.block.iterator(symbolOf(op)), attributes);
}

// The datasets stand in the iterator, and become nodes where it is made.
static void exportMake(OpExport &op) {
  StringRef symbol = symbolOf(op);
  auto iterator = op.block.program.symbols.lookup<IteratorOp>(symbol);
  if (!iterator)
    return op.refuse("its iterator is missing");
  Block &body = iterator.getBody().front();
  op.block.run(body);
  Tensor root = op.block.value(body.getTerminator()->getOperand(0));
  op.touch(symbol, /*writes=*/true);
  op.emit("MakeIterator", {root, op.block.iterator(symbol)},
          ArrayRef<proto::DataType>());
}

void addInputExports(ExportTable &table) {
  table[RangeDatasetOp::getOperationName()] = exportPlain;
  table[RepeatDatasetOp::getOperationName()] = exportPlain;
  table[TakeDatasetOp::getOperationName()] = exportPlain;
  table[SkipDatasetOp::getOperationName()] = exportPlain;
  table[PrefetchDatasetOp::getOperationName()] = exportPlain;
  table[BatchDatasetOp::getOperationName()] = exportPlain;
  table[ShardDatasetOp::getOperationName()] = exportPlain;
  table[CacheDatasetOp::getOperationName()] = exportPlain;
  table[UnbatchDatasetOp::getOperationName()] = exportPlain;
  table[ConcatenateDatasetOp::getOperationName()] = exportPlain;
  table[RebatchDatasetOp::getOperationName()] = exportPlain;
  table[WindowDatasetOp::getOperationName()] = exportPlain;
  table[RandomDatasetOp::getOperationName()] = exportRandom;
  table[DirectedInterleaveDatasetOp::getOperationName()] = exportDirected;
  table[ScanDatasetOp::getOperationName()] = exportScan;
  table[TakeWhileDatasetOp::getOperationName()] = exportMap;
  table[TFRecordDatasetV2Op::getOperationName()] = exportRecords;
  table[TensorDatasetOp::getOperationName()] = exportTensors;
  table[TensorSliceDatasetOp::getOperationName()] = exportTensors;
  table[TFRecordDatasetOp::getOperationName()] = exportRecords;
  table[TextLineDatasetOp::getOperationName()] = exportRecords;
  table[FixedLengthRecordDatasetOp::getOperationName()] = exportRecords;
  table[ZipDatasetOp::getOperationName()] = exportZip;
  table[PaddedBatchDatasetOp::getOperationName()] = exportPaddedBatch;
  table[MapDatasetOp::getOperationName()] = exportMap;
  table[ParallelMapDatasetOp::getOperationName()] = exportMap;
  table[FilterDatasetOp::getOperationName()] = exportMap;
  table[FlatMapDatasetOp::getOperationName()] = exportBodied;
  table[InterleaveDatasetOp::getOperationName()] = exportBodied;
  table[ShuffleDatasetOp::getOperationName()] = exportShuffle;
  table[IteratorNextOp::getOperationName()] = exportNext;
  table[IteratorMakeOp::getOperationName()] = exportMake;
}

} // namespace ingot::exporter
