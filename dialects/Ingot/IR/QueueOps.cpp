//===- QueueOps.cpp - Verifiers of queues ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/QueueOps.h"

#include "dialects/Ingot/IR/DatasetOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/RandomOps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotQueueOps.cpp.inc"

void mlir::ingot::addQueueOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotQueueOps.cpp.inc"
      >();
}

static ArrayRef<Type> componentsOf(Value dataset) {
  return cast<DatasetType>(dataset.getType()).getComponents();
}

/// Returns the component types of a batch of `count` elements whose components
/// have the types `components`: each has one more leading dimension.
static SmallVector<Type> batchTypes(TypeRange components, int64_t count) {
  SmallVector<Type> types;
  for (Type type : components) {
    Shape shape = getTensorShape(type);
    if (shape)
      shape->insert(shape->begin(), count);
    types.push_back(getTensorType(shape, getElementTypeOrSelf(type)));
  }
  return types;
}

static bool isScalarString(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 &&
         isa<StringType>(tensor.getElementType());
}

LogicalResult QueueDatasetOp::verify() {
  // `kind` must be one of TensorFlow's queues or a staging area
  // (queue_dataset_c1).
  if (!llvm::is_contained({"FIFOQueue", "RandomShuffleQueue",
                           "PaddingFIFOQueue", "PriorityQueue", "StagingArea"},
                          getKind()))
    return emitOpError("there is no queue of kind '")
           << getKind()
           << "': expected FIFOQueue, RandomShuffleQueue, PaddingFIFOQueue, "
              "PriorityQueue or StagingArea";
  int64_t capacity = getCapacity(), least = getMinAfterDequeue();
  // The capacity must be positive, or -1 for no limit (queue_dataset_c2).
  if (capacity != -1 && capacity <= 0)
    return emitOpError("the capacity must be positive, or -1 for no limit, but "
                       "is ")
           << capacity;
  // `min_after_dequeue` must not be negative, and must be less than the
  // capacity if that is limited (queue_dataset_c3).
  if (least < 0)
    return emitOpError("min_after_dequeue must not be negative, but is ")
           << least;
  if (capacity != -1 && least >= capacity)
    return emitOpError("min_after_dequeue must be less than the capacity, ")
           << capacity << ", but is " << least;
  ArrayRef<Type> components = componentsOf(getDataset());
  for (Value runner : getRunners()) {
    // Each operand must be a queue runner, an op that enqueues elements, with
    // the queue's components (queue_dataset_c4).
    if (!runner.getDefiningOp<QueueRunnerDatasetOp>())
      return emitOpError("each operand must be an ingot.queue_runner_dataset");
    if (!areCompatibleTypeLists(componentsOf(runner), components))
      return emitOpError("a runner enqueues (")
             << TypeRange(componentsOf(runner))
             << "), but the queue's elements are (" << TypeRange(components)
             << ")";
  }
  auto priority = components.empty()
                      ? RankedTensorType()
                      : dyn_cast<RankedTensorType>(components.front());
  // The first component of a PriorityQueue must be an i64 scalar
  // (queue_dataset_c5).
  if (getKind() == "PriorityQueue" &&
      (!priority || priority.getRank() != 0 ||
       !priority.getElementType().isSignlessInteger(64)))
    return emitOpError("the first component of a PriorityQueue must be an i64 "
                       "scalar, but its elements are (")
           << TypeRange(components) << ")";
  return success();
}

LogicalResult QueueBatchDatasetOp::verify() {
  // The number of elements must be positive (queue_batch_dataset_c1).
  if (getCount() <= 0)
    return emitOpError("count must be positive, but is ") << getCount();
  SmallVector<Type> expected = batchTypes(
      componentsOf(getQueue()),
      getUpTo() ? ShapedType::kDynamic : static_cast<int64_t>(getCount()));
  // The components must be those of a queue or a reader, with one more leading
  // dimension. Batches of a reader must be allowed to be smaller (`up_to`),
  // because its file may have fewer records (queue_batch_dataset_c2).
  bool isReader = isa_and_nonnull<ReaderDatasetOp>(getQueue().getDefiningOp());
  if (!isReader && !getQueue().getDefiningOp<QueueDatasetOp>())
    return emitOpError("the operand must be an ingot.queue_dataset or an "
                       "ingot.reader_dataset");
  if (isReader && !getUpTo())
    return emitOpError("requires 'up_to', because the file of the "
                       "ingot.reader_dataset may have fewer than ")
           << getCount() << " records";
  if (!areCompatibleTypeLists(componentsOf(getDataset()), expected))
    return emitOpError("the result's elements are (")
           << TypeRange(componentsOf(getDataset()))
           << "), but batches of the queue's elements are ("
           << TypeRange(expected) << ")";
  return success();
}

