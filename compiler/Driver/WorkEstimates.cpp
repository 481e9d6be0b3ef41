//===- WorkEstimates.cpp - Estimates the work of kernels ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/WorkEstimates.h"

#include "codegen/Host/SplitEntryModule.h"
#include "dialects/Host/HostAttributes.h"
#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace ingot::driver {

namespace {

/// Estimated operations and bytes. They are floating-point numbers, as the
/// counts may exceed 64 bits and estimates suffice.
struct OperationAndByteEstimate {
  double operations = 0, bytes = 0;
  bool isOpen = false; // true if a size or trip count is known at run time only

  void add(const OperationAndByteEstimate &other) {
    operations += other.operations;
    bytes += other.bytes;
    isOpen |= other.isOpen;
  }
  bool isLittleOf(const OperationAndByteEstimate &all, double times) const {
    return !isOpen && operations * times <= all.operations &&
           bytes * times <= all.bytes;
  }
};

} // namespace

/// Adds the bytes of a kernel's arguments or results to `work`; `types` are
/// their types. Temporaries inside of the kernel are not counted, as they stay
/// in caches.
static void addBytes(TypeRange types, OperationAndByteEstimate &work) {
  for (Type type : types) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped)
      continue;
    if (!shaped.hasStaticShape()) {
      work.isOpen = true;
      continue;
    }
    Type element = shaped.getElementType();
    double bits =
        element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64.0;
    work.bytes += static_cast<double>(shaped.getNumElements()) * bits / 8;
  }
}

/// Adds the operations of a loop nest to `work`: the number of its iterations
/// times the number of ops in its body.
static void addOperations(linalg::LinalgOp op, OperationAndByteEstimate &work) {
  double each = 1; // starts at 1, as moving an element takes time, too
  for (Operation &inner : op.getBlock()->without_terminator())
    each += inner.getNumResults();
  for (int64_t range : op.getStaticLoopRanges())
    if (ShapedType::isDynamic(range))
      work.isOpen = true;
    else
      each *= static_cast<double>(range);
  work.operations += each;
}

/// Returns the work of one launch of a kernel. The work is unknown (`isOpen`)
/// if the kernel contains a loop that is not a linalg op, because the loop's
/// trip count is unknown.
static OperationAndByteEstimate workOf(func::FuncOp kernel) {
  OperationAndByteEstimate work;
  addBytes(kernel.getArgumentTypes(), work);
  addBytes(kernel.getResultTypes(), work);
  kernel.walk([&](Operation *op) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      addOperations(linalgOp, work);
    else
      work.isOpen |= isa<LoopLikeOpInterface>(op);
  });
  return work;
}

void noteWork(ModuleOp program, ModuleOp entries) {
  Builder builder(entries.getContext());
  SymbolTable kernels(program);
  auto number = [&](double value) {
    return builder.getI64IntegerAttr(
        static_cast<int64_t>(std::min(value, 0x1p62)));
  };
  for (auto declaration : entries.getOps<func::FuncOp>()) {
    if (!declaration->hasAttr(host::kernelAttrName))
      continue;
    OperationAndByteEstimate work =
        workOf(kernels.lookup<func::FuncOp>(declaration.getName()));
    if (work.isOpen)
      continue;
    declaration->setAttr(host::flopsAttrName, number(work.operations));
    declaration->setAttr(host::bytesAttrName, number(work.bytes));
  }
}

std::vector<std::vector<bool>>
findLittleWork(ModuleOp program, const std::vector<KernelModule> &units,
               llvm::ArrayRef<double> times) {
  llvm::StringMap<OperationAndByteEstimate> kernels;
  for (auto function : program.getOps<func::FuncOp>())
    if (function->hasAttr(host::kernelAttrName))
      kernels[function.getName()] = workOf(function);
  llvm::StringMap<SmallVector<bool>> isLittle;
  for (auto function : program.getOps<func::FuncOp>()) {
    if (function->hasAttr(host::kernelAttrName) ||
        hostgen::isInitialization(function))
      continue;
    llvm::StringMap<OperationAndByteEstimate> launched;
    OperationAndByteEstimate all;
    function.walk([&](host::LaunchOp launch) {
      if (isForShortBatch(launch)) // only the branch for full batches counts
        return;
      OperationAndByteEstimate work = kernels.lookup(launch.getKernel());
      work.isOpen |= bool(launch->getParentOfType<LoopLikeOpInterface>());
      launched[launch.getKernel()].add(work);
      all.add(work);
    });
    for (const auto &[kernel, work] : launched) {
      SmallVector<bool> &known =
          isLittle.try_emplace(kernel, times.size(), true).first->second;
      for (auto [isLittleOf, factor] : llvm::zip(known, times))
        isLittleOf = isLittleOf && work.isLittleOf(all, factor);
    }
  }
  std::vector<std::vector<bool>> little(times.size());
  for (const KernelModule &unit : units) {
    auto found = isLittle.find(unit.name);
    for (auto [index, column] : llvm::enumerate(little))
      column.push_back(found != isLittle.end() && found->second[index]);
  }
  return little;
}

} // namespace ingot::driver
