//===- SparseOps.cpp - Shapes of ops on sparse tensors --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/SparseOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/PartialConstants.h"
#include "dialects/Ingot/IR/SparseShapes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotSparseOps.cpp.inc"

void mlir::ingot::addSparseOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotSparseOps.cpp.inc"
      >();
}

static constexpr int64_t unknown = ShapedType::kDynamic;

static Type elementOf(Value value) {
  return cast<TensorType>(value.getType()).getElementType();
}

// Refines `size` by `other`, the same size from another source. Returns false
// if they contradict each other.
static bool refine(int64_t &size, int64_t other) {
  if (!areCompatibleDims(size, other))
    return false;
  if (ShapedType::isDynamic(size))
    size = other;
  return true;
}

FailureOr<SparseElementCountAndRank>
mlir::ingot::inferSparse(std::optional<Location> loc, Value indices,
                         Value values, ValueRange vectors) {
  SparseElementCountAndRank sparse;
  bool fits = mayHaveRank(indices.getType(), 2);
  if (fits && getTensorShape(indices.getType())) {
    sparse.elements = getDim(indices.getType(), 0);
    sparse.rank = getDim(indices.getType(), 1);
  }
  if (values)
    fits = fits && mayHaveRank(values.getType(), 1) &&
           refine(sparse.elements, getDim(values.getType(), 0));
  for (Value vector : vectors)
    fits = fits && mayHaveRank(vector.getType(), 1) &&
           refine(sparse.rank, getDim(vector.getType(), 0));
  if (fits)
    return sparse;
  std::string shapes;
  auto add = [&](Value value) {
    shapes += (shapes.empty() ? "" : ", ") +
              toString(getTensorShape(value.getType()));
  };
  add(indices);
  if (values)
    add(values);
  for (Value vector : vectors)
    add(vector);
  return emitOptionalError(
      loc,
      "expected shapes [n, rank] of the indices, [n] of the values and [rank] "
      "of the dense shape of a sparse tensor, but got ",
      shapes);
}

Type mlir::ingot::indicesOf(SparseElementCountAndRank sparse,
                            MLIRContext *context) {
  return RankedTensorType::get({sparse.elements, sparse.rank},
                               IntegerType::get(context, 64));
}

LogicalResult SparseReorderOp::inferReturnTypes(MLIRContext *context,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  // The indices must be a matrix, the values a vector with one element for each
  // row of the indices, and the shape a vector with one element for each column
  // of the indices (sparse_reorder_c1).
  FailureOr<SparseElementCountAndRank> sparse = inferSparse(
      loc, adaptor.getIndices(), adaptor.getValues(), adaptor.getShape());
  if (failed(sparse))
    return failure();
  types.push_back(indicesOf(*sparse, context));
  types.push_back(RankedTensorType::get({sparse->elements},
                                        elementOf(adaptor.getValues())));
  return success();
}

LogicalResult SparseToDenseOp::inferReturnTypes(MLIRContext *context,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  Shape indices = getTensorShape(adaptor.getIndices().getType());
  int64_t width = unknown;
  if (indices)
    width = indices->size() < 2 ? 1 : (*indices)[1];
  if ((indices && indices->size() > 2) ||
      !mayHaveRank(adaptor.getShape().getType(), 1) ||
      !areCompatibleDims(width, getDim(adaptor.getShape().getType(), 0)))
    // `shape`, the result's shape, must be a vector with one element for each
    // coordinate of an index (sparse_to_dense_c1).
    return emitOptionalError(
        loc,
        "expected indices of at most 2 dimensions and a vector 'shape' with "
        "one element for each coordinate of an index, but got shapes ",
        toString(indices), " and ",
        toString(getTensorShape(adaptor.getShape().getType())));
  Shape values = getTensorShape(adaptor.getValues().getType());
  if ((values && values->size() > 1) ||
      elementOf(adaptor.getValues()) != elementOf(adaptor.getDefaultValue()))
    // The values must be a vector or a scalar, with the element type of the
    // default value (sparse_to_dense_c2).
    return emitOptionalError(
        loc, "the values must be a scalar or a vector of ",
        elementOf(adaptor.getDefaultValue()),
        ", the element type of the default value, but are ",
        adaptor.getValues().getType());
  if (!mayHaveRank(adaptor.getDefaultValue().getType(), 0))
    // The default value must be a scalar (sparse_to_dense_c3).
    return emitOptionalError(
        loc, "the default value must be a scalar, but has shape ",
        toString(getTensorShape(adaptor.getDefaultValue().getType())));
  FailureOr<Shape> shape =
      shapeFromOperand(loc, adaptor.getShape(), "the output shape");
  if (failed(shape))
    return failure();
  if (!*shape && !ShapedType::isDynamic(width))
    *shape = SmallVector<int64_t>(width, unknown);
  types.push_back(getTensorType(*shape, elementOf(adaptor.getValues())));
  return success();
}

