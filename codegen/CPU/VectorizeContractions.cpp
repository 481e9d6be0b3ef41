//===- VectorizeContractions.cpp - Products that have no register tile ----===//
// SPDX-License-Identifier: Apache-2.0
//
// Lowers contractions that are not register tiles to loops over vectors. The
// accumulators, in registers, are vectors of neighbouring elements in a row of
// the result. Each step of the sum loads the elements of one operand that are
// in the accumulators' columns, and broadcasts one element of the other
// operand. Loops that only index the broadcast operand run inside of the loop
// over columns, so that the loaded columns stay in the L1 cache. Each
// accumulator is one chain of multiply-adds in ascending order of the sum, as
// LowerContractionsToLoops.cpp defines a contraction.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/BlockSumTree.h"
#include "codegen/CPU/GEMMTile.h"
#include "codegen/CPU/Passes.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/Debug.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_VECTORIZECONTRACTIONSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

#define DEBUG_TYPE "ingot-cpu-vectorize-contractions"

using namespace mlir;
using namespace ::ingot::cpu;

namespace {

/// The number of independent accumulators: enough to hide the latency of an
/// FMA. They are `manyVectors` vectors, or `manyElements` scalars if vectors
/// cannot be used.
constexpr int64_t manyVectors = 4, manyElements = 8;

/// Lowers one contraction on buffers to loops over vectors.
class ContractionLoops {
public:
  ContractionLoops(linalg::LinalgOp op, unsigned vectorBits, bool useFMA)
      : op(op), builder(op.getLoc(), op), vectorBits(vectorBits),
        useFMA(useFMA), ranges(op.getStaticLoopRanges()),
        position(op.getNumLoops()) {
    element = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  }

  /// Lowers the op. Fails without a change if there is no loop over columns:
  /// the result is a scalar, or its last dimension is not indexed by a single
  /// loop.
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
    forPieces([&](ArrayRef<RegisterTileVector> pieces) {
      OpBuilder::InsertionGuard insideColumns(builder);
      for (unsigned dim : inside)
        openLoop(dim);
      accumulate(pieces);
    });
    op->erase();
    return success();
  }

  /// Whether the loops are over vectors, not over single elements.
  bool areVectors() const { return lanes > 1; }

private:
  Value at(int64_t index) {
    return arith::ConstantIndexOp::create(builder, index);
  }

