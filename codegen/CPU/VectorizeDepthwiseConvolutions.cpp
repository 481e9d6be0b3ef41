//===- VectorizeDepthwiseConvolutions.cpp - Depthwise convolutions --------===//
// SPDX-License-Identifier: Apache-2.0
//
// Computes Y[n, y, x, c] = sum over (r, s) of X[n, y + r, x + s, c] * W[r, s,
// c]. No two channels share a product, so this is not a GEMM; the lanes of a
// vector are channels. For each (n, y) and strip of x, the accumulators of the
// strip's outputs stay in registers over all taps. W[r, :, c] is loaded once
// for a row of taps, and each pixel is loaded once for all outputs of the strip
// that read it. In the filter's gradient, the accumulators are those of taps
// instead, and the loops run over windows. Both kernels add products in
// ascending order of the reduced loops, as the reference
// (LowerContractionsToLoops) does, so they compute the same bits.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/Passes.h"
#include "codegen/CPU/TileAndFuse.h"
#include "codegen/Kernels/KernelAccess.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/Debug.h"

#include <map>

namespace ingot::cpu {
#define GEN_PASS_DEF_VECTORIZEDEPTHWISECONVOLUTIONSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

#define DEBUG_TYPE "ingot-cpu-vectorize-depthwise-convolutions"

using namespace mlir;

namespace {

/// The op's loops, outermost first: image, row and column of the output, row
/// and column of the tap in the window, channel.
enum Loop : unsigned { Batch, Row, Column, TapRow, TapColumn, Channel };
constexpr unsigned numLoops = 6;

/// The maximum number of filter taps of one row that are in registers at a
/// time.
constexpr int64_t maxTaps = 8;
/// The maximum number of neighbouring outputs with accumulators at a time. More
/// outputs gain no speed, and the unrolled code grows.
constexpr int64_t maxColumns = 12;

/// Builds loops over windows and channels, and computes the indices at which
/// operands are accessed in these loops. This is the base class of two
/// lowerings: that of a depthwise convolution, and that of its filter gradient.
class DepthwiseConvolutionLoops {
public:
  DepthwiseConvolutionLoops(linalg::GenericOp op, unsigned vectorBits,
                            bool useFMA)
      : op(op), builder(op.getLoc(), op), image(op.getDpsInputOperand(0)),
        factors(op.getDpsInputOperand(1)), output(op.getDpsInitOperand(0)),
        ranges(op.getStaticLoopRanges()), useFMA(useFMA) {
    element = getElementTypeOrSelf(output->get().getType());
    maxLanes = vectorBits / element.getIntOrFloatBitWidth();
    place.assign(numLoops, at(0));
  }

protected:
  using Numbers = SmallVector<Value>;

  Value at(int64_t index) {
    return arith::ConstantIndexOp::create(builder, index);
  }

  /// Returns the trip count of `loop`. A dynamic one is read from the result or
  /// the second operand, whichever has the loop as a dimension.
  Value boundOf(Loop loop) {
    if (!ShapedType::isDynamic(ranges[loop]))
      return at(ranges[loop]);
    for (OpOperand *operand : {output, factors})
      for (auto [index, result] : llvm::enumerate(mapOf(*operand).getResults()))
        if (result == builder.getAffineDimExpr(loop))
          return memref::DimOp::create(builder, operand->get(), index);
    llvm_unreachable("a loop is a dimension of the result or of a factor");
  }

  /// Builds a loop over [from, to) in steps of `by`, records its index as the
  /// current index of `loop`, and lets `body` build the loop's body.
  template <typename Body>
  void loopOver(Loop loop, Value from, Value to, int64_t by, Body body) {
    auto steps = scf::ForOp::create(builder, from, to, at(by));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(steps.getBody());
    place[loop] = steps.getInductionVar();
    body();
  }

  /// Like `loopOver`, for a loop with loop-carried values, whose initial values
  /// are `numbers`: `body` receives the current values and returns the next
  /// ones. Returns the values after the loop.
  template <typename Body>
  Numbers fold(Loop loop, Value from, Value to, int64_t by, ValueRange numbers,
               Body body) {
    auto steps = scf::ForOp::create(builder, from, to, at(by), numbers);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(steps.getBody());
    place[loop] = steps.getInductionVar();
    scf::YieldOp::create(builder, body(Numbers(steps.getRegionIterArgs())));
    return steps.getResults();
  }

