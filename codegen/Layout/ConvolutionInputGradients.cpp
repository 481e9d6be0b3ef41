//===- ConvolutionInputGradients.cpp - Input gradients of convolutions ----===//
// SPDX-License-Identifier: Apache-2.0
//
// With a window of stride s, only every s-th tap reads a given element of the
// input. Which taps do is determined by the element's phase, its index modulo
// s. The gradients of the input's elements of one phase are a convolution of
// the output gradient with the taps of this phase, in reverse order and with
// stride one. Computing the input gradient phase by phase avoids a dilated copy
// of the output gradient, most of whose elements would be zeros. This is the
// decomposition of transposed convolutions into sub-convolutions.
//
//===----------------------------------------------------------------------===//

#include "codegen/Layout/ConvolutionInputGradients.h"
#include "codegen/Layout/Im2colGEMMs.h"

#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/RearrangeOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "ingot-lower-convolutions-to-im2col"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::layout {

using Builder = ImplicitLocOpBuilder;

namespace {

/// A phase along one dimension: the elements of an image's gradient whose
/// indices are the same modulo `stride`.
struct InputGradientStridePhase {
  /// The number of elements that are computed for the phase. It may exceed the
  /// number of elements that the phase has; the extra ones are dropped.
  int64_t count;
  /// The first tap that reads elements of the phase. The others follow at
  /// distances of `stride`.
  int64_t firstTap;
  /// The number of the window's taps, along this dimension, that read an
  /// element of the phase. If it is 0, no output depends on these elements, so
  /// their gradients are zero.
  int64_t taps;
  /// The padding of the output's gradient before its first and after its last
  /// element.
  int64_t before, after;
};

} // namespace

/// Returns the padding after the end of the image's height (`index` 0) or width
/// (`index` 1), for a convolution with stride one.
static int64_t paddingAfter(Conv2DBackpropInputOp op, const WindowDim &dim,
                            unsigned index) {
  if (op.getPadding() == "SAME")
    return (dim.size - 1) * dim.dilation - dim.before;
  return op.getPadding() == "VALID" ? 0
                                    : op.getExplicitPaddings()[2 * index + 1];
}

/// Returns the phase that consists of element `first` of a dimension and those
/// at distances of `stride` after it. `padding` is the padding after the
/// dimension's end. Returns std::nullopt if the phase's padding would be
/// negative, which im2col does not support.
static std::optional<InputGradientStridePhase>
phaseOf(const WindowDim &dim, int64_t first, int64_t padding) {
  InputGradientStridePhase phase;
  if (dim.stride == 1) {
    int64_t reach = (dim.size - 1) * dim.dilation;
    phase = {dim.input, 0, dim.size, reach - dim.before, reach - padding};
  } else {
    int64_t place = first + dim.before;
    phase.firstTap = place % dim.stride;
    phase.taps = phase.firstTap < dim.size
                     ? (dim.size - 1 - phase.firstTap) / dim.stride + 1
                     : 0;
    phase.count = (dim.input - first + dim.stride - 1) / dim.stride;
    if (phase.taps == 0)
      return phase;
    // `place` is the index of the phase's first element in the padded image.
    // Element m of the phase reads element m + place / stride of the output's
    // gradient, and the taps - 1 elements before it.
    phase.before = phase.taps - 1 - place / dim.stride;
    phase.after = phase.count - 1 + place / dim.stride - (dim.output - 1);
  }
  if (phase.before < 0 ||
      (phase.after < 0 && ShapedType::isDynamic(phase.count)))
    return std::nullopt;
  if (phase.after < 0) {
    phase.count -= phase.after;
    phase.after = 0;
  }
  return phase;
}

/// Transposes each tap of a filter [height, width, channels, outputs] to
/// [outputs, channels].
static Value turnTaps(Builder &b, Value filter) {
  ArrayRef<int64_t> shape = typeOf(filter).getShape();
  auto across = RankedTensorType::get({shape[0], shape[1], shape[3], shape[2]},
                                      typeOf(filter).getElementType());
  Value order = createConstant(b, b.getLoc(), b.getI32TensorAttr({0, 1, 3, 2}));
  return TransposeOp::create(b, across, filter, order);
}

