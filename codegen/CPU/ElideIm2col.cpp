//===- ElideIm2col.cpp - im2col copies become views of the image ----------===//
// SPDX-License-Identifier: Apache-2.0
//
// After bufferization a block of im2col is an affine copy of the image. Its
// dimensions are image n, row y and column x of the patch, row r of taps, and
// element e in that row. Element (n, y, x, r, e) is copied from element (n, y +
// r, x * stride + e) of the image. In a GEMM tile whose patches lie in one row
// of the image, consecutive patches have a constant distance in memory. So the
// tile's operand becomes a reinterpret_cast of the image in which patches
// overlap, and the copy is dead. The tile's K loop becomes several loops, one
// for each dimension of a patch that is not contiguous in the image, outermost
// first. So each sum keeps the same chain of multiply-adds.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/Passes.h"
#include "codegen/CPU/TileAndFuse.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/Debug.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_ELIDEIM2COLPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

#define DEBUG_TYPE "ingot-cpu-elide-im2col"

using namespace mlir;
using namespace ::ingot::cpu;

namespace {

using Builder = ImplicitLocOpBuilder;

/// The number of leading dimensions of im2col (image, row, column) that become
/// the rows of the im2col matrix. The other dimensions (tap, channel) become
/// its columns.
constexpr unsigned rowDims = 3;

/// Whether the value of `expression`, whose dimensions have the values
/// `operands`, is provably a multiple of `factor`.
bool isMultiple(AffineExpr expression, ValueRange operands, int64_t factor);

/// Whether `value` is provably a multiple of `factor`. A loop index is a
/// multiple if the loop's lower bound and step are multiples. Sums, differences
/// and remainders of multiples are multiples, too.
bool isMultiple(OpFoldResult value, int64_t factor) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant % factor == 0;
  auto number = cast<Value>(value);
  if (auto index = dyn_cast<BlockArgument>(number)) {
    auto loop = dyn_cast<scf::ForOp>(index.getOwner()->getParentOp());
    return loop && index == loop.getInductionVar() &&
           isMultiple(loop.getLowerBound(), factor) &&
           isMultiple(loop.getStep(), factor);
  }
  Operation *op = number.getDefiningOp();
  auto both = [&] {
    return isMultiple(op->getOperand(0), factor) &&
           isMultiple(op->getOperand(1), factor);
  };
  if (isa<arith::AddIOp, arith::SubIOp, arith::RemUIOp>(op))
    return both();
  if (isa<arith::MulIOp>(op))
    return isMultiple(op->getOperand(0), factor) ||
           isMultiple(op->getOperand(1), factor);
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return isMultiple(apply.getAffineMap().getResult(0), apply.getMapOperands(),
                      factor);
  return false;
}

bool isMultiple(AffineExpr expression, ValueRange operands, int64_t factor) {
  if (expression.isMultipleOf(factor))
    return true;
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return isMultiple(operands[dim.getPosition()], factor);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return false;
  bool left = isMultiple(binary.getLHS(), operands, factor);
  bool right = isMultiple(binary.getRHS(), operands, factor);
  return binary.getKind() == AffineExprKind::Add   ? left && right
         : binary.getKind() == AffineExprKind::Mul ? left || right
                                                   : false;
}

/// The size and the stride in memory of one dimension of a strided view.
struct StridedDim {
  int64_t size, stride;
};

/// A rectangle of the im2col matrix.
struct Im2colSubmatrix {
  OpFoldResult row, element; // its first row and column in im2col
  int64_t numRows, numElements;
};

/// A GEMM that reads the im2col matrix, or a part of the matrix, as an operand.
struct Im2colConsumer {
  linalg::GenericOp product;
  unsigned operand;
  /// The part of the im2col matrix that the GEMM reads, followed by the parts
  /// that enclose it, from the smallest to the largest.
  SmallVector<Im2colSubmatrix> parts;
};

/// An im2col op that only copies elements of a buffer (its map is affine), and
/// all GEMMs that read its result.
struct Im2colCopyWithGEMMs {
  memref::AllocOp buffer;
  linalg::GenericOp copy;
  memref::CollapseShapeOp matrix;
  SmallVector<StridedDim> sides; // im2col's dimensions; strides in the image
  SmallVector<Im2colConsumer> readers;
};

