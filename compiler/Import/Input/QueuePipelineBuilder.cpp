//===- QueuePipelineBuilder.cpp - Pipelines of queues ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Input/QueuePipelineBuilder.h"

#include "compiler/Import/ControlFlow/BlockImport.h"
#include "compiler/Import/Entries/Entries.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/QueueOps.h"
#include "dialects/Ingot/IR/RandomOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

static Location locOf(Program &program, int node) {
  return NameLoc::get(
      StringAttr::get(program.context(), program.graph.qualifiedName(node)));
}

// Returns the types of the components of a batch of `count` elements.
// `components` are the types of one element's components.
static SmallVector<Type> batchOf(ArrayRef<Type> components, int64_t count) {
  SmallVector<Type> types;
  for (Type type : components) {
    SmallVector<int64_t> shape(cast<RankedTensorType>(type).getShape());
    shape.insert(shape.begin(), count);
    types.push_back(RankedTensorType::get(shape, getElementTypeOrSelf(type)));
  }
  return types;
}

// Returns the types that a queue declares for its components. A component
// without a declared rank takes its type from `enqueued`, the types of the
// enqueued tensors. Returns std::nullopt, and sets `error`, if a component
// cannot be compiled.
static std::optional<SmallVector<Type>> componentsOf(Program &program,
                                                     int queue,
                                                     ArrayRef<Type> enqueued,
                                                     std::string &error) {
  NodeAttributes attributes(*program.graph[queue].def);
  std::vector<proto::DataType> dtypes = attributes.getTypes("component_types");
  const proto::AttrValue::ListValue *shapes = attributes.getList("shapes");
  bool isPriority =
      withoutVersion(program.graph[queue].op()) == "PriorityQueue";
  // The attributes of a PriorityQueue omit its first component, the priority.
  SmallVector<Type> components;
  if (isPriority)
    components.push_back(
        RankedTensorType::get({}, IntegerType::get(program.context(), 64)));
  for (auto [index, dtype] : llvm::enumerate(dtypes)) {
    const proto::TensorShapeProto *shape =
        shapes && static_cast<int>(index) < shapes->shape_size()
            ? &shapes->shape(index)
            : nullptr;
    TensorType type = convertTensorType(dtype, shape, program.context(), error);
    size_t place = components.size();
    if (type && place < enqueued.size() && !type.hasRank() &&
        getElementTypeOrSelf(enqueued[place]) == type.getElementType())
      type = cast<TensorType>(enqueued[place]);
    if (!type || !type.hasRank()) {
      if (error.empty())
        error = "component " + std::to_string(index) +
                " has no shape; state it in argument `shapes` of the queue";
      return std::nullopt;
    }
    components.push_back(type);
  }
  return components;
}

Value QueuePipelineBuilder::constant(int64_t value) {
  return createConstant(
      builder(), loc,
      DenseElementsAttr::get(RankedTensorType::get({}, builder().getI64Type()),
                             value));
}

