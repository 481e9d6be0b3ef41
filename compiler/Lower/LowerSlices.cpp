//===- LowerSlices.cpp - Loops over the slices of a batch -----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Lowers a slice_region to a loop over the slices of this process. The loop
// passes each yielded value to the runtime (ingot_op_exchange_add). After the
// loop, the runtime returns the value combined over all slices
// (ingot_op_exchange_finish). It exchanges values in buckets, one message for
// several values. If kernels come later in the loop, the runtime starts to
// exchange a bucket as soon as the process's last slice has passed all values
// of the bucket. The exchange then overlaps with these kernels.
//
// Larger values of static size are combined in place. The program allocates an
// array for each such value. The kernels of a slice write the slice's value to
// an element of the array, the slice's place (placeOfSlice), and the runtime
// combines these elements. Otherwise the runtime would have to copy values that
// do not fit into a cache.
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/LowerSlices.h"
#include "compiler/Lower/ExchangeBuckets.h"
#include "compiler/Lower/Patterns.h"

#include "dialects/Host/HostDialect.h"
#include "dialects/Ingot/IR/DType.h"
#include "dialects/Ingot/IR/RequireValuesOps.h"
#include "runtime/ABI/ExchangeKinds.h"
#include "runtime/ABI/Tensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::ExchangeKind;
using ::ingot::findExchangeKind;
using ::ingot::lower::ExchangeBucket;

/// Builds a call of a runtime op. `outputs` is the memory for its results.
static ValueRange buildCall(OpBuilder &builder, StringRef callee, Location loc,
                            ArrayRef<NamedAttribute> options, ValueRange inputs,
                            ArrayRef<int32_t> inputTypes, TypeRange results,
                            ValueRange outputs, ArrayRef<int32_t> outputTypes) {
  std::string node;
  loc->walk([&](Location inner) {
    auto name = dyn_cast<NameLoc>(inner);
    if (name && node.empty())
      node = name.getName().str();
    return WalkResult::advance();
  });
  return host::CallOp::create(
             builder, loc, results, builder.getStringAttr(callee),
             builder.getStringAttr(node), builder.getDictionaryAttr(options),
             inputs, outputs, builder.getDenseI32ArrayAttr(inputTypes),
             builder.getDenseI32ArrayAttr(outputTypes))
      .getResults();
}

namespace ingot::lower {

std::pair<Value, Value> buildSliceRange(ImplicitLocOpBuilder &builder,
                                        int64_t slices) {
  Type i64 = builder.getI64Type();
  SmallVector<Value> outputs;
  for (unsigned i = 0; i < 2; ++i)
    outputs.push_back(
        tensor::EmptyOp::create(builder, ArrayRef<int64_t>(), i64));
  int32_t dtype = getDTypeNumber(i64);
  ValueRange ends = buildCall(
      builder, "ingot_op_slice_range", builder.getLoc(),
      builder.getNamedAttr("slices", builder.getI64IntegerAttr(slices)), {}, {},
      ValueRange(outputs).getTypes(), outputs, {dtype, dtype});
  auto index = [&](Value end) {
    return arith::IndexCastOp::create(
        builder, builder.getIndexType(),
        tensor::ExtractOp::create(builder, end, ValueRange()));
  };
  Value first = index(ends[0]);
  return {first, index(ends[1])};
}

} // namespace ingot::lower

namespace {

/// The offsets and sizes of a part of a tensor.
struct TensorSliceParameters {
  SmallVector<OpFoldResult> offsets, sizes, strides;

