//===- ConvolutionOps.cpp - Shapes of convolutions ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ConvolutionOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/PartialConstants.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotConvolutionOps.cpp.inc"

void mlir::ingot::addConvolutionOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotConvolutionOps.cpp.inc"
      >();
}

/// Returns the dimensions of a tensor, kDynamic if unknown. Emits an error and
/// fails if its rank cannot be 4.
static FailureOr<SmallVector<int64_t>> getFour(std::optional<Location> loc,
                                               Type type, StringRef what) {
  // Input, filter and gradient must have rank 4 and the same element type
  // (conv2d_c1).
  if (!mayHaveRank(type, 4))
    return emitOptionalError(loc, what,
                             " must have 4 dimensions, but has shape ",
                             toString(getTensorShape(type)));
  if (Shape shape = getTensorShape(type))
    return *shape;
  return SmallVector<int64_t>(4, ShapedType::kDynamic);
}

/// Reports an error if the element types of two tensors differ.
static LogicalResult checkElements(std::optional<Location> loc, Type a,
                                   Type b) {
  Type first = getElementTypeOrSelf(a), second = getElementTypeOrSelf(b);
  // Both tensors must have the same element type (conv2d_c1).
  if (first != second)
    return emitOptionalError(
        loc, "all operands must have the same element type, but have ", first,
        " and ", second);
  return success();
}

/// Returns the elements of the operand `sizes`, each kDynamic if unknown. Some
/// elements may be known even if the operand is not constant: getPartialInts
/// evaluates the ops that compute it.
static FailureOr<SmallVector<int64_t>> getSizes(std::optional<Location> loc,
                                                Value sizes, StringRef what) {
  // The sizes must be a vector of four numbers, none of them negative;
  // `input_sizes` may be just height and width (conv2d_c4).
  if (!mayHaveRank(sizes.getType(), 1))
    return emitOptionalError(loc, what, " must be a vector, but has shape ",
                             toString(getTensorShape(sizes.getType())));
  SmallVector<int64_t> dims(4, ShapedType::kDynamic);
  if (std::optional<SmallVector<int64_t>> ints = getConstantInts(sizes)) {
    dims = *ints;
    for (int64_t dim : dims)
      if (dim < 0)
        return emitOptionalError(loc, what, " has the negative dimension ",
                                 dim);
  } else if (std::optional<SmallVector<int64_t>> some = getPartialInts(sizes)) {
    dims = *some;
  }
  if (dims.size() != 4 && dims.size() != 2)
    return emitOptionalError(loc, what, " must have 4 elements, but has ",
                             dims.size());
  for (int64_t &dim : dims)
    if (dim < 0)
      dim = ShapedType::kDynamic;
  return dims;
}

/// The dimensions of a convolution's input, filter and output; kDynamic if
/// unknown.
struct ConvolutionDims {
  SmallVector<int64_t> input, filter, output;
};

/// If one of two dimensions that must be equal is unknown, sets it to the other
/// one. Reports `message` if both are known and differ.
static LogicalResult unify(std::optional<Location> loc, int64_t &a, int64_t &b,
                           const Twine &message) {
  if (!areCompatibleDims(a, b)) {
    return loc ? LogicalResult(emitError(*loc)
                               << message << ": " << a << " and " << b)
               : failure();
  }
  if (ShapedType::isDynamic(a))
    a = b;
  else
    b = a;
  return success();
}

/// Infers unknown dimensions in `dims` from known ones, and checks that they
/// are consistent. All dimensions of `dims.output` may be unknown at first.
static LogicalResult complete(std::optional<Location> loc,
                              ConvolutionDims &dims,
                              const WindowAttributes &attributes,
                              bool depthwise) {
  auto &[input, filter, output] = dims;
  // The filter must have as many channels as the input (conv2d_c2).
  if (failed(
          unify(loc, input[3], filter[2],
                "the input and the filter have different numbers of channels")))
    return failure();
  FailureOr<Window> window =
      makeWindow(loc, attributes, input[1], input[2], filter[0], filter[1]);
  if (failed(window))
    return failure();
  int64_t channels = filter[3];
  if (depthwise)
    channels =
        ShapedType::isDynamic(filter[2]) || ShapedType::isDynamic(channels)
            ? ShapedType::kDynamic
            : filter[2] * channels;
  int64_t expected[] = {input[0], window->height.output, window->width.output,
                        channels};
  constexpr StringLiteral names[] = {"batch", "height", "width", "channels"};
  // A gradient must have the shape of the convolution's result (conv2d_c3).
  for (auto [index, name] : llvm::enumerate(names))
    if (failed(unify(loc, output[index], expected[index],
                     "the gradient and the convolution's result differ in " +
                         name)))
      return failure();
  input[0] = output[0];
  if (!depthwise)
    filter[3] = output[3];
  return success();
}

