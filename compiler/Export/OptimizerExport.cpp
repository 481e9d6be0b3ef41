//===- OptimizerExport.cpp - Optimizer updates, row updates ---------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Exports optimizer updates and row updates. The ingot ops compute new values
// from old ones, whereas TensorFlow's ops change variables. So an update, the
// reads of its operands and the assignments of its results become one node.
//
//===----------------------------------------------------------------------===//

#include "compiler/Export/OpExport.h"

#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/OptimizerOps.h"
#include "dialects/Ingot/IR/ScatterOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/TensorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

namespace {
/// The variables that an optimizer op updates. TensorFlow's update op reads and
/// assigns its variables itself. So each operand that is updated must be read
/// from a variable, and the corresponding result must be assigned to this
/// variable. `absorbed` lists these assignments, for which no nodes are added.
struct OptimizerOpVariables {
  SmallVector<StringRef> variables;
  SmallVector<Operation *> absorbed;
};
} // namespace

// Returns whether an op between `from` and `to` may write the variable. If so,
// the read at `from` and the update at `to` cannot become one node.
static bool isWritten(StringRef variable, Operation *from, Operation *to) {
  for (Operation *op = from; op && op != to; op = op->getNextNode()) {
    auto assign = dyn_cast<AssignOp>(op);
    if ((assign && assign.getVariable() == variable) ||
        (op->getNumRegions() != 0 && !isMemoryEffectFree(op)))
      return true;
  }
  return false;
}

// Finds the variables that optimizer op `op` updates. Each of `tables`, the
// operands that it updates, must be read from a variable, and the corresponding
// result must be assigned to this variable. Otherwise returns std::nullopt.
// Also returns std::nullopt if the variable may be written between the read and
// `op`: TensorFlow's op reads the variable itself, so it would see the new
// value.
static std::optional<OptimizerOpVariables> findStep(Operation *op,
                                                    ValueRange tables) {
  OptimizerOpVariables step;
  for (auto [table, result] : llvm::zip(tables, op->getResults())) {
    auto read = table.getDefiningOp<ReadOp>();
    if (!read || read->getBlock() != op->getBlock() ||
        isWritten(read.getVariable(), read, op))
      return std::nullopt;
    AssignOp assigned;
    for (Operation *user : result.getUsers())
      if (auto assign = dyn_cast<AssignOp>(user);
          assign && assign.getVariable() == read.getVariable() &&
          assign->getBlock() == op->getBlock() &&
          !isWritten(read.getVariable(), op, assign))
        assigned = assign;
    if (!assigned)
      return std::nullopt;
    step.variables.push_back(read.getVariable());
    step.absorbed.push_back(assigned);
  }
  return step;
}

static std::optional<OptimizerOpVariables> findStep(Operation *op) {
  if (auto update = dyn_cast<UpdateRowsOp>(op))
    return findStep(op, update.getTables());
  if (!getOptimizer(op))
    return std::nullopt;
  return findStep(op, op->getOperands().take_front(op->getNumResults()));
}

bool isOnlyStepped(Operation *read) {
  return !read->use_empty() &&
         llvm::all_of(read->getUses(), [](OpOperand &use) {
           return use.getOperandNumber() < use.getOwner()->getNumResults() &&
                  findStep(use.getOwner());
         });
}

static void touchAll(OpExport &op, const OptimizerOpVariables &step) {
  // If the op updates only one variable, its node runs after all earlier nodes
  // that access this variable. If it also updates slot variables, the node runs
  // after all earlier nodes with side effects, as `touch` can only name one
  // resource.
  if (step.variables.size() == 1)
    op.touch(step.variables.front(), /*writes=*/true);
  else
    op.touchAll();
}

// Marks the assignments that belong to an update as exported, since
// TensorFlow's op assigns the variables itself. If further ops use an updated
// value, adds a read of the variable after the update, from which they get the
// value.
static void finishStep(OpExport &op, const OptimizerOpVariables &step) {
  for (Operation *absorbed : step.absorbed)
    op.block.absorb(absorbed);
  for (auto [index, variable] : llvm::enumerate(step.variables)) {
    OpResult result = op.op->getResult(index);
    if (result.hasOneUse())
      continue;
    op.touch(variable, /*writes=*/false);
    proto::DataType dtype = op.resultType(index);
    op.set(index, op.emit("ReadVariableOp", op.block.variable(variable), dtype,
                          {{"dtype", type(dtype)}}, result)
                      .front());
  }
}

static SmallVector<NodeOutput> handlesOf(OpExport &op,
                                         const OptimizerOpVariables &step) {
  SmallVector<NodeOutput> handles;
  for (StringRef variable : step.variables)
    handles.push_back(op.block.variable(variable));
  return handles;
}