/// A copy whose indexing map is linear reads a strided view of its source, with
/// one dimension for each loop. Returns the size and the stride of each
/// dimension. The stride is the distance in memory between the elements that
/// two successive iterations of the loop read.
SmallVector<StridedDim> sidesOf(linalg::GenericOp copy) {
  OpOperand *source = copy.getDpsInputOperand(0);
  AffineMap map = copy.getMatchingIndexingMap(source);
  auto [strides, offset] =
      cast<MemRefType>(source->get().getType()).getStridesAndOffset();
  MLIRContext *context = copy.getContext();
  SmallVector<StridedDim> sides;
  for (auto [dim, size] : llvm::enumerate(copy.getStaticLoopRanges())) {
    SmallVector<AffineExpr> second(map.getNumDims(),
                                   getAffineConstantExpr(0, context));
    second[dim] = getAffineConstantExpr(1, context);
    int64_t distance = 0;
    for (auto [result, stride] : llvm::zip(map.getResults(), strides))
      distance +=
          stride *
          cast<AffineConstantExpr>(result.replaceDims(second)).getValue();
    sides.push_back({size, distance});
  }
  return sides;
}

/// Whether `expression` is a sum of dimensions, each times a constant. Such an
/// expression is 0 if all loop indices are 0, and grows by a constant with each
/// step of a loop, so it can be the index into a strided view.
bool isLinear(AffineExpr expression) {
  if (isa<AffineDimExpr>(expression))
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Mul)
    return isLinear(binary.getLHS()) &&
           isa<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Add && isLinear(binary.getLHS()) &&
         isLinear(binary.getRHS());
}

/// Whether `map` has the form of im2col: in at least one dimension of the
/// image, the index is that of a patch plus that of a tap. Without such a sum
/// the copy is a broadcast or a transpose, whatever its rank.
bool isWindowMap(AffineMap map) {
  return llvm::all_of(map.getResults(), isLinear) &&
         llvm::any_of(map.getResults(), [](AffineExpr result) {
           return result.getKind() == AffineExprKind::Add;
         });
}

