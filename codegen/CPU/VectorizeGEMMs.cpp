//===- VectorizeGEMMs.cpp - The micro-kernel of GEMMs ---------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// A register tile C[rows, columns] += A[rows, K] * B[K, columns], as in BLIS's
// micro-kernel. The K loop carries rows * pieces accumulators, where a piece is
// a vector of a row. Its body loads one row of B as vectors and, for each row
// of A, broadcasts one element and issues one FMA per vector. A is [rows, K] or
// [K, rows], B is [K, columns] (packed or in place), and K may be several
// nested loops (ElideIm2col). K is innermost and ascending, so each element is
// one chain of FMAs, with the same bits as in LowerContractionsToLoops. With
// `host.sum_block` it is a tree of such chains (BlockSumTree.h).
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/BF16Pairs.h"
#include "codegen/CPU/BlockSumTree.h"
#include "codegen/CPU/GEMMTile.h"
#include "codegen/CPU/PanelPrefetch.h"
#include "codegen/CPU/Passes.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"
#include "runtime/ABI/Mutants.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "ingot-cpu-vectorize-gemms"

namespace ingot::cpu {
#define GEN_PASS_DEF_VECTORIZEGEMMSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;
using namespace ::ingot::cpu;

namespace {

/// Builds the micro-kernel of one register tile. It uses FMAs of f32 or, if
/// `panel` has pairs, VDPBF16PS.
class MicroKernel {
public:
  MicroKernel(linalg::LinalgOp op, unsigned vectorBits, bool useFMA,
              const CacheHierarchy &caches, PackedBF16PairsB panel)
      : op(op), builder(op.getLoc(), op), ahead(std::move(panel.ahead)),
        caches(caches), useFMA(useFMA), pairs(panel.pairs),
        firstColumn(panel.column) {
    a = op.getDpsInputOperand(0)->get();
    b = op.getDpsInputOperand(1)->get();
    c = op.getDpsInitOperand(0)->get();
    auto type = cast<MemRefType>(c.getType());
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    rows = ranges[0];
    sums.assign(ranges.begin() + 2, ranges.end());
    sumBlock = sumBlockOf(op);
    pieces = piecesOf(ranges[1], vectorBits / type.getElementTypeBitWidth(),
                      type.getElementType(),
                      rowEndOf(vectorBits, type.getElementTypeBitWidth()),
                      pairs ? minPairLanes : 1);
    firstIsTransposed =
        op.getMatchingIndexingMap(op.getDpsInputOperand(0)).getDimPosition(0) !=
        0;
    if (pairs)
      firstPairs.emplace(op, firstIsTransposed);
  }

  void run() {
    Value start = takeStart();
    if (!ahead && depth() >= minDepth && depth() != anyDepth)
      ahead.emplace(op, depth(), caches.minPrefetchedBytes(), builder);
    prefetch();
    SmallVector<Value> accumulators;
    for (int64_t row = 0; row < rows; ++row)
      for (const RegisterTileVector &piece : pieces)
        accumulators.push_back(
            start ? vector::BroadcastOp::create(builder, piece.type, start)
                        .getResult()
                  : piece.load(builder, c, {at(row), at(piece.column)}));
    SmallVector<Value> results =
        sumBlock != 0 ? sumTree(accumulators) : sum(builder, {}, accumulators);
    unsigned next = 0;
    for (int64_t row = 0; row < rows; ++row)
      for (const RegisterTileVector &piece : pieces)
        piece.store(builder, results[next++], c, {at(row), at(piece.column)});
    op->erase();
  }

private:
  Value at(int64_t index) {
    return arith::ConstantIndexOp::create(builder, index);
  }

  /// Builds the sum of all blocks of K, each of which starts from
  /// `accumulators`.
  SmallVector<Value> sumTree(ValueRange accumulators) {
    return sumBlocks(builder, sums.front(), sumBlock, accumulators.getTypes(),
                     [&](ImplicitLocOpBuilder &body, Value begin) {
                       Value end = arith::AddIOp::create(body, begin,
                                                         at(body, sumBlock));
                       return sumRange(body, {}, accumulators, begin, end);
                     });
  }

  /// Builds the remaining, inner K loops, inside of the K loops whose indices
  /// are `place`. Returns the accumulators after them.
  SmallVector<Value> sum(ImplicitLocOpBuilder &outside, ValueRange place,
                         ValueRange accumulators) {
    int64_t size = sums[place.size()];
    Value end = ShapedType::isDynamic(size)
                    ? memref::DimOp::create(outside, b, 0).getResult()
                    : at(outside, size);
    return sumRange(outside, place, accumulators, at(outside, 0), end);
  }

