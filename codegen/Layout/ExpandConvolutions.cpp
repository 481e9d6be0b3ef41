//===- ExpandConvolutions.cpp - Convolutions become products --------------===//

#include "codegen/Layout/Passes.h"
#include "dialects/Ingot/ArrayOps.h"
#include "dialects/Ingot/ConvolutionOps.h"
#include "dialects/Ingot/IndexingOps.h"
#include "dialects/Ingot/NNOps.h"
#include "dialects/Ingot/RearrangeOps.h"
#include "dialects/Ingot/TensorOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ingot::layout {
#define GEN_PASS_DEF_EXPANDCONVOLUTIONSPASS
#include "codegen/Layout/Passes.h.inc"
} // namespace ingot::layout

using namespace mlir;
using namespace mlir::ingot;

namespace {

using Builder = ImplicitLocOpBuilder;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// A vector of sizes; where more than one is not known, the first three are
/// those of `like`.
Value sizesOf(Builder &b, ArrayRef<int64_t> shape, Value like) {
  SmallVector<int64_t> dims(shape);
  for (int64_t &dim : dims)
    if (ShapedType::isDynamic(dim))
      dim = -1;
  if (llvm::count(dims, -1) <= 1)
    return createConstant(b, b.getLoc(), b.getI64TensorAttr(dims));
  constexpr int64_t leading = 3;
  auto vector = [&](int64_t size) {
    return RankedTensorType::get({size}, b.getI64Type());
  };
  auto constant = [&](ArrayRef<int64_t> numbers) -> Value {
    return createConstant(b, b.getLoc(), b.getI64TensorAttr(numbers));
  };
  Value all = ShapeOp::create(b, vector(typeOf(like).getRank()), like,
                              TypeAttr::get(b.getI64Type()));
  Value first = SliceOp::create(b, vector(leading), all, constant({0}),
                                constant({leading}));
  Value axis = createConstant(
      b, b.getLoc(),
      DenseElementsAttr::get(RankedTensorType::get({}, b.getI32Type()), 0));
  Value rest = constant(ArrayRef(dims).drop_front(leading));
  return ConcatOp::create(b, vector(dims.size()), axis,
                          ValueRange{first, rest});
}

/// `value` in another shape, whose sizes are as `sizesOf` says.
Value reshape(Builder &b, Value value, ArrayRef<int64_t> shape,
              Value like = {}) {
  if (typeOf(value).getShape() == shape && typeOf(value).hasStaticShape())
    return value;
  Value target = sizesOf(b, shape, like);
  auto type = RankedTensorType::get(shape, typeOf(value).getElementType());
  return ReshapeOp::create(b, type, value, target);
}

/// The number of elements of the leading dimensions.
int64_t productOf(ArrayRef<int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims) {
    if (ShapedType::isDynamic(dim))
      return dim;
    product *= dim;
  }
  return product;
}

/// `value` as a matrix whose columns are its last `inner` dimensions.
Value flatten(Builder &b, Value value, unsigned inner) {
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  return reshape(
      b, value,
      {productOf(shape.drop_back(inner)), productOf(shape.take_back(inner))});
}

/// The elements that each output of the convolution is made of, in rows.
template <typename OpTy>
Value patchesOf(Builder &b, OpTy op, const Window &window, Value input) {
  if (window.isPointwise())
    return flatten(b, input, 1);
  ArrayRef<int64_t> image = typeOf(input).getShape();
  int64_t size[] = {window.height.size, window.width.size};
  auto type =
      RankedTensorType::get({image[0], window.height.output,
                             window.width.output, size[0] * size[1], image[3]},
                            typeOf(input).getElementType());
  Value patches = ExtractPatchesOp::create(
      b, type, input, b.getDenseI64ArrayAttr(size), op.getStridesAttr(),
      op.getDilationsAttr(), op.getPaddingAttr(), op.getExplicitPaddingsAttr());
  return flatten(b, patches, 2);
}

Value multiply(Builder &b, Value x, Value y, bool transposeX, bool transposeY) {
  int64_t dims[] = {typeOf(x).getDimSize(transposeX ? 1 : 0),
                    typeOf(y).getDimSize(transposeY ? 0 : 1)};
  auto type = RankedTensorType::get(dims, typeOf(x).getElementType());
  return MatMulOp::create(b, type, x, y, transposeX, transposeY);
}

