//===- BF16Pairs.cpp - GEMMs on pairs of bfloat16 -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/BF16Pairs.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"
#include "dialects/Host/BFloat16Factors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ingot::cpu {

using Builder = ImplicitLocOpBuilder;

/// The smallest K and N of a GEMM for which packing bfloat16 values in pairs,
/// for VDPBF16PS, costs less time than it saves.
static constexpr int64_t minDepth = 8, minColumns = 16;
/// The maximum size, in bytes, of a new stack buffer for packed pairs. Such a
/// buffer is used if the pairs cannot overwrite the unpacked panel.
static constexpr int64_t maxOwnBytes = 256 * 1024;
/// The maximum number of columns of a matrix B that is packed as a whole, once
/// for all tiles that read different columns of it.
static constexpr int64_t maxColumns = 128;
/// The maximum number of K steps of A's rows that a tile packs at a time, so
/// that the packed pairs stay in the L1 cache.
static constexpr int64_t maxSteps = 512;
/// The number of 32-bit lanes of a 512-bit register.
static constexpr int64_t lanes = 16;

/// Returns the number of steps of all K loops together, or 0 if it is dynamic.
static int64_t depthOf(linalg::LinalgOp product) {
  int64_t depth = 1;
  for (int64_t size : ArrayRef(product.getStaticLoopRanges()).drop_front(2))
    depth = ShapedType::isDynamic(size) ? 0 : depth * size;
  return depth;
}

bool mayPairFactors(linalg::LinalgOp product) {
  return product->hasAttr(host::bfloat16FactorsAttrName) &&
         product.getNumLoops() >= 3 &&
         !ShapedType::isDynamic(product.getStaticLoopRanges().back());
}

static Value number(Builder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

/// Bitcasts a vector to one of `count` elements of type `element`.
static Value as(Builder &b, Value vector, Type element, int64_t count) {
  return vector::BitCastOp::create(b, VectorType::get({count}, element),
                                   vector);
}

/// Combines two vectors of f32 that have bfloat16 values into a vector of
/// pairs: each 32-bit lane has `earlier` in its upper and `later` in its lower
/// half. The result has the type f32, but its value as an f32 is meaningless.
/// No bit is lost, as the lower half of a bfloat16 value in f32 is 0.
static Value pairOf(Builder &b, Value earlier, Value later) {
  int64_t count = cast<VectorType>(earlier.getType()).getNumElements();
  auto type = VectorType::get({count}, b.getI32Type());
  auto constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, value));
  };
  Value upper =
      arith::AndIOp::create(b, as(b, earlier, b.getI32Type(), count),
                            constant(static_cast<int32_t>(0xffff0000)));
  Value lower = arith::ShRUIOp::create(b, as(b, later, b.getI32Type(), count),
                                       constant(16));
  return as(b, arith::OrIOp::create(b, upper, lower), b.getF32Type(), count);
}

/// Builds a loop over [0, end) in steps of `step`; `body` builds its body.
static void forEach(Builder &b, int64_t end, int64_t step,
                    llvm::function_ref<void(Builder &, Value)> body) {
  scf::ForOp::create(
      b, number(b, 0), number(b, end), number(b, step), ValueRange(),
      [&](OpBuilder &inner, Location loc, Value index, ValueRange) {
        Builder inside(loc, inner);
        body(inside, index);
        scf::YieldOp::create(inside);
      });
}

/// Allocates an f32 buffer on the stack of the thread that runs the kernel. The
/// allocation is at the kernel's entry: inside a loop, each iteration would
/// take more of the stack.
static Value allocate(Operation *inside, ArrayRef<int64_t> shape) {
  auto kernel = inside->getParentOfType<func::FuncOp>();
  Builder b(inside->getLoc(), inside->getContext());
  b.setInsertionPointToStart(&kernel.getBody().front());
  return memref::AllocaOp::create(b, MemRefType::get(shape, b.getF32Type()),
                                  b.getI64IntegerAttr(64));
}

//===----------------------------------------------------------------------===//
// Packing of the second operand (B)
//===----------------------------------------------------------------------===//