  /// Builds loops that cover all channels, each with `body` as its body: first
  /// a loop over full vectors, then over vectors of half as many lanes, and so
  /// on. If the number of channels is dynamic, the remainder is computed one
  /// channel at a time. Sets `type`, the vector type that `body` uses, before
  /// each loop.
  void allChannels(llvm::function_ref<void()> body) {
    auto some = [&](Value from, Value to, int64_t lanes) {
      type = VectorType::get({lanes}, element);
      loopOver(Channel, from, to, lanes, body);
    };
    int64_t size = ranges[Channel], done = 0;
    if (ShapedType::isDynamic(size)) {
      Value all = boundOf(Channel);
      Value rest = arith::RemUIOp::create(builder, all, at(maxLanes));
      Value whole = arith::SubIOp::create(builder, all, rest);
      some(at(0), whole, maxLanes);
      some(whole, all, 1);
      return;
    }
    for (int64_t lanes = maxLanes; done < size; lanes /= 2) {
      int64_t end = done + (size - done) / lanes * lanes;
      if (end != done)
        some(at(done), at(end), lanes);
      done = end;
    }
  }

  /// Returns the current index of each loop (`place`). For a loop that is
  /// listed in `offsets`, its offset is added to the index.
  Numbers placeAt(std::initializer_list<std::pair<Loop, int64_t>> offsets) {
    Numbers loops(place);
    for (auto [loop, offset] : offsets)
      if (offset != 0)
        loops[loop] = getValueOrCreateConstantIndexOp(
            builder, builder.getLoc(),
            affine::makeComposedFoldedAffineApply(
                builder, builder.getLoc(), builder.getAffineDimExpr(0) + offset,
                getAsOpFoldResult(loops[loop])));
    return loops;
  }

  /// Returns the indices at which the operand is accessed when the loops have
  /// the indices `loops`: the results of the operand's indexing map.
  Numbers indicesOf(OpOperand &operand, ArrayRef<Value> loops) {
    return llvm::map_to_vector(mapOf(operand).getResults(),
                               [&](AffineExpr result) -> Value {
                                 return getValueOrCreateConstantIndexOp(
                                     builder, builder.getLoc(),
                                     affine::makeComposedFoldedAffineApply(
                                         builder, builder.getLoc(),
                                         AffineMap::get(numLoops, 0, result),
                                         getAsOpFoldResult(ValueRange(loops))));
                               });
  }

  Value load(OpOperand &operand, ArrayRef<Value> loops) {
    return vector::LoadOp::create(builder, type, operand.get(),
                                  indicesOf(operand, loops));
  }

  void store(Value sum, ArrayRef<Value> loops) {
    vector::StoreOp::create(builder, sum, output->get(),
                            indicesOf(*output, loops));
  }

  Value add(Value sum, Value x, Value y) {
    if (useFMA)
      return math::FmaOp::create(builder, x, y, sum);
    return arith::AddFOp::create(builder, sum,
                                 arith::MulFOp::create(builder, x, y));
  }

  /// A window (output column) and a tap of its row that read the same image
  /// column.
  struct WindowAndTap {
    int64_t window, tap;
  };

  /// Returns, for each image column (counted from the first one that is read),
  /// which of `width` neighbouring windows read it, and with which of the taps
  /// [first, last). A window reads ascending columns with ascending taps, so if
  /// columns are visited in ascending order, each accumulator adds its products
  /// in the order of taps.
  std::map<int64_t, SmallVector<WindowAndTap>>
  seenColumns(int64_t width, int64_t first, int64_t last) {
    std::map<int64_t, SmallVector<WindowAndTap>> seen;
    AffineExpr column = mapOf(*image).getResult(2);
    for (int64_t window = 0; window < width; ++window)
      for (int64_t tap = first; tap < last; ++tap) {
        SmallVector<AffineExpr> point(numLoops,
                                      builder.getAffineConstantExpr(0));
        point[Column] = builder.getAffineConstantExpr(window);
        point[TapColumn] = builder.getAffineConstantExpr(tap);
        auto number = cast<AffineConstantExpr>(column.replaceDims(point));
        seen[number.getValue()].push_back({window, tap});
      }
    return seen;
  }

