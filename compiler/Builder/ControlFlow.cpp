//===- ControlFlow.cpp - Branches and loops of an entry -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Builder/GraphImpl.h"

using namespace mlir;

namespace ingot::graph {

namespace {

using Fill = llvm::function_ref<std::vector<Tensor>(std::vector<Tensor>)>;

/// Builds an ingot.if or ingot.while. The regions are filled before the op is
/// created, because their results determine the op's result types.
class ControlFlowOpBuilder {
public:
  ControlFlowOpBuilder(GraphImpl &data, StringRef name, StringRef op)
      : data(data), state(data.newLocation(name), op) {
    if (data.builder.getInsertionBlock())
      return;
    isValid = false;
    data.error(cast<NameLoc>(state.location).getName().getValue(),
               "no open entry; begin one before branches and loops");
  }

  void addOperands(ValueRange operands) { state.addOperands(operands); }
  void addResults(TypeRange types) { state.addTypes(types); }

  /// Adds a region whose block has arguments of `types`. `fill` builds the body
  /// and returns its results, which a terminator named `end` yields. Returns
  /// these results, or an empty vector after an error.
  SmallVector<Value> addRegion(TypeRange types, Fill fill, StringRef end) {
    Region &region = *state.addRegion();
    if (!isValid)
      return {};
    Block &block = region.emplaceBlock();
    for (Type type : types)
      block.addArgument(type, state.location);
    OpBuilder::InsertionGuard guard(data.builder);
    data.builder.setInsertionPointToEnd(&block);
    std::vector<Tensor> results = fill(wrapAll(block.getArguments()));
    auto values = unwrap(ArrayRef<Tensor>(results));
    // Results are invalid only after an error, which has already been reported.
    if (!values) {
      isValid = false;
      return {};
    }
    OperationState terminator(state.location, end, *values, TypeRange());
    data.builder.create(terminator);
    return *values;
  }

  std::vector<Tensor> finish() {
    if (!isValid)
      return {};
    DiagnosticCollector collect(data);
    Operation *op = data.builder.create(state);
    if (succeeded(op->getName().verifyInvariants(op)))
      return wrapAll(op->getResults());
    op->erase();
    return {};
  }

private:
  std::vector<Tensor> wrapAll(ValueRange values) {
    std::vector<Tensor> tensors;
    for (Value value : values)
      tensors.push_back(wrap(data, value));
    return tensors;
  }

  GraphImpl &data;
  OperationState state;
  bool isValid = true;
};

} // namespace

std::vector<Tensor> cond(Tensor condition,
                         const std::function<std::vector<Tensor>()> &ifTrue,
                         const std::function<std::vector<Tensor>()> &ifFalse) {
  if (!condition)
    return {};
  ControlFlowOpBuilder op(*condition.data(), "cond", "ingot.if");
  op.addOperands(unwrap(condition));
  SmallVector<Value> results = op.addRegion(
      {}, [&](std::vector<Tensor>) { return ifTrue(); }, "ingot.result");
  op.addRegion(
      {}, [&](std::vector<Tensor>) { return ifFalse(); }, "ingot.result");
  op.addResults(ValueRange(results).getTypes());
  return op.finish();
}

std::vector<Tensor>
whileLoop(const std::vector<Tensor> &state,
          const std::function<Tensor(const std::vector<Tensor> &)> &test,
          const std::function<std::vector<Tensor>(const std::vector<Tensor> &)>
              &body) {
  auto inits = unwrap(ArrayRef<Tensor>(state));
  if (!inits || inits->empty())
    return {};
  TypeRange types = ValueRange(*inits).getTypes();
  ControlFlowOpBuilder op(*state.front().data(), "while", "ingot.while");
  op.addOperands(*inits);
  op.addResults(types);
  op.addRegion(
      types,
      [&](std::vector<Tensor> now) { return std::vector<Tensor>{test(now)}; },
      "ingot.condition");
  op.addRegion(
      types, [&](std::vector<Tensor> now) { return body(now); },
      "ingot.result");
  return op.finish();
}

} // namespace ingot::graph
