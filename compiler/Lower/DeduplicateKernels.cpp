//===- DeduplicateKernels.cpp - Deduplicates identical kernels ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/KernelEquivalence.h"
#include "compiler/Lower/Passes.h"

#include "dialects/Host/HostDialect.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Debug.h"

namespace ingot::lower {
#define GEN_PASS_DEF_DEDUPLICATEKERNELSPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

#define DEBUG_TYPE "ingot-deduplicate-kernels"

using namespace mlir;
using namespace ::ingot::lower;

namespace {
struct DeduplicateKernels
    : ::ingot::lower::impl::DeduplicateKernelsPassBase<DeduplicateKernels> {
  void runOnOperation() override {
    llvm::DenseMap<size_t, SmallVector<func::FuncOp, 1>> alike;
    DenseMap<StringAttr, func::FuncOp> merged;
    for (auto kernel :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (!kernel->hasAttr(host::kernelAttrName))
        continue;
      // Compares a kernel only with earlier kernels of equal hash. The first of
      // several identical kernels in program order is kept, so that kernel
      // names do not depend on hash values.
      SmallVector<func::FuncOp, 1> &before =
          alike[hashOfKernel(kernel, /*ignoresParameters=*/false)];
      auto first = llvm::find_if(before, [&](func::FuncOp other) {
        return areKernelsEqual(other, kernel);
      });
      if (first == before.end()) {
        before.push_back(kernel);
        continue;
      }
      LLVM_DEBUG(llvm::dbgs() << "kernel " << kernel.getName() << " is "
                              << first->getName() << '\n');
      merged[kernel.getSymNameAttr()] = *first;
      ++numMerged;
      kernel.erase();
    }
    getOperation().walk([&](host::LaunchOp launch) {
      if (func::FuncOp kernel = merged.lookup(launch.getKernelAttr().getAttr()))
        launch.setKernelAttr(FlatSymbolRefAttr::get(kernel.getSymNameAttr()));
    });
  }
};
} // namespace
