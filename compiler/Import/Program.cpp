//===- Program.cpp - The module under construction ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Program.h"

#include "compiler/Import/ControlFlow/BlockImport.h"
#include "compiler/Import/Graph/Collections.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Graph/NodeAttributes.h"
#include "compiler/Import/Variables.h"
#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/DatasetOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/RandomOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "dialects/Ingot/IR/TableOps.h"
#include "dialects/Ingot/IR/VariableOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::ingot;

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
            NodeAttributes(*graph[node].def).getString("shared_name", "")))
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

VariableOp Program::variable(int node, ImportErrors &problems) {
  return variable({&graph, node}, problems);
}

VariableOp Program::findVariable(int node) const {
  return variables.lookup({&graph, node});
}

VariableOp Program::variable(const ResourceHandle &resource,
                             ImportErrors &problems) {
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
  NodeAttributes attributes(*handle.def);
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
  // Reject variables of strings: the strings would have to outlive the run that
  // assigns them.
  if (isa<StringType>(type.getElementType())) {
    problems.unsupported(handle.op(), graph.qualifiedName(node),
                         "a variable of strings");
    return {};
  }
  // In TensorFlow 2, an object owns each variable, so two variables with the
  // same shared name are not the same variable.
  bool isShared = !source.has_object_graph_def();
  if (VariableOp shared = variableByName.lookup(name); shared && isShared) {
    if (shared.getType() != type)
      return malformed("shares the name '" + name +
                       "' with another variable, but is " + describeType(type) +
                       " and the other one " + describeType(shared.getType()));
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
                               unitIf((isOurs && local.contains(node) &&
                                       !updatingRunners.isState(node)) ||
                                      handle.op() == "TemporaryVariable"),
                               builder.getStringAttr(handle.def->device()));
  if (isOurs && updatingRunners.isState(node)) {
    op->setAttr(randomStateAttrName, builder.getStringAttr(randomPosition));
    updatingRunners.addState(op);
  }
  if (handle.op() == "TemporaryVariable")
    op->setAttr(temporaryAttrName, builder.getUnitAttr());
  // If several variables have the same name, only the first one keeps it as the
  // name that users see. The others are identified by their symbols.
  if (variableByName.try_emplace(name, op).second)
    setUserName(op, name);
  return variables[resource.key()] = op;
}

// Returns the datasets with which MakeIterator nodes initialize the iterator
// `node`, in the graph's order.
static SmallVector<Output> datasetsOf(const Graph &graph, int node) {
  SmallVector<Output> datasets;
  for (int maker = 0; maker < graph.size(); ++maker) {
    const Graph::Node &make = graph[maker];
    if (make.op() == "MakeIterator" && make.inputs.size() == 2 &&
        graph.skipIdentities(make.inputs[1]).first == node &&
        !llvm::is_contained(datasets, make.inputs[0]))
      datasets.push_back(make.inputs[0]);
  }
  return datasets;
}

IteratorOp Program::iterator(int node, ImportErrors &problems) {
  return iterator({&graph, node}, problems);
}

IteratorOp Program::iterator(const ResourceHandle &handle,
                             ImportErrors &problems) {
  if (handle.graph != &graph) {
    problems.unsupported(
        handle.op(), handle.name(),
        "an iterator that a function creates; create it outside of functions");
    return {};
  }
  int node = handle.node;
  if (auto it = iterators.find(node); it != iterators.end())
    return it->second;
  ImportErrors::ImportErrorScope scope(
      problems, "iterator '" + graph.qualifiedName(node) + "'");
  iterators[node] = {};
  if (graph[node].op() == "OneShotIterator")
    return iterators[node] = createIterator(node, std::nullopt, problems);
  SmallVector<Output> datasets = datasetsOf(graph, node);
  if (datasets.empty()) {
    problems.unsupported(
        graph[node].op(), graph.qualifiedName(node),
        "no MakeIterator node initializes the iterator with a dataset");
    return {};
  }
  SmallVector<IteratorOp> made;
  for (Output dataset : datasets) {
    made.push_back(createIterator(node, dataset, problems));
    if (!made.back()) {
      made.pop_back();
      for (IteratorOp other : made)
        other.erase();
      return {};
    }
  }
  IteratorOp first = made.front();
  if (made.size() > 1 && !joinIterators(made, datasets, problems))
    return {};
  return iterators[node] = first;
}

// Called if several datasets initialize one iterator of the graph. `made` lists
// the iterator ops, one for each dataset. As one node reads from all of them,
// sets their element types to the join of all their types. Returns false, with
// a recorded problem, if there is no join.
bool Program::joinIterators(ArrayRef<IteratorOp> made,
                            ArrayRef<Output> datasets, ImportErrors &problems) {
  IteratorOp first = made.front();
  SmallVector<Type> components(
      first.getComponents().getAsValueRange<TypeAttr>());
  for (IteratorOp other : made.drop_front()) {
    SmallVector<Type> types(other.getComponents().getAsValueRange<TypeAttr>());
    bool agree = types.size() == components.size();
    for (size_t i = 0; agree && i < types.size(); ++i) {
      components[i] = joinTypes(components[i], types[i]);
      agree = components[i] && isa<TensorType>(components[i]);
    }
    if (!agree) {
      problems.malformed("iterator '" + getUserName(first).str() +
                         "' is initialized by datasets of different element "
                         "types; use one iterator for each type");
      for (IteratorOp iterator : made)
        iterator.erase();
      return false;
    }
  }
  Builder builder(context());
  for (auto [iterator, dataset] : llvm::zip(made, datasets)) {
    IteratorOp op = iterator;
    op.setComponentsAttr(builder.getTypeArrayAttr(components));
    op->setAttr(madeIntoAttrName, FlatSymbolRefAttr::get(first));
    choices[{first.getSymNameAttr(), dataset}] = op.getSymNameAttr();
  }
  return true;
}

