//===- Datasets.cpp - Input pipelines -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// A graph::Dataset only describes a dataset. The ops of the dataset are built
// anew for each iterator over it.
//
//===----------------------------------------------------------------------===//

#include "compiler/Builder/Datasets.h"

#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/SymbolNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

Value addDataset(GraphImpl &data, StringRef op, ValueRange operands,
                 ArrayRef<Type> components,
                 ArrayRef<NamedAttribute> attributes) {
  Operation *made = data.create(op, operands, attributes,
                                DatasetType::get(&data.context, components));
  return made ? made->getResult(0) : Value();
}

ArrayRef<Type> componentsOf(Value dataset) {
  return cast<DatasetType>(dataset.getType()).getComponents();
}

Dataset makeDataset(BuildDataset build) {
  return Dataset(std::make_shared<Dataset::Node>(std::move(build)));
}

// Returns the dataset that the op named `op`, such as shuffle_dataset, makes
// from `input` and `operands`. The op must not change the types of the
// elements' components. If `reshuffles` is false, which only shuffle_dataset
// supports, each epoch has the same order of elements.
static Dataset
sameElements(const Dataset &input, StringRef op,
             std::function<SmallVector<Value>(GraphImpl &)> operands,
             bool reshuffles = true) {
  return makeDataset(
      [input = input.node, op, operands, reshuffles](GraphImpl &data) {
        DatasetWithComponentNames built = input->build(data);
        if (!built.value)
          return built;
        SmallVector<Value> all{built.value};
        llvm::append_range(all, operands(data));
        SmallVector<NamedAttribute> attributes;
        if (!reshuffles)
          attributes.push_back(data.builder.getNamedAttr(
              "reshuffle_each_iteration", data.builder.getBoolAttr(false)));
        built.value =
            addDataset(data, op, all, componentsOf(built.value), attributes);
        return built;
      });
}

static SmallVector<Value> number(GraphImpl &data, int64_t value) {
  return {data.ints(value, /*isScalar=*/true, /*is64Bits=*/true)};
}

//===----------------------------------------------------------------------===//
// Datasets in memory
//===----------------------------------------------------------------------===//

static Type sliceOf(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return RankedTensorType::get(type.getShape().drop_front(),
                               type.getElementType());
}

Dataset Dataset::slices(std::vector<Column> columns) {
  return makeDataset([columns = std::move(columns)](GraphImpl &data) {
    DatasetWithComponentNames built;
    SmallVector<Value> tensors;
    SmallVector<Type> components;
    for (const Column &column : columns) {
      const Shape &shape = column.values.shape();
      const Shape &first = columns.front().values.shape();
      if (shape.empty() || shape[0] != first[0]) {
        data.error(
            column.name,
            shape.empty()
                ? llvm::Twine("cannot slice a scalar: the first dimension "
                              "must be the number of examples")
                : "has " + llvm::Twine(shape[0]) + " examples, but '" +
                      columns.front().name + "' has " + llvm::Twine(first[0]) +
                      ": all columns must have the same number");
        return DatasetWithComponentNames();
      }
      ElementsAttr value = data.elements(column.values, column.name);
      if (!value)
        return DatasetWithComponentNames();
      tensors.push_back(data.constant(value));
      components.push_back(sliceOf(tensors.back()));
      built.names.push_back(column.name);
    }
    built.value = addDataset(data, "tensor_slice_dataset", tensors, components);
    return built;
  });
}

//===----------------------------------------------------------------------===//
// Datasets that change the order or number of another dataset's elements
//===----------------------------------------------------------------------===//

Dataset Dataset::shuffle(int64_t buffer, int64_t seed, int64_t graphSeed,
                         bool reshuffleEachIteration) const {
  return sameElements(
      *this, "shuffle_dataset",
      [=](GraphImpl &data) {
        // If both seeds are zero, TensorFlow's shuffle op would choose random
        // seeds. In that case, replace the second seed by INT32_MAX, so that
        // the order of elements is the same in each run.
        int64_t second = graphSeed || seed ? seed : INT32_MAX;
        SmallVector<Value> operands = number(data, buffer);
        llvm::append_range(operands, number(data, graphSeed));
        llvm::append_range(operands, number(data, second));
        return operands;
      },
      reshuffleEachIteration);
}