/// If the GEMM's second operand is a block of columns of a larger matrix, and
/// the index of a loop around the GEMM is the first column of that block,
/// returns this index. Otherwise returns null. A grid loop is excluded, because
/// each thread would pack the whole larger matrix before it runs its part of
/// the grid.
static Value columnOf(linalg::LinalgOp product) {
  auto view =
      product.getDpsInputOperand(1)->get().getDefiningOp<memref::SubViewOp>();
  if (!view || view.getType().getRank() != 2 || !view.hasUnitStride() ||
      getConstantIntValue(view.getMixedOffsets()[0]) != 0)
    return {};
  MemRefType whole = view.getSourceType();
  auto index = dyn_cast_if_present<BlockArgument>(
      dyn_cast<Value>(view.getMixedOffsets()[1]));
  bool isWhole = whole.getRank() == 2 && whole.hasStaticShape() &&
                 whole.getDimSize(0) == view.getType().getDimSize(0) &&
                 whole.getDimSize(1) <= maxColumns;
  auto loop = index && isWhole
                  ? dyn_cast<scf::ForOp>(index.getOwner()->getParentOp())
                  : scf::ForOp();
  return loop && !loop->hasAttr(::ingot::kernels::gridLoopAttrName) ? index
                                                                    : Value();
}

namespace {

/// Packs one matrix, the second operand of several GEMM tiles, once for all of
/// these tiles.
class PanelPacking {
public:
  PanelPacking(Value matrix, SmallVector<linalg::LinalgOp> readers)
      : matrix(matrix), type(cast<MemRefType>(matrix.getType())),
        root(::ingot::kernels::rootOf(matrix)),
        steps(readers.front().getStaticLoopRanges().back()) {
    for (linalg::LinalgOp reader : readers)
      place(reader);
    if (before)
      llvm::copy_if(readers, std::back_inserter(products),
                    [&](linalg::LinalgOp reader) {
                      return isAfter(reader) &&
                             reader.getStaticLoopRanges().back() == steps;
                    });
  }

  /// Whether the matrix can be packed: several tiles share it in a loop, so
  /// that it can be packed before the loop, and nothing writes the matrix in or
  /// after that loop.
  bool isPossible() {
    if (!before || !findFill())
      return false;
    return isOwn() || numRows() * type.getDimSize(1) * 4 <= maxOwnBytes;
  }

  /// Packs the matrix and returns the buffer with the pairs: the matrix's own
  /// memory if only these tiles read it, else a new buffer. Packing in place is
  /// safe: rows are packed in ascending order, two rows into one row of pairs,
  /// which overwrites a row that has been read already.
  Value pack() {
    Builder b(before->getLoc(), before);
    Value source = matrix, target;
    if (isOwn()) {
      target = matrix;
      if (auto copy = dyn_cast<linalg::CopyOp>(fill)) {
        source = copy.getInputs().front();
        b.setInsertionPoint(copy);
      }
    } else {
      target = allocate(before, {numRows(), type.getDimSize(1)});
    }
    forEach(b, type.getDimSize(0) / steps, 1, [&](Builder &body, Value outer) {
      Value from = arith::MulIOp::create(body, outer, number(body, steps));
      Value to = arith::MulIOp::create(body, outer, number(body, numPairs()));
      packStretch(body, source, from, target, to);
    });
    if (source != matrix)
      fill->erase();
    return target;
  }

  SmallVector<linalg::LinalgOp> products;

private:
  int64_t numPairs() const { return (steps + 1) / 2; }
  int64_t numRows() const { return type.getDimSize(0) / steps * numPairs(); }

  /// Packs the rows of the innermost K loop, for one index of the outer K
  /// loops: the `steps` rows of `source` that begin at row `from` become rows
  /// of pairs in `target`, which begin at row `to`.
  void packStretch(Builder &b, Value source, Value from, Value target,
                   Value to) {
    SmallVector<RegisterTileVector> pieces =
        piecesOf(type.getDimSize(1), lanes, b.getF32Type(), RowEnd::Masked);
    auto packAt = [&](Builder &body, Value pair, bool isAlone) {
      Value step = arith::AddIOp::create(
          body, from, arith::MulIOp::create(body, pair, number(body, 2)));
      Value next = arith::AddIOp::create(body, step, number(body, 1));
      Value row = arith::AddIOp::create(body, to, pair);
      for (const RegisterTileVector &piece : pieces) {
        Value column = number(body, piece.column);
        Value earlier = piece.load(body, source, {step, column});
        Value later = isAlone
                          ? arith::ConstantOp::create(
                                body, DenseElementsAttr::get(piece.type, -0.0f))
                                .getResult()
                          : piece.load(body, source, {next, column});
        piece.store(body, pairOf(body, earlier, later), target, {row, column});
      }
    };
    if (steps > 1)
      forEach(b, steps / 2, 1, [&](Builder &body, Value pair) {
        packAt(body, pair, /*isAlone=*/false);
      });
    if (steps % 2 != 0)
      packAt(b, number(b, steps / 2), /*isAlone=*/true);
  }

