//===- ScratchLayout.cpp - Layout of a kernel's scratch memory ------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Lays out scratch memory so that the host can compute its size before the
// launch: sizes are upper bounds that are linear in dynamic sizes of arguments.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/ScratchLayout.h"

#include "codegen/KernelGrid.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/PTX/DeviceConstants.h"
#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <algorithm>

using namespace mlir;
using ingot::codegen::Grid;

namespace ingot::ptx {

static Grid gridOf(func::FuncOp kernel) {
  // The grid of a kernel without the attribute `host.grid` is one block.
  return kernel->hasAttr(host::gridAttrName) ? codegen::factsOf(kernel).grid
                                             : Grid();
}

static int64_t numBlocks(const Grid &grid) {
  return std::max<int64_t>(0, llvm::divideCeilSigned(grid.base, grid.step));
}

/// Adds `factor` times `size` to `sum`. Negative terms are dropped, so that
/// `sum` is an upper bound that is linear in dynamic sizes.
static void addAtMost(int64_t factor, const Grid &size,
                      codegen::DynamicScratchSize &sum) {
  sum.base += std::max<int64_t>(0, factor * size.base);
  for (const Grid::DynamicSizeTerm &term : size.terms)
    if (term.coefficient > 0)
      sum.terms.push_back({term.slot, factor * term.coefficient});
}

bool ScratchLayout::addBytes(memref::AllocOp allocation, Bytes &sum) {
  MemRefType type = allocation.getType();
  int64_t bytes = kernels::elementBytes(type.getElementType());
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size))
      bytes *= size;
  if (type.hasStaticShape()) {
    sum.base += llvm::alignTo(bytes, scratchAlignment);
    return true;
  }
  Grid size;
  size.base = 0;
  if (type.getNumDynamicDims() != 1 ||
      !codegen::addLinear(allocation.getDynamicSizes().front(), 1, size))
    return false;
  addAtMost(bytes, size, sum);
  sum.base += scratchAlignment - 1; // padding after the temporary
  return true;
}

/// Adds to `sum` the number of bytes of all blocks of the grid, each of which
/// has `bytes`. A dynamic number of blocks, ceil(size / step), is replaced by
/// an upper bound that is linear in dynamic sizes: 1 + size / step, with the
/// coefficients divided by the step.
void ScratchLayout::addBlocks(const Bytes &bytes, Bytes &sum) {
  Grid grid = gridOf(kernel);
  if (grid.terms.empty()) {
    int64_t blocks = numBlocks(grid);
    sum.base += blocks * bytes.base;
    for (const Grid::DynamicSizeTerm &term : bytes.terms)
      sum.terms.push_back({term.slot, blocks * term.coefficient});
    return;
  }
  sum.base += bytes.base;
  grid.base = llvm::divideCeilSigned(bytes.base * grid.base, grid.step);
  for (Grid::DynamicSizeTerm &term : grid.terms)
    term.coefficient =
        llvm::divideCeilSigned(bytes.base * term.coefficient, grid.step);
  addAtMost(1, grid, sum);
}

llvm::StringRef ScratchLayout::measure() {
  for (memref::AllocOp allocation : common)
    if (!addBytes(allocation, total))
      return "the sizes of its temporaries are not linear functions of the "
             "sizes of its arguments";
  for (memref::AllocOp allocation : ofBlocks)
    if (!addBytes(allocation, block))
      return "the sizes of its temporaries are not linear functions of the "
             "sizes of its arguments";
  if (!block.terms.empty() && !gridOf(kernel).terms.empty())
    return "the grid and the temporaries of its blocks both have dynamic sizes";
  addBlocks(block, total);
  return "";
}

Value ScratchLayout::sizeInSlot(OpBuilder &builder, int64_t slot) {
  for (BlockArgument argument : kernel.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim) && codegen::slotOfSize(argument, dim) == slot)
        return memref::DimOp::create(builder, kernel.getLoc(), argument, dim);
  }
  llvm_unreachable("a term's slot is that of a size");
}

/// Advances `offset` by `bytes`. If `bytes` is dynamic, it includes the maximum
/// padding and is therefore first rounded down to a multiple of
/// scratchAlignment, so that the next temporary is aligned.
void ScratchLayout::advance(OpBuilder &builder, const Bytes &bytes,
                            ScratchOffset &offset) {
  if (bytes.terms.empty()) {
    offset.constant += bytes.base;
    return;
  }
  Location loc = kernel.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value sum = constant(bytes.base);
  for (const Grid::DynamicSizeTerm &term : bytes.terms)
    sum = arith::AddIOp::create(
        builder, loc, sum,
        arith::MulIOp::create(builder, loc, sizeInSlot(builder, term.slot),
                              constant(term.coefficient)));
  // Rounding down loses no byte that is needed, as `base` includes the maximum
  // padding.
  sum = arith::AndIOp::create(builder, loc, sum, constant(-scratchAlignment));
  offset.value = offset.value
                     ? arith::AddIOp::create(builder, loc, offset.value, sum)
                     : sum;
}

void ScratchLayout::place(memref::AllocOp allocation, Value scratch,
                          OpBuilder &entry, ScratchOffset &offset) {
  OpBuilder at(allocation);
  Location loc = kernel.getLoc();
  Value start = arith::ConstantIndexOp::create(at, loc, offset.constant);
  if (offset.value)
    start = arith::AddIOp::create(at, loc, offset.value, start);
  Bytes bytes;
  addBytes(allocation, bytes);
  advance(entry, bytes, offset);
  Value view = memref::ViewOp::create(at, loc, allocation.getType(), scratch,
                                      start, allocation.getDynamicSizes());
  allocation.replaceAllUsesWith(view);
  allocation.erase();
}

/// Places the temporaries that all blocks share first, then one part for each
/// block, in the order of block indices.
void ScratchLayout::place() {
  Block &body = kernel.getBody().front();
  OpBuilder entry = OpBuilder::atBlockBegin(&body);
  Location loc = kernel.getLoc();
  bool isDynamic = !total.terms.empty();
  if (isDynamic)
    codegen::setDynamicScratch(kernel, total);
  else
    kernel->setAttr(host::scratchAttrName, entry.getI64IntegerAttr(total.base));
  // The type of the scratch argument has only the static part of the size,
  // because the kernel does not receive the whole size as a parameter.
  Value scratch =
      body.addArgument(MemRefType::get({total.base}, entry.getI8Type()), loc);
  Grid grid = gridOf(kernel);
  ScratchOffset offset;
  for (memref::AllocOp allocation : common)
    place(allocation, scratch, entry, offset);
  if (!ofBlocks.empty() && (!grid.terms.empty() || numBlocks(grid) > 1)) {
    ScratchOffset bytes;
    advance(entry, block, bytes);
    Value part =
        bytes.value
            ? bytes.value
            : Value(arith::ConstantIndexOp::create(entry, loc, bytes.constant));
    part = arith::MulIOp::create(
        entry, loc, gpu::BlockIdOp::create(entry, loc, gpu::Dimension::x),
        part);
    offset.value = offset.value
                       ? arith::AddIOp::create(entry, loc, offset.value, part)
                       : part;
  }
  for (memref::AllocOp allocation : ofBlocks)
    place(allocation, scratch, entry, offset);
}

} // namespace ingot::ptx
