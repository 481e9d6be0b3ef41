//===- Translation.cpp - StableHLO's ops as TensorFlow's nodes ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/Translation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace ingot::stablehlo {

/// The number of ops that are translated at most. A module with functions that
/// call one another twice each would have more, though its text is short.
static constexpr uint64_t mostOps = 2'000'000;
static constexpr unsigned mostCalls = 200;

const OpRow *findOp(StringRef name) {
  static const OpTable table = [] {
    OpTable rows;
    addElementwiseOps(rows);
    addIntegerOps(rows);
    addSpecialOps(rows);
    addShapeOps(rows);
    addProductOps(rows);
    addConvolutionOps(rows);
    addReductionOps(rows);
    addWindowOps(rows);
    addGatherOps(rows);
    addScatterOps(rows);
    addControlOps(rows);
    addLoopOps(rows);
    addSortOps(rows);
    addNormalizationOps(rows);
    addMatrixOps(rows);
    return rows;
  }();
  auto row = table.find(name);
  return row == table.end() ? nullptr : &row->second;
}

//===----------------------------------------------------------------------===//
// Names and problems
//===----------------------------------------------------------------------===//

// Parts of a name stack that JAX's transformations add.
static constexpr StringLiteral transformations[] = {
    "jvp",   "transpose",  "vmap", "remat",
    "jit",   "checkpoint", "pjit", "rematted_computation",
    "while", "body",       "cond", "closed_call"};

// Returns the part of a node's name that a name stack gives:
// "jit(step)/transpose(jvp(Dense_0))/mul" gives "gradients/Dense_0".
static std::string pathOf(StringRef stack) {
  SmallVector<StringRef> parts;
  StringRef body =
      stack.rsplit('/').second.empty() ? StringRef() : stack.rsplit('/').first;
  bool isGradient = body.contains("transpose(");
  body.split(parts, '/', -1, false);
  std::string path = isGradient ? "gradients" : "";
  for (StringRef part : drop_begin(parts, parts.empty() ? 0 : 1)) {
    StringRef inner = part;
    while (true) {
      auto [name, rest] = inner.split('(');
      if (!is_contained(transformations, name) || !inner.contains('('))
        break;
      inner = rest;
    }
    inner = inner.rtrim(')');
    if (inner.empty() || is_contained(transformations, inner) ||
        part.starts_with("jit("))
      continue;
    path += (path.empty() ? "" : "/") + exporter::toNodeName(inner);
  }
  return path;
}

