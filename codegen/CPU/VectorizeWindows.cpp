//===- VectorizeWindows.cpp - Sums over windows held in registers ---------===//

#include "codegen/CPU/Passes.h"
#include "codegen/CPU/TileLoops.h"
#include "codegen/Kernels/KernelAccess.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>

namespace ingot::cpu {
#define GEN_PASS_DEF_VECTORIZEWINDOWSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;

namespace {

/// The loops that the op has, in this order.
enum Loop : unsigned { Batch, Row, Column, TapRow, TapColumn, Channel };
constexpr unsigned numLoops = 6;

/// Of a row of taps so many factors are in registers at a time.
constexpr int64_t maxTaps = 8;
/// More columns than these gain nothing, and code grows.
constexpr int64_t maxColumns = 12;

/// Where an operand's index lies: sum of loops times factors, and a constant.
Value placeOf(ImplicitLocOpBuilder &b, AffineExpr expression,
              ArrayRef<Value> loops) {
  auto map = AffineMap::get(numLoops, 0, expression);
  return getValueOrCreateConstantIndexOp(
      b, b.getLoc(),
      affine::makeComposedFoldedAffineApply(
          b, b.getLoc(), map, getAsOpFoldResult(ValueRange(loops))));
}

class WindowLowering {
public:
  WindowLowering(linalg::GenericOp op, unsigned vectorBits,
                 unsigned numRegisters, bool useFMA)
      : op(op), builder(op.getLoc(), op), useFMA(useFMA),
        image(op.getDpsInputOperand(0)), filter(op.getDpsInputOperand(1)),
        output(op.getDpsInitOperand(0)), ranges(op.getStaticLoopRanges()) {
    element = getElementTypeOrSelf(output->get().getType());
    maxLanes = vectorBits / element.getIntOrFloatBitWidth();
    int64_t room = static_cast<int64_t>(numRegisters) -
                   std::min(maxTaps, ranges[TapColumn]) - 2;
    columns = std::min({room, maxColumns, ranges[Column]});
    columns = ::ingot::cpu::evenRows(ranges[Column], columns).value_or(columns);
  }

  void run() {
    start = takeStart();
    place.assign(numLoops, at(0));
    loopOver(Batch, at(0), boundOf(Batch, 0), 1, [&] {
      loopOver(Row, at(0), boundOf(Row, 1), 1, [&] {
        int64_t whole = ranges[Column] / columns * columns;
        loopOver(Column, at(0), at(whole), columns,
                 [&] { allChannels(columns); });
        place[Column] = at(whole);
        if (whole != ranges[Column])
          allChannels(ranges[Column] - whole);
      });
    });
    op->erase();
  }

private:
  Value at(int64_t index) {
    return arith::ConstantIndexOp::create(builder, index);
  }

  Value boundOf(Loop loop, int64_t dimension) {
    if (!ShapedType::isDynamic(ranges[loop]))
      return at(ranges[loop]);
    return memref::DimOp::create(builder, output->get(), dimension);
  }

  template <typename Body>
  void loopOver(Loop loop, Value from, Value to, int64_t by, Body body) {
    auto steps = scf::ForOp::create(builder, from, to, at(by));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(steps.getBody());
    place[loop] = steps.getInductionVar();
    body();
  }

  /// What the sums start with, where the result was filled with it: no memory
  /// has to hold it then.
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

  /// So many columns of all channels: whole vectors, then ever shorter ones.
  void allChannels(int64_t width) {
    int64_t size = ranges[Channel];
    if (ShapedType::isDynamic(size)) {
      Value all = boundOf(Channel, 3);
      Value rest = arith::RemUIOp::create(builder, all, at(maxLanes));
      Value whole = arith::SubIOp::create(builder, all, rest);
      loopOver(Channel, at(0), whole, maxLanes, [&] { sum(width, maxLanes); });
      loopOver(Channel, whole, all, 1, [&] { sum(width, 1); });
      return;
    }
    int64_t done = 0;
    for (int64_t lanes = maxLanes; done < size; lanes /= 2) {
      int64_t end = done + (size - done) / lanes * lanes;
      if (end != done)
        loopOver(Channel, at(done), at(end), lanes, [&] { sum(width, lanes); });
      done = end;
    }
  }

