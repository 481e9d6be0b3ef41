//===- Im2colGEMMs.cpp - Helpers to write convolutions as GEMMs -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Layout/Im2colGEMMs.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/ProductOps.h"
#include "dialects/Ingot/IR/Reshapes.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::layout {

using Builder = ImplicitLocOpBuilder;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Builds the shape operand of a reshape to `shape`. If one size is dynamic,
/// its element is -1, which the reshape infers. If several sizes are dynamic,
/// the first three elements (batch size, height and width) are the sizes of
/// `like`, read at run time.
static Value sizesOf(Builder &b, ArrayRef<int64_t> shape, Value like) {
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

Value reshape(Builder &b, Value value, ArrayRef<int64_t> shape, Value like) {
  if (typeOf(value).getShape() == shape && typeOf(value).hasStaticShape())
    return value;
  Value target = sizesOf(b, shape, like);
  auto type = RankedTensorType::get(shape, typeOf(value).getElementType());
  return ReshapeOp::create(b, type, value, target);
}

/// Returns the product of sizes, or ShapedType::kDynamic if one of them is
/// dynamic.
static int64_t productOf(ArrayRef<int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims) {
    if (ShapedType::isDynamic(dim))
      return dim;
    product *= dim;
  }
  return product;
}

Value flatten(Builder &b, Value value, unsigned inner) {
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  return reshape(
      b, value,
      {productOf(shape.drop_back(inner)), productOf(shape.take_back(inner))});
}

Value multiply(Builder &b, Operation *convolution, Value x, Value y,
               bool transposeX, bool transposeY) {
  int64_t dims[] = {typeOf(x).getDimSize(transposeX ? 1 : 0),
                    typeOf(y).getDimSize(transposeY ? 0 : 1)};
  auto type = RankedTensorType::get(dims, typeOf(x).getElementType());
  auto product = MatMulOp::create(b, type, x, y, transposeX, transposeY,
                                  /*sum_block=*/IntegerAttr());
  if (convolution->hasAttr(bfloat16FactorsAttrName))
    product->setAttr(bfloat16FactorsAttrName, b.getUnitAttr());
  return product;
}

bool readsTransposedFirst(MatMulOp matmul, const TargetPolicy &policy) {
  auto a = typeOf(matmul.getA()), c = typeOf(matmul);
  if (!a.hasStaticShape())
    return false;
  return a.getNumElements() <= policy.maxTransposedFirstElements ||
         (c.hasStaticShape() && !matmul.getTransposeB() &&
          policy.kBlocking.include(c.getDimSize(0), c.getDimSize(1),
                                   a.getDimSize(0)));
}

Value im2colWithoutChannels(Builder &b, ExtractPatchesOp patches) {
  auto without = [](Value value) {
    SmallVector<int64_t> shape(typeOf(value).getShape());
    shape.back() = 0;
    return RankedTensorType::get(shape, typeOf(value).getElementType());
  };
  auto vector = [&](ArrayRef<int64_t> numbers) -> Value {
    return createConstant(b, b.getLoc(), b.getI64TensorAttr(numbers));
  };
  Value image = patches.getInput();
  Value empty = SliceOp::create(b, without(image), image, vector({0, 0, 0, 0}),
                                vector({-1, -1, -1, 0}));
  return ExtractPatchesOp::create(
      b, without(patches), empty, patches.getWindowAttr(),
      patches.getStridesAttr(), patches.getDilationsAttr(),
      patches.getPaddingAttr(), patches.getExplicitPaddingsAttr());
}

bool mayFuseAsEpilogue(Operation *user, Value image) {
  if (!isa<BiasAddOp>(user) && !user->hasTrait<trait::Elementwise>())
    return false;
  if (auto bias = dyn_cast<BiasAddOp>(user);
      bias && (bias.getDataFormat() != "NHWC" || bias.getBias() == image))
    return false;
  if (user->getNumResults() != 1 ||
      typeOf(user->getResult(0)).getShape() != typeOf(image).getShape())
    return false;
  // All other operands must be scalars or have one value per channel.
  // Broadcasting them along the rows of the GEMM's result is then the same as
  // broadcasting them along the pixels of the image.
  return llvm::all_of(user->getOperands(), [&](Value operand) {
    return operand == image || typeOf(operand).getRank() <= 1;
  });
}

ConvolutionGEMMResult fuseAsEpilogue(Operation *user, Value image,
                                     const ConvolutionGEMMResult &of) {
  Builder b(user->getLoc(), user);
  Operation *clone = b.clone(*user);
  clone->replaceUsesOfWith(image, of.product);
  Value result = clone->getResult(0);
  Type element = typeOf(result).getElementType();
  result.setType(RankedTensorType::get(typeOf(of.product).getShape(), element));
  auto reshaped = of.image.getDefiningOp<ReshapeOp>();
  auto type = RankedTensorType::get(typeOf(of.image).getShape(), element);
  return {result, ReshapeOp::create(b, type, result, reshaped.getShape())};
}

/// Whether `op` reshapes `image` so that its channels remain the last
/// dimension.
static bool keepsChannels(Operation *op, Value image) {
  int64_t channels = typeOf(image).getShape().back();
  return isReshape(op) && op->getOperand(0) == image &&
         !ShapedType::isDynamic(channels) &&
         typeOf(op->getResult(0)).getRank() > 0 &&
         typeOf(op->getResult(0)).getShape().back() == channels;
}

/// Clones the chain of reshapes `views` before `place`, with `next` in place of
/// the image that the chain starts from. Replaces `views` by the clones, and
/// returns the result of the last clone.
static Value viewedAgain(SmallVectorImpl<Operation *> &views, Value next,
                         Operation *place) {
  Builder b(place->getLoc(), place);
  for (Operation *&view : views) {
    Operation *clone = b.clone(*view);
    clone->setOperand(0, next);
    Value result = clone->getResult(0);
    result.setType(
        typeOf(result).clone(typeOf(clone->getOperand(0)).getElementType()));
    next = result;
    view = clone;
  }
  return next;
}

void moveIntoEpilogue(ConvolutionGEMMResult of) {
  SmallVector<Operation *> views;
  Value image = of.image;
  while (image.hasOneUse()) {
    Operation *user = *image.getUsers().begin();
    if (keepsChannels(user, image)) {
      views.push_back(user);
      image = user->getResult(0);
      continue;
    }
    if (!mayFuseAsEpilogue(user, image))
      return;
    of = fuseAsEpilogue(user, image, of);
    SmallVector<Operation *> before(views);
    image = viewedAgain(views, of.image, user);
    user->getResult(0).replaceAllUsesWith(image);
    user->erase();
    for (Operation *view : llvm::reverse(before))
      view->erase();
  }
}

} // namespace ingot::layout
