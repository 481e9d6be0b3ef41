//===- Export.cpp - Exports an ingot module as a GraphDef -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/Export.h"

#include "compiler/Export/OpExport.h"
#include "dialects/Ingot/IR/EnsembleExpansion.h"
#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

using Nodes = google::protobuf::RepeatedPtrField<proto::NodeDef>;

// Returns the name of the node that an input such as "^node", "node:1" or
// "node:output:0" refers to.
static StringRef nodeOf(StringRef input) {
  input.consume_front("^");
  return input.split(':').first;
}

// Returns the names of all nodes that `roots` depend on, including `roots`.
static llvm::StringSet<> reach(const Nodes &nodes,
                               std::vector<std::string> roots) {
  llvm::StringMap<const proto::NodeDef *> byName;
  for (const proto::NodeDef &node : nodes)
    byName[node.name()] = &node;
  llvm::StringSet<> reached;
  while (!roots.empty()) {
    std::string name = std::move(roots.back());
    roots.pop_back();
    if (!reached.insert(name).second)
      continue;
    if (const proto::NodeDef *node = byName.lookup(name))
      for (const std::string &input : node->input())
        roots.push_back(nodeOf(input).str());
  }
  return reached;
}

// Erases the nodes that `roots` do not depend on. Some of these nodes would
// make the graph invalid: exportRead() exports no reads of the state of random
// ops, so a node that uses such a read has an input that does not exist.
static void prune(Nodes &nodes, std::vector<std::string> roots) {
  llvm::StringSet<> needed = reach(nodes, std::move(roots));
  Nodes kept;
  for (proto::NodeDef &node : nodes)
    if (needed.contains(node.name()))
      kept.Add()->Swap(&node);
  nodes.Swap(&kept);
}

std::string
ProgramExport::addFunction(StringRef wish, ArrayRef<proto::DataType> arguments,
                           Fill fill,
                           SmallVectorImpl<proto::DataType> *outputs) {
  std::string name = toNodeName(wish);
  for (char &c : name)
    if (c == '/')
      c = '_';
  std::string base = name;
  for (unsigned number = 1; !functionNames.insert(name).second; ++number)
    name = base + "_" + std::to_string(number);
  // Do not build the function in the graph's library: while its body is
  // exported, further functions may be added to the library and reallocate it.
  proto::FunctionDef function;
  proto::OpDef &signature = *function.mutable_signature();
  signature.set_name(name);
  NodeDefWriter scope(*function.mutable_node_def(), /*isFunction=*/true);
  SmallVector<NodeOutput> inputs;
  for (auto [index, dtype] : llvm::enumerate(arguments)) {
    proto::OpDef::ArgDef &argument = *signature.add_input_arg();
    argument.set_name("argument" + std::to_string(index));
    argument.set_type(dtype);
    scope.addArgument(argument.name());
    inputs.push_back({argument.name(), "", 0, 0, dtype});
  }
  BlockExport block(*this, scope);
  std::vector<std::string> roots = {};
  for (auto [index, tensor] : llvm::enumerate(fill(block, inputs))) {
    proto::OpDef::ArgDef &result = *signature.add_output_arg();
    result.set_name("result" + std::to_string(index));
    result.set_type(tensor.dtype);
    (*function.mutable_ret())[result.name()] = scope.reference(tensor);
    roots.push_back(tensor.node);
    if (outputs)
      outputs->push_back(tensor.dtype);
  }
  for (const std::string &node : block.effects.required()) {
    (*function.mutable_control_ret())[node] = node;
    *signature.add_control_output() = node;
    roots.push_back(node);
  }
  signature.set_is_stateful(!block.effects.required().empty());
  prune(*function.mutable_node_def(), std::move(roots));
  *graph.mutable_library()->add_function() = std::move(function);
  return name;
}

