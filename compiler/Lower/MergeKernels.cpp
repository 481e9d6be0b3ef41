//===- MergeKernels.cpp - One kernel for all that compute the same --------===//

#include "compiler/Lower/Passes.h"

#include "dialects/Host/HostDialect.h"

#include "mlir/IR/AsmState.h"
#include "llvm/ADT/StringMap.h"

namespace ingot::lower {
#define GEN_PASS_DEF_MERGEKERNELSPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

using namespace mlir;

/// What a kernel computes, as text: equal where all but the name is.
static std::string textOf(func::FuncOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << kernel.getFunctionType();
  for (NamedAttribute attribute : kernel->getAttrs())
    if (attribute.getName() != SymbolTable::getSymbolAttrName())
      os << attribute.getName().strref() << attribute.getValue();
  AsmState state(kernel, OpPrintingFlags().useLocalScope());
  for (Operation &op : kernel.getBody().front())
    op.print(os, state);
  return text;
}

namespace {
struct MergeKernels : ::ingot::lower::impl::MergeKernelsPassBase<MergeKernels> {
  void runOnOperation() override {
    llvm::StringMap<func::FuncOp> first;
    DenseMap<StringAttr, func::FuncOp> merged;
    for (auto kernel :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (!kernel->hasAttr(host::kernelAttrName))
        continue;
      auto [it, isNew] = first.try_emplace(textOf(kernel), kernel);
      if (isNew)
        continue;
      merged[kernel.getSymNameAttr()] = it->second;
      kernel.erase();
    }
    getOperation().walk([&](host::LaunchOp launch) {
      if (func::FuncOp kernel = merged.lookup(launch.getKernelAttr().getAttr()))
        launch.setKernelAttr(FlatSymbolRefAttr::get(kernel.getSymNameAttr()));
    });
  }
};
} // namespace