/// Builds the filter matrix that is multiplied with im2col of the output's
/// gradient, for a phase `rows` of the rows and a phase `columns` of the
/// columns. It has only the taps of these phases, in reverse order. `across` is
/// the filter with each tap transposed.
static Value tapsOf(Builder &b, Value across, const Window &window,
                    const InputGradientStridePhase &rows,
                    const InputGradientStridePhase &columns) {
  ArrayRef<int64_t> shape = typeOf(across).getShape();
  constexpr int64_t toEnds = 0b1111, ofBoth = 0b1100;
  auto last = [](const WindowDim &dim, const InputGradientStridePhase &phase) {
    return static_cast<int32_t>(phase.firstTap + (phase.taps - 1) * dim.stride);
  };
  auto back = [](const WindowDim &dim) {
    return static_cast<int32_t>(-dim.stride);
  };
  auto vector = [&](ArrayRef<int32_t> numbers) -> Value {
    return createConstant(b, b.getLoc(), b.getI32TensorAttr(numbers));
  };
  auto type =
      RankedTensorType::get({rows.taps, columns.taps, shape[2], shape[3]},
                            typeOf(across).getElementType());
  Value operands[] = {
      across,
      vector({last(window.height, rows), last(window.width, columns), 0, 0}),
      vector({0, 0, 0, 0}),
      vector({back(window.height), back(window.width), 1, 1})};
  NamedAttribute masks[] = {
      b.getNamedAttr("begin_mask", b.getI64IntegerAttr(ofBoth)),
      b.getNamedAttr("end_mask", b.getI64IntegerAttr(toEnds))};
  Value taps =
      StridedSliceOp::create(b, TypeRange(type), ValueRange(operands), masks);
  return reshape(b, taps, {rows.taps * columns.taps * shape[2], shape[3]});
}