  /// Like sum(), with the bounds of the outermost of these loops.
  SmallVector<Value> sumRange(ImplicitLocOpBuilder &outside, ValueRange place,
                              ValueRange accumulators, Value begin, Value end) {
    bool isLast = place.size() + 1 == sums.size();
    if (isLast && !firstPairs && ahead)
      return sumAndPrefetch(outside, place, accumulators, begin);
    auto loop = scf::ForOp::create(
        outside, begin, end,
        at(outside, firstPairs && isLast ? firstPairs->size() : 1),
        accumulators,
        [&](OpBuilder &inner, Location loc, Value k, ValueRange current) {
          ImplicitLocOpBuilder body(loc, inner);
          SmallVector<Value> indices(place);
          indices.push_back(k);
          scf::YieldOp::create(body, !isLast ? sum(body, indices, current)
                                     : firstPairs
                                         ? sumPairs(body, indices, current)
                                         : step(body, indices, current));
        });
    return loop.getResults();
  }

  /// Builds the innermost K loop, from step `begin` on, with prefetches before
  /// each PanelPrefetch::period() steps, which are a loop of their own.
  SmallVector<Value> sumAndPrefetch(ImplicitLocOpBuilder &outside,
                                    ValueRange place, ValueRange accumulators,
                                    Value begin) {
    int64_t size = sumBlock != 0 ? sumBlock : sums.back();
    int64_t period = std::min(ahead->period(), size), rest = size % period;
    Value end =
        outside.createOrFold<arith::AddIOp>(begin, at(outside, size - rest));
    auto steps = [&](ImplicitLocOpBuilder &b, Value first, int64_t count,
                     ValueRange current) -> SmallVector<Value> {
      SmallVector<Value> indices(place);
      indices.push_back(first);
      ahead->at(b, indices, count);
      if (count == 1)
        return step(b, indices, current);
      Value last = arith::AddIOp::create(b, first, at(b, count));
      auto loop = scf::ForOp::create(
          b, first, last, at(b, 1), current,
          [&](OpBuilder &inner, Location loc, Value k, ValueRange sums) {
            ImplicitLocOpBuilder body(loc, inner);
            indices.back() = k;
            scf::YieldOp::create(body, step(body, indices, sums));
          });
      return loop.getResults();
    };
    auto loop = scf::ForOp::create(
        outside, begin, end, at(outside, period), accumulators,
        [&](OpBuilder &inner, Location loc, Value first, ValueRange current) {
          ImplicitLocOpBuilder body(loc, inner);
          scf::YieldOp::create(body, steps(body, first, period, current));
        });
    return rest == 0 ? SmallVector<Value>(loop.getResults())
                     : steps(outside, end, rest, loop.getResults());
  }

  /// Erases the fill that initializes the tile and returns the filled value, so
  /// that accumulators start from a constant instead of memory. Returns null if
  /// there is no such fill before the op, or an op that may access memory lies
  /// between them.
  Value takeStart() {
    for (Operation *before = op->getPrevNode(); before;
         before = before->getPrevNode()) {
      if (auto fill = dyn_cast<linalg::FillOp>(before);
          fill && fill.getOutputs().front() == c) {
        Value start = fill.getInputs().front();
        fill.erase();
        return start;
      }
      if (!isMemoryEffectFree(before))
        return {};
    }
    return {};
  }

  /// Returns the number of K steps of all K loops, or `anyDepth` if it is
  /// dynamic.
  int64_t depth() const {
    int64_t steps = 1;
    for (int64_t size : sums)
      steps = ShapedType::isDynamic(size) ? anyDepth : steps * size;
    return steps;
  }

