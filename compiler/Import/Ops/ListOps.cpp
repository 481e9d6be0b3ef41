//===- ListOps.cpp - TensorLists and optionals ----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ListOps.h"

#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Graph/ListElementTypes.h"
#include "compiler/Import/Ops/OneToOneOpSpec.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

using Named = SmallVector<NamedAttribute>;

static void finish(NodeImport &node, Operation *op) {
  if (op)
    for (auto [port, result] : llvm::enumerate(op->getResults()))
      node.setOutput(port, result);
}

template <typename OpT>
static void make(NodeImport &node, ValueRange operands,
                 ArrayRef<NamedAttribute> attributes = {}) {
  if (!node.hasFailed() && node.attributes.error().empty())
    finish(node, node.create<OpT>(operands, attributes));
}

static Value constant(NodeImport &node, DenseElementsAttr value) {
  return createConstant(node.body.builder, node.loc, value);
}

/// Returns an element shape that leaves even the rank unknown: the scalar -1.
static Value unknownShape(NodeImport &node) {
  return constant(node,
                  DenseElementsAttr::get(
                      RankedTensorType::get({}, node.body.builder.getI32Type()),
                      int32_t(-1)));
}

/// Returns the element type that a node states by its attribute
/// `element_dtype`. The node reads elements of the list `operands[0]`. The node
/// declares ragged tensors as scalar variants, but the list holds them as
/// vectors of strings. So for such elements, returns the type of strings, and
/// replaces the operand with the element's shape, `operands[shape]`, by an
/// unknown shape. Returns null after a problem.
static Type elementTypeOf(NodeImport &node, SmallVectorImpl<Value> &operands,
                          std::optional<unsigned> shape) {
  Type element = elementTypeOf(node, "element_dtype");
  if (!shape || operands.size() <= *shape ||
      !isa_and_nonnull<VariantType>(element))
    return element;
  Type list = operands[0].getType(), string = StringType::get(node.context());
  if (!getItemType(list, string) || getItemType(list, element))
    return element;
  operands[*shape] = unknownShape(node);
  return string;
}

/// Imports a TensorList op as the ingot op `OpT`. The node's `inputs` inputs
/// become the operands, and its `element_dtype` becomes an attribute. If the op
/// reads elements, the operand with index `shape` is their shape.
template <typename OpT, unsigned inputs, int shape = -1>
static void importTyped(NodeImport &node) {
  if (!node.expectInputs(inputs))
    return;
  SmallVector<Value> operands = node.tensors(0, inputs);
  if (node.hasFailed())
    return;
  if (Type element = elementTypeOf(node, operands,
                                   shape < 0 ? std::nullopt
                                             : std::optional<unsigned>(shape)))
    make<OpT>(node, operands,
              {node.named("element_type", TypeAttr::get(element))});
}

/// Imports TensorListFromTensor. If the rows are serialized ragged tensors, the
/// node declares them as scalar variants, although they are vectors of strings.
/// The declared element shape is then ignored.
static void importFromTensor(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  SmallVector<Value> operands = node.tensors(0, 2);
  if (node.hasFailed())
    return;
  if (node.attributes.getType("element_dtype", proto::DT_INVALID) ==
          proto::DT_VARIANT &&
      isa<StringType>(getElementTypeOrSelf(operands[0])))
    operands[1] = unknownShape(node);
  make<TensorListFromTensorOp>(node, operands);
}

/// Imports a TensorList op as the ingot op `OpT`. The node's `inputs` inputs
/// become the operands. The node's attributes do not matter.
template <typename OpT, unsigned inputs>
static void importPlain(NodeImport &node) {
  if (node.expectInputs(inputs))
    make<OpT>(node, node.tensors(0, inputs));
}

static void importSetItem(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  bool resize = node.attributes.getBool("resize_if_index_out_of_bounds", false);
  make<TensorListSetItemOp>(
      node, node.tensors(0, 3),
      {node.named("resize", node.body.builder.getBoolAttr(resize))});
}

static void importStack(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  int64_t count = node.attributes.getInt("num_elements", -1);
  SmallVector<Value> operands = node.tensors(0, 2);
  if (node.hasFailed())
    return;
  if (Type element = elementTypeOf(node, operands, 1))
    make<TensorListStackOp>(
        node, operands,
        {node.named("element_type", TypeAttr::get(element)),
         node.named("num_elements",
                    node.body.builder.getI64IntegerAttr(count))});
}