LogicalResult ReaderDatasetOp::verify() {
  // `kind` must be one of TensorFlow's readers (reader_dataset_c1).
  if (!llvm::is_contained({"TFRecordReader", "TextLineReader",
                           "FixedLengthRecordReader", "WholeFileReader",
                           "IdentityReader"},
                          getKind()))
    return emitOpError("there is no reader of kind '")
           << getKind()
           << "': expected TFRecordReader, TextLineReader, "
              "FixedLengthRecordReader, WholeFileReader or IdentityReader";
  ArrayRef<Type> names = componentsOf(getNames());
  // File names must come from a queue whose elements are one string scalar
  // (reader_dataset_c2).
  if (!getNames().getDefiningOp<QueueDatasetOp>())
    return emitOpError("the operand must be an ingot.queue_dataset");
  if (names.size() != 1 || !isScalarString(names.front()))
    return emitOpError("must read file names from a queue whose elements are "
                       "one string scalar, but reads (")
           << TypeRange(names) << ")";
  ArrayRef<Type> components = componentsOf(getDataset());
  // An element must be two string scalars: key and record (reader_dataset_c3).
  if (components.size() != 2 || !llvm::all_of(components, isScalarString))
    return emitOpError("an element must be two string scalars, a key and a "
                       "record, but is (")
           << TypeRange(components) << ")";
  constexpr uint64_t limit = uint64_t(1) << 40;
  std::pair<StringRef, uint64_t> sizes[] = {
      {"header_bytes", getHeaderBytes()},
      {"record_bytes", getRecordBytes()},
      {"footer_bytes", getFooterBytes()},
      {"hop_bytes", getHopBytes()},
      {"skip_header_lines", getSkipHeaderLines()}};
  // Sizes must be 0 to 2^40 bytes, and records of fixed length must not be
  // empty (reader_dataset_c4).
  for (auto [name, size] : sizes)
    if (size > limit)
      return emitOpError("'") << name << "' must be from 0 to 2^40, but is "
                              << static_cast<int64_t>(size);
  if (getKind() == "FixedLengthRecordReader" && getRecordBytes() == 0)
    return emitOpError("'record_bytes' must be positive for a "
                       "FixedLengthRecordReader, but is 0");
  // The compression must be "", "GZIP" or "ZLIB" (reader_dataset_c5).
  if (!llvm::is_contained({"", "GZIP", "ZLIB"}, getCompression()))
    return emitOpError("compression '")
           << getCompression()
           << "' is not supported, expected '', 'GZIP' or 'ZLIB'";
  return success();
}

LogicalResult QueueRunnerDatasetOp::verify() { return success(); }

LogicalResult
QueueRunnerDatasetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getFunctionAttr());
  SmallVector<Type> arguments;
  for (Value source : getSources())
    llvm::append_range(arguments, componentsOf(source));
  // The symbol must name a function whose arguments are the components of all
  // sources, in order (queue_runner_c1).
  if (!function)
    return emitOpError() << getFunctionAttr()
                         << " is not a function of the program";
  // Once ingot-lower-entries-to-functions has lowered the function, the
  // function takes buffers.
  if (llvm::any_of(function.getArgumentTypes(), llvm::IsaPred<MemRefType>))
    return success();
  if (!areCompatibleTypeLists(getElementArguments(function), arguments))
    return emitOpError() << getFunctionAttr() << " takes ("
                         << getElementArguments(function)
                         << "), but the sources yield (" << TypeRange(arguments)
                         << ")";
  SmallVector<Type> results;
  if (getGated())
    results.push_back(
        RankedTensorType::get({}, IntegerType::get(getContext(), 1)));
  ArrayRef<Type> components = componentsOf(getDataset());
  if (getMany())
    llvm::append_range(results, batchTypes(components, ShapedType::kDynamic));
  else
    llvm::append_range(results, components);
  // The function must return the components to enqueue (queue_runner_c2): those
  // of one element or, if `many` is set, of a batch of elements. If `gated` is
  // set, it must return a boolean before them.
  if (!areCompatibleTypeLists(getElementResults(function), results))
    return emitOpError() << getFunctionAttr() << " returns ("
                         << getElementResults(function) << "), expected ("
                         << TypeRange(results) << ")";
  return success();
}