/// An elementwise op on `image`, the product in the shape of images, can as
/// well be computed on the product, in whose tiles it then takes part. Returns
/// what stands for its result.
Value computeOnProduct(Operation *user, Value image, Value product) {
  if (!isa<BiasAddOp>(user) && !user->hasTrait<trait::Elementwise>())
    return {};
  if (auto bias = dyn_cast<BiasAddOp>(user);
      bias && (bias.getDataFormat() != "NHWC" || bias.getBias() == image))
    return {};
  if (user->getNumResults() != 1 ||
      typeOf(user->getResult(0)).getShape() != typeOf(image).getShape())
    return {};
  // Other operands belong to channels, or are single numbers.
  for (Value operand : user->getOperands())
    if (operand != image && typeOf(operand).getRank() > 1)
      return {};
  Builder b(user->getLoc(), user);
  Operation *clone = b.clone(*user);
  clone->replaceUsesOfWith(image, product);
  Value result = clone->getResult(0);
  result.setType(RankedTensorType::get(typeOf(product).getShape(),
                                       typeOf(result).getElementType()));
  auto reshaped = image.getDefiningOp<ReshapeOp>();
  auto type = RankedTensorType::get(typeOf(image).getShape(),
                                    typeOf(result).getElementType());
  user->getResult(0).replaceAllUsesWith(
      ReshapeOp::create(b, type, result, reshaped.getShape()).getResult());
  user->erase();
  return result;
}

/// Moves the elementwise ops that follow the product, up to where more than
/// one op uses a result.
void moveOntoProduct(Value image, Value product) {
  while (image.hasOneUse()) {
    Operation *user = *image.getUsers().begin();
    Value next = computeOnProduct(user, image, product);
    if (!next)
      return;
    product = next;
    image = (*next.getUsers().begin())->getResult(0);
  }
}

void expand(Conv2DOp op, int64_t) {
  Builder b(op.getLoc(), op);
  Value patches = patchesOf(b, op, windowOf(op), op.getInput());
  Value product =
      multiply(b, patches, flatten(b, op.getFilter(), 1), false, false);
  // Patches, or the image itself, have its batch, height and width.
  Value like = patches.getDefiningOp<ReshapeOp>().getInput();
  Value image = reshape(b, product, typeOf(op).getShape(), like);
  op.replaceAllUsesWith(image);
  op.erase();
  moveOntoProduct(image, product);
}

void expand(Conv2DBackpropFilterOp op, int64_t) {
  Builder b(op.getLoc(), op);
  Value patches = patchesOf(b, op, windowOf(op), op.getInput());
  Value product =
      multiply(b, patches, flatten(b, op.getGradient(), 1), true, false);
  op.replaceAllUsesWith(reshape(b, product, typeOf(op).getShape()));
  op.erase();
}

/// The filter of [height, width, channels, outputs] as the matrix that makes an
/// input's gradient of patches of the output's: turned round, and each tap
/// across.
Value turnRound(Builder &b, Value filter) {
  ArrayRef<int64_t> shape = typeOf(filter).getShape();
  int64_t taps = shape[0] * shape[1], channels = shape[2], outputs = shape[3];
  Value byTap = reshape(b, filter, {taps, channels, outputs});
  Value turned =
      ReverseOp::create(b, byTap.getType(), byTap,
                        createConstant(b, b.getLoc(), b.getI32TensorAttr({0})));
  auto across = RankedTensorType::get({taps, outputs, channels},
                                      typeOf(filter).getElementType());
  Value order = createConstant(b, b.getLoc(), b.getI32TensorAttr({0, 2, 1}));
  return reshape(b, TransposeOp::create(b, across, turned, order),
                 {taps * outputs, channels});
}

