//===- TensorArrayOps.cpp - TF1's TensorArrays and stacks -----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports TensorArrays and stacks. Their ops take effect in the order in which
// nodes are imported, which respects flows and control edges. Flow values
// therefore need no computation; they are only forwarded.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/IR/TensorArrayOps.h"

#include "compiler/Import/Graph/ListElementTypes.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/ListOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

/// Called if a node stores a tensor of type `items` in the TensorArray or stack
/// `handle`: adds the element type and rank of `items` to the type of the
/// handle, unless it has them already. The sizes of the stored tensors remain
/// dynamic: they are inferred later, when all writes are known.
static void noteItems(NodeImport &node, Value handle, Type items) {
  auto tensor = dyn_cast_or_null<TensorType>(items);
  if (!tensor || !handle.getDefiningOp() || getItems(handle.getType()))
    return;
  Shape shape = getTensorShape(tensor);
  if (shape)
    shape->assign(shape->size(), ShapedType::kDynamic);
  Type element = tensor.getElementType();
  Type dynamic = isa<VariantType>(element)
                     ? getVariantType(node.context(), shape, getItems(tensor))
                     : getTensorType(shape, element);
  handle.setType(getListType(node.context(), dynamic));
}

/// Returns the node's `count` inputs, the first of which must be a TensorArray
/// or a stack. On failure records a problem and returns fewer inputs.
static SmallVector<Value> inputsOf(NodeImport &node, size_t count) {
  if (!node.expectInputs(count))
    return {};
  SmallVector<Value> inputs = node.tensors(0, count);
  if (inputs.size() != count ||
      isa<VariantType>(getElementTypeOrSelf(inputs[0].getType())))
    return inputs;
  node.malformed("input 0 is not a TensorArray or stack");
  return {};
}

static void importArray(NodeImport &node) {
  SmallVector<Value> size;
  if (node.expectInputs(1))
    size = node.tensors(0, 1);
  Type element = elementTypeOf(node, "dtype");
  if (size.empty() || !element)
    return;
  Builder &builder = node.body.builder;
  const proto::TensorShapeProto *shape =
      node.attributes.getShape("element_shape");
  SmallVector<int64_t> dims;
  bool hasShape = shape && !shape->unknown_rank();
  if (hasShape)
    for (const proto::TensorShapeProto::Dim &dim : shape->dim())
      dims.push_back(std::max<int64_t>(dim.size(), -1));
  bool isDynamic = node.attributes.getBool("dynamic_size", false);
  bool areAlike = node.attributes.getBool("identical_element_shapes", false);
  bool clears = node.attributes.getBool("clear_after_read", true);
  Operation *op = node.create<TensorArrayOp>(
      size,
      {node.named("element_type", TypeAttr::get(element)),
       node.named("element_shape", builder.getDenseI64ArrayAttr(dims)),
       node.named("has_shape", builder.getBoolAttr(hasShape)),
       node.named("dynamic_size", builder.getBoolAttr(isDynamic)),
       node.named("identical_element_shapes", builder.getBoolAttr(areAlike)),
       node.named("clear_after_read", builder.getBoolAttr(clears))});
  if (!op)
    return;
  node.setOutput(0, op->getResult(0));
  node.setOutput(
      1, createConstant(
             node.body.builder, node.loc,
             DenseElementsAttr::get(
                 RankedTensorType::get({}, builder.getF32Type()), 0.0f)));
}

static void importGrad(NodeImport &node) {
  SmallVector<Value> inputs = inputsOf(node, 2);
  if (inputs.empty())
    return;
  std::string source = node.attributes.getString("source", "");
  Operation *op = node.create<TensorArrayGradOp>(
      inputs[0],
      {node.named("source", node.body.builder.getStringAttr(source))});
  if (!op)
    return;
  node.setOutput(0, op->getResult(0));
  node.setOutput(1, inputs[1]);
}

