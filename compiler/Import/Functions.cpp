//===- Functions.cpp - Functions of datasets ------------------------------===//

#include "compiler/Import/Body.h"
#include "compiler/Import/Program.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

const Program::Function *Program::findFunction(StringRef name,
                                               Problems &problems) {
  if (auto it = library.find(name); it != library.end())
    return it->second.get();
  for (const proto::FunctionDef &def :
       source.graph_def().library().function()) {
    if (def.signature().name() != name)
      continue;
    auto function = std::make_unique<Function>();
    function->name = name.str();
    function->graph = Graph::index(def, problems);
    return (library[name] = std::move(function)).get();
  }
  problems.malformed("function '" + name + "' does not exist");
  return nullptr;
}

bool Program::importFunction(const Function &function, Block &block,
                             SmallVectorImpl<Value> &results,
                             Problems &problems) {
  const Graph &body = function.graph;
  // Its arguments are its first nodes.
  unsigned arguments = 0;
  while (static_cast<int>(arguments) < body.size() &&
         body[arguments].op() == "_Arg")
    ++arguments;
  if (arguments != block.getNumArguments()) {
    problems.malformed("function '" + function.name + "' takes " +
                       llvm::Twine(arguments) + " arguments and is given " +
                       llvm::Twine(block.getNumArguments()));
    return false;
  }
  if (!open.insert(function.name).second) {
    problems.malformed("function '" + function.name + "' contains itself");
    return false;
  }
  Body import(*this, body, block, problems);
  for (unsigned argument = 0; argument < arguments; ++argument)
    import.feed({static_cast<int>(argument), 0}, block.getArgument(argument));
  SmallVector<int> targets(body.controlReturns);
  for (Output result : body.returns)
    targets.push_back(result.first);
  import.import(targets);
  open.erase(function.name);
  for (Output result : body.returns) {
    results.push_back(import.value(result));
    if (!results.back())
      return false;
  }
  return true;
}

func::FuncOp Program::function(StringRef name, ArrayRef<Type> arguments,
                               Problems &problems) {
  std::pair<StringAttr, Type> key(StringAttr::get(context(), name),
                                  FunctionType::get(context(), arguments, {}));
  if (auto it = functions.find(key); it != functions.end())
    return it->second;
  const Function *function = findFunction(name, problems);
  if (!function)
    return functions[key] = {};
  Location loc = NameLoc::get(StringAttr::get(context(), name));
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto op = func::FuncOp::create(builder, loc, uniqueSymbol(name),
                                 builder.getFunctionType(arguments, {}));
  op.setPrivate();
  Block &block = *op.addEntryBlock();
  SmallVector<Value> results;
  if (!importFunction(*function, block, results, problems)) {
    op.erase();
    return functions[key] = {};
  }
  builder.setInsertionPointToEnd(&block);
  func::ReturnOp::create(builder, loc, results);
  op.setFunctionType(
      builder.getFunctionType(arguments, ValueRange(results).getTypes()));
  Body::eraseDead(block);
  return functions[key] = op;
}

Value Program::inlineFunction(StringRef name, Block &block,
                              Problems &problems) {
  const Function *function = findFunction(name, problems);
  if (!function)
    return {};
  SmallVector<Value> results;
  if (!importFunction(*function, block, results, problems))
    return {};
  if (results.size() != 1 || !isa<DatasetType>(results[0].getType())) {
    problems.malformed("function '" + name + "' does not make one dataset");
    return {};
  }
  return results[0];
}

} // namespace ingot::importer
