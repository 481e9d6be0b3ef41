//===- UnbatchGEMMs.cpp - Batch GEMMs become loops over GEMMs -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// A batch GEMM C[b, M, N] = A[b, M, K] * B[b, K, N] becomes a grid loop over b
// with one two-dimensional GEMM in its body, which TileGEMMs tiles to
// registers. This changes no bit: GEMMs of a batch share no element of C, and
// each element's sum still runs over K in ascending order.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/Passes.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/Debug.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_UNBATCHGEMMSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

#define DEBUG_TYPE "ingot-cpu-unbatch-gemms"

using namespace mlir;

namespace {

/// A batch is unbatched only if each of its GEMMs has at least this number of
/// multiply-adds. VectorizeContractions lowers a batch of smaller GEMMs to one
/// loop nest over the batch and the GEMM. That nest does not vectorize sums if
/// the second operand is transposed, so then even small GEMMs are unbatched.
constexpr int64_t minOperations = 4096, minTransposedOperations = 1024;

/// A batched GEMM with the operands `first` and `second`. `firstLoops`,
/// `secondLoops` and `resultLoops` have, for each dimension of the operand or
/// of the result, the loop that indexes the dimension. Batch dimensions may be
/// anywhere among the dimensions of the matrices.
struct BatchedGEMM {
  linalg::GenericOp op;
  linalg::FillOp start; // initializes the result
  Value first, second;
  SmallVector<unsigned> firstLoops, secondLoops, resultLoops;
  SmallVector<unsigned> batch;   // loops of the batch, in the result's order
  unsigned rows, columns, depth; // the loops of M, N and K

  bool isFirstTransposed() const { return isBefore(firstLoops, depth, rows); }
  bool isSecondTransposed() const {
    return isBefore(secondLoops, columns, depth);
  }

  /// Whether the dimension that loop `one` indexes comes before the dimension
  /// that loop `other` indexes, in a tensor whose dimensions are indexed by
  /// `loops`.
  static bool isBefore(ArrayRef<unsigned> loops, unsigned one, unsigned other) {
    return llvm::find(loops, one) < llvm::find(loops, other);
  }
};

} // namespace

/// Whether the op's body adds a product to the accumulator, and does nothing
/// else.
static bool sumsProducts(linalg::GenericOp op) {
  Block &body = *op.getBlock();
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  return body.getOperations().size() == 3 && add &&
         add.getLhs() == body.getArgument(2) &&
         add.getRhs().getDefiningOp<arith::MulFOp>();
}

/// Returns the loop that indexes each dimension of an operand, or an empty
/// vector if a dimension is not indexed by a single loop.
static SmallVector<unsigned> loopsOf(AffineMap map) {
  SmallVector<unsigned> loops;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return {};
    loops.push_back(dim.getPosition());
  }
  return loops;
}

/// Returns the op as a batched GEMM. Returns std::nullopt if the op is not a
/// batched GEMM, has dynamic sizes, or has GEMMs that are too small for
/// register tiles.
static std::optional<BatchedGEMM> batchOf(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 1 || op.getNumLoops() < 4 ||
      !op.hasPureTensorSemantics() || !sumsProducts(op))
    return std::nullopt;
  SmallVector<unsigned> operands[3];
  for (auto [loops, map] : llvm::zip(operands, op.getIndexingMapsArray())) {
    loops = loopsOf(map);
    if (loops.size() != op.getNumLoops() - 1)
      return std::nullopt;
  }
  BatchedGEMM found = {op,
                       op.getDpsInits()[0].getDefiningOp<linalg::FillOp>(),
                       op.getInputs()[0],
                       op.getInputs()[1],
                       operands[0],
                       operands[1],
                       operands[2],
                       {},
                       0,
                       0,
                       0};
  SmallVector<unsigned> reduced, matrix;
  op.getReductionDims(reduced);
  found.depth = reduced[0];
  for (unsigned loop : found.resultLoops)
    (llvm::is_contained(found.firstLoops, loop) &&
             llvm::is_contained(found.secondLoops, loop)
         ? found.batch
         : matrix)
        .push_back(loop);
  if (matrix.size() != 2)
    return std::nullopt;
  found.rows = matrix[0];
  found.columns = matrix[1];
  // The first operand has to be the operand with the result's rows. Exchanging
  // the operands changes no bit, as multiplication is commutative.
  if (!llvm::is_contained(found.firstLoops, found.rows)) {
    std::swap(found.first, found.second);
    std::swap(found.firstLoops, found.secondLoops);
  }
  // The last dimension of each tensor must not be a batch dimension. Otherwise
  // neither the rows nor the columns of its matrices would be contiguous in
  // memory.
  auto isRow = [&](ArrayRef<unsigned> loops) {
    return !llvm::is_contained(found.batch, loops.back());
  };
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (!isRow(found.firstLoops) || !isRow(found.secondLoops) ||
      !isRow(found.resultLoops) || !found.start ||
      ShapedType::isDynamicShape(sizes) ||
      sizes[found.rows] * sizes[found.columns] * sizes[found.depth] <
          (found.isSecondTransposed() ? minTransposedOperations
                                      : minOperations))
    return std::nullopt;
  return found;
}