/// Imports EmptyTensorList and TensorListReserve. Elements that are variants
/// may turn out to be serialized ragged tensors, whose shape is not the
/// declared one.
template <typename OpT> static void importNew(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  SmallVector<Value> operands = node.tensors(0, 2);
  Type element = elementTypeOf(node, "element_dtype");
  if (node.hasFailed() || !element)
    return;
  if (isa<VariantType>(element))
    operands[0] = unknownShape(node);
  make<OpT>(node, operands,
            {node.named("element_type", TypeAttr::get(element))});
}

/// Returns whether the node declares that elements are scalars.
static bool saysScalar(NodeImport &node) {
  const proto::AttrValue::ListValue *shapes =
      node.attributes.getList("_output_shapes");
  return shapes && shapes->shape_size() == 1 &&
         shapes->shape(0).dim_size() == 1 &&
         shapes->shape(0).dim(0).size() == 0;
}

static void importElementShape(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  Value list = node.tensor(0);
  Type type = elementTypeOf(node, "shape_type");
  if (!list || !type)
    return;
  // Serialized ragged tensors are vectors of strings, but TensorFlow declares
  // them as scalar variants. The nodes that use this shape expect the shape of
  // a scalar, so return that.
  if (saysScalar(node) &&
      getItemType(list.getType(), StringType::get(node.context())))
    return node.setOutput(
        0,
        constant(node, DenseElementsAttr::get(RankedTensorType::get({0}, type),
                                              ArrayRef<Attribute>())));
  make<TensorListElementShapeOp>(
      node, node.tensors(0, 1),
      {node.named("shape_type", TypeAttr::get(type))});
}

static void importScatter(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  SmallVector<Value> operands = node.tensors(0, 3);
  operands.push_back(unknownShape(node));
  make<TensorListScatterOp>(node, operands);
}

/// Imports TensorListConcat. The first version of the op has the element shape
/// as an attribute, which becomes an operand.
static void importConcat(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  Type element = elementTypeOf(node, "element_dtype");
  SmallVector<Value> operands = node.tensors(0, 1);
  if (!element || node.hasFailed())
    return;
  const proto::TensorShapeProto *shape =
      node.attributes.getShape("element_shape");
  Type i64 = node.body.builder.getI64Type();
  if (!shape || shape->unknown_rank()) {
    operands.push_back(
        constant(node, DenseElementsAttr::get(RankedTensorType::get({}, i64),
                                              int64_t(-1))));
  } else {
    SmallVector<int64_t> dims;
    for (const proto::TensorShapeProto::Dim &dim : shape->dim())
      dims.push_back(dim.size());
    operands.push_back(constant(
        node,
        DenseElementsAttr::get(
            RankedTensorType::get({static_cast<int64_t>(dims.size())}, i64),
            ArrayRef<int64_t>(dims))));
  }
  operands.push_back(
      constant(node, DenseElementsAttr::get(RankedTensorType::get({0}, i64),
                                            ArrayRef<int64_t>())));
  make<TensorListConcatOp>(
      node, operands, {node.named("element_type", TypeAttr::get(element))});
}

static void importFromValue(NodeImport &node) {
  make<OptionalFromValueOp>(node, node.tensors(0, node.numInputs()));
}

static void importGetValue(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  Value optional = node.tensor(0);
  if (!optional)
    return;
  const proto::AttrValue::ListValue *shapes =
      node.attributes.getList("output_shapes");
  std::vector<proto::DataType> dtypes =
      node.attributes.getTypes("output_types");
  SmallVector<Type> elements;
  for (proto::DataType dtype : dtypes) {
    elements.push_back(toElementType(node, dtype));
    if (!elements.back())
      return;
  }
  Builder &builder = node.body.builder;
  for (auto [i, element] : llvm::enumerate(elements)) {
    SmallVector<NamedAttribute> attributes = {
        node.named("index", builder.getI64IntegerAttr(i)),
        node.named("element_type", TypeAttr::get(element))};
    if (elements.size() > 1)
      attributes.push_back(
          node.named("component_types", builder.getTypeArrayAttr(elements)));
    Operation *op = node.create<OptionalGetValueOp>(optional, attributes);
    if (!op)
      return;
    Value result = op->getResult(0);
    // Refine the inferred type of the result by the shape that the node
    // declares, which may be more precise.
    if (std::string error; shapes &&
                           i < static_cast<size_t>(shapes->shape_size()) &&
                           !isa<VariantType>(element))
      if (TensorType said = convertTensorType(dtypes[i], &shapes->shape(i),
                                              node.context(), error))
        result.setType(refineType(cast<TensorType>(result.getType()), said));
    node.setOutput(i, result);
  }
}