  /// Prefetches the tiles of large tensors that the epilogue reads and writes,
  /// so that they arrive during the K loop. They go to L2: in L1, rows whose
  /// distance is a power of two map to one cache set and evict each other.
  void prefetch() {
    constexpr int64_t bytesOfLine = 64;
    if (depth() < minDepth)
      return;
    for (Value view : epilogueTiles()) {
      bool isWritten = llvm::any_of(view.getUsers(), [&](Operation *user) {
        auto generic = dyn_cast<linalg::GenericOp>(user);
        return generic && llvm::is_contained(generic.getDpsInits(), view);
      });
      auto type = cast<MemRefType>(view.getType());
      if (ahead && !firstPairs) {
        ahead->addTile(view, isWritten);
        continue;
      }
      int64_t step = bytesOfLine * 8 / type.getElementTypeBitWidth();
      for (int64_t row = 0; row < type.getDimSize(0); ++row)
        for (int64_t column = 0; column < type.getDimSize(1); column += step)
          memref::PrefetchOp::create(builder, view,
                                     ValueRange{at(row), at(column)}, isWritten,
                                     /*localityHint=*/2, /*isDataCache=*/true);
    }
  }

  /// Returns the tiles of large tensors that the epilogue accesses besides this
  /// tile of C, if their addresses can be computed before the GEMM. Moves their
  /// subviews before the GEMM if needed.
  SmallVector<Value> epilogueTiles() {
    SmallVector<Value> views;
    for (Operation *user : c.getUsers()) {
      if (user == op || user->getBlock() != op->getBlock() ||
          !isa<linalg::GenericOp>(user) || user->isBeforeInBlock(op))
        continue;
      for (Value operand : user->getOperands()) {
        auto view = operand.getDefiningOp<memref::SubViewOp>();
        if (!view || operand == c || view->getBlock() != op->getBlock() ||
            !isLargeTile(view) || llvm::is_contained(views, operand))
          continue;
        if (op->isBeforeInBlock(view)) {
          if (llvm::any_of(view->getOperands(), [&](Value index) {
                Operation *definition = index.getDefiningOp();
                return definition && definition->getBlock() == op->getBlock() &&
                       !definition->isBeforeInBlock(op);
              }))
            continue;
          view->moveBefore(op);
        }
        views.push_back(operand);
      }
    }
    return views;
  }

  /// Whether the view has the size of this tile, and is a part of a tensor that
  /// does not fit into a core's own caches.
  bool isLargeTile(memref::SubViewOp view) {
    auto type = view.getType();
    auto whole = dyn_cast<MemRefType>(
        ::ingot::kernels::rootOf(view.getResult()).getType());
    return whole && whole.hasStaticShape() &&
           whole.getElementType().isIntOrFloat() &&
           whole.getNumElements() * whole.getElementTypeBitWidth() >=
               8 * caches.minPrefetchedEpilogueBytes() &&
           type.getShape() == cast<MemRefType>(c.getType()).getShape() &&
           ::ingot::kernels::isContiguousInside(view.getResult());
  }

  /// Builds one step of K: adds the outer product of a column of A and a row of
  /// B to the accumulators, and returns the new ones.
  SmallVector<Value> step(ImplicitLocOpBuilder &body, ValueRange place,
                          ValueRange current) {
    auto join = [&](ValueRange indices, Value last) {
      SmallVector<Value> all(indices);
      all.push_back(last);
      return all;
    };
    SmallVector<Value> line;
    for (const RegisterTileVector &piece : pieces)
      line.push_back(piece.load(body, b, join(place, at(piece.column))));
    SmallVector<Value> next;
    for (int64_t row = 0; row < rows; ++row) {
      SmallVector<Value> indices = {at(
          INGOT_MUTANT("wrong_row_of_a_product") && row + 1 == rows ? 0 : row)};
      indices.append(place.begin(), place.end());
      Value element = memref::LoadOp::create(
          body, a, firstIsTransposed ? join(place, at(row)) : indices);
      for (auto [piece, values] : llvm::zip(pieces, line)) {
        Value factor = vector::BroadcastOp::create(body, piece.type, element);
        Value sum = current[next.size()];
        if (useFMA)
          next.push_back(math::FmaOp::create(body, factor, values, sum));
        else
          next.push_back(arith::AddFOp::create(
              body, arith::MulFOp::create(body, factor, values), sum));
      }
    }
    return next;
  }