static void importWrite(NodeImport &node) {
  SmallVector<Value> inputs = inputsOf(node, 4);
  if (inputs.size() != 4)
    return;
  noteItems(node, inputs[0], inputs[2].getType());
  node.create<TensorArrayWriteOp>(ArrayRef(inputs).drop_back());
  node.setOutput(0, inputs[3]);
}

static void importScatter(NodeImport &node) {
  SmallVector<Value> inputs = inputsOf(node, 4);
  if (inputs.size() != 4)
    return;
  noteItems(node, inputs[0], getRowType(inputs[2].getType()));
  node.create<TensorArrayScatterOp>(ArrayRef(inputs).drop_back());
  node.setOutput(0, inputs[3]);
}

static void importSplit(NodeImport &node) {
  SmallVector<Value> inputs = inputsOf(node, 4);
  if (inputs.size() != 4)
    return;
  noteItems(node, inputs[0], inputs[1].getType());
  node.create<TensorArraySplitOp>(ArrayRef(inputs).drop_back());
  node.setOutput(0, inputs[3]);
}

/// Refines the type of `value`, the result of a TensorArrayGather or
/// TensorArrayConcat. The node's attribute `attribute` states the sizes of all
/// dimensions but the first.
static void noteShape(NodeImport &node, StringRef attribute, Value value) {
  const proto::TensorShapeProto *shape = node.attributes.getShape(attribute);
  auto type = cast<TensorType>(value.getType());
  if (!shape || shape->unknown_rank() ||
      isa<VariantType>(type.getElementType()))
    return;
  SmallVector<int64_t> dims = {getDim(type, 0)};
  for (const proto::TensorShapeProto::Dim &dim : shape->dim())
    dims.push_back(dim.size() < 0 ? ShapedType::kDynamic : dim.size());
  value.setType(
      refineType(type, getTensorType(Shape(dims), type.getElementType())));
}

/// Imports a read of a TensorArray with `inputs` inputs, of which the last one
/// is the flow.
template <typename OpT, unsigned inputs>
static void importRead(NodeImport &node) {
  SmallVector<Value> operands = inputsOf(node, inputs);
  if (operands.size() != inputs)
    return;
  Type element = elementTypeOf(node, "dtype");
  if (!element)
    return;
  if (Operation *op = node.create<OpT>(
          ArrayRef(operands).drop_back(),
          {node.named("element_type", TypeAttr::get(element))}))
    for (auto [port, result] : llvm::enumerate(op->getResults())) {
      if (port == 0 && isa<TensorArrayGatherOp, TensorArrayConcatOp>(op))
        noteShape(node,
                  isa<TensorArrayGatherOp>(op) ? "element_shape"
                                               : "element_shape_except0",
                  result);
      node.setOutput(port, result);
    }
}

static Value scalar(NodeImport &node, int32_t value) {
  auto type = RankedTensorType::get({}, node.body.builder.getI32Type());
  return createConstant(node.body.builder, node.loc,
                        DenseElementsAttr::get(type, value));
}

/// Returns 0, 1, .., `count` - 1 for an int32 scalar.
static Value rangeTo(NodeImport &node, Value count) {
  return node.make<RangeOp>({scalar(node, 0), count, scalar(node, 1)});
}

/// Imports TensorArrayPack, which gathers all elements.
static void importPack(NodeImport &node) {
  SmallVector<Value> inputs = inputsOf(node, 2);
  Type element = elementTypeOf(node, "dtype");
  if (inputs.size() != 2 || !element)
    return;
  Value all = rangeTo(node, node.make<TensorArraySizeOp>(inputs[0]));
  Value packed = node.make<TensorArrayGatherOp>(
      {inputs[0], all}, {node.named("element_type", TypeAttr::get(element))});
  if (!packed)
    return;
  noteShape(node, "element_shape", packed);
  node.setOutput(0, packed);
}