Dataset Dataset::repeat(int64_t count) const {
  return sameElements(*this, "repeat_dataset",
                      [=](GraphImpl &data) { return number(data, count); });
}

Dataset Dataset::take(int64_t count) const {
  return sameElements(*this, "take_dataset",
                      [=](GraphImpl &data) { return number(data, count); });
}

Dataset Dataset::skip(int64_t count) const {
  return sameElements(*this, "skip_dataset",
                      [=](GraphImpl &data) { return number(data, count); });
}

Dataset Dataset::prefetch(int64_t elements) const {
  return sameElements(*this, "prefetch_dataset",
                      [=](GraphImpl &data) { return number(data, elements); });
}

Dataset Dataset::shard(int64_t count, int64_t index) const {
  return sameElements(*this, "shard_dataset", [=](GraphImpl &data) {
    SmallVector<Value> operands = number(data, count);
    llvm::append_range(operands, number(data, index));
    return operands;
  });
}

Dataset Dataset::cache() const {
  return sameElements(*this, "cache_dataset", [](GraphImpl &data) {
    return SmallVector<Value>{data.string("")};
  });
}

Dataset Dataset::batch(int64_t size, bool dropRemainder) const {
  return makeDataset([=, input = node](GraphImpl &data) {
    DatasetWithComponentNames built = input->build(data);
    if (!built.value)
      return built;
    if (size < 1) {
      data.error("batch",
                 "batch size must be positive, got " + llvm::Twine(size));
      return DatasetWithComponentNames();
    }
    SmallVector<Type> components;
    for (Type type : componentsOf(built.value)) {
      auto tensor = cast<RankedTensorType>(type);
      SmallVector<int64_t> shape{dropRemainder ? size : ShapedType::kDynamic};
      llvm::append_range(shape, tensor.getShape());
      components.push_back(
          RankedTensorType::get(shape, tensor.getElementType()));
    }
    SmallVector<Value> operands{built.value};
    llvm::append_range(operands, number(data, size));
    operands.push_back(data.boolean(dropRemainder));
    built.value = addDataset(data, "batch_dataset", operands, components);
    return built;
  });
}

Dataset Dataset::unbatch() const {
  return makeDataset([input = node](GraphImpl &data) {
    DatasetWithComponentNames built = input->build(data);
    if (!built.value)
      return built;
    SmallVector<Type> components;
    for (auto [index, type] : llvm::enumerate(componentsOf(built.value))) {
      auto tensor = cast<RankedTensorType>(type);
      if (tensor.getRank() == 0) {
        data.error("unbatch",
                   "component '" + built.names[index] +
                       "' is a scalar, so it has no batch dimension");
        return DatasetWithComponentNames();
      }
      components.push_back(RankedTensorType::get(tensor.getShape().drop_front(),
                                                 tensor.getElementType()));
    }
    built.value = addDataset(data, "unbatch_dataset", built.value, components);
    return built;
  });
}

Dataset Dataset::concatenate(const Dataset &other) const {
  return makeDataset([first = node, second = other.node](GraphImpl &data) {
    DatasetWithComponentNames built = first->build(data),
                              next = second->build(data);
    if (!built.value || !next.value)
      return DatasetWithComponentNames();
    if (built.names != next.names) {
      data.error("concatenate", "the datasets have different components: ('" +
                                    llvm::join(built.names, "', '") +
                                    "') and ('" +
                                    llvm::join(next.names, "', '") + "')");
      return DatasetWithComponentNames();
    }
    if (!areCompatibleTypeLists(TypeRange(componentsOf(built.value)),
                                TypeRange(componentsOf(next.value)))) {
      std::string text = "the datasets have components of different types: (";
      llvm::raw_string_ostream out(text);
      llvm::interleaveComma(componentsOf(built.value), out);
      out << ") and (";
      llvm::interleaveComma(componentsOf(next.value), out);
      out << ")";
      data.error("concatenate", text);
      return DatasetWithComponentNames();
    }
    built.value =
        addDataset(data, "concatenate_dataset", {built.value, next.value},
                   componentsOf(built.value));
    return built;
  });
}