  linalg::GenericOp op;
  ImplicitLocOpBuilder builder;
  OpOperand *image, *factors, *output;
  SmallVector<int64_t> ranges;
  Type element;
  int64_t maxLanes;
  VectorType type;
  Numbers place; // current indices, indexed by Loop

private:
  AffineMap mapOf(OpOperand &operand) {
    return op.getMatchingIndexingMap(&operand);
  }

  bool useFMA;
};

/// Lowers a depthwise convolution. The accumulators in registers are `columns`
/// neighbouring outputs of a row.
class DepthwiseConvolutionLowering : public DepthwiseConvolutionLoops {
public:
  DepthwiseConvolutionLowering(linalg::GenericOp op, unsigned vectorBits,
                               unsigned numRegisters, bool useFMA)
      : DepthwiseConvolutionLoops(op, vectorBits, useFMA) {
    // `room` is the number of registers that are left for accumulators, besides
    // a row of the filter's taps and two temporaries, such as a pixel.
    int64_t room = static_cast<int64_t>(numRegisters) -
                   std::min(maxTaps, ranges[TapColumn]) - 2;
    columns = std::min({room, maxColumns, ranges[Column]});
    columns = ::ingot::cpu::evenRows(ranges[Column], columns).value_or(columns);
    start = takeStart();
  }

  void run() {
    LLVM_DEBUG(llvm::dbgs() << "convolution at " << op.getLoc() << ": "
                            << columns << " outputs in registers\n");
    loopOver(Batch, at(0), boundOf(Batch), 1, [&] {
      loopOver(Row, at(0), boundOf(Row), 1, [&] {
        int64_t whole = ranges[Column] / columns * columns;
        loopOver(Column, at(0), at(whole), columns,
                 [&] { allChannels([&] { sum(columns); }); });
        place[Column] = at(whole);
        if (whole != ranges[Column])
          allChannels([&] { sum(ranges[Column] - whole); });
      });
    });
    op->erase();
  }

private:
  /// Computes `width` neighbouring outputs of a row: sums over all taps of
  /// their windows, in the order of the loops `TapRow` and `TapColumn`.
  void sum(int64_t width) {
    Numbers sums;
    for (int64_t window = 0; window < width; ++window)
      sums.push_back(begin(placeAt({{Column, window}})));
    sums = fold(TapRow, at(0), at(ranges[TapRow]), 1, sums, [&](Numbers next) {
      for (int64_t tap = 0; tap < ranges[TapColumn]; tap += maxTaps)
        addTaps(tap, std::min(tap + maxTaps, ranges[TapColumn]), next);
      return next;
    });
    for (int64_t window = 0; window < width; ++window)
      store(sums[window], placeAt({{Column, window}}));
  }

  /// Adds to `sums` the products of the taps [first, last) of one row of the
  /// window. Each pixel is loaded once for all windows that read it.
  void addTaps(int64_t first, int64_t last, Numbers &sums) {
    place[TapColumn] = at(0);
    Numbers filter;
    for (int64_t tap = first; tap < last; ++tap)
      filter.push_back(load(*factors, placeAt({{TapColumn, tap}})));
    for (const auto &[column, users] : seenColumns(sums.size(), first, last)) {
      auto [window, tap] = users.front();
      Value seen = load(*image, placeAt({{Column, window}, {TapColumn, tap}}));
      for (auto [window, tap] : users)
        sums[window] = add(sums[window], seen, filter[tap - first]);
    }
  }

  /// Returns the initial value of an accumulator: the constant of the fill that
  /// initializes the result (`start`), or, if there is no such fill, the
  /// result's current elements.
  Value begin(ArrayRef<Value> loops) {
    if (start)
      return vector::BroadcastOp::create(builder, type, start);
    return load(*output, loops);
  }

  /// Erases the fill that initializes the result and returns the filled value,
  /// so that accumulators start from a constant. Returns null if there is no
  /// such fill before the op, or an op that may access memory lies between
  /// them.
  Value takeStart() {
    for (Operation *before = op->getPrevNode(); before;
         before = before->getPrevNode()) {
      if (auto fill = dyn_cast<linalg::FillOp>(before);
          fill && isSameView(fill.getOutputs().front(), output->get())) {
        Value value = fill.getInputs().front();
        fill.erase();
        return value;
      }
      if (!isMemoryEffectFree(before))
        return {};
    }
    return {};
  }