  /// `width` neighbours in a row, and `lanes` channels of each.
  void sum(int64_t width, int64_t lanes) {
    type = VectorType::get({lanes}, element);
    SmallVector<Value> sums;
    Value column = place[Column];
    for (int64_t index = 0; index < width; ++index) {
      place[Column] = shifted(builder, column, index);
      sums.push_back(
          start ? vector::BroadcastOp::create(builder, type, start).getResult()
                : load(builder, *output, place));
    }
    place[Column] = column;
    auto rows = scf::ForOp::create(
        builder, at(0), at(ranges[TapRow]), at(1), sums,
        [&](OpBuilder &inner, Location loc, Value row, ValueRange current) {
          ImplicitLocOpBuilder body(loc, inner);
          SmallVector<Value> next(current);
          for (int64_t tap = 0; tap < ranges[TapColumn]; tap += maxTaps)
            addTaps(body, row, tap, std::min(tap + maxTaps, ranges[TapColumn]),
                    next);
          scf::YieldOp::create(body, next);
        });
    for (int64_t index = 0; index < width; ++index) {
      place[Column] = shifted(builder, column, index);
      vector::StoreOp::create(builder, rows.getResult(index), output->get(),
                              placesOf(builder, *output, place));
    }
    place[Column] = column;
  }

  /// Adds what the taps from `first` up to `last` of a row of taps see. Each
  /// element of the image is read once for all windows that see it.
  void addTaps(ImplicitLocOpBuilder &body, Value row, int64_t first,
               int64_t last, SmallVectorImpl<Value> &sums) {
    SmallVector<Value> loops(place), factors;
    loops[TapRow] = row;
    for (int64_t tap = first; tap < last; ++tap) {
      loops[TapColumn] = arith::ConstantIndexOp::create(body, tap);
      factors.push_back(load(body, *filter, loops));
    }
    // How far apart in the image what neighbours see, and what taps see, is.
    AffineExpr seen = mapOf(*image).getResult(2);
    auto valueAt = [&](int64_t column, int64_t tap) {
      SmallVector<AffineExpr> point(numLoops, body.getAffineConstantExpr(0));
      point[Column] = body.getAffineConstantExpr(column);
      point[TapColumn] = body.getAffineConstantExpr(tap);
      return cast<AffineConstantExpr>(seen.replaceDims(point)).getValue();
    };
    DenseMap<int64_t, Value> read;
    std::map<int64_t, SmallVector<std::pair<int64_t, int64_t>>> users;
    for (int64_t column = 0; column < std::ssize(sums); ++column)
      for (int64_t tap = first; tap < last; ++tap)
        users[valueAt(column, tap)].push_back({column, tap});
    for (const auto &[offset, windows] : users) {
      auto [column, tap] = windows.front();
      loops[Column] = shifted(body, place[Column], column);
      loops[TapColumn] = arith::ConstantIndexOp::create(body, tap);
      Value value = load(body, *image, loops);
      for (auto [column, tap] : windows)
        sums[column] = add(body, sums[column], value, factors[tap - first]);
    }
  }

  Value add(ImplicitLocOpBuilder &b, Value sum, Value x, Value y) const {
    if (useFMA)
      return math::FmaOp::create(b, x, y, sum);
    return arith::AddFOp::create(b, sum, arith::MulFOp::create(b, x, y));
  }

  static Value shifted(ImplicitLocOpBuilder &b, Value index, int64_t by) {
    return getValueOrCreateConstantIndexOp(
        b, b.getLoc(),
        affine::makeComposedFoldedAffineApply(b, b.getLoc(),
                                              b.getAffineDimExpr(0) + by,
                                              getAsOpFoldResult(index)));
  }

