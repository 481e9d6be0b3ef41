//===- SetOps.cpp - Shapes of ops with data-dependent sizes ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/SetOps.h"
#include "dialects/Ingot/IR/PartialConstants.h"

#include "dialects/Ingot/IR/Folding.h"
#include "dialects/Ingot/IR/OpFamilies.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotSetOps.cpp.inc"

void mlir::ingot::addSetOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotSetOps.cpp.inc"
      >();
}

static RankedTensorType vectorOf(int64_t size, Type element) {
  return RankedTensorType::get({size}, element);
}

static bool isIndexType(Type type) {
  return type.isSignlessInteger(32) || type.isSignlessInteger(64);
}

LogicalResult WhereOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  Shape input = getTensorShape(adaptor.getInput().getType());
  // The input's rank must be known (where_c1).
  if (!input)
    return emitOptionalError(loc,
                             "the rank of the input must be known: state its "
                             "shape in the graph, as with tf.ensure_shape");
  types.push_back(RankedTensorType::get(
      {ShapedType::kDynamic, static_cast<int64_t>(input->size())},
      IntegerType::get(context, 64)));
  return success();
}

/// Infers the result of `lower_bound` or `upper_bound`.
static LogicalResult inferBounds(std::optional<Location> loc, Value sorted,
                                 Value values, Type index,
                                 SmallVectorImpl<Type> &types) {
  // Both operands must be matrices with the same element type and number of
  // rows (bound_c1).
  for (auto [operand, name] :
       {std::pair(sorted, "sorted_inputs"), std::pair(values, "values")})
    if (!mayHaveRank(operand.getType(), 2))
      return emitOptionalError(loc, "Shape must be rank 2 but is rank ",
                               getTensorShape(operand.getType())->size(),
                               " for `", name, "` argument");
  if (getElementTypeOrSelf(sorted) != getElementTypeOrSelf(values))
    return emitOptionalError(loc, "element types differ: sorted inputs of ",
                             getElementTypeOrSelf(sorted), " and values of ",
                             getElementTypeOrSelf(values));
  Shape rows = getTensorShape(sorted.getType());
  Shape shape = getTensorShape(values.getType());
  if (rows && shape && !areCompatibleDims((*rows)[0], (*shape)[0]))
    return emitOptionalError(loc,
                             "'sorted_inputs' and 'values' must have the same "
                             "number of rows, but have ",
                             (*rows)[0], " and ", (*shape)[0]);
  // `output_type` must be i32 or i64 (bound_c2).
  if (!isIndexType(index))
    return emitOptionalError(loc, "indices must be int32 or int64, not ",
                             index);
  types.push_back(getTensorType(shape, index));
  return success();
}

LogicalResult LowerBoundOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  return inferBounds(loc, adaptor.getSorted(), adaptor.getValues(),
                     adaptor.getOutputType(), types);
}

LogicalResult UpperBoundOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  return inferBounds(loc, adaptor.getSorted(), adaptor.getValues(),
                     adaptor.getOutputType(), types);
}

LogicalResult UniqueOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto type = cast<TensorType>(adaptor.getInput().getType());
  Shape input = getTensorShape(type);
  int64_t axis = 0;
  if (adaptor.getAxis()) {
    // With `axis`, the input's rank must be known, and the axis must lie within
    // it (unique_c2).
    if (!input)
      return emitOptionalError(loc,
                               "the rank of the input must be known: state its "
                               "shape in the graph, as with tf.ensure_shape");
    FailureOr<int64_t> found =
        normalizeAxis(loc, *adaptor.getAxis(), input->size(), "axis");
    if (failed(found))
      return failure();
    axis = *found;
  } else if (!mayHaveRank(type, 1)) {
    // Without `axis`, the input must be a vector (unique_c1).
    return emitOptionalError(loc, "the input must be a vector, but has shape ",
                             toString(input));
  }
  if (!input)
    input = SmallVector<int64_t>{ShapedType::kDynamic};
  // `output_type` must be i32 or i64 (unique_c3).
  if (!isIndexType(adaptor.getOutputType()))
    return emitOptionalError(loc, "indices must be int32 or int64, not ",
                             adaptor.getOutputType());
  int64_t size = (*input)[axis];
  (*input)[axis] = size == 0 ? 0 : ShapedType::kDynamic;
  types.push_back(RankedTensorType::get(*input, type.getElementType()));
  types.push_back(vectorOf(size, adaptor.getOutputType()));
  types.push_back(vectorOf((*input)[axis], adaptor.getOutputType()));
  return success();
}

