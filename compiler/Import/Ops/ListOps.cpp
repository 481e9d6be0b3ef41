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

/// Imports a TensorList op with `inputs` inputs, which become its operands, and
/// an attribute `element_dtype`.
template <typename OpT, unsigned inputs>
static void importTyped(NodeImport &node) {
  if (!node.expectInputs(inputs))
    return;
  if (Type element = elementTypeOf(node, "element_dtype"))
    make<OpT>(node, node.tensors(0, inputs),
              {node.named("element_type", TypeAttr::get(element))});
}

/// Imports a TensorList op with `inputs` inputs, which become its operands. The
/// node's attributes do not matter.
template <typename OpT, unsigned inputs>
static void importPlain(NodeImport &node) {
  if (node.expectInputs(inputs))
    make<OpT>(node, node.tensors(0, inputs));
}

static Value constant(NodeImport &node, DenseElementsAttr value) {
  return createConstant(node.body.builder, node.loc, value);
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
  if (Type element = elementTypeOf(node, "element_dtype"))
    make<TensorListStackOp>(
        node, node.tensors(0, 2),
        {node.named("element_type", TypeAttr::get(element)),
         node.named("num_elements",
                    node.body.builder.getI64IntegerAttr(count))});
}

static void importElementShape(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  if (Type type = elementTypeOf(node, "shape_type"))
    make<TensorListElementShapeOp>(
        node, node.tensors(0, 1),
        {node.named("shape_type", TypeAttr::get(type))});
}

static void importScatter(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  SmallVector<Value> operands = node.tensors(0, 3);
  operands.push_back(constant(
      node, DenseElementsAttr::get(
                RankedTensorType::get({}, node.body.builder.getI32Type()),
                int32_t(-1))));
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

static bool isOfVariants(NodeImport &node) {
  return node.attributes.getType("T", proto::DT_INVALID) == proto::DT_VARIANT;
}

static void importAddN(NodeImport &node) {
  if (!isOfVariants(node))
    return importCompute(node);
  if (node.expectAtLeastInputs(1))
    make<VariantAddOp>(node, node.tensors(0, node.numInputs()));
}

static void importZerosLike(NodeImport &node) {
  if (!isOfVariants(node))
    return importCompute(node);
  importPlain<VariantZerosOp, 1>(node);
}

void addListOps(OpTable &table) {
  auto add = [&](StringRef op, void (*import)(NodeImport &)) -> OpTableRow & {
    return table[op] = {Effect::Pure, import};
  };
  add("EmptyTensorList", importTyped<TensorListEmptyOp, 2>);
  add("TensorListReserve", importTyped<TensorListReserveOp, 2>);
  add("TensorListPushBack", importPlain<TensorListPushBackOp, 2>);
  add("TensorListPopBack", importTyped<TensorListPopBackOp, 2>).outputs = {
      "output_handle", "tensor"};
  add("TensorListGetItem", importTyped<TensorListGetItemOp, 3>);
  add("TensorListSetItem", importSetItem);
  add("TensorListStack", importStack);
  add("TensorListFromTensor", importPlain<TensorListFromTensorOp, 2>);
  add("TensorListLength", importPlain<TensorListLengthOp, 1>);
  add("TensorListElementShape", importElementShape);
  add("TensorListResize", importPlain<TensorListResizeOp, 2>);
  add("TensorListGather", importTyped<TensorListGatherOp, 3>);
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