  /// Whether two memrefs are the same value, or subviews of the same buffer
  /// with equal offsets, sizes and strides.
  static bool isSameView(Value one, Value other) {
    auto first = one.getDefiningOp<memref::SubViewOp>();
    auto second = other.getDefiningOp<memref::SubViewOp>();
    return one == other ||
           (first && second &&
            OperationEquivalence::isEquivalentTo(
                first, second, OperationEquivalence::IgnoreLocations));
  }

  int64_t columns;
  Value start;
};

/// Lowers a depthwise convolution's filter gradient. The accumulators in
/// registers are the taps of some rows of the filter. They are loaded and
/// stored for every few windows: with all channels of these windows, pixels are
/// read in the order in which they lie in memory, not once for each vector of
/// channels.
class DepthwiseFilterLowering : public DepthwiseConvolutionLoops {
public:
  DepthwiseFilterLowering(linalg::GenericOp op, unsigned vectorBits,
                          unsigned numRegisters, bool useFMA)
      : DepthwiseConvolutionLoops(op, vectorBits, useFMA) {
    taps = std::min(maxTaps, ranges[TapColumn]);
    columns = std::min(maxWindows, ranges[Column]);
    // `room` is the number of registers that are left for accumulators, besides
    // the gradients of `columns` windows and two temporaries, such as a pixel.
    int64_t room = static_cast<int64_t>(numRegisters) - columns - 2;
    tapRows = std::clamp<int64_t>(room / taps, 1, ranges[TapRow]);
  }

  void run() {
    LLVM_DEBUG(llvm::dbgs()
               << "filter gradient at " << op.getLoc() << ": " << tapRows
               << " x " << taps << " taps in registers\n");
    loopOver(Batch, at(0), boundOf(Batch), 1, [&] {
      loopOver(Row, at(0), boundOf(Row), 1, [&] {
        int64_t whole = ranges[Column] / columns * columns;
        loopOver(Column, at(0), at(whole), columns,
                 [&] { allChannels([&] { addToAll(columns); }); });
        place[Column] = at(whole);
        if (whole != ranges[Column])
          allChannels([&] { addToAll(ranges[Column] - whole); });
      });
    });
    op->erase();
  }

private:
  /// The maximum number of neighbouring windows that share a loaded pixel.
  static constexpr int64_t maxWindows = 4;

  /// Adds the products of `width` neighbouring windows, beginning at the
  /// current `Column`, to the gradients of all taps.
  void addToAll(int64_t width) {
    int64_t whole = ranges[TapRow] / tapRows * tapRows;
    loopOver(TapRow, at(0), at(whole), tapRows,
             [&] { addToRows(tapRows, width); });
    place[TapRow] = at(whole);
    if (whole != ranges[TapRow])
      addToRows(ranges[TapRow] - whole, width);
  }

  /// Like addToAll(), for `rows` rows of the filter, beginning at the current
  /// `TapRow`, and up to `taps` of their columns at a time.
  void addToRows(int64_t rows, int64_t width) {
    for (int64_t tap = 0; tap < ranges[TapColumn]; tap += taps)
      addToTaps(rows, tap, std::min(tap + taps, ranges[TapColumn]), width);
  }

  /// Like addToRows(), for the filter columns [first, last). Each of these taps
  /// has an accumulator in registers, to which the products of pixels and
  /// output gradients are added in ascending order of windows.
  void addToTaps(int64_t rows, int64_t first, int64_t last, int64_t width) {
    Numbers sums;
    place[TapColumn] = at(0);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t tap = first; tap < last; ++tap)
        sums.push_back(
            load(*output, placeAt({{TapRow, row}, {TapColumn, tap}})));
    addWindows(width, rows, first, last, sums);
    unsigned next = 0;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t tap = first; tap < last; ++tap)
        store(sums[next++], placeAt({{TapRow, row}, {TapColumn, tap}}));
  }

  /// Adds to the taps' accumulators `sums` the pixels under `width`
  /// neighbouring windows, each multiplied with the gradient of its window.
  void addWindows(int64_t width, int64_t rows, int64_t first, int64_t last,
                  Numbers &sums) {
    Numbers gradients;
    for (int64_t window = 0; window < width; ++window)
      gradients.push_back(load(*factors, placeAt({{Column, window}})));
    for (int64_t row = 0; row < rows; ++row)
      for (const auto &[column, users] : seenColumns(width, first, last)) {
        auto [window, tap] = users.front();
        Value seen =
            load(*image,
                 placeAt({{TapRow, row}, {Column, window}, {TapColumn, tap}}));
        for (auto [window, tap] : users) {
          Value &sum = sums[row * (last - first) + tap - first];
          sum = add(sum, seen, gradients[window]);
        }
      }
  }

