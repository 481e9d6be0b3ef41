//===- InputOps.cpp - Iterators, datasets, parsing of Examples ------------===//

#include "compiler/Import/Body.h"
#include "compiler/Import/Program.h"
#include "compiler/Import/Types.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// The types that a node declares for an element of a dataset or iterator;
// false, with the problem recorded, where they make no sense.
static bool declaredComponents(NodeImport &node, StringRef typesName,
                               SmallVectorImpl<Type> &types) {
  std::vector<proto::DataType> dtypes = node.attributes.getTypes(typesName);
  const proto::AttrValue::ListValue *shapes =
      node.attributes.getList("output_shapes");
  if (shapes && shapes->shape_size() != static_cast<int>(dtypes.size())) {
    node.malformed("declares " + llvm::Twine(dtypes.size()) + " types and " +
                   llvm::Twine(shapes->shape_size()) + " shapes");
    return false;
  }
  for (auto [index, dtype] : llvm::enumerate(dtypes)) {
    std::string error;
    Type type = convertTensorType(
        dtype, shapes ? &shapes->shape(index) : nullptr, node.context(), error);
    if (!type) {
      node.unsupported(error);
      return false;
    }
    types.push_back(type);
  }
  return true;
}

// The iterator whose handle an input is; null where there is a problem.
static IteratorOp iteratorOf(NodeImport &node, size_t input) {
  Handle handle = node.handle(input);
  // Of an iterator made otherwise, that op is the problem.
  if (!findOp(handle.op())) {
    node.body.problems.unsupported(handle.op(), handle.name());
    node.fail();
    return {};
  }
  if (handle.op() != "IteratorV2") {
    node.malformed("input " + llvm::Twine(input) + ", '" + handle.name() +
                   "' (" + handle.op() + "), is not an iterator");
    return {};
  }
  IteratorOp iterator = node.body.program.iterator(handle, node.body.problems);
  if (!iterator)
    node.fail();
  return iterator;
}

static void importHandle(NodeImport &) {}

static void importGetNext(NodeImport &node) {
  SmallVector<Type> declared;
  if (!node.expectInputs(1) ||
      !declaredComponents(node, "output_types", declared))
    return;
  IteratorOp iterator = iteratorOf(node, 0);
  if (!iterator)
    return;
  ArrayAttr components = iterator.getComponents();
  if (components.size() != declared.size())
    return node.malformed("takes " + llvm::Twine(declared.size()) +
                          " tensors from an iterator that gives " +
                          llvm::Twine(components.size()));
  for (auto [type, component] : llvm::zip(declared, components)) {
    auto given = cast<TensorType>(cast<TypeAttr>(component).getValue());
    auto taken = cast<TensorType>(type);
    if (given.getElementType() != taken.getElementType() ||
        failed(verifyCompatibleShape(given, taken)))
      return node.malformed("takes " + describeType(taken) +
                            " from an iterator that gives " +
                            describeType(given));
    type = refineType(taken, given);
  }
  auto op = IteratorNextOp::create(node.body.builder, node.loc, declared,
                                   iterator.getSymName());
  for (auto [port, result] : llvm::enumerate(op.getResults()))
    node.setOutput(port, result);
}

static void importMakeIterator(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  if (IteratorOp iterator = iteratorOf(node, 1))
    IteratorMakeOp::create(node.body.builder, node.loc, iterator.getSymName());
}

// Creates a dataset op whose element has these types.
static Operation *createDataset(NodeImport &node, StringRef opName,
                                ValueRange operands, ArrayRef<Type> components,
                                ArrayRef<NamedAttribute> attributes = {}) {
  OperationState state(node.loc, opName);
  state.addOperands(operands);
  state.addTypes(DatasetType::get(node.context(), components));
  if (!attributes.empty())
    state.propertiesAttr = DictionaryAttr::get(node.context(), attributes);
  Operation *op = node.verified(node.body.builder.create(state));
  if (op)
    node.setOutput(0, op->getResult(0));
  return op;
}

static ArrayRef<Type> componentsOf(Value dataset) {
  return cast<DatasetType>(dataset.getType()).getComponents();
}

// What is known of a result's components from its inputs and from what the
// node declares.
static void refineComponents(SmallVectorImpl<Type> &declared,
                             ArrayRef<Type> computed) {
  if (declared.size() != computed.size())
    return;
  for (auto [type, other] : llvm::zip(declared, computed))
    type = refineType(cast<TensorType>(type), cast<TensorType>(other));
}