/// Returns the positions in `input` of the elements that are not in `removed`;
/// std::nullopt unless all elements of both operands are known.
static std::optional<SmallVector<int64_t>> placesLeft(Value input,
                                                      Value removed) {
  auto all = getPartialInts(input), gone = getPartialInts(removed);
  if (!all || !gone || llvm::is_contained(*all, ShapedType::kDynamic) ||
      llvm::is_contained(*gone, ShapedType::kDynamic))
    return std::nullopt;
  SmallVector<int64_t> places;
  for (auto [place, number] : llvm::enumerate(*all))
    if (!llvm::is_contained(*gone, number))
      places.push_back(static_cast<int64_t>(place));
  return places;
}

LogicalResult ListDiffOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  auto input = cast<TensorType>(adaptor.getInput().getType());
  auto removed = cast<TensorType>(adaptor.getRemoved().getType());
  // Both operands must be vectors of the same element type (list_diff_c1).
  if (!mayHaveRank(input, 1) || !mayHaveRank(removed, 1) ||
      input.getElementType() != removed.getElementType())
    return emitOptionalError(
        loc, "the inputs must be vectors of the same element type, but are ",
        input.getElementType(), " ", toString(getTensorShape(input)), " and ",
        removed.getElementType(), " ", toString(getTensorShape(removed)));
  // `output_type` must be i32 or i64 (list_diff_c2).
  if (!isIndexType(adaptor.getOutputType()))
    return emitOptionalError(loc, "positions must be int32 or int64, not ",
                             adaptor.getOutputType());
  auto places = placesLeft(adaptor.getInput(), adaptor.getRemoved());
  int64_t size = places ? places->size() : ShapedType::kDynamic;
  types.push_back(vectorOf(size, input.getElementType()));
  types.push_back(vectorOf(size, adaptor.getOutputType()));
  return success();
}

LogicalResult ListDiffOp::fold(FoldAdaptor,
                               SmallVectorImpl<OpFoldResult> &results) {
  RankedTensorType type = getFoldableType(getOutput().getType());
  RankedTensorType placesType = getFoldableType(getPositions().getType());
  auto places = placesLeft(getInput(), getRemoved());
  if (!type || !placesType || !places)
    return failure();
  std::optional<SmallVector<int64_t>> all = getPartialInts(getInput());
  unsigned width = type.getElementTypeBitWidth();
  SmallVector<APInt> left, at;
  for (int64_t place : *places) {
    left.push_back(APInt(width, (*all)[place], /*isSigned=*/true));
    at.push_back(APInt(placesType.getElementTypeBitWidth(), place));
  }
  results.push_back(makeConstant(type, left));
  results.push_back(makeConstant(placesType, at));
  return success();
}

