//===- KernelParts.cpp - Parts of a kernel as kernels of their own --------===//

#include "compiler/Lower/KernelParts.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

void ::ingot::lower::launchBefore(host::LaunchOp launch, func::FuncOp kernel,
                                  Value value, SymbolTable &symbols) {
  // The ops in their order, and the arguments that they use.
  SetVector<Operation *> needed;
  SetVector<unsigned> used;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() == &kernel.getBody().front())
        used.insert(argument.getArgNumber());
      continue;
    }
    Operation *op =
        kernel.getBody().findAncestorOpInRegion(*next.getDefiningOp());
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
    types.push_back(kernel.getArgument(index).getType());
  }
  types.push_back(type);
  auto first = func::FuncOp::create(
      kernel.getLoc(), (kernel.getName() + "_blocks").str(),
      builder.getFunctionType(types, type),
      ArrayRef<NamedAttribute>{
          builder.getNamedAttr(host::kernelAttrName, builder.getUnitAttr())});
  first.setPrivate();
  StringAttr symbol = symbols.insert(first);
  Block *body = first.addEntryBlock();
  IRMapping mapping;
  for (auto [position, index] : llvm::enumerate(used))
    mapping.map(kernel.getArgument(index), body->getArgument(position));
  OpBuilder inside = OpBuilder::atBlockEnd(body);
  for (Operation &op : kernel.getBody().front())
    if (needed.contains(&op))
      inside.clone(op, mapping);
  func::ReturnOp::create(inside, value.getLoc(), mapping.lookup(value));

  Value place = tensor::EmptyOp::create(builder, launch.getLoc(),
                                        type.getShape(), type.getElementType());
  auto before =
      host::LaunchOp::create(builder, launch.getLoc(), type,
                             FlatSymbolRefAttr::get(symbol), inputs, place);
  unsigned numInputs = launch.getInputs().size();
  launch.getInputsMutable().append(before.getResult(0));
  kernel.getBody().front().insertArgument(numInputs, type, value.getLoc());
  value.replaceAllUsesWith(kernel.getArgument(numInputs));
}

void ::ingot::lower::tidy(host::LaunchOp launch, func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  for (unsigned index = launch.getInputs().size(); index-- > 0;) {
    if (!body.getArgument(index).use_empty())
      continue;
    body.eraseArgument(index);
    launch.getInputsMutable().erase(index);
  }
  kernel.setType(FunctionType::get(kernel.getContext(), body.getArgumentTypes(),
                                   kernel.getResultTypes()));
}
