//===- Graph.cpp - Graphs, their variables and ops ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Builder/GraphImpl.h"

#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/ProgramAttrFields.h"
#include "dialects/Ingot/IR/SymbolNames.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace ingot::graph {

//===----------------------------------------------------------------------===//
// Member functions of Tensor
//===----------------------------------------------------------------------===//

DType dtypeOf(Type element) {
  if (element.isF32())
    return DType::Float32;
  if (element.isF64())
    return DType::Float64;
  if (element.isF16())
    return DType::Float16;
  if (element.isBF16())
    return DType::BFloat16;
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return DType::String;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return DType::Bool;
  case 8:
    return isUnsigned ? DType::UInt8 : DType::Int8;
  case 16:
    return isUnsigned ? DType::UInt16 : DType::Int16;
  case 32:
    return isUnsigned ? DType::UInt32 : DType::Int32;
  default:
    return isUnsigned ? DType::UInt64 : DType::Int64;
  }
}

Shape shapeOf(RankedTensorType type) {
  Shape shape;
  for (int64_t dim : type.getShape())
    shape.push_back(ShapedType::isDynamic(dim) ? unknown : dim);
  return shape;
}

Tensor::Tensor(const Variable &variable) : Tensor(variable.read()) {}

DType Tensor::dtype() const {
  if (!value)
    return DType::Float32;
  return dtypeOf(getElementTypeOrSelf(unwrap(*this)));
}

std::optional<Shape> Tensor::shape() const {
  auto type =
      value ? dyn_cast<RankedTensorType>(unwrap(*this).getType()) : nullptr;
  if (!type)
    return std::nullopt;
  return shapeOf(type);
}

//===----------------------------------------------------------------------===//
// Member functions of Variable
//===----------------------------------------------------------------------===//

const std::string &Variable::name() const {
  static const std::string none;
  return graphData ? graphData->variables[index].name : none;
}

DType Variable::dtype() const {
  return graphData ? graphData->variables[index].dtype : DType::Float32;
}

const Shape &Variable::shape() const {
  static const Shape none;
  return graphData ? graphData->variables[index].shape : none;
}

bool Variable::isTrainable() const {
  return graphData && graphData->variables[index].options.trainable;
}

static NamedAttribute symbolOf(GraphImpl &data, unsigned index) {
  return data.builder.getNamedAttr(
      "variable",
      FlatSymbolRefAttr::get(&data.context, data.variables[index].symbol));
}

Tensor Variable::read() const {
  if (!graphData)
    return {};
  Type type = graphData->tensorType(dtype(), shape(), name());
  Operation *op =
      graphData->create("read", {}, symbolOf(*graphData, index), type);
  return op ? wrap(*graphData, op->getResult(0)) : Tensor();
}

void Variable::assign(Tensor value) const {
  if (!graphData || !value)
    return;
  Type type = unwrap(value).getType();
  Type own = graphData->tensorType(dtype(), shape(), name());
  if (!mlir::ingot::areCompatibleTypes(type, own)) {
    std::string text;
    llvm::raw_string_ostream(text)
        << type << " is assigned to a variable of " << own;
    return graphData->error(name(), text);
  }
  graphData->create("assign", unwrap(value), symbolOf(*graphData, index),
                    TypeRange());
}