LogicalResult SparseReshapeOp::inferReturnTypes(MLIRContext *context,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  // The indices must be a matrix, and the shape a vector with one element for
  // each column of the indices (sparse_reshape_c1).
  FailureOr<SparseElementCountAndRank> sparse =
      inferSparse(loc, adaptor.getIndices(), Value(), adaptor.getShape());
  if (failed(sparse))
    return failure();
  // The new shape must be a vector (sparse_reshape_c2).
  if (!mayHaveRank(adaptor.getNewShape().getType(), 1))
    return emitOptionalError(
        loc, "the new shape must be a vector, but has shape ",
        toString(getTensorShape(adaptor.getNewShape().getType())));
  sparse->rank = getDim(adaptor.getNewShape().getType(), 0);
  types.push_back(indicesOf(*sparse, context));
  types.push_back(
      RankedTensorType::get({sparse->rank}, IntegerType::get(context, 64)));
  return success();
}

LogicalResult SparseFillEmptyRowsOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  // The indices must be a matrix, the values a vector with one element for each
  // row of the indices, and the shape a vector with one element for each column
  // of the indices (sparse_fill_empty_rows_c1).
  FailureOr<SparseElementCountAndRank> sparse = inferSparse(
      loc, adaptor.getIndices(), adaptor.getValues(), adaptor.getShape());
  if (failed(sparse))
    return failure();
  Type element = elementOf(adaptor.getValues());
  if (!mayHaveRank(adaptor.getDefaultValue().getType(), 0) ||
      elementOf(adaptor.getDefaultValue()) != element)
    // The default value must be a scalar of the values' element type
    // (sparse_fill_empty_rows_c2).
    return emitOptionalError(loc, "the default value must be a scalar of ",
                             element,
                             ", the element type of the values, but is ",
                             adaptor.getDefaultValue().getType());
  int64_t rows = unknown;
  if (std::optional<SmallVector<int64_t>> shape =
          getConstantInts(adaptor.getShape()))
    if (!shape->empty() && shape->front() >= 0)
      rows = shape->front();
  int64_t elements = std::exchange(sparse->elements, unknown);
  Type i64 = IntegerType::get(context, 64);
  types.push_back(indicesOf(*sparse, context));
  types.push_back(RankedTensorType::get({unknown}, element));
  types.push_back(RankedTensorType::get({rows}, IntegerType::get(context, 1)));
  types.push_back(RankedTensorType::get({elements}, i64));
  return success();
}

LogicalResult SparseFillEmptyRowsGradOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Type places = adaptor.getPlaces().getType();
  Type gradients = adaptor.getGradients().getType();
  if (!mayHaveRank(places, 1) || !mayHaveRank(gradients, 1))
    // The operands `places` and `gradients` must be vectors
    // (sparse_fill_empty_rows_grad_c1).
    return emitOptionalError(
        loc, "the inputs must be vectors, but the indices have shape ",
        toString(getTensorShape(places)), " and the gradients ",
        toString(getTensorShape(gradients)));
  Type element = elementOf(adaptor.getGradients());
  types.push_back(RankedTensorType::get({getDim(places, 0)}, element));
  types.push_back(RankedTensorType::get({}, element));
  return success();
}

LogicalResult SparseSliceOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  // The indices must be a matrix, and the values a vector with one element for
  // each row of the indices. Shape, start and size must be vectors with one
  // element for each column of the indices (sparse_slice_c1).
  FailureOr<SparseElementCountAndRank> sparse =
      inferSparse(loc, adaptor.getIndices(), adaptor.getValues(),
                  {adaptor.getShape(), adaptor.getStart(), adaptor.getSize()});
  if (failed(sparse))
    return failure();
  sparse->elements = unknown;
  types.push_back(indicesOf(*sparse, context));
  types.push_back(
      RankedTensorType::get({unknown}, elementOf(adaptor.getValues())));
  types.push_back(
      RankedTensorType::get({sparse->rank}, IntegerType::get(context, 64)));
  return success();
}

LogicalResult SerializeSparseOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  // The indices must be a matrix, the values a vector with one element for each
  // row of the indices, and the shape a vector with one element for each column
  // of the indices (serialize_sparse_c1).
  FailureOr<SparseElementCountAndRank> sparse = inferSparse(
      loc, adaptor.getIndices(), adaptor.getValues(), adaptor.getShape());
  if (failed(sparse))
    return failure();
  // The rank must be known, and with `by_rows` at least 1
  // (serialize_sparse_c2).
  if (ShapedType::isDynamic(sparse->rank) ||
      (adaptor.getByRows() && sparse->rank == 0))
    return emitOptionalError(loc, "the rank of the sparse tensor ",
                             ShapedType::isDynamic(sparse->rank)
                                 ? "must be known"
                                 : "must not be 0, as a scalar has no rows");
  SmallVector<int64_t> dims;
  if (adaptor.getByRows()) {
    auto shape = getPartialInts(adaptor.getShape());
    dims.push_back(shape ? shape->front() : unknown);
    --sparse->rank;
  }
  dims.push_back(2 + sparse->rank);
  types.push_back(RankedTensorType::get(dims, StringType::get(context)));
  return success();
}

