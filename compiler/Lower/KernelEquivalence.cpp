//===- KernelEquivalence.cpp - Whether kernels are alike ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/KernelEquivalence.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;

bool ingot::lower::isFloatConstant(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  return constant && isa<FloatAttr>(constant.getValue());
}

llvm::hash_code ingot::lower::hashOfKernel(func::FuncOp kernel,
                                           bool ignoresFloatConstants) {
  llvm::hash_code hash = mlir::hash_value(kernel.getFunctionType());
  kernel.getBody().walk([&](Operation *op) {
    hash = llvm::hash_combine(hash, op->getName(),
                              op->getDiscardableAttrDictionary());
    if (!ignoresFloatConstants || !isFloatConstant(op))
      hash = llvm::hash_combine(
          hash, op->getName().hashOpProperties(op->getPropertiesStorage()));
  });
  return hash;
}

bool ingot::lower::areKernelsEqual(func::FuncOp one, func::FuncOp other) {
  auto attributes = [](func::FuncOp kernel) {
    NamedAttrList all(kernel->getAttrDictionary());
    all.erase(SymbolTable::getSymbolAttrName());
    return all.getDictionary(kernel.getContext());
  };
  return attributes(one) == attributes(other) &&
         OperationEquivalence::isRegionEquivalentTo(
             &one.getBody(), &other.getBody(),
             OperationEquivalence::IgnoreLocations);
}
