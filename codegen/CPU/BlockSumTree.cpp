//===- BlockSumTree.cpp - The K loop of a GEMM as a tree of blocks --------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/BlockSumTree.h"

#include "dialects/Host/SumBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <bit>

using namespace mlir;

namespace ingot::cpu {

int64_t sumBlockOf(linalg::LinalgOp op) {
  auto size = op->getAttrOfType<IntegerAttr>(host::sumBlockAttrName);
  return size ? size.getInt() : 0;
}

namespace {

/// The sums of complete subtrees: level l has the sum of 2^l blocks.
class SubtreeSums {
public:
  SubtreeSums(ImplicitLocOpBuilder &builder, int64_t levels, TypeRange types) {
    OpBuilder::InsertionGuard guard(builder);
    // At the kernel's entry: inside a loop, each iteration would take more of
    // the stack.
    auto kernel = builder.getInsertionBlock()
                      ->getParentOp()
                      ->getParentOfType<func::FuncOp>();
    if (auto own =
            dyn_cast<func::FuncOp>(builder.getInsertionBlock()->getParentOp()))
      kernel = own;
    builder.setInsertionPointToStart(&kernel.getBody().front());
    for (Type type : types)
      buffers.push_back(memref::AllocaOp::create(
          builder, MemRefType::get({levels}, type), IntegerAttr()));
  }

  SmallVector<Value> load(ImplicitLocOpBuilder &builder, Value level) const {
    SmallVector<Value> sums;
    for (Value buffer : buffers)
      sums.push_back(memref::LoadOp::create(builder, buffer, level));
    return sums;
  }
  void store(ImplicitLocOpBuilder &builder, ValueRange sums,
             Value level) const {
    for (auto [sum, buffer] : llvm::zip(sums, buffers))
      memref::StoreOp::create(builder, sum, buffer, level);
  }
  /// Returns the sums of level `level` plus `sums`, those of the blocks after
  /// them.
  SmallVector<Value> addTo(ImplicitLocOpBuilder &builder, Value level,
                           ValueRange sums) const {
    SmallVector<Value> total;
    for (auto [left, right] : llvm::zip(load(builder, level), sums))
      total.push_back(arith::AddFOp::create(builder, left, right));
    return total;
  }

private:
  SmallVector<Value> buffers; // one for each accumulator
};

} // namespace

SmallVector<Value> sumBlocks(ImplicitLocOpBuilder &builder, int64_t depth,
                             int64_t size, TypeRange types, BlockSum sumBlock) {
  auto number = [](ImplicitLocOpBuilder &b, int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  auto count = static_cast<uint64_t>(depth / size);
  SubtreeSums subtrees(builder, std::bit_width(count), types);
  scf::ForOp::create(
      builder, number(builder, 0), number(builder, depth),
      number(builder, size), ValueRange(),
      [&](OpBuilder &nested, Location loc, Value begin, ValueRange) {
        ImplicitLocOpBuilder body(loc, nested);
        SmallVector<Value> sums = sumBlock(body, begin);
        // Block i completes a subtree on each level below the number of ones at
        // the end of i.
        Value block = arith::DivUIOp::create(body, begin, number(body, size));
        Value number64 = arith::IndexCastOp::create(
            body, body.getI64Type(),
            arith::AddIOp::create(body, block, number(body, 1)));
        Value levels = arith::IndexCastOp::create(
            body, body.getIndexType(),
            math::CountTrailingZerosOp::create(body, number64));
        auto join = scf::ForOp::create(
            body, number(body, 0), levels, number(body, 1), sums,
            [&](OpBuilder &inner, Location at, Value level, ValueRange right) {
              ImplicitLocOpBuilder b(at, inner);
              scf::YieldOp::create(b, subtrees.addTo(b, level, right));
            });
        subtrees.store(body, join.getResults(), levels);
        scf::YieldOp::create(body);
      });
  // The complete subtrees that are left, from the last one to the first.
  uint64_t left = count;
  SmallVector<Value> total =
      subtrees.load(builder, number(builder, std::countr_zero(left)));
  for (left &= left - 1; left != 0; left &= left - 1)
    total =
        subtrees.addTo(builder, number(builder, std::countr_zero(left)), total);
  return total;
}

} // namespace ingot::cpu
