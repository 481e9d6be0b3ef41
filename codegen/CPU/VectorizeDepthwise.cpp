//===- VectorizeDepthwise.cpp - Depthwise convolutions in registers -------===//
// SPDX-License-Identifier: Apache-2.0
//
// Y[n, y, x, c] = sum over (r, s) of X[n, y + r, x + s, c] * W[r, s, c]: no
// dimension is shared by all lanes' sums but c, so there is no GEMM; lanes are
// channels. For each (n, y) and strip of x: the accumulators of the strip's
// outputs stay in registers over all taps, W[r, :, c] is loaded once for a row
// of taps, and each pixel once for all outputs of the strip that read it. The
// filter's gradient exchanges roles: accumulators are taps, and the loops run
// over windows. Taps are added in ascending order in both, as in the reference.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/Passes.h"
#include "codegen/CPU/TileLoops.h"
#include "codegen/Kernels/KernelAccess.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>

namespace ingot::cpu {
#define GEN_PASS_DEF_VECTORIZEDEPTHWISEPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;

namespace {

/// The loops of the op, in order.
enum Loop : unsigned { Batch, Row, Column, TapRow, TapColumn, Channel };
constexpr unsigned numLoops = 6;

/// The most filter taps of a row that are in registers at a time.
constexpr int64_t maxTaps = 8;
/// More columns than these gain nothing, and code grows.
constexpr int64_t maxColumns = 12;

/// Helpers to build the loops over windows and channels, and to address
/// operands in them.
class DepthwiseLoops {
public:
  DepthwiseLoops(linalg::GenericOp op, unsigned vectorBits, bool useFMA)
      : op(op), builder(op.getLoc(), op), image(op.getDpsInputOperand(0)),
        factors(op.getDpsInputOperand(1)), output(op.getDpsInitOperand(0)),
        ranges(op.getStaticLoopRanges()), useFMA(useFMA) {
    element = getElementTypeOrSelf(output->get().getType());
    maxLanes = vectorBits / element.getIntOrFloatBitWidth();
    start = takeStart();
    place.assign(numLoops, at(0));
  }

protected:
  using Numbers = SmallVector<Value>;

  Value at(int64_t index) {
    return arith::ConstantIndexOp::create(builder, index);
  }

  /// The trip count: a dimension of the result, or of the second operand.
  Value boundOf(Loop loop) {
    if (!ShapedType::isDynamic(ranges[loop]))
      return at(ranges[loop]);
    for (OpOperand *operand : {output, factors})
      for (auto [index, result] : llvm::enumerate(mapOf(*operand).getResults()))
        if (result == builder.getAffineDimExpr(loop))
          return memref::DimOp::create(builder, operand->get(), index);
    llvm_unreachable("a loop is a dimension of the result or of a factor");
  }

  template <typename Body>
  void loopOver(Loop loop, Value from, Value to, int64_t by, Body body) {
    auto steps = scf::ForOp::create(builder, from, to, at(by));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(steps.getBody());
    place[loop] = steps.getInductionVar();
    body();
  }

  /// The same with loop-carried values.
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

  /// All channels: full vectors, then shorter and shorter ones.
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

  /// The current indices plus `offsets`.
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