// Sources: tensors in, elements out.
template <typename OpT> static void importTensors(NodeImport &node) {
  SmallVector<Type> components;
  if (!node.expectAtLeastInputs(1) ||
      !declaredComponents(node, "Toutput_types", components))
    return;
  SmallVector<Value> tensors = node.tensors(0, node.numInputs());
  if (node.hasFailed())
    return;
  if (components.size() != tensors.size())
    return node.malformed("declares " + llvm::Twine(components.size()) +
                          " types for " + llvm::Twine(tensors.size()) +
                          " tensors");
  if (std::is_same_v<OpT, TensorDatasetOp>)
    refineComponents(components,
                     SmallVector<Type>(ValueRange(tensors).getTypes()));
  createDataset(node, OpT::getOperationName(), tensors, components);
}

static void importTFRecord(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  SmallVector<Value> tensors = node.tensors(0, 3);
  if (node.hasFailed())
    return;
  Type record = RankedTensorType::get({}, StringType::get(node.context()));
  createDataset(node, TFRecordDatasetOp::getOperationName(), tensors, record);
}

static void importRange(NodeImport &node) {
  SmallVector<Type> components;
  if (!node.expectInputs(3) ||
      !declaredComponents(node, "output_types", components))
    return;
  SmallVector<Value> tensors = node.tensors(0, 3);
  if (!node.hasFailed())
    createDataset(node, RangeDatasetOp::getOperationName(), tensors,
                  components);
}

// One dataset and some numbers in, a dataset out. Elements that stay as they
// are have the input's types, whatever the node declares of them.
template <typename OpT, unsigned NumTensors, bool SameElements>
static void importTransformation(NodeImport &node) {
  SmallVector<Type> components;
  if (!node.expectInputs(1 + NumTensors) ||
      !declaredComponents(node, "output_types", components))
    return;
  SmallVector<Value> operands = {node.dataset(0)};
  if (!operands[0])
    return;
  llvm::append_range(operands, node.tensors(1, 1 + NumTensors));
  if (node.hasFailed())
    return;
  if (SameElements)
    components.assign(componentsOf(operands[0]).begin(),
                      componentsOf(operands[0]).end());
  SmallVector<NamedAttribute> attributes;
  if (std::is_same_v<OpT, ShuffleDatasetOp>)
    attributes.push_back(
        node.named("reshuffle_each_iteration",
                   node.body.builder.getBoolAttr(node.attributes.getBool(
                       "reshuffle_each_iteration", true))));
  createDataset(node, OpT::getOperationName(), operands, components,
                attributes);
}

// The function of a map; false where there is a problem, among them tensors
// that it takes from outside.
static const proto::NameAttrList *functionOf(NodeImport &node,
                                             size_t numInputs) {
  if (node.numInputs() > numInputs ||
      !node.attributes.getTypes("Targuments").empty()) {
    node.unsupported("its function uses tensors from outside");
    return nullptr;
  }
  if (!node.expectInputs(numInputs))
    return nullptr;
  const proto::NameAttrList *function = node.attributes.getFunction("f");
  if (!function)
    node.malformed("attribute 'f' is missing");
  return function;
}

template <typename OpT, unsigned NumTensors>
static void importMap(NodeImport &node) {
  SmallVector<Type> components;
  const proto::NameAttrList *name = functionOf(node, 1 + NumTensors);
  if (!name || !declaredComponents(node, "output_types", components))
    return;
  SmallVector<Value> operands = {node.dataset(0)};
  if (!operands[0])
    return;
  llvm::append_range(operands, node.tensors(1, 1 + NumTensors));
  if (node.hasFailed())
    return;
  func::FuncOp function = node.body.program.function(
      name->name(), componentsOf(operands[0]), node.body.problems);
  if (!function)
    return node.fail();
  if (llvm::all_of(function.getResultTypes(), llvm::IsaPred<TensorType>))
    refineComponents(components, function.getResultTypes());
  createDataset(
      node, OpT::getOperationName(), operands, components,
      node.named("function", FlatSymbolRefAttr::get(node.context(),
                                                    function.getSymName())));
}

static void importFlatMap(NodeImport &node) {
  SmallVector<Type> components;
  const proto::NameAttrList *name = functionOf(node, 1);
  if (!name || !declaredComponents(node, "output_types", components))
    return;
  Value input = node.dataset(0);
  if (!input)
    return;
  auto region = std::make_unique<Region>();
  Block &block = region->emplaceBlock();
  for (Type component : componentsOf(input))
    block.addArgument(component, node.loc);
  Value dataset =
      node.body.program.inlineFunction(name->name(), block, node.body.problems);
  if (!dataset)
    return node.fail();
  OpBuilder builder(node.context());
  builder.setInsertionPointToEnd(&block);
  YieldOp::create(builder, node.loc, dataset);
  Body::eraseDead(block);
  refineComponents(components, componentsOf(dataset));

  OperationState state(node.loc, FlatMapDatasetOp::getOperationName());
  state.addOperands(input);
  state.addTypes(DatasetType::get(node.context(), components));
  state.addRegion(std::move(region));
  if (Operation *op = node.verified(node.body.builder.create(state)))
    node.setOutput(0, op->getResult(0));
}