/// Whether the op computes im2col by only copying elements of a buffer; the
/// buffer and the result must have static shapes. The result has at least three
/// dimensions that count patches, and two that count the elements of a patch.
bool isCopyOfPatches(linalg::GenericOp op) {
  if (op.getNumLoops() < rowDims + 2 || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
      !isa<MemRefType>(op.getInputs().front().getType()) ||
      ShapedType::isDynamicShape(op.getStaticLoopRanges()) ||
      !isWindowMap(op.getMatchingIndexingMap(op.getDpsInputOperand(0))) ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return false;
  auto type = cast<MemRefType>(op.getInputs().front().getType());
  auto [strides, offset] = type.getStridesAndOffset();
  return type.hasStaticShape() && !ShapedType::isDynamicShape(strides) &&
         op.getBlock()->getTerminator()->getOperand(0) ==
             op.getBlock()->getArgument(0);
}

/// Whether the GEMM reduces over patches: its K dimension counts the rows of
/// the im2col matrix.
bool sumsRows(const Im2colConsumer &reader) {
  linalg::GenericOp product = reader.product;
  return product.getMatchingIndexingMap(&product->getOpOperand(reader.operand))
             .getDimPosition(0) == 2;
}

/// Returns the part of the im2col matrix that `slice`, a subview of `part`,
/// covers.
Im2colSubmatrix partOf(Builder &b, memref::SubViewOp slice,
                       const Im2colSubmatrix &part) {
  auto sum = [&](OpFoldResult x, OpFoldResult y) -> OpFoldResult {
    if (getConstantIntValue(x) == 0)
      return y;
    if (getConstantIntValue(y) == 0)
      return x;
    return arith::AddIOp::create(
               b, getValueOrCreateConstantIndexOp(b, b.getLoc(), x),
               getValueOrCreateConstantIndexOp(b, b.getLoc(), y))
        .getResult();
  };
  b.setInsertionPoint(slice);
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
  return {sum(part.row, offsets[0]), sum(part.element, offsets[1]),
          slice.getType().getDimSize(0), slice.getType().getDimSize(1)};
}

/// Adds to `readers` the GEMMs that read `view`. `parts` are the part of the
/// matrix that the view covers and the enclosing parts, smallest first. Returns
/// false if an op other than a GEMM reads the view, which then has to stay in
/// memory.
bool collect(Builder &b, Value view, ArrayRef<Im2colSubmatrix> parts,
             SmallVectorImpl<Im2colConsumer> &readers) {
  for (OpOperand &use : view.getUses()) {
    if (auto slice = dyn_cast<memref::SubViewOp>(use.getOwner())) {
      if (slice.getType().getRank() != 2 || !slice.hasUnitStride() ||
          !slice.getType().hasStaticShape())
        return false;
      SmallVector<Im2colSubmatrix> inside = {partOf(b, slice, parts.front())};
      llvm::append_range(inside, parts);
      if (!collect(b, slice, inside, readers))
        return false;
      continue;
    }
    auto product = dyn_cast<linalg::GenericOp>(use.getOwner());
    unsigned operand = use.getOperandNumber();
    if (!product || !::ingot::kernels::isProduct(product) || operand > 1 ||
        !isa<MemRefType>(product->getOperand(1 - operand).getType()))
      return false;
    readers.push_back({product, operand, SmallVector<Im2colSubmatrix>(parts)});
    // im2col may be the second operand only if both operands are stored with
    // one row for each step of K, as in a filter's gradient.
    if (operand == 1 &&
        !(sumsRows(readers.back()) &&
          product.getIndexingMapsArray()[0].getDimPosition(0) == 2))
      return false;
  }
  return true;
}

/// Returns whether the GEMM's im2col operand can be read from the image as a
/// strided view. The operand must cover all of K and have a constant stride in
/// memory along its other dimension (M, or N if im2col is the second operand).
/// If K counts the elements of a patch, the other dimension counts patches:
/// they must be neighbours in one row of an image. If K counts patches
/// (`sumsRows`), the other dimension counts elements of a patch: their taps
/// must be in one row of the window.
bool isInLine(const Im2colCopyWithGEMMs &patches,
              const Im2colConsumer &reader) {
  ArrayRef<StridedDim> sides = patches.sides;
  auto sizeOf = [](ArrayRef<StridedDim> sides) {
    int64_t size = 1;
    for (const StridedDim &side : sides)
      size *= side.size;
    return size;
  };
  // Returns whether the operand lies within one row of `row.size` elements. A
  // part of the im2col matrix lies within one row if it begins at a multiple of
  // its own size and this size divides `row.size`. All of `reader.parts`
  // contain the operand, so it suffices if one of them lies within one row.
  auto isInRow = [&](const StridedDim &row,
                     OpFoldResult Im2colSubmatrix::*place,
                     int64_t Im2colSubmatrix::*size) {
    return llvm::any_of(reader.parts, [&](const Im2colSubmatrix &part) {
      return row.size % part.*size == 0 && isMultiple(part.*place, part.*size);
    });
  };
  const Im2colSubmatrix &part = reader.parts.front();
  if (sumsRows(reader))
    return part.numRows == sizeOf(sides.take_front(rowDims)) &&
           getConstantIntValue(part.row) == 0 &&
           isInRow(sides.back(), &Im2colSubmatrix::element,
                   &Im2colSubmatrix::numElements);
  return part.numElements == sizeOf(sides.drop_front(rowDims)) &&
         getConstantIntValue(part.element) == 0 &&
         isInRow(sides[rowDims - 1], &Im2colSubmatrix::row,
                 &Im2colSubmatrix::numRows);
}

/// Returns the im2col op `op` together with the GEMMs that read its result.
/// Returns std::nullopt unless all readers of the result are GEMMs on the
/// im2col matrix that can read the image in place instead.
std::optional<Im2colCopyWithGEMMs> patchesOf(linalg::GenericOp op) {
  Im2colCopyWithGEMMs patches;
  patches.copy = op;
  patches.buffer = op.getOutputs().front().getDefiningOp<memref::AllocOp>();
  if (!patches.buffer)
    return std::nullopt;
  for (Operation *user : patches.buffer->getUsers()) {
    if (user == op)
      continue;
    auto collapse = dyn_cast<memref::CollapseShapeOp>(user);
    if (!collapse || patches.matrix || collapse.getType().getRank() != 2 ||
        collapse.getReassociationIndices().front().size() != rowDims)
      return std::nullopt;
    patches.matrix = collapse;
  }
  if (!patches.matrix)
    return std::nullopt;
  patches.sides = sidesOf(op);
  Builder b(op.getLoc(), op);
  OpFoldResult zero = b.getIndexAttr(0);
  Im2colSubmatrix all = {zero, zero, patches.matrix.getType().getDimSize(0),
                         patches.matrix.getType().getDimSize(1)};
  if (!collect(b, patches.matrix, all, patches.readers) ||
      llvm::any_of(patches.readers, [&](const Im2colConsumer &reader) {
        return !isInLine(patches, reader);
      }))
    return std::nullopt;
  return patches;
}

/// Returns the offset in memory, in elements, of an element of a strided view
/// whose dimensions are `sides`. `index` is the element's row-major index in
/// the view.
Value placeOf(Builder &b, OpFoldResult index, ArrayRef<StridedDim> sides) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value rest = getValueOrCreateConstantIndexOp(b, b.getLoc(), index);
  Value place = number(0);
  for (auto [position, side] : llvm::enumerate(llvm::reverse(sides))) {
    Value inside = rest;
    if (position + 1 != sides.size()) {
      inside = arith::RemUIOp::create(b, rest, number(side.size));
      rest = arith::DivUIOp::create(b, rest, number(side.size));
    }
    place = arith::AddIOp::create(
        b, place, arith::MulIOp::create(b, inside, number(side.stride)));
  }
  return place;
}