Variable Graph::variable(std::string_view name, Shape shape, DType dtype,
                         Initializer initializer, VariableOptions options) {
  GraphImpl &data = *graphData;
  std::string full = data.scope + std::string(name);
  if (auto known = data.variableByName.find(full);
      known != data.variableByName.end()) {
    Variable variable(&data, known->second);
    if (variable.shape() == shape && variable.dtype() == dtype)
      return variable;
    RankedTensorType type = data.tensorType(variable.dtype(), variable.shape(),
                                            full),
                     asked = data.tensorType(dtype, shape, full);
    if (type && asked)
      data.error(full, "variable already exists with type " +
                           mlir::debugString(type) +
                           ", so it cannot be added with type " +
                           mlir::debugString(asked));
    return {};
  }
  if (data.finished) {
    data.error(full, "cannot add a variable to a finished graph");
    return {};
  }
  RankedTensorType type = data.tensorType(dtype, shape, full);
  if (!type)
    return {};
  if (!type.hasStaticShape() || dtype == DType::String) {
    data.error(full, "a variable needs a static shape and numeric elements, "
                     "but got type " +
                         mlir::debugString(type));
    return {};
  }
  OpBuilder::InsertionGuard guard(data.builder);
  data.builder.setInsertionPointToEnd(data.module->getBody());
  std::string symbol = data.uniqueSymbol(full);
  OperationState state(NameLoc::get(data.builder.getStringAttr(full)),
                       "ingot.variable");
  state.addAttribute("sym_name", data.builder.getStringAttr(symbol));
  state.addAttribute("type", TypeAttr::get(type));
  if (options.trainable)
    state.addAttribute("trainable", data.builder.getUnitAttr());
  if (options.local)
    state.addAttribute("local", data.builder.getUnitAttr());
  Operation *op = data.builder.create(state);
  mlir::ingot::setUserName(op, full);
  unsigned index = data.variables.size();
  data.variables.push_back({full, std::move(shape), dtype,
                            initializer ? std::move(initializer) : zeros(),
                            options, symbol, op});
  data.variableByName[full] = index;
  return Variable(&data, index);
}

Variable Graph::findVariable(std::string_view fullName) {
  auto known = graphData->variableByName.find(StringRef(fullName));
  if (known != graphData->variableByName.end())
    return Variable(graphData.get(), known->second);
  graphData->error(StringRef(fullName), "no variable of this name");
  return {};
}

std::vector<Variable> Graph::variables(std::string_view prefix,
                                       bool onlyTrainable) {
  std::vector<Variable> found;
  for (unsigned index = 0; index < graphData->variables.size(); ++index) {
    Variable variable(graphData.get(), index);
    if (StringRef(variable.name()).starts_with(StringRef(prefix)) &&
        (variable.isTrainable() || !onlyTrainable))
      found.push_back(variable);
  }
  return found;
}

Variable Graph::globalStep() {
  std::string scope = std::exchange(graphData->scope, "");
  Variable step =
      variable("global_step", {}, DType::Int64, zeros(), {.trainable = false});
  graphData->scope = std::move(scope);
  mlir::ingot::ProgramAttrFields facts =
      mlir::ingot::getProgramFacts(*graphData->module);
  facts.globalStep = FlatSymbolRefAttr::get(&graphData->context, "global_step");
  mlir::ingot::setProgramFacts(*graphData->module, facts);
  return step;
}

//===----------------------------------------------------------------------===//
// Member functions of Graph
//===----------------------------------------------------------------------===//

Graph::Graph() : graphData(std::make_unique<GraphImpl>()) {
  graphData->graph = this;
}
Graph::~Graph() = default;

Tensor Graph::constant(const Array &array) {
  ElementsAttr value =
      graphData->elements(array, graphData->scope + "constant");
  if (!value)
    return {};
  return wrap(*graphData, graphData->constant(value));
}

Tensor Graph::scalar(double value, DType dtype) {
  if (dtype == DType::String) {
    addError(
        "scalar() cannot make a string constant from a number; use text()");
    return {};
  }
  auto type = graphData->tensorType(dtype, {}, "");
  return wrap(*graphData, graphData->constant(splat(type, value)));
}

Tensor Graph::text(std::string value) {
  return wrap(*graphData, graphData->string(value));
}

static mlir::Attribute convert(GraphImpl &data, const Attribute &attribute) {
  Builder &builder = data.builder;
  return std::visit(
      [&](const auto &value) -> mlir::Attribute {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, bool>)
          return builder.getBoolAttr(value);
        else if constexpr (std::is_integral_v<T>)
          return builder.getI64IntegerAttr(value);
        else if constexpr (std::is_same_v<T, double>)
          return builder.getF32FloatAttr(value);
        else if constexpr (std::is_same_v<T, std::string>)
          return builder.getStringAttr(value);
        else if constexpr (std::is_same_v<T, DType>)
          return TypeAttr::get(data.elementType(value));
        else
          return builder.getDenseI64ArrayAttr(value);
      },
      attribute.value);
}