  /// Sets `before` to the loop before which the matrix is packed. This is the
  /// outermost loop around `reader` that does not write the matrix and in which
  /// several tiles read the same columns of it. Does nothing if an earlier
  /// reader has set `before`. The grid loop is excluded, because each thread
  /// would pack the matrix again before it runs its part of the grid.
  void place(linalg::LinalgOp reader) {
    Operation *outermost = nullptr;
    Value column = columnOf(reader);
    bool isShared = false;
    for (auto loop = reader->getParentOfType<scf::ForOp>();
         loop && loop.isDefinedOutsideOfLoop(matrix) &&
         !loop->hasAttr(::ingot::kernels::gridLoopAttrName) && !writesIn(loop);
         loop = dyn_cast<scf::ForOp>(loop->getParentOp())) {
      outermost = loop;
      isShared |= loop.getInductionVar() != column;
    }
    if (outermost && isShared && !before)
      before = outermost;
  }

  /// Whether `op` is in or after the loop `before`.
  bool isAfter(Operation *op) const {
    Operation *ancestor = before->getBlock()->findAncestorOpInBlock(*op);
    return ancestor && !ancestor->isBeforeInBlock(before);
  }

  /// Whether `op` may write the matrix's buffer. A write effect that names no
  /// value counts as a write to that buffer, because it may be to any memory.
  bool isWriter(Operation *op) const {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects || isa<memref::AllocaOp, memref::AllocOp>(op))
      return false;
    SmallVector<MemoryEffects::EffectInstance> found;
    effects.getEffects(found);
    return llvm::any_of(
        found, [&](const MemoryEffects::EffectInstance &effect) {
          return isa<MemoryEffects::Write>(effect.getEffect()) &&
                 (!effect.getValue() ||
                  (isa<MemRefType>(effect.getValue().getType()) &&
                   ::ingot::kernels::rootOf(effect.getValue()) == root));
        });
  }