  TensorSliceParameters(OpBuilder &builder, RankedTensorType part, int64_t cut,
                        Value offset)
      : offsets(part.getRank(), builder.getIndexAttr(0)),
        sizes(getAsIndexOpFoldResult(builder.getContext(), part.getShape())),
        strides(part.getRank(), builder.getIndexAttr(1)) {
    offsets[cut] = offset;
  }
};

class BatchSliceLoopBuilder {
public:
  BatchSliceLoopBuilder(SliceRegionOp op, unsigned firstBucket)
      : op(op), builder(op.getLoc(), op), firstBucket(firstBucket),
        buckets(::ingot::lower::formExchangeBuckets(op)),
        numBuckets(buckets.size()) {
    for (StringRef text : op.getExchanges().getAsValueRange<StringAttr>()) {
      if (findExchangeKind(text)->isInPlace())
        inPlace.push_back(kinds.size());
      kinds.push_back(findExchangeKind(text));
    }
  }

  unsigned run() {
    prepare();
    auto [first, last] = ::ingot::lower::buildSliceRange(
        builder, static_cast<int64_t>(op.getSlices()));
    Value one = arith::ConstantIndexOp::create(builder, 1);
    SmallVector<Value> replaced;
    for (unsigned index : inPlace)
      replaced.push_back(op.getInputs()[op.getJoins()[index]]);
    auto loop = scf::ForOp::create(builder, first, last, one, replaced);
    Value slice = loop.getInductionVar();
    builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp yield =
        inPlace.empty() ? cast<scf::YieldOp>(loop.getBody()->getTerminator())
                        : scf::YieldOp::create(builder, replaced);
    builder.setInsertionPoint(yield);
    if (!hasEqualSlices())
      skipEmpty(slice);
    preparePlaces(slice);
    Block &body = op.getBody().front();
    Operation *end = body.getTerminator();
    if (!body.getOps<RequireIndicesOp>().empty())
      sayRows(slice);
    SmallVector<Value> inputs(op.getInputs());
    for (auto [index, carried] : llvm::zip(inPlace, loop.getRegionIterArgs()))
      inputs[op.getJoins()[index]] = carried;
    for (auto [argument, input, cut] :
         llvm::zip(body.getArguments(), inputs, op.getCuts()))
      argument.replaceAllUsesWith(partOf(input, argument, cut, slice));
    builder.getInsertionBlock()->getOperations().splice(
        builder.getInsertionPoint(), body.getOperations(), body.begin(),
        end->getIterator());
    for (auto [index, value] : llvm::enumerate(end->getOperands()))
      if (memory[index])
        keep(index, value, slice);
    for (const ExchangeBucket &bucket : buckets)
      giveAll(bucket, end->getOperands(), slice);
    for (auto [number, index] : llvm::enumerate(inPlace))
      yield->setOperand(number, replacePart(loop.getRegionIterArgs()[number],
                                            end->getOperand(index), slice));
    builder.setInsertionPointAfter(loop);
    for (auto [index, array] : llvm::enumerate(memory))
      if (array)
        op->getResult(index).replaceAllUsesWith(tensorOf(index, array));
    for (const ExchangeBucket &bucket : buckets)
      for (unsigned index : bucket.results)
        op->getResult(index).replaceAllUsesWith(take(index));
    for (auto [index, value] : llvm::zip(inPlace, loop.getResults()))
      op->getResult(index).replaceAllUsesWith(gatherInPlace(index, value));
    op.erase();
    return numBuckets;
  }

private:
  /// Allocates each result of the region: a buffer of its own if each rank
  /// keeps the result, or a part of the array in which it is combined. Then
  /// describes to the runtime each value that ranks exchange.
  void prepare() {
    for (auto [index, kind] : llvm::enumerate(kinds)) {
      locations.push_back(
          op.getBody().front().getTerminator()->getOperand(index).getLoc());
      bool isKept = kind->value == INGOT_EXCHANGE_KEEP;
      auto type = cast<RankedTensorType>(op->getResult(index).getType());
      memory.push_back(isKept ? allocate(index, type) : Value());
      places.push_back(isCombinedInPlace(*kind, type) ? allocatePlaces(type)
                                                      : Value());
    }
    options.resize(kinds.size());
    for (auto [number, bucket] : llvm::enumerate(buckets))
      for (unsigned position = 0; position < bucket.results.size(); ++position)
        describe(bucket, firstBucket + number, position);
  }