/// The gradient of an input as a convolution, where the window passed it by
/// steps of one: each of its elements is a product with what it has a part in,
/// which is as far around it as the window reached. Null where that does not
/// pay: of a few channels, vectors would be left empty.
Value expandAsConvolution(Builder &b, Conv2DBackpropInputOp op,
                          const Window &window, int64_t maxDepth) {
  constexpr int64_t fewChannels = 16;
  RankedTensorType type = typeOf(op);
  int64_t outputs = typeOf(op.getFilter()).getDimSize(3);
  int64_t taps = window.height.size * window.width.size;
  if (!type.hasStaticShape() || !typeOf(op.getGradient()).hasStaticShape() ||
      window.isPointwise() || type.getDimSize(3) < fewChannels ||
      typeOf(op.getFilter()).getDimSize(2) != type.getDimSize(3) ||
      taps * outputs > maxDepth)
    return {};
  SmallVector<int64_t> paddings;
  for (const WindowDim &dim : {window.height, window.width}) {
    int64_t before = (dim.size - 1) * dim.dilation - dim.before;
    int64_t after = dim.input - dim.output + dim.before;
    if (dim.stride != 1 || before < 0 || after < 0)
      return {};
    paddings.append({before, after});
  }
  ArrayRef<int64_t> image = type.getShape();
  auto patchesType = RankedTensorType::get(
      {image[0], image[1], image[2], taps, outputs}, type.getElementType());
  int64_t size[] = {window.height.size, window.width.size};
  Value patches = ExtractPatchesOp::create(
      b, patchesType, op.getGradient(), b.getDenseI64ArrayAttr(size),
      op.getStridesAttr(), op.getDilationsAttr(), b.getStringAttr("EXPLICIT"),
      b.getDenseI64ArrayAttr(paddings));
  Value product = multiply(b, flatten(b, patches, 2),
                           turnRound(b, op.getFilter()), false, false);
  return reshape(b, product, image);
}

void expand(Conv2DBackpropInputOp op, int64_t maxPatchDepth) {
  Builder b(op.getLoc(), op);
  Window window = windowOf(op);
  RankedTensorType type = typeOf(op);
  if (Value gradient = expandAsConvolution(b, op, window, maxPatchDepth)) {
    op.replaceAllUsesWith(gradient);
    op.erase();
    return;
  }
  Value product = multiply(b, flatten(b, op.getGradient(), 1),
                           flatten(b, op.getFilter(), 1), false, true);
  if (window.isPointwise()) {
    op.replaceAllUsesWith(
        reshape(b, product, type.getShape(), op.getGradient()));
    op.erase();
    return;
  }
  // What each element of the gradient means for all that it was made of.
  int64_t size[] = {window.height.size, window.width.size};
  Value patches =
      reshape(b, product,
              {type.getDimSize(0), window.height.output, window.width.output,
               size[0] * size[1], type.getDimSize(3)},
              op.getGradient());
  auto known = [](int64_t dim) {
    return ShapedType::isDynamic(dim) ? -1 : dim;
  };
  bool isDynamic = type.isDynamicDim(1) || type.isDynamicDim(2);
  op.replaceAllUsesWith(
      SumPatchesOp::create(b, type, patches,
                           isDynamic ? op.getInputSizes() : Value(),
                           b.getDenseI64ArrayAttr({known(window.height.input),
                                                   known(window.width.input)}),
                           b.getDenseI64ArrayAttr(size), op.getStridesAttr(),
                           op.getDilationsAttr(), op.getPaddingAttr(),
                           op.getExplicitPaddingsAttr())
          .getResult());
  op.erase();
}

struct ExpandConvolutions
    : ::ingot::layout::impl::ExpandConvolutionsPassBase<ExpandConvolutions> {
  using ExpandConvolutionsPassBase::ExpandConvolutionsPassBase;

  void runOnOperation() override {
    bool failed = false;
    // An op that can be expanded; what cannot is reported. Convolutions of
    // each channel by itself are no products.
    auto isReady = [&](auto op, const Window &window) {
      bool isKnown = window.hasSize();
      for (Value value : op->getOperands())
        if (auto type = dyn_cast<RankedTensorType>(value.getType());
            type && type.getRank() == 4)
          isKnown &= !type.isDynamicDim(3);
      if (!isKnown) {
        op.emitError("the channels of its images, or the size of its filter, "
                     "are not known before run time");
        failed = true;
      }
      return isKnown && !op.getDepthwise();
    };
    // Elementwise ops behind them move, and so do not bear being walked over.
    SmallVector<Operation *> convolutions;
    getOperation().walk([&](Operation *op) {
      if (isa<Conv2DOp, Conv2DBackpropInputOp, Conv2DBackpropFilterOp>(op))
        convolutions.push_back(op);
    });
    for (Operation *op : convolutions)
      llvm::TypeSwitch<Operation *>(op)
          .Case<Conv2DOp, Conv2DBackpropInputOp, Conv2DBackpropFilterOp>(
              [&](auto convolution) {
                if (isReady(convolution, windowOf(convolution)))
                  expand(convolution, maxPatchDepth);
              });
    if (failed)
      signalPassFailure();
  }
};

} // namespace
