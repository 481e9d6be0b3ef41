//===- RearrangeOps.cpp - Shapes of padded, reversed and rolled tensors ---===//

#include "dialects/Ingot/RearrangeOps.h"

#include "dialects/Ingot/Families.h"
#include "dialects/Ingot/PartialInts.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotRearrangeOps.cpp.inc"

void mlir::ingot::addRearrangeOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotRearrangeOps.cpp.inc"
      >();
}

static constexpr int64_t unknown = ShapedType::kDynamic;

static LogicalResult verifyScalar(std::optional<Location> loc, Value value,
                                  StringRef what) {
  if (mayHaveRank(value.getType(), 0))
    return success();
  return emitOptionalError(loc, what, " must be a scalar, but has shape ",
                           toString(getTensorShape(value.getType())));
}

using Borders = SmallVector<std::pair<int64_t, int64_t>>;

/// How much goes before and behind each of `rank` dimensions.
static FailureOr<Borders> inferBorders(std::optional<Location> loc,
                                       Value paddings, int64_t rank) {
  Shape shape = getTensorShape(paddings.getType());
  if (shape &&
      !areCompatibleShapes(shape, Shape(SmallVector<int64_t>{rank, 2})))
    return emitOptionalError(loc, "borders of ", rank,
                             " dimensions are that many rows of two numbers, "
                             "but these have shape ",
                             toString(shape));
  auto numbers = getPartialInts(paddings);
  Borders borders(rank, {unknown, unknown});
  if (!numbers || static_cast<int64_t>(numbers->size()) != 2 * rank)
    return borders;
  for (auto [i, border] : llvm::enumerate(borders)) {
    border = {(*numbers)[2 * i], (*numbers)[2 * i + 1]};
    for (int64_t number : {border.first, border.second})
      if (number < 0 && number != unknown)
        return emitOptionalError(loc, "dimension ", i,
                                 " has the negative border ", number);
  }
  return borders;
}

/// The sum, where all three are known and it is a size.
static int64_t addKnown(int64_t a, int64_t b, int64_t c) {
  int64_t sum;
  if (a == unknown || b == unknown || c == unknown ||
      llvm::AddOverflow(a, b, sum) || llvm::AddOverflow(sum, c, sum))
    return unknown;
  return sum;
}

/// The rank where it is known; from the borders' number where that is.
static int64_t rankOf(const Shape &input, Value paddings) {
  if (input)
    return input->size();
  Shape shape = getTensorShape(paddings.getType());
  return shape && !shape->empty() && shape->front() <= kMaxRank ? shape->front()
                                                                : unknown;
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(adaptor.getInput());
  Shape input = getTensorShape(adaptor.getInput().getType());
  // (pad_c3)
  if (failed(verifyScalar(loc, adaptor.getValue(), "the border's value")))
    return failure();
  if (getElementTypeOrSelf(adaptor.getValue()) != element) // (pad_c3)
    return emitOptionalError(loc, "a border of ",
                             getElementTypeOrSelf(adaptor.getValue()),
                             " does not go round a tensor of ", element);
  int64_t rank = rankOf(input, adaptor.getPaddings());
  if (rank == unknown) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  // (pad_c1) (pad_c2)
  auto borders = inferBorders(loc, adaptor.getPaddings(), rank);
  if (failed(borders))
    return failure();
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i)
    dims.push_back(addKnown(input ? (*input)[i] : unknown, (*borders)[i].first,
                            (*borders)[i].second));
  types.push_back(RankedTensorType::get(dims, element));
  return success();
}

/// Refuses a border that mirrors more than there is.
static LogicalResult verifyMirror(std::optional<Location> loc, StringRef mode,
                                  int64_t size, int64_t border) {
  int64_t most = mode == "REFLECT" ? size - 1 : size;
  if (size == unknown || border == unknown ||
      border <= std::max<int64_t>(most, 0))
    return success();
  return emitOptionalError(loc, "a border of ", border, " in mode ", mode,
                           " mirrors more than a dimension of ", size, " has");
}