// Creates the function that computes the inputs of a runner's enqueue op from
// the components of `sources`, the datasets of the queues and readers that the
// enqueue op takes elements from. On failure, sets `error` and returns null.
func::FuncOp
QueuePipelineBuilder::function(const QueueGraph::QueueRunnerEnqueueOp &runner,
                               ArrayRef<Value> sources) {
  llvm::SaveAndRestore within(program.place, Program::ExecutionPlace::Function);
  const Graph::Node &node = program.graph[runner.node];
  SmallVector<Type> arguments;
  for (Value source : sources)
    llvm::append_range(arguments,
                       cast<DatasetType>(source.getType()).getComponents());
  OpBuilder at = OpBuilder::atBlockEnd(program.module.getBody());
  auto op = func::FuncOp::create(at, locOf(program, runner.node),
                                 program.uniqueSymbol(node.name()),
                                 at.getFunctionType(arguments, {}));
  functions.push_back(op);
  op.setPrivate();
  Block &block = *op.addEntryBlock();
  ImportErrors problems;
  BlockImport body(program, program.graph, block, problems);
  unsigned next = 0;
  for (auto [source, dataset] : llvm::zip(runner.sources, sources)) {
    size_t count = cast<DatasetType>(dataset.getType()).getComponents().size();
    for (size_t port = 0; port < count; ++port)
      body.feed({source, static_cast<int>(port)}, block.getArgument(next++));
    body.markRun(source);
  }
  // Import the nodes from which the enqueue op has control edges. This is not
  // needed if the enqueue op is in a branch: all its control edges then come
  // from the branch's predicate, which is imported anyway, as the first result
  // of the runner's function.
  SmallVector<int> targets;
  SmallVector<Output> inputs = runner.inputs;
  if (runner.gate)
    inputs.insert(inputs.begin(), *runner.gate);
  else
    targets.assign(node.controls);
  for (Output input : inputs)
    if (!body.isFed(input))
      targets.push_back(input.first);
  llvm::erase_if(targets, [&](int target) {
    return llvm::is_contained(runner.sources, target);
  });
  body.import(targets);
  SmallVector<Value> results;
  for (Output input : inputs) {
    Value value = body.current(input, op.getLoc());
    if (value && isa<TensorType>(value.getType()))
      results.push_back(value);
  }
  if (!problems.empty() || body.hasFailed() ||
      results.size() != inputs.size()) {
    fail(problems.empty() ? "cannot compute all tensors that '" +
                                node.name().str() + "' enqueues"
                          : problems.describeFirst());
    return {};
  }
  // Reject functions that read the user's variables: runners run before each
  // step (docs/internals/queues.md), not when TensorFlow would read the
  // variables.
  op.walk([&](ReadOp read) {
    auto variable =
        SymbolTable::lookupSymbolIn(program.module, read.getVariableAttr());
    if (variable && !variable->hasAttr(randomStateAttrName))
      fail(
          "'" + node.name().str() + "' depends on variable '" +
          read.getVariable().str() +
          "', but queues are filled before each step and cannot follow changes "
          "of the variable");
  });
  if (!error.empty())
    return {};
  OpBuilder end = OpBuilder::atBlockEnd(&block);
  func::ReturnOp::create(end, op.getLoc(), results);
  op.setFunctionType(
      end.getFunctionType(arguments, ValueRange(results).getTypes()));
  BlockImport::eraseDead(block);
  return op;
}

Value QueuePipelineBuilder::runner(
    const QueueGraph::QueueRunnerEnqueueOp &runner) {
  SmallVector<Value> sources;
  for (int node : runner.sources) {
    Value made = source(node);
    if (!made)
      return {};
    sources.push_back(made);
  }
  func::FuncOp made = function(runner, sources);
  if (!made)
    return {};
  SmallVector<Type> types;
  for (Type type :
       made.getFunctionType().getResults().drop_front(runner.gate ? 1 : 0)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || (runner.many && tensor.getRank() == 0))
      return fail(
          "'" + program.graph.qualifiedName(runner.node) +
          (tensor ? "' enqueues the rows of a scalar, but a scalar has no rows"
                  : "' enqueues a tensor of unknown rank"));
    types.push_back(runner.many
                        ? RankedTensorType::get(tensor.getShape().drop_front(),
                                                tensor.getElementType())
                        : tensor);
  }
  return QueueRunnerDatasetOp::create(
      builder(), locOf(program, runner.node),
      DatasetType::get(program.context(), types), sources, made.getSymName(),
      runner.many, runner.gate.has_value(), runner.group);
}

