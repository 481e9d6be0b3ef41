//===- Functions.cpp - The library's functions and their bodies -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports functions of the graph's library. A function's body is imported at
// each of its calls, so that calls are inlined; functions of datasets become
// functions of the program.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/ControlFlow/BlockImport.h"
#include "compiler/Import/Program.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// Limits the depth of nested calls, and the number of nodes in all inlined
// calls. Only recursive functions exceed these limits in practice.
static constexpr size_t maxDepth = 128;
static constexpr size_t maxNodesInCalls = 5'000'000;

using AttrMap = google::protobuf::Map<std::string, proto::AttrValue>;

// Replaces placeholders in `value`, an attribute of a node in a function's
// body, by `given`, the attributes of the call. Returns whether there were any
// placeholders.
static bool fillIn(proto::AttrValue &value, const AttrMap &given) {
  if (value.value_case() == proto::AttrValue::kPlaceholder) {
    if (auto it = given.find(value.placeholder()); it != given.end())
      value = proto::AttrValue(it->second);
    return true;
  }
  bool found = false;
  if (value.has_func())
    for (auto &[name, nested] : *value.mutable_func()->mutable_attr())
      found |= fillIn(nested, given);
  return found;
}

static bool fillIn(proto::FunctionDef &def, const AttrMap &given) {
  bool found = false;
  for (proto::NodeDef &node : *def.mutable_node_def())
    for (auto &[name, value] : *node.mutable_attr())
      found |= fillIn(value, given);
  return found;
}

static bool hasPlaceholder(const proto::AttrValue &value) {
  if (value.value_case() == proto::AttrValue::kPlaceholder)
    return true;
  return value.has_func() &&
         llvm::any_of(value.func().attr(), [](const auto &nested) {
           return hasPlaceholder(nested.second);
         });
}

static bool hasPlaceholder(const proto::FunctionDef &def) {
  for (const proto::NodeDef &node : def.node_def())
    for (const auto &[name, value] : node.attr())
      if (hasPlaceholder(value))
        return true;
  return false;
}

// Returns the key of a function in `Program::library`: its name and the values
// of its attributes.
static std::string keyOf(const proto::NameAttrList &function) {
  SmallVector<std::pair<std::string, std::string>> attributes;
  for (const auto &[name, value] : function.attr())
    attributes.emplace_back(name, value.SerializeAsString());
  llvm::sort(attributes);
  std::string key = function.name();
  for (const auto &[name, value] : attributes)
    (key += '\0') += name + '\0' + value;
  return key;
}

// Returns the index of the first output that belongs to output argument
// `argument`. The names of the arguments are in the function's signature if the
// node's op is the name of a library function, otherwise in the op table.
std::optional<int> Program::findPort(const proto::NodeDef &node,
                                     StringRef argument) const {
  auto it = definitions.find(node.op());
  if (it == definitions.end() || findOp(node.op()))
    return firstPortOf(node, argument);
  const auto &outputs = it->second->signature().output_arg();
  auto output = llvm::find_if(outputs, [&](const proto::OpDef::ArgDef &arg) {
    return arg.name() == argument;
  });
  if (output == outputs.end())
    return std::nullopt;
  return output - outputs.begin();
}

Program::LibraryFunction *Program::findFunction(const proto::NameAttrList &name,
                                                ImportErrors &problems) {
  auto definition = definitions.find(name.name());
  if (definition == definitions.end()) {
    problems.malformed("function '" + name.name() + "' does not exist");
    return nullptr;
  }
  const proto::FunctionDef *def = definition->second;
  bool isGeneric = hasPlaceholder(*def);
  std::unique_ptr<LibraryFunction> &function =
      library[isGeneric ? keyOf(name) : name.name()];
  if (function)
    return function.get();
  function = std::make_unique<LibraryFunction>();
  function->name = name.name();
  if (isGeneric) {
    function->instance = std::make_unique<proto::FunctionDef>(*def);
    fillIn(*function->instance, name.attr());
    def = function->instance.get();
  }
  function->graph = Graph::index(
      *def,
      [this](const proto::NodeDef &node, StringRef argument) {
        return findPort(node, argument);
      },
      function->malformed);
  return function.get();
}

