//===- StateOps.cpp - Reads and writes of variables -----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports reads and writes of variables. An in-place update such as AssignAdd
// becomes a read, arithmetic on the value, and an assignment.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/IR/StateOps.h"
#include "compiler/Import/ControlFlow/BlockImport.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Ops/ValueChecks.h"
#include "compiler/Import/Program.h"
#include "compiler/Import/Variables.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/ReportOps.h"
#include "dialects/Ingot/IR/TensorOps.h"
#include "dialects/Ingot/IR/VariableOps.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// For VarHandleOp and RefIdentity: creates no op, since nodes that use their
// output find the variable by BlockImport::handle or BlockImport::reference.
static void importHandle(NodeImport &) {}

// Imports a reference variable, such as VariableV2. The node's output is a
// tensor, so it is set to a read of the variable. Nodes that use the output do
// not use this read, but create their own (BlockImport::current).
static void importReference(NodeImport &node) {
  ResourceHandle self{&node.body.graph, node.index};
  VariableOp variable = node.body.program.variable(self, node.body.problems);
  if (!variable)
    return node.fail();
  node.setOutput(0, readVariable(node, variable));
}

static void importRead(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  if (VariableOp variable = node.variable(0))
    node.setOutput(0, readVariable(node, variable));
}

static void importAssign(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  VariableOp variable = node.variable(0);
  if (!variable)
    return;
  if (Value value = node.tensor(1)) {
    assignVariable(node, variable, value);
    if (node.info.givesReference)
      node.setOutput(0, value);
  }
}

template <typename OpT> static void importUpdate(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  VariableOp variable = node.variable(0);
  Value value = variable ? node.tensor(1) : Value();
  if (!value)
    return;
  Operation *op = node.create<OpT>({readVariable(node, variable), value});
  if (!op)
    return;
  assignVariable(node, variable, op->getResult(0));
  if (node.info.givesReference)
    node.setOutput(0, op->getResult(0));
}

// Broadcasts `value` to the slice of a variable that it is assigned to.
// `operands` are the variable's value, begin, end and strides of the slice.
// Returns null after a problem.
static Value broadcastToSlice(NodeImport &node, ArrayRef<Value> operands,
                              ArrayRef<NamedAttribute> masks, Value value) {
  Operation *slice = node.create<StridedSliceOp>(operands, masks);
  if (!slice)
    return {};
  Type type = slice->getResult(0).getType();
  Shape shape = getTensorShape(type);
  if (shape == getTensorShape(value.getType()) &&
      cast<TensorType>(type).hasStaticShape())
    return value;
  Operation *sizes = node.create<ShapeOp>(
      slice->getResult(0),
      node.named("output_type", TypeAttr::get(node.body.builder.getI64Type())));
  Operation *all =
      sizes ? node.create<BroadcastToOp>({value, sizes->getResult(0)})
            : nullptr;
  return all ? all->getResult(0) : Value();
}

static void importSliceAssign(NodeImport &node) {
  if (!node.expectInputs(5))
    return;
  VariableOp variable = node.variable(0);
  SmallVector<Value> rest =
      variable ? node.tensors(1, 5) : SmallVector<Value>();
  if (!variable || node.hasFailed())
    return;
  SmallVector<NamedAttribute> masks;
  for (StringRef name : {"begin_mask", "end_mask", "ellipsis_mask",
                         "new_axis_mask", "shrink_axis_mask"})
    masks.push_back(node.named(name, node.body.builder.getI64IntegerAttr(
                                         node.attributes.getInt(name, 0))));
  SmallVector<Value> operands = {readVariable(node, variable)};
  llvm::append_range(operands, rest);
  operands.back() = broadcastToSlice(node, ArrayRef(operands).drop_back(),
                                     masks, operands.back());
  if (!operands.back())
    return;
  Operation *op = node.create<StridedSliceUpdateOp>(operands, masks);
  if (!op)
    return;
  assignVariable(node, variable, op->getResult(0));
  if (node.info.givesReference)
    node.setOutput(0, op->getResult(0));
}

// Imports DestroyTemporaryVariable, which returns the final value of a
// TemporaryVariable.
static void importLastValue(NodeImport &node) {
  if (!node.expectInputs(1) || !node.variable(0))
    return;
  if (Value value = node.tensor(0))
    node.setOutput(0, value);
}

static void importIsInitialized(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  VariableOp variable = node.variable(0);
  if (!variable)
    return;
  OpBuilder &builder = node.body.builder;
  node.setOutput(
      0, IsInitializedOp::create(builder, node.loc,
                                 RankedTensorType::get({}, builder.getI1Type()),
                                 variable.getSymName()));
}

// Imports ResourceGather, which reads only the selected rows of a variable.
static void importGather(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  VariableOp variable = node.variable(0);
  Value indices = variable ? node.tensor(1) : Value();
  if (!indices)
    return;
  OpBuilder &builder = node.body.builder;
  int64_t batchDims = node.attributes.getInt("batch_dims", 0);
  Value axis = createConstant(
      builder, node.loc,
      DenseElementsAttr::get(RankedTensorType::get({}, builder.getI64Type()),
                             batchDims));
  Value table = readVariable(node, variable);
  checkIndices(node, "gather", indices, table, batchDims);
  if (Operation *op = node.create<GatherOp>(
          {table, indices, axis},
          node.named("batch_dims", builder.getI64IntegerAttr(batchDims))))
    node.setOutput(0, op->getResult(0));
}

static void importGatherNd(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  VariableOp variable = node.variable(0);
  Value indices = variable ? node.tensor(1) : Value();
  if (!indices)
    return;
  Value table = readVariable(node, variable);
  checkIndices(node, "coordinates", indices, table);
  if (Operation *op = node.create<GatherNdOp>({table, indices}))
    node.setOutput(0, op->getResult(0));
}

