//===- KernelEquivalence.cpp - Whether kernels are alike ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/KernelEquivalence.h"

#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;

/// Whether the constant is only the key or counter of random numbers.
static bool isOnlyKeyOrCounter(arith::ConstantOp constant) {
  return !constant->use_empty() &&
         llvm::all_of(constant->getUses(), [](OpOperand &use) {
           auto draw = dyn_cast<host::RandomBitsOp>(use.getOwner());
           return draw && use.get() != draw.getIndex();
         });
}

bool ingot::lower::isParameter(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (!constant)
    return false;
  if (isa<FloatAttr>(constant.getValue()))
    return true;
  if (isa<IntegerAttr>(constant.getValue()))
    return isOnlyKeyOrCounter(constant);
  auto tensor = dyn_cast<RankedTensorType>(constant.getType());
  return tensor && tensor.getElementType().isInteger() &&
         tensor.getNumElements() <= 4 &&
         llvm::all_of(constant->getUsers(), [](Operation *user) {
           return isa<linalg::LinalgOp>(user);
         });
}

llvm::hash_code ingot::lower::hashOfKernel(func::FuncOp kernel,
                                           bool ignoresParameters) {
  llvm::hash_code hash = mlir::hash_value(kernel.getFunctionType());
  kernel.getBody().walk([&](Operation *op) {
    hash = llvm::hash_combine(hash, op->getName(),
                              op->getDiscardableAttrDictionary());
    if (!ignoresParameters || !isParameter(op))
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