// Returns a dataset of the integers that a CountUpTo node returns, one after
// the other. TensorFlow limits the number of epochs of an input producer
// (num_epochs) by such a node.
Value QueuePipelineBuilder::counter(int node) {
  if (Value known = made.lookup(node))
    return known;
  const Graph &nodes = program.graph;
  NodeAttributes attributes(*nodes[node].def);
  int64_t limit = attributes.getInt("limit", -1);
  int variable = nodes[node].inputs.empty()
                     ? -1
                     : nodes.skipIdentities(nodes[node].inputs[0]).first;
  std::optional<int64_t> initial;
  for (int other = 0; other < nodes.size(); ++other)
    if (llvm::is_contained({"Assign", "AssignVariableOp"}, nodes[other].op()) &&
        nodes[other].inputs.size() == 2 &&
        nodes.skipIdentities(nodes[other].inputs[0]).first == variable)
      initial = nodes.constantInt(nodes[other].inputs[1]);
  if (!initial)
    return fail(
        "'" + nodes.qualifiedName(node) +
        "' increments a variable whose initial value is not a constant");
  bool isInt32 = attributes.getType("T", proto::DT_INT64) == proto::DT_INT32;
  auto type = RankedTensorType::get({}, isInt32 ? builder().getI32Type()
                                                : builder().getI64Type());
  OperationState state(loc, RangeDatasetOp::getOperationName());
  state.addOperands({constant(*initial), constant(limit), constant(1)});
  state.addTypes(DatasetType::get(program.context(), {type}));
  return made[node] = builder().create(state)->getResult(0);
}

// Returns the dataset of the batches that a node, such as a QueueDequeueMany,
// takes from a queue or a reader. The node's last input is the batch size.
Value QueuePipelineBuilder::batch(int node, Value queue) {
  const Graph::Node &dequeue = program.graph[node];
  std::optional<int64_t> count =
      dequeue.inputs.empty() ? std::nullopt
                             : program.graph.constantInt(dequeue.inputs.back());
  if (!count || *count <= 0)
    return fail("the batch size of '" + program.graph.qualifiedName(node) +
                "' must be a positive constant, but is " +
                (count ? std::to_string(*count) : "computed at run time"));
  bool upTo = withoutVersion(dequeue.op()).ends_with("UpTo");
  SmallVector<Type> types =
      batchOf(cast<DatasetType>(queue.getType()).getComponents(),
              upTo ? ShapedType::kDynamic : *count);
  return QueueBatchDatasetOp::create(builder(), locOf(program, node),
                                     DatasetType::get(program.context(), types),
                                     queue, *count, upTo);
}

Value QueuePipelineBuilder::source(int node) {
  StringRef op = withoutVersion(program.graph[node].op());
  if (op == "CountUpTo" || op == "ResourceCountUpTo")
    return counter(node);
  if (op == "ReaderRead" || op == "ReaderReadUpTo") {
    Value from = reader(graph.readerOf(node), graph.queueOf(node));
    return from && op != "ReaderRead" ? batch(node, from) : from;
  }
  if (op != "QueueDequeue" && op != "QueueDequeueMany" &&
      op != "QueueDequeueUpTo")
    return fail("'" + program.graph.qualifiedName(node) + "' (" + op +
                ") cannot fill a queue: only dequeue ops, ReaderRead, "
                "ReaderReadUpTo and CountUpTo can");
  Value from = queue(graph.queueOf(node));
  return from && op != "QueueDequeue" ? batch(node, from) : from;
}

Value QueuePipelineBuilder::reader(int node, int names) {
  if (auto known = madeReaders.find({node, names}); known != madeReaders.end())
    return known->second;
  const Graph::Node &handle = program.graph[node];
  if (!isReader(handle.op()))
    return fail("'" + program.graph.qualifiedName(node) + "' (" + handle.op() +
                ") is not a supported reader");
  Value from = queue(names);
  if (!from)
    return {};
  NodeAttributes attributes(*handle.def);
  std::string compression = attributes.getString("compression_type", "");
  if (compression.empty())
    compression = attributes.getString("encoding", "");
  auto number = [&](StringRef name) { return attributes.getInt(name, 0); };
  auto text = RankedTensorType::get(
      {}, mlir::ingot::StringType::get(program.context()));
  auto made = ReaderDatasetOp::create(
      builder(), locOf(program, node),
      DatasetType::get(program.context(), {text, text}), from,
      withoutVersion(handle.op()), compression, number("skip_header_lines"),
      number("header_bytes"), number("record_bytes"), number("footer_bytes"),
      number("hop_bytes"));
  return madeReaders[{node, names}] = made;
}