/// Builds the filter matrix for an input gradient that has only one phase: all
/// taps of `filter`, each of them transposed, in reverse order. As no slice is
/// needed, one kernel builds it.
static Value turnRound(Builder &b, Value filter) {
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

/// Builds the im2col matrix of the output's gradient for a phase of rows and a
/// phase of columns.
static Value patchesOf(Builder &b, Conv2DBackpropInputOp op,
                       const InputGradientStridePhase &rows,
                       const InputGradientStridePhase &columns) {
  Value gradient = op.getGradient();
  RankedTensorType type = typeOf(gradient);
  if (rows.taps * columns.taps == 1 && rows.before + rows.after == 0 &&
      columns.before + columns.after == 0)
    return flatten(b, gradient, 1);
  Window window = windowOf(op);
  auto dilation = [](const WindowDim &dim) {
    return dim.stride == 1 ? dim.dilation : 1;
  };
  auto patches =
      RankedTensorType::get({type.getDimSize(0), rows.count, columns.count,
                             rows.taps * columns.taps, type.getDimSize(3)},
                            type.getElementType());
  auto pair = [&](int64_t height, int64_t width) {
    return b.getDenseI64ArrayAttr({height, width});
  };
  Value made = ExtractPatchesOp::create(
      b, patches, gradient, pair(rows.taps, columns.taps), pair(1, 1),
      pair(dilation(window.height), dilation(window.width)),
      b.getStringAttr("EXPLICIT"),
      b.getDenseI64ArrayAttr(
          {rows.before, rows.after, columns.before, columns.after}));
  return flatten(b, made, 2);
}

/// Whether to compute the gradient phase by phase; a phase is the pixels with
/// the same index modulo the stride. It pays off if windows overlap and there
/// are not too many phases, as each is a kernel of its own. Without overlap,
/// the matrix that col2im reads has no more elements than the image, so it may
/// be stored in memory.
static bool isWorthPhases(const Window &window) {
  constexpr int64_t maxPhases = 16;
  const WindowDim &height = window.height, &width = window.width;
  return height.stride * width.stride <= maxPhases &&
         (height.size > height.stride || width.size > width.stride);
}

/// Whether im2col of the output's gradient is possible and saves time. It saves
/// none if the image has few channels, as these would not fill vectors.
static bool mayReadGradient(Conv2DBackpropInputOp op, const Window &window) {
  constexpr int64_t fewChannels = 16;
  RankedTensorType type = typeOf(op), gradient = typeOf(op.getGradient());
  // With stride one there is a single phase (pixels with the same index modulo
  // the stride), so batch size, height and width may be dynamic. Otherwise only
  // the batch size may be.
  unsigned leading = window.height.stride * window.width.stride == 1 ? 3 : 1;
  if (ShapedType::isDynamicShape(type.getShape().drop_front(leading)) ||
      ShapedType::isDynamicShape(gradient.getShape().drop_front(leading)) ||
      ShapedType::isDynamic(window.height.before) ||
      ShapedType::isDynamic(window.width.before) ||
      type.isDynamicDim(0) != gradient.isDynamicDim(0) ||
      !isWorthPhases(window) || type.getDimSize(3) < fewChannels ||
      llvm::is_contained(type.getShape(), 0) ||
      llvm::is_contained(gradient.getShape(), 0) ||
      typeOf(op.getFilter()).getDimSize(2) != type.getDimSize(3))
    return false;
  return llvm::all_of(ArrayRef<WindowDim>{window.height, window.width},
                      [](const WindowDim &dim) {
                        return dim.size > 0 &&
                               (dim.stride == 1 || dim.dilation == 1);
                      });
}

namespace {

/// The GEMMs of an input gradient's phases, each of which is the pixels with
/// the same index modulo the stride. For each phase that is not all zero: the
/// image that its GEMM computes, and the phase's index, (phase of the row) *
/// (stride of columns) + (phase of the column).
struct InputGradientPhaseGEMMs {
  SmallVector<ConvolutionGEMMResult> images;
  SmallVector<int64_t> numbers;
};

} // namespace

/// Returns a tensor from which a reshape reads the batch size, height and width
/// of the phase whose im2col is `patches`. This is the im2col itself if its
/// height and width are static. Otherwise it is im2col without channels, which
/// has these sizes but no elements.
static Value likePhase(Builder &b, Value patches) {
  Value made = patches.getDefiningOp<ReshapeOp>().getInput();
  auto extracted = made.getDefiningOp<ExtractPatchesOp>();
  return extracted &&
                 ShapedType::isDynamicShape(typeOf(made).getShape().slice(1, 2))
             ? im2colWithoutChannels(b, extracted)
             : made;
}

/// Builds a GEMM for each phase that is not all zero. A phase is the pixels
/// with the same index modulo the stride. Returns std::nullopt if the GEMMs
/// cannot fuse im2col, because patches have more than `maxDepth` elements or a
/// padding is negative, or if all phases are zero.
static std::optional<InputGradientPhaseGEMMs>
multiplyPhases(Builder &b, Conv2DBackpropInputOp op, const Window &window,
               int64_t maxDepth) {
  struct RowAndColumnStridePhases {
    InputGradientStridePhase rows, columns;
    int64_t number;
  };
  SmallVector<RowAndColumnStridePhases> pairs;
  int64_t outputs = typeOf(op.getGradient()).getDimSize(3);
  for (int64_t row = 0; row < window.height.stride; ++row) {
    for (int64_t column = 0; column < window.width.stride; ++column) {
      std::optional<InputGradientStridePhase> rows =
          phaseOf(window.height, row, paddingAfter(op, window.height, 0));
      std::optional<InputGradientStridePhase> columns =
          phaseOf(window.width, column, paddingAfter(op, window.width, 1));
      if (!rows || !columns || rows->taps * columns->taps * outputs > maxDepth)
        return std::nullopt;
      if (rows->taps * columns->taps != 0 && rows->count != 0 &&
          columns->count != 0)
        pairs.push_back({*rows, *columns, row * window.width.stride + column});
    }
  }
  if (pairs.empty())
    return std::nullopt;
  bool isSingle = window.height.stride * window.width.stride == 1;
  Value across = isSingle ? Value() : turnTaps(b, op.getFilter());
  InputGradientPhaseGEMMs phases;
  for (const auto &[rows, columns, number] : pairs) {
    Value patches = patchesOf(b, op, rows, columns);
    Value taps = isSingle ? turnRound(b, op.getFilter())
                          : tapsOf(b, across, window, rows, columns);
    Value product = multiply(b, op, patches, taps, false, false);
    int64_t shape[] = {typeOf(op).getDimSize(0), rows.count, columns.count,
                       typeOf(op).getDimSize(3)};
    phases.images.push_back(
        {product, reshape(b, product, shape, likePhase(b, patches))});
    phases.numbers.push_back(number);
  }
  return phases;
}

/// Interleaves the phases (the pixels with the same index modulo the stride)
/// into the whole gradient, a tensor of type `type`.
static Value join(Builder &b, RankedTensorType type, const Window &window,
                  const InputGradientPhaseGEMMs &phases) {
  SmallVector<Value> images;
  for (const ConvolutionGEMMResult &phase : phases.images)
    images.push_back(phase.image);
  auto pair = [&](int64_t height, int64_t width) {
    return b.getDenseI64ArrayAttr({height, width});
  };
  return JoinPhasesOp::create(b, type, images,
                              pair(type.getDimSize(1), type.getDimSize(2)),
                              pair(window.height.stride, window.width.stride),
                              b.getDenseI64ArrayAttr(phases.numbers));
}

/// Moves an elementwise op that is the only user of `joined`, the interleaved
/// phases, to each phase, where it becomes the epilogue of the phase's GEMM.
/// Then does the same with the next op.
static void moveIntoPhaseEpilogues(Value joined, const Window &window,
                                   InputGradientPhaseGEMMs &phases) {
  while (joined.hasOneUse()) {
    Operation *user = *joined.getUsers().begin();
    if (!mayFuseAsEpilogue(user, joined))
      return;
    for (ConvolutionGEMMResult &phase : phases.images)
      phase = fuseAsEpilogue(user, joined, phase);
    Builder b(user->getLoc(), user);
    Value result = user->getResult(0);
    Value next = join(b, typeOf(result), window, phases);
    result.replaceAllUsesWith(next);
    user->erase();
    joined.getDefiningOp()->erase();
    joined = next;
  }
}

/// Replaces the op by one GEMM for each phase (the pixels with the same index
/// modulo the stride). Returns false, without a change, if that is impossible
/// or saves no time.
static bool expandByPhases(Conv2DBackpropInputOp op, const Window &window,
                           int64_t maxDepth) {
  if (!mayReadGradient(op, window)) {
    LLVM_DEBUG(llvm::dbgs() << "no phases: impossible or unprofitable for the "
                               "sizes, channels or windows of the gradient\n");
    return false;
  }
  Builder b(op.getLoc(), op);
  std::optional<InputGradientPhaseGEMMs> phases =
      multiplyPhases(b, op, window, maxDepth);
  if (!phases) {
    LLVM_DEBUG(llvm::dbgs() << "no phases: negative padding, or patches of "
                               "more than "
                            << maxDepth << " elements\n");
    return false;
  }
  int64_t numPhases = window.height.stride * window.width.stride;
  if (numPhases == 1) {
    op.replaceAllUsesWith(phases->images.front().image);
    op.erase();
    moveIntoEpilogue(phases->images.front());
    return true;
  }
  Value joined = join(b, typeOf(op), window, *phases);
  op.replaceAllUsesWith(joined);
  op.erase();
  // The epilogues are moved into the phases' GEMMs only if every phase has one.
  // A phase of zeros has no GEMM, but its zeros need the elementwise ops, too,
  // as these may map 0 to another value.
  if (static_cast<int64_t>(phases->images.size()) == numPhases)
    moveIntoPhaseEpilogues(joined, window, *phases);
  return true;
}

/// Emits col2im: adds the patches, which are the rows of `product`, to the
/// images at the positions from which im2col would read them.
static Value sumPatches(Builder &b, Conv2DBackpropInputOp op,
                        const Window &window, Value product) {
  RankedTensorType type = typeOf(op);
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
  return SumPatchesOp::create(
      b, type, patches, isDynamic ? op.getInputSizes() : Value(),
      b.getDenseI64ArrayAttr(
          {known(window.height.input), known(window.width.input)}),
      b.getDenseI64ArrayAttr(size), op.getStridesAttr(), op.getDilationsAttr(),
      op.getPaddingAttr(), op.getExplicitPaddingsAttr());
}

void expandInputGradient(Conv2DBackpropInputOp op, int64_t maxPatchDepth) {
  Window window = windowOf(op);
  Location loc = op.getLoc();
  if (expandByPhases(op, window, maxPatchDepth)) {
    LLVM_DEBUG(llvm::dbgs()
               << "input gradient at " << loc << " in " << window.height.stride
               << " x " << window.width.stride << " phases\n");
    return;
  }
  LLVM_DEBUG(llvm::dbgs() << "input gradient at " << loc << " as one GEMM"
                          << (window.isPointwise() ? "\n" : " and col2im\n"));
  Builder b(loc, op);
  Value product = multiply(b, op, flatten(b, op.getGradient(), 1),
                           flatten(b, op.getFilter(), 1), false, true);
  op.replaceAllUsesWith(
      window.isPointwise()
          ? reshape(b, product, typeOf(op).getShape(), op.getGradient())
          : sumPatches(b, op, window, product));
  op.erase();
}

} // namespace ingot::layout