LogicalResult DeserializeSparseOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Shape shape = getTensorShape(adaptor.getSerialized().getType());
  // The last dimension of the operand must be known, and at least 2
  // (deserialize_sparse_c1).
  if (!shape || shape->empty() || shape->back() < 2)
    return emitOptionalError(loc,
                             "the last dimension of the input must be known "
                             "and at least 2, but the shape is ",
                             toString(shape));
  SparseElementCountAndRank sparse;
  sparse.rank = static_cast<int64_t>(shape->size()) - 1 + shape->back() - 2;
  types.push_back(indicesOf(sparse, context));
  types.push_back(RankedTensorType::get({unknown}, adaptor.getDtype()));
  types.push_back(
      RankedTensorType::get({sparse.rank}, IntegerType::get(context, 64)));
  return success();
}

LogicalResult SparseCrossOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  ValueRange columns = adaptor.getColumns();
  int64_t count = adaptor.getCount();
  // The first operands must be the indices, values and shapes of `count` sparse
  // matrices (sparse_cross_c1).
  if (count < 0 || 3 * count > static_cast<int64_t>(columns.size()) ||
      columns.empty())
    return emitOptionalError(loc, "expected the indices, values and shapes of ",
                             count,
                             " sparse columns, then the dense columns, and at "
                             "least one column, but got ",
                             columns.size(), " tensors");
  SmallVector<Value> features(columns.slice(count, count));
  llvm::append_range(features, columns.drop_front(3 * count));
  for (int64_t i = 0; i < count; ++i) {
    FailureOr<SparseElementCountAndRank> sparse = inferSparse(
        loc, columns[i], columns[count + i], columns[2 * count + i]);
    if (failed(sparse))
      return failure();
    // Each sparse column must be a matrix (sparse_cross_c1).
    if (!areCompatibleDims(sparse->rank, 2))
      return emitOptionalError(loc, "column ", i,
                               " must be a sparse matrix, of rank 2, but has "
                               "rank ",
                               sparse->rank);
  }
  // Dense columns must be matrices (sparse_cross_c2).
  for (Value dense : columns.drop_front(3 * count))
    if (!mayHaveRank(dense.getType(), 2))
      return emitOptionalError(loc, "a dense column of shape ",
                               toString(getTensorShape(dense.getType())),
                               " must be a matrix");
  for (Value feature : features)
    // Features must be strings or int64 (sparse_cross_c3).
    if (Type element = elementOf(feature);
        !element.isSignlessInteger(64) && !isa<StringType>(element))
      return emitOptionalError(loc, "features of type ", element,
                               " cannot be crossed: expected string or int64");
  Type number = IntegerType::get(context, 64);
  types.push_back(RankedTensorType::get({unknown, 2}, number));
  types.push_back(RankedTensorType::get(
      {unknown},
      adaptor.getHashed() ? number : Type(StringType::get(context))));
  types.push_back(RankedTensorType::get({2}, number));
  return success();
}