// Returns the types of the components that node `enqueue` of a step, an enqueue
// op or a Stage, puts into its queue; an empty vector if `enqueue` is -1.
SmallVector<Type> QueuePipelineBuilder::typesOfInputs(int enqueue) {
  SmallVector<Type> types;
  if (enqueue < 0)
    return types;
  EntrySpec trial;
  StringRef op = program.graph[enqueue].op();
  for (Output input : ArrayRef(program.graph[enqueue].inputs)
                          .drop_front(op == "Stage" ? 0 : 1))
    trial.fetches.push_back({program.graph.nameOf(input), input});
  bool many = withoutVersion(program.graph[enqueue].op()) == "QueueEnqueueMany";
  tryImport(program, trial, [&](Block &block) {
    if (block.empty() || !block.back().hasTrait<OpTrait::IsTerminator>())
      return;
    for (Type type : block.back().getOperandTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (tensor && many && tensor.getRank() > 0)
        type = RankedTensorType::get(tensor.getShape().drop_front(),
                                     tensor.getElementType());
      types.push_back(type);
    }
  });
  return types;
}

Value QueuePipelineBuilder::queue(int node) {
  if (Value known = made.lookup(node))
    return known;
  if (!open.insert(node).second)
    return fail("'" + program.graph.qualifiedName(node) +
                "' is filled with its own elements, directly or through other "
                "queues");
  SmallVector<Value> runners;
  for (size_t index : graph.runnersOf(node)) {
    Value made = runner(graph.runners()[index]);
    if (!made)
      return {};
    runners.push_back(made);
  }
  SmallVector<Type> enqueued;
  if (!runners.empty())
    llvm::append_range(
        enqueued, cast<DatasetType>(runners.front().getType()).getComponents());
  else
    enqueued = typesOfInputs(stepEnqueue);
  NodeAttributes attributes(*program.graph[node].def);
  std::string why;
  std::optional<SmallVector<Type>> components =
      componentsOf(program, node, enqueued, why);
  if (!components)
    return fail("'" + program.graph.qualifiedName(node) + "': " + why);
  for (Value made : runners) {
    ArrayRef<Type> given = cast<DatasetType>(made.getType()).getComponents();
    if (!areCompatibleTypeLists(given, *components))
      return fail("'" + program.graph.qualifiedName(node) +
                  "' has elements of type " + describeTypes(*components) +
                  ", but the enqueued elements have type " +
                  describeTypes(given));
  }
  auto number = [&](StringRef name, int64_t otherwise) {
    return attributes.getInt(name, otherwise);
  };
  int64_t capacity = number("capacity", -1);
  int64_t least = number("min_after_dequeue", 0);
  if (capacity == 0 || capacity < -1)
    capacity = -1;
  if (capacity != -1 && least >= capacity)
    return fail("'" + program.graph.qualifiedName(node) +
                "' has min_after_dequeue " + std::to_string(least) +
                ", which must be less than its capacity, " +
                std::to_string(capacity));
  auto op = QueueDatasetOp::create(
      builder(), locOf(program, node),
      DatasetType::get(program.context(), *components), runners,
      withoutVersion(program.graph[node].op()), capacity, least,
      number("seed", 0), number("seed2", 0));
  return made[node] = op;
}