LogicalResult DynamicPartitionOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  auto type = cast<TensorType>(adaptor.getData().getType());
  Shape data = getTensorShape(type);
  Shape partitions = getTensorShape(adaptor.getPartitions().getType());
  // The rank of the partitions must be known (dynamic_partition_c1).
  if (!partitions)
    return emitOptionalError(
        loc, "the rank of the partitions must be known: state their shape in "
             "the graph, as with tf.ensure_shape");
  // The shape of the partitions must be a prefix of the data's shape
  // (dynamic_partition_c2).
  if (data && (data->size() < partitions->size() ||
               !llvm::all_of_zip(ArrayRef(*data).take_front(partitions->size()),
                                 *partitions, areCompatibleDims)))
    return emitOptionalError(
        loc, "the shape of the partitions, ", toString(partitions),
        ", is not a prefix of the shape of the data, ", toString(data));
  // There must be at least one partition (dynamic_partition_c3).
  if (adaptor.getNumPartitions() < 1)
    return emitOptionalError(loc, "num_partitions must be at least 1, but is ",
                             adaptor.getNumPartitions());
  Shape part;
  if (data) {
    part = SmallVector<int64_t>{ShapedType::kDynamic};
    llvm::append_range(*part, ArrayRef(*data).drop_front(partitions->size()));
  }
  types.append(adaptor.getNumPartitions(),
               getTensorType(part, type.getElementType()));
  return success();
}

// Returns the largest of the indices plus one; kDynamic if an index is unknown.
static int64_t countRows(ValueRange indices) {
  int64_t rows = 0;
  for (Value operand : indices) {
    std::optional<SmallVector<int64_t>> ints = getPartialInts(operand);
    if (!ints || llvm::is_contained(*ints, ShapedType::kDynamic))
      return ShapedType::kDynamic;
    for (int64_t index : *ints)
      rows = std::max(rows, index + 1);
  }
  return rows;
}

LogicalResult DynamicStitchOp::inferReturnTypes(MLIRContext *context,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  Shape row;
  for (auto [index, slices] :
       llvm::zip_equal(adaptor.getIndices(), adaptor.getData())) {
    Shape indices = getTensorShape(index.getType());
    Shape data = getTensorShape(slices.getType());
    // The ranks of all indices and data must be known, and the shape of each
    // tensor of indices must be a prefix of the shape of its data
    // (dynamic_stitch_c1).
    if (!indices || !data)
      return emitOptionalError(loc, "each tensor of ",
                               indices ? "data" : "indices",
                               " must have a known rank: state its shape in "
                               "the graph, as with tf.ensure_shape");
    if (data->size() < indices->size() ||
        !llvm::all_of_zip(ArrayRef(*data).take_front(indices->size()), *indices,
                          areCompatibleDims))
      return emitOptionalError(
          loc, "the shape of the indices, ", toString(indices),
          ", is not a prefix of the shape of their data, ", toString(data));
    Shape rest(llvm::to_vector(ArrayRef(*data).drop_front(indices->size())));
    // The slices for one index must have the same shape in all data
    // (dynamic_stitch_c2).
    if (!areCompatibleShapes(row, rest))
      return emitOptionalError(
          loc,
          "the rows of all data must have the same shape, but have shapes ",
          toString(row), " and ", toString(rest));
    row = refineShape(row, rest);
  }
  // There must be at least one pair of indices and data (dynamic_stitch_c1).
  if (!row)
    return emitOptionalError(loc,
                             "expected at least one pair of indices and data");
  SmallVector<int64_t> shape{countRows(adaptor.getIndices())};
  llvm::append_range(shape, *row);
  types.push_back(RankedTensorType::get(
      shape,
      cast<TensorType>(adaptor.getData()[0].getType()).getElementType()));
  return success();
}

// Folds a stitch of known integers: TensorFlow's gradients of reductions
// compute shapes this way.
OpFoldResult DynamicStitchOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = getFoldableType(getType());
  if (!type || type.getRank() != 1 || !type.getElementType().isInteger() ||
      countRows(getIndices()) != type.getDimSize(0))
    return nullptr;
  unsigned width = type.getElementType().getIntOrFloatBitWidth();
  SmallVector<APInt> rows(type.getDimSize(0), APInt::getZero(width));
  for (auto [index, data] : llvm::zip_equal(getIndices(), adaptor.getData())) {
    std::optional<SmallVector<int64_t>> places = getConstantInts(index);
    auto values = dyn_cast_or_null<DenseElementsAttr>(data);
    if (!places || !values ||
        values.getNumElements() != static_cast<int64_t>(places->size()))
      return nullptr;
    for (auto [place, value] :
         llvm::zip_equal(*places, values.getValues<APInt>())) {
      if (place < 0)
        return nullptr;
      rows[place] = value;
    }
  }
  return makeConstant(type, rows);
}

