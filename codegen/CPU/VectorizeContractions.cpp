//===- VectorizeContractions.cpp - Products that have no register tile ----===//
// SPDX-License-Identifier: Apache-2.0
//
// Neighbours in a row of the result are accumulators in registers, and each
// step of the sum loads one row of a factor and broadcasts an element of the
// other. Loops over what only this other factor depends on run inside of the
// columns', whose panel stays in the innermost cache. Each accumulator is one
// chain of multiply-adds in ascending order of the sum, as
// LowerContractionsToLoops.cpp defines it.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/GEMMTile.h"
#include "codegen/CPU/Passes.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_VECTORIZECONTRACTIONSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;
using namespace ::ingot::cpu;

namespace {

/// The number of independent accumulators, vectors or single elements: enough
/// to hide the latency of a fused multiply-add.
constexpr int64_t manyVectors = 4, manyElements = 8;

class ContractionLoops {
public:
  ContractionLoops(linalg::LinalgOp op, unsigned vectorBits, bool useFMA)
      : op(op), builder(op.getLoc(), op), vectorBits(vectorBits),
        useFMA(useFMA), ranges(op.getStaticLoopRanges()),
        position(op.getNumLoops()) {
    element = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  }

  /// Fails where the result has no columns.
  LogicalResult run() {
    if (failed(findColumns()))
      return failure();
    SmallVector<unsigned> outside, inside;
    for (auto [dim, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
      if (kind == utils::IteratorType::reduction)
        sums.push_back(dim);
      else if (dim != columns)
        (isOfRows(dim) ? inside : outside).push_back(dim);
    }
    OpBuilder::InsertionGuard guard(builder);
    for (unsigned dim : outside)
      openLoop(dim);
    forPieces([&](ArrayRef<Piece> pieces) {
      OpBuilder::InsertionGuard insideColumns(builder);
      for (unsigned dim : inside)
        openLoop(dim);
      accumulate(pieces);
    });
    op->erase();
    return success();
  }

private:
  Value at(int64_t index) {
    return arith::ConstantIndexOp::create(builder, index);
  }

  /// How the operand moves with the columns: not at all, or to the next element
  /// in memory; else neither.
  enum class Move { None, Next, Other };
  Move moveOf(OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isFunctionOfDim(columns))
      return Move::None;
    AffineExpr column = builder.getAffineDimExpr(columns);
    auto [strides, offset] =
        cast<MemRefType>(operand.get().getType()).getStridesAndOffset();
    for (auto [index, expr] : llvm::enumerate(map.getResults()))
      if (expr.isFunctionOfDim(columns) &&
          (expr != column || strides[index] != 1))
        return Move::Other;
    return Move::Next;
  }

