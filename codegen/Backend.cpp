//===- Backend.cpp - Kernels' facts as attributes -------------------------===//

#include "codegen/Backend.h"

#include "dialects/Host/HostDialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace ingot::codegen {

Backend::~Backend() = default;

llvm::Expected<std::string> Backend::join(llvm::ArrayRef<NamedImage>) const {
  return llvm::createStringError("kernels for %s are linked, not joined",
                                 name().str().c_str());
}

std::optional<int64_t> countBlocks(const Grid &grid) {
  if (!grid.terms.empty())
    return std::nullopt;
  return grid.base <= 0 ? 0 : llvm::divideCeil(grid.base, grid.step);
}

void setGrid(Operation *kernel, const Grid &grid) {
  SmallVector<int64_t> numbers = {grid.base, grid.step};
  for (const Grid::Term &term : grid.terms)
    numbers.append({term.slot, term.coefficient});
  kernel->setAttr(host::gridAttrName,
                  Builder(kernel->getContext()).getDenseI64ArrayAttr(numbers));
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
  auto grid = kernel->getAttrOfType<DenseI64ArrayAttr>(host::gridAttrName);
  if (!grid)
    return facts;
  ArrayRef<int64_t> numbers = grid.asArrayRef();
  facts.grid.base = numbers[0];
  facts.grid.step = numbers[1];
  for (size_t i = 2; i + 1 < numbers.size(); i += 2)
    facts.grid.terms.push_back({numbers[i], numbers[i + 1]});
  return facts;
}

} // namespace ingot::codegen
