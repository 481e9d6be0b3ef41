//===- FeatureShapes.cpp - Shapes of parsed features ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ShapeInference.h"
#include "dialects/Ingot/IR/StringOps.h"

using namespace mlir;
using namespace mlir::ingot;

static Shape shapeOf(Value value) { return getTensorShape(value.getType()); }

static bool isFeatureType(Type type) {
  return type.isF32() || type.isSignlessInteger(64) || isa<StringType>(type) ||
         type.isSignlessInteger(128);
}

// Checks the constraints on the op as a whole, not those on the shape of a
// feature.
static LogicalResult checkFeatures(std::optional<Location> loc,
                                   ParseFeaturesOp::Adaptor adaptor) {
  Shape batch = shapeOf(adaptor.getSerialized());
  // The serialized operand must be a scalar or a vector (parse_features_c1).
  if (!batch || batch->size() > 1)
    return emitOptionalError(
        loc,
        "the serialized examples must be a scalar or a vector, but have shape ",
        toString(batch));
  size_t numDense = adaptor.getDenseKeys().size();
  size_t numRagged = adaptor.getRaggedKeys().size();
  // Each key of a sparse feature must have a type. Each key of a ragged feature
  // must have a type of values and a type of row splits. Each key of a dense
  // feature must have a shape and a default (parse_features_c2).
  if (adaptor.getSparseTypes().size() != adaptor.getSparseKeys().size() ||
      adaptor.getDenseShapes().size() != numDense ||
      adaptor.getDefaults().size() != numDense ||
      adaptor.getRaggedTypes().size() != numRagged ||
      adaptor.getSplitTypes().size() != numRagged)
    return emitOptionalError(
        loc, "expected as many types, shapes and defaults as keys, but got ",
        adaptor.getSparseTypes().size(), " types for ",
        adaptor.getSparseKeys().size(), " sparse keys, ",
        adaptor.getDenseShapes().size(), " shapes and ",
        adaptor.getDefaults().size(), " defaults for ", numDense,
        " dense keys, and ", adaptor.getRaggedTypes().size(),
        " value types and ", adaptor.getSplitTypes().size(),
        " split types for ", numRagged, " ragged keys");
  auto isAllowed = [](ArrayAttr elements) {
    return llvm::all_of(elements.getAsValueRange<TypeAttr>(), isFeatureType);
  };
  // Features must be float, int64 or string (parse_features_c3).
  if (!isAllowed(adaptor.getSparseTypes()) ||
      !isAllowed(adaptor.getRaggedTypes()) ||
      !llvm::all_of(adaptor.getDefaults(), [](Value value) {
        return isFeatureType(getElementTypeOrSelf(value));
      }))
    return emitOptionalError(loc, "features must be float, int64 or string");
  return success();
}

// Infers the types of dense features.
static LogicalResult inferDenseTypes(std::optional<Location> loc,
                                     ParseFeaturesOp::Adaptor adaptor,
                                     ArrayRef<int64_t> batch,
                                     SmallVectorImpl<Type> &types) {
  for (auto [attr, value] :
       llvm::zip_equal(adaptor.getDenseShapes(), adaptor.getDefaults())) {
    auto dims = dyn_cast<DenseI64ArrayAttr>(attr);
    // Only the first dimension of a shape may be dynamic (parse_features_c4).
    if (!dims ||
        llvm::any_of(ArrayRef<int64_t>(dims).drop_front(dims.empty() ? 0 : 1),
                     [](int64_t dim) { return dim < 0; }))
      return emitOptionalError(loc, "only the first dimension of a feature ",
                               "may be dynamic, but one feature has shape ",
                               attr);
    bool isDynamic = !dims.empty() && dims[0] < 0;
    auto given = dyn_cast<RankedTensorType>(value.getType());
    if (given && given.hasStaticShape()) {
      bool hasShape = isDynamic ? given.getNumElements() == 1
                                : given.getNumElements() == 0 ||
                                      given.getShape() == dims.asArrayRef();
      // A default must have the feature's shape, or no elements. If that shape
      // is dynamic, the default must have one element (parse_features_c5).
      if (!hasShape)
        return emitOptionalError(
            loc, "the default of a feature of shape ", attr,
            isDynamic ? " must have one element"
                      : " must have the same shape or no elements",
            ", but has shape ", toString(getTensorShape(given)));
    }
    SmallVector<int64_t> shape(batch);
    for (int64_t dim : dims.asArrayRef())
      shape.push_back(dim < 0 ? ShapedType::kDynamic : dim);
    types.push_back(RankedTensorType::get(shape, getElementTypeOrSelf(value)));
  }
  return success();
}

