//===- LowerIndexing.cpp - Slices, gathers and scatters -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/GatherLowering.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/StridedSlices.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

/// The indices that a strided slice selects in one dimension: `count` indices
/// from `begin` on, `stride` apart. Each of the three may be dynamic.
struct StridedSliceRange {
  Index begin, stride, count;
  /// Whether `begin` may be out of bounds: a single index that was not checked
  /// at compile time.
  bool mayBeOutside = false;
};

/// Returns the indices that `dim` selects in a dimension of `size` elements. As
/// in Python, `begin` and `end` are clamped to the dimension.
StridedSliceRange takeRange(IndexMath &math, const SlicedDim &dim, Index size,
                            Value begin, Value end) {
  if (auto known = IndexMath::known(size))
    if (auto range = dim.rangeOf(*known))
      return {math.constant(range->begin), math.constant(range->stride),
              math.constant(range->count)};
  Index zero = math.constant(0), one = math.constant(1);
  auto normalized = [&](Value numbers) {
    return math.fromEnd(math.element(numbers, dim.entry), size);
  };
  if (dim.kind == SlicedDim::Index)
    return {normalized(begin), one, one, true};
  bool forward = dim.stride > 0;
  Index lowest = math.constant(forward ? 0 : -1);
  Index highest = forward ? size : math.sub(size, one);
  auto clamped = [&](Value numbers) {
    return math.clamp(normalized(numbers), lowest, highest);
  };
  Index from = dim.beginMasked ? (forward ? lowest : highest) : clamped(begin);
  Index to = dim.endMasked ? (forward ? highest : lowest) : clamped(end);
  int64_t step = std::max(dim.stride, -std::numeric_limits<int64_t>::max());
  Index distance = forward ? math.sub(to, from) : math.sub(from, to);
  // The number of steps is rounded up: (distance - 1) / step + 1 for a positive
  // distance.
  Index steps = math.add(math.floorDiv(math.sub(math.max(distance, zero), one),
                                       math.constant(forward ? step : -step)),
                         one);
  return {from, math.constant(step), steps};
}

/// Returns the plan of strided slice `op` of a tensor with the sizes `sizes`,
/// and the range that it selects from each dimension of the tensor. Reports an
/// error if the strides are not constant.
template <typename OpTy>
FailureOr<std::pair<SlicePlan, SmallVector<StridedSliceRange>>>
planOf(OpTy op, IndexMath &math, const Sizes &sizes) {
  auto plan = planStridedSlice(op.getLoc(), sizes.size(), op.getBegin(),
                               op.getEnd(), op.getStrides(), SliceMasks(op));
  if (failed(plan))
    return failure();
  SmallVector<StridedSliceRange> ranges;
  for (const SlicedDim &dim : *plan) {
    if (dim.kind == SlicedDim::New)
      continue;
    if (ShapedType::isDynamic(dim.stride))
      return op.emitError(
          "the strides must be constants, not computed at run time");
    ranges.push_back(
        takeRange(math, dim, sizes[dim.dim], op.getBegin(), op.getEnd()));
  }
  return std::make_pair(*plan, ranges);
}