/// What MirrorPad and its gradient share: `resize` says what becomes of a
/// dimension with a border before and one behind.
static LogicalResult inferMirrored(
    std::optional<Location> loc, Value input, Value paddings, StringRef mode,
    SmallVectorImpl<Type> &types,
    llvm::function_ref<FailureOr<int64_t>(int64_t size, int64_t before,
                                          int64_t behind)>
        resize) {
  Type element = getElementTypeOrSelf(input);
  Shape shape = getTensorShape(input.getType());
  // (mirror_pad_c3) (mirror_pad_grad_c3)
  if (mode != "REFLECT" && mode != "SYMMETRIC")
    return emitOptionalError(loc, "'", mode, "' is no mode of mirroring");
  int64_t rank = rankOf(shape, paddings);
  if (rank == unknown) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  // (mirror_pad_c1) (mirror_pad_c2) (mirror_pad_grad_c1) (mirror_pad_grad_c2)
  auto borders = inferBorders(loc, paddings, rank);
  if (failed(borders))
    return failure();
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i) {
    auto [before, behind] = (*borders)[i];
    FailureOr<int64_t> size =
        resize(shape ? (*shape)[i] : unknown, before, behind);
    if (failed(size))
      return failure();
    dims.push_back(*size);
  }
  types.push_back(RankedTensorType::get(dims, element));
  return success();
}

LogicalResult MirrorPadOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  StringRef mode = adaptor.getMode();
  return inferMirrored(
      loc, adaptor.getInput(), adaptor.getPaddings(), mode, types,
      [&](int64_t size, int64_t before, int64_t behind) -> FailureOr<int64_t> {
        // (mirror_pad_c2)
        if (failed(verifyMirror(loc, mode, size, before)) ||
            failed(verifyMirror(loc, mode, size, behind)))
          return failure();
        return addKnown(size, before, behind);
      });
}

LogicalResult MirrorPadGradOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  StringRef mode = adaptor.getMode();
  return inferMirrored(
      loc, adaptor.getInput(), adaptor.getPaddings(), mode, types,
      [&](int64_t size, int64_t before, int64_t behind) -> FailureOr<int64_t> {
        int64_t rest = before == unknown || behind == unknown
                           ? unknown
                           : addKnown(size, -before, -behind);
        // (mirror_pad_grad_c2)
        if (rest != unknown && rest < 0)
          return emitOptionalError(loc, "borders of ", before, " and ", behind,
                                   " leave nothing of a dimension of ", size);
        if (failed(verifyMirror(loc, mode, rest, before)) ||
            failed(verifyMirror(loc, mode, rest, behind)))
          return failure();
        return rest;
      });
}

LogicalResult ReverseOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  if (failed(
          verifyDimsOperand(loc, adaptor.getAxes(), "'axis'"))) // (reverse_c1)
    return failure();
  Shape input = getTensorShape(adaptor.getInput().getType());
  if (auto axes = getConstantInts(adaptor.getAxes()); axes && input) {
    llvm::SmallBitVector seen(input->size(), false);
    for (int64_t axis : *axes) {
      // (reverse_c2)
      FailureOr<int64_t> index =
          normalizeAxis(loc, axis, input->size(), "axis");
      if (failed(index))
        return failure();
      if (seen.test(*index)) // (reverse_c2)
        return emitOptionalError(loc, "axis ", *index, " is named twice");
      seen.set(*index);
    }
  }
  types.push_back(adaptor.getInput().getType());
  return success();
}