// Creates an iterator that is named like node `node`. Its body is empty; `end`
// completes it.
IteratorOp QueuePipelineBuilder::begin(int node) {
  OpBuilder at = OpBuilder::atBlockEnd(program.module.getBody());
  std::string name = program.graph.qualifiedName(node);
  loc = locOf(program, node);
  Type none = RankedTensorType::get({}, at.getI64Type());
  auto iterator = IteratorOp::create(at, loc, program.uniqueSymbol(name),
                                     at.getTypeArrayAttr(ArrayRef<Type>(none)));
  setUserName(iterator, name);
  Block &block = iterator.getBody().emplaceBlock();
  theBuilder.emplace(OpBuilder::atBlockEnd(&block));
  return iterator;
}

// Makes `value`, the dataset of a queue or reader, an operand of the iterator's
// root dataset, so that ops of entries can refer to the queue or reader by the
// operand's index. Fills `node`, which describes the queue or reader.
void QueuePipelineBuilder::use(IteratorOp iterator, Value value,
                               ImportedQueues::QueueOrReader &node) {
  node.iterator = iterator;
  node.number = static_cast<int64_t>(used.size());
  llvm::append_range(node.components,
                     cast<DatasetType>(value.getType()).getComponents());
  used.push_back(value);
}

// Adds the root dataset to the iterator, and returns the iterator. If there was
// an error (`error`), erases the iterator and the functions of its runners, and
// returns null.
IteratorOp QueuePipelineBuilder::end(IteratorOp iterator) {
  Type none = RankedTensorType::get({}, builder().getI64Type());
  auto root = QueuesDatasetOp::create(
      builder(), loc, DatasetType::get(program.context(), none), used);
  YieldOp::create(builder(), loc, root);
  // The verifier rejects shapes that contradict each other; its message becomes
  // `error`.
  ScopedDiagnosticHandler quiet(program.context(), [&](Diagnostic &diagnostic) {
    fail(diagnostic.str());
    return success();
  });
  if (error.empty() && failed(verify(iterator)))
    fail("its queues would become an invalid input pipeline; this is a bug in "
         "Ingot, not in the graph");
  if (error.empty())
    return iterator;
  iterator.erase();
  for (func::FuncOp function : functions)
    function.erase();
  return {};
}

IteratorOp
QueuePipelineBuilder::buildArea(int stage,
                                ImportedQueues::QueueOrReader &area) {
  NodeAttributes attributes(*program.graph[stage].def);
  SmallVector<Type> types = typesOfInputs(stage);
  if (types.size() != program.graph[stage].inputs.size() ||
      !llvm::all_of(types, llvm::IsaPred<RankedTensorType>))
    fail("'" + program.graph.qualifiedName(stage) +
         "' stages a tensor that cannot be compiled or has an unknown rank");
  int64_t capacity = attributes.getInt("capacity", 0);
  return buildStore(stage, "StagingArea", types, capacity > 0 ? capacity : -1,
                    area);
}

IteratorOp
QueuePipelineBuilder::buildStore(int node, StringRef kind,
                                 ArrayRef<Type> components, int64_t capacity,
                                 ImportedQueues::QueueOrReader &store) {
  IteratorOp iterator = begin(node);
  Value queue = QueueDatasetOp::create(
      builder(), loc, DatasetType::get(program.context(), components),
      ValueRange(), kind, capacity, 0, 0, 0);
  use(iterator, queue, store);
  return end(iterator);
}

IteratorOp QueuePipelineBuilder::build(ArrayRef<int> queues, int enqueue) {
  stepEnqueue = enqueue;
  IteratorOp iterator = begin(queues.back());
  for (int node : queues)
    if (Value value = queue(node))
      use(iterator, value, found[node]);
  for (int node = 0; node < program.graph.size() && error.empty(); ++node)
    if (int names = graph.queueOf(node);
        graph.readerOf(node) >= 0 && llvm::is_contained(queues, names) &&
        !readers.count({graph.readerOf(node), names}))
      if (Value value = reader(graph.readerOf(node), names))
        use(iterator, value, readers[{graph.readerOf(node), names}]);
  return end(iterator);
}

} // namespace ingot::importer
