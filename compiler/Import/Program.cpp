//===- Program.cpp - The module under construction ------------------------===//

#include "compiler/Import/Program.h"

#include "compiler/Import/Attributes.h"
#include "compiler/Import/Body.h"
#include "compiler/Import/Collections.h"
#include "compiler/Import/Types.h"
#include "dialects/Ingot/Names.h"
#include "dialects/Ingot/RandomOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::ingot;

// The name by which TensorFlow marks variables that are not shared.
static constexpr llvm::StringLiteral
    anonymousName("cd2c89b7-88b7-44c8-ad83-06c2a9158347");

namespace ingot::importer {

Program::Program(ModuleOp module, const proto::MetaGraphDef &source,
                 const Graph &graph)
    : module(module), source(source), graph(graph),
      mlirContext(module.getContext()) {
  auto mark = [&](StringRef collection, llvm::DenseSet<int> &nodes) {
    for (const proto::VariableDef &def : getVariables(source, collection))
      if (std::optional<Output> handle = graph.findTensor(def.variable_name()))
        nodes.insert(graph.skipIdentities({handle->first, 0}).first);
  };
  for (const proto::FunctionDef &def : source.graph_def().library().function())
    definitions.try_emplace(def.signature().name(), &def);
  llvm::StringSet<> names;
  for (const proto::SavedObject &object : source.object_graph_def().nodes())
    if (object.variable().trainable())
      names.insert(object.variable().name());
  for (int node = 0; node < graph.size() && !names.empty(); ++node)
    if (graph[node].op() == "VarHandleOp" &&
        names.contains(
            Attributes(*graph[node].def).getString("shared_name", "")))
      trainable.insert(node);
  mark("trainable_variables", trainable);
  mark("local_variables", local);
  mark("metric_variables", local);
}

StringAttr Program::uniqueSymbol(StringRef name) {
  std::string symbol = name.empty() ? "_" : name.str();
  for (int number = 1; !symbols.insert(symbol).second; ++number)
    symbol = (name + "_" + llvm::Twine(number)).str();
  return StringAttr::get(context(), symbol);
}

static Location locOf(MLIRContext *context, const Graph &graph, int node) {
  return NameLoc::get(StringAttr::get(context, graph.qualifiedName(node)));
}

VariableOp Program::variable(const Handle &resource, Problems &problems) {
  if (VariableOp known = variables.lookup(resource.key()))
    return known;
  const Graph &graph = *resource.graph;
  int node = resource.node;
  const Graph::Node &handle = graph[node];
  auto malformed = [&](const llvm::Twine &message) {
    problems.malformed("node '" + graph.qualifiedName(node) + "' (" +
                       handle.op() + "): " + message);
    return VariableOp();
  };
  Attributes attributes(*handle.def);
  std::string name = attributes.getString("shared_name", "");
  proto::DataType dtype = attributes.getType("dtype", proto::DT_INVALID);
  const proto::TensorShapeProto *shape = attributes.getShape("shape");
  if (!attributes.error().empty())
    return malformed(attributes.error());
  if (name.empty() || name == anonymousName)
    name = handle.name().str();

  std::string error;
  TensorType type = convertTensorType(dtype, shape, context(), error);
  if (!type || !type.hasStaticShape()) {
    problems.unsupported(handle.op(), graph.qualifiedName(node),
                         type ? "a variable without a static shape" : error);
    return {};
  }
  // TensorFlow 2 tells variables apart by the objects that own them.
  bool isShared = !source.has_object_graph_def();
  if (VariableOp shared = variableByName.lookup(name); shared && isShared) {
    if (shared.getType() != type)
      return malformed("shares the name '" + name +
                       "' with a variable of another type");
    return variables[resource.key()] = shared;
  }
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto unitIf = [&](bool value) {
    return value ? builder.getUnitAttr() : UnitAttr();
  };
  bool isOurs = &graph == &this->graph;
  auto op = VariableOp::create(builder, locOf(context(), graph, node),
                               uniqueSymbol(name), TypeAttr::get(type),
                               unitIf(isOurs && trainable.contains(node)),
                               unitIf((isOurs && local.contains(node)) ||
                                      handle.op() == "TemporaryVariable"),
                               builder.getStringAttr(handle.def->device()));
  if (handle.op() == "TemporaryVariable")
    op->setAttr(temporaryAttrName, builder.getUnitAttr());
  // Of several of one name only the first is known by it.
  if (variableByName.try_emplace(name, op).second)
    setUserName(op, name);
  return variables[resource.key()] = op;
}

IteratorOp Program::iterator(const Handle &handle, Problems &problems) {
  if (handle.graph != &graph) {
    problems.unsupported(handle.op(), handle.name(),
                         "an iterator made inside a function");
    return {};
  }
  int node = handle.node;
  if (auto it = iterators.find(node); it != iterators.end())
    return it->second;
  Problems::Scope scope(problems,
                        "iterator '" + graph.qualifiedName(node) + "'");
  iterators[node] = {};
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto op = IteratorOp::create(builder, locOf(context(), graph, node),
                               uniqueSymbol(graph[node].name()),
                               builder.getTypeArrayAttr({}));
  setUserName(op, graph[node].name());
  op.getBody().emplaceBlock();
  if (!fillIterator(op, node, problems)) {
    op.erase();
    return {};
  }
  return iterators[node] = op;
}

// The pipeline that a MakeIterator gives an iterator.
static std::optional<Output> datasetOf(const Graph &graph, int node,
                                       Problems &problems) {
  std::optional<Output> dataset;
  for (int maker = 0; maker < graph.size(); ++maker) {
    const Graph::Node &make = graph[maker];
    if (make.op() != "MakeIterator" || make.inputs.size() != 2 ||
        graph.skipIdentities(make.inputs[1]).first != node)
      continue;
    if (dataset && *dataset != make.inputs[0]) {
      problems.unsupported(graph[node].op(), graph.qualifiedName(node),
                           "an iterator over several datasets");
      return std::nullopt;
    }
    dataset = make.inputs[0];
  }
  if (!dataset) {
    problems.unsupported(graph[node].op(), graph.qualifiedName(node),
                         "an iterator that no MakeIterator gives a dataset");
    return std::nullopt;
  }
  return dataset;
}

bool Program::fillIterator(IteratorOp op, int node, Problems &problems) {
  Block &block = op.getBody().front();
  Value value;
  if (graph[node].op() == "OneShotIterator") {
    // It has its own pipeline.
    Attributes attributes(*graph[node].def);
    const proto::NameAttrList *factory =
        attributes.getFunction("dataset_factory");
    SmallVector<Argument> results;
    if (!factory) {
      problems.malformed("node '" + graph.qualifiedName(node) +
                         "': attribute 'dataset_factory' is missing");
      return false;
    }
    if (!importCall(*factory, block, {}, results, problems))
      return false;
    value = results.empty() ? Value() : results[0].value;
  } else {
    std::optional<Output> dataset = datasetOf(graph, node, problems);
    if (!dataset)
      return false;
    Body body(*this, graph, block, problems);
    body.import(dataset->first);
    value = body.value(*dataset);
    if (!value)
      return false;
  }
  auto type = value ? dyn_cast<DatasetType>(value.getType()) : nullptr;
  if (!type) {
    problems.malformed("node '" + graph.qualifiedName(node) +
                       "': what it iterates over is no dataset");
    return false;
  }
  if (!llvm::all_of(type.getComponents(), llvm::IsaPred<TensorType>)) {
    problems.unsupported(graph[node].op(), graph.qualifiedName(node),
                         "elements that are datasets");
    return false;
  }
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  YieldOp::create(builder, op.getLoc(), value);
  Body::eraseDead(block);
  op.setComponentsAttr(builder.getTypeArrayAttr(type.getComponents()));
  return true;
}

void Program::remove(EntryOp entry) {
  symbols.erase(entry.getSymName());
  entry.erase();
}

// Of random ops that no entry runs in the end.
static void eraseUnusedStates(ModuleOp module) {
  llvm::DenseSet<Attribute> used;
  module.walk([&](ReadOp read) { used.insert(read.getVariableAttr()); });
  for (auto variable : llvm::make_early_inc_range(module.getOps<VariableOp>()))
    if (variable->hasAttr(randomStateAttrName) &&
        !used.contains(FlatSymbolRefAttr::get(variable.getSymNameAttr())))
      variable.erase();
}

void Program::arrange() {
  eraseUnusedStates(module);
  auto rank = [](Operation &op) {
    return isa<VariableOp>(op)     ? 0
           : isa<IteratorOp>(op)   ? 1
           : isa<func::FuncOp>(op) ? 2
           : isa<SaverOp>(op)      ? 3
                                   : 4;
  };
  llvm::DenseMap<Operation *, int> position;
  // Variables that functions make come behind those of the graph.
  for (auto [handle, op] : variables) {
    int place = handle.second + (handle.first == &graph ? 0 : graph.size());
    if (auto [it, isNew] = position.try_emplace(op, place); !isNew)
      it->second = std::min(it->second, place);
  }
  for (auto [node, op] : iterators)
    if (op)
      position[op] = node;
  SmallVector<Operation *> ops;
  for (Operation &op : *module.getBody()) {
    if (op.hasAttr(randomStateAttrName)) // behind the user's
      position[&op] = graph.size();
    ops.push_back(&op);
  }
  llvm::stable_sort(ops, [&](Operation *a, Operation *b) {
    return std::pair(rank(*a), position.lookup(a)) <
           std::pair(rank(*b), position.lookup(b));
  });
  for (Operation *op : ops)
    op->moveBefore(module.getBody(), module.getBody()->end());
}

} // namespace ingot::importer