/// Imports TensorArrayUnpack, which scatters to all elements.
static void importUnpack(NodeImport &node) {
  SmallVector<Value> inputs = inputsOf(node, 3);
  if (inputs.size() != 3)
    return;
  noteItems(node, inputs[0], getRowType(inputs[1].getType()));
  // If the array can grow, it grows to one element per row. Otherwise, it must
  // have one element per row already, which the scatter checks.
  auto array = inputs[0].getDefiningOp<TensorArrayOp>();
  Value count;
  if (array && !array.getDynamicSize()) {
    count = node.make<TensorArraySizeOp>(inputs[0]);
  } else {
    auto i32 = TypeAttr::get(node.body.builder.getI32Type());
    Value sizes = node.make<ShapeOp>(inputs[1], node.named("output_type", i32));
    count = node.make<GatherOp>({sizes, scalar(node, 0), scalar(node, 0)});
  }
  node.create<TensorArrayScatterOp>(
      {inputs[0], rangeTo(node, count), inputs[1]});
  node.setOutput(0, inputs[2]);
}

static void importSize(NodeImport &node) {
  SmallVector<Value> inputs = inputsOf(node, 2);
  if (inputs.size() != 2)
    return;
  if (Operation *op = node.create<TensorArraySizeOp>(inputs[0]))
    node.setOutput(0, op->getResult(0));
}

static void importStack(NodeImport &node) {
  Type element = elementTypeOf(node, "elem_type");
  if (!element)
    return;
  if (Operation *op = node.create<StackOp>(
          {}, {node.named("element_type", TypeAttr::get(element))}))
    node.setOutput(0, op->getResult(0));
}

static void importPush(NodeImport &node) {
  SmallVector<Value> inputs = inputsOf(node, 2);
  if (inputs.size() != 2)
    return;
  noteItems(node, inputs[0], inputs[1].getType());
  node.create<StackPushOp>(inputs);
  node.setOutput(0, inputs[1]);
}

static void importPop(NodeImport &node) {
  SmallVector<Value> inputs = inputsOf(node, 1);
  if (inputs.empty())
    return;
  Type element = elementTypeOf(node, "elem_type");
  if (!element)
    return;
  if (Operation *op = node.create<StackPopOp>(
          inputs[0], {node.named("element_type", TypeAttr::get(element))}))
    node.setOutput(0, op->getResult(0));
}

/// For ops that close a TensorArray or stack: creates no op, since TensorArrays
/// and stacks are freed at the end of the run.
static void importClose(NodeImport &) {}

void addTensorArrayOps(OpTable &table) {
  // The versions differ in the type of the handle only: a resource in
  // TensorArrayV3 and StackV2, strings in TensorArrayV2, and a reference to
  // strings in TensorArray and Stack.
  auto add = [&](StringRef op, StringRef version,
                 void (*import)(NodeImport &)) -> OpTableRow & {
    return table[(op + version).str()] = {Effect::Pure, import};
  };
  for (StringRef version : {"", "V2", "V3"}) {
    add("TensorArray", version, importArray).outputs = {"handle", "flow"};
    add("TensorArrayGrad", version, importGrad).outputs = {"grad_handle",
                                                           "flow_out"};
    add("TensorArrayWrite", version, importWrite);
    add("TensorArrayRead", version, importRead<TensorArrayReadOp, 3>);
    add("TensorArrayGather", version, importRead<TensorArrayGatherOp, 3>);
    add("TensorArrayScatter", version, importScatter);
    add("TensorArrayConcat", version, importRead<TensorArrayConcatOp, 2>)
        .outputs = {"value", "lengths"};
    add("TensorArraySplit", version, importSplit);
    add("TensorArraySize", version, importSize);
    add("TensorArrayClose", version, importClose);
  }
  add("TensorArrayPack", "", importPack);
  add("TensorArrayUnpack", "", importUnpack);
  for (StringRef version : {"", "V2"}) {
    add("Stack", version, importStack);
    add("StackPush", version, importPush);
    add("StackPop", version, importPop);
    add("StackClose", version, importClose);
  }
}

} // namespace ingot::importer