  /// Creates the attributes of the runtime calls for value `position` of
  /// `bucket`, which has the program-wide index `number`.
  void describe(const ExchangeBucket &bucket, size_t number,
                unsigned position) {
    unsigned index = bucket.results[position];
    SmallVector<NamedAttribute> &all = options[index];
    auto add = [&](StringRef name, int64_t value) {
      all.push_back(
          builder.getNamedAttr(name, builder.getI64IntegerAttr(value)));
    };
    add("bucket", static_cast<int64_t>(number));
    add("index", position);
    add("kind", kinds[index]->value);
    add("slices", static_cast<int64_t>(op.getSlices()));
    if (!kinds[index]->isJoined) {
      SmallVector<int64_t> elements;
      for (unsigned result : bucket.results)
        elements.push_back(
            cast<RankedTensorType>(op->getResult(result).getType())
                .getNumElements());
      all.push_back(builder.getNamedAttr(
          "elements", builder.getDenseI64ArrayAttr(elements)));
    }
    if (kinds[index]->value == INGOT_EXCHANGE_REDUCE_SCATTER)
      add("parts", op.getJoins()[index]);
    if (places[index])
      add("in_place", 1);
    if (bucket.startsInLoop && position + 1 == bucket.results.size())
      add("starts", 1);
  }

  /// Whether a value is combined in place. Such a value is an element of an
  /// array, so its size must be a multiple of the alignment that kernels
  /// expect. Values of fewer than `leastBytes` bytes are not combined in place:
  /// they stay in a core's own caches, where copies cost little.
  static bool isCombinedInPlace(const ExchangeKind &kind,
                                RankedTensorType type) {
    constexpr int64_t leastBytes = 4096;
    if (kind.value == INGOT_EXCHANGE_KEEP || kind.isJoined ||
        !type.hasStaticShape())
      return false;
    int64_t bytes = type.getNumElements() *
                    llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    return bytes >= leastBytes && bytes % INGOT_ALIGNMENT == 0;
  }

  Value allocatePlaces(RankedTensorType type) {
    SmallVector<int64_t> shape = {
        ::ingot::numPlacesOfSlices(static_cast<uint64_t>(op.getSlices()))};
    llvm::append_range(shape, type.getShape());
    return memref::AllocOp::create(
        builder, MemRefType::get(shape, type.getElementType()), ValueRange(),
        builder.getI64IntegerAttr(INGOT_ALIGNMENT));
  }

  /// For each value that is combined in place, selects the element of its array
  /// to which slice `slice` writes. This precedes the slice's kernels, so that
  /// they can write their results directly to that element.
  void preparePlaces(Value slice) {
    Value place;
    for (Value array : places) {
      placesOfSlice.emplace_back();
      if (!array)
        continue;
      if (!place)
        place = arith::IndexCastOp::create(
            builder, builder.getIndexType(),
            math::CtPopOp::create(builder,
                                  arith::IndexCastOp::create(
                                      builder, builder.getI64Type(), slice)));
      placesOfSlice.back() = placeIn(array, place);
    }
  }

  /// Returns element `place` of the array `array`, as a view.
  Value placeIn(Value array, OpFoldResult place) {
    auto type = cast<MemRefType>(array.getType());
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
    SmallVector<OpFoldResult> sizes =
        getAsIndexOpFoldResult(builder.getContext(), type.getShape());
    offsets[0] = place;
    sizes[0] = builder.getIndexAttr(1);
    auto element = memref::SubViewOp::inferRankReducedResultType(
        type.getShape().drop_front(), type, offsets, sizes, strides);
    return memref::SubViewOp::create(builder, element, array, offsets, sizes,
                                     strides);
  }

