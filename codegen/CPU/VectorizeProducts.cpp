//===- VectorizeProducts.cpp - Accumulators in registers ------------------===//

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

namespace {

/// A vector's place in a row of the tile.
struct Piece {
  int64_t column;
  VectorType type;
};

/// A row of `columns` as whole vectors, then halves, quarters and so on.
SmallVector<Piece> piecesOf(int64_t columns, int64_t lanes, Type element) {
  SmallVector<Piece> pieces;
  for (int64_t column = 0; column < columns;) {
    while (lanes > columns - column)
      lanes /= 2;
    pieces.push_back({column, VectorType::get({lanes}, element)});
    column += lanes;
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
    depth = ranges[2];
    pieces = piecesOf(ranges[1], vectorBits / type.getElementTypeBitWidth(),
                      type.getElementType());
    firstIsTransposed =
        op.getMatchingIndexingMap(op.getDpsInputOperand(0)).getDimPosition(0) !=
        0;
  }

  void run() {
    SmallVector<Value> accumulators;
    for (int64_t row = 0; row < rows; ++row)
      for (const Piece &piece : pieces)
        accumulators.push_back(vector::LoadOp::create(
            builder, piece.type, c, ValueRange{at(row), at(piece.column)}));
    auto loop = scf::ForOp::create(
        builder, at(0), at(depth), at(1), accumulators,
        [&](OpBuilder &inner, Location loc, Value k, ValueRange current) {
          ImplicitLocOpBuilder body(loc, inner);
          scf::YieldOp::create(body, step(body, k, current));
        });
    unsigned next = 0;
    for (int64_t row = 0; row < rows; ++row)
      for (const Piece &piece : pieces)
        vector::StoreOp::create(builder, loop.getResult(next++), c,
                                ValueRange{at(row), at(piece.column)});
    op->erase();
  }

private:
  Value at(int64_t index) {
    return arith::ConstantIndexOp::create(builder, index);
  }

  /// Adds one element's outer product to the accumulators.
  SmallVector<Value> step(ImplicitLocOpBuilder &body, Value k,
                          ValueRange current) {
    SmallVector<Value> line;
    for (const Piece &piece : pieces)
      line.push_back(vector::LoadOp::create(body, piece.type, b,
                                            ValueRange{k, at(piece.column)}));
    SmallVector<Value> next;
    for (int64_t row = 0; row < rows; ++row) {
      Value element = memref::LoadOp::create(
          body, a,
          firstIsTransposed ? ValueRange{k, at(row)} : ValueRange{at(row), k});
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

  linalg::LinalgOp op;
  ImplicitLocOpBuilder builder;
  bool useFMA, firstIsTransposed;
  Value a, b, c;
  int64_t rows, depth;
  SmallVector<Piece> pieces;
};

/// Whether the product has the form that the lowering writes, small enough to
/// be unrolled into registers.
bool fits(linalg::LinalgOp op) {
  if (!::ingot::kernels::isProduct(op) || !op.hasPureBufferSemantics())
    return false;
  MLIRContext *context = op.getContext();
  AffineExpr m, n, k;
  bindDims(context, m, n, k);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap plain = AffineMap::get(3, 0, {m, k}, context);
  AffineMap transposed = AffineMap::get(3, 0, {k, m}, context);
  auto isInside = [&](unsigned index) {
    return ::ingot::kernels::isContiguousInside(op->getOperand(index));
  };
  return (maps[0] == plain || maps[0] == transposed) &&
         maps[1] == AffineMap::get(3, 0, {k, n}, context) &&
         maps[2] == AffineMap::get(3, 0, {m, n}, context) && isInside(1) &&
         isInside(2) &&
         !llvm::is_contained(op.getStaticLoopRanges(), ShapedType::kDynamic) &&
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