LogicalResult ParseFeaturesOp::inferReturnTypes(MLIRContext *context,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  if (failed(checkFeatures(loc, adaptor)))
    return failure();
  Shape batch = shapeOf(adaptor.getSerialized());
  auto valuesOf = [&](ArrayAttr elements) {
    for (Type type : elements.getAsValueRange<TypeAttr>())
      types.push_back(RankedTensorType::get({ShapedType::kDynamic}, type));
  };
  Type i64 = IntegerType::get(context, 64);
  auto rank = static_cast<int64_t>(batch->size()) + 1;
  size_t numSparse = adaptor.getSparseKeys().size();
  types.append(numSparse,
               RankedTensorType::get({ShapedType::kDynamic, rank}, i64));
  valuesOf(adaptor.getSparseTypes());
  types.append(numSparse, RankedTensorType::get({rank}, i64));

  if (failed(inferDenseTypes(loc, adaptor, *batch, types)))
    return failure();
  valuesOf(adaptor.getRaggedTypes());
  for (Type type : adaptor.getSplitTypes().getAsValueRange<TypeAttr>()) {
    // Row splits must be int32 or int64 (parse_features_c3).
    if (!type.isSignlessInteger(32) && !type.isSignlessInteger(64))
      return emitOptionalError(loc, "row splits are int32 or int64, not ",
                               type);
    // There are row splits of the batch only if there is a batch: a scalar
    // input is a single Example.
    int64_t splits = batch->empty() ? 0
                     : ShapedType::isDynamic(batch->front())
                         ? batch->front()
                         : batch->front() + 1;
    types.push_back(RankedTensorType::get({splits}, type));
  }
  return success();
}

// Checks the constraints that concern the op as a whole, not the default or the
// types of one feature list.
static LogicalResult checkFeatureLists(std::optional<Location> loc,
                                       ParseFeatureListsOp::Adaptor adaptor) {
  Shape batch = getTensorShape(adaptor.getSerialized().getType());
  Type assumedEmpty = adaptor.getAssumedEmpty().getType();
  size_t numDense = adaptor.getDenseKeys().size();
  size_t numRagged = adaptor.getRaggedKeys().size();
  // The serialized operand must be a scalar or a vector
  // (parse_feature_lists_c1).
  if (!batch || batch->size() > 1)
    return emitOptionalError(
        loc,
        "the serialized examples must be a scalar or a vector, but have shape ",
        toString(batch));
  // `assumed_empty` must be a vector with an element for each dense list
  // (parse_feature_lists_c1).
  if (!mayHaveRank(assumedEmpty, 1) ||
      !areCompatibleDims(getDim(assumedEmpty, 0), numDense))
    return emitOptionalError(
        loc,
        "'assumed_empty' must be a vector with one element for each of the ",
        numDense, " dense lists, but has shape ",
        toString(getTensorShape(assumedEmpty)));
  // Each key of a sparse list must have a type. Each key of a dense list must
  // have a type and a shape. Each key of a ragged list must have a type of
  // values and a type of row splits (parse_feature_lists_c2).
  if (adaptor.getSparseTypes().size() != adaptor.getSparseKeys().size() ||
      adaptor.getDenseTypes().size() != numDense ||
      adaptor.getDenseShapes().size() != numDense ||
      adaptor.getRaggedTypes().size() != numRagged ||
      adaptor.getSplitTypes().size() != numRagged)
    return emitOptionalError(
        loc, "expected as many types and shapes as keys, but got ",
        adaptor.getSparseTypes().size(), " types for ",
        adaptor.getSparseKeys().size(), " sparse keys, ",
        adaptor.getDenseTypes().size(), " types and ",
        adaptor.getDenseShapes().size(), " shapes for ", numDense,
        " dense keys, and ", adaptor.getRaggedTypes().size(),
        " value types and ", adaptor.getSplitTypes().size(),
        " split types for ", numRagged, " ragged keys");
  for (ArrayAttr elements : {adaptor.getSparseTypes(), adaptor.getDenseTypes(),
                             adaptor.getRaggedTypes()})
    // Features must be float, int64 or string (parse_feature_lists_c3).
    for (Type type : elements.getAsValueRange<TypeAttr>())
      if (!isFeatureType(type))
        return emitOptionalError(
            loc, "features must be float, int64 or string, not ", type);
  llvm::DenseMap<StringRef, StringRef> kinds;
  for (auto [kind, keys] : {std::pair("sparse", adaptor.getSparseKeys()),
                            std::pair("dense", adaptor.getDenseKeys()),
                            std::pair("ragged", adaptor.getRaggedKeys())})
    for (StringRef key : keys.getAsValueRange<StringAttr>()) {
      StringRef first = kinds.try_emplace(key, kind).first->second;
      // No two kinds of lists (sparse, dense, ragged) may have the same key
      // (parse_feature_lists_c5).
      if (first != kind)
        return emitOptionalError(loc, "Sequence feature ", key,
                                 " cannot be both ", kind, " and ", first);
    }
  return success();
}