static AttributeMap attributesOf(Operation *op) {
  AttributeMap attributes;
  for (StringRef name : getOptimizer(op)->flags)
    if (auto value = op->getAttrOfType<BoolAttr>(name))
      attributes[name.str()] = boolean(value.getValue());
  return attributes;
}

// Reports that the updated values of an optimizer op are not read from and
// assigned to variables in the form that TensorFlow's update op needs
// (findStep).
static void refuseStep(OpExport &op) {
  op.refuse("each updated value must be read from a variable and the result "
            "assigned to the same variable, in one block and with no other "
            "write to the variable in between");
}

static void exportOptimizer(OpExport &op) {
  unsigned numVariables = op.op->getNumResults();
  std::optional<OptimizerOpVariables> step = findStep(op.op);
  if (!step)
    return refuseStep(op);
  SmallVector<NodeOutput> inputs = handlesOf(op, *step);
  llvm::append_range(inputs, op.operands(numVariables));
  touchAll(op, *step);
  op.emit(("Resource" + getOptimizer(op.op)->tensorFlowName).str(), inputs,
          ArrayRef<proto::DataType>(), attributesOf(op.op));
  finishStep(op, *step);
}

// Returns the suffix of the name of TensorFlow's op for a row update, such as
// "Add" for ResourceScatterAdd. It depends on the only op in the body of
// `update`. Returns "" if TensorFlow has no such op.
static StringRef scatterName(UpdateRowsOp update) {
  Block &body = update.getBody().front();
  Operation *end = body.getTerminator();
  if (end->getNumOperands() != 1)
    return "";
  Value row = end->getOperand(0);
  if (row == body.getArgument(1))
    return "Update";
  Operation *op = row.getDefiningOp();
  if (!op)
    return "";
  // A scalar update was imported as a row that is filled with the scalar.
  // TensorFlow's op takes the scalar itself.
  if (auto fill = dyn_cast<FillOp>(op))
    return fill.getValue() == body.getArgument(1) ? "Update" : "";
  if (op->getNumOperands() != 2 || op->getOperand(0) != body.getArgument(0) ||
      op->getOperand(1) != body.getArgument(1))
    return "";
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<AddOp>([](auto) { return "Add"; })
      .Case<SubOp>([](auto) { return "Sub"; })
      .Case<MulOp>([](auto) { return "Mul"; })
      .Case<RealDivOp>([](auto) { return "Div"; })
      .Case<MinimumOp>([](auto) { return "Min"; })
      .Case<MaximumOp>([](auto) { return "Max"; })
      .Default([](auto) { return ""; });
}

// Exports an optimizer update of rows, such as ResourceSparseApplyAdagrad.
// TensorFlow's op has the indices after the gradient.
static void exportRowStep(OpExport &op, UpdateRowsOp update,
                          const OptimizerOpVariables &step, Operation *onRow) {
  const OptimizerInfo &info = *getOptimizer(onRow);
  SmallVector<NodeOutput> inputs = handlesOf(op, step);
  llvm::append_range(inputs, op.tensors(update.getShared()));
  NodeOutput gradient = op.block.value(update.getRows().front());
  NodeOutput indices = op.block.value(update.getIndices());
  inputs.insert(inputs.begin() + info.gradient(), {gradient, indices});
  touchAll(op, step);
  op.emit(("ResourceSparse" + info.tensorFlowName).str(), inputs,
          ArrayRef<proto::DataType>(), attributesOf(onRow));
  finishStep(op, step);
}

static void exportUpdateRows(OpExport &op) {
  auto update = cast<UpdateRowsOp>(op.op);
  std::optional<OptimizerOpVariables> step = findStep(op.op);
  if (!step)
    return refuseStep(op);
  Operation *onRow =
      update.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
  if (onRow && getOptimizer(onRow) && update.getRows().size() == 1)
    return exportRowStep(op, update, *step, onRow);
  StringRef name = scatterName(update);
  if (name.empty())
    return op.refuse("TensorFlow has no op for this row update: expected an "
                     "assignment, addition, subtraction, multiplication, "
                     "division, minimum or maximum");
  SmallVector<NodeOutput> inputs = handlesOf(op, *step);
  inputs.push_back(op.block.value(update.getIndices()));
  inputs.push_back(op.block.value(update.getRows().empty()
                                      ? update.getShared().front()
                                      : update.getRows().front()));
  touchAll(op, *step);
  op.emit(
      (update.getNd() ? "ResourceScatterNd" + name : "ResourceScatter" + name)
          .str(),
      inputs, ArrayRef<proto::DataType>());
  finishStep(op, *step);
}

void addOptimizerExports(ExportTable &table) {
  for (const OptimizerInfo *step : getOptimizers())
    table[step->opName] = exportOptimizer;
  table[UpdateRowsOp::getOperationName()] = exportUpdateRows;
}

} // namespace ingot::exporter