std::string ProgramExport::functionOf(FlatSymbolRefAttr symbol) {
  std::string key = symbol.getValue().str();
  auto found = compiled.find(key);
  if (found != compiled.end())
    return found->second;
  auto function = symbols.lookup<func::FuncOp>(symbol.getValue());
  if (!function || function.empty()) {
    failed = true;
    return "";
  }
  SmallVector<proto::DataType> arguments;
  for (Type type : function.getArgumentTypes())
    arguments.push_back(toTensorType(type));
  Block &body = function.getBody().front();
  std::string name = addFunction(
      key, arguments, [&](BlockExport &block, ArrayRef<NodeOutput> inputs) {
        for (auto [value, tensor] : llvm::zip(body.getArguments(), inputs))
          block.bind(value, tensor);
        block.run(body);
        SmallVector<NodeOutput> results;
        for (Value value : body.getTerminator()->getOperands())
          results.push_back(block.value(value));
        return results;
      });
  return compiled[key] = name;
}

namespace {
/// The name of a tensor as users write it: a node and the index of one of its
/// outputs, "y:0". A name without an index, as signatures have them, means
/// output 0.
struct TensorName {
  std::string node;
  int port = 0;
};

/// Exports the nodes of one entry into the main graph.
class EntryExport {
public:
  EntryExport(ProgramExport &program, NodeDefWriter &scope, EntryOp entry,
              std::vector<std::string> &roots)
      : block(program, scope), scope(scope), entry(entry), roots(roots) {}

  void run();

private:
  void addFeed(const TensorName &name, Value argument);
  void addFetches();
  void addTargets();
  void addSaverNodes();
  std::string addNode(NodeSpec spec);

  BlockExport block;
  NodeDefWriter &scope;
  EntryOp entry;
  std::vector<std::string> &roots;
};
} // namespace

static TensorName parseName(StringRef text) {
  auto [node, port] = text.rsplit(':');
  int number = 0;
  if (port.empty() || port.getAsInteger(10, number))
    return {toNodeName(text), 0};
  return {toNodeName(node), number};
}

static StringRef textOf(Attribute name) {
  return cast<StringAttr>(name).getValue();
}

// Returns the names of the nodes to run for an entry's side effects.
static SmallVector<std::string> targetsOf(EntryOp entry) {
  SmallVector<std::string> names;
  if (auto targets = entry->getAttrOfType<ArrayAttr>(targetsAttrName))
    for (Attribute target : targets)
      names.push_back(toNodeName(textOf(target)));
  else if (entry.getFetches().empty() && entry.getRole() != Role::save &&
           entry.getRole() != Role::restore)
    names.push_back(toNodeName(getUserName(entry)));
  return names;
}

// Adds a node that stays in the graph even if no other node uses it.
std::string EntryExport::addNode(NodeSpec spec) {
  std::string name;
  spec.mayTakeReserved = true;
  scope.add(std::move(spec), &name);
  roots.push_back(name);
  return name;
}

void EntryExport::addFeed(const TensorName &name, Value argument) {
  proto::DataType dtype = toTensorType(argument.getType());
  auto add = [&](StringRef op, const std::string &node,
                 ArrayRef<NodeOutput> inputs, AttributeMap attributes) {
    NodeSpec spec;
    spec.op = op;
    spec.name = node;
    spec.mayTakeReserved = true;
    spec.inputs.assign(inputs.begin(), inputs.end());
    spec.outputs.assign(std::max<size_t>(inputs.size(), 1), dtype);
    spec.attributes = std::move(attributes);
    return scope.add(std::move(spec));
  };
  AttributeMap attributes = {{"dtype", type(dtype)},
                             {"shape", shape(toShape(argument.getType()))}};
  roots.push_back(name.node);
  // If another entry has the same feed, share that entry's placeholder.
  if (const proto::NodeDef *there =
          scope.isTaken(name.node) ? scope.find(name.node) : nullptr;
      there && name.port == 0 && there->op() == "Placeholder" &&
      there->attr().at("dtype").SerializeAsString() ==
          attributes["dtype"].SerializeAsString() &&
      there->attr().at("shape").SerializeAsString() ==
          attributes["shape"].SerializeAsString())
    return block.bind(argument, {name.node, "output", 0, 0, dtype});
  // If another entry computes the tensor that this entry is fed with, the
  // tensor's node exists already. Use that node's output, since TensorFlow
  // allows feeding any tensor.
  if (scope.isTaken(name.node) && scope.find(name.node)->op() != "Placeholder")
    return block.bind(argument, {name.node, "output", 0, name.port, dtype});
  if (name.port == 0) {
    block.bind(argument, add("Placeholder", name.node, {}, attributes).front());
  } else {
    NodeOutput any =
        add("Placeholder", name.node + "/fed", {}, attributes).front();
    SmallVector<NodeOutput> ports(name.port + 1, any);
    block.bind(argument, add("IdentityN", name.node, ports, {})[name.port]);
  }
}