// Returns the rank of a set, whose operands are a dense tensor, or the indices,
// values and shape of a sparse one.
static int64_t rankOfSet(ValueRange set) {
  Type type = set.back().getType();
  if (set.size() == 3)
    return getDim(type, 0);
  Shape shape = getTensorShape(type);
  return shape ? static_cast<int64_t>(shape->size()) : ShapedType::kDynamic;
}

LogicalResult SetOperationOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  ValueRange sets = adaptor.getSets();
  if (sets.size() != 2 && sets.size() != 4 && sets.size() != 6)
    // A set is one dense tensor or three tensors of a sparse one, so there must
    // be two, four or six operands (set_operation_c1).
    return emitOptionalError(loc,
                             "expected one tensor for each dense set and three "
                             "for each sparse set, but there are ",
                             sets.size(), " tensors for two sets");
  StringRef operation = adaptor.getSetOperation();
  // `set_operation` must be a-b, b-a, intersection or union (set_operation_c2).
  if (operation != "a-b" && operation != "b-a" && operation != "intersection" &&
      operation != "union")
    return emitOptionalError(loc, "unknown set operation '", operation,
                             "', expected a-b, b-a, intersection or union");
  ValueRange first = sets.take_front(sets.size() == 6 ? 3 : 1);
  ValueRange second = sets.drop_front(first.size());
  int64_t rank = ShapedType::kDynamic;
  for (ValueRange set : {first, second}) {
    if (set.size() == 3 && !mayHaveRank(set.back().getType(), 1))
      continue;
    int64_t found = rankOfSet(set);
    if (set.size() == 1 && (ShapedType::isDynamic(found) || found < 2))
      // The rank of a dense set must be known and at least 2
      // (set_operation_c3).
      return emitOptionalError(
          loc, "a dense set must be a tensor of rank 2 or more, but has shape ",
          toString(getTensorShape(set[0].getType())));
    rank = std::max(rank, found);
  }
  auto element = [](ValueRange set) {
    return cast<TensorType>(set[set.size() / 2].getType()).getElementType();
  };
  // Both sets must have the same element type (set_operation_c4).
  if (element(first) != element(second))
    return emitOptionalError(
        loc, "the two sets must have the same element type, but have ",
        element(first), " and ", element(second));
  Type i64 = IntegerType::get(context, 64);
  types.push_back(RankedTensorType::get({ShapedType::kDynamic, rank}, i64));
  types.push_back(vectorOf(ShapedType::kDynamic, element(first)));
  types.push_back(vectorOf(rank, i64));
  return success();
}

LogicalResult NonMaxSuppressionOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Type boxes = adaptor.getBoxes().getType();
  Type scores = adaptor.getScores().getType();
  // `boxes` must have rows of four numbers, and `scores` one score for each box
  // (non_max_suppression_c1).
  if (!mayHaveRank(boxes, 2) || !mayHaveRank(scores, 1) ||
      (getTensorShape(boxes) &&
       (!areCompatibleDims(getDim(boxes, 1), 4) ||
        (getTensorShape(scores) &&
         !areCompatibleDims(getDim(boxes, 0), getDim(scores, 0))))))
    return emitOptionalError(loc,
                             "boxes must have shape [n, 4] and scores shape "
                             "[n], but the shapes are ",
                             toString(getTensorShape(boxes)), " and ",
                             toString(getTensorShape(scores)));
  // The maximum number of boxes, both thresholds and sigma must be scalars
  // (non_max_suppression_c2).
  for (Value scalar : {adaptor.getCount(), adaptor.getIouThreshold(),
                       adaptor.getScoreThreshold(), adaptor.getSigma()})
    if (failed(verifyScalar(loc, scalar,
                            "each of max_output_size, iou_threshold, "
                            "score_threshold and soft_nms_sigma")))
      return failure();
  int64_t size = ShapedType::kDynamic;
  if (std::optional<int64_t> count = getConstantInt(adaptor.getCount());
      count && *count >= 0 && adaptor.getPadToMaxOutputSize())
    size = *count;
  Type i32 = IntegerType::get(context, 32);
  types.push_back(vectorOf(size, i32));
  types.push_back(vectorOf(size, Float32Type::get(context)));
  types.push_back(RankedTensorType::get({}, i32));
  return success();
}

