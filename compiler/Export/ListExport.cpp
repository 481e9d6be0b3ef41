//===- ListExport.cpp - TensorLists, TensorArrays and stacks --------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Exports ops on TensorLists, TensorArrays and stacks. In TensorFlow, each op
// on a TensorArray passes a scalar, the flow, to the next op, so that the ops
// run in order. In exported graphs, control edges order these ops instead, so a
// constant serves as the flow.
//
//===----------------------------------------------------------------------===//

#include "compiler/Export/OpExport.h"

#include "dialects/Ingot/IR/ListOps.h"
#include "dialects/Ingot/IR/TensorArrayOps.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

// Converts a mnemonic to the name of a TensorFlow op: "tensor_list_push_back"
// to "TensorListPushBack".
static std::string inCamels(StringRef name) {
  std::string result;
  bool isFirst = true;
  for (char c : name) {
    if (c != '_')
      result.push_back(isFirst ? llvm::toUpper(c) : c);
    isFirst = c == '_';
  }
  return result;
}

static AttributeMap elementOf(OpExport &op, StringRef name) {
  AttributeMap attributes;
  if (op.op->hasAttr("element_type"))
    attributes[name.str()] = type(op.type("element_type"));
  return attributes;
}

// Exports an op on TensorLists as the TensorFlow op with the same name and
// operands, such as tensor_list_stack as TensorListStack.
static void exportList(OpExport &op) {
  AttributeMap attributes = elementOf(op, "element_dtype");
  StringRef mnemonic = op.op->getName().stripDialect();
  std::string name = isa<TensorListEmptyOp>(op.op) ? "EmptyTensorList"
                     : isa<TensorListScatterIntoOp>(op.op)
                         ? "TensorListScatterIntoExistingList"
                     : isa<TensorListScatterOp, TensorListConcatOp>(op.op)
                         ? inCamels(mnemonic) + "V2"
                         : inCamels(mnemonic);
  if (isa<TensorListSetItemOp>(op.op))
    attributes["resize_if_index_out_of_bounds"] = boolean(op.flag("resize"));
  if (isa<TensorListStackOp>(op.op))
    attributes["num_elements"] = integer(op.integer("num_elements"));
  if (isa<TensorListElementShapeOp>(op.op))
    attributes["shape_type"] = type(op.type("shape_type"));
  op.emit(name, op.operands(), attributes);
}

static void exportVariants(OpExport &op) {
  op.emit(isa<VariantAddOp>(op.op) ? "AddN" : "ZerosLike", op.operands());
}

static void exportOptional(OpExport &op) {
  op.emit(inCamels(op.op->getName().stripDialect()), op.operands());
}

// Exports the ingot op that returns one component (`index`) of an optional's
// value. TensorFlow's OptionalGetValue returns all components, so their types
// are needed, too. The op's attributes state them. The optional's type does
// not: its items are the union over all paths by which an optional may reach
// this op.
static void exportGetValue(OpExport &op) {
  auto get = cast<OptionalGetValueOp>(op.op);
  SmallVector<Type> elements = {get.getElementType()};
  if (std::optional<ArrayAttr> several = get.getComponentTypes())
    elements = llvm::to_vector_of<Type>(several->getAsValueRange<TypeAttr>());
  SmallVector<Type> components;
  for (Type element : elements)
    components.push_back(UnrankedTensorType::get(element));
  components[get.getIndex()] = get.getComponent().getType();
  AttributeMap attributes;
  addComponents(attributes, components);
  SmallVector<proto::DataType> dtypes;
  for (Type component : components)
    dtypes.push_back(toTensorType(component));
  op.set(0, op.emit("OptionalGetValue", op.operand(0), dtypes,
                    attributes)[get.getIndex()]);
}

// Returns a constant for the flow operand of TensorArray ops.
static NodeOutput flow(OpExport &op) { return op.scalar(0, proto::DT_FLOAT); }

