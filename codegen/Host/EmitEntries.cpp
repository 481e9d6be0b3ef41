//===- EmitEntries.cpp - Translate entries to LLVM IR ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/EmitEntries.h"

#include "codegen/ABI/Descriptor.h"
#include "codegen/Host/OptNoneEntries.h"
#include "codegen/LLVM/EmitObject.h"
#include "dialects/Host/HostAttributes.h"
#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace ingot::hostgen {

OwningOpRef<ModuleOp>
cutEntries(ModuleOp program,
           llvm::function_ref<int64_t(llvm::StringRef)> scratchOf) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(program.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  for (auto function : program.getOps<func::FuncOp>()) {
    if (!function->hasAttr(host::kernelAttrName)) {
      builder.clone(*function);
      continue;
    }
    auto declaration =
        cast<func::FuncOp>(builder.cloneWithoutRegions(*function));
    declaration.setPrivate();
    if (int64_t bytes = scratchOf(function.getName()))
      declaration->setAttr(host::scratchAttrName,
                           builder.getI64IntegerAttr(bytes));
  }
  return module;
}

/// Whether a function is an entry that does not run in each training step, such
/// as init or save.
static bool runsSeldom(LLVM::LLVMFuncOp function) {
  auto entry = function->getAttrOfType<host::EntryAttr>(host::entryAttrName);
  if (!entry)
    return false;
  switch (entry.getRole()) {
  case host::Role::step:
  case host::Role::after_step:
    return false;
  default:
    return true;
  }
}

std::unique_ptr<llvm::Module>
translateEntries(ModuleOp module, llvm::LLVMContext &context,
                 const llvmgen::TargetMachineSpec &machine) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal())
      continue;
    function.setSymName(abi::codeSymbol(function.getName()));
    function.setLinkage(LLVM::Linkage::External);
    if (runsSeldom(function))
      function.setPassthroughAttr(ArrayAttr::get(
          module.getContext(),
          StringAttr::get(module.getContext(), runsSeldomAttrName)));
    for (NamedAttribute attribute :
         llvm::to_vector(function->getDiscardableAttrs()))
      if (isa<host::HostDialect>(attribute.getNameDialect()))
        function->removeDiscardableAttr(attribute.getName());
  }
  return llvmgen::translate(module, context, machine);
}

} // namespace ingot::hostgen
