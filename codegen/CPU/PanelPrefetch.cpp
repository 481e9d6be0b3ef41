//===- PanelPrefetch.cpp - Prefetch the next panel during a GEMM ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/PanelPrefetch.h"
#include "codegen/Kernels/KernelAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace ingot::cpu {

using Builder = ImplicitLocOpBuilder;

/// The GEMM tiles that are computed in one iteration of the loop that packs
/// panels. `count` is their number, the product of the trip counts of all loops
/// between the packing loop and the GEMM. `index` is the index of the current
/// tile. Each tile prefetches an equal share of the next panel.
struct PanelPrefetch::Tiles {
  int64_t count = 1;
  Value index;
};

static Value number(Builder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

/// Returns an upper bound of the loop's trip count, or std::nullopt if the
/// loop's bounds and step do not determine one.
static std::optional<int64_t> tripsOf(scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  std::optional<int64_t> from = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> to = getConstantIntValue(loop.getUpperBound());
  if (step && from && to)
    return llvm::divideCeilSigned(*to - *from, *step);
  // If an outer loop iterates over blocks and this loop over the elements of
  // one block, the lower bound of this loop is the outer loop's index. Its
  // range is then at most the outer loop's step, the size of a block.
  auto start = dyn_cast<BlockArgument>(loop.getLowerBound());
  auto blocks = start ? dyn_cast<scf::ForOp>(start.getOwner()->getParentOp())
                      : scf::ForOp();
  std::optional<int64_t> size =
      blocks ? getConstantIntValue(blocks.getStep()) : std::nullopt;
  if (!step || !size)
    return std::nullopt;
  return llvm::divideCeilSigned(*size, *step);
}

/// Whether `value` is computed from `index`.
static bool dependsOn(Value value, Value index) {
  Operation *op = value.getDefiningOp();
  return value == index ||
         (op && llvm::any_of(op->getOperands(), [&](Value operand) {
            return dependsOn(operand, index);
          }));
}

/// Returns how many GEMM tiles one iteration of the loop `block` computes, and
/// the index of the current tile among them. With `shared`, only those are
/// counted that read this same view. Returns 1 as the number of tiles if
/// tripsOf() finds no bound of the trip count of a loop between `block` and the
/// GEMM.
static std::pair<int64_t, Value>
tilesIn(Builder &b, scf::ForOp block, Operation *product, Value shared = {}) {
  int64_t count = 1;
  Value index = number(b, 0);
  for (Operation *op = product->getParentOp(); op != block;
       op = op->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || (shared && dependsOn(shared, loop.getInductionVar())))
      continue;
    std::optional<int64_t> trips = tripsOf(loop);
    if (!trips)
      return {1, index};
    Value done =
        arith::SubIOp::create(b, loop.getInductionVar(), loop.getLowerBound());
    done = arith::DivUIOp::create(b, done, loop.getStep());
    done = arith::MulIOp::create(b, done, number(b, count));
    index = arith::AddIOp::create(b, index, done);
    count *= *trips;
  }
  return {count, index};
}

/// Returns the number of elements in a cache line.
static int64_t elementsOfLine(Value memory) {
  constexpr int64_t bitsOfLine = 512;
  return bitsOfLine /
         getElementTypeOrSelf(memory.getType()).getIntOrFloatBitWidth();
}

/// Prefetches a cache line to L2. It is not prefetched to L1, because it would
/// evict data that tiles are using. The address may be past the end of the
/// buffer, as prefetches never fault.
static void fetch(Builder &b, Value memory, ValueRange indices) {
  memref::PrefetchOp::create(b, memory, indices, /*isWrite=*/false,
                             /*localityHint=*/2, /*isDataCache=*/true);
}

/// Returns the op that packs the GEMM's operand `view`: one that fills the
/// view's buffer in a loop around the GEMM, possibly in a branch of the loop
/// (the last iteration of a grid may be a branch of its own). Returns null if
/// the buffer is not allocated by the kernel, or no such op fills it.
template <typename OpTy> static OpTy packing(Value view, Operation *product) {
  Value buffer = ::ingot::kernels::rootOf(view);
  if (!buffer.getDefiningOp<memref::AllocaOp>() &&
      !buffer.getDefiningOp<memref::AllocOp>())
    return {};
  for (Operation *inner = product;
       isa<scf::ForOp, scf::IfOp>(inner->getParentOp());
       inner = inner->getParentOp())
    for (auto op : inner->getBlock()->getOps<OpTy>()) {
      auto packs = cast<linalg::LinalgOp>(op.getOperation());
      if (packs.hasPureBufferSemantics() &&
          ::ingot::kernels::rootOf(packs.getDpsInits()[0]) == buffer)
        return op;
    }
  return {};
}