std::optional<std::pair<int, int>>
Program::signatureOf(const proto::NameAttrList &name, ImportErrors &problems) {
  const LibraryFunction *function = findFunction(name, problems);
  if (!function)
    return std::nullopt;
  return std::pair<int, int>(function->graph.numArguments(),
                             function->graph.returns.size());
}

std::optional<SmallVector<int>>
Program::argumentsReturned(const proto::NameAttrList &name,
                           ImportErrors &problems) {
  const LibraryFunction *function = findFunction(name, problems);
  if (!function)
    return std::nullopt;
  const Graph &body = function->graph;
  SmallVector<int> arguments;
  for (Output result : body.returns) {
    int node = body.skipIdentities(result).first;
    arguments.push_back(node < body.numArguments() ? node : -1);
  }
  return arguments;
}

Effect Program::effectOf(const proto::NameAttrList &name) {
  ImportErrors ignored;
  LibraryFunction *function = findFunction(name, ignored);
  if (!function || effectDepth == maxDepth)
    return Effect::Pure;
  if (!function->effect) {
    ++effectDepth;
    // Set a preliminary value, which the nested call of `effectOf` returns if
    // the function is recursive, so that the recursion ends. The import of the
    // function reports the recursion as a problem.
    function->effect = Effect::Pure;
    Effect effect = Effect::Pure;
    for (int node = 0; node < function->graph.size(); ++node)
      effect = std::max(effect, effectOf(function->graph, node));
    function->effect = effect;
    --effectDepth;
  }
  return *function->effect;
}

Effect Program::effectOf(const Graph &graph, int node) {
  const proto::NodeDef &def = *graph[node].def;
  const OpTableRow *info = findOp(def.op());
  if (!info) {
    proto::NameAttrList function;
    function.set_name(def.op());
    if (!hasFunction(def.op()))
      return Effect::Pure;
    *function.mutable_attr() = def.attr();
    return effectOf(function);
  }
  if (info->effect != Effect::Called)
    return info->effect;
  Effect effect = Effect::Pure;
  for (const auto &[name, value] : def.attr()) {
    if (value.has_func())
      effect = std::max(effect, effectOf(value.func()));
    for (const proto::NameAttrList &function : value.list().func())
      effect = std::max(effect, effectOf(function));
  }
  for (int nested : graph.nestedIn(node))
    if (nested != node)
      effect = std::max(effect, effectOf(graph, nested));
  return effect;
}

const Graph *Program::calledBody(const Graph &graph, int node) {
  const proto::NodeDef &def = *graph[node].def;
  proto::NameAttrList function;
  if (def.op() == "PartitionedCall" || def.op() == "StatefulPartitionedCall") {
    if (auto it = def.attr().find("f"); it != def.attr().end())
      function = it->second.func();
  } else if (!findOp(def.op()) && hasFunction(def.op())) {
    function.set_name(def.op());
    *function.mutable_attr() = def.attr();
  }
  if (!hasFunction(function.name()))
    return nullptr;
  ImportErrors ignored;
  const LibraryFunction *called = findFunction(function, ignored);
  return called->malformed.empty() ? &called->graph : nullptr;
}