LogicalResult QueuesDatasetOp::verify() {
  for (Value node : getNodes())
    // Each operand must be a queue or a reader (queues_dataset_c1).
    if (!isa_and_nonnull<QueueDatasetOp, ReaderDatasetOp>(node.getDefiningOp()))
      return emitOpError("each operand must be a queue or a reader");
  Type none = RankedTensorType::get({}, IntegerType::get(getContext(), 64));
  // The result has one component, an i64 scalar (queues_dataset_c2).
  if (componentsOf(getDataset()) != ArrayRef(none))
    return emitOpError("the result's elements must be (")
           << none << "), but are (" << TypeRange(componentsOf(getDataset()))
           << ")";
  return success();
}

/// Returns the dataset op of the queue or reader that `op`, an op of an entry,
/// uses. If there is none, reports an error and returns null.
template <typename OpT>
static Operation *findNode(OpT op, SymbolTableCollection &symbols) {
  auto iterator =
      symbols.lookupNearestSymbolFrom<IteratorOp>(op, op.getIteratorAttr());
  auto yield = iterator ? dyn_cast<YieldOp>(iterator.getBody().front().back())
                        : YieldOp();
  auto pipeline =
      yield ? yield.getDataset().template getDefiningOp<QueuesDatasetOp>()
            : QueuesDatasetOp();
  // The symbol must name an iterator over an ingot.queues_dataset, and the op's
  // `node` must be the index of one of this dataset's queues and readers
  // (queue_c1).
  if (!pipeline) {
    op.emitOpError() << op.getIteratorAttr()
                     << " is not an iterator over an ingot.queues_dataset";
    return nullptr;
  }
  if (op.getNode() >= pipeline.getNodes().size()) {
    op.emitOpError("uses node ")
        << op.getNode() << " of " << op.getIteratorAttr() << ", which has only "
        << pipeline.getNodes().size() << " queues and readers, numbered from 0";
    return nullptr;
  }
  return pipeline.getNodes()[op.getNode()].getDefiningOp();
}

LogicalResult QueueDequeueOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *node = findNode(*this, symbols);
  if (!node)
    return failure();
  if (Value count = getCount()) {
    Type element = getElementTypeOrSelf(count);
    // A count must be a scalar of i32 or i64 (queue_dequeue_c2).
    if (!mayHaveRank(count.getType(), 0) ||
        !(element.isSignlessInteger(32) || element.isSignlessInteger(64)))
      return emitOpError("a count must be a scalar of i32 or i64, but is ")
             << count.getType();
  }
  SmallVector<Type> expected(componentsOf(node->getResult(0)));
  if (getCount())
    expected = batchTypes(expected, ShapedType::kDynamic);
  // The results must not contradict the node's components
  // (queue_dequeue_c1).
  if (!areCompatibleTypeLists(getResultTypes(), expected))
    return emitOpError("the results are (")
           << getResultTypes() << "), but the queue or reader yields ("
           << TypeRange(expected) << ")";
  return success();
}

LogicalResult QueueEnqueueOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *node = findNode(*this, symbols);
  if (!node)
    return failure();
  SmallVector<Type> expected(componentsOf(node->getResult(0)));
  if (getMany())
    expected = batchTypes(expected, ShapedType::kDynamic);
  // The operands must not contradict the queue's components
  // (queue_enqueue_c1).
  if (!isa<QueueDatasetOp>(node))
    return emitOpError("node ") << getNode() << " of " << getIteratorAttr()
                                << " is a reader: elements can be enqueued "
                                   "only in queues";
  if (!areCompatibleTypeLists(getComponents().getTypes(), expected))
    return emitOpError("enqueues (")
           << getComponents().getTypes() << "), but the queue takes ("
           << TypeRange(expected) << ")";
  return success();
}

LogicalResult QueueSizeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(findNode(*this, symbols));
}

LogicalResult
QueueIsClosedOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(findNode(*this, symbols));
}

LogicalResult QueueCloseOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(findNode(*this, symbols));
}
