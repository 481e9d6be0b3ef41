//===- LowerConvolutionsToIm2col.cpp - Convolutions to im2col and GEMM ----===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Layout/ConvolutionInputGradients.h"
#include "codegen/Layout/Im2colGEMMs.h"
#include "codegen/Layout/Passes.h"
#include "dialects/Ingot/IR/ConvolutionOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ingot::layout {
#define GEN_PASS_DEF_LOWERCONVOLUTIONSTOIM2COLPASS
#include "codegen/Layout/Passes.h.inc"
} // namespace ingot::layout

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::layout;

namespace {

using Builder = ImplicitLocOpBuilder;

/// Returns the im2col matrix of a convolution, with a row for each position of
/// the output. For a 1x1 convolution, this is the image itself, reshaped.
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

/// Returns a tensor with the batch size, height and width of the convolution's
/// result, from which a reshape reads these sizes: `patches`, which is im2col
/// or the image itself. If the height or width is dynamic, returns im2col with
/// zero channels instead, which has the sizes but no elements: a `tensor.dim`
/// on im2col itself would force all of im2col into memory.
Value likeResult(Builder &b, Conv2DOp op, Value patches) {
  RankedTensorType type = typeOf(op);
  auto extracted = patches.getDefiningOp<ExtractPatchesOp>();
  if (!extracted || (!type.isDynamicDim(1) && !type.isDynamicDim(2)))
    return patches;
  return im2colWithoutChannels(b, extracted);
}

/// Replaces a convolution by the GEMM of its im2col with the filter.
void expand(Conv2DOp op, int64_t) {
  Builder b(op.getLoc(), op);
  Value patches = patchesOf(b, op, windowOf(op), op.getInput());
  Value product =
      multiply(b, op, patches, flatten(b, op.getFilter(), 1), false, false);
  Value like = likeResult(b, op, patches.getDefiningOp<ReshapeOp>().getInput());
  Value image = reshape(b, product, typeOf(op).getShape(), like);
  op.replaceAllUsesWith(image);
  op.erase();
  moveIntoEpilogue({product, image});
}

/// Replaces a filter's gradient by the GEMM of the transposed im2col with the
/// output's gradient.
void expand(Conv2DBackpropFilterOp op, int64_t) {
  Builder b(op.getLoc(), op);
  Value patches = patchesOf(b, op, windowOf(op), op.getInput());
  Value product =
      multiply(b, op, patches, flatten(b, op.getGradient(), 1), true, false);
  op.replaceAllUsesWith(reshape(b, product, typeOf(op).getShape()));
  op.erase();
}

void expand(Conv2DBackpropInputOp op, int64_t maxPatchDepth) {
  expandInputGradient(op, maxPatchDepth);
}

struct LowerConvolutionsToIm2col
    : ::ingot::layout::impl::LowerConvolutionsToIm2colPassBase<
          LowerConvolutionsToIm2col> {
  using LowerConvolutionsToIm2colPassBase::LowerConvolutionsToIm2colPassBase;

  void runOnOperation() override {
    bool failed = false;
    // Returns whether the convolution is lowered to im2col. Depthwise
    // convolutions are not, because they are not GEMMs. Reports an error if the
    // number of channels or the size of the filter is dynamic.
    auto isReady = [&](auto op, const Window &window) {
      bool isKnown = window.hasSize();
      for (Value value : op->getOperands())
        if (auto type = dyn_cast<RankedTensorType>(value.getType());
            type && type.getRank() == 4)
          isKnown &= !type.isDynamicDim(3);
      if (!isKnown) {
        op.emitError("a convolution needs a static number of channels and a "
                     "static filter size, but the operands are (")
            << op->getOperandTypes() << ")";
        failed = true;
      }
      return isKnown && !op.getDepthwise();
    };
    // Collect all convolutions before lowering any of them: lowering a
    // convolution moves the elementwise ops that use its result, which would
    // invalidate the walk.
    SmallVector<Operation *> convolutions;
    getOperation().walk([&](Operation *op) {
      if (isa<Conv2DOp, Conv2DBackpropInputOp, Conv2DBackpropFilterOp>(op))
        convolutions.push_back(op);
    });
    for (Operation *op : convolutions)
      llvm::TypeSwitch<Operation *>(op)
          .Case<Conv2DOp, Conv2DBackpropInputOp, Conv2DBackpropFilterOp>(
              [&](auto convolution) {
                if (!isReady(convolution, windowOf(convolution)))
                  return;
                expand(convolution, policy.maxPatchDepth);
                ++numLowered;
              });
    if (failed)
      signalPassFailure();
  }
};

} // namespace