LogicalResult
ReverseSequenceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                    Adaptor adaptor,
                                    SmallVectorImpl<Type> &types) {
  Shape input = getTensorShape(adaptor.getInput().getType());
  int64_t sequence = adaptor.getSeqDim(), batch = adaptor.getBatchDim();
  auto isDim = [&](int64_t dim) {
    return dim >= 0 && (!input || dim < static_cast<int64_t>(input->size()));
  };
  // (reverse_sequence_c1)
  if (!isDim(sequence) || !isDim(batch) || sequence == batch)
    return emitOptionalError(loc, "dimensions ", sequence, " and ", batch,
                             " are not the sequence and the batch of ",
                             toString(input));
  Type lengths = adaptor.getLengths().getType();
  // (reverse_sequence_c2)
  if (!mayHaveRank(lengths, 1) ||
      (input && !areCompatibleDims(getDim(lengths, 0), (*input)[batch])))
    return emitOptionalError(loc, "lengths of shape ",
                             toString(getTensorShape(lengths)),
                             " are not one for each entry of the batch");
  types.push_back(adaptor.getInput().getType());
  return success();
}

LogicalResult RollOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  Shape shift = getTensorShape(adaptor.getShift().getType());
  Shape axes = getTensorShape(adaptor.getAxes().getType());
  // (roll_c1)
  if ((shift && shift->size() > 1) || (axes && axes->size() > 1) ||
      !areCompatibleShapes(shift, axes))
    return emitOptionalError(loc, "shifts of shape ", toString(shift),
                             " do not go with axes of shape ", toString(axes));
  Shape input = getTensorShape(adaptor.getInput().getType());
  if (auto numbers = getConstantInts(adaptor.getAxes()); numbers && input)
    for (int64_t axis : *numbers)
      if (failed(normalizeAxis(loc, axis, input->size(), "axis"))) // (roll_c2)
        return failure();
  types.push_back(adaptor.getInput().getType());
  return success();
}

LogicalResult LinSpaceOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  for (Value operand : adaptor.getOperands())
    if (failed(
            verifyScalar(loc, operand, "each of its inputs"))) // (lin_space_c1)
      return failure();
  Type element = getElementTypeOrSelf(adaptor.getStart());
  if (getElementTypeOrSelf(adaptor.getStop()) != element) // (lin_space_c1)
    return emitOptionalError(loc,
                             "start and stop have different element "
                             "types: ",
                             element, " and ",
                             getElementTypeOrSelf(adaptor.getStop()));
  auto numbers = getPartialInts(adaptor.getCount());
  int64_t count = numbers && numbers->size() == 1 ? numbers->front() : unknown;
  if (count != unknown && count <= 0) // (lin_space_c2)
    return emitOptionalError(loc, "it makes ", count, " numbers");
  types.push_back(RankedTensorType::get({count}, element));
  return success();
}

/// The block's sizes, each kDynamic where unknown; a failure where they and the
/// borders are not those of an input.
static FailureOr<SmallVector<int64_t>>
inferBlock(std::optional<Location> loc, const Shape &input, Value block) {
  Type type = block.getType();
  if (!mayHaveRank(type, 1))
    return emitOptionalError(loc, "the block must be a vector, but has shape ",
                             toString(getTensorShape(type)));
  int64_t count = getDim(type, 0);
  if (input && count != unknown &&
      count + 1 > static_cast<int64_t>(input->size()))
    return emitOptionalError(loc, "a block of ", count,
                             " dimensions needs an input of more than that, "
                             "not of shape ",
                             toString(input));
  if (count == unknown)
    return SmallVector<int64_t>();
  auto sizes =
      getPartialInts(block).value_or(SmallVector<int64_t>(count, unknown));
  for (int64_t size : sizes)
    if (size != unknown && size < 1)
      return emitOptionalError(loc, "its block has the size ", size);
  return sizes;
}