LogicalResult Conv2DOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Type input = adaptor.getInput().getType();
  Type filter = adaptor.getFilter().getType();
  FailureOr<SmallVector<int64_t>> a = getFour(loc, input, "the input");
  FailureOr<SmallVector<int64_t>> b = getFour(loc, filter, "the filter");
  if (failed(a) || failed(b) || failed(checkElements(loc, input, filter)))
    return failure();
  ConvolutionDims dims{*a, *b, SmallVector<int64_t>(4, ShapedType::kDynamic)};
  if (failed(complete(loc, dims, getWindowAttributes(adaptor),
                      adaptor.getDepthwise())))
    return failure();
  types.push_back(
      RankedTensorType::get(dims.output, getElementTypeOrSelf(input)));
  return success();
}

LogicalResult Conv2DBackpropInputOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Type filter = adaptor.getFilter().getType();
  Type gradient = adaptor.getGradient().getType();
  FailureOr<SmallVector<int64_t>> a =
      getSizes(loc, adaptor.getInputSizes(), "the input's shape");
  FailureOr<SmallVector<int64_t>> b = getFour(loc, filter, "the filter");
  FailureOr<SmallVector<int64_t>> c = getFour(loc, gradient, "the gradient");
  if (failed(a) || failed(b) || failed(c) ||
      failed(checkElements(loc, filter, gradient)))
    return failure();
  if (a->size() == 2)
    a = SmallVector<int64_t>{(*c)[0], (*a)[0], (*a)[1], (*b)[2]};
  ConvolutionDims dims{*a, *b, *c};
  if (failed(complete(loc, dims, getWindowAttributes(adaptor),
                      adaptor.getDepthwise())))
    return failure();
  types.push_back(
      RankedTensorType::get(dims.input, getElementTypeOrSelf(gradient)));
  return success();
}

LogicalResult Conv2DBackpropFilterOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Type input = adaptor.getInput().getType();
  Type gradient = adaptor.getGradient().getType();
  FailureOr<SmallVector<int64_t>> a = getFour(loc, input, "the input");
  FailureOr<SmallVector<int64_t>> b =
      getSizes(loc, adaptor.getFilterSizes(), "the filter's shape");
  FailureOr<SmallVector<int64_t>> c = getFour(loc, gradient, "the gradient");
  if (failed(a) || failed(b) || failed(c) ||
      failed(checkElements(loc, input, gradient)))
    return failure();
  // `filter_sizes` must have four elements (conv2d_c4).
  if (b->size() != 4)
    return emitOptionalError(
        loc, "the filter's shape must have 4 elements, but has ", b->size());
  ConvolutionDims dims{*a, *b, *c};
  if (failed(complete(loc, dims, getWindowAttributes(adaptor),
                      adaptor.getDepthwise())))
    return failure();
  types.push_back(
      RankedTensorType::get(dims.filter, getElementTypeOrSelf(gradient)));
  return success();
}

/// Reports an error unless `pair` is a height and a width, neither of them
/// negative.
static LogicalResult checkPair(std::optional<Location> loc,
                               ArrayRef<int64_t> pair, StringRef what) {
  // `pair` must be a height and a width, neither of them negative (patches_c1).
  if (pair.size() != 2 || pair[0] < 0 || pair[1] < 0)
    return emitOptionalError(
        loc, "the ", what, " must be a non-negative height and width, but is [",
        pair, "]");
  return success();
}