bool Program::importCall(const proto::NameAttrList &name, Block &block,
                         ArrayRef<ImportedNodeOutput> arguments,
                         SmallVectorImpl<ImportedNodeOutput> &results,
                         ImportErrors &problems) {
  const LibraryFunction *function = findFunction(name, problems);
  if (!function)
    return false;
  if (!function->malformed.empty()) {
    problems.merge(ImportErrors(function->malformed));
    return false;
  }
  const Graph &body = function->graph;
  if (body.numArguments() != static_cast<int>(arguments.size())) {
    problems.malformed("function '" + function->name + "' takes " +
                       llvm::Twine(body.numArguments()) + " arguments, got " +
                       llvm::Twine(arguments.size()));
    return false;
  }
  nodesInCalls += body.size();
  if (open.size() == maxDepth) {
    problems.malformed("function '" + function->name +
                       "': function calls are nested more than " +
                       llvm::Twine(maxDepth) + " deep");
    return false;
  }
  if (nodesInCalls > maxNodesInCalls) {
    problems.malformed("function '" + function->name +
                       "': the functions of all calls have more than " +
                       llvm::Twine(maxNodesInCalls) + " nodes");
    return false;
  }
  if (!open.insert(function).second) {
    problems.malformed("function '" + function->name + "' is recursive");
    return false;
  }
  BlockImport import(*this, body, block, problems);
  for (auto [index, argument] : llvm::enumerate(arguments))
    import.feed({static_cast<int>(index), 0}, argument);
  // Import the nodes of results, and all nodes with side effects. Skip nodes
  // inside of loops and branches, because they are imported as part of the
  // `_Loop` or `_Branches` node that represents the loop or branches.
  llvm::DenseSet<int> nested;
  for (const auto &[node, loop] : body.raised().loops)
    for (int inside : body.nestedIn(node))
      nested.insert(inside);
  for (const auto &[node, branches] : body.raised().branches)
    for (int inside : body.nestedIn(node))
      nested.insert(inside);
  SmallVector<int> targets(body.controlReturns);
  for (int node = 0; node < body.size(); ++node)
    if (effectOf(body, node) >= Effect::Consumes && !nested.contains(node))
      targets.push_back(node);
  for (Output result : body.returns)
    if (result.first >= body.numArguments())
      targets.push_back(result.first);
  import.import(targets);
  open.erase(function);
  if (import.hasFailed())
    return false;
  for (Output result : body.returns)
    results.push_back(import.argument(result));
  return true;
}

// Imports the body of function `name` into `block` and appends its results,
// which must be tensors or datasets, to `values`. Returns false, with the
// problems recorded, on failure.
bool Program::importTensorFunction(StringRef name, Block &block,
                                   SmallVectorImpl<Value> &values,
                                   ImportErrors &problems) {
  proto::NameAttrList function;
  function.set_name(name.str());
  SmallVector<ImportedNodeOutput> arguments(block.getArguments()), results;
  if (!importCall(function, block, arguments, results, problems))
    return false;
  for (const ImportedNodeOutput &result : results) {
    if (!result.value) {
      problems.malformed("function '" + name + "' returns '" +
                         result.handle.name() + "' (" + result.handle.op() +
                         "), which is not a tensor");
      return false;
    }
    values.push_back(result.value);
  }
  return true;
}

func::FuncOp Program::function(StringRef name, ArrayRef<Type> arguments,
                               ImportErrors &problems) {
  std::pair<StringAttr, Type> key(StringAttr::get(context(), name),
                                  FunctionType::get(context(), arguments, {}));
  if (auto it = functions.find(key); it != functions.end())
    return it->second;
  llvm::SaveAndRestore within(place, ExecutionPlace::Function);
  Location loc = NameLoc::get(StringAttr::get(context(), name));
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto op = func::FuncOp::create(builder, loc, uniqueSymbol(name),
                                 builder.getFunctionType(arguments, {}));
  op.setPrivate();
  Block &block = *op.addEntryBlock();
  SmallVector<Value> results;
  if (!importTensorFunction(name, block, results, problems)) {
    symbols.erase(op.getSymName());
    op.erase();
    return functions[key] = {};
  }
  builder.setInsertionPointToEnd(&block);
  func::ReturnOp::create(builder, loc, results);
  op.setFunctionType(
      builder.getFunctionType(arguments, ValueRange(results).getTypes()));
  BlockImport::eraseDead(block);
  return functions[key] = op;
}

Value Program::inlineFunction(StringRef name, Block &block,
                              ImportErrors &problems) {
  SmallVector<Value> results;
  if (!importTensorFunction(name, block, results, problems))
    return {};
  if (results.size() != 1 || !isa<DatasetType>(results[0].getType())) {
    problems.malformed(
        "function '" + name + "' must return one dataset, but returns " +
        (results.size() == 1 ? std::string("a tensor")
                             : std::to_string(results.size()) + " results"));
    return {};
  }
  return results[0];
}

} // namespace ingot::importer