LogicalResult SpaceToBatchOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  Shape input = getTensorShape(adaptor.getInput().getType());
  Type element = getElementTypeOrSelf(adaptor.getInput());
  // (space_to_batch_c1)
  auto block = inferBlock(loc, input, adaptor.getBlock());
  if (failed(block))
    return failure();
  if (!input || getDim(adaptor.getBlock().getType(), 0) == unknown) {
    types.push_back(getTensorType(
        input ? Shape(SmallVector<int64_t>(input->size(), unknown)) : Shape(),
        element));
    return success();
  }
  auto borders = inferBorders(loc, adaptor.getPaddings(), block->size());
  if (failed(borders)) // (space_to_batch_c1)
    return failure();
  SmallVector<int64_t> dims(*input);
  for (auto [i, size] : llvm::enumerate(*block)) {
    int64_t &dim = dims[i + 1];
    dim = addKnown(dim, (*borders)[i].first, (*borders)[i].second);
    if (dim != unknown && size != unknown && dim % size != 0)
      return emitOptionalError(loc, "a block of ", size,
                               " does not divide a dimension of ",
                               dim); // (space_to_batch_c2)
    dim = dim == unknown || size == unknown ? unknown : dim / size;
    if (dims[0] != unknown &&
        (size == unknown || llvm::MulOverflow(dims[0], size, dims[0])))
      dims[0] = unknown;
  }
  types.push_back(RankedTensorType::get(dims, element));
  return success();
}

LogicalResult BatchToSpaceOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  Shape input = getTensorShape(adaptor.getInput().getType());
  Type element = getElementTypeOrSelf(adaptor.getInput());
  // (batch_to_space_c1)
  auto block = inferBlock(loc, input, adaptor.getBlock());
  if (failed(block))
    return failure();
  if (!input || getDim(adaptor.getBlock().getType(), 0) == unknown) {
    types.push_back(getTensorType(
        input ? Shape(SmallVector<int64_t>(input->size(), unknown)) : Shape(),
        element));
    return success();
  }
  auto crops = inferBorders(loc, adaptor.getCrops(), block->size());
  if (failed(crops)) // (batch_to_space_c1)
    return failure();
  SmallVector<int64_t> dims(*input);
  for (auto [i, size] : llvm::enumerate(*block)) {
    // (batch_to_space_c2)
    if (dims[0] != unknown && size != unknown && dims[0] % size != 0)
      return emitOptionalError(loc, "a block of ", size,
                               " does not divide a batch of ", dims[0]);
    dims[0] = dims[0] == unknown || size == unknown ? unknown : dims[0] / size;
    int64_t &dim = dims[i + 1];
    if (dim == unknown || size == unknown ||
        llvm::MulOverflow(dim, size, dim)) {
      dim = unknown;
      continue;
    }
    auto [before, behind] = (*crops)[i];
    dim = before == unknown || behind == unknown
              ? unknown
              : addKnown(dim, -before, -behind);
    if (dim != unknown && dim < 0) // (batch_to_space_c2)
      return emitOptionalError(loc, "its crops leave nothing of dimension ",
                               i + 1);
  }
  types.push_back(RankedTensorType::get(dims, element));
  return success();
}

namespace {
/// Where images have their height, width and channels.
struct ImageDims {
  size_t height, width, depth;
};
} // namespace

static FailureOr<ImageDims> inferImage(std::optional<Location> loc,
                                       const Shape &input, StringRef format) {
  if (format != "NHWC" && format != "NCHW")
    return emitOptionalError(loc, "the format '", format,
                             "' is neither NHWC "
                             "nor NCHW");
  if (input && input->size() != 4)
    return emitOptionalError(loc, "its input has shape ", toString(input),
                             " and holds no images");
  return format == "NHWC" ? ImageDims{1, 2, 3} : ImageDims{2, 3, 1};
}

static int64_t scaled(int64_t dim, int64_t factor) {
  return dim == unknown || llvm::MulOverflow(dim, factor, dim) ? unknown : dim;
}