  /// The loop over neighbours in the result's rows, and how many at a time.
  LogicalResult findColumns() {
    AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    if (result.getNumResults() == 0)
      return failure();
    auto last = dyn_cast<AffineDimExpr>(result.getResults().back());
    if (!last)
      return failure();
    columns = last.getPosition();
    bool areNeighbours =
        llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
          return moveOf(operand) != Move::Other;
        });
    // Small floats are computed in f32.
    unsigned bits = std::max(32u, element.getIntOrFloatBitWidth());
    lanes = areNeighbours ? std::max<int64_t>(1, vectorBits / bits) : 1;
    return success();
  }

  /// Whether only the operand that is broadcast along the columns depends on
  /// the loop.
  bool isOfRows(unsigned dim) {
    return llvm::none_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
      AffineMap map = op.getMatchingIndexingMap(operand);
      return map.isFunctionOfDim(columns) && map.isFunctionOfDim(dim);
    });
  }

  Value boundOf(unsigned dim) {
    if (!ShapedType::isDynamic(ranges[dim]))
      return at(ranges[dim]);
    AffineExpr expression = builder.getAffineDimExpr(dim);
    for (OpOperand &operand : op->getOpOperands())
      if (auto index =
              op.getMatchingIndexingMap(&operand).getResultPosition(expression))
        return memref::DimOp::create(builder, operand.get(), *index);
    llvm_unreachable("every loop of a linalg op has an operand's size");
  }

  void openLoop(unsigned dim) {
    auto loop = scf::ForOp::create(builder, at(0), boundOf(dim), at(1));
    position[dim] = loop.getInductionVar();
    builder.setInsertionPointToStart(loop.getBody());
  }

  using Body = llvm::function_ref<void(ArrayRef<Piece>)>;

  /// Writes `body` for all columns, some pieces of a row at a time.
  void forPieces(Body body) {
    int64_t wide = lanes > 1 ? lanes * manyVectors : manyElements;
    if (!ShapedType::isDynamic(ranges[columns])) {
      int64_t whole = ranges[columns] / wide * wide;
      loopOver(at(0), at(whole), whole, wide, body);
      loopOver(at(whole), at(ranges[columns]), ranges[columns] - whole,
               ranges[columns] - whole, body);
      return;
    }
    Value from = at(0), end = boundOf(columns);
    SmallVector<int64_t> steps = {wide, 1};
    if (lanes > 1)
      steps.insert(steps.begin() + 1, lanes);
    for (int64_t by : steps) {
      Value rest = arith::RemUIOp::create(builder, end, at(by));
      Value to = arith::SubIOp::create(builder, end, rest);
      loopOver(from, to, ShapedType::kDynamic, by, body);
      from = to;
    }
  }

  /// A loop over `size` columns by steps of `by`; nothing for no columns.
  void loopOver(Value from, Value to, int64_t size, int64_t by, Body body) {
    if (size == 0)
      return;
    OpBuilder::InsertionGuard guard(builder);
    position[columns] = from;
    if (size != by) {
      auto loop = scf::ForOp::create(builder, from, to, at(by));
      position[columns] = loop.getInductionVar();
      builder.setInsertionPointToStart(loop.getBody());
    }
    bool hasMasks = vectorBits >= bitsWithMasks && lanes > 1 &&
                    (element.isF32() || element.isF64());
    body(piecesOf(by, std::min(lanes, by), element, hasMasks));
  }

  SmallVector<Value> indicesOf(OpOperand &operand, const Piece &piece) {
    SmallVector<Value> place = position;
    if (piece.column != 0)
      place[columns] =
          arith::AddIOp::create(builder, position[columns], at(piece.column));
    AffineMap map = op.getMatchingIndexingMap(&operand);
    return *affine::expandAffineMap(builder, op.getLoc(), map, place);
  }

  /// The operand's elements in the piece.
  Value load(OpOperand &operand, const Piece &piece) {
    SmallVector<Value> indices = indicesOf(operand, piece);
    if (moveOf(operand) == Move::Next && lanes > 1)
      return piece.load(builder, operand.get(), indices);
    return memref::LoadOp::create(builder, operand.get(), indices);
  }

  Value broadcast(Value value, const Piece &piece) {
    if (value.getType() == piece.type)
      return value;
    return vector::BroadcastOp::create(builder, piece.type, value);
  }

  /// The sums of all pieces, from what the result holds.
  void accumulate(ArrayRef<Piece> pieces) {
    OpOperand &init = *op.getDpsInitOperand(0);
    SmallVector<Value> starts;
    for (const Piece &piece : pieces)
      starts.push_back(broadcast(load(init, piece), piece));
    SmallVector<Value> results = sumOver(sums, starts, pieces);
    for (auto [piece, result] : llvm::zip(pieces, results)) {
      SmallVector<Value> place = indicesOf(init, piece);
      if (lanes > 1)
        piece.store(builder, result, init.get(), place);
      else
        memref::StoreOp::create(builder,
                                vector::ExtractOp::create(builder, result, 0),
                                init.get(), place);
    }
  }

  SmallVector<Value> sumOver(ArrayRef<unsigned> dims, ValueRange start,
                             ArrayRef<Piece> pieces) {
    if (dims.empty())
      return multiplyAdd(start, pieces);
    auto loop =
        scf::ForOp::create(builder, at(0), boundOf(dims.front()), at(1), start);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    position[dims.front()] = loop.getInductionVar();
    SmallVector<Value> next =
        sumOver(dims.drop_front(), loop.getRegionIterArgs(), pieces);
    scf::YieldOp::create(builder, next);
    return SmallVector<Value>(loop.getResults());
  }

  SmallVector<Value> multiplyAdd(ValueRange totals, ArrayRef<Piece> pieces) {
    auto add = cast<arith::AddFOp>(
        op.getBlock()->getTerminator()->getOperand(0).getDefiningOp());
    auto multiply = cast<arith::MulFOp>(add.getRhs().getDefiningOp());
    IRMapping same; // for all pieces
    for (OpOperand *operand : op.getDpsInputOperands())
      if (moveOf(*operand) == Move::None)
        same.map(op.getMatchingBlockArgument(operand),
                 load(*operand, pieces.front()));
    SmallVector<Value> next;
    for (auto [piece, total] : llvm::zip(pieces, totals)) {
      auto factor = [&, &piece = piece](Value argument) {
        Value value = same.lookupOrNull(argument);
        if (!value)
          value = load(*op.getMatchingOpOperand(cast<BlockArgument>(argument)),
                       piece);
        return broadcast(value, piece);
      };
      Value first = factor(multiply.getLhs());
      Value second = factor(multiply.getRhs());
      if (useFMA)
        next.push_back(math::FmaOp::create(builder, first, second, total));
      else
        next.push_back(arith::AddFOp::create(
            builder, total, arith::MulFOp::create(builder, first, second)));
    }
    return next;
  }

  linalg::LinalgOp op;
  ImplicitLocOpBuilder builder;
  unsigned vectorBits;
  bool useFMA;
  Type element;
  SmallVector<int64_t> ranges;
  SmallVector<Value> position; // by dimension
  SmallVector<unsigned> sums;
  unsigned columns = 0;
  int64_t lanes = 1;
};

struct VectorizeContractions
    : ::ingot::cpu::impl::VectorizeContractionsPassBase<VectorizeContractions> {
  using VectorizeContractionsPassBase::VectorizeContractionsPassBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics() && ::ingot::kernels::isContraction(op))
        ops.push_back(op);
    });
    // One without columns is left to its definition.
    for (linalg::LinalgOp op : ops)
      (void)ContractionLoops(op, vectorBits, useFMA).run();
  }
};

} // namespace