LogicalResult ExtractPatchesOp::inferReturnTypes(MLIRContext *,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  Type input = adaptor.getInput().getType();
  // The image must have rank 4 (patches_c1).
  if (!mayHaveRank(input, 4))
    return emitOptionalError(loc,
                             "the input must have 4 dimensions, but has shape ",
                             toString(getTensorShape(input)));
  ArrayRef<int64_t> size = adaptor.getWindow();
  if (failed(checkPair(loc, size, "window")))
    return failure();
  FailureOr<Window> window =
      makeWindow(loc, getWindowAttributes(adaptor), getDim(input, 1),
                 getDim(input, 2), size[0], size[1]);
  if (failed(window))
    return failure();
  int64_t dims[] = {getDim(input, 0), window->height.output,
                    window->width.output, size[0] * size[1], getDim(input, 3)};
  types.push_back(RankedTensorType::get(dims, getElementTypeOrSelf(input)));
  return success();
}

/// Converts the -1 that stands for an unknown size in attributes to kDynamic.
static int64_t orDynamic(int64_t size) {
  return size < 0 ? ShapedType::kDynamic : size;
}

LogicalResult SumPatchesOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  Type patches = adaptor.getPatches().getType();
  ArrayRef<int64_t> window = adaptor.getWindow(), size = adaptor.getSize();
  if (failed(checkPair(loc, window, "window")))
    return failure();
  if (!mayHaveRank(patches, 5) ||
      !areCompatibleDims(getDim(patches, 3), window[0] * window[1]))
    return emitOptionalError(
        loc, "patches of a window of ", window[0] * window[1],
        " elements must have 5 dimensions and size ", window[0] * window[1],
        " in dimension 3, but have shape ", toString(getTensorShape(patches)));
  // `size` must be two numbers, and there must be as many patches as an image
  // of this size has. If one of the numbers is -1, there must be an operand
  // `sizes` (sum_patches_c1).
  if (size.size() != 2 || size[0] < -1 || size[1] < -1)
    return emitOptionalError(loc,
                             "the size must be a height and a width, each 0 or "
                             "more, or -1 if dynamic, but is [",
                             size, "]");
  // If a size is -1, there must be an operand `sizes` (sum_patches_c1).
  if ((size[0] < 0 || size[1] < 0) && !adaptor.getSizes())
    return emitOptionalError(
        loc, "'size' is [", size,
        "]: a dynamic size (-1) requires the operand 'sizes'");
  int64_t known[] = {orDynamic(size[0]), orDynamic(size[1])};
  FailureOr<Window> windows =
      makeWindow(loc, getWindowAttributes(adaptor), known[0], known[1],
                 window[0], window[1]);
  if (failed(windows))
    return failure();
  if (!areCompatibleDims(getDim(patches, 1), windows->height.output) ||
      !areCompatibleDims(getDim(patches, 2), windows->width.output))
    return emitOptionalError(loc, "an image of ", size[0], " by ", size[1],
                             " has ", windows->height.output, " by ",
                             windows->width.output, " patches, not ",
                             dimToString(getDim(patches, 1)), " by ",
                             dimToString(getDim(patches, 2)));
  int64_t dims[] = {getDim(patches, 0), known[0], known[1], getDim(patches, 4)};
  types.push_back(RankedTensorType::get(dims, getElementTypeOrSelf(patches)));
  return success();
}

/// Returns how many of `size` rows, or columns, belong to phase `phase`: those
/// whose index modulo `stride` is `phase`.
static int64_t countOfPhase(int64_t size, int64_t phase, int64_t stride) {
  return size <= phase ? 0 : (size - phase - 1) / stride + 1;
}

/// Reports an error if `type` has too few rows or columns for an operand with
/// phase `phase`. It must have all rows and columns of an image of size `size`
/// whose index modulo the stride is the phase.
static LogicalResult checkPhase(std::optional<Location> loc, Type type,
                                int64_t phase, ArrayRef<int64_t> size,
                                ArrayRef<int64_t> strides) {
  int64_t rows = countOfPhase(size[0], phase / strides[1], strides[0]);
  int64_t columns = countOfPhase(size[1], phase % strides[1], strides[1]);
  // The operand of a phase must have a static number of rows and columns, at
  // least the number of image rows and columns of this phase (join_phases_c4).
  // As kDynamic is negative, operands of dynamic size are refused, too.
  if (getDim(type, 1) < rows || getDim(type, 2) < columns)
    return emitOptionalError(loc, "the operand of phase ", phase,
                             " must have at least ", rows, " rows and ",
                             columns, " columns, but has shape ",
                             toString(getTensorShape(type)));
  return success();
}