LogicalResult RaggedToTensorOp::inferReturnTypes(MLIRContext *,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  SmallVector<StringRef> kinds(
      adaptor.getTypesAttr().getAsValueRange<StringAttr>());
  bool fits = !kinds.empty() && kinds.size() == adaptor.getPartitions().size();
  bool isCounted = fits && kinds.front() == "FIRST_DIM_SIZE";
  size_t numRagged = kinds.size() - isCounted;
  for (size_t i = isCounted; i < kinds.size(); ++i)
    fits &= kinds[i] == "ROW_SPLITS" || (kinds[i] == "VALUE_ROWIDS" && i != 0);
  // There must be one of `types` for each partition. The first must state the
  // number of rows (`FIRST_DIM_SIZE` or `ROW_SPLITS`), the others must be
  // `VALUE_ROWIDS` or `ROW_SPLITS` (ragged_to_tensor_c1).
  if (!fits || numRagged == 0)
    return emitOptionalError(
        loc, "expected one row partition type for each of the ",
        adaptor.getPartitions().size(),
        " row partitions (first FIRST_DIM_SIZE or ROW_SPLITS, then "
        "VALUE_ROWIDS or ROW_SPLITS), but got [",
        llvm::join(kinds, ", "), "]");
  Shape values = getTensorShape(adaptor.getValues().getType());
  Type element = elementOf(adaptor.getValues());
  // The values must have at least one dimension, and the element type of the
  // default value (ragged_to_tensor_c2).
  if (values && values->empty())
    return emitOptionalError(
        loc, "the values must have at least one dimension, but are a scalar");
  if (element != elementOf(adaptor.getDefaultValue()))
    return emitOptionalError(
        loc, "element types differ: ", element, " of the values and ",
        elementOf(adaptor.getDefaultValue()), " of the default value");
  Type shape = adaptor.getShape().getType();
  int64_t rank =
      values ? static_cast<int64_t>(numRagged + values->size()) : unknown;
  bool isScalar = getTensorShape(shape) && getTensorShape(shape)->empty();
  if (!isScalar &&
      (!mayHaveRank(shape, 1) || !areCompatibleDims(getDim(shape, 0), rank)))
    // `shape`, the result's shape, must be a scalar or have an element for each
    // dimension of the result (ragged_to_tensor_c3).
    return emitOptionalError(
        loc, "'shape' must be a scalar or have one element for each of the ",
        dimToString(rank), " dimensions of the result, but has shape ",
        toString(getTensorShape(shape)));
  if (!values) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  SmallVector<int64_t> dims(numRagged + 1, unknown);
  std::optional<SmallVector<int64_t>> asked =
      getPartialInts(adaptor.getShape());
  for (size_t i = 0; asked && !isScalar && i < dims.size(); ++i)
    dims[i] = (*asked)[i] < 0 ? unknown : (*asked)[i];
  llvm::append_range(dims, ArrayRef(*values).drop_front());
  types.push_back(RankedTensorType::get(dims, element));
  return success();
}

// The inputs must have three dimensions [steps, batch, classes], and the
// lengths must be a vector with an element for each example of the batch
// (ctc_loss_c1), (ctc_greedy_decoder_c1).
static LogicalResult verifySteps(std::optional<Location> loc, Type inputs,
                                 Type lengths) {
  if (!mayHaveRank(inputs, 3))
    return emitOptionalError(loc,
                             "inputs is not a 3-Tensor: expected [steps, "
                             "batch, classes], but its shape is ",
                             toString(getTensorShape(inputs)));
  if (!mayHaveRank(lengths, 1))
    return emitOptionalError(loc,
                             "sequence_length is not a vector, but has shape ",
                             toString(getTensorShape(lengths)));
  if (getTensorShape(inputs) &&
      !areCompatibleDims(getDim(inputs, 1), getDim(lengths, 0)))
    return emitOptionalError(
        loc, "len(sequence_length) != batch_size.  len(sequence_length):  ",
        getDim(lengths, 0), " batch_size: ", getDim(inputs, 1));
  return success();
}

/// Returns the batch size of inputs of shape [steps, batch, classes].
static int64_t batchOf(Type inputs) {
  return getTensorShape(inputs) ? getDim(inputs, 1) : unknown;
}

LogicalResult CTCLossOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  Type inputs = adaptor.getInputs().getType();
  if (failed(verifySteps(loc, inputs, adaptor.getLengths().getType())))
    return failure();
  // The indices of the labels must be rows of two numbers, and there must be
  // one value for each row (ctc_loss_c2).
  FailureOr<SparseElementCountAndRank> labels =
      inferSparse(loc, adaptor.getIndices(), adaptor.getValues(), {});
  if (failed(labels))
    return failure();
  // The labels must be a sparse matrix (ctc_loss_c2).
  if (!areCompatibleDims(labels->rank, 2))
    return emitOptionalError(loc, "labels must be a matrix, but have ",
                             labels->rank, " dimensions");
  types.push_back(
      RankedTensorType::get({batchOf(inputs)}, elementOf(adaptor.getInputs())));
  types.push_back(inputs);
  return success();
}

LogicalResult CTCGreedyDecoderOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Type inputs = adaptor.getInputs().getType();
  if (failed(verifySteps(loc, inputs, adaptor.getLengths().getType())))
    return failure();
  int64_t blank = adaptor.getBlankIndex();
  int64_t classes = getTensorShape(inputs) ? getDim(inputs, 2) : unknown;
  // `blank_index` must be one of the classes (ctc_greedy_decoder_c2).
  if (ShapedType::isStatic(classes) && (blank < -classes || blank >= classes))
    return emitOptionalError(loc, "blank_index expected to be between ",
                             -classes, " and ", classes - 1, " but was ",
                             blank);
  Type i64 = IntegerType::get(context, 64);
  types.push_back(RankedTensorType::get({unknown, 2}, i64));
  types.push_back(RankedTensorType::get({unknown}, i64));
  types.push_back(RankedTensorType::get({2}, i64));
  types.push_back(RankedTensorType::get({batchOf(inputs), 1},
                                        elementOf(adaptor.getInputs())));
  return success();
}