  bool writesIn(Operation *loop) const {
    return loop
        ->walk([&](Operation *op) {
          return isWriter(op) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Sets `fill` to the op that writes the GEMM's second operand, a buffer,
  /// before the loop `before`. Sets `fill` to null if several ops write the
  /// buffer, or if the op that writes it is nested in another op, such as a
  /// loop. Returns false if an op in or after the loop `before` writes the
  /// buffer.
  bool findFill() {
    bool isLater = false;
    unsigned numWriters = 0;
    before->getBlock()->walk([&](Operation *op) {
      if (!isWriter(op))
        return;
      Operation *ancestor = before->getBlock()->findAncestorOpInBlock(*op);
      isLater |= !ancestor->isBeforeInBlock(before);
      fill = ++numWriters == 1 && op == ancestor ? op : nullptr;
    });
    return !isLater;
  }

  /// Whether the matrix is a stack buffer that a copy or transpose fills (a
  /// packed panel), and that only `products` read. Then the pairs may overwrite
  /// it.
  bool isOwn() const {
    auto buffer = matrix.getDefiningOp<memref::AllocaOp>();
    if (!buffer || !isa_and_nonnull<linalg::CopyOp, linalg::TransposeOp>(fill))
      return false;
    SmallVector<Operation *> users(buffer->getUsers());
    while (!users.empty()) {
      Operation *user = users.pop_back_val();
      if (isa<memref::ExpandShapeOp, memref::CastOp>(user))
        llvm::append_range(users, user->getUsers());
      else if (user != fill && !llvm::is_contained(products, user))
        return false;
    }
    return cast<linalg::LinalgOp>(fill).getDpsInits()[0] == matrix;
  }

  Value matrix;
  MemRefType type;
  Value root;
  int64_t steps; // trip count of the innermost K loop
  Operation *before = nullptr, *fill = nullptr;
};

} // namespace

/// Whether the rows or the columns of the tile's part of A are contiguous in
/// memory.
static bool isDense(Value first) {
  auto [strides, offset] =
      cast<MemRefType>(first.getType()).getStridesAndOffset();
  return strides.back() == 1 || strides.front() == 1;
}

/// Whether `matrix` is an f32 matrix of static shape with one row for each of
/// the `depth` steps of K.
static bool isRows(Value matrix, int64_t depth) {
  auto type = cast<MemRefType>(matrix.getType());
  return type.getRank() == 2 && type.hasStaticShape() &&
         type.getDimSize(0) == depth && type.getElementType().isF32();
}

/// Returns the GEMM's second operand as a matrix with a row for each step of K.
/// If a loop around the GEMM selects columns of a larger matrix, returns the
/// larger matrix. Returns null if the operand has another layout, or if packing
/// it in pairs does not pay.
static Value matrixOf(linalg::LinalgOp product) {
  int64_t depth = depthOf(product);
  SmallVector<int64_t> ranges = product.getStaticLoopRanges();
  if (!mayPairFactors(product) || depth < minDepth ||
      (ranges.back() % 2 != 0 && ranges.back() > maxSteps) ||
      ranges[1] < minColumns || ranges[0] < 2 ||
      !isDense(product.getDpsInputOperand(0)->get()))
    return {};
  Value matrix = product.getDpsInputOperand(1)->get();
  if (auto expand = matrix.getDefiningOp<memref::ExpandShapeOp>())
    matrix = expand.getSrc();
  if (auto known = matrix.getDefiningOp<memref::CastOp>())
    matrix = known.getSource();
  if (!isRows(matrix, depth))
    return {};
  if (columnOf(product))
    return matrix.getDefiningOp<memref::SubViewOp>().getSource();
  return matrix;
}

llvm::DenseMap<Operation *, PackedBF16PairsB>
packPairs(ArrayRef<linalg::LinalgOp> products, const CacheHierarchy &caches) {
  llvm::MapVector<Value, SmallVector<linalg::LinalgOp>> readers;
  for (linalg::LinalgOp product : products)
    if (Value matrix = matrixOf(product))
      readers[matrix].push_back(product);
  llvm::DenseMap<Operation *, PackedBF16PairsB> panels;
  for (auto &[matrix, all] : readers) {
    PanelPacking packing(matrix, all);
    if (!packing.isPossible())
      continue;
    for (linalg::LinalgOp product : packing.products) {
      Builder b(product->getLoc(), product);
      panels[product].ahead.emplace(product, depthOf(product),
                                    caches.minPrefetchedBytes(), b);
    }
    Value pairs = packing.pack();
    for (linalg::LinalgOp product : packing.products) {
      panels[product].pairs = pairs;
      panels[product].column = columnOf(product);
    }
  }
  return panels;
}

//===----------------------------------------------------------------------===//
// Packing of the first operand (A)
//===----------------------------------------------------------------------===//

/// Returns how many steps of an innermost K loop of `size` steps are packed at
/// a time: the largest even divisor of `size` up to `maxSteps`, preferably a
/// multiple of 2 * `lanes`, which is the number of steps in one vector of
/// pairs. If `size` is odd, all steps are packed at once.
static int64_t stretchOf(int64_t size) {
  if (size % 2 != 0)
    return size;
  for (int64_t unit : {2 * lanes, int64_t(2)})
    for (int64_t steps = maxSteps; steps >= 2; steps -= 2)
      if (steps % unit == 0 && size % steps == 0)
        return steps;
  return 2;
}

PackedBF16PairsA::PackedBF16PairsA(linalg::LinalgOp product, bool isTransposed)
    : first(product.getDpsInputOperand(0)->get()), isTransposed(isTransposed),
      rows(product.getStaticLoopRanges()[0]),
      steps(stretchOf(product.getStaticLoopRanges().back())) {
  auto type = cast<MemRefType>(first.getType());
  if (!isTransposed && type.getStridesAndOffset().first.back() != 1) {
    Builder b(product.getLoc(), product);
    SmallVector<unsigned> order;
    for (int64_t dim = 1; dim < type.getRank(); ++dim)
      order.push_back(dim);
    order.push_back(0);
    first = memref::TransposeOp::create(
        b, first,
        AffineMapAttr::get(
            AffineMap::getPermutationMap(order, b.getContext())));
    this->isTransposed = true;
  }
  buffer = allocate(product, this->isTransposed ? ArrayRef{numPairs(), lanes}
                                                : ArrayRef{rows, numPairs()});
}

void PackedBF16PairsA::pack(Builder &b, ValueRange place) const {
  if (isTransposed)
    packColumns(b, place);
  else
    packRows(b, place);
}

/// Packs rows of A that are contiguous along K. Two neighbouring f32 elements
/// of a row become one pair, which consists of their upper halves: the bfloat16
/// values.
void PackedBF16PairsA::packRows(Builder &b, ValueRange place) const {
  auto packAt = [&](Builder &body, int64_t row, Value pair, int64_t count) {
    SmallVector<Value> from = {number(body, row)};
    llvm::append_range(from, place);
    from.back() = arith::AddIOp::create(
        body, from.back(), arith::MulIOp::create(body, pair, number(body, 2)));
    Value numbers = vector::LoadOp::create(
        body, VectorType::get({2 * count}, body.getF32Type()), first, from);
    Value halves = as(body, numbers, body.getI16Type(), 4 * count);
    SmallVector<int64_t> upper;
    for (int64_t lane = 0; lane < count; ++lane)
      upper.append({4 * lane + 3, 4 * lane + 1});
    Value both = vector::ShuffleOp::create(body, halves, halves, upper);
    vector::StoreOp::create(body, as(body, both, body.getF32Type(), count),
                            buffer, ValueRange{from.front(), pair});
  };
  int64_t pairs = steps / 2, whole = pairs - pairs % lanes;
  if (steps % 2 != 0)
    packLast(b, place);
  if (whole != 0)
    forEach(b, whole, lanes, [&](Builder &body, Value pair) {
      for (int64_t row = 0; row < rows; ++row)
        packAt(body, row, pair, lanes);
    });
  for (int64_t pair = whole, count = lanes; pair < pairs; pair += count) {
    while (count > pairs - pair)
      count /= 2;
    for (int64_t row = 0; row < rows; ++row)
      packAt(b, row, number(b, pair), count);
  }
}

/// Packs the last step of K if the number of steps is odd. The other half of
/// its pair is 0. As a bfloat16 value in f32 has 0 in its lower half, the f32
/// element has the bits of this pair, and is stored unchanged.
void PackedBF16PairsA::packLast(Builder &b, ValueRange place) const {
  SmallVector<Value> from(place);
  from.back() = arith::AddIOp::create(b, from.back(), number(b, steps - 1));
  Value pair = number(b, steps / 2);
  for (int64_t row = 0; row < rows; ++row) {
    SmallVector<Value> element = {number(b, row)};
    llvm::append_range(element, from);
    memref::StoreOp::create(b, memref::LoadOp::create(b, first, element),
                            buffer, ValueRange{element.front(), pair});
  }
}

/// Packs an operand A that is stored as [K, rows]. Two successive rows in
/// memory, which are two steps of K, become one row of pairs, with one pair for
/// each row of the tile.
void PackedBF16PairsA::packColumns(Builder &b, ValueRange place) const {
  RegisterTileVector piece = {0, VectorType::get({lanes}, b.getF32Type()),
                              rows};
  auto load = [&](Builder &body, Value step) {
    SmallVector<Value> from(place);
    from.back() = arith::AddIOp::create(body, from.back(), step);
    from.push_back(number(body, 0));
    return piece.load(body, first, from);
  };
  auto store = [&](Builder &body, Value pairs, Value row) {
    vector::StoreOp::create(body, pairs, buffer,
                            ValueRange{row, number(body, 0)});
  };
  if (steps > 1)
    forEach(b, steps / 2, 1, [&](Builder &body, Value pair) {
      Value step = arith::MulIOp::create(body, pair, number(body, 2));
      Value next = arith::AddIOp::create(body, step, number(body, 1));
      store(body, pairOf(body, load(body, step), load(body, next)), pair);
    });
  if (steps % 2 != 0)
    store(b, load(b, number(b, steps - 1)), number(b, steps / 2));
}

Value PackedBF16PairsA::at(Builder &b, int64_t row, Value index) const {
  Value lane = number(b, row);
  return memref::LoadOp::create(b, buffer,
                                isTransposed ? ValueRange{index, lane}
                                             : ValueRange{lane, index});
}

Value addPairs(Builder &b, Value sum, Value first, Value second) {
  auto type = cast<VectorType>(sum.getType());
  std::string name =
      addPairsPrefix.str() + std::to_string(type.getNumElements() * 32);
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name),
                                       ValueRange{sum, first, second})
      .getResult(0);
}

} // namespace ingot::cpu
