//===- GEMMTile.cpp - Register tiles of GEMMs as vectors ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/GEMMTile.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace ingot::cpu {

/// Whether the op is a GEMM whose loops are M, N and then one or more K loops.
static bool isNestedProduct(linalg::LinalgOp op) {
  unsigned loops = op.getNumLoops();
  if (loops <= 3)
    return ::ingot::kernels::isProduct(op);
  auto kinds = op.getIteratorTypesArray();
  auto yield = cast<linalg::YieldOp>(op.getBlock()->getTerminator());
  auto add = yield->getOperand(0).getDefiningOp<arith::AddFOp>();
  return op.getNumDpsInputs() == 2 && op.getNumDpsInits() == 1 &&
         kinds[0] == utils::IteratorType::parallel &&
         kinds[1] == utils::IteratorType::parallel &&
         op.getNumParallelLoops() == 2 &&
         op.getBlock()->getOperations().size() == 3 && add &&
         add.getLhs() == op.getBlock()->getArgument(2) &&
         add.getRhs().getDefiningOp<arith::MulFOp>();
}

bool isGEMMTile(linalg::LinalgOp op) {
  if (!isNestedProduct(op) || !op.hasPureBufferSemantics())
    return false;
  MLIRContext *context = op.getContext();
  unsigned loops = op.getNumLoops();
  SmallVector<unsigned> sums;
  for (unsigned loop = 2; loop < loops; ++loop)
    sums.push_back(loop);
  auto map = [&](ArrayRef<unsigned> before, ArrayRef<unsigned> after) {
    SmallVector<unsigned> dims(before);
    dims.append(after.begin(), after.end());
    return AffineMap::getMultiDimMapWithTargets(loops, dims, context);
  };
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto isInside = [&](unsigned index) {
    return ::ingot::kernels::isContiguousInside(op->getOperand(index));
  };
  return (maps[0] == map({0}, sums) || maps[0] == map(sums, {0})) &&
         maps[1] == map(sums, {1}) && maps[2] == map({0}, {1}) && isInside(1) &&
         isInside(2) &&
         !ShapedType::isDynamicShape(
             ArrayRef(op.getStaticLoopRanges()).take_front(2)) &&
         (loops == 3 || !llvm::is_contained(op.getStaticLoopRanges(),
                                            ShapedType::kDynamic)) &&
         op.getStaticLoopRanges()[0] <= 16 && op.getStaticLoopRanges()[1] <= 64;
}

/// Builds a constant mask that is true in the lanes of `piece` that are
/// elements of the row, and false in the others.
static Value maskOf(ImplicitLocOpBuilder &b, const RegisterTileVector &piece) {
  SmallVector<bool> used(piece.type.getNumElements(), false);
  std::fill_n(used.begin(), piece.used, true);
  auto type = VectorType::get(piece.type.getShape(), b.getI1Type());
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, used));
}

Value RegisterTileVector::load(ImplicitLocOpBuilder &b, Value from,
                               ValueRange place) const {
  if (isWhole())
    return vector::LoadOp::create(b, type, from, place);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, type, from, place, maskOf(b, *this),
                                      zero);
}

void RegisterTileVector::store(ImplicitLocOpBuilder &b, Value value, Value to,
                               ValueRange place) const {
  if (isWhole())
    vector::StoreOp::create(b, value, to, place);
  else if (end == RowEnd::MaskedLoads)
    storeParts(b, value, to, place);
  else
    vector::MaskedStoreOp::create(b, to, place, maskOf(b, *this), value);
}

/// Stores the lanes in use as vectors of a power of two of lanes each.
void RegisterTileVector::storeParts(ImplicitLocOpBuilder &b, Value value,
                                    Value to, ValueRange place) const {
  SmallVector<Value> indices(place);
  for (int64_t lane = 0; lane < used;) {
    auto size = static_cast<int64_t>(llvm::bit_floor<uint64_t>(used - lane));
    auto lanes = llvm::to_vector(llvm::seq(lane, lane + size));
    Value part = vector::ShuffleOp::create(b, value, value, lanes);
    indices.back() = arith::AddIOp::create(
        b, place.back(), arith::ConstantIndexOp::create(b, lane));
    vector::StoreOp::create(b, part, to, indices);
    lane += size;
  }
}

RowEnd rowEndOf(unsigned vectorBits, unsigned elementBits) {
  // AVX-512 masks loads and stores of all types, AVX2 loads of 32 and 64 bits.
  constexpr unsigned bitsWithMasks = 512, bitsWithMaskedLoads = 256,
                     leastMaskedBits = 32;
  if (vectorBits >= bitsWithMasks)
    return RowEnd::Masked;
  return vectorBits >= bitsWithMaskedLoads && elementBits >= leastMaskedBits
             ? RowEnd::MaskedLoads
             : RowEnd::Halves;
}

SmallVector<RegisterTileVector> piecesOf(int64_t columns, int64_t lanes,
                                         Type element, RowEnd end,
                                         int64_t least) {
  SmallVector<RegisterTileVector> pieces;
  for (int64_t column = 0; column < columns;) {
    int64_t used = std::min(lanes, columns - column);
    bool isMasked =
        end == RowEnd::Masked ||
        (end == RowEnd::MaskedLoads && llvm::popcount<uint64_t>(used) > 1);
    if (used < lanes)
      lanes =
          isMasked ? llvm::PowerOf2Ceil(used) : llvm::bit_floor<uint64_t>(used);
    lanes = std::max(lanes, least);
    used = std::min(lanes, used);
    pieces.push_back({column, VectorType::get({lanes}, element), used, end});
    column += used;
  }
  return pieces;
}

} // namespace ingot::cpu