Tensors Translation::refuse(const Twine &reason) {
  isRefused = true;
  Origin origin = module.originOf(op->location);
  std::string place = fileName + ":" + std::to_string(op->line);
  if (!origin.file.empty())
    place += ", " + origin.file + ":" + std::to_string(origin.line);
  if (!origin.name.empty())
    place += ", " + origin.name;
  std::string name = op->name;
  if (StringRef target = text(*op, "call_target_name"); !target.empty())
    name += " @" + target.str();
  // The place is the node's name: an op has no other.
  errors.unsupported(name, place, reason);
  return {};
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Tensors Translation::translate(const Function &called,
                               ArrayRef<Tensor> arguments, StringRef name,
                               const std::vector<bool> *wanted) {
  SaveAndRestore savedFunction(function, &called);
  SaveAndRestore savedScope(scope, name.str());
  Values values;
  for (auto [argument, value] : zip(called.body.arguments, arguments))
    values[argument] = value;
  SaveAndRestore savedValues(environment, &values);
  return region(called.body, values, wanted);
}

Tensors Translation::region(const Block &block, Values &values,
                            const std::vector<bool> *wanted) {
  // Which ops the results need, from the end.
  DenseSet<unsigned> needed;
  for (auto [index, value] : enumerate(block.returned))
    if (!wanted || (*wanted)[index])
      needed.insert(value);
  std::vector<std::pair<const Op *, std::vector<bool>>> order;
  for (const Op &inner : reverse(block.ops)) {
    std::vector<bool> isLive;
    for (unsigned result : inner.results)
      isLive.push_back(needed.contains(result));
    if (!is_contained(isLive, true))
      continue;
    needed.insert_range(inner.operands);
    needed.insert_range(freeValues(inner));
    order.push_back({&inner, std::move(isLive)});
  }
  SaveAndRestore saved(environment, &values);
  for (auto &[inner, isLive] : reverse(order))
    translateOp(*inner, std::move(isLive));
  Tensors returned;
  for (unsigned value : block.returned) {
    auto found = values.find(value);
    const TensorType &type = typeOf(value);
    returned.push_back(found != values.end() ? found->second
                       : type.isValid() ? current->zeros(type)
                                        : current->scalar(0, proto::DT_FLOAT));
  }
  return returned;
}

Tensors Translation::mapRegion(const Block &block, ArrayRef<Tensor> arguments) {
  // Constants stay scalars, which elementwise ops broadcast.
  Values values = *environment;
  for (auto [argument, value] : zip(block.arguments, arguments))
    values[argument] = value;
  Sizes shape = arguments.front()->shape;
  SaveAndRestore saved(mapped, static_cast<const Sizes *>(&shape));
  Tensors returned = region(block, values);
  for (Tensor &one : returned)
    one = current->broadcast(one, shape);
  return returned;
}

Tensors Translation::call(const Op &op, StringRef callee,
                          ArrayRef<Tensor> arguments) {
  const Function *called = module.find(callee);
  if (!called || !called->hasBody)
    return refuse("there is no function '@" + callee + "'");
  if (called->body.arguments.size() != arguments.size() ||
      called->resultTypes.size() != op.results.size())
    return refuse("it does not fit the type of function '@" + callee + "'");
  for (auto [argument, tensor] : zip(called->body.arguments, arguments))
    if (called->types[argument].element != tensor->type ||
        (called->types[argument].shape != tensor->shape &&
         shapeOf(called->types[argument]) != tensor->shape))
      return refuse("it does not fit the type of function '@" + callee + "'");
  std::vector<bool> wanted = live;
  return translate(*called, arguments, scope, &wanted);
}

std::string
Translation::addFunction(StringRef name, ArrayRef<Tensor> inputs,
                         function_ref<Tensors(ArrayRef<Tensor>)> body) {
  proto::FunctionDefLibrary &library = *graph.mutable_library();
  std::string unique =
      name.str() + "_" + std::to_string(library.function_size());
  proto::FunctionDef &def = *library.add_function();
  proto::OpDef &signature = *def.mutable_signature();
  signature.set_name(unique);
  GraphBuilder own(*def.mutable_node_def(), *graph.mutable_debug_info(),
                   unique);
  own.origin = current->origin;
  SmallVector<Tensor> arguments;
  for (auto [index, input] : enumerate(inputs)) {
    proto::OpDef::ArgDef &argument = *signature.add_input_arg();
    argument.set_name("arg_" + std::to_string(index));
    argument.set_type(input->type);
    arguments.push_back(
        own.argument(argument.name(), input->type, input->shape));
  }
  SaveAndRestore savedDepth(functions, functions + 1);
  SaveAndRestore savedBuilder(current, &own);
  SaveAndRestore savedScope(scope, std::string());
  Tensors results = body(arguments);
  for (auto [index, result] : enumerate(results)) {
    proto::OpDef::ArgDef &output = *signature.add_output_arg();
    output.set_name("result_" + std::to_string(index));
    output.set_type(result->type);
    (*def.mutable_ret())[output.name()] = own.reference(result);
  }
  return unique;
}

std::vector<unsigned> Translation::freeValues(const Op &op) const {
  std::vector<unsigned> found;
  DenseSet<unsigned> known;
  SmallVector<const Block *> blocks;
  for (const auto &block : op.regions)
    blocks.push_back(block.get());
  // Values are numbered within the whole function, so that the definitions of
  // all nested blocks can be collected first.
  std::vector<unsigned> used;
  while (!blocks.empty()) {
    const Block *block = blocks.pop_back_val();
    known.insert_range(block->arguments);
    append_range(used, block->returned);
    for (const Op &inner : block->ops) {
      known.insert_range(inner.results);
      append_range(used, inner.operands);
      for (const auto &nested : inner.regions)
        blocks.push_back(nested.get());
    }
  }
  for (unsigned value : used)
    if (known.insert(value).second)
      found.push_back(value);
  sort(found);
  return found;
}

void Translation::translateOp(const Op &next, std::vector<bool> isLive) {
  SaveAndRestore savedOp(op, &next);
  SaveAndRestore savedLive(live, std::move(isLive));
  Origin origin = module.originOf(next.location);
  std::string path = pathOf(origin.name);
  if (origin.name.empty())
    path = exporter::toNodeName(StringRef(next.name).rsplit('.').second) + "_" +
           std::to_string(next.line);
  if (origin.file.empty())
    origin = {origin.name, fileName, next.line};
  SaveAndRestore savedOrigin(current->origin, origin);
  SaveAndRestore savedPath(
      current->path, scope + (scope.empty() || path.empty() ? "" : "/") + path);
  SmallVector<Tensor> inputs;
  for (unsigned operand : next.operands)
    if (auto found = environment->find(operand); found != environment->end())
      inputs.push_back(found->second);
  Tensors made =
      inputs.size() == next.operands.size() ? results(next, inputs) : Tensors();
  if (made.size() != next.results.size())
    made = dummies(next);
  for (auto [result, tensor] : zip(next.results, made))
    (*environment)[result] = tensor;
}

// Checks what all ops have in common: a row, known types, numbers of operands.
bool Translation::check(const Op &op) {
  const OpRow *row = findOp(op.name);
  auto refused = [&](const Twine &reason) {
    refuse(reason);
    return false;
  };
  if (!op.problem.empty())
    return refused(op.problem);
  if (!row)
    return refused("this op is not supported");
  if ((row->operands >= 0 &&
       op.operands.size() != static_cast<size_t>(row->operands)) ||
      (row->results >= 0 &&
       op.results.size() != static_cast<size_t>(row->results)))
    return refused("it has " + Twine(op.operands.size()) + " operands and " +
                   Twine(op.results.size()) + " results");
  if (mapped && !op.regions.empty())
    return refused("it is in the region of another reduction");
  auto values = concat<const unsigned>(op.operands, op.results);
  for (unsigned value : values) {
    if (typeOf(value).isValid())
      continue;
    // The result of an op that cannot be read has been refused there.
    return typeOf(value).text.empty()
               ? false
               : refused("type " + typeOf(value).text + " is not supported");
  }
  if (!row->isElementwise)
    return true;
  for (unsigned operand : op.operands)
    if (typeOf(operand).shape != resultOf(op).shape ||
        typeOf(operand).element != typeOf(op.operands.front()).element)
      return refused("its operands and its result have different types");
  return true;
}

Tensors Translation::results(const Op &op, ArrayRef<Tensor> inputs) {
  SaveAndRestore savedDepth(depth, depth + 1);
  if (++translated > mostOps || depth > mostCalls) {
    bool isFirst = translated == mostOps + 1 || depth > mostCalls;
    return isFirst ? refuse("the module has too many ops, or functions that "
                            "call themselves")
                   : Tensors();
  }
  if (!check(op))
    return {};
  SaveAndRestore savedRefused(isRefused, false);
  Tensors made = findOp(op.name)->rule(*this, op, inputs);
  if (isRefused || made.size() != op.results.size())
    return isRefused ? Tensors()
                     : refuse("its attributes do not fit its operands");
  for (auto [result, tensor] : zip(op.results, made))
    if (tensor->type != typeOf(result).element ||
        (tensor->shape != typeOf(result).shape &&
         tensor->shape != shapeOf(typeOf(result))))
      return refuse("its result's type " + typeOf(result).text +
                    " does not fit its operands and attributes");
  return made;
}

// Stands for results that cannot be computed, so that translation goes on.
Tensors Translation::dummies(const Op &op) {
  Tensors made;
  for (unsigned result : op.results)
    made.push_back(typeOf(result).isValid()
                       ? current->zeros(typeOf(result))
                       : current->scalar(0, proto::DT_FLOAT));
  return made;
}

} // namespace ingot::stablehlo
