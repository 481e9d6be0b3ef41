//===- Backend.cpp - Kernels' facts as attributes -------------------------===//

#include "codegen/Backend.h"

#include "dialects/Host/HostDialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace ingot::codegen {

Backend::~Backend() = default;

std::unique_ptr<Backend> Backend::withPlan(unsigned) const { return nullptr; }

llvm::Expected<std::string> Backend::join(llvm::ArrayRef<NamedImage>) const {
  return llvm::createStringError("kernels for %s are linked, not joined",
                                 name().str().c_str());
}

std::optional<int64_t> countBlocks(const Grid &grid) {
  if (!grid.terms.empty())
    return std::nullopt;
  return grid.base <= 0 ? 0 : llvm::divideCeil(grid.base, grid.step);
}

static void setNumbers(Operation *kernel, StringRef name,
                       SmallVector<int64_t> numbers,
                       ArrayRef<Grid::Term> terms) {
  for (const Grid::Term &term : terms)
    numbers.append({term.slot, term.coefficient});
  kernel->setAttr(name,
                  Builder(kernel->getContext()).getDenseI64ArrayAttr(numbers));
}

void setGrid(Operation *kernel, const Grid &grid) {
  setNumbers(kernel, host::gridAttrName, {grid.base, grid.step}, grid.terms);
}

void setDynamicScratch(Operation *kernel, const DynamicScratch &scratch) {
  setNumbers(kernel, dynamicScratchAttrName, {scratch.base}, scratch.terms);
}

static SmallVector<Grid::Term, 1> termsOf(ArrayRef<int64_t> numbers) {
  SmallVector<Grid::Term, 1> terms;
  for (size_t i = 0; i + 1 < numbers.size(); i += 2)
    terms.push_back({numbers[i], numbers[i + 1]});
  return terms;
}

KernelFacts factsOf(Operation *kernel) {
  auto number = [&](StringRef name) -> int64_t {
    auto attribute = kernel->getAttrOfType<IntegerAttr>(name);
    return attribute ? attribute.getInt() : 0;
  };
  KernelFacts facts;
  facts.scratchBytes = number(host::scratchAttrName);
  facts.flops = number(host::flopsAttrName);
  facts.bytes = number(host::bytesAttrName);
  facts.threadsPerBlock = number(threadsAttrName);
  facts.sharedBytes = number(sharedAttrName);
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