struct LowerStridedSlice : GatherLowering<StridedSliceOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, StridedSliceOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Sizes sizes = math.sizes(op.getInput());
    auto planned = planOf(op, math, sizes);
    if (failed(planned))
      return failure();
    auto &[plan, ranges] = *planned;
    if (Value box = readBox(b, op, plan, ranges))
      return reshaped(b, b.getLoc(), box, type.getShape());
    Sizes resultSizes;
    for (const SlicedDim &dim : plan)
      if (dim.kind != SlicedDim::Index)
        resultSizes.push_back(dim.kind == SlicedDim::New
                                  ? math.constant(1)
                                  : ranges[dim.dim].count);
    return fromPositions(b, type, resultSizes, {},
                         [&](Builder &inner, ArrayRef<Value> at, ValueRange) {
                           return read(inner, op, plan, ranges, sizes, at);
                         });
  }

  /// Copies the slice from the input as a box if all sizes are static and no
  /// stride is negative; returns null otherwise. The result lacks the
  /// dimensions of size 1 that the op inserts (new axes): the caller adds them
  /// by a reshape.
  static Value readBox(Builder &b, StridedSliceOp op, const SlicePlan &plan,
                       ArrayRef<StridedSliceRange> ranges) {
    SmallVector<int64_t> begins, sizes, strides, kept;
    for (const SlicedDim &dim : plan) {
      if (dim.kind == SlicedDim::New)
        continue;
      const StridedSliceRange &range = ranges[dim.dim];
      auto begin = IndexMath::known(range.begin);
      auto count = IndexMath::known(range.count);
      auto stride = IndexMath::known(range.stride);
      if (!begin || !count || *stride < 0 || range.mayBeOutside)
        return {};
      begins.push_back(*begin);
      sizes.push_back(*count);
      strides.push_back(*stride);
      if (dim.kind == SlicedDim::Range)
        kept.push_back(*count);
    }
    return copyOfBox(b, op.getInput(), begins, sizes, strides, kept);
  }

  static Value read(Builder &b, StridedSliceOp op, const SlicePlan &plan,
                    ArrayRef<StridedSliceRange> ranges, const Sizes &sizes,
                    ArrayRef<Value> at) {
    IndexMath math(b);
    SmallVector<MaybeOutOfBoundsIndex> coordinates;
    size_t next = 0;
    for (const SlicedDim &dim : plan) {
      if (dim.kind == SlicedDim::New) {
        ++next;
        continue;
      }
      const StridedSliceRange &range = ranges[dim.dim];
      Index position = range.begin;
      if (dim.kind == SlicedDim::Range)
        position = math.add(position, math.mul(at[next++], range.stride));
      coordinates.push_back({math.value(position), range.mayBeOutside});
    }
    return readElement(b, op.getInput(), sizes, coordinates,
                       zeroOf(b, getElementTypeOrSelf(op.getType())));
  }
};

struct LowerStridedSliceUpdate : GatherLowering<StridedSliceUpdateOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, StridedSliceUpdateOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Sizes sizes = math.sizes(op.getInput());
    auto planned = planOf(op, math, sizes);
    if (failed(planned))
      return failure();
    auto &[plan, ranges] = *planned;
    Sizes valueSizes = math.sizes(op.getValue());
    return fromPositions(b, type, sizes, op.getInput(),
                         [&](Builder &inner, ArrayRef<Value> at, ValueRange x) {
                           return read(inner, op, plan, ranges, valueSizes, at,
                                       x[0]);
                         });
  }

  /// Returns the element of the result at indices `at`: an element of `value`
  /// if the slice contains `at`, and the input's element `old` otherwise.
  static Value read(Builder &b, StridedSliceUpdateOp op, const SlicePlan &plan,
                    ArrayRef<StridedSliceRange> ranges, const Sizes &valueSizes,
                    ArrayRef<Value> at, Value old) {
    IndexMath math(b);
    SmallVector<MaybeOutOfBoundsIndex> coordinates;
    Value condition;
    auto require = [&](Value next) {
      condition =
          condition ? Value(arith::AndIOp::create(b, condition, next)) : next;
    };
    auto equals = [&](Index x, Index y) {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, math.value(x),
                                   math.value(y));
    };
    for (const SlicedDim &dim : plan) {
      if (dim.kind == SlicedDim::New) {
        coordinates.push_back({math.value(math.constant(0)), false});
        continue;
      }
      const StridedSliceRange &range = ranges[dim.dim];
      Index distance = math.sub(at[dim.dim], range.begin);
      if (dim.kind == SlicedDim::Index) {
        require(equals(distance, math.constant(0)));
        continue;
      }
      int64_t stride = *IndexMath::known(range.stride);
      bool whole = stride == 1 && dim.beginMasked && dim.endMasked;
      if (stride < 0)
        distance = math.sub(range.begin, at[dim.dim]);
      Index magnitude = math.constant(stride < 0 ? -stride : stride);
      if (stride != 1 && stride != -1)
        require(equals(math.mod(distance, magnitude), math.constant(0)));
      coordinates.push_back(
          {math.value(math.floorDiv(distance, magnitude)), !whole});
    }
    return readElement(b, op.getValue(), valueSizes, coordinates, old,
                       condition);
  }
};

