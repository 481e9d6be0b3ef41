//===- ScatterOps.cpp - Sparse updates of variables -----------------------===//
//
// Scatters on variables and sparse steps of optimizers: updates of rows whose
// bodies hold the dense op, on one row.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/ScatterOps.h"

#include "compiler/Import/ComputeSpec.h"
#include "compiler/Import/IndexChecks.h"
#include "compiler/Import/OpTable.h"
#include "compiler/Import/Variables.h"
#include "dialects/Ingot/ConstantOps.h"
#include "dialects/Ingot/MathOps.h"
#include "dialects/Ingot/NNOps.h"
#include "dialects/Ingot/OptimizerOps.h"
#include "dialects/Ingot/TensorOps.h"
#include "dialects/Ingot/VariableOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

namespace {
/// What an update of rows is made of.
struct RowUpdate {
  SmallVector<Value> tables;
  Value indices;
  SmallVector<Value> rows, shared;
  bool nd = false;
};

/// A row without a body of its own: the op is put together in the body.
struct ScatterSpec : ComputeSpec {
  ScatterSpec(StringRef name, StringRef ours, bool nd = false)
      : ComputeSpec{name, 3, ours, {{"dtype"}, {"Tindices"}, {"use_locking"}}},
        nd(nd) {}
  bool nd;
};

/// A row whose inputs are a variable and its slots, hyperparameters, and
/// somewhere among them the gradient with the indices behind it.
struct SparseStepSpec : ComputeSpec {
  SparseStepSpec(StringRef name, unsigned numVariables, int gradient,
                 int inputs, StringRef ours,
                 std::vector<AttributeSpec> attributes = {})
      : ComputeSpec{name, inputs, ours, std::move(attributes)},
        numVariables(numVariables), gradient(gradient) {
    this->attributes.push_back({"use_locking"});
    this->attributes.push_back({"Tindices"});
  }
  unsigned numVariables;
  int gradient;
};
} // namespace

using BodyFunction =
    llvm::function_ref<SmallVector<Value>(ArrayRef<Value> arguments)>;

// The type of what remains of a table when an index chooses a row.
static TensorType rowType(Type table, int64_t depth, Type element) {
  Shape shape = getTensorShape(table);
  if (shape)
    shape->erase(shape->begin(),
                 shape->begin() + std::min<size_t>(depth, shape->size()));
  return getTensorType(shape, element);
}