/// Returns the indices of the batch dimensions, whose sizes are `batch`, in
/// iteration `index` of the loop over the whole batch (delinearization, last
/// dimension fastest).
static SmallVector<OpFoldResult> placeOf(OpBuilder &b, Location loc,
                                         Value index, ArrayRef<int64_t> batch) {
  SmallVector<OpFoldResult> place(batch.size());
  for (size_t i = batch.size(); i-- > 0;) {
    Value size = arith::ConstantIndexOp::create(b, loc, batch[i]);
    place[i] = i == 0 ? index
                      : arith::RemUIOp::create(b, loc, index, size).getResult();
    if (i != 0)
      index = arith::DivUIOp::create(b, loc, index, size);
  }
  return place;
}

namespace {

/// Builds a loop over the batch with one GEMM in it.
class GEMMUnbatcher {
public:
  explicit GEMMUnbatcher(BatchedGEMM batch)
      : found(std::move(batch)), sizes(found.op.getStaticLoopRanges()),
        loc(found.op.getLoc()), rewriter(found.op.getContext()) {}

  void run();

private:
  /// The offsets, sizes and strides of a slice of a tensor: the matrix that one
  /// iteration uses.
  struct MatrixSlice {
    SmallVector<OpFoldResult> offsets, sizes, strides;
  };
  /// Returns the slice of a tensor that holds the matrix of the current
  /// iteration; `loops` has the loop that indexes each dimension of the tensor.
  MatrixSlice partOf(ArrayRef<unsigned> loops);
  /// Extracts the current iteration's matrix from `tensor`.
  Value matrixOf(Value tensor, ArrayRef<unsigned> loops);
  Value transposed(Value matrix);
  Value multiply(Value first, Value second, Value result);

  BatchedGEMM found;
  SmallVector<int64_t> sizes;
  Location loc;
  IRRewriter rewriter;
  SmallVector<OpFoldResult> place; // indices of the batch dimensions
};

} // namespace

GEMMUnbatcher::MatrixSlice GEMMUnbatcher::partOf(ArrayRef<unsigned> loops) {
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  MatrixSlice part;
  for (unsigned loop : loops) {
    auto *number = llvm::find(found.batch, loop);
    bool isBatch = number != found.batch.end();
    part.offsets.push_back(isBatch ? place[number - found.batch.begin()]
                                   : zero);
    part.sizes.push_back(isBatch ? one : rewriter.getIndexAttr(sizes[loop]));
    part.strides.push_back(one);
  }
  return part;
}

Value GEMMUnbatcher::matrixOf(Value tensor, ArrayRef<unsigned> loops) {
  SmallVector<int64_t> shape;
  for (unsigned loop : loops)
    if (!llvm::is_contained(found.batch, loop))
      shape.push_back(sizes[loop]);
  MatrixSlice part = partOf(loops);
  auto type = RankedTensorType::get(shape, getElementTypeOrSelf(tensor));
  return tensor::ExtractSliceOp::create(rewriter, loc, type, tensor,
                                        part.offsets, part.sizes, part.strides);
}