/// Returns whether input 0, which is declared as a variant, is a serialized
/// ragged tensor.
static bool isOfRagged(NodeImport &node) {
  Value input = node.numInputs() > 0 ? node.tensor(0) : Value();
  return input && isa<StringType>(getElementTypeOrSelf(input));
}

static bool isOfVariants(NodeImport &node) {
  return node.attributes.getType("T", proto::DT_INVALID) == proto::DT_VARIANT;
}

static void importAddN(NodeImport &node) {
  if (!isOfVariants(node))
    return importCompute(node);
  if (!node.expectAtLeastInputs(1))
    return;
  if (isOfRagged(node))
    return node.unsupported("sums of ragged tensors; add their values");
  make<VariantAddOp>(node, node.tensors(0, node.numInputs()));
}

static void importZerosLike(NodeImport &node) {
  if (!isOfVariants(node))
    return importCompute(node);
  if (!isOfRagged(node))
    return importPlain<VariantZerosOp, 1>(node);
  // A ragged tensor is serialized as strings. If all of them are empty, they
  // stand for zeros.
  auto type = dyn_cast<RankedTensorType>(node.tensor(0).getType());
  if (!type || !type.hasStaticShape())
    return node.unsupported("zeros of any number of ragged tensors");
  node.setOutput(0, createConstant(node.body.builder, node.loc,
                                   DenseStringElementsAttr::get(
                                       type, ArrayRef<StringRef>(""))));
}

void addListOps(OpTable &table) {
  auto add = [&](StringRef op, void (*import)(NodeImport &)) -> OpTableRow & {
    return table[op] = {Effect::Pure, import};
  };
  add("EmptyTensorList", importNew<TensorListEmptyOp>);
  add("TensorListReserve", importNew<TensorListReserveOp>);
  add("TensorListPushBack", importPlain<TensorListPushBackOp, 2>);
  add("TensorListPopBack", importTyped<TensorListPopBackOp, 2, 1>).outputs = {
      "output_handle", "tensor"};
  add("TensorListGetItem", importTyped<TensorListGetItemOp, 3, 2>);
  add("TensorListSetItem", importSetItem);
  add("TensorListStack", importStack);
  add("TensorListFromTensor", importFromTensor);
  add("TensorListLength", importPlain<TensorListLengthOp, 1>);
  add("TensorListElementShape", importElementShape);
  add("TensorListResize", importPlain<TensorListResizeOp, 2>);
  add("TensorListGather", importTyped<TensorListGatherOp, 3, 2>);
  add("TensorListScatter", importScatter);
  add("TensorListScatterV2", importPlain<TensorListScatterOp, 4>);
  add("TensorListScatterIntoExistingList",
      importPlain<TensorListScatterIntoOp, 3>);
  add("TensorListSplit", importPlain<TensorListSplitOp, 3>);
  add("TensorListConcat", importConcat);
  add("TensorListConcatV2", importTyped<TensorListConcatOp, 3>);
  for (StringRef op : {"TensorListConcat", "TensorListConcatV2"})
    table[op].outputs = {"tensor", "lengths"};
  add("TensorListPushBackBatch", importPlain<TensorListPushBackBatchOp, 2>);
  add("TensorListConcatLists", importTyped<TensorListConcatListsOp, 2>);
  add("OptionalFromValue", importFromValue);
  add("OptionalNone", importPlain<OptionalNoneOp, 0>);
  add("OptionalHasValue", importPlain<OptionalHasValueOp, 1>);
  add("OptionalGetValue", importGetValue);
  // AddN and ZerosLike already have rows that import them for tensors only
  // (OneToOneOps.cpp). Set import functions that also import them for variants.
  table["AddN"].import = importAddN;
  table["ZerosLike"].import = importZerosLike;
}

} // namespace ingot::importer