LogicalResult ParseFeatureListsOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(checkFeatureLists(loc, adaptor)))
    return failure();
  SmallVector<int64_t> batch =
      *getTensorShape(adaptor.getSerialized().getType());
  auto valuesOf = [&](ArrayAttr elements) {
    for (Type type : elements.getAsValueRange<TypeAttr>())
      types.push_back(RankedTensorType::get({ShapedType::kDynamic}, type));
  };
  Type i64 = IntegerType::get(context, 64);
  auto rank = static_cast<int64_t>(batch.size()) + 2;
  size_t numSparse = adaptor.getSparseKeys().size();
  types.append(numSparse,
               RankedTensorType::get({ShapedType::kDynamic, rank}, i64));
  valuesOf(adaptor.getSparseTypes());
  types.append(numSparse, RankedTensorType::get({rank}, i64));

  for (auto [attr, type] :
       llvm::zip_equal(adaptor.getDenseShapes(),
                       adaptor.getDenseTypes().getAsValueRange<TypeAttr>())) {
    auto dims = dyn_cast<DenseI64ArrayAttr>(attr);
    // The shape of a dense list must be static (parse_feature_lists_c4).
    if (!dims ||
        llvm::any_of(dims.asArrayRef(), [](int64_t dim) { return dim < 0; }))
      return emitOptionalError(loc, "shape ", attr,
                               " of a dense list is not fully defined");
    SmallVector<int64_t> shape(batch);
    shape.push_back(ShapedType::kDynamic);
    llvm::append_range(shape, dims.asArrayRef());
    types.push_back(RankedTensorType::get(shape, type));
  }
  types.append(adaptor.getDenseKeys().size(),
               RankedTensorType::get(batch, i64));

  valuesOf(adaptor.getRaggedTypes());
  for (int64_t &dim : batch)
    dim += ShapedType::isDynamic(dim) ? 0 : 1;
  SmallVector<int64_t> inner = {ShapedType::kDynamic};
  for (ArrayRef<int64_t> shape :
       {ArrayRef<int64_t>(batch), ArrayRef<int64_t>(inner)})
    for (Type type : adaptor.getSplitTypes().getAsValueRange<TypeAttr>()) {
      // Splits must be int32 or int64 (parse_feature_lists_c3).
      if (!type.isSignlessInteger(32) && !type.isSignlessInteger(64))
        return emitOptionalError(loc, "row splits are int32 or int64, not ",
                                 type);
      types.push_back(RankedTensorType::get(shape, type));
    }
  return success();
}