struct LowerSlice : GatherLowering<SliceOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, SliceOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Sizes sizes = math.sizes(op.getInput()), resultSizes;
    SmallVector<Index> begins;
    SmallVector<bool> mayBeOutside;
    for (auto [i, dim] : llvm::enumerate(type.getShape())) {
      begins.push_back(math.element(op.getBegin(), i));
      resultSizes.push_back(ShapedType::isDynamic(dim)
                                ? sizeOf(math, op, i, begins.back(), sizes[i])
                                : math.constant(dim));
      mayBeOutside.push_back(
          !fits(begins.back(), resultSizes.back(), sizes[i],
                IndexMath::known(math.element(op.getSize(), i)) == -1));
    }
    if (type.hasStaticShape() && !llvm::is_contained(mayBeOutside, true)) {
      SmallVector<int64_t> first, ones(begins.size(), 1);
      for (Index begin : begins)
        first.push_back(*IndexMath::known(begin));
      return copyOfBox(b, op.getInput(), first, type.getShape(), ones,
                       type.getShape());
    }
    bool mayFit =
        llvm::all_of(llvm::zip(sizes, type.getShape()), [](auto pair) {
          std::optional<int64_t> whole = IndexMath::known(std::get<0>(pair));
          return !whole || *whole >= std::get<1>(pair);
        });
    if (type.hasStaticShape() && type.getNumElements() != 0 && mayFit)
      return copyInside(b, op, begins, sizes);
    Value zero = zeroOf(b, type.getElementType());
    return fromPositions(
        b, type, resultSizes, {},
        [&](Builder &inner, ArrayRef<Value> at, ValueRange) {
          IndexMath innerMath(inner);
          SmallVector<MaybeOutOfBoundsIndex> coordinates;
          for (auto [i, position] : llvm::enumerate(at))
            coordinates.push_back(
                {innerMath.value(innerMath.add(position, begins[i])),
                 mayBeOutside[i]});
          return readElement(inner, op.getInput(), sizes, coordinates, zero);
        });
  }

  /// Returns a copy of the slice, which has a static shape and begins at a
  /// place that is known at run time. Checks before the kernel refuse a slice
  /// that is not inside of the input (InsertShapeChecks.cpp). Its begin is
  /// clamped nevertheless, which costs less than to check each element.
  static Value copyInside(Builder &b, SliceOp op, ArrayRef<Index> begins,
                          const Sizes &sizes) {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<Index> offsets, counts, ones(begins.size(), math.constant(1));
    for (auto [begin, whole, count] :
         llvm::zip(begins, sizes, type.getShape())) {
      Index last =
          math.max(math.sub(whole, math.constant(count)), math.constant(0));
      counts.push_back(math.constant(count));
      offsets.push_back(math.clamp(begin, math.constant(0), last));
    }
    Value slice = tensor::ExtractSliceOp::create(b, type, op.getInput(),
                                                 offsets, counts, ones);
    return elementwise(
               b, op.getLoc(), type.getShape(), slice,
               emptyTensor(b, op.getLoc(), type),
               [](Builder &, ValueRange x) { return SmallVector<Value>{x[0]}; })
        .getResult(0);
  }

  static bool fits(Index begin, Index count, Index whole, bool isRest) {
    auto first = IndexMath::known(begin), number = IndexMath::known(count),
         size = IndexMath::known(whole);
    if (!first || *first < 0)
      return false;
    return isRest || (number && size && *first + *number <= *size);
  }

  /// Returns the size of the slice along dimension `i`. A size operand of -1
  /// means up to the end of the dimension, which has `whole` elements.
  static Index sizeOf(IndexMath &math, SliceOp op, int64_t i, Index begin,
                      Index whole) {
    Index size = math.element(op.getSize(), i);
    Index rest = math.max(math.sub(whole, begin), math.constant(0));
    if (auto known = IndexMath::known(size))
      return *known == -1 ? rest : size;
    return math.clampedOr(size, whole, rest);
  }
};