/// Whether the buffer of `view` is too large to stay in a core's own caches, so
/// that it must be prefetched.
bool PanelPrefetch::isLarge(Value view) const {
  auto whole = dyn_cast<MemRefType>(::ingot::kernels::rootOf(view).getType());
  return whole && whole.getElementType().isIntOrFloat() &&
         (!whole.hasStaticShape() ||
          whole.getNumElements() * whole.getElementTypeBitWidth() >=
              8 * minBytes);
}

PanelPrefetch::PanelPrefetch(linalg::LinalgOp product, int64_t depth,
                             int64_t minBytes, Builder &builder)
    : product(product), depth(depth), minBytes(minBytes),
      sums(ArrayRef(product.getStaticLoopRanges()).drop_front(2)) {
  addPanel(builder);
  addImages(builder);
  for (OpOperand *operand : product.getDpsInputOperands())
    addBlock(builder, *operand);
}

int64_t PanelPrefetch::period() const {
  if (!blocks.empty() || requests.empty())
    return 1;
  // Fewer steps would not be worth a loop of their own. Nor may they be
  // unrolled here: LLVM then keeps too much of several steps in registers.
  constexpr int64_t least = 4;
  unsigned shift = requests.front().shift;
  for (const PrefetchRequest &request : requests)
    shift = std::min(shift, request.shift);
  return std::max(least, int64_t(1) << shift);
}

/// Emits the prefetches for `steps` K steps, the first of which has the indices
/// `place`. The cache line of a request changes only every 1 << `shift` steps,
/// so only one prefetch is emitted for each 1 << `shift` steps.
void PanelPrefetch::at(Builder &body, ValueRange place, int64_t steps) const {
  if (!requests.empty()) {
    Value step = place[0];
    for (auto [index, size] : llvm::drop_begin(llvm::zip(place, sums)))
      step = arith::AddIOp::create(
          body, arith::MulIOp::create(body, step, number(body, size)), index);
    for (const PrefetchRequest &request : requests)
      for (int64_t done = 0; done < steps; done += int64_t(1) << request.shift)
        request.make(body, done == 0 ? step
                                     : arith::AddIOp::create(
                                           body, step, number(body, done)));
  }
  for (Value block : blocks)
    prefetchRows(body, block, place, steps);
}

/// Prefetches rows of the operand `rows` for `steps` steps of the next block of
/// K. The current block reads the corresponding rows when the K loops have the
/// indices `place`. The rows to prefetch are one block further on, so their
/// first index is larger by `sums[0]`, the trip count of the outermost K loop.
void PanelPrefetch::prefetchRows(Builder &body, Value rows, ValueRange place,
                                 int64_t steps) const {
  SmallVector<Value> indices(place);
  indices[0] = arith::AddIOp::create(body, indices[0], number(body, sums[0]));
  indices.emplace_back();
  int64_t columns = cast<MemRefType>(rows.getType()).getShape().back();
  for (int64_t done = 0; done < steps; ++done) {
    if (done != 0)
      indices.end()[-2] =
          arith::AddIOp::create(body, indices.end()[-2], number(body, 1));
    for (int64_t column = 0; column < columns; column += elementsOfLine(rows)) {
      indices.back() = number(body, column);
      fetch(body, rows, indices);
    }
  }
}

/// Adds prefetches of the memory that the next iteration of the packing loop
/// copies to the panel of B.
void PanelPrefetch::addPanel(Builder &builder) {
  Value panel = product.getDpsInputOperand(1)->get();
  linalg::LinalgOp packs;
  if (auto copy = packing<linalg::CopyOp>(panel, product))
    packs = copy;
  else if (auto transpose = packing<linalg::TransposeOp>(panel, product))
    packs = transpose;
  auto source = packs ? packs.getDpsInputOperand(0)
                            ->get()
                            .getDefiningOp<memref::SubViewOp>()
                      : nullptr;
  if (!source || source.getType().getRank() != 2 ||
      !source.getType().hasStaticShape() || !source.hasUnitStride() ||
      !isLarge(source))
    return;
  auto loop = packs->getParentOfType<scf::ForOp>();
  std::optional<int64_t> shift =
      loop ? getConstantIntValue(loop.getStep()) : std::nullopt;
  if (!shift)
    return;
  auto [count, index] = tilesIn(builder, loop, product);
  if (count < 2)
    return;
  Tiles tiles{count, index};
  SmallVector<OpFoldResult> offsets = source.getMixedOffsets();
  if (offsets[1] == OpFoldResult(loop.getInductionVar()))
    addColumns(builder, source, *shift, tiles);
  else if (offsets[0] == OpFoldResult(loop.getInductionVar()))
    addRows(builder, source, *shift, tiles);
}