/// Simplifies `sides`, the dimensions of a view along which a GEMM sums. Drops
/// dimensions of size 1, and merges neighbouring dimensions that are contiguous
/// in memory. The order of the summands stays the same.
SmallVector<StridedDim> merged(ArrayRef<StridedDim> sides) {
  SmallVector<StridedDim> result;
  for (const StridedDim &side : sides) {
    if (side.size == 1)
      continue;
    if (!result.empty() && result.back().stride == side.size * side.stride)
      result.back() = {result.back().size * side.size, side.stride};
    else
      result.push_back(side);
  }
  if (result.empty())
    result.push_back({1, 1});
  return result;
}

/// Returns `other`, the GEMM's operand that is not im2col, with its K dimension
/// expanded to one dimension for each of `sums`, the dimensions along which the
/// rewritten GEMM sums.
Value expandOther(Builder &b, Value other, ArrayRef<StridedDim> sums) {
  if (sums.size() == 1)
    return other;
  SmallVector<int64_t> shape;
  ReassociationIndices group;
  for (const StridedDim &sum : sums) {
    group.push_back(shape.size());
    shape.push_back(sum.size);
  }
  int64_t last = shape.size(), depth = 1;
  for (int64_t size : shape)
    depth *= size;
  auto type = cast<MemRefType>(other.getType());
  if (type.isDynamicDim(0)) {
    int64_t known[] = {depth, type.getDimSize(1)};
    MemRefType whole = MemRefType::Builder(type).setShape(known);
    other = memref::CastOp::create(b, whole, other);
  }
  shape.push_back(type.getDimSize(1));
  return memref::ExpandShapeOp::create(
      b, shape, other,
      ArrayRef<ReassociationIndices>{group, ReassociationIndices{last}});
}

/// Returns a view of the source of `copy` that begins `offset` elements after
/// the source's first element and has the dimensions `sides`.
Value viewOf(Builder &b, linalg::GenericOp copy, Value offset,
             ArrayRef<StridedDim> sides) {
  SmallVector<int64_t> sizes, strides;
  for (const StridedDim &side : sides) {
    sizes.push_back(side.size);
    strides.push_back(side.stride);
  }
  auto source =
      memref::ExtractStridedMetadataOp::create(b, copy.getInputs()[0]);
  offset = arith::AddIOp::create(b, source.getOffset(), offset);
  Type element = getElementTypeOrSelf(copy.getInputs()[0].getType());
  auto layout =
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides);
  return memref::ReinterpretCastOp::create(
      b, MemRefType::get(sizes, element, layout), source.getBaseBuffer(),
      OpFoldResult(offset), getAsIndexOpFoldResult(b.getContext(), sizes),
      getAsIndexOpFoldResult(b.getContext(), strides));
}

/// Replaces an im2col op whose result has to stay in memory by a linalg.copy
/// from a strided view of the image. The view's inner dimensions are
/// contiguous, so that the copy can be vectorized.
void copyFromView(linalg::GenericOp copy) {
  Builder b(copy.getLoc(), copy);
  Value view =
      viewOf(b, copy, arith::ConstantIndexOp::create(b, 0), sidesOf(copy));
  linalg::CopyOp::create(b, view, copy.getOutputs().front());
  copy.erase();
}