struct LowerGather : GatherLowering<GatherOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, GatherOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    auto input = cast<RankedTensorType>(op.getInput().getType());
    auto indices = cast<RankedTensorType>(op.getIndices().getType());
    FailureOr<int64_t> axis = constantAxis(op, op.getAxis(), input.getRank());
    if (failed(axis))
      return failure();
    int64_t batch = op.getBatchDims();
    if (batch < 0)
      batch += indices.getRank();
    Sizes sizes = math.sizes(op.getInput());
    Sizes indexSizes = math.sizes(op.getIndices());
    Sizes resultSizes(sizes.begin(), sizes.begin() + *axis);
    resultSizes.append(indexSizes.begin() + batch, indexSizes.end());
    resultSizes.append(sizes.begin() + *axis + 1, sizes.end());
    // The indexing map of `indices`. The loops over the dimensions after the
    // gathered axis do not occur in it: all elements of a gathered slice have
    // the same index.
    SmallVector<AffineExpr> places;
    for (int64_t d = 0; d < indices.getRank(); ++d)
      places.push_back(b.getAffineDimExpr(d < batch ? d : *axis + d - batch));
    auto map = AffineMap::get(type.getRank(), 0, places, b.getContext());
    Value empty =
        emptyTensor(b, b.getLoc(), matchingSizes(b, type, resultSizes),
                    type.getElementType());
    Value zero = zeroOf(b, type.getElementType());
    int64_t firstAfter = *axis + indices.getRank() - batch;
    auto gathered = generic(
        b, b.getLoc(), op.getIndices(), empty,
        {map, b.getMultiDimIdentityMap(type.getRank())},
        SmallVector<bool>(type.getRank(), false),
        [&](Builder &inner, ValueRange x) {
          SmallVector<MaybeOutOfBoundsIndex> at;
          for (int64_t d = 0; d < *axis; ++d)
            at.push_back({linalg::IndexOp::create(inner, d), false});
          at.push_back(
              {IndexMath(inner).value(IndexMath(inner).cast(x[0])), true});
          for (int64_t d = firstAfter; d < type.getRank(); ++d)
            at.push_back({linalg::IndexOp::create(inner, d), false});
          return SmallVector<Value>{
              readElement(inner, op.getInput(), sizes, at, zero)};
        });
    return gathered.getResult(0);
  }
};

/// Returns the vector of `count` coordinates that `indices` has at position
/// `row`: `row` indexes all of its dimensions but the last one.
SmallVector<MaybeOutOfBoundsIndex>
readCoordinates(Builder &b, Value indices, ArrayRef<Value> row, int64_t count) {
  IndexMath math(b);
  SmallVector<MaybeOutOfBoundsIndex> at;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Value> place(row);
    place.push_back(arith::ConstantIndexOp::create(b, i));
    Value number = tensor::ExtractOp::create(b, indices, place);
    at.push_back({math.value(math.cast(number)), true});
  }
  return at;
}

struct LowerGatherNd : GatherLowering<GatherNdOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, GatherNdOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    auto indices = cast<RankedTensorType>(op.getIndices().getType());
    int64_t rows = indices.getRank() - 1, count = indices.getShape().back();
    if (ShapedType::isDynamic(count))
      return op.emitError("the last dimension of the indices must have a "
                          "static size, got type ")
             << indices;
    Sizes sizes = math.sizes(op.getInput());
    Sizes resultSizes = math.sizes(op.getIndices());
    resultSizes.pop_back();
    resultSizes.append(sizes.begin() + count, sizes.end());
    Value zero = zeroOf(b, type.getElementType());
    return fromPositions(
        b, type, resultSizes, {},
        [&](Builder &inner, ArrayRef<Value> at, ValueRange) {
          SmallVector<MaybeOutOfBoundsIndex> coordinates = readCoordinates(
              inner, op.getIndices(), at.take_front(rows), count);
          for (Value position : at.drop_front(rows))
            coordinates.push_back({position, false});
          return readElement(inner, op.getInput(), sizes, coordinates, zero);
        });
  }
};