// What TensorFlow wraps around a pipeline to tune it; the elements and their
// order stay.
static void importTransparent(NodeImport &node) {
  if (!node.expectAtLeastInputs(1))
    return;
  if (Value input = node.dataset(0))
    node.setOutput(0, input);
}

static void importParseExample(NodeImport &node) {
  std::vector<proto::DataType> types = node.attributes.getTypes("Tdense");
  const proto::AttrValue::ListValue *shapes =
      node.attributes.getList("dense_shapes");
  if (node.attributes.getInt("num_sparse", 0) != 0 ||
      !node.attributes.getTypes("ragged_value_types").empty())
    return node.unsupported("sparse or ragged features");
  if (!node.expectInputs(5 + types.size()))
    return;
  if (!shapes || shapes->shape_size() != static_cast<int>(types.size()))
    return node.malformed("not as many dense shapes as types");
  std::optional<std::vector<std::string>> keys =
      node.body.graph.constantStrings(node.node.inputs[3]);
  if (!keys)
    return node.unsupported("its keys are not constant");
  if (keys->size() != types.size())
    return node.malformed("has " + llvm::Twine(keys->size()) + " keys for " +
                          llvm::Twine(types.size()) + " features");
  SmallVector<Value> operands = {node.tensor(0)};
  llvm::append_range(operands, node.tensors(5, node.numInputs()));
  if (node.hasFailed())
    return;

  auto serialized = cast<TensorType>(operands[0].getType());
  SmallVector<Type> results;
  SmallVector<Attribute> denseShapes, keyAttrs;
  Builder builder(node.context());
  for (auto [index, dtype] : llvm::enumerate(types)) {
    std::string error;
    TensorType type =
        convertTensorType(dtype, &shapes->shape(index), node.context(), error);
    if (!type)
      return node.unsupported(error);
    if (!type.hasStaticShape())
      return node.unsupported("a feature of variable length");
    denseShapes.push_back(builder.getDenseI64ArrayAttr(type.getShape()));
    keyAttrs.push_back(builder.getStringAttr((*keys)[index]));
    if (!serialized.hasRank()) {
      results.push_back(UnrankedTensorType::get(type.getElementType()));
      continue;
    }
    SmallVector<int64_t> shape(serialized.getShape());
    llvm::append_range(shape, type.getShape());
    results.push_back(RankedTensorType::get(shape, type.getElementType()));
  }
  Operation *op = node.verified(ParseExampleOp::create(
      node.body.builder, node.loc, results, operands[0],
      ArrayRef(operands).drop_front(), builder.getArrayAttr(keyAttrs),
      builder.getArrayAttr(denseShapes)));
  if (!op)
    return;
  for (auto [port, result] : llvm::enumerate(op->getResults()))
    node.setOutput(port, result);
}

void addInputOps(OpTable &table) {
  auto add = [&](StringRef op, Effect effect, void (*import)(NodeImport &)) {
    table[op] = {effect, import};
  };
  add("IteratorV2", Effect::Pure, importHandle);
  add("IteratorGetNext", Effect::Consumes, importGetNext);
  add("MakeIterator", Effect::Writes, importMakeIterator);
  add("TensorDataset", Effect::Pure, importTensors<TensorDatasetOp>);
  add("TensorSliceDataset", Effect::Pure, importTensors<TensorSliceDatasetOp>);
  add("TFRecordDataset", Effect::Pure, importTFRecord);
  add("RangeDataset", Effect::Pure, importRange);
  add("MapDataset", Effect::Pure, importMap<MapDatasetOp, 0>);
  add("ParallelMapDatasetV2", Effect::Pure, importMap<ParallelMapDatasetOp, 1>);
  add("FlatMapDataset", Effect::Pure, importFlatMap);
  add("ShuffleDataset", Effect::Pure,
      importTransformation<ShuffleDatasetOp, 3, true>);
  add("RepeatDataset", Effect::Pure,
      importTransformation<RepeatDatasetOp, 1, true>);
  add("TakeDataset", Effect::Pure,
      importTransformation<TakeDatasetOp, 1, true>);
  add("SkipDataset", Effect::Pure,
      importTransformation<SkipDatasetOp, 1, true>);
  add("PrefetchDataset", Effect::Pure,
      importTransformation<PrefetchDatasetOp, 1, true>);
  add("BatchDatasetV2", Effect::Pure,
      importTransformation<BatchDatasetOp, 2, false>);
  for (StringRef op : {"ModelDataset", "OptimizeDataset", "OptimizeDatasetV2",
                       "OptionsDataset"})
    add(op, Effect::Pure, importTransparent);
  add("ParseExampleV2", Effect::Pure, importParseExample);
}

} // namespace ingot::importer