  /// How an operand's address changes from one column of the result to the
  /// next: not at all, by one element, or otherwise.
  enum class ColumnStride { None, Next, Other };
  ColumnStride moveOf(OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isFunctionOfDim(columns))
      return ColumnStride::None;
    AffineExpr column = builder.getAffineDimExpr(columns);
    auto [strides, offset] =
        cast<MemRefType>(operand.get().getType()).getStridesAndOffset();
    for (auto [index, expr] : llvm::enumerate(map.getResults()))
      if (expr.isFunctionOfDim(columns) &&
          (expr != column || strides[index] != 1))
        return ColumnStride::Other;
    return ColumnStride::Next;
  }

  /// Finds `columns`, the loop over neighbouring elements in a row of the
  /// result, and sets `lanes` to the number of columns in a vector, or to 1 if
  /// vectors cannot be used. Fails if there is no such loop.
  LogicalResult findColumns() {
    AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    if (result.getNumResults() == 0) {
      LLVM_DEBUG(llvm::dbgs() << "no loop over columns at " << op.getLoc()
                              << ": the result is a scalar\n");
      return failure();
    }
    auto last = dyn_cast<AffineDimExpr>(result.getResults().back());
    if (!last) {
      LLVM_DEBUG(llvm::dbgs() << "no loop over columns at " << op.getLoc()
                              << ": several loops index the last dimension of "
                                 "the result\n");
      return failure();
    }
    columns = last.getPosition();
    bool areNeighbours =
        llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
          return moveOf(operand) != ColumnStride::Other;
        });
    // A float of 16 bits takes a lane of 32 bits, as it is computed in f32.
    unsigned bits = std::max(32u, element.getIntOrFloatBitWidth());
    lanes = areNeighbours ? std::max<int64_t>(1, vectorBits / bits) : 1;
    LLVM_DEBUG(llvm::dbgs() << "contraction at " << op.getLoc() << ": columns "
                            << ranges[columns] << ", " << lanes << " lanes\n");
    return success();
  }

  /// Whether no operand depends on both loop `dim` and the loop over columns.
  /// Each operand that `dim` indexes is then broadcast along the columns, and
  /// the loop over `dim` may be inside of the loop over columns.
  bool isOfRows(unsigned dim) {
    return llvm::none_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
      AffineMap map = op.getMatchingIndexingMap(operand);
      return map.isFunctionOfDim(columns) && map.isFunctionOfDim(dim);
    });
  }

  /// Returns the trip count of loop `dim`.
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

  /// Builds a loop over `dim`, and moves the insertion point into its body.
  void openLoop(unsigned dim) {
    auto loop = scf::ForOp::create(builder, at(0), boundOf(dim), at(1));
    position[dim] = loop.getInductionVar();
    builder.setInsertionPointToStart(loop.getBody());
  }

  /// A callback that builds the code of some pieces of a row; a piece is a
  /// vector, or a single element.
  using Body = llvm::function_ref<void(ArrayRef<RegisterTileVector>)>;

  /// Builds loops over all columns of a row, each iteration of which calls
  /// `body` for several pieces. If the number of columns is static, the
  /// remaining columns are passed to `body` in one further call. If the number
  /// is dynamic, the remaining columns are computed by a loop over single
  /// vectors, and then by a loop over single columns.
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

  /// Builds a loop over the `size` columns [from, to) in steps of `by`, or only
  /// its body if there is one step. Builds nothing if `size` is 0.
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
    RowEnd end = lanes > 1 && (element.isF32() || element.isF64())
                     ? rowEndOf(vectorBits, element.getIntOrFloatBitWidth())
                     : RowEnd::Halves;
    body(piecesOf(by, std::min(lanes, by), element, end));
  }

  /// Returns the indices of the operand's first element in the piece.
  SmallVector<Value> indicesOf(OpOperand &operand,
                               const RegisterTileVector &piece) {
    SmallVector<Value> place = position;
    if (piece.column != 0)
      place[columns] =
          arith::AddIOp::create(builder, position[columns], at(piece.column));
    AffineMap map = op.getMatchingIndexingMap(&operand);
    return *affine::expandAffineMap(builder, op.getLoc(), map, place);
  }

  /// Loads the operand's elements for the vector `piece` of the tile. If the
  /// operand does not vary along the columns, loads the one element that they
  /// share.
  Value load(OpOperand &operand, const RegisterTileVector &piece) {
    SmallVector<Value> indices = indicesOf(operand, piece);
    if (moveOf(operand) == ColumnStride::Next && lanes > 1)
      return piece.load(builder, operand.get(), indices);
    return memref::LoadOp::create(builder, operand.get(), indices);
  }

  Value broadcast(Value value, const RegisterTileVector &piece) {
    if (value.getType() == piece.type)
      return value;
    return vector::BroadcastOp::create(builder, piece.type, value);
  }

  /// Builds the sums of all pieces, starting from the elements of the result,
  /// and stores them.
  void accumulate(ArrayRef<RegisterTileVector> pieces) {
    OpOperand &init = *op.getDpsInitOperand(0);
    SmallVector<Value> starts;
    for (const RegisterTileVector &piece : pieces)
      starts.push_back(broadcast(load(init, piece), piece));
    SmallVector<Value> results = sumAll(starts, pieces);
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

  /// Builds all reduction loops, and returns the accumulators after them. Each
  /// block of K starts from `start` if the sum is a tree of blocks.
  SmallVector<Value> sumAll(ValueRange start,
                            ArrayRef<RegisterTileVector> pieces) {
    int64_t size = sumBlockOf(op);
    if (size == 0)
      return sumOver(sums, start, pieces);
    unsigned depth = sums.front();
    return sumBlocks(builder, ranges[depth], size, start.getTypes(),
                     [&](ImplicitLocOpBuilder &body, Value begin) {
                       OpBuilder::InsertionGuard guard(builder);
                       builder.restoreInsertionPoint(body.saveInsertionPoint());
                       Value end =
                           arith::AddIOp::create(builder, begin, at(size));
                       SmallVector<Value> sum =
                           sumRange(sums, start, pieces, begin, end);
                       body.restoreInsertionPoint(builder.saveInsertionPoint());
                       return sum;
                     });
  }

  /// Builds the reduction loops `dims`, the first one outermost, and returns
  /// the accumulators after them.
  SmallVector<Value> sumOver(ArrayRef<unsigned> dims, ValueRange start,
                             ArrayRef<RegisterTileVector> pieces) {
    if (dims.empty())
      return multiplyAdd(start, pieces);
    return sumRange(dims, start, pieces, at(0), boundOf(dims.front()));
  }

  /// Like sumOver(), with the bounds of the outermost of these loops.
  SmallVector<Value> sumRange(ArrayRef<unsigned> dims, ValueRange start,
                              ArrayRef<RegisterTileVector> pieces, Value begin,
                              Value end) {
    auto loop = scf::ForOp::create(builder, begin, end, at(1), start);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    position[dims.front()] = loop.getInductionVar();
    SmallVector<Value> next =
        sumOver(dims.drop_front(), loop.getRegionIterArgs(), pieces);
    scf::YieldOp::create(builder, next);
    return SmallVector<Value>(loop.getResults());
  }

  /// Emits the innermost step of the contraction: multiplies elements of the
  /// two operands at the current indices of the loops for each vector of
  /// `pieces`, and adds the product to the accumulator in `totals`. Returns the
  /// new accumulators.
  SmallVector<Value> multiplyAdd(ValueRange totals,
                                 ArrayRef<RegisterTileVector> pieces) {
    auto add = cast<arith::AddFOp>(
        op.getBlock()->getTerminator()->getOperand(0).getDefiningOp());
    auto multiply = cast<arith::MulFOp>(add.getRhs().getDefiningOp());
    // An operand whose address does not depend on the column is loaded once for
    // all vectors.
    IRMapping same;
    for (OpOperand *operand : op.getDpsInputOperands())
      if (moveOf(*operand) == ColumnStride::None)
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
  SmallVector<Value> position; // current index, indexed by loop
  SmallVector<unsigned> sums;  // the reduction loops
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
    // run() fails for ops without a loop over columns and leaves them
    // unchanged. The pass LowerContractionsToLoops lowers them.
    for (linalg::LinalgOp op : ops) {
      ContractionLoops loops(op, vectorBits, useFMA);
      if (failed(loops.run()))
        continue;
      if (loops.areVectors())
        ++numVectorized;
      else
        ++numElementwise;
    }
  }
};

} // namespace
