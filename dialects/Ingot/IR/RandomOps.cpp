//===- RandomOps.cpp - Shapes of random numbers ---------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/RandomOps.h"

#include "dialects/Ingot/IR/Elementwise.h"
#include "dialects/Ingot/IR/OpFamilies.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotRandomOps.cpp.inc"

void mlir::ingot::addRandomOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotRandomOps.cpp.inc"
      >();
}

static int64_t countOf(FunctionOpInterface function, StringRef name) {
  auto count = function->getAttrOfType<IntegerAttr>(name);
  return count ? count.getInt() : 0;
}

TypeRange mlir::ingot::getElementArguments(FunctionOpInterface function) {
  auto variables = function->getAttrOfType<ArrayAttr>(variablesReadAttrName);
  return TypeRange(function.getArgumentTypes())
      .drop_back(countOf(function, randomPositionsAttrName) +
                 countOf(function, randomSeedsAttrName) +
                 (variables ? variables.size() : 0));
}

TypeRange mlir::ingot::getElementResults(FunctionOpInterface function) {
  return TypeRange(function.getResultTypes())
      .drop_back(countOf(function, randomPositionsAttrName));
}

LogicalResult RandomSkipOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  Type state = adaptor.getState().getType();
  // The state must be a vector of at least 2 elements (random_skip_c1).
  if (!mayHaveRank(state, 1) ||
      (!ShapedType::isDynamic(getDim(state, 0)) && getDim(state, 0) < 2))
    return emitOptionalError(loc,
                             "the state of a generator must be a vector of at "
                             "least 2 elements, but has shape ",
                             toString(getTensorShape(state)));
  Type counts = adaptor.getCounts().getType();
  // `counts` must be a scalar or a vector (random_skip_c2).
  if (!mayHaveRank(counts, 0) && !mayHaveRank(counts, 1))
    return emitOptionalError(loc,
                             "the number of random numbers to skip must be a "
                             "scalar or a vector, but has shape ",
                             toString(getTensorShape(counts)));
  types.push_back(state);
  return success();
}

/// Reports an error if the key or the counter of a generator has the wrong
/// shape.
static LogicalResult checkKeyCounter(std::optional<Location> loc, Value key,
                                     Value counter) {
  Shape keyShape = getTensorShape(key.getType());
  Shape counterShape = getTensorShape(counter.getType());
  if (areCompatibleShapes(keyShape, SmallVector<int64_t>{1}) &&
      areCompatibleShapes(counterShape, SmallVector<int64_t>{2}))
    return success();
  // The key must have shape [1] and the counter shape [2] (random_c1),
  // (random_shuffle_c1), (multinomial_c3).
  return emitOptionalError(
      loc, "key and counter must have the shapes [1] and [2], but have ",
      toString(keyShape), " and ", toString(counterShape));
}

// Infers the result of ops that draw a tensor of random numbers. `isPossible`
// tells whether the numbers can have the type `element`.
template <typename AdaptorT>
static LogicalResult inferDraw(std::optional<Location> loc, AdaptorT adaptor,
                               Type element, bool isPossible, StringRef what,
                               SmallVectorImpl<Type> &types) {
  if (failed(checkKeyCounter(loc, adaptor.getKey(), adaptor.getCounter())))
    return failure();
  std::optional<int64_t> algorithm = getConstantInt(adaptor.getAlgorithm());
  // A constant algorithm must be 1 (Philox) or 3 (auto) (random_c2).
  if (algorithm && *algorithm != 1 && *algorithm != 3)
    return emitOptionalError(loc, "random algorithm ", *algorithm,
                             " is not supported, only 1 (Philox) and 3 (auto)");
  // The requested type must suit the numbers: a float for normal numbers, an
  // integer of 32 or 64 bits for uniform integers (random_c3).
  if (!isPossible)
    return emitOptionalError(loc, what, ", not ", element);
  // `shape` must be a vector of at most 254 sizes that are not negative; their
  // product must be below 2^63 (random_c4).
  FailureOr<Shape> shape = shapeFromOperand(loc, adaptor.getShape(), "'shape'");
  if (failed(shape))
    return failure();
  types.push_back(getTensorType(*shape, element));
  return success();
}

static bool isDrawnInteger(Type type) {
  return type.isInteger(32) || type.isInteger(64);
}

LogicalResult StatelessRandomUniformIntOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Type low = adaptor.getMinval().getType(),
       high = adaptor.getMaxval().getType();
  Type type = getElementTypeOrSelf(low);
  // Both bounds must be scalars of the same integer type (random_range_c1).
  if (type != getElementTypeOrSelf(high) || !mayHaveRank(low, 0) ||
      !mayHaveRank(high, 0))
    return emitOptionalError(
        loc, "minval and maxval must be scalars of the same type, but are ",
        low, " and ", high);
  std::optional<int64_t> first = getConstantInt(adaptor.getMinval());
  std::optional<int64_t> end = getConstantInt(adaptor.getMaxval());
  bool isEmpty = first && end &&
                 (type.isUnsignedInteger() ? uint64_t(*first) >= uint64_t(*end)
                                           : *first >= *end);
  // If both bounds are constant, `minval` must be below `maxval`
  // (random_range_c2).
  if (isEmpty)
    return emitOptionalError(loc,
                             "minval must be less than maxval, but they are ",
                             *first, " and ", *end);
  return inferDraw(
      loc, adaptor, type, isDrawnInteger(type),
      "random numbers of a range must be integers of 32 or 64 bits", types);
}

LogicalResult StatelessRandomUniformFullIntOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Type type = adaptor.getDtype();
  return inferDraw(loc, adaptor, type, isDrawnInteger(type),
                   "random bits must be integers of 32 or 64 bits", types);
}

LogicalResult ThreefryBitsOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  Shape key = getTensorShape(adaptor.getKey().getType());
  Shape first = getTensorShape(adaptor.getFirst().getType());
  // A key must be two words, in the last dimension (threefry_bits_c1).
  if (key && (key->empty() ||
              (!ShapedType::isDynamic(key->back()) && key->back() != 2)))
    return emitOptionalError(
        loc, "the last dimension of keys must be 2, but their shape is ",
        toString(key));
  Shape batch = key ? Shape(SmallVector<int64_t>(ArrayRef(*key).drop_back()))
                    : std::nullopt;
  // There must be a counter for each key (threefry_bits_c2).
  if (!areCompatibleShapes(batch, first))
    return emitOptionalError(loc, "counters must have the shape of keys, ",
                             toString(batch), ", but have ", toString(first));
  // A number must have 32 or 64 bits (threefry_bits_c3).
  Type type = adaptor.getDtype();
  if (!type.isUnsignedInteger(32) && !type.isUnsignedInteger(64))
    return emitOptionalError(
        loc, "random bits must be unsigned integers of 32 or 64 bits, not ",
        type);
  // `shape` must be a vector of sizes (threefry_bits_c4).
  FailureOr<Shape> drawn = shapeFromOperand(loc, adaptor.getShape(), "'shape'");
  if (failed(drawn))
    return failure();
  Shape shape = refineShape(batch, first);
  if (shape && *drawn)
    llvm::append_range(*shape, **drawn);
  else
    shape = std::nullopt;
  types.push_back(getTensorType(shape, type));
  return success();
}

LogicalResult StatelessRandomNormalOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Type type = adaptor.getDtype();
  return inferDraw(loc, adaptor, type, isa<FloatType>(type),
                   "normal random numbers must have a floating-point type",
                   types);
}

LogicalResult StatelessTruncatedNormalOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Type type = adaptor.getDtype();
  return inferDraw(loc, adaptor, type, isa<FloatType>(type),
                   "normal random numbers must have a floating-point type",
                   types);
}

LogicalResult RandomShuffleOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  if (failed(checkKeyCounter(loc, adaptor.getKey(), adaptor.getCounter())))
    return failure();
  types.push_back(adaptor.getValue().getType());
  return success();
}

LogicalResult MultinomialOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  Type logits = adaptor.getLogits().getType();
  // The logits must be a matrix (multinomial_c1).
  if (!mayHaveRank(logits, 2))
    return emitOptionalError(loc, "logits must be a matrix, but have shape ",
                             toString(getTensorShape(logits)));
  std::optional<int64_t> count = getConstantInt(adaptor.getNumSamples());
  // `num_samples` must be a scalar, and not negative if it is constant
  // (multinomial_c2).
  if (!mayHaveRank(adaptor.getNumSamples().getType(), 0) ||
      (count && *count < 0))
    return emitOptionalError(
        loc, "the number of samples must be a non-negative scalar, ",
        count && *count < 0
            ? "but is " + std::to_string(*count)
            : "but has shape " +
                  toString(getTensorShape(adaptor.getNumSamples().getType())));
  if (failed(checkKeyCounter(loc, adaptor.getKey(), adaptor.getCounter())))
    return failure();
  types.push_back(RankedTensorType::get(
      {getDim(logits, 0), count.value_or(ShapedType::kDynamic)},
      adaptor.getDtype()));
  return success();
}

/// Reports an error if `classes`, the true classes of examples, cannot be a
/// matrix.
static LogicalResult checkClasses(std::optional<Location> loc, Value classes) {
  if (mayHaveRank(classes.getType(), 2))
    return success();
  return emitOptionalError(loc,
                           "true_classes must be a matrix, but have shape ",
                           toString(getTensorShape(classes.getType())));
}