/// Adds prefetches of the next panel if it has the same rows as the current
/// one, `shift` columns further on. Each tile prefetches some of the rows. Of
/// rows that do not begin with a cache line, the next panel's first line was
/// read as the current panel's last one. So the lines of the last element of
/// each `line` elements are prefetched, which are all that is missing.
void PanelPrefetch::addColumns(Builder &builder, Value source, int64_t shift,
                               const Tiles &tiles) {
  auto type = cast<MemRefType>(source.getType());
  int64_t rows = llvm::divideCeilSigned(type.getDimSize(0), tiles.count);
  int64_t width = type.getDimSize(1), line = elementsOfLine(source);
  Value first =
      arith::MulIOp::create(builder, tiles.index, number(builder, rows));
  int64_t steps = llvm::Log2_64(std::max<int64_t>(1, depth / rows));
  requests.push_back(
      {static_cast<unsigned>(steps), [=](Builder &b, Value step) {
         Value row = arith::ShRUIOp::create(b, step, number(b, steps));
         row = arith::AddIOp::create(b, first, row);
         for (int64_t column = 0; column < width; column += line)
           fetch(b, source,
                 {row, number(b, shift + std::min(column + line, width) - 1)});
       }});
}

/// Adds prefetches of the next panel if it has the same columns as the current
/// one, `shift` rows further on (B is transposed). Each tile prefetches some
/// columns of all rows.
void PanelPrefetch::addRows(Builder &builder, Value source, int64_t shift,
                            const Tiles &tiles) {
  auto type = cast<MemRefType>(source.getType());
  int64_t height = type.getDimSize(0), line = elementsOfLine(source);
  int64_t columns =
      llvm::divideCeilSigned(type.getDimSize(1), tiles.count * line) * line;
  int64_t steps =
      llvm::Log2_64(std::max<int64_t>(1, depth / (height * columns / line)));
  Value first =
      arith::MulIOp::create(builder, tiles.index, number(builder, columns));
  requests.push_back(
      {static_cast<unsigned>(steps), [=](Builder &b, Value step) {
         Value next = arith::ShRUIOp::create(b, step, number(b, steps));
         Value row = arith::RemUIOp::create(b, next, number(b, height));
         Value column = arith::DivUIOp::create(b, next, number(b, height));
         column = arith::MulIOp::create(b, column, number(b, line));
         fetch(b, source,
               {arith::AddIOp::create(b, row, number(b, shift)),
                arith::AddIOp::create(b, first, column)});
       }});
}

/// Builds the value that `value` will have in the next iteration of `loop`, by
/// cloning the arithmetic that computes it. `mapping` maps the loop's index,
/// and the ops cloned so far, to their values in the next iteration. Returns
/// null if `value` depends on memory.
static Value inNext(Builder &b, Value value, scf::ForOp loop,
                    IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  if (loop.isDefinedOutsideOfLoop(value))
    return value;
  Operation *op = value.getDefiningOp();
  if (!op || !isMemoryEffectFree(op) || op->getNumRegions() != 0)
    return {};
  for (Value operand : op->getOperands()) {
    Value next = inNext(b, operand, loop, mapping);
    if (!next)
      return {};
    mapping.map(operand, next);
  }
  b.clone(*op, mapping);
  return mapping.lookup(value);
}

/// Adds prefetches of the rows of images that the next im2col block copies.
/// These rows are contiguous in memory.
void PanelPrefetch::addImages(Builder &builder) {
  linalg::GenericOp copy;
  for (OpOperand *operand : product.getDpsInputOperands())
    if (!copy)
      copy = packing<linalg::GenericOp>(operand->get(), product);
  if (!copy || copy.getNumDpsInputs() != 0 || copy.getNumDpsInits() != 1)
    return;
  auto loads = copy.getBlock()->getOps<memref::LoadOp>();
  if (!llvm::hasSingleElement(loads))
    return;
  memref::LoadOp load = *loads.begin();
  auto type = cast<MemRefType>(copy.getDpsInits()[0].getType());
  auto loop = copy->getParentOfType<scf::ForOp>();
  if (!loop || !type.hasStaticShape() ||
      !load.getMemRefType().getLayout().isIdentity() ||
      !isLarge(load.getMemRef()))
    return;
  // No iteration follows the last one, whose places are constant.
  if (llvm::none_of(load->getOperands(), [&](Value place) {
        return dependsOn(place, loop.getInductionVar());
      }))
    return;
  auto [count, index] = tilesIn(builder, loop, product);
  int64_t line = elementsOfLine(load.getMemRef());
  int64_t lines = llvm::divideCeilSigned(type.getNumElements(), line);
  if (count * depth < lines)
    return;
  IRMapping mapping;
  mapping.map(
      loop.getInductionVar(),
      arith::AddIOp::create(builder, loop.getInductionVar(), loop.getStep())
          .getResult());
  copy.walk([&](linalg::IndexOp place) {
    mapping.map(place.getResult(), number(builder, 0));
  });
  SmallVector<Value> first;
  for (Value place : load.getIndices()) {
    first.push_back(inNext(builder, place, loop, mapping));
    if (!first.back())
      return;
  }
  Value memory = inNext(builder, load.getMemRef(), loop, mapping);
  if (!memory)
    return;
  int64_t steps = llvm::Log2_64(count * depth / lines);
  Value before = arith::MulIOp::create(builder, index, number(builder, depth));
  requests.push_back(
      {static_cast<unsigned>(steps), [=](Builder &b, Value step) {
         Value place = arith::AddIOp::create(b, before, step);
         place = arith::ShRUIOp::create(b, place, number(b, steps));
         place = arith::MulIOp::create(b, place, number(b, line));
         SmallVector<Value> indices(first);
         indices.back() = arith::AddIOp::create(b, indices.back(), place);
         fetch(b, memory, indices);
       }});
}