LogicalResult StringNGramsOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  Type data = adaptor.getData().getType();
  auto splits = cast<TensorType>(adaptor.getSplits().getType());
  // The data and the splits must be vectors (string_ngrams_c1).
  if (!mayHaveRank(data, 1) || !mayHaveRank(splits, 1))
    return emitOptionalError(
        loc, "data and splits must be vectors, but have shapes ",
        toString(getTensorShape(data)), " and ",
        toString(getTensorShape(splits)));
  // The widths of n-grams must be positive. They and the pad width must be in
  // the range of int32 (string_ngrams_c2).
  for (int64_t width : adaptor.getNgramWidths())
    if (width <= 0 || !llvm::isInt<32>(width))
      return emitOptionalError(
          loc, "ngram_widths must contain positive values of int32, not ",
          width);
  if (!llvm::isInt<32>(adaptor.getPadWidth()))
    return emitOptionalError(loc, "pad_width has value ", adaptor.getPadWidth(),
                             " out of range for an int32");
  types.push_back(vectorOf(ShapedType::kDynamic, StringType::get(context)));
  types.push_back(vectorOf(getTensorShape(splits) ? getDim(splits, 0)
                                                  : ShapedType::kDynamic,
                           splits.getElementType()));
  return success();
}

LogicalResult RaggedRangeOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  // The number of rows is the length of the operands that are vectors, or 1 if
  // all operands are scalars.
  bool isUnknown = false;
  int64_t rows = 1;
  bool hasVector = false;
  for (Value operand : adaptor.getOperands()) {
    Shape shape = getTensorShape(operand.getType());
    isUnknown |= !shape;
    if (!shape || shape->empty())
      continue;
    // The operands must be scalars, or vectors of the same length
    // (ragged_range_c1).
    if (shape->size() > 1 ||
        (hasVector && !areCompatibleDims(rows, shape->front())))
      return emitOptionalError(loc,
                               "starts, limits and deltas must be scalars or "
                               "vectors of the same length, but one has shape ",
                               toString(shape));
    if (!hasVector || ShapedType::isDynamic(rows))
      rows = shape->front();
    hasVector = true;
  }
  if (isUnknown && !hasVector)
    rows = ShapedType::kDynamic;
  Type element = getElementTypeOrSelf(adaptor.getStarts().getType());
  // The operands must have the same element type, and splits must be int32 or
  // int64 (ragged_range_c2).
  if (element != getElementTypeOrSelf(adaptor.getLimits().getType()) ||
      element != getElementTypeOrSelf(adaptor.getDeltas().getType()) ||
      !isIndexType(adaptor.getSplitsType()))
    return emitOptionalError(
        loc,
        "starts, limits and deltas must have the same element type, and splits "
        "must be int32 or int64, but the types are ",
        element, ", ", getElementTypeOrSelf(adaptor.getLimits().getType()),
        ", ", getElementTypeOrSelf(adaptor.getDeltas().getType()), " and ",
        adaptor.getSplitsType());
  types.push_back(vectorOf(ShapedType::isDynamic(rows) ? rows : rows + 1,
                           adaptor.getSplitsType()));
  types.push_back(vectorOf(ShapedType::kDynamic, element));
  return success();
}