LogicalResult SpaceToDepthOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  Shape input = getTensorShape(adaptor.getInput().getType());
  // (space_to_depth_c1)
  auto image = inferImage(loc, input, adaptor.getDataFormat());
  if (failed(image))
    return failure();
  int64_t block = adaptor.getBlock();
  SmallVector<int64_t> dims = input.value_or(SmallVector<int64_t>(4, unknown));
  for (size_t dim : {image->height, image->width}) {
    // (space_to_depth_c2)
    if (block < 2 || (dims[dim] != unknown && dims[dim] % block != 0))
      return emitOptionalError(loc, "a block of ", block,
                               " does not divide the image, whose shape is ",
                               toString(input));
    dims[dim] = dims[dim] == unknown ? unknown : dims[dim] / block;
  }
  dims[image->depth] = scaled(scaled(dims[image->depth], block), block);
  types.push_back(
      RankedTensorType::get(dims, getElementTypeOrSelf(adaptor.getInput())));
  return success();
}

LogicalResult DepthToSpaceOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  Shape input = getTensorShape(adaptor.getInput().getType());
  // (depth_to_space_c1)
  auto image = inferImage(loc, input, adaptor.getDataFormat());
  if (failed(image))
    return failure();
  int64_t block = adaptor.getBlock();
  SmallVector<int64_t> dims = input.value_or(SmallVector<int64_t>(4, unknown));
  int64_t &depth = dims[image->depth];
  // (depth_to_space_c2)
  if (block < 2 || block > (1 << 20) ||
      (depth != unknown && depth % (block * block) != 0))
    return emitOptionalError(loc, "a block of ", block,
                             " does not divide the channels of ",
                             toString(input));
  depth = depth == unknown ? unknown : depth / (block * block);
  for (size_t dim : {image->height, image->width})
    dims[dim] = scaled(dims[dim], block);
  types.push_back(
      RankedTensorType::get(dims, getElementTypeOrSelf(adaptor.getInput())));
  return success();
}

LogicalResult ProjectImagesOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  Type images = adaptor.getImages().getType();
  if (!mayHaveRank(images, 4)) // (project_images_c1)
    return emitOptionalError(loc, "its images have shape ",
                             toString(getTensorShape(images)));
  Type transforms = adaptor.getTransforms().getType();
  int64_t count = getTensorShape(transforms) ? getDim(transforms, 0) : unknown;
  if (!mayHaveRank(transforms, 2) ||
      (getTensorShape(transforms) &&
       !areCompatibleDims(getDim(transforms, 1), 8)) ||
      (count != 1 && getTensorShape(images) &&
       !areCompatibleDims(count, getDim(images, 0)))) // (project_images_c2)
    return emitOptionalError(loc, "its transforms have shape ",
                             toString(getTensorShape(transforms)),
                             ", its images ", toString(getTensorShape(images)));
  if (!mayHaveRank(adaptor.getSize().getType(), 1) ||
      !areCompatibleDims(getDim(adaptor.getSize().getType(), 0), 2) ||
      !mayHaveRank(adaptor.getFillValue().getType(), 0))
    // (project_images_c3)
    return emitOptionalError(
        loc, "its size has shape ",
        toString(getTensorShape(adaptor.getSize().getType())),
        ", its fill value ",
        toString(getTensorShape(adaptor.getFillValue().getType())));
  if (!llvm::is_contained({"NEAREST", "BILINEAR"},
                          adaptor.getInterpolation()) ||
      !llvm::is_contained({"CONSTANT", "NEAREST", "REFLECT", "WRAP"},
                          adaptor.getFillMode())) // (project_images_c4)
    return emitOptionalError(loc, "interpolation '", adaptor.getInterpolation(),
                             "' and fill mode '", adaptor.getFillMode(),
                             "' are not known");
  SmallVector<int64_t> dims(4, unknown);
  if (Shape shape = getTensorShape(images)) {
    dims[0] = (*shape)[0];
    dims[3] = (*shape)[3];
  }
  if (std::optional<SmallVector<int64_t>> size =
          getPartialInts(adaptor.getSize());
      size && size->size() == 2)
    for (size_t i : {0, 1})
      dims[1 + i] = (*size)[i] < 0 ? unknown : (*size)[i];
  types.push_back(RankedTensorType::get(dims, getElementTypeOrSelf(images)));
  return success();
}