/// Adds prefetches for an operand that a GEMM with K-blocking reads in place,
/// if the rows of the next block of K follow those of the current block in
/// memory. They do if the operand's first dimension is K, and each iteration of
/// a loop around the GEMM selects the next `depth` rows.
void PanelPrefetch::addBlock(Builder &builder, OpOperand &operand) {
  if (product.getMatchingIndexingMap(&operand).getDimPosition(0) < 2)
    return;
  for (Value view = operand.get(); Operation *op = view.getDefiningOp();) {
    if (auto expand = dyn_cast<memref::ExpandShapeOp>(op)) {
      view = expand.getSrc();
      continue;
    }
    auto slice = dyn_cast<memref::SubViewOp>(op);
    if (!slice)
      return;
    auto index = dyn_cast_if_present<BlockArgument>(
        dyn_cast<Value>(slice.getMixedOffsets().front()));
    auto loop = index ? dyn_cast<scf::ForOp>(index.getOwner()->getParentOp())
                      : scf::ForOp();
    if (loop && index == loop.getInductionVar() &&
        getConstantIntValue(loop.getStep()) == depth &&
        getConstantIntValue(slice.getMixedSizes().front()) == depth &&
        isLarge(slice)) {
      if (sums.size() == 1)
        addRowsOfBlock(builder, operand.get(), loop);
      else
        blocks.push_back(operand.get());
      return;
    }
    view = slice.getSource();
  }
}

void PanelPrefetch::addTile(Value tile, bool isWritten) {
  auto type = cast<MemRefType>(tile.getType());
  int64_t line = elementsOfLine(tile);
  int64_t linesOfRow = llvm::divideCeilSigned(type.getDimSize(1), line);
  int64_t steps = llvm::Log2_64(
      std::max<int64_t>(1, depth / (type.getDimSize(0) * linesOfRow)));
  requests.push_back(
      {static_cast<unsigned>(steps), [=](Builder &b, Value step) {
         Value next = arith::ShRUIOp::create(b, step, number(b, steps));
         Value row = arith::DivUIOp::create(b, next, number(b, linesOfRow));
         Value column = arith::RemUIOp::create(b, next, number(b, linesOfRow));
         column = arith::MulIOp::create(b, column, number(b, line));
         memref::PrefetchOp::create(b, tile, ValueRange{row, column}, isWritten,
                                    /*localityHint=*/2, /*isDataCache=*/true);
       }});
}

/// Adds prefetches of the rows `depth` below those of the operand `rows`. All
/// tiles that read the same columns share them.
void PanelPrefetch::addRowsOfBlock(Builder &builder, Value rows,
                                   scf::ForOp loop) {
  int64_t columns = cast<MemRefType>(rows.getType()).getShape().back();
  auto [count, index] = tilesIn(builder, loop, product, rows);
  int64_t each = llvm::divideCeilSigned(depth, count);
  int64_t steps = llvm::Log2_64(depth / each), line = elementsOfLine(rows);
  Value first = arith::MulIOp::create(builder, index, number(builder, each));
  first = arith::AddIOp::create(builder, first, number(builder, depth));
  requests.push_back(
      {static_cast<unsigned>(steps), [=](Builder &b, Value step) {
         Value row = arith::ShRUIOp::create(b, step, number(b, steps));
         row = arith::AddIOp::create(b, first, row);
         for (int64_t column = 0; column < columns; column += line)
           fetch(b, rows, {row, number(b, column)});
       }});
}

} // namespace ingot::cpu