// Imports VariableShape, which folds to a constant, as the shapes of variables
// are static.
static void importVariableShape(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  VariableOp variable = node.variable(0);
  if (!variable)
    return;
  Value value = readVariable(node, variable);
  proto::DataType dtype = node.attributes.getType("out_type", proto::DT_INT32);
  Type type = convertElementType(dtype, node.context());
  if (!type)
    return node.unsupported("element type " + getTypeName(dtype));
  if (Operation *op = node.create<ShapeOp>(
          value, node.named("output_type", TypeAttr::get(type))))
    node.setOutput(0, op->getResult(0));
}

static void importNothing(NodeImport &) {}

// Adds TF1's ops on reference variables to the table. The result of an
// assignment is the reference variable itself.
static void addReferenceOps(OpTable &table) {
  table["VariableV2"] = {Effect::Reads, importReference};
  table["Variable"] = {Effect::Reads, importReference};
  table["Assign"] = {Effect::Writes, importAssign};
  table["AssignAdd"] = {Effect::Writes, importUpdate<AddOp>};
  table["AssignSub"] = {Effect::Writes, importUpdate<SubOp>};
  table["RefIdentity"] = {Effect::Pure, importHandle};
  table["StridedSliceAssign"] = {Effect::Writes, importSliceAssign};
  table["TemporaryVariable"] = {Effect::Reads, importReference};
  table["DestroyTemporaryVariable"] = {Effect::Reads, importLastValue};
  for (StringRef op : {"Assign", "AssignAdd", "AssignSub", "RefIdentity",
                       "StridedSliceAssign"})
    table[op].givesReference = true;
}

// Records each element of `values` as a scalar summary. Its tag is the element
// of `tags` with the same index.
static void recordScalars(NodeImport &node, ArrayRef<std::string> tags,
                          Value values) {
  OpBuilder &builder = node.body.builder;
  auto vector = [&](ArrayRef<int32_t> elements) -> Value {
    return createConstant(builder, node.loc,
                          builder.getI32TensorAttr(elements));
  };
  auto scalar = [&](int32_t element) -> Value {
    auto type = RankedTensorType::get({}, builder.getI32Type());
    return createConstant(builder, node.loc,
                          DenseElementsAttr::get(type, element));
  };
  Value flat =
      node.make<ReshapeOp>({values, vector(static_cast<int32_t>(tags.size()))});
  for (auto [i, tag] : llvm::enumerate(tags)) {
    Value value =
        flat ? node.make<GatherOp>({flat, scalar(i), scalar(0)}) : Value();
    if (!value)
      return;
    node.verified(ScalarSummaryOp::create(builder, node.loc, tag, value));
  }
}

// Imports ScalarSummary, which records numbers under tags. In TensorFlow, the
// node returns a serialized protocol buffer. Here it has no output, so only
// MergeSummary, for which no op is created, may use it.
static void importScalarSummary(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  std::optional<std::vector<std::string>> tags =
      node.body.graph.constantStrings(node.node.inputs[0]);
  SmallVector<Value> operands = node.tensors(0, 2);
  if (node.hasFailed())
    return;
  if (!tags) {
    node.create<RecordScalarOp>(operands);
    return;
  }
  auto names = dyn_cast<RankedTensorType>(operands[0].getType());
  auto values = dyn_cast<RankedTensorType>(operands[1].getType());
  if (!names || !values || names.getRank() == 0) {
    node.verified(ScalarSummaryOp::create(node.body.builder, node.loc,
                                          tags->front(), operands[1]));
    return;
  }
  if (failed(verifyCompatibleShape(names, values)))
    return node.unsupported(
        "tags and values must have the same shape, but are " +
        describeType(names) + " and " + describeType(values));
  recordScalars(node, *tags, operands[1]);
}

static void importMergeSummary(NodeImport &node) {
  for (Output input : node.node.inputs) {
    StringRef op = node.body.graph[input.first].op();
    if (!op.ends_with("Summary") && op != "TensorSummaryV2")
      node.unsupported("merges '" + node.body.graph.nameOf(input) +
                       "', which is not a summary");
  }
}

void addStateOps(OpTable &table) {
  table["VarHandleOp"] = {Effect::Pure, importHandle};
  // TensorFlow runs DisableCopyOnRead before it saves a variable. It is not
  // needed, since saved values are copied in any case.
  table["DisableCopyOnRead"] = {Effect::Pure, importNothing};
  table["ReadVariableOp"] = {Effect::Reads, importRead};
  table["AssignVariableOp"] = {Effect::Writes, importAssign};
  table["AssignAddVariableOp"] = {Effect::Writes, importUpdate<AddOp>};
  table["AssignSubVariableOp"] = {Effect::Writes, importUpdate<SubOp>};
  table["VarIsInitializedOp"] = {Effect::Reads, importIsInitialized};
  table["IsVariableInitialized"] = {Effect::Reads, importIsInitialized};
  table["ResourceGather"] = {Effect::Reads, importGather};
  table["ResourceGatherNd"] = {Effect::Reads, importGatherNd};
  table["ResourceStridedSliceAssign"] = {Effect::Writes, importSliceAssign};
  // DestroyResourceOp does nothing, because variables live as long as the
  // session.
  table["DestroyResourceOp"] = {Effect::Writes, importNothing};
  table["VariableShape"] = {Effect::Reads, importVariableShape};
  addReferenceOps(table);
  table["ScalarSummary"] = {Effect::Consumes, importScalarSummary};
  table["MergeSummary"] = {Effect::Consumes, importMergeSummary};
}

} // namespace ingot::importer