// `body` makes the new rows out of the arguments: rows of the tables, of
// `rows`, and what is shared. Null where there are problems.
static Operation *updateRows(NodeImport &node, const RowUpdate &update,
                             BodyFunction body) {
  std::optional<int64_t> depth =
      getIndexDepth(update.indices.getType(), update.nd);
  if (!depth) {
    node.unsupported("the number of coordinates of an index is not known");
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

// A scalar in the shape of `row`.
static Value spread(NodeImport &node, Value scalar, Value row) {
  auto type = cast<TensorType>(row.getType());
  if (!type.hasStaticShape()) {
    node.unsupported("one value for rows of unknown shape");
    return {};
  }
  OpBuilder &builder = node.body.builder;
  Value dims = ConstantOp::create(builder, node.loc,
                                  builder.getI64TensorAttr(type.getShape()));
  Operation *fill = node.create<FillOp>({dims, scalar});
  return fill ? fill->getResult(0) : Value();
}

// A scatter: `ours` combines a row with its update; without it the update
// takes the row's place.
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
  RowUpdate update;
  update.indices = values[0];
  update.nd = spec.nd;
  auto type = cast<TensorType>(values[1].getType());
  if (!cast<TensorType>(values[0].getType()).hasRank() || !type.hasRank())
    return node.unsupported("the ranks of its inputs are not known");
  // One value may stand for all.
  bool isShared = !spec.nd && type.getRank() == 0 &&
                  cast<TensorType>(variable.getType()).getRank() +
                          cast<TensorType>(values[0].getType()).getRank() !=
                      1;
  (isShared ? update.shared : update.rows).push_back(values[1]);
  update.tables.push_back(readVariable(node, variable));
  checkIndices(node, spec.nd ? "coordinates" : "gather", update.indices,
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

static void importSparseStep(NodeImport &node) {
  const auto &spec = static_cast<const SparseStepSpec &>(*node.info.compute);
  if (!node.expectInputs(spec.inputs))
    return;
  auto attributes = translateAttributes(node, spec);
  if (!attributes)
    return;
  SmallVector<VariableOp> variables;
  for (unsigned input = 0; input < spec.numVariables; ++input) {
    variables.push_back(node.variable(input));
    if (!variables.back())
      return;
  }
  SmallVector<Value> values = node.tensors(spec.numVariables, spec.inputs);
  if (node.hasFailed() || !node.attributes.error().empty())
    return;
  RowUpdate update;
  for (VariableOp variable : variables)
    update.tables.push_back(readVariable(node, variable));
  size_t gradient = spec.gradient - spec.numVariables;
  update.rows.push_back(values[gradient]);
  update.indices = values[gradient + 1];
  for (auto [index, value] : llvm::enumerate(values))
    if (index != gradient && index != gradient + 1)
      update.shared.push_back(value);
  checkIndices(node, "sparse_step", update.indices, update.tables.front());
  Operation *op =
      updateRows(node, update, [&](ArrayRef<Value> x) -> SmallVector<Value> {
        // The dense op has the inputs in the same order, less the indices.
        SmallVector<Value> operands(x.take_front(spec.numVariables));
        llvm::append_range(operands, x.drop_front(spec.numVariables + 1));
        operands.insert(operands.begin() + spec.gradient, x[spec.numVariables]);
        Operation *step = node.create(spec.ours, operands, *attributes);
        return step ? SmallVector<Value>(step->getResults())
                    : SmallVector<Value>();
      });
  if (!op)
    return;
  for (auto [variable, value] : llvm::zip(variables, op->getResults()))
    assignVariable(node, variable, value);
  if (node.info.givesReference)
    node.setOutput(0, op->getResult(0));
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

static const std::vector<SparseStepSpec> &getSparseStepSpecs() {
  using Kind = AttributeSpec::Kind;
  static const AttributeSpec nesterov{"use_nesterov", Kind::Bool,
                                      "use_nesterov"};
  static const AttributeSpec slots{"update_slots", Kind::Bool, "update_slots"};
  static const AttributeSpec multiply{"multiply_linear_by_lr", Kind::Bool,
                                      "multiply_linear_by_lr"};
  static const std::vector<SparseStepSpec> specs = [] {
    std::vector<SparseStepSpec> rows;
    // Under the names for resources and, of the older ops, for references.
    auto add = [&](StringRef resource, unsigned variables, int gradient,
                   int inputs, StringRef ours,
                   std::vector<AttributeSpec> attributes = {}) {
      rows.emplace_back(resource, variables, gradient, inputs, ours,
                        attributes);
      if (resource == "ResourceSparseApplyKerasMomentum")
        return;
      rows.emplace_back(resource.drop_front(StringRef("Resource").size()),
                        variables, gradient, inputs, ours, attributes);
    };
    add("ResourceSparseApplyAdagrad", 2, 3, 5,
        ApplyAdagradOp::getOperationName(), {slots});
    add("ResourceSparseApplyAdagradV2", 2, 4, 6,
        ApplyAdagradV2Op::getOperationName(), {slots});
    add("ResourceSparseApplyMomentum", 2, 3, 6,
        ApplyMomentumOp::getOperationName(), {nesterov});
    add("ResourceSparseApplyKerasMomentum", 2, 3, 6,
        ApplyKerasMomentumOp::getOperationName(), {nesterov});
    add("ResourceSparseApplyRMSProp", 3, 7, 9,
        ApplyRMSPropOp::getOperationName());
    add("ResourceSparseApplyCenteredRMSProp", 4, 8, 10,
        ApplyCenteredRMSPropOp::getOperationName());
    add("ResourceSparseApplyAdadelta", 3, 6, 8,
        ApplyAdadeltaOp::getOperationName());
    add("ResourceSparseApplyFtrl", 3, 3, 9, ApplyFtrlOp::getOperationName(),
        {multiply});
    add("ResourceSparseApplyFtrlV2", 3, 3, 10,
        ApplyFtrlV2Op::getOperationName(), {multiply});
    add("ResourceSparseApplyProximalGradientDescent", 1, 4, 6,
        ApplyProximalGradientDescentOp::getOperationName());
    add("ResourceSparseApplyProximalAdagrad", 2, 5, 7,
        ApplyProximalAdagradOp::getOperationName());
    return rows;
  }();
  return specs;
}

void addScatterOps(OpTable &table) {
  auto add = [&](const ComputeSpec &spec, void (*import)(NodeImport &)) {
    OpInfo info{Effect::Writes, import, &spec};
    info.givesReference = !spec.name.starts_with("Resource");
    table[spec.name] = info;
  };
  for (const ScatterSpec &spec : getScatterSpecs())
    add(spec, importScatter);
  for (const SparseStepSpec &spec : getSparseStepSpecs())
    add(spec, importSparseStep);
}

} // namespace ingot::importer
