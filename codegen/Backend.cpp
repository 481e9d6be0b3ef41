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

void setGrid(Operation *kernel, const Grid &grid) {
  SmallVector<int64_t> numbers = {grid.base, grid.step};
  for (const Grid::Term &term : grid.terms)
    numbers.append({term.slot, term.coefficient});
  kernel->setAttr(host::gridAttrName,
                  Builder(kernel->getContext()).getDenseI64ArrayAttr(numbers));
}

void setMaps(Operation *kernel, ArrayRef<MemoryMap> maps) {
  Builder builder(kernel->getContext());
  SmallVector<Attribute> arrays;
  for (const MemoryMap &map : maps) {
    SmallVector<int64_t> numbers = {map.slot, map.elementBytes};
    for (const MemoryMap::Dim &dim : map.dims)
      numbers.append({dim.size, dim.slot, dim.box});
    arrays.push_back(builder.getDenseI64ArrayAttr(numbers));
  }
  kernel->setAttr(mapsAttrName, builder.getArrayAttr(arrays));
}

static SmallVector<MemoryMap, 1> mapsOf(Operation *kernel) {
  SmallVector<MemoryMap, 1> maps;
  auto arrays = kernel->getAttrOfType<ArrayAttr>(mapsAttrName);
  if (!arrays)
    return maps;
  for (auto array : arrays.getAsRange<DenseI64ArrayAttr>()) {
    ArrayRef<int64_t> numbers = array.asArrayRef();
    MemoryMap &map = maps.emplace_back();
    map.slot = numbers[0];
    map.elementBytes = numbers[1];
    for (size_t i = 2; i + 2 < numbers.size(); i += 3)
      map.dims.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  }
  return maps;
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
  facts.dynamicSharedBytes = number(dynamicSharedAttrName);
  facts.isPersistent = kernel->hasAttr(persistentAttrName);
  facts.maps = mapsOf(kernel);
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