  /// Whether all slices have the same static sizes.
  bool hasEqualSlices() {
    return llvm::all_of(
        llvm::zip(op.getBody().getArguments(), op.getCuts()), [](auto pair) {
          auto [argument, cut] = pair;
          return !cast<RankedTensorType>(argument.getType()).isDynamicDim(cut);
        });
  }

  /// Moves the insertion point into a branch that is taken only if the slice
  /// has rows.
  void skipEmpty(Value slice) {
    Value rows =
        boundsOf(op.getInputs().front(), op.getCuts().front(), slice).second;
    Value zero = arith::ConstantIndexOp::create(builder, 0);
    Value hasRows =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, rows, zero);
    auto branch = scf::IfOp::create(builder, hasRows, /*withElseRegion=*/false);
    builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  }

  /// Tells the runtime which rows of the batch a slice has, so that error
  /// messages can state a row's index in the batch instead of its index in the
  /// slice.
  void sayRows(Value slice) {
    Value total = batchSize();
    auto [begin, rows] = boundsIn(total, slice);
    int32_t i64 = getDTypeNumber(builder.getI64Type());
    buildCall(builder, "ingot_op_slice_rows", op.getLoc(), {},
              {scalar(begin), scalar(rows), scalar(total)}, {i64, i64, i64}, {},
              {}, {});
  }

  /// Allocates memory for result `index`, which is kept on this rank. Each
  /// slice writes its part of the result to this memory. The parts are joined
  /// along one dimension (`joins`). Only this dimension may have a dynamic
  /// size, the batch size.
  Value allocate(unsigned index, RankedTensorType type) {
    SmallVector<Value> sizes;
    if (type.isDynamicDim(op.getJoins()[index]))
      sizes.push_back(batchSize());
    return memref::AllocOp::create(
        builder, MemRefType::get(type.getShape(), type.getElementType()), sizes,
        builder.getI64IntegerAttr(INGOT_ALIGNMENT));
  }

  /// Returns the size of the first input along the dimension that is split into
  /// slices. If this size is dynamic, it is the batch size, which all inputs
  /// have.
  Value batchSize() {
    return builder.createOrFold<tensor::DimOp>(op.getInputs().front(),
                                               op.getCuts().front());
  }

  NamedAttribute slicesOption() {
    return builder.getNamedAttr("slices", op.getSlicesAttr());
  }

  /// Returns the index of the first element that belongs to `slice`, and the
  /// number of these elements, if a dimension of `size` elements is split into
  /// slices.
  std::pair<Value, Value> boundsIn(Value size, Value slice) {
    Value slices = arith::ConstantIndexOp::create(builder, op.getSlices());
    Value one = arith::ConstantIndexOp::create(builder, 1);
    auto beginOf = [&](Value place) -> Value {
      Value product = arith::MulIOp::create(builder, place, size);
      return arith::DivUIOp::create(builder, product, slices);
    };
    Value begin = beginOf(slice);
    Value end = beginOf(arith::AddIOp::create(builder, slice, one));
    return {begin, arith::SubIOp::create(builder, end, begin)};
  }
  std::pair<Value, Value> boundsOf(Value whole, int64_t cut, Value slice) {
    return boundsIn(builder.createOrFold<tensor::DimOp>(whole, cut), slice);
  }

  /// A tensor is split into slices along dimension `cut`, which has `size`
  /// elements. Returns the offsets and sizes of the part of `slice`, which has
  /// type `type`.
  TensorSliceParameters placeOf(RankedTensorType type, int64_t cut, Value size,
                                Value slice) {
    if (!type.isDynamicDim(cut)) {
      // One-Shot Bufferize replaces a part in place only if it is extracted and
      // inserted at the same SSA value.
      Value &offset = offsetOfRows[type.getDimSize(cut)];
      if (!offset)
        offset = arith::MulIOp::create(
            builder, slice,
            arith::ConstantIndexOp::create(builder, type.getDimSize(cut)));
      return TensorSliceParameters(builder, type, cut, offset);
    }
    auto [begin, rows] = boundsIn(size, slice);
    TensorSliceParameters part(builder, type, cut, begin);
    part.sizes[cut] = rows;
    return part;
  }

