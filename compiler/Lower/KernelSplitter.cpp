//===- KernelSplitter.cpp - Splits kernels --------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/KernelSplitter.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace ::ingot::lower;

KernelSplitter::KernelSplitter(host::LaunchOp launch, SymbolTable &symbols)
    : launch(launch), symbols(symbols),
      rest(symbols.lookup<func::FuncOp>(launch.getKernel())) {}

Value KernelSplitter::launchBefore(Value value, StringRef suffix) {
  // `needed`: the ops of the kernel that compute `value`, found through a
  // worklist. `used`: the indices of the kernel's arguments that these ops
  // read.
  SetVector<Operation *> needed;
  SetVector<unsigned> used;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() == &rest.getBody().front())
        used.insert(argument.getArgNumber());
      continue;
    }
    Operation *op =
        rest.getBody().findAncestorOpInRegion(*next.getDefiningOp());
    if (needed.insert(op))
      op->walk([&](Operation *inner) {
        llvm::append_range(worklist, inner->getOperands());
      });
  }
  auto type = cast<RankedTensorType>(value.getType());
  OpBuilder builder(launch);
  SmallVector<Value> inputs;
  SmallVector<Type> types;
  for (unsigned index : used) {
    inputs.push_back(launch->getOperand(index));
    types.push_back(rest.getArgument(index).getType());
  }
  types.push_back(type);
  auto first =
      func::FuncOp::create(rest.getLoc(), (rest.getName() + suffix).str(),
                           builder.getFunctionType(types, type),
                           ArrayRef<NamedAttribute>{builder.getNamedAttr(
                               host::kernelAttrName, builder.getUnitAttr())});
  first.setPrivate();
  StringAttr symbol = symbols.insert(first);
  Block *body = first.addEntryBlock();
  IRMapping mapping;
  for (auto [position, index] : llvm::enumerate(used))
    mapping.map(rest.getArgument(index), body->getArgument(position));
  OpBuilder inside = OpBuilder::atBlockEnd(body);
  for (Operation &op : rest.getBody().front())
    if (needed.contains(&op))
      inside.clone(op, mapping);
  func::ReturnOp::create(inside, value.getLoc(), mapping.lookup(value));

  Value place = tensor::EmptyOp::create(builder, launch.getLoc(),
                                        type.getShape(), type.getElementType());
  auto before =
      host::LaunchOp::create(builder, launch.getLoc(), type,
                             FlatSymbolRefAttr::get(symbol), inputs, place);
  receive(value, before.getResult(0));
  return before.getResult(0);
}

void KernelSplitter::receive(Value value, Value operand) {
  isDivided = true;
  unsigned numInputs = launch.getInputs().size();
  launch.getInputsMutable().append(operand);
  rest.getBody().front().insertArgument(numInputs, value.getType(),
                                        value.getLoc());
  value.replaceAllUsesWith(rest.getArgument(numInputs));
}

void KernelSplitter::tidy() {
  if (!isDivided)
    return;
  Block &body = rest.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  for (unsigned index = launch.getInputs().size(); index-- > 0;) {
    if (!body.getArgument(index).use_empty())
      continue;
    body.eraseArgument(index);
    launch.getInputsMutable().erase(index);
  }
  rest.setType(FunctionType::get(rest.getContext(), body.getArgumentTypes(),
                                 rest.getResultTypes()));
}

void ::ingot::lower::divideKernels(
    ModuleOp program, llvm::function_ref<void(KernelSplitter &)> divide) {
  SymbolTable symbols(program);
  SmallVector<host::LaunchOp> launches;
  program.walk([&](host::LaunchOp launch) { launches.push_back(launch); });
  for (host::LaunchOp launch : launches) {
    KernelSplitter parts(launch, symbols);
    divide(parts);
    parts.tidy();
  }
}