  /// The initial value of an accumulator.
  Value begin(ArrayRef<Value> loops) {
    if (start)
      return vector::BroadcastOp::create(builder, type, start);
    return load(*output, loops);
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

  /// For each column of the image under the taps from `first` up to `last` of a
  /// row of `width` windows: the windows and taps that read it, ascending.
  struct Seen {
    int64_t window, tap;
  };
  std::map<int64_t, SmallVector<Seen>> seenColumns(int64_t width, int64_t first,
                                                   int64_t last) {
    std::map<int64_t, SmallVector<Seen>> seen;
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
  Numbers place; // by loop

private:
  AffineMap mapOf(OpOperand &operand) {
    return op.getMatchingIndexingMap(&operand);
  }

  /// Takes the number that a fill of the result stores, so that accumulators
  /// start from a constant; null where there is no such fill.
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

  static bool isSameView(Value one, Value other) {
    auto first = one.getDefiningOp<memref::SubViewOp>();
    auto second = other.getDefiningOp<memref::SubViewOp>();
    return one == other ||
           (first && second &&
            OperationEquivalence::isEquivalentTo(
                first, second, OperationEquivalence::IgnoreLocations));
  }

  bool useFMA;
  Value start;
};

/// A convolution: accumulators of neighbouring outputs in a row.
class DepthwiseLowering : public DepthwiseLoops {
public:
  DepthwiseLowering(linalg::GenericOp op, unsigned vectorBits,
                    unsigned numRegisters, bool useFMA)
      : DepthwiseLoops(op, vectorBits, useFMA) {
    int64_t room = static_cast<int64_t>(numRegisters) -
                   std::min(maxTaps, ranges[TapColumn]) - 2;
    columns = std::min({room, maxColumns, ranges[Column]});
    columns = ::ingot::cpu::evenRows(ranges[Column], columns).value_or(columns);
  }

  void run() {
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

  /// Adds the products of the taps from `first` up to `last` of a row. Each
  /// pixel is loaded once for all windows that read it.
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

  int64_t columns;
};

/// The filter's gradient: accumulators of some rows of taps, over all windows
/// of all images.
class DepthwiseFilterLowering : public DepthwiseLoops {
public:
  DepthwiseFilterLowering(linalg::GenericOp op, unsigned vectorBits,
                          unsigned numRegisters, bool useFMA)
      : DepthwiseLoops(op, vectorBits, useFMA) {
    taps = std::min(maxTaps, ranges[TapColumn]);
    columns = std::min(maxWindows, ranges[Column]);
    int64_t room = static_cast<int64_t>(numRegisters) - columns - 2;
    tapRows = std::clamp<int64_t>(room / taps, 1, ranges[TapRow]);
  }

  void run() {
    allChannels([&] {
      int64_t whole = ranges[TapRow] / tapRows * tapRows;
      loopOver(TapRow, at(0), at(whole), tapRows, [&] { sumRows(tapRows); });
      place[TapRow] = at(whole);
      if (whole != ranges[TapRow])
        sumRows(ranges[TapRow] - whole);
    });
    op->erase();
  }

private:
  /// The windows that share loaded pixels.
  static constexpr int64_t maxWindows = 4;

  void sumRows(int64_t rows) {
    for (int64_t tap = 0; tap < ranges[TapColumn]; tap += taps)
      sum(rows, tap, std::min(tap + taps, ranges[TapColumn]));
  }

  void sum(int64_t rows, int64_t first, int64_t last) {
    Numbers sums;
    place[TapColumn] = at(0);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t tap = first; tap < last; ++tap)
        sums.push_back(begin(placeAt({{TapRow, row}, {TapColumn, tap}})));
    int64_t whole = ranges[Column] / columns * columns;
    auto inRow = [&](Numbers next) {
      next = fold(Column, at(0), at(whole), columns, next, [&](Numbers some) {
        addWindows(columns, rows, first, last, some);
        return some;
      });
      place[Column] = at(whole);
      if (whole != ranges[Column])
        addWindows(ranges[Column] - whole, rows, first, last, next);
      return next;
    };
    sums = fold(Batch, at(0), boundOf(Batch), 1, sums, [&](Numbers next) {
      return fold(Row, at(0), boundOf(Row), 1, next, inRow);
    });
    unsigned next = 0;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t tap = first; tap < last; ++tap)
        store(sums[next++], placeAt({{TapRow, row}, {TapColumn, tap}}));
  }

  /// Adds to the taps' accumulators the pixels under `width` windows times the
  /// windows' gradients.
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

/// Whether the body is a multiply-add of the first two operands.
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

/// Whether the map's results are these loops.
bool isOf(AffineMap map, ArrayRef<unsigned> loops) {
  return map == AffineMap::getMultiDimMapWithTargets(numLoops, loops,
                                                     map.getContext());
}

/// Whether the op is depthwise over windows of images, with the reduction loops
/// `isSum`.
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

bool isWindowSum(linalg::GenericOp op) {
  return isOverWindows(op, {false, false, false, true, true, false}) &&
         isOf(op.getMatchingIndexingMap(op.getDpsInitOperand(0)),
              {Batch, Row, Column, Channel});
}

bool isFilterGradient(linalg::GenericOp op) {
  return isOverWindows(op, {true, true, true, false, false, false}) &&
         isOf(op.getMatchingIndexingMap(op.getDpsInitOperand(0)),
              {TapRow, TapColumn, Channel}) &&
         isOf(op.getIndexingMapsArray()[1], {Batch, Row, Column, Channel});
}

struct VectorizeDepthwise
    : ::ingot::cpu::impl::VectorizeDepthwisePassBase<VectorizeDepthwise> {
  using VectorizeDepthwisePassBase::VectorizeDepthwisePassBase;

  void runOnOperation() override {
    SmallVector<linalg::GenericOp> sums, gradients;
    getOperation().walk([&](linalg::GenericOp op) {
      if (isWindowSum(op))
        sums.push_back(op);
      else if (isFilterGradient(op))
        gradients.push_back(op);
    });
    for (linalg::GenericOp op : sums)
      DepthwiseLowering(op, vectorBits, numRegisters, useFMA).run();
    for (linalg::GenericOp op : gradients)
      DepthwiseFilterLowering(op, vectorBits, numRegisters, useFMA).run();
  }
};

} // namespace