static void exportArray(OpExport &op) {
  AttributeMap attributes = {
      {"dtype", type(op.type("element_type"))},
      {"dynamic_size", boolean(op.flag("dynamic_size"))},
      {"identical_element_shapes",
       boolean(op.flag("identical_element_shapes"))},
      {"clear_after_read", boolean(op.flag("clear_after_read"))}};
  if (op.flag("has_shape"))
    attributes["element_shape"] = shape(toShape(op.integers("element_shape")));
  op.touch("arrays", /*writes=*/true);
  op.set(0, op.emit("TensorArrayV3", op.operands(),
                    {proto::DT_RESOURCE, proto::DT_FLOAT}, attributes)[0]);
}

static void exportArrayGrad(OpExport &op) {
  op.touch("arrays", /*writes=*/true);
  op.set(0, op.emit("TensorArrayGradV3", {op.operand(0), flow(op)},
                    {proto::DT_RESOURCE, proto::DT_FLOAT},
                    {{"source", text(op.text("source"))}})[0]);
}

// Exports an op on a TensorArray. TensorFlow's op has an additional operand,
// the flow. An op that changes the array returns the flow; any other op returns
// the values that it reads.
static void exportArrayOp(OpExport &op) {
  SmallVector<NodeOutput> inputs = op.operands();
  inputs.push_back(flow(op));
  std::string name = inCamels(op.op->getName().stripDialect()) + "V3";
  op.touch("arrays", /*writes=*/true);
  if (op.op->getNumResults() == 0)
    op.emit(name, inputs, proto::DT_FLOAT);
  else
    op.emit(name, inputs, elementOf(op, "dtype"));
}

static void exportStack(OpExport &op) {
  op.touch("arrays", /*writes=*/true);
  op.set(0, op.emit("StackV2", op.scalar(-1), proto::DT_RESOURCE,
                    elementOf(op, "elem_type"))
                .front());
}

static void exportStackOp(OpExport &op) {
  op.touch("arrays", /*writes=*/true);
  if (isa<StackPushOp>(op.op))
    op.emit("StackPushV2", op.operands(), op.operand(1).dtype);
  else
    op.emit("StackPopV2", op.operands(), elementOf(op, "elem_type"));
}

void addListExports(ExportTable &table) {
  for (StringRef op : {TensorListEmptyOp::getOperationName(),
                       TensorListReserveOp::getOperationName(),
                       TensorListPushBackOp::getOperationName(),
                       TensorListPopBackOp::getOperationName(),
                       TensorListGetItemOp::getOperationName(),
                       TensorListSetItemOp::getOperationName(),
                       TensorListStackOp::getOperationName(),
                       TensorListFromTensorOp::getOperationName(),
                       TensorListLengthOp::getOperationName(),
                       TensorListElementShapeOp::getOperationName(),
                       TensorListResizeOp::getOperationName(),
                       TensorListGatherOp::getOperationName(),
                       TensorListScatterOp::getOperationName(),
                       TensorListScatterIntoOp::getOperationName(),
                       TensorListSplitOp::getOperationName(),
                       TensorListConcatOp::getOperationName(),
                       TensorListConcatListsOp::getOperationName(),
                       TensorListPushBackBatchOp::getOperationName()})
    table[op] = exportList;
  table[VariantAddOp::getOperationName()] = exportVariants;
  table[VariantZerosOp::getOperationName()] = exportVariants;
  for (StringRef op : {OptionalFromValueOp::getOperationName(),
                       OptionalNoneOp::getOperationName(),
                       OptionalHasValueOp::getOperationName()})
    table[op] = exportOptional;
  table[OptionalGetValueOp::getOperationName()] = exportGetValue;
  table[TensorArrayOp::getOperationName()] = exportArray;
  table[TensorArrayGradOp::getOperationName()] = exportArrayGrad;
  for (StringRef op : {TensorArrayWriteOp::getOperationName(),
                       TensorArrayReadOp::getOperationName(),
                       TensorArrayGatherOp::getOperationName(),
                       TensorArrayScatterOp::getOperationName(),
                       TensorArrayConcatOp::getOperationName(),
                       TensorArraySplitOp::getOperationName(),
                       TensorArraySizeOp::getOperationName()})
    table[op] = exportArrayOp;
  table[StackOp::getOperationName()] = exportStack;
  table[StackPushOp::getOperationName()] = exportStackOp;
  table[StackPopOp::getOperationName()] = exportStackOp;
}

} // namespace ingot::exporter