//===----------------------------------------------------------------------===//
// Datasets that call a function for each element
//===----------------------------------------------------------------------===//

FlatSymbolRefAttr
addFunction(GraphImpl &data, StringRef name,
            const DatasetWithComponentNames &input,
            llvm::function_ref<SmallVector<Value>(const Element &)> fill,
            SmallVectorImpl<Type> &results) {
  OpBuilder::InsertionGuard guard(data.builder);
  data.builder.setInsertionPointToEnd(data.module->getBody());
  ArrayRef<Type> inputs = componentsOf(input.value);
  std::string symbol = data.uniqueSymbol(name);
  auto function =
      func::FuncOp::create(data.builder, data.newLocation(name), symbol,
                           FunctionType::get(&data.context, inputs, {}));
  function.setPrivate();
  Block *block = function.addEntryBlock();
  data.builder.setInsertionPointToEnd(block);
  std::vector<Tensor> arguments;
  for (Value argument : block->getArguments())
    arguments.push_back(wrap(data, argument));
  SmallVector<Value> values =
      fill(Element(&data, input.names, std::move(arguments)));
  for (Value value : values)
    results.push_back(value.getType());
  func::ReturnOp::create(data.builder, function.getLoc(), values);
  function.setFunctionType(FunctionType::get(&data.context, inputs, results));
  return FlatSymbolRefAttr::get(function);
}

Dataset Dataset::map(std::function<Element(const Element &)> function,
                     int64_t parallel) const {
  return makeDataset([=, input = node](GraphImpl &data) {
    DatasetWithComponentNames built = input->build(data);
    if (!built.value)
      return built;
    std::vector<std::string> names;
    SmallVector<Type> types;
    bool ok = true;
    FlatSymbolRefAttr symbol = addFunction(
        data, "map", built,
        [&](const Element &element) {
          Element result = function(element);
          names = result.names();
          auto values = unwrap(ArrayRef<Tensor>(result.tensors()));
          ok = values && !values->empty();
          return ok ? *values : SmallVector<Value>();
        },
        types);
    if (!ok) {
      if (data.errors.empty())
        data.error("map",
                   "the function returned no tensors, expected at least one");
      return DatasetWithComponentNames();
    }
    SmallVector<Value> operands{built.value};
    if (parallel > 1)
      llvm::append_range(operands, number(data, parallel));
    Value value = addDataset(
        data, parallel > 1 ? "parallel_map_dataset" : "map_dataset", operands,
        types, data.builder.getNamedAttr("function", symbol));
    return DatasetWithComponentNames{value, names};
  });
}

Dataset Dataset::filter(std::function<Tensor(const Element &)> function) const {
  return makeDataset([=, input = node](GraphImpl &data) {
    DatasetWithComponentNames built = input->build(data);
    if (!built.value)
      return built;
    SmallVector<Type> types;
    FlatSymbolRefAttr symbol = addFunction(
        data, "filter", built,
        [&](const Element &element) {
          Tensor keep = function(element);
          return keep ? SmallVector<Value>{unwrap(keep)} : SmallVector<Value>();
        },
        types);
    if (types.empty()) {
      if (data.errors.empty())
        data.error("filter", "the function returned no tensor, expected a bool "
                             "that says whether to keep the element");
      return DatasetWithComponentNames();
    }
    built.value = addDataset(data, "filter_dataset", built.value,
                             componentsOf(built.value),
                             data.builder.getNamedAttr("function", symbol));
    return built;
  });
}

//===----------------------------------------------------------------------===//
// Member functions of Element and Iterator
//===----------------------------------------------------------------------===//

bool Element::has(std::string_view name) const {
  return llvm::is_contained(keys, name);
}