  /// Returns the slice's part of `input` for the region's argument `argument`:
  /// a view if its address has the alignment that kernels expect, otherwise a
  /// copy.
  Value partOf(Value input, Value argument, int64_t cut, Value slice) {
    auto type = cast<RankedTensorType>(argument.getType());
    TensorSliceParameters part = placeOf(
        type, cut, builder.createOrFold<tensor::DimOp>(input, cut), slice);
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (dim != cut && type.isDynamicDim(dim))
        part.sizes[dim] = builder.createOrFold<tensor::DimOp>(input, dim);
    Value value = tensor::ExtractSliceOp::create(
        builder, type, input, part.offsets, part.sizes, part.strides);
    if (type.hasStaticShape()) {
      int64_t bytes = type.getNumElements() *
                      llvm::divideCeil(type.getElementTypeBitWidth(), 8);
      if (cut == 0 && bytes % INGOT_ALIGNMENT == 0)
        return value;
    }
    return bufferization::AllocTensorOp::create(builder, type, ValueRange(),
                                                value);
  }

  /// Stores the slice's part of result `index`, which is kept on this rank.
  void keep(unsigned index, Value value, Value slice) {
    TensorSliceParameters part =
        placeOf(cast<RankedTensorType>(value.getType()), op.getJoins()[index],
                batchSize(), slice);
    Value place = memref::SubViewOp::create(
        builder, memory[index], part.offsets, part.sizes, part.strides);
    materialize(value, place);
  }

  /// Returns `whole` with the part of `slice` replaced by `value`.
  Value replacePart(Value whole, Value value, Value slice) {
    auto type = cast<RankedTensorType>(value.getType());
    TensorSliceParameters part = placeOf(type, 0, Value(), slice);
    return tensor::InsertSliceOp::create(builder, value, whole, part.offsets,
                                         part.sizes, part.strides);
  }

  /// Returns the value of result `index`, which is in place, after the loop has
  /// replaced the parts of this process's slices.
  Value gatherInPlace(unsigned index, Value value) {
    if (kinds[index]->value == INGOT_EXCHANGE_KEEP_IN_PLACE)
      return value;
    auto type = cast<RankedTensorType>(value.getType());
    NamedAttribute own[] = {
        builder.getNamedAttr(
            "bucket", builder.getI64IntegerAttr(firstBucket + numBuckets)),
        builder.getNamedAttr("kind",
                             builder.getI64IntegerAttr(kinds[index]->value)),
        slicesOption(),
        builder.getNamedAttr("shape",
                             builder.getDenseI64ArrayAttr(type.getShape()))};
    ++numBuckets;
    return buildCall(builder, "ingot_op_exchange_gather_in_place",
                     locations[index], own, {}, {}, type, value, dtypeOf(index))
        .front();
  }

  void materialize(Value value, Value memory) {
    bufferization::MaterializeInDestinationOp::create(
        builder, TypeRange(), value, memory, /*restrict=*/true,
        /*writable=*/true);
  }

  /// Passes a slice's values of a bucket to the runtime. If the bucket's
  /// exchange starts in the loop, does so right after the last of these values
  /// is computed, otherwise at the insertion point.
  void giveAll(const ExchangeBucket &bucket, ValueRange values, Value slice) {
    OpBuilder::InsertionGuard guard(builder);
    if (bucket.startsInLoop)
      builder.setInsertionPointAfter(bucket.lastDefinition);
    for (unsigned index : bucket.results)
      give(index, values[index], slice);
  }

