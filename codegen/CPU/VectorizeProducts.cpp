//===- VectorizeProducts.cpp - Accumulators in registers ------------------===//

#include "codegen/CPU/FetchAhead.h"
#include "codegen/CPU/Passes.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_VECTORIZEPRODUCTSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;
using ::ingot::cpu::FetchAhead;

namespace {

/// A vector's place in a row of the tile, and how many of its elements are in
/// that row.
struct Piece {
  int64_t column;
  VectorType type;
  int64_t used;

  bool isWhole() const { return used == type.getNumElements(); }
};

/// A row of `columns` as whole vectors, then halves, quarters and so on; where
/// that would be several, and vectors can be loaded in part, as one that is not
/// used up.
SmallVector<Piece> piecesOf(int64_t columns, int64_t lanes, Type element,
                            bool hasMasks) {
  SmallVector<Piece> pieces;
  for (int64_t column = 0; column < columns;) {
    int64_t used = std::min(lanes, columns - column);
    if (used < lanes)
      lanes =
          hasMasks ? llvm::PowerOf2Ceil(used) : llvm::bit_floor<uint64_t>(used);
    used = std::min(lanes, used);
    pieces.push_back({column, VectorType::get({lanes}, element), used});
    column += used;
  }
  return pieces;
}

class ProductLowering {
public:
  ProductLowering(linalg::LinalgOp op, unsigned vectorBits, bool useFMA)
      : op(op), builder(op.getLoc(), op), useFMA(useFMA) {
    a = op.getDpsInputOperand(0)->get();
    b = op.getDpsInputOperand(1)->get();
    c = op.getDpsInitOperand(0)->get();
    auto type = cast<MemRefType>(c.getType());
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    rows = ranges[0];
    sums.assign(ranges.begin() + 2, ranges.end());
    pieces = piecesOf(ranges[1], vectorBits / type.getElementTypeBitWidth(),
                      type.getElementType(), vectorBits >= bitsWithMasks);
    firstIsTransposed =
        op.getMatchingIndexingMap(op.getDpsInputOperand(0)).getDimPosition(0) !=
        0;
  }

  void run() {
    Value start = takeStart();
    prefetch();
    SmallVector<Value> accumulators;
    for (int64_t row = 0; row < rows; ++row)
      for (const Piece &piece : pieces)
        accumulators.push_back(
            start ? vector::BroadcastOp::create(builder, piece.type, start)
                        .getResult()
                  : load(builder, piece, c, {at(row), at(piece.column)}));
    if (depth() >= minDepth && depth() != anyDepth)
      ahead.emplace(op, depth(), builder);
    SmallVector<Value> results = sum(builder, {}, accumulators);
    unsigned next = 0;
    for (int64_t row = 0; row < rows; ++row)
      for (const Piece &piece : pieces)
        store(results[next++], piece, {at(row), at(piece.column)});
    op->erase();
  }

private:
  Value at(int64_t index) {
    return arith::ConstantIndexOp::create(builder, index);
  }

