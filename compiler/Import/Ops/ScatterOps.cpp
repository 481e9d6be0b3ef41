//===- ScatterOps.cpp - Row-sparse updates of variables -------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports scatters on variables and row-sparse optimizer updates. Both become
// `ingot.update_rows`, whose region applies the dense op to one row.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/IR/ScatterOps.h"

#include "compiler/Import/Ops/OpTable.h"
#include "compiler/Import/Ops/OptimizerSpec.h"
#include "compiler/Import/Ops/ValueChecks.h"
#include "compiler/Import/Variables.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/OptimizerOps.h"
#include "dialects/Ingot/IR/TensorOps.h"
#include "dialects/Ingot/IR/VariableOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

namespace {
/// The operands of a row-sparse update: the values of the updated variables
/// (`tables`), the indices of the rows, tensors with one row per index
/// (`rows`), and values that all rows share (`shared`). If `nd`, an index is a
/// vector of coordinates.
struct RowSparseUpdateOperands {
  SmallVector<Value> tables;
  Value indices;
  SmallVector<Value> rows, shared;
  bool nd = false;
};

/// The op table's row of a scatter op. `ours` names the ingot op that combines
/// a row with its update, such as ingot.add; if it is "", the update replaces
/// the row.
struct ScatterSpec : OneToOneOpSpec {
  ScatterSpec(StringRef name, StringRef ours, bool nd = false)
      : OneToOneOpSpec{
            name, 3, ours, {{"dtype"}, {"Tindices"}, {"use_locking"}}},
        nd(nd) {}
  bool nd;
};
} // namespace

using BodyFunction =
    llvm::function_ref<SmallVector<Value>(ArrayRef<Value> arguments)>;

// Returns the type of a row of `table`. An index selects from the first `depth`
// dimensions of `table`, and a row has the remaining ones.
static TensorType rowType(Type table, int64_t depth, Type element) {
  Shape shape = getTensorShape(table);
  if (shape)
    shape->erase(shape->begin(),
                 shape->begin() + std::min<size_t>(depth, shape->size()));
  return getTensorType(shape, element);
}

// Creates an UpdateRowsOp for `update`. `body` creates the ops of its region,
// which compute the new row of each table from the old row of each table, a row
// of each of `rows`, and the shared values. Returns null after problems.
static Operation *updateRows(NodeImport &node,
                             const RowSparseUpdateOperands &update,
                             BodyFunction body) {
  std::optional<int64_t> depth =
      getIndexDepth(update.indices.getType(), update.nd);
  if (!depth) {
    node.unsupported("the size of the last dimension of the indices, the "
                     "number of coordinates of an index, must be static");
    return nullptr;
  }
  OpBuilder &builder = node.body.builder;
  auto op = UpdateRowsOp::create(
      builder, node.loc, TypeRange(ValueRange(update.tables)), update.tables,
      update.indices, update.rows, update.shared,
      update.nd ? builder.getUnitAttr() : UnitAttr());
  SmallVector<Type> arguments;
  Type table = update.tables.front().getType();
  for (ArrayRef<Value> values :
       {ArrayRef(update.tables), ArrayRef(update.rows)})
    for (Value value : values)
      arguments.push_back(rowType(table, *depth, getElementTypeOrSelf(value)));
  for (Value value : update.shared)
    arguments.push_back(value.getType());
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *block =
        builder.createBlock(&op.getBody(), {}, arguments,
                            SmallVector<Location>(arguments.size(), node.loc));
    SmallVector<Value> updated =
        body(SmallVector<Value>(block->args_begin(), block->args_end()));
    if (updated.empty()) {
      op->erase();
      return nullptr;
    }
    YieldRowsOp::create(builder, node.loc, updated);
  }
  return node.verified(op);
}

// Broadcasts `scalar`, an update that all rows share, to the shape of `row`.
// Returns null after a problem.
static Value spread(NodeImport &node, Value scalar, Value row) {
  auto type = cast<TensorType>(row.getType());
  if (!type.hasStaticShape()) {
    node.unsupported("a scalar update of rows of unknown shape; give the "
                     "variable a static shape");
    return {};
  }
  OpBuilder &builder = node.body.builder;
  Value dims = createConstant(builder, node.loc,
                              builder.getI64TensorAttr(type.getShape()));
  Operation *fill = node.create<FillOp>({dims, scalar});
  return fill ? fill->getResult(0) : Value();
}