std::vector<Tensor> Graph::createAll(std::string_view op,
                                     const std::vector<Tensor> &operands,
                                     const std::vector<Attribute> &attributes) {
  auto values = unwrap(ArrayRef<Tensor>(operands));
  if (!values)
    return {};
  for (Tensor operand : operands)
    if (operand.data() != graphData.get()) {
      addError("an operand of '" + std::string(op) +
               "' belongs to another graph");
      return {};
    }
  SmallVector<NamedAttribute> converted;
  for (const Attribute &attribute : attributes)
    converted.push_back(graphData->builder.getNamedAttr(
        attribute.name, convert(*graphData, attribute)));
  std::vector<Tensor> results;
  if (Operation *made = graphData->create(StringRef(op), *values, converted))
    for (Value result : made->getResults())
      results.push_back(wrap(*graphData, result));
  return results;
}

Tensor Graph::create(std::string_view op, const std::vector<Tensor> &operands,
                     const std::vector<Attribute> &attributes) {
  std::vector<Tensor> results = createAll(op, operands, attributes);
  return results.empty() ? Tensor() : results.front();
}

void Graph::setInitialValues(
    std::function<std::optional<Array>(const std::string &)> values) {
  graphData->initialValues = std::move(values);
}

// Erases pure ops, and reads of variables, if nothing uses their results.
static void dropDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (op.use_empty() &&
        (isOpTriviallyDead(&op) || op.getName().getStringRef() == "ingot.read"))
      op.erase();
}

void Graph::dropUnused(const std::vector<std::string> &prefixes) {
  ModuleOp module = *graphData->module;
  llvm::StringSet<> used;
  for (Operation &entry : *module.getBody()) {
    if (entry.getName().getStringRef() == "ingot.entry")
      dropDead(entry.getRegion(0).front());
    entry.walk([&](Operation *op) {
      for (StringRef name : {"variable", "iterator"})
        if (auto symbol = op->getAttrOfType<FlatSymbolRefAttr>(name))
          used.insert(symbol.getValue());
    });
  }
  auto isMeant = [&](StringRef name) {
    return prefixes.empty() ||
           llvm::any_of(prefixes, [&](const std::string &prefix) {
             return name.starts_with(prefix);
           });
  };
  auto drop = [&](auto &list) {
    for (auto &one : list)
      if (one.op && !used.contains(one.symbol) && isMeant(one.name)) {
        one.op->erase();
        one.op = nullptr;
      }
  };
  drop(graphData->variables);
  if (!prefixes.empty())
    return;
  drop(graphData->iterators);
  if (!used.contains("global_step")) {
    mlir::ingot::ProgramAttrFields facts = mlir::ingot::getProgramFacts(module);
    facts.globalStep = nullptr;
    mlir::ingot::setProgramFacts(module, facts);
  }
}

void Graph::setSeed(int64_t seed) { graphData->seed = seed; }
bool Graph::finish() { return graphData->finish(); }
bool Graph::ok() const { return graphData->errors.empty(); }
void Graph::addError(std::string message) {
  StringRef scope = graphData->scope;
  graphData->error(scope.rtrim('/'), message);
}

std::string Graph::errors() const {
  std::string text;
  for (const std::string &error : graphData->errors)
    text += error + "\n";
  return text;
}

std::string Graph::toMLIR() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  graphData->module->print(os, OpPrintingFlags().enableDebugInfo());
  os << '\n';
  return text;
}

NameScope::NameScope(Graph &graph, std::string_view name)
    : data(graph.data()), outer(data.scope) {
  data.scope += std::string(name) + "/";
  data.restartLayers(data.scope);
}

NameScope::~NameScope() { data.scope = outer; }

} // namespace ingot::graph