void EntryExport::addFetches() {
  Operation *end = entry.getBody().front().getTerminator();
  std::vector<std::string> needed;
  std::map<std::string, std::map<int, NodeOutput>> fetched;
  for (auto [text, value] : llvm::zip(entry.getFetches(), end->getOperands())) {
    TensorName name = parseName(textOf(text));
    NodeOutput tensor = block.value(value);
    fetched[name.node][name.port] = tensor;
    needed.push_back(tensor.node);
  }
  // If the entry has no attribute `targetsAttrName`, its side effects run
  // whenever a fetch is computed: make the nodes with side effects control
  // inputs of the fetches.
  std::vector<std::string> controls;
  if (!entry->hasAttr(targetsAttrName)) {
    Nodes &nodes = *block.program.graph.mutable_node();
    llvm::StringSet<> reached = reach(nodes, needed);
    for (const std::string &node : block.effects.required())
      if (!reached.contains(node))
        controls.push_back(node);
  }
  for (auto &[node, ports] : fetched) {
    bool isThere = controls.empty() &&
                   llvm::all_of(ports, [&, &node = node](const auto &port) {
                     return port.second.node == node &&
                            port.second.port == port.first &&
                            !port.second.argument.empty();
                   });
    if (isThere) {
      roots.push_back(node);
      continue;
    }
    NodeSpec spec;
    int last = ports.rbegin()->first;
    spec.op = last == 0 ? "Identity" : "IdentityN";
    spec.name = node;
    for (int port = 0; port <= last; ++port) {
      auto found = ports.find(port);
      spec.inputs.push_back(found == ports.end() ? ports.begin()->second
                                                 : found->second);
      spec.outputs.push_back(spec.inputs.back().dtype);
    }
    spec.controls = controls;
    std::string given = addNode(std::move(spec));
    if (given != node)
      entry.emitWarning() << "another entry has a node '" << node
                          << "'; this fetch of entry '" << getUserName(entry)
                          << "' is renamed to '" << given << "'";
  }
}

// Adds the entry's targets: nodes that wait for all nodes of the entry with
// side effects, so that running a target runs all side effects.
void EntryExport::addTargets() {
  for (const std::string &name : targetsOf(entry)) {
    // If the target is also a fetch, its node exists already.
    if (scope.isTaken(name)) {
      roots.push_back(name);
      continue;
    }
    NodeSpec spec;
    spec.op = "NoOp";
    spec.name = name;
    spec.controls = block.effects.required();
    addNode(std::move(spec));
  }
  for (const std::string &node : block.effects.required())
    roots.push_back(node);
  if (block.summaries.empty())
    return;
  NodeSpec merge;
  merge.op = "MergeSummary";
  merge.inputs = block.summaries;
  merge.outputs = {proto::DT_STRING};
  merge.name = toNodeName(getUserName(entry)) + "/summaries";
  addNode(std::move(merge));
}

// Adds the nodes that tf.train.Saver names in a SaverDef.
void EntryExport::addSaverNodes() {
  StringRef filename =
      entry.getRole() == Role::save ? "control_dependency" : "restore_all";
  NodeSpec spec;
  spec.controls = block.effects.required();
  spec.name = "save/" + filename.str();
  if (entry.getRole() == Role::save) {
    spec.op = "Identity";
    spec.inputs = {block.value(entry.getBody().front().getArgument(0))};
    spec.outputs = {proto::DT_STRING};
  } else {
    spec.op = "NoOp";
  }
  addNode(std::move(spec));
}