  /// Passes the value that a slice yields for result `index` to the runtime.
  void give(unsigned index, Value value, Value slice) {
    int32_t i64 = getDTypeNumber(builder.getI64Type());
    if (Value place = placesOfSlice[index]) {
      materialize(value, place);
      value = places[index];
    }
    buildCall(builder, "ingot_op_exchange_add", locations[index],
              options[index], {scalar(slice), value, scalar(rowsOf(index))},
              {i64, dtypeOf(index), i64}, {}, {}, {});
  }

  Value scalar(Value number) {
    Type i64 = builder.getI64Type();
    return tensor::FromElementsOp::create(
        builder, RankedTensorType::get({}, i64),
        arith::IndexCastOp::create(builder, i64, number).getResult());
  }

  /// Returns the size of the first dimension of result `index` if the result is
  /// the concatenation of the slices' values (gather); 1 if it is their sum,
  /// maximum or minimum.
  Value rowsOf(unsigned index) {
    auto type = cast<RankedTensorType>(op->getResult(index).getType());
    if (kinds[index]->isJoined && type.isDynamicDim(0))
      return batchSize();
    return arith::ConstantIndexOp::create(
        builder, kinds[index]->isJoined ? type.getDimSize(0) : 1);
  }

  Value tensorOf(unsigned index, Value buffer) {
    return bufferization::ToTensorOp::create(
        builder, op->getResult(index).getType(), buffer, /*restrict=*/true,
        /*writable=*/false);
  }

  /// Returns the combined value of result `index` after the loop.
  Value take(unsigned index) {
    auto type = cast<RankedTensorType>(op->getResult(index).getType());
    SmallVector<NamedAttribute> with = options[index];
    if (Value array = places[index]) {
      int32_t i64 = getDTypeNumber(builder.getI64Type());
      buildCall(builder, "ingot_op_exchange_finish_in_place", locations[index],
                with, {scalar(rowsOf(index)), array}, {i64, dtypeOf(index)}, {},
                {}, {});
      return tensorOf(index, placeIn(array, builder.getIndexAttr(0)));
    }
    SmallVector<int64_t> shape(type.getShape());
    if (kinds[index]->isJoined && type.isDynamicDim(0))
      shape[0] = -1;
    with.push_back(
        builder.getNamedAttr("shape", builder.getDenseI64ArrayAttr(shape)));
    SmallVector<Value> outputs;
    if (type.hasStaticShape())
      outputs.push_back(tensor::EmptyOp::create(builder, type.getShape(),
                                                type.getElementType()));
    return buildCall(builder, "ingot_op_exchange_finish", locations[index],
                     with, scalar(rowsOf(index)),
                     getDTypeNumber(builder.getI64Type()), type, outputs,
                     dtypeOf(index))
        .front();
  }

  int32_t dtypeOf(unsigned index) {
    return getDTypeNumber(::ingot::lower::resultElementType(op, index));
  }

  SliceRegionOp op;
  ImplicitLocOpBuilder builder;
  unsigned firstBucket;
  std::vector<ExchangeBucket> buckets;
  /// The number of messages of the region: its buckets, and the results that
  /// are gathered in place.
  unsigned numBuckets;
  SmallVector<const ExchangeKind *> kinds;
  /// The indices of the results that replace inputs of the region. The loop
  /// carries these inputs.
  SmallVector<unsigned> inPlace;
  /// The first row of the current slice, by the number of rows of a slice.
  DenseMap<int64_t, Value> offsetOfRows;
  /// The attributes of each value's runtime calls (describe()).
  SmallVector<SmallVector<NamedAttribute>> options;
  SmallVector<Value> memory;
  /// For each value that is combined in place: its array, and the element of
  /// this array to which the current slice writes the value. Null for other
  /// values.
  SmallVector<Value> places, placesOfSlice;
  /// The locations of the ops that compute the yielded values, for messages.
  SmallVector<Location> locations;
};

} // namespace

unsigned ::ingot::lower::lowerSliceRegion(SliceRegionOp op,
                                          unsigned firstBucket) {
  return BatchSliceLoopBuilder(op, firstBucket).run();
}