  /// Which elements of the piece are in its row.
  static Value maskOf(ImplicitLocOpBuilder &b, const Piece &piece) {
    SmallVector<bool> used(piece.type.getNumElements(), false);
    std::fill_n(used.begin(), piece.used, true);
    auto type = VectorType::get(piece.type.getShape(), b.getI1Type());
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, used));
  }

  /// Zero, where the piece has more elements than its row.
  static Value load(ImplicitLocOpBuilder &b, const Piece &piece, Value from,
                    ValueRange place) {
    if (piece.isWhole())
      return vector::LoadOp::create(b, piece.type, from, place);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(piece.type));
    return vector::MaskedLoadOp::create(b, piece.type, from, place,
                                        maskOf(b, piece), zero);
  }

  void store(Value value, const Piece &piece, ValueRange place) {
    if (piece.isWhole())
      vector::StoreOp::create(builder, value, c, place);
    else
      vector::MaskedStoreOp::create(builder, c, place, maskOf(builder, piece),
                                    value);
  }

  /// The accumulators behind all of the sum where `place` are the indices of
  /// its outer loops.
  SmallVector<Value> sum(ImplicitLocOpBuilder &outside, ValueRange place,
                         ValueRange accumulators) {
    auto number = [&](int64_t value) {
      return arith::ConstantIndexOp::create(outside, value);
    };
    int64_t size = sums[place.size()];
    Value end = ShapedType::isDynamic(size)
                    ? memref::DimOp::create(outside, b, 0).getResult()
                    : number(size).getResult();
    auto loop = scf::ForOp::create(
        outside, number(0), end, number(1), accumulators,
        [&](OpBuilder &inner, Location loc, Value k, ValueRange current) {
          ImplicitLocOpBuilder body(loc, inner);
          SmallVector<Value> indices(place);
          indices.push_back(k);
          scf::YieldOp::create(body, indices.size() == sums.size()
                                         ? step(body, indices, current)
                                         : sum(body, indices, current));
        });
    return loop.getResults();
  }

  /// The number that the accumulators begin with, which no memory has to hold
  /// then; null where that is what the tile holds.
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

  /// The steps of the sum; of an unknown number, many.
  int64_t depth() const {
    int64_t steps = 1;
    for (int64_t size : sums)
      steps = ShapedType::isDynamic(size) ? anyDepth : steps * size;
    return steps;
  }

  /// What the ops behind the product read and write of large tensors, row by
  /// row, comes while it is computed: not to the innermost cache, where rows
  /// that are a power of two apart push each other out.
  void prefetch() {
    constexpr int64_t bytesOfLine = 64;
    if (depth() < minDepth)
      return;
    for (Value view : readBehind()) {
      bool isWritten = llvm::any_of(view.getUsers(), [&](Operation *user) {
        auto generic = dyn_cast<linalg::GenericOp>(user);
        return generic && llvm::is_contained(generic.getDpsInits(), view);
      });
      auto type = cast<MemRefType>(view.getType());
      int64_t step = bytesOfLine * 8 / type.getElementTypeBitWidth();
      for (int64_t row = 0; row < type.getDimSize(0); ++row)
        for (int64_t column = 0; column < type.getDimSize(1); column += step)
          memref::PrefetchOp::create(builder, view,
                                     ValueRange{at(row), at(column)}, isWritten,
                                     /*localityHint=*/2, /*isDataCache=*/true);
    }
  }

  /// Tiles of large tensors that what consumes this one has beside it, where
  /// they are at hand before the product.
  SmallVector<Value> readBehind() {
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

  /// Whether the view is a tile of this size, of a tensor that no cache of a
  /// core's own holds.
  bool isLargeTile(memref::SubViewOp view) {
    constexpr int64_t minElements = 128 * 1024;
    auto type = view.getType();
    auto whole = dyn_cast<MemRefType>(
        ::ingot::kernels::rootOf(view.getResult()).getType());
    return whole && whole.hasStaticShape() &&
           whole.getNumElements() >= minElements &&
           type.getShape() == cast<MemRefType>(c.getType()).getShape() &&
           type.getElementType().isIntOrFloat() &&
           ::ingot::kernels::isContiguousInside(view.getResult());
  }

  /// Adds one element's outer product to the accumulators.
  SmallVector<Value> step(ImplicitLocOpBuilder &body, ValueRange place,
                          ValueRange current) {
    auto join = [&](ValueRange indices, Value last) {
      SmallVector<Value> all(indices);
      all.push_back(last);
      return all;
    };
    if (ahead)
      ahead->at(body, place);
    SmallVector<Value> line;
    for (const Piece &piece : pieces)
      line.push_back(load(body, piece, b, join(place, at(piece.column))));
    SmallVector<Value> next;
    for (int64_t row = 0; row < rows; ++row) {
      SmallVector<Value> indices = {at(row)};
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

  /// Vectors of this size load and store some of their elements as fast as all
  /// (AVX-512).
  static constexpr unsigned bitsWithMasks = 512;
  /// Shorter sums are over before anything has come.
  static constexpr int64_t minDepth = 64;
  static constexpr int64_t anyDepth = std::numeric_limits<int64_t>::max();

  linalg::LinalgOp op;
  ImplicitLocOpBuilder builder;
  std::optional<FetchAhead> ahead;
  bool useFMA, firstIsTransposed;
  Value a, b, c;
  int64_t rows;
  SmallVector<int64_t> sums; // the loops that are summed over
  SmallVector<Piece> pieces;
};

/// Whether the op is a product, over one dimension or several.
bool isNestedProduct(linalg::LinalgOp op) {
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

/// Whether the product has the form that the lowering writes, small enough to
/// be unrolled into registers.
bool fits(linalg::LinalgOp op) {
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

struct VectorizeProducts
    : ::ingot::cpu::impl::VectorizeProductsPassBase<VectorizeProducts> {
  using VectorizeProductsPassBase::VectorizeProductsPassBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> products;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (fits(op))
        products.push_back(op);
    });
    for (linalg::LinalgOp op : products)
      ProductLowering(op, vectorBits, useFMA).run();
  }
};

} // namespace