  int64_t taps, columns, tapRows;
};

/// Whether the op's body is `sum + x * y`, with the first two operands as x and
/// y.
bool addsProducts(linalg::GenericOp op) {
  Block *body = op.getBlock();
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  auto product = add ? add.getRhs().getDefiningOp<arith::MulFOp>() : nullptr;
  return body->getOperations().size() == 3 && product &&
         add.getLhs() == body->getArguments().back() &&
         product.getLhs() == body->getArgument(0) &&
         product.getRhs() == body->getArgument(1);
}

/// Whether the results of `map` are exactly the loops `loops`, in this order.
bool isOf(AffineMap map, ArrayRef<unsigned> loops) {
  return map == AffineMap::getMultiDimMapWithTargets(numLoops, loops,
                                                     map.getContext());
}

/// Whether the op has the six loops of `Loop`, adds products over windows of
/// images, and reduces exactly the loops for which `isSum` is true. The trip
/// counts of `Column`, `TapRow` and `TapColumn` must be static, as the
/// lowerings unroll these loops, and channels must be contiguous in memory, as
/// they are the lanes of vectors.
bool isOverWindows(linalg::GenericOp op, ArrayRef<bool> isSum) {
  if (op.getNumLoops() != numLoops || !op.hasPureBufferSemantics() ||
      op.getNumDpsInputs() < 2 || op.getNumDpsInits() != 1 || !addsProducts(op))
    return false;
  for (auto [kind, sums] : llvm::zip(op.getIteratorTypesArray(), isSum))
    if ((kind == utils::IteratorType::reduction) != sums)
      return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  AffineExpr channel = getAffineDimExpr(Channel, op.getContext());
  return !ShapedType::isDynamic(ranges[Column]) &&
         !ShapedType::isDynamic(ranges[TapRow]) &&
         !ShapedType::isDynamic(ranges[TapColumn]) &&
         op.getIndexingMapsArray()[0].getNumResults() == 4 &&
         llvm::all_of(ArrayRef<int64_t>{0, 1, op.getNumDpsInputs()},
                      [&](int64_t index) {
                        AffineMap map = op.getIndexingMapsArray()[index];
                        return map.getResults().back() == channel &&
                               ::ingot::kernels::isContiguousInside(
                                   op->getOperand(index));
                      });
}

/// Whether the op is a depthwise convolution: a sum over the window's taps.
bool isWindowSum(linalg::GenericOp op) {
  return isOverWindows(op, {false, false, false, true, true, false}) &&
         isOf(op.getMatchingIndexingMap(op.getDpsInitOperand(0)),
              {Batch, Row, Column, Channel});
}

/// Whether the op is a depthwise convolution's filter gradient: a sum over all
/// windows of all images.
bool isFilterGradient(linalg::GenericOp op) {
  return isOverWindows(op, {true, true, true, false, false, false}) &&
         isOf(op.getMatchingIndexingMap(op.getDpsInitOperand(0)),
              {TapRow, TapColumn, Channel}) &&
         isOf(op.getIndexingMapsArray()[1], {Batch, Row, Column, Channel});
}

struct VectorizeDepthwiseConvolutions
    : ::ingot::cpu::impl::VectorizeDepthwiseConvolutionsPassBase<
          VectorizeDepthwiseConvolutions> {
  using VectorizeDepthwiseConvolutionsPassBase::
      VectorizeDepthwiseConvolutionsPassBase;

  void runOnOperation() override {
    SmallVector<linalg::GenericOp> sums, gradients;
    getOperation().walk([&](linalg::GenericOp op) {
      if (isWindowSum(op))
        sums.push_back(op);
      else if (isFilterGradient(op))
        gradients.push_back(op);
    });
    for (linalg::GenericOp op : sums)
      DepthwiseConvolutionLowering(op, vectorBits, numRegisters, useFMA).run();
    for (linalg::GenericOp op : gradients)
      DepthwiseFilterLowering(op, vectorBits, numRegisters, useFMA).run();
    numConvolutions += sums.size();
    numFilterGradients += gradients.size();
  }
};

} // namespace