Value GEMMUnbatcher::transposed(Value matrix) {
  auto type = cast<RankedTensorType>(matrix.getType());
  Value own = tensor::EmptyOp::create(rewriter, loc,
                                      {type.getDimSize(1), type.getDimSize(0)},
                                      type.getElementType());
  return linalg::TransposeOp::create(rewriter, loc, matrix, own,
                                     ArrayRef<int64_t>{1, 0})
      ->getResult(0);
}

/// Builds the GEMM of one iteration, with the loops M, N, K that TileGEMMs
/// expects. A transposed second operand stays [N, K]: TileGEMMs packs it.
Value GEMMUnbatcher::multiply(Value first, Value second, Value result) {
  MLIRContext *context = rewriter.getContext();
  auto mapOf = [&](unsigned row, unsigned column) {
    return AffineMap::getMultiDimMapWithTargets(3, {row, column}, context);
  };
  SmallVector<AffineMap> maps = {
      mapOf(0, 2), found.isSecondTransposed() ? mapOf(1, 2) : mapOf(2, 1),
      mapOf(0, 1)};
  SmallVector<utils::IteratorType> loops = {utils::IteratorType::parallel,
                                            utils::IteratorType::parallel,
                                            utils::IteratorType::reduction};
  auto product = linalg::GenericOp::create(
      rewriter, loc, TypeRange(result.getType()), ValueRange{first, second},
      ValueRange{result}, maps, loops);
  product->setDiscardableAttrs(found.op->getDiscardableAttrDictionary());
  rewriter.cloneRegionBefore(found.op.getRegion(), product.getRegion(),
                             product.getRegion().end());
  return product.getResult(0);
}

void GEMMUnbatcher::run() {
  rewriter.setInsertionPoint(found.op);
  SmallVector<int64_t> batch;
  int64_t count = 1;
  for (unsigned loop : found.batch) {
    batch.push_back(sizes[loop]);
    count *= sizes[loop];
  }
  auto number = [&](int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  auto loop = scf::ForOp::create(rewriter, loc, number(0), number(count),
                                 number(1), found.start.getDpsInits()[0]);
  // Threads divide the iterations of the grid loop among them. This is legal as
  // the GEMMs of a batch are independent of each other.
  loop->setAttr(::ingot::kernels::gridLoopAttrName, rewriter.getUnitAttr());
  rewriter.setInsertionPointToEnd(loop.getBody());
  place = placeOf(rewriter, loc, loop.getInductionVar(), batch);
  Value first = matrixOf(found.first, found.firstLoops);
  if (found.isFirstTransposed())
    first = transposed(first);
  Value second = matrixOf(found.second, found.secondLoops);
  Value all = loop.getRegionIterArg(0);
  Value result =
      linalg::FillOp::create(rewriter, loc, found.start.getInputs(),
                             ValueRange{matrixOf(all, found.resultLoops)})
          ->getResult(0);
  result = multiply(first, second, result);
  MatrixSlice part = partOf(found.resultLoops);
  Value inserted = tensor::InsertSliceOp::create(
      rewriter, loc, result, all, part.offsets, part.sizes, part.strides);
  scf::YieldOp::create(rewriter, loc, inserted);
  rewriter.replaceOp(found.op, loop.getResults());
}

namespace {

struct UnbatchGEMMs : ::ingot::cpu::impl::UnbatchGEMMsPassBase<UnbatchGEMMs> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(host::kernelAttrName) || kernel.isExternal())
        continue;
      Operation *end = kernel.getBody().front().getTerminator();
      // Only a GEMM that is the kernel's last op is unbatched. An op after it
      // would read the result of the loop over the batch, the whole tensor, and
      // could not be fused into the GEMM's tiles as an epilogue.
      auto op = end->getNumOperands() == 1
                    ? end->getOperand(0).getDefiningOp<linalg::GenericOp>()
                    : linalg::GenericOp();
      if (op && op->hasOneUse())
        if (std::optional<BatchedGEMM> found = batchOf(op)) {
          LLVM_DEBUG(llvm::dbgs()
                     << "unbatch the GEMMs of " << kernel.getName() << ": "
                     << found->batch.size() << " batch dimensions\n");
          GEMMUnbatcher(*found).run();
          ++numUnbatched;
        }
    }
  }
};

} // namespace