/// Replaces the GEMM by one that reads a strided view of the image, in which
/// patches overlap. Its loops are M, N and one loop for each dimension of the
/// view along which it sums.
void rewrite(const Im2colCopyWithGEMMs &patches, const Im2colConsumer &reader) {
  linalg::GenericOp product = reader.product;
  const Im2colSubmatrix &part = reader.parts.front();
  Builder b(product.getLoc(), product);
  ArrayRef<StridedDim> rows = ArrayRef(patches.sides).take_front(rowDims);
  ArrayRef<StridedDim> elements = ArrayRef(patches.sides).drop_front(rowDims);
  bool transposed = sumsRows(reader), isFirst = reader.operand == 0;
  SmallVector<StridedDim> sums = merged(transposed ? rows : elements);
  SmallVector<StridedDim> seen(sums);
  seen.insert(isFirst ? seen.begin() : seen.end(),
              transposed ? StridedDim{part.numElements, elements.back().stride}
                         : StridedDim{part.numRows, rows.back().stride});
  Value offset = arith::AddIOp::create(b, placeOf(b, part.row, rows),
                                       placeOf(b, part.element, elements));
  Value view = viewOf(b, patches.copy, offset, seen);
  Value other = expandOther(b, product.getInputs()[isFirst ? 1 : 0], sums);
  unsigned loops = 2 + sums.size();
  SmallVector<AffineExpr> summed;
  for (unsigned dim = 2; dim < loops; ++dim)
    summed.push_back(b.getAffineDimExpr(dim));
  auto map = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(loops, 0, results, b.getContext());
  };
  AffineExpr m = b.getAffineDimExpr(0), n = b.getAffineDimExpr(1);
  SmallVector<AffineExpr> ofFirst(summed), ofSecond(summed);
  ofFirst.insert(isFirst ? ofFirst.begin() : ofFirst.end(), m);
  ofSecond.push_back(n);
  SmallVector<utils::IteratorType> kinds(loops, utils::IteratorType::reduction);
  kinds[0] = kinds[1] = utils::IteratorType::parallel;
  auto nested = linalg::GenericOp::create(
      b, TypeRange(),
      isFirst ? ValueRange{view, other} : ValueRange{other, view},
      product.getOutputs(),
      ArrayRef<AffineMap>{map(ofFirst), map(ofSecond), map({m, n})}, kinds);
  nested->setDiscardableAttrs(product->getDiscardableAttrDictionary());
  nested.getRegion().takeBody(product.getRegion());
  product.erase();
}

struct ElideIm2col : ::ingot::cpu::impl::ElideIm2colPassBase<ElideIm2col> {
  using ElideIm2colPassBase::ElideIm2colPassBase;

  void runOnOperation() override {
    SmallVector<linalg::GenericOp> copies;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.hasPureBufferSemantics() && isCopyOfPatches(op))
        copies.push_back(op);
    });
    if (copies.empty())
      markAllAnalysesPreserved();
    for (linalg::GenericOp op : copies) {
      std::optional<Im2colCopyWithGEMMs> patches = patchesOf(op);
      if (!patches) {
        LLVM_DEBUG(llvm::dbgs() << "copy the im2col at " << op.getLoc()
                                << ": an op needs it in memory\n");
        copyFromView(op);
        continue;
      }
      LLVM_DEBUG(llvm::dbgs()
                 << "replace the im2col at " << op.getLoc() << " by "
                 << patches->readers.size() << " views\n");
      ++numReplaced;
      for (const Im2colConsumer &reader : patches->readers)
        rewrite(*patches, reader);
      erase(*patches);
    }
  }

  /// Erases the im2col op, its buffer and all views of the buffer. No op reads
  /// them any more.
  static void erase(Im2colCopyWithGEMMs &patches) {
    SmallVector<Operation *> views;
    SmallVector<Operation *> pending = {patches.matrix};
    while (!pending.empty()) {
      Operation *view = pending.pop_back_val();
      views.push_back(view);
      llvm::append_range(pending, view->getUsers());
    }
    for (Operation *view : llvm::reverse(views))
      view->erase();
    patches.copy.erase();
    patches.buffer.erase();
  }
};

} // namespace
