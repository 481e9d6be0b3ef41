//===- QueueOps.cpp - Ops of entries on queues ----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/QueueOps.h"
#include "compiler/Import/ControlFlow/BlockImport.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

static void importHandle(NodeImport &) {}

// Returns the queue whose handle is input `input` of the node, or null if the
// queue is not part of the program.
static const ImportedQueues::QueueOrReader *findQueue(NodeImport &node,
                                                      size_t input = 0) {
  ResourceHandle handle = node.handle(input);
  return handle.graph == &node.body.program.graph
             ? node.body.program.queues.queue(handle.node)
             : nullptr;
}

// Records the problem that the node's first input is the handle of a queue or
// reader that is not part of the program.
static void refuse(NodeImport &node) {
  ResourceHandle handle = node.handle(0);
  bool isOurs = handle.graph == &node.body.program.graph;
  node.unsupported(
      "'" + handle.name() + "' (" + handle.op() +
      ") is not part of the program" +
      (isOurs ? ": " + node.body.program.queues.reason(node.index)
              : ", as it is created in a function") +
      "; feed the tensors taken from it, or use a tf.data pipeline");
}

// Lets the runners that the step runs itself take their turns before `node`
// uses the queue that is its first input.
static void takeTurns(NodeImport &node) {
  ResourceHandle handle = node.handle(0);
  if (handle.graph == &node.body.program.graph)
    node.body.program.updatingRunners.takeTurns(node, handle.node);
}

static SymbolRefAttr nameOf(const ImportedQueues::QueueOrReader &queue) {
  return FlatSymbolRefAttr::get(
      cast<IteratorOp>(queue.iterator).getSymNameAttr());
}

// Creates the op that takes elements from the queue or reader `from`, and makes
// its results the outputs of `node`. Without `count`, takes one element;
// otherwise, a batch of `count` elements or, if `upTo`, of at most `count`.
static void dequeue(NodeImport &node, const ImportedQueues::QueueOrReader &from,
                    Value count, bool upTo) {
  SmallVector<Type> types;
  std::optional<int64_t> known;
  if (count && !upTo)
    known = node.body.graph.constantInt(node.node.inputs.back());
  for (Type type : from.components) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    if (count)
      shape.insert(shape.begin(), known.value_or(ShapedType::kDynamic));
    types.push_back(RankedTensorType::get(shape, tensor.getElementType()));
  }
  auto op = QueueDequeueOp::create(
      node.body.builder, node.loc, types, cast<FlatSymbolRefAttr>(nameOf(from)),
      node.body.builder.getI64IntegerAttr(from.number), count,
      node.body.builder.getBoolAttr(upTo));
  for (auto [port, value] : llvm::enumerate(op.getResults()))
    node.setOutput(static_cast<int>(port), value);
}

static void importDequeue(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  takeTurns(node);
  if (const ImportedQueues::QueueOrReader *queue = findQueue(node))
    return dequeue(node, *queue, {}, false);
  refuse(node);
}

static void importDequeueMany(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  const ImportedQueues::QueueOrReader *queue = findQueue(node);
  if (!queue)
    return refuse(node);
  takeTurns(node);
  ResourceHandle handle = node.handle(0);
  NodeAttributes attributes(*(*handle.graph)[handle.node].def);
  const proto::AttrValue::ListValue *shapes = attributes.getList("shapes");
  if (!queue->components.empty() && (!shapes || shapes->shape_size() == 0))
    return node.unsupported("'" + handle.name() +
                            "' declares no shapes, which TensorFlow requires "
                            "of a queue that several elements are taken from; "
                            "state them in argument `shapes` of the queue");
  if (Value count = node.tensor(1))
    dequeue(node, *queue, count,
            withoutVersion(node.node.op()) == "QueueDequeueUpTo");
}

// Imports ReaderRead and ReaderReadUpTo. The third input of the latter is the
// maximum number of records to read.
static void importRead(NodeImport &node) {
  bool isMany = withoutVersion(node.node.op()) == "ReaderReadUpTo";
  if (!node.expectInputs(isMany ? 3 : 2))
    return;
  ResourceHandle reader = node.handle(0), queue = node.handle(1);
  const ImportedQueues::QueueOrReader *found =
      node.body.program.queues.reader(reader.node, queue.node);
  if (!found || reader.graph != &node.body.program.graph)
    return refuse(node);
  if (!isMany)
    return dequeue(node, *found, {}, false);
  if (Value count = node.tensor(2))
    dequeue(node, *found, count, /*upTo=*/true);
}

static void importEnqueue(NodeImport &node) {
  if (!node.expectAtLeastInputs(1))
    return;
  const ImportedQueues::QueueOrReader *queue = findQueue(node);
  if (!queue)
    return refuse(node);
  SmallVector<Value> components = node.tensors(1, node.numInputs());
  if (node.hasFailed())
    return;
  bool many = withoutVersion(node.node.op()) == "QueueEnqueueMany";
  SmallVector<Type> expected;
  for (Type type : queue->components) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    if (many)
      shape.insert(shape.begin(), ShapedType::kDynamic);
    expected.push_back(RankedTensorType::get(shape, tensor.getElementType()));
  }
  if (!areCompatibleTypeLists(ValueRange(components).getTypes(), expected))
    return node.malformed("its inputs must be " + describeTypes(expected) +
                          " for this queue: " + node.describeInputs());
  QueueEnqueueOp::create(node.body.builder, node.loc,
                         cast<FlatSymbolRefAttr>(nameOf(*queue)),
                         node.body.builder.getI64IntegerAttr(queue->number),
                         components, node.body.builder.getBoolAttr(many));
}

