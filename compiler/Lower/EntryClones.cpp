//===- EntryClones.cpp - Functions of entries and their clones ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/EntryClones.h"

#include "dialects/Host/HostAttributes.h"
#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace ingot::lower {

bool haveSameInterface(func::FuncOp entry, func::FuncOp clone) {
  auto entryOf = [](func::FuncOp function) {
    return function->getAttrOfType<host::EntryAttr>(host::entryAttrName);
  };
  return entry.getFunctionType() == clone.getFunctionType() &&
         entry.getAllArgAttrs() == clone.getAllArgAttrs() &&
         entryOf(entry).getAssigned() == entryOf(clone).getAssigned() &&
         entryOf(entry).getChangedTables() == entryOf(clone).getChangedTables();
}

bool maySink(Operation &op) {
  return isa<bufferization::ToTensorOp>(op) || isMemoryEffectFree(&op);
}

void eraseUnlaunchedKernels(ModuleOp program) {
  DenseSet<StringRef> launched;
  program.walk(
      [&](host::LaunchOp launch) { launched.insert(launch.getKernel()); });
  for (auto kernel : llvm::make_early_inc_range(program.getOps<func::FuncOp>()))
    if (kernel->hasAttr(host::kernelAttrName) &&
        !launched.contains(kernel.getName()))
      kernel.erase();
}

} // namespace ingot::lower