StringAttr Program::iteratorOver(IteratorOp iterator, Output dataset) const {
  auto choice = choices.find({iterator.getSymNameAttr(), dataset});
  return choice == choices.end() ? iterator.getSymNameAttr() : choice->second;
}

IteratorOp Program::createIterator(int node, std::optional<Output> dataset,
                                   ImportErrors &problems) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto op = IteratorOp::create(builder, locOf(context(), graph, node),
                               uniqueSymbol(graph[node].name()),
                               builder.getTypeArrayAttr({}));
  setUserName(op, graph[node].name());
  op.getBody().emplaceBlock();
  if (fillIterator(op, node, dataset, problems))
    return op;
  op.erase();
  return {};
}

// Returns whether an IteratorGetNextAsOptional reads iterator `node`. A library
// function that contains this op may receive any iterator as an argument. So if
// there is such a function, the result is also true for each iterator that no
// node of the graph itself reads.
bool Program::givesOptionals(int node) const {
  bool asks = llvm::any_of(definitions, [](const auto &definition) {
    return llvm::any_of(definition.second->node_def(),
                        [](const proto::NodeDef &def) {
                          return def.op() == "IteratorGetNextAsOptional";
                        });
  });
  for (int user = 0; user < graph.size(); ++user) {
    const Graph::Node &next = graph[user];
    bool isOptional = next.op() == "IteratorGetNextAsOptional";
    bool isNext =
        next.op() == "IteratorGetNext" || next.op() == "IteratorGetNextSync";
    if ((isOptional || isNext) && next.inputs.size() == 1 &&
        graph.skipIdentities(next.inputs[0]).first == node)
      return isOptional;
  }
  return asks;
}

bool Program::fillIterator(IteratorOp op, int node,
                           std::optional<Output> dataset,
                           ImportErrors &problems) {
  llvm::SaveAndRestore within(place, ExecutionPlace::Pipeline);
  Block &block = op.getBody().front();
  Value value;
  if (!dataset) {
    // A OneShotIterator has no input: its pipeline is what the function in
    // attribute dataset_factory returns.
    NodeAttributes attributes(*graph[node].def);
    const proto::NameAttrList *factory =
        attributes.getFunction("dataset_factory");
    SmallVector<ImportedNodeOutput> results;
    if (!factory) {
      problems.malformed("node '" + graph.qualifiedName(node) +
                         "': attribute 'dataset_factory' is missing");
      return false;
    }
    if (!importCall(*factory, block, {}, results, problems))
      return false;
    value = results.empty() ? Value() : results[0].value;
  } else {
    BlockImport body(*this, graph, block, problems);
    body.import(dataset->first);
    value = body.value(*dataset);
    if (!value)
      return false;
  }
  auto type = value ? dyn_cast<DatasetType>(value.getType()) : nullptr;
  if (!type) {
    problems.malformed("node '" + graph.qualifiedName(node) +
                       "': input is not a dataset");
    return false;
  }
  if (!llvm::all_of(type.getComponents(), llvm::IsaPred<TensorType>)) {
    problems.unsupported(graph[node].op(), graph.qualifiedName(node),
                         "elements that are datasets; turn windows into "
                         "tensors with flat_map or interleave");
    return false;
  }
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  if (givesOptionals(node)) {
    SmallVector<Type> components = {
        RankedTensorType::get({}, builder.getI1Type())};
    llvm::append_range(components, type.getComponents());
    type = DatasetType::get(context(), components);
    value = OptionalDatasetOp::create(builder, op.getLoc(), type, value);
    op->setAttr(givesOptionalsAttrName, builder.getUnitAttr());
  }
  YieldOp::create(builder, op.getLoc(), value);
  BlockImport::eraseDead(block);
  op.setComponentsAttr(builder.getTypeArrayAttr(type.getComponents()));
  return true;
}

void Program::remove(EntryOp entry) {
  symbols.erase(entry.getSymName());
  entry.erase();
}

// Erases each state variable of a random op that no op reads, because the entry
// with the random op was erased, or because the results of the random op are
// not used.
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
    auto first = op.getAttrOfType<FlatSymbolRefAttr>(madeIntoAttrName);
    bool isAlternative =
        first && first.getAttr() != SymbolTable::getSymbolName(&op);
    return isa<VariableOp>(op)     ? 0
           : isa<TableOp>(op)      ? 1
           : isa<IteratorOp>(op)   ? 2 + isAlternative
           : isa<func::FuncOp>(op) ? 4
           : isa<SaverOp>(op)      ? 5
                                   : 6;
  };
  llvm::DenseMap<Operation *, int> position;
  // Sort variables by their nodes: first those of the graph, then those of
  // functions' bodies.
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
    // State variables of random ops come after the user's variables.
    if (op.hasAttr(randomStateAttrName))
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