// Imports QueueSize. If the queue is not part of the program, its size is 0.
static void importSize(NodeImport &node) {
  OpBuilder &builder = node.body.builder;
  auto type = RankedTensorType::get({}, builder.getI32Type());
  if (!node.expectInputs(1))
    return;
  takeTurns(node);
  if (const ImportedQueues::QueueOrReader *queue = findQueue(node))
    return node.setOutput(
        0, QueueSizeOp::create(builder, node.loc, type,
                               cast<FlatSymbolRefAttr>(nameOf(*queue)),
                               builder.getI64IntegerAttr(queue->number)));
  node.setOutput(0, createConstant(builder, node.loc,
                                   DenseElementsAttr::get(type, int32_t(0))));
}

static void importIsClosed(NodeImport &node) {
  OpBuilder &builder = node.body.builder;
  if (!node.expectInputs(1))
    return;
  const ImportedQueues::QueueOrReader *queue = findQueue(node);
  if (!queue)
    return refuse(node);
  node.setOutput(
      0, QueueIsClosedOp::create(builder, node.loc,
                                 RankedTensorType::get({}, builder.getI1Type()),
                                 cast<FlatSymbolRefAttr>(nameOf(*queue)),
                                 builder.getI64IntegerAttr(queue->number)));
}

static void importClose(NodeImport &node) {
  OpBuilder &builder = node.body.builder;
  if (!node.expectInputs(1))
    return;
  const ImportedQueues::QueueOrReader *queue = findQueue(node);
  if (!queue)
    return refuse(node);
  bool cancel = node.attributes.getBool("cancel_pending_enqueues", false);
  QueueCloseOp::create(
      builder, node.loc, cast<FlatSymbolRefAttr>(nameOf(*queue)),
      builder.getI64IntegerAttr(queue->number), builder.getBoolAttr(cancel));
}

static const ImportedQueues::QueueOrReader *findArea(NodeImport &node) {
  if (const ImportedQueues::QueueOrReader *area =
          node.body.program.queues.area(*node.node.def))
    return area;
  node.unsupported("no Stage node of the entry fills its staging area; stage "
                   "elements in the same entry");
  return nullptr;
}

static void importStage(NodeImport &node) {
  const ImportedQueues::QueueOrReader *area = findArea(node);
  SmallVector<Value> components = node.tensors(0, node.numInputs());
  if (!area || node.hasFailed())
    return;
  if (!areCompatibleTypeLists(ValueRange(components).getTypes(),
                              area->components))
    return node.malformed("its inputs must be " +
                          describeTypes(area->components) +
                          " for this staging area: " + node.describeInputs());
  QueueEnqueueOp::create(node.body.builder, node.loc,
                         cast<FlatSymbolRefAttr>(nameOf(*area)),
                         node.body.builder.getI64IntegerAttr(area->number),
                         components, node.body.builder.getBoolAttr(false));
}

static void importUnstage(NodeImport &node) {
  if (const ImportedQueues::QueueOrReader *area = findArea(node))
    dequeue(node, *area, {}, false);
}

static void importStageSize(NodeImport &node) {
  OpBuilder &builder = node.body.builder;
  if (const ImportedQueues::QueueOrReader *area = findArea(node))
    node.setOutput(
        0, QueueSizeOp::create(builder, node.loc,
                               RankedTensorType::get({}, builder.getI32Type()),
                               cast<FlatSymbolRefAttr>(nameOf(*area)),
                               builder.getI64IntegerAttr(area->number)));
}

void addQueueOps(OpTable &table) {
  table["Stage"] = {Effect::Consumes, importStage};
  table["Unstage"] = {Effect::Consumes, importUnstage};
  table["StageSize"] = {Effect::Reads, importStageSize};
  auto add = [&](StringRef op, Effect effect, void (*import)(NodeImport &)) {
    for (std::string name : {op.str(), (op + "V2").str()})
      table[name] = {effect, import};
  };
  for (StringRef op :
       {"FIFOQueue", "RandomShuffleQueue", "PaddingFIFOQueue", "PriorityQueue",
        "TFRecordReader", "TextLineReader", "FixedLengthRecordReader",
        "WholeFileReader", "IdentityReader"})
    add(op, Effect::Pure, importHandle);
  add("QueueDequeue", Effect::Consumes, importDequeue);
  add("QueueDequeueMany", Effect::Consumes, importDequeueMany);
  add("QueueDequeueUpTo", Effect::Consumes, importDequeueMany);
  add("ReaderRead", Effect::Consumes, importRead);
  for (StringRef op : {"ReaderRead", "ReaderReadV2"})
    table[op].outputs = {"key", "value"};
  add("ReaderReadUpTo", Effect::Consumes, importRead);
  for (StringRef op : {"ReaderReadUpTo", "ReaderReadUpToV2"})
    table[op].outputs = {"keys", "values"};
  add("QueueEnqueue", Effect::Consumes, importEnqueue);
  add("QueueEnqueueMany", Effect::Consumes, importEnqueue);
  add("QueueSize", Effect::Reads, importSize);
  add("QueueClose", Effect::Consumes, importClose);
  for (StringRef op : {"QueueIsClosed", "QueueIsClosedV2"})
    table[op] = {Effect::Reads, importIsClosed};
}

} // namespace ingot::importer