  /// Builds the accumulation over one block of the K dimension, which starts at
  /// the indices `place`. First packs A's elements of the block in pairs (see
  /// PackedBF16PairsA). Then each iteration adds the products of one pair,
  /// which is two steps of K, by VDPBF16PS.
  SmallVector<Value> sumPairs(ImplicitLocOpBuilder &outside, ValueRange place,
                              ValueRange accumulators) {
    firstPairs->pack(outside, place);
    Value begin = arith::DivUIOp::create(outside, place.back(), at(outside, 2));
    if (place.size() > 1) {
      Value outer = place[0];
      for (auto [index, size] : llvm::zip(place.drop_front().drop_back(),
                                          ArrayRef(sums).drop_front()))
        outer = arith::AddIOp::create(
            outside, arith::MulIOp::create(outside, outer, at(outside, size)),
            index);
      outer = arith::MulIOp::create(outside, outer,
                                    at(outside, (sums.back() + 1) / 2));
      begin = arith::AddIOp::create(outside, begin, outer);
    }
    auto loop = scf::ForOp::create(
        outside, at(outside, 0), at(outside, firstPairs->numPairs()),
        at(outside, 1), accumulators,
        [&](OpBuilder &inner, Location loc, Value pair, ValueRange current) {
          ImplicitLocOpBuilder body(loc, inner);
          fetchFor(body, place, pair);
          Value row = arith::AddIOp::create(body, begin, pair);
          scf::YieldOp::create(body, addPairsOf(body, pair, row, current));
        });
    return loop.getResults();
  }

  /// Builds the prefetches for the two steps of K that make up pair `pair`.
  void fetchFor(ImplicitLocOpBuilder &body, ValueRange place, Value pair) {
    if (!ahead)
      return;
    SmallVector<Value> indices(place);
    indices.back() = arith::AddIOp::create(
        body, indices.back(), arith::MulIOp::create(body, pair, at(body, 2)));
    ahead->at(body, indices, /*steps=*/2);
  }

  /// Adds the products of two steps of K to the accumulators: for each row of
  /// A, the pair with index `ofFirst` in the packed row, times row `ofSecond`
  /// of the packed B.
  SmallVector<Value> addPairsOf(ImplicitLocOpBuilder &body, Value ofFirst,
                                Value ofSecond, ValueRange current) {
    SmallVector<Value> line, next;
    for (const RegisterTileVector &piece : pieces) {
      Value column = at(body, piece.column);
      if (firstColumn)
        column = arith::AddIOp::create(body, firstColumn, column);
      line.push_back(piece.load(body, pairs, {ofSecond, column}));
    }
    for (int64_t row = 0; row < rows; ++row) {
      Value pair = firstPairs->at(body, row, ofFirst);
      for (auto [piece, values] : llvm::zip(pieces, line)) {
        Value factor = vector::BroadcastOp::create(body, piece.type, pair);
        next.push_back(addPairs(body, current[next.size()], factor, values));
      }
    }
    return next;
  }

  static Value at(ImplicitLocOpBuilder &b, int64_t index) {
    return arith::ConstantIndexOp::create(b, index);
  }

  /// The minimum number of K steps for which prefetching saves time: a shorter
  /// K loop ends before a prefetched line arrives. `anyDepth` represents a
  /// dynamic number of steps.
  static constexpr int64_t minDepth = 64;
  static constexpr int64_t anyDepth = std::numeric_limits<int64_t>::max();

  linalg::LinalgOp op;
  ImplicitLocOpBuilder builder;
  std::optional<PanelPrefetch> ahead;
  const CacheHierarchy &caches;
  bool useFMA, firstIsTransposed;
  Value a, b, c;
  int64_t rows;
  SmallVector<int64_t> sums; // sizes of the K loops
  int64_t sumBlock;          // steps of K in a block of the tree, or 0
  SmallVector<RegisterTileVector> pieces;
  Value pairs;       // B packed in pairs, or null
  Value firstColumn; // the first column of the tile in `pairs`; null: 0
  std::optional<PackedBF16PairsA> firstPairs;
};

struct VectorizeGEMMs
    : ::ingot::cpu::impl::VectorizeGEMMsPassBase<VectorizeGEMMs> {
  using VectorizeGEMMsPassBase::VectorizeGEMMsPassBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> products;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isGEMMTile(op))
        products.push_back(op);
    });
    llvm::DenseMap<Operation *, PackedBF16PairsB> panels;
    if (pairFactors)
      panels = packPairs(products, caches);
    for (linalg::LinalgOp op : products) {
      PackedBF16PairsB panel = panels.lookup(op);
      ++numTiles;
      if (panel.pairs)
        ++numPaired;
      LLVM_DEBUG(llvm::dbgs() << "micro-kernel " << op.getStaticLoopRanges()[0]
                              << " x " << op.getStaticLoopRanges()[1]
                              << (panel.pairs ? " on pairs" : "") << "\n");
      MicroKernel(op, vectorBits, useFMA, caches, std::move(panel)).run();
    }
  }
};

} // namespace