  AffineMap mapOf(OpOperand &operand) {
    return op.getMatchingIndexingMap(&operand);
  }

  SmallVector<Value> placesOf(ImplicitLocOpBuilder &b, OpOperand &operand,
                              ArrayRef<Value> loops) {
    SmallVector<Value> places;
    for (AffineExpr result : mapOf(operand).getResults())
      places.push_back(placeOf(b, result, loops));
    return places;
  }

  Value load(ImplicitLocOpBuilder &b, OpOperand &operand,
             ArrayRef<Value> loops) {
    return vector::LoadOp::create(b, type, operand.get(),
                                  placesOf(b, operand, loops));
  }

  linalg::GenericOp op;
  ImplicitLocOpBuilder builder;
  bool useFMA;
  OpOperand *image, *filter, *output;
  SmallVector<int64_t> ranges;
  Type element;
  VectorType type;
  int64_t maxLanes, columns;
  Value start;
  SmallVector<Value> place; // by loop
};

/// Whether the op sums over the windows of images, for each channel by itself.
bool isWindowSum(linalg::GenericOp op) {
  using utils::IteratorType;
  constexpr IteratorType kinds[] = {
      IteratorType::parallel,  IteratorType::parallel,  IteratorType::parallel,
      IteratorType::reduction, IteratorType::reduction, IteratorType::parallel};
  if (!op.hasPureBufferSemantics() || op.getNumDpsInputs() < 2 ||
      op.getNumDpsInits() != 1 || op.getIteratorTypesArray() != ArrayRef(kinds))
    return false;
  Block *body = op.getBlock();
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  auto product = add ? add.getRhs().getDefiningOp<arith::MulFOp>() : nullptr;
  if (body->getOperations().size() != 3 || !product ||
      add.getLhs() != body->getArguments().back() ||
      product.getLhs() != body->getArgument(0) ||
      product.getRhs() != body->getArgument(1))
    return false;
  MLIRContext *context = op.getContext();
  auto dim = [&](unsigned loop) { return getAffineDimExpr(loop, context); };
  AffineMap image = op.getIndexingMapsArray()[0];
  AffineMap filter = op.getIndexingMapsArray()[1];
  AffineMap output = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto isChannelLast = [&](AffineMap map) {
    return map.getResults().back() == dim(Channel) &&
           llvm::none_of(map.getResults().drop_back(), [](AffineExpr result) {
             return result.isFunctionOfDim(Channel);
           });
  };
  return image.getNumResults() == 4 && filter.getNumResults() == 3 &&
         isChannelLast(image) && isChannelLast(filter) &&
         output ==
             AffineMap::get(numLoops, 0,
                            {dim(Batch), dim(Row), dim(Column), dim(Channel)},
                            context);
}

/// Whether neighbours in a row of the operands are neighbours in memory, and
/// what is unrolled is known.
bool fits(linalg::GenericOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  return isWindowSum(op) && !ShapedType::isDynamic(ranges[Column]) &&
         !ShapedType::isDynamic(ranges[TapRow]) &&
         !ShapedType::isDynamic(ranges[TapColumn]) &&
         llvm::all_of(op->getOpOperands(), [](OpOperand &operand) {
           return ::ingot::kernels::isContiguousInside(operand.get());
         });
}

struct VectorizeWindows
    : ::ingot::cpu::impl::VectorizeWindowsPassBase<VectorizeWindows> {
  using VectorizeWindowsPassBase::VectorizeWindowsPassBase;

  void runOnOperation() override {
    SmallVector<linalg::GenericOp> sums;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.getNumLoops() == numLoops && fits(op))
        sums.push_back(op);
    });
    for (linalg::GenericOp op : sums)
      WindowLowering(op, vectorBits, numRegisters, useFMA).run();
  }
};

} // namespace