void Element::set(std::string name, Tensor tensor) {
  if (!graphData)
    graphData = tensor.data();
  auto it = llvm::find(keys, name);
  if (it != keys.end()) {
    parts[it - keys.begin()] = tensor;
    return;
  }
  keys.push_back(std::move(name));
  parts.push_back(tensor);
}

Tensor Element::operator[](std::string_view name) const {
  auto it = llvm::find(keys, name);
  if (it != keys.end())
    return parts[it - keys.begin()];
  if (graphData)
    graphData->error(StringRef(name), "no such component; the input has '" +
                                          llvm::join(keys, "', '") + "'");
  return {};
}

Tensor Element::operator[](size_t index) const {
  if (index < parts.size())
    return parts[index];
  if (graphData)
    graphData->error("", "component index " + llvm::Twine(index) +
                             " is out of range: the input has " +
                             llvm::Twine(parts.size()) + " components");
  return {};
}

Iterator Graph::iterator(const Dataset &dataset, std::string name, bool saved) {
  GraphImpl &data = *graphData;
  if (data.finished) {
    data.error(name, "cannot add an iterator to a finished graph");
    return {};
  }
  OpBuilder::InsertionGuard guard(data.builder);
  data.builder.setInsertionPointToEnd(data.module->getBody());
  std::string scope = std::exchange(data.scope, name + "/");
  std::string symbol = data.uniqueSymbol(name);
  OperationState state(NameLoc::get(data.builder.getStringAttr(name)),
                       "ingot.iterator");
  state.addAttribute("sym_name", data.builder.getStringAttr(symbol));
  state.addAttribute("components", data.builder.getTypeArrayAttr({}));
  state.addRegion()->emplaceBlock();
  Operation *op = data.builder.create(state);
  setUserName(op, name);
  data.builder.setInsertionPointToEnd(&op->getRegion(0).front());
  DatasetWithComponentNames built = dataset.node->build(data);
  data.scope = std::move(scope);
  if (!built.value) {
    op->erase();
    return {};
  }
  OperationState yield(op->getLoc(), "ingot.yield");
  yield.addOperands(built.value);
  data.builder.create(yield);
  op->setAttr("components",
              data.builder.getTypeArrayAttr(componentsOf(built.value)));
  data.iterators.push_back({name, symbol, saved, built.names, op});
  return Iterator(&data, data.iterators.size() - 1);
}

const std::string &Iterator::name() const {
  static const std::string none;
  return graphData ? graphData->iterators[index].name : none;
}

std::vector<TensorSpec> Iterator::components() const {
  std::vector<TensorSpec> specs;
  if (!graphData)
    return specs;
  const GraphImpl::IteratorImpl &iterator = graphData->iterators[index];
  auto types = iterator.op->getAttrOfType<ArrayAttr>("components");
  for (auto [name, type] : llvm::zip(iterator.components, types)) {
    auto tensor =
        mlir::cast<RankedTensorType>(mlir::cast<TypeAttr>(type).getValue());
    specs.push_back({name, dtypeOf(tensor.getElementType()), shapeOf(tensor)});
  }
  return specs;
}

Element Iterator::next() const {
  if (!graphData)
    return {};
  const GraphImpl::IteratorImpl &iterator = graphData->iterators[index];
  SmallVector<Type> types;
  for (mlir::Attribute type :
       iterator.op->getAttrOfType<ArrayAttr>("components"))
    types.push_back(cast<TypeAttr>(type).getValue());
  Operation *op = graphData->create(
      "iterator_next", {},
      graphData->builder.getNamedAttr(
          "iterator",
          FlatSymbolRefAttr::get(&graphData->context, iterator.symbol)),
      types);
  std::vector<Tensor> tensors;
  for (size_t part = 0; part < types.size(); ++part)
    tensors.push_back(op ? wrap(*graphData, op->getResult(part)) : Tensor());
  return Element(graphData, iterator.components, std::move(tensors));
}

} // namespace ingot::graph