// Imports a scatter on a variable. The op named `spec.ours` combines each
// selected row with its update. If this name is empty, the update replaces the
// row.
static void importScatter(NodeImport &node) {
  const auto &spec = static_cast<const ScatterSpec &>(*node.info.compute);
  if (!node.expectInputs(3) || !translateAttributes(node, spec))
    return;
  VariableOp variable = node.variable(0);
  if (!variable)
    return;
  SmallVector<Value> values = node.tensors(1, 3);
  if (node.hasFailed())
    return;
  RowSparseUpdateOperands update;
  update.indices = values[0];
  update.nd = spec.nd;
  auto type = cast<TensorType>(values[1].getType());
  if (!cast<TensorType>(values[0].getType()).hasRank() || !type.hasRank())
    return node.unsupported(
        "the rank of the indices or of the updates is unknown; state their "
        "shapes, as with tf.ensure_shape");
  // Whether the update is a scalar that all selected rows share. It then
  // replaces each row, or is the second operand of the op that combines each
  // row with it. A scalar index into a vector is an exception: there, a row is
  // a scalar, too, and the update is that of the only selected row.
  bool isShared = !spec.nd && type.getRank() == 0 &&
                  cast<TensorType>(variable.getType()).getRank() +
                          cast<TensorType>(values[0].getType()).getRank() !=
                      1;
  (isShared ? update.shared : update.rows).push_back(values[1]);
  update.tables.push_back(readVariable(node, variable));
  checkIndices(node, spec.nd ? "coordinates" : "scatter", update.indices,
               update.tables.front());
  Operation *op =
      updateRows(node, update, [&](ArrayRef<Value> x) -> SmallVector<Value> {
        if (!spec.ours.empty()) {
          Operation *combined = node.create(spec.ours, {x[0], x[1]});
          return combined ? SmallVector<Value>{combined->getResult(0)}
                          : SmallVector<Value>();
        }
        Value row = isShared ? spread(node, x[1], x[0]) : x[1];
        return row ? SmallVector<Value>{row} : SmallVector<Value>();
      });
  if (!op)
    return;
  assignVariable(node, variable, op->getResult(0));
  if (node.info.givesReference)
    node.setOutput(0, op->getResult(0));
}

// Imports a row-sparse optimizer update: the dense update op is applied to one
// row at a time of the variable, of its slot variables and of the gradient.
static void importSparseStep(NodeImport &node) {
  const auto &spec = static_cast<const OptimizerSpec &>(*node.info.compute);
  std::optional<OptimizerInputs> inputs = readStep(node, spec);
  if (!inputs)
    return;
  RowSparseUpdateOperands update;
  for (VariableOp variable : inputs->variables)
    update.tables.push_back(readVariable(node, variable));
  size_t numStates = spec.step.numStates();
  size_t gradient = spec.step.gradient() - numStates;
  update.rows.push_back(inputs->tensors[gradient]);
  update.indices = inputs->tensors[gradient + 1];
  update.shared = inputs->tensors;
  update.shared.erase(update.shared.begin() + gradient,
                      update.shared.begin() + gradient + 2);
  checkIndices(node, "sparse_step", update.indices, update.tables.front());
  Operation *op =
      updateRows(node, update, [&](ArrayRef<Value> x) -> SmallVector<Value> {
        // The region's arguments are rows of the variable and its slot
        // variables, then the gradient's row, then the shared values. The
        // operands of the dense op are the same values, but in another order:
        // the gradient is moved to the index at which the dense op expects it.
        SmallVector<Value> operands(x);
        Value row = x[numStates];
        operands.erase(operands.begin() + numStates);
        operands.insert(operands.begin() + spec.step.gradient(), row);
        Operation *step = node.create(spec.ours, operands, inputs->attributes);
        return step ? SmallVector<Value>(step->getResults())
                    : SmallVector<Value>();
      });
  if (op)
    finishStep(node, inputs->variables, op);
}

static const std::vector<ScatterSpec> &getScatterSpecs() {
  static const std::vector<ScatterSpec> specs = [] {
    std::vector<ScatterSpec> rows;
    auto add = [&](StringRef resource, StringRef reference, StringRef ours,
                   bool nd) {
      rows.emplace_back(resource, ours, nd);
      rows.emplace_back(reference, ours, nd);
    };
    StringRef plus = AddOp::getOperationName(),
              minus = SubOp::getOperationName(),
              least = MinimumOp::getOperationName(),
              largest = MaximumOp::getOperationName();
    add("ResourceScatterUpdate", "ScatterUpdate", "", false);
    add("ResourceScatterAdd", "ScatterAdd", plus, false);
    add("ResourceScatterSub", "ScatterSub", minus, false);
    add("ResourceScatterMul", "ScatterMul", MulOp::getOperationName(), false);
    add("ResourceScatterDiv", "ScatterDiv", RealDivOp::getOperationName(),
        false);
    add("ResourceScatterMin", "ScatterMin", least, false);
    add("ResourceScatterMax", "ScatterMax", largest, false);
    add("ResourceScatterNdUpdate", "ScatterNdUpdate", "", true);
    add("ResourceScatterNdAdd", "ScatterNdAdd", plus, true);
    add("ResourceScatterNdSub", "ScatterNdSub", minus, true);
    add("ResourceScatterNdMin", "ScatterNdMin", least, true);
    add("ResourceScatterNdMax", "ScatterNdMax", largest, true);
    return rows;
  }();
  return specs;
}

static const std::vector<OptimizerSpec> &getSparseStepSpecs() {
  static const std::vector<OptimizerSpec> specs = [] {
    std::vector<OptimizerSpec> steps;
    for (const OptimizerInfo *step : getOptimizers())
      if (step->hasSparseForm)
        steps.emplace_back(*step, /*isSparse=*/true);
    return steps;
  }();
  return specs;
}

void addScatterOps(OpTable &table) {
  for (const ScatterSpec &spec : getScatterSpecs()) {
    OpTableRow info{Effect::Writes, importScatter, &spec};
    info.givesReference = !spec.name.starts_with("Resource");
    table[spec.name] = info;
  }
  for (const OptimizerSpec &spec : getSparseStepSpecs())
    addStep(table, spec, ("Sparse" + spec.name).str(), importSparseStep);
}

} // namespace ingot::importer
