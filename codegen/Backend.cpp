//===- Backend.cpp - Kernels' facts as IR attributes ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Backend.h"

#include "dialects/Host/HostDialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace ingot::codegen {

Backend::~Backend() = default;

std::unique_ptr<Backend> Backend::withPlan(unsigned) const { return nullptr; }

llvm::Expected<std::string>
Backend::join(llvm::ArrayRef<KernelImage>,
              llvm::ArrayRef<SliceReduction>) const {
  return llvm::createStringError("kernels for target %s cannot be linked into "
                                 "one image: only kernels for GPUs can",
                                 name().str().c_str());
}

std::optional<int64_t> countBlocks(const Grid &grid) {
  if (!grid.terms.empty())
    return std::nullopt;
  return grid.base <= 0 ? 0 : llvm::divideCeil(grid.base, grid.step);
}

/// Sets the attribute `name` of a kernel to `numbers`, followed by two numbers
/// for each of `terms`: the slot of the argument table that holds a dynamic
/// size, and the coefficient of this size.
static void setNumbers(Operation *kernel, StringRef name,
                       SmallVector<int64_t> numbers,
                       ArrayRef<Grid::DynamicSizeTerm> terms) {
  for (const Grid::DynamicSizeTerm &term : terms)
    numbers.append({term.slot, term.coefficient});
  kernel->setAttr(name,
                  Builder(kernel->getContext()).getDenseI64ArrayAttr(numbers));
}

void setMaps(Operation *kernel, ArrayRef<TensorMapSpec> maps) {
  Builder builder(kernel->getContext());
  SmallVector<Attribute> arrays;
  for (const TensorMapSpec &map : maps) {
    SmallVector<int64_t> numbers = {map.slot, map.elementBytes};
    for (const TensorMapSpec::TensorMapDim &dim : map.dims)
      numbers.append({dim.size, dim.slot, dim.box});
    arrays.push_back(builder.getDenseI64ArrayAttr(numbers));
  }
  kernel->setAttr(mapsAttrName, builder.getArrayAttr(arrays));
}

/// Reads the tensor maps (descriptors for TMA copies) that `setMaps` has stored
/// on the kernel.
static SmallVector<TensorMapSpec, 1> mapsOf(Operation *kernel) {
  SmallVector<TensorMapSpec, 1> maps;
  auto arrays = kernel->getAttrOfType<ArrayAttr>(mapsAttrName);
  if (!arrays)
    return maps;
  for (auto array : arrays.getAsRange<DenseI64ArrayAttr>()) {
    ArrayRef<int64_t> numbers = array.asArrayRef();
    TensorMapSpec &map = maps.emplace_back();
    map.slot = numbers[0];
    map.elementBytes = numbers[1];
    for (size_t i = 2; i + 2 < numbers.size(); i += 3)
      map.dims.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  }
  return maps;
}

void setGrid(Operation *kernel, const Grid &grid) {
  setNumbers(kernel, host::gridAttrName, {grid.base, grid.step}, grid.terms);
}

void setDynamicScratch(Operation *kernel, const DynamicScratchSize &scratch) {
  setNumbers(kernel, dynamicScratchAttrName, {scratch.base}, scratch.terms);
}

/// Returns the terms that setNumbers() stored in `numbers`, as pairs: the slot
/// of a dynamic size in the argument table, and the size's coefficient.
static SmallVector<Grid::DynamicSizeTerm, 1>
termsOf(ArrayRef<int64_t> numbers) {
  SmallVector<Grid::DynamicSizeTerm, 1> terms;
  for (size_t i = 0; i + 1 < numbers.size(); i += 2)
    terms.push_back({numbers[i], numbers[i + 1]});
  return terms;
}

KernelMetadata factsOf(Operation *kernel) {
  auto number = [&](StringRef name) -> int64_t {
    auto attribute = kernel->getAttrOfType<IntegerAttr>(name);
    return attribute ? attribute.getInt() : 0;
  };
  KernelMetadata facts;
  facts.scratchBytes = number(host::scratchAttrName);
  facts.flops = number(host::flopsAttrName);
  facts.bytes = number(host::bytesAttrName);
  facts.threadsPerBlock = number(threadsAttrName);
  facts.sharedBytes = number(sharedAttrName);
  facts.dynamicSharedBytes = number(dynamicSharedAttrName);
  facts.isPersistent = kernel->hasAttr(persistentAttrName);
  facts.maps = mapsOf(kernel);
  auto numbers = [&](StringRef name) -> ArrayRef<int64_t> {
    auto attribute = kernel->getAttrOfType<DenseI64ArrayAttr>(name);
    return attribute ? attribute.asArrayRef() : ArrayRef<int64_t>();
  };
  ArrayRef<int64_t> strides = numbers(host::stridesAttrName);
  facts.strides.assign(strides.begin(), strides.end());
  if (ArrayRef<int64_t> scratch = numbers(dynamicScratchAttrName);
      !scratch.empty())
    facts.dynamicScratch = {scratch[0], termsOf(scratch.drop_front(1))};
  if (ArrayRef<int64_t> grid = numbers(host::gridAttrName); !grid.empty())
    facts.grid = {grid[0], grid[1], termsOf(grid.drop_front(2))};
  return facts;
}

} // namespace ingot::codegen