/// Lowers a scatter to sequential loops over the updates, so that if several
/// updates have the same index, the last one wins.
struct LowerTensorScatter : GatherLowering<TensorScatterOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, TensorScatterOp op) const override {
    auto type = cast<RankedTensorType>(op.getType());
    auto indices = cast<RankedTensorType>(op.getIndices().getType());
    auto updates = cast<RankedTensorType>(op.getUpdates().getType());
    if (ShapedType::isDynamic(indices.getShape().back()))
      return op.emitError("the last dimension of the indices must have a "
                          "static size, got type ")
             << indices;
    if ((type.hasStaticShape() && type.getNumElements() == 0) ||
        (updates.hasStaticShape() && updates.getNumElements() == 0))
      return op.getInput();
    TensorScatterLoopBuilder loops{op,
                                   IndexMath(b).sizes(op.getInput()),
                                   IndexMath(b).sizes(op.getUpdates()),
                                   indices.getRank() - 1,
                                   {},
                                   {}};
    return loops.nest(b, op.getInput());
  }

  struct TensorScatterLoopBuilder {
    TensorScatterOp op;
    Sizes sizes, counts;
    int64_t rows; // number of leading dimensions that updates and indices share
    SmallVector<Value> position;
    SmallVector<MaybeOutOfBoundsIndex> row;

    Value nest(Builder &b, Value tensor) {
      int64_t depth = position.size();
      if (depth == rows)
        row = readCoordinates(b, op.getIndices(), position,
                              cast<RankedTensorType>(op.getIndices().getType())
                                  .getShape()
                                  .back());
      if (depth == static_cast<int64_t>(counts.size()))
        return update(b, tensor);
      Value zero = arith::ConstantIndexOp::create(b, 0);
      Value one = arith::ConstantIndexOp::create(b, 1);
      auto loop = scf::ForOp::create(b, zero, IndexMath(b).value(counts[depth]),
                                     one, tensor);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      position.push_back(loop.getInductionVar());
      Value next = nest(b, loop.getRegionIterArg(0));
      position.pop_back();
      scf::YieldOp::create(b, next);
      return loop.getResult(0);
    }

    Value update(Builder &b, Value tensor) {
      Value value = tensor::ExtractOp::create(b, op.getUpdates(), position);
      SmallVector<MaybeOutOfBoundsIndex> at(row);
      for (Value inner : ArrayRef<Value>(position).drop_front(rows))
        at.push_back({inner, false});
      SmallVector<Value> place =
          llvm::map_to_vector(at, [](const MaybeOutOfBoundsIndex &coordinate) {
            return coordinate.index;
          });
      auto write = [&](Builder &inner) -> Value {
        Value old = tensor::ExtractOp::create(inner, tensor, place);
        return tensor::InsertOp::create(inner, combine(inner, old, value),
                                        tensor, place);
      };
      Value inside = areInside(b, at, sizes);
      if (!inside)
        return write(b);
      auto choice = scf::IfOp::create(
          b, inside,
          [&](OpBuilder &nested, Location loc) {
            Builder inner(loc, nested);
            scf::YieldOp::create(nested, loc, write(inner));
          },
          [&](OpBuilder &nested, Location loc) {
            scf::YieldOp::create(nested, loc, tensor);
          });
      return choice.getResult(0);
    }

    Value combine(Builder &b, Value old, Value value) {
      bool isFloat = isa<FloatType>(value.getType());
      bool isUnsigned = resultElementType(op, 0).isUnsignedInteger();
      StringRef how = op.getCombine();
      if (how == "add")
        return isFloat ? Value(arith::AddFOp::create(b, old, value))
                       : Value(arith::AddIOp::create(b, old, value));
      if (how == "sub")
        return isFloat ? Value(arith::SubFOp::create(b, old, value))
                       : Value(arith::SubIOp::create(b, old, value));
      if (how == "min")
        return isFloat      ? Value(arith::MinimumFOp::create(b, old, value))
               : isUnsigned ? Value(arith::MinUIOp::create(b, old, value))
                            : Value(arith::MinSIOp::create(b, old, value));
      if (how == "max")
        return isFloat      ? Value(arith::MaximumFOp::create(b, old, value))
               : isUnsigned ? Value(arith::MaxUIOp::create(b, old, value))
                            : Value(arith::MaxSIOp::create(b, old, value));
      return value;
    }
  };
};

} // namespace

void ::ingot::lower::populateIndexingPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerStridedSlice, LowerStridedSliceUpdate, LowerSlice,
               LowerGather, LowerGatherNd, LowerTensorScatter>(
      patterns.getContext());
}