LogicalResult CandidateSampleOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Value classes = adaptor.getTrueClasses();
  // `true_classes` must be a matrix (candidate_sample_c1).
  if (failed(checkClasses(loc, classes)))
    return failure();
  int64_t count = adaptor.getNumSampled(), range = adaptor.getRangeMax();
  // `num_sampled` and `range_max` must be positive. If `unique` is set,
  // `num_sampled` must be at most `range_max` (candidate_sample_c2).
  if (count <= 0 || range <= 0)
    return emitOptionalError(
        loc, "num_sampled and range_max must be positive, but are ", count,
        " and ", range);
  // If `unique` is set, no more classes can be drawn than exist
  // (candidate_sample_c2).
  if (adaptor.getUnique() && count > range)
    return emitOptionalError(loc, "Sampler's range is too small: ", count,
                             " different classes cannot be drawn from ", range);
  StringRef distribution = adaptor.getDistribution();
  // `distribution` must be "uniform", "log_uniform" or "all"
  // (candidate_sample_c3).
  if (distribution != "uniform" && distribution != "log_uniform" &&
      distribution != "all")
    return emitOptionalError(loc, "'", distribution,
                             "' is not a distribution of classes: expected "
                             "uniform, log_uniform or all");
  // The distribution "all" draws every class once, so `num_sampled` must be
  // `range_max` (candidate_sample_c3).
  if (distribution == "all" && count != range)
    return emitOptionalError(
        loc, "distribution 'all' requires num_sampled to be range_max, ", range,
        ", but num_sampled is ", count);
  // The key must have shape [1] and the counter shape [2]
  // (candidate_sample_c4).
  if (failed(checkKeyCounter(loc, adaptor.getKey(), adaptor.getCounter())))
    return failure();
  Type f32 = Float32Type::get(context);
  types.append(
      {RankedTensorType::get({count}, IntegerType::get(context, 64)),
       RankedTensorType::get(
           {getDim(classes.getType(), 0), getDim(classes.getType(), 1)}, f32),
       RankedTensorType::get({count}, f32)});
  return success();
}

// Infers the result of ops that draw a tensor of numbers for each parameter of
// a distribution. The result's shape is the drawn tensors' shape, followed by
// the shape of the parameters.
template <typename AdaptorT>
static LogicalResult inferDrawOfEach(std::optional<Location> loc,
                                     AdaptorT adaptor, Value parameters,
                                     SmallVectorImpl<Type> &types) {
  // The key must have shape [1] and the counter shape [2] (random_gamma_c1),
  // (random_poisson_c1).
  if (failed(checkKeyCounter(loc, adaptor.getKey(), adaptor.getCounter())))
    return failure();
  // `shape` must be a vector of sizes (random_gamma_c2), (random_poisson_c2).
  FailureOr<Shape> drawn = shapeFromOperand(loc, adaptor.getShape(), "'shape'");
  if (failed(drawn))
    return failure();
  Shape shape = *drawn, last = getTensorShape(parameters.getType());
  if (shape && last)
    llvm::append_range(*shape, *last);
  else
    shape = std::nullopt;
  types.push_back(getTensorType(shape, adaptor.getDtype()));
  return success();
}

LogicalResult RandomGammaOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  Type alpha = getElementTypeOrSelf(adaptor.getAlpha());
  // `dtype` must be the type of `alpha`: f16, f32 or f64 (random_gamma_c3).
  if (adaptor.getDtype() != alpha || !isa<FloatType>(alpha) || alpha.isBF16())
    return emitOptionalError(loc,
                             "dtype and alpha must have the same type, "
                             "float16, float32 or float64, but have types ",
                             adaptor.getDtype(), " and ", alpha);
  return inferDrawOfEach(loc, adaptor, adaptor.getAlpha(), types);
}

/// Whether the rates of Poisson distributions, and the drawn numbers, may have
/// the type `type`.
static bool isPoissonType(Type type) {
  return type.isF16() || type.isF32() || type.isF64() ||
         type.isSignlessInteger(32) || type.isSignlessInteger(64);
}

LogicalResult RandomPoissonOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  // Both types must be f16, f32, f64, i32 or i64 (random_poisson_c3).
  for (Type type :
       {adaptor.getDtype(), getElementTypeOrSelf(adaptor.getRate())})
    if (!isPoissonType(type))
      return emitOptionalError(
          loc,
          "the rates and the results of Poisson distributions must be float16, "
          "float32, float64, int32 or int64, not ",
          type);
  return inferDrawOfEach(loc, adaptor, adaptor.getRate(), types);
}

LogicalResult
RandomGammaGradOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                    Adaptor adaptor,
                                    SmallVectorImpl<Type> &types) {
  // Operands must have the same element type and shapes that can be broadcast
  // (random_gamma_grad_c1).
  return inferBinary(loc, adaptor.getAlpha(), adaptor.getSample(), Type(),
                     types);
}

LogicalResult AccidentalHitsOp::inferReturnTypes(MLIRContext *context,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  // `true_classes` must be a matrix, and `sampled` must be a vector
  // (accidental_hits_c1).
  if (failed(checkClasses(loc, adaptor.getTrueClasses())))
    return failure();
  // `sampled` must be a vector (accidental_hits_c1).
  if (!mayHaveRank(adaptor.getSampled().getType(), 1))
    return emitOptionalError(
        loc, "sampled_candidates must be a vector, but have shape ",
        toString(getTensorShape(adaptor.getSampled().getType())));
  for (Type element :
       {Type(IntegerType::get(context, 32)),
        Type(IntegerType::get(context, 64)), Type(Float32Type::get(context))})
    types.push_back(RankedTensorType::get({ShapedType::kDynamic}, element));
  return success();
}
