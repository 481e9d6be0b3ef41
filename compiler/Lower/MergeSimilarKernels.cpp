//===- MergeSimilarKernels.cpp - Parameterizes kernels by constants -------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/KernelEquivalence.h"
#include "compiler/Lower/Passes.h"

#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Debug.h"

namespace ingot::lower {
#define GEN_PASS_DEF_MERGESIMILARKERNELSPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

#define DEBUG_TYPE "ingot-merge-similar-kernels"

using namespace mlir;
using namespace ::ingot::lower;

/// More arguments would cost more than the code that they save.
static constexpr size_t maxParameters = 4;

namespace {

/// A kernel, its constants that may be arguments (isParameter()) in program
/// order, and its launches.
struct Kernel {
  func::FuncOp function;
  SmallVector<arith::ConstantOp> constants;
  ArrayRef<host::LaunchOp> launches;
};

/// Kernels that are identical but for the values of such constants.
using SimilarKernels = SmallVector<Kernel, 1>;

} // namespace

static SmallVector<arith::ConstantOp> parametersOf(func::FuncOp kernel) {
  SmallVector<arith::ConstantOp> constants;
  kernel.getBody().walk([&](arith::ConstantOp constant) {
    if (isParameter(constant))
      constants.push_back(constant);
  });
  return constants;
}

/// Whether the kernels are identical but for the values of constants that may
/// be arguments.
static bool areSimilar(const Kernel &one, const Kernel &other) {
  if (one.constants.size() != other.constants.size())
    return false;
  // Compares the kernels while the constants of both have the same values.
  SmallVector<TypedAttr> values;
  for (auto [first, second] : llvm::zip(one.constants, other.constants)) {
    arith::ConstantOp mine = first, theirs = second;
    values.push_back(theirs.getValue());
    if (mine.getType() == theirs.getType())
      theirs.setValueAttr(mine.getValue());
  }
  bool areEqual = areKernelsEqual(one.function, other.function);
  for (auto [constant, value] : llvm::zip(other.constants, values))
    arith::ConstantOp(constant).setValueAttr(value);
  return areEqual;
}

/// Returns the indices of the constants that differ between the kernels.
static SmallVector<size_t> differingConstants(const SimilarKernels &kernels) {
  SmallVector<size_t> indices;
  for (size_t i = 0; i < kernels.front().constants.size(); ++i)
    if (!llvm::all_equal(llvm::map_range(kernels, [i](const Kernel &kernel) {
          return arith::ConstantOp(kernel.constants[i]).getValue();
        })))
      indices.push_back(i);
  return indices;
}

/// Returns the value as a tensor: that of a scalar has rank 0.
static ElementsAttr asTensor(TypedAttr value) {
  if (auto tensor = dyn_cast<ElementsAttr>(value))
    return tensor;
  return DenseElementsAttr::get(RankedTensorType::get({}, value.getType()),
                                Attribute(value));
}

/// Makes arguments of the constants at `indices`, after the other inputs. All
/// launches of the kernel pass their values.
static void parameterize(const Kernel &kernel, ArrayRef<size_t> indices) {
  func::FuncOp function = kernel.function;
  auto position = static_cast<unsigned>(
      host::LaunchOp(kernel.launches.front()).getInputs().size());
  OpBuilder builder(function.getContext());
  for (size_t index : indices) {
    // The first op may have been a constant, which is erased.
    builder.setInsertionPointToStart(&function.front());
    arith::ConstantOp constant = kernel.constants[index];
    ElementsAttr value = asTensor(constant.getValue());
    Location loc = constant.getLoc();
    (void)function.insertArgument(position, value.getType(), {}, loc);
    Value argument = function.getArgument(position);
    constant.replaceAllUsesWith(
        isa<RankedTensorType>(constant.getType())
            ? argument
            : tensor::ExtractOp::create(builder, loc, argument, ValueRange())
                  .getResult());
    constant.erase();
    ++position;
    for (host::LaunchOp launch : kernel.launches) {
      OpBuilder before(launch);
      launch.getInputsMutable().append(
          arith::ConstantOp::create(before, launch.getLoc(), TypedAttr(value))
              .getResult());
    }
  }
}

namespace {
struct MergeSimilarKernels
    : ::ingot::lower::impl::MergeSimilarKernelsPassBase<MergeSimilarKernels> {
  void runOnOperation() override {
    llvm::DenseMap<StringAttr, SmallVector<host::LaunchOp>> launches;
    getOperation().walk([&](host::LaunchOp launch) {
      launches[launch.getKernelAttr().getAttr()].push_back(launch);
    });
    // Kernels by hash, then by similarity; both in program order.
    llvm::MapVector<size_t, SmallVector<SimilarKernels, 1>> groups;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      auto found = launches.find(function.getSymNameAttr());
      if (!function->hasAttr(host::kernelAttrName) || found == launches.end())
        continue;
      Kernel kernel = {function, parametersOf(function), found->second};
      if (kernel.constants.empty())
        continue;
      auto &alike = groups[hashOfKernel(function, /*ignoresParameters=*/true)];
      auto similar = llvm::find_if(alike, [&](const SimilarKernels &kernels) {
        return areSimilar(kernels.front(), kernel);
      });
      if (similar == alike.end())
        alike.push_back({std::move(kernel)});
      else
        similar->push_back(std::move(kernel));
    }
    for (auto &[hash, alike] : groups)
      for (const SimilarKernels &kernels : alike)
        merge(kernels);
  }

  /// Makes the kernels identical, if they are not and if few constants differ.
  void merge(const SimilarKernels &kernels) {
    SmallVector<size_t> indices = differingConstants(kernels);
    if (indices.empty() || indices.size() > maxParameters)
      return;
    for (const Kernel &kernel : kernels) {
      LLVM_DEBUG(llvm::dbgs()
                 << "kernel " << kernel.function.getName() << " takes "
                 << indices.size() << " constants as arguments\n");
      parameterize(kernel, indices);
      ++numParameterized;
    }
  }
};
} // namespace