void EntryExport::run() {
  scope.beginEntry();
  Block &body = entry.getBody().front();
  for (auto [text, argument] : llvm::zip(entry.getFeeds(), body.getArguments()))
    addFeed(parseName(textOf(text)), argument);
  for (auto [text, value] :
       llvm::zip(entry.getFetches(), body.getTerminator()->getOperands()))
    if (isa<OpResult>(value)) {
      TensorName name = parseName(textOf(text));
      block.want(value, name.node, name.port);
    }
  block.run(body);
  bool isSavers =
      (entry.getRole() == Role::save || entry.getRole() == Role::restore) &&
      !entry->hasAttr(targetsAttrName);
  if (isSavers)
    addSaverNodes();
  else
    addFetches();
  if (!isSavers)
    addTargets();
}

// Adds a MakeIterator node for each iterator that no entry initializes. Ingot's
// runtime initializes such an iterator by itself when a session starts. In
// TensorFlow, users of the exported graph have to run the node.
static void addUnmadeIterators(ModuleOp module, ProgramExport &program,
                               NodeDefWriter &scope,
                               std::vector<std::string> &roots) {
  llvm::StringSet<> made;
  module.walk([&](IteratorMakeOp make) { made.insert(make.getIterator()); });
  for (auto iterator : module.getOps<IteratorOp>()) {
    auto first = iterator->getAttrOfType<FlatSymbolRefAttr>(madeIntoAttrName);
    StringRef handle = first ? first.getValue() : iterator.getSymName();
    if (made.contains(iterator.getSymName()))
      continue;
    BlockExport block(program, scope);
    scope.beginEntry();
    Block &body = iterator.getBody().front();
    block.run(body);
    NodeSpec spec;
    spec.op = "MakeIterator";
    spec.inputs = {block.value(body.getTerminator()->getOperand(0)),
                   block.iterator(handle)};
    std::string name;
    scope.add(std::move(spec), &name);
    roots.push_back(name);
  }
}

/// Expands the dialect's ops for AdaNet's ensembles into basic ops, as
/// TensorFlow has no such ops.
static void expandEnsembles(ModuleOp module) {
  module.walk([](Operation *op) {
    OpBuilder builder(op);
    FailureOr<SmallVector<Value>> results = expandEnsembleOp(builder, op);
    if (failed(results))
      return;
    op->replaceAllUsesWith(*results);
    op->erase();
  });
}

FailureOr<proto::GraphDef> exportGraphDef(ModuleOp module) {
  expandEnsembles(module);
  proto::GraphDef graph;
  // The GraphDef version of TensorFlow 2.15. Signatures.inc lists the ops of
  // that version.
  graph.mutable_versions()->set_producer(1645);
  graph.mutable_versions()->set_min_consumer(12);
  ProgramExport program(module, graph);
  NodeDefWriter scope(*graph.mutable_node(), /*isFunction=*/false);
  auto entries = llvm::to_vector(module.getOps<EntryOp>());
  if (entries.empty()) {
    module.emitError("the program has no entry to export: a GraphDef needs at "
                     "least one ingot.entry");
    return failure();
  }
  for (EntryOp entry : entries) {
    for (Attribute names : {entry.getFeedsAttr(), entry.getFetchesAttr()})
      for (Attribute name : cast<ArrayAttr>(names))
        scope.reserve(parseName(textOf(name)).node);
    for (const std::string &target : targetsOf(entry))
      scope.reserve(target);
    if (!entry.getVariables().empty()) {
      entry.emitError("this entry cannot be exported, as "
                      "'ingot-promote-variables-to-ssa' has changed it: export "
                      "the program as imported (--stage=import)");
      return failure();
    }
  }
  std::vector<std::string> roots;
  for (EntryOp entry : entries)
    EntryExport(program, scope, entry, roots).run();
  addUnmadeIterators(module, program, scope, roots);
  if (program.failed)
    return failure();
  prune(*graph.mutable_node(), std::move(roots));
  return graph;
}

} // namespace ingot::exporter