LogicalResult JoinPhasesOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> size = adaptor.getSize(), strides = adaptor.getStrides();
  // `size` must be two numbers that are not negative, `strides` two positive
  // ones (join_phases_c2).
  if (failed(checkPair(loc, size, "size")) ||
      failed(checkPair(loc, strides, "stride")))
    return failure();
  // Strides must be positive (join_phases_c2).
  if (strides[0] < 1 || strides[1] < 1)
    return emitOptionalError(loc, "the strides must be positive, but one is 0");
  ArrayRef<int64_t> phases = adaptor.getPhases();
  // There must be one phase for each operand; the phases must ascend, and each
  // must be less than the product of the two strides (join_phases_c3).
  if (phases.empty() || phases.size() != adaptor.getInputs().size() ||
      !llvm::is_sorted(phases, std::less_equal<int64_t>()) ||
      phases.front() < 0 || phases.back() / strides[1] >= strides[0])
    return emitOptionalError(
        loc, "expected one phase for each of the ", adaptor.getInputs().size(),
        " operands, in ascending order, and each less than ", strides[0], " * ",
        strides[1], ", the product of the strides, but got ", phases);
  Type first = adaptor.getInputs().front().getType();
  int64_t dims[] = {ShapedType::kDynamic, size[0], size[1],
                    ShapedType::kDynamic};
  for (auto [input, phase] : llvm::zip_equal(adaptor.getInputs(), phases)) {
    Type type = input.getType();
    // All operands must have rank 4, and the same element type, batch size and
    // number of channels (join_phases_c1).
    if (!mayHaveRank(type, 4) ||
        getElementTypeOrSelf(type) != getElementTypeOrSelf(first))
      return emitOptionalError(loc, "the operand of phase ", phase,
                               " must have 4 dimensions and the element type "
                               "of the first operand, but has type ",
                               type);
    for (unsigned dim : {0, 3}) {
      int64_t found = getDim(type, dim);
      // All operands must agree in batch size and channels (join_phases_c1).
      if (!areCompatibleDims(dims[dim], found))
        return emitOptionalError(loc, "the operand of phase ", phase,
                                 " differs from the first operand in the ",
                                 dim == 0 ? "batch size" : "number of channels",
                                 ": ", found, " and ", dims[dim]);
      if (ShapedType::isDynamic(dims[dim]))
        dims[dim] = found;
    }
    if (failed(checkPhase(loc, type, phase, size, strides)))
      return failure();
  }
  types.push_back(RankedTensorType::get(dims, getElementTypeOrSelf(first)));
  return success();
}

/// Returns the windows of a verified convolution. makeWindow cannot fail for
/// it.
template <typename OpTy>
static Window convolutionWindow(OpTy op, Type image, Type filter) {
  return *makeWindow(std::nullopt, getWindowAttributes(op), getDim(image, 1),
                     getDim(image, 2), getDim(filter, 0), getDim(filter, 1));
}

Window mlir::ingot::windowOf(Conv2DOp op) {
  return convolutionWindow(op, op.getInput().getType(),
                           op.getFilter().getType());
}

Window mlir::ingot::windowOf(Conv2DBackpropInputOp op) {
  return convolutionWindow(op, op.getType(), op.getFilter().getType());
}

Window mlir::ingot::windowOf(Conv2DBackpropFilterOp op) {
  return convolutionWindow(op, op.getInput().getType(), op.getType());
}

Window mlir::ingot::windowOf(ExtractPatchesOp op) {
  Type image = op.getInput().getType();
  return *makeWindow(std::nullopt, getWindowAttributes(op), getDim(image, 1),
                     getDim(image, 2), op.getWindow()[0], op.getWindow()[1]);
}

Window mlir::ingot::windowOf(SumPatchesOp op) {
  return *makeWindow(std::nullopt, getWindowAttributes(op),
                     orDynamic(op.getSize()[0]), orDynamic(op.getSize()[1]),
                     op.getWindow()[0], op.getWindow()[1]);
}
