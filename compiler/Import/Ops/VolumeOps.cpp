//===- VolumeOps.cpp - 3-D convolutions and pooling -----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports 3-D ops as 2-D ones. A 3-D convolution becomes one 2-D convolution on
// several images, one for each position of the window along the depth. The
// channels of an image are those of all planes that the window covers at its
// position. 3-D pooling pools planes first, then columns of the results.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Ops/NDHWCNodeReader.h"
#include "compiler/Import/Ops/ShapeChecks.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/ConvolutionOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/PartialConstants.h"
#include "dialects/Ingot/IR/PoolingOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

namespace {

/// Imports a 3-D convolution, or a gradient of one, as a 2-D one. The volumes
/// have depth `depth`. The filter's shape, `sizes`, is [depth, height, width,
/// channels, output channels].
class Conv3DImport : public NDHWCNodeReader {
public:
  using NDHWCNodeReader::NDHWCNodeReader;

  /// Sets `depth` and `sizes`, and computes the positions of the windows along
  /// the depth. Returns false after a problem.
  bool start(int64_t volumeDepth, int64_t channels, ArrayRef<int64_t> filter);

  /// Returns the images for the 2-D convolution, one for each position of the
  /// window along the depth. An image has the channels of all planes (slices
  /// along the depth) that the window covers there, side by side.
  Value seen(Value volume);
  /// Returns the gradient of the volume, given `gradient`, the gradient of the
  /// images that seen() returns. A plane of the volume is in the image of each
  /// window that covers it, so its gradient is the sum over these images.
  Value gradientOfVolume(Value gradient);
  /// Reshapes a 3-D filter to the 2-D filter for the images that `seen`
  /// returns: merges the filter's depth with its input channels.
  Value flatFilter(Value filter) {
    return reshaped(permuted(filter, {1, 2, 0, 3, 4}),
                    {sizes[1], sizes[2], sizes[0] * sizes[3], sizes[4]});
  }
  SmallVector<NamedAttribute> attributes();

  int64_t depth = 0;
  SmallVector<int64_t> sizes;
  NDHWCWindowDim depths;
};

} // namespace

bool Conv3DImport::start(int64_t volumeDepth, int64_t channels,
                         ArrayRef<int64_t> filter) {
  depth = volumeDepth;
  sizes.assign(filter.begin(), filter.end());
  if (filter.size() != 5 ||
      llvm::any_of(filter, [](int64_t size) { return size < 0; })) {
    node.unsupported("the shape of the filter is not static; state it, as with "
                     "tf.ensure_shape");
    return false;
  }
  if (filter[3] != channels) {
    node.malformed("volumes of " + Twine(channels) +
                   " channels, but the filter has " + Twine(filter[3]));
    return false;
  }
  if (llvm::any_of(filter, [](int64_t size) { return size < 1; })) {
    node.malformed("the filter has a size of 0");
    return false;
  }
  std::optional<NDHWCWindowDim> found = places(0, depth, sizes[0]);
  if (found)
    depths = *found;
  return bool(found);
}

SmallVector<NamedAttribute> Conv3DImport::attributes() {
  return {pair("strides", strides[1], strides[2]),
          pair("dilations", dilations[1], dilations[2]), padding};
}

Value Conv3DImport::seen(Value volume) {
  volume = padded(volume, 1, depths.before, depths.after);
  SmallVector<Value> pieces = {axis(4)};
  for (int64_t tap = 0; tap < sizes[0]; ++tap) {
    int64_t begin = tap * dilations[0];
    pieces.push_back(slice(volume, 1, begin,
                           begin + (depths.count - 1) * strides[0] + 1,
                           strides[0]));
  }
  return planes(pieces.size() == 2 ? pieces[1] : make<ConcatOp>(pieces));
}

Value Conv3DImport::gradientOfVolume(Value gradient) {
  Value all = fromPlanes(gradient, depths.count);
  SmallVector<Value> pieces;
  for (int64_t tap = 0; tap < sizes[0]; ++tap) {
    Value piece = slice(all, 4, tap * sizes[3], (tap + 1) * sizes[3]);
    if (!piece)
      return {};
    piece =
        spread(piece, 1, strides[0], tap * dilations[0] - depths.before, depth);
    if (piece)
      pieces.push_back(piece);
  }
  return sum(pieces);
}

static void importConvolution(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  Conv3DImport convolution(node);
  Value volume = convolution ? convolution.volume(0) : Value();
  Value filter = volume ? node.tensor(1) : Value();
  auto type = filter ? dyn_cast<RankedTensorType>(filter.getType())
                     : RankedTensorType();
  if (!filter ||
      !convolution.start(dimsOf(volume)[1], dimsOf(volume)[4],
                         type ? type.getShape() : ArrayRef<int64_t>()))
    return;
  Value planes = convolution.make<Conv2DOp>(
      {convolution.seen(volume), convolution.flatFilter(filter)},
      convolution.attributes());
  convolution.finish(convolution.fromPlanes(planes, convolution.depths.count));
}

static void importBackpropInput(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  Conv3DImport convolution(node);
  SmallVector<int64_t> shape;
  if (convolution)
    shape = convolution.volumeShape(0);
  Value filter = shape.empty() ? Value() : node.tensor(1);
  Value gradient = filter ? convolution.volume(2) : Value();
  auto type = filter ? dyn_cast<RankedTensorType>(filter.getType())
                     : RankedTensorType();
  if (!gradient ||
      !convolution.start(shape[1], shape[4],
                         type ? type.getShape() : ArrayRef<int64_t>()))
    return;
  if (dimsOf(gradient)[1] != convolution.depths.count)
    return node.malformed("gradient has depth " + Twine(dimsOf(gradient)[1]) +
                          ", expected " + Twine(convolution.depths.count));
  Value seen = convolution.make<Conv2DBackpropInputOp>(
      {convolution.imageShape(
           0, convolution.depths.count,
           {shape[2], shape[3], convolution.sizes[0] * convolution.sizes[3]}),
       convolution.flatFilter(filter), convolution.planes(gradient)},
      convolution.attributes());
  convolution.finish(convolution.gradientOfVolume(seen));
}

static void importBackpropFilter(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  Conv3DImport convolution(node);
  Value volume = convolution ? convolution.volume(0) : Value();
  Value sizes = volume ? node.tensor(1) : Value();
  Value gradient = sizes ? convolution.volume(2) : Value();
  if (!gradient)
    return;
  std::optional<SmallVector<int64_t>> filter = getPartialInts(sizes);
  if (!convolution.start(dimsOf(volume)[1], dimsOf(volume)[4],
                         filter ? *filter : SmallVector<int64_t>()))
    return;
  if (dimsOf(gradient)[1] != convolution.depths.count)
    return node.malformed("gradient has depth " + Twine(dimsOf(gradient)[1]) +
                          ", expected " + Twine(convolution.depths.count));
  ArrayRef<int64_t> dims = convolution.sizes;
  Value flat = convolution.make<Conv2DBackpropFilterOp>(
      {convolution.seen(volume),
       convolution.vector({dims[1], dims[2], dims[0] * dims[3], dims[4]}),
       convolution.planes(gradient)},
      convolution.attributes());
  Value parts =
      convolution.reshaped(flat, {dims[1], dims[2], dims[0], dims[3], dims[4]});
  if (Value result = convolution.permuted(parts, {2, 0, 1, 3, 4}))
    node.setOutput(0, result);
}

/// An element counts as a maximum of its window if it differs from the largest
/// element by less than this, as in TensorFlow's kernel for the gradient of 3-D
/// max pooling.
static constexpr double leastDifference = 1e-5;

namespace {

/// Imports a 3-D pooling op as two 2-D ones: pools the planes of a volume over
/// height and width, then pools the results over the depth (see
/// `NDHWCNodeReader::planes` and `columns`).
class Pool3DImport : public NDHWCNodeReader {
public:
  explicit Pool3DImport(NodeImport &node)
      : NDHWCNodeReader(node), window(*this ? readTriple("ksize") : Triple()) {}

  /// Computes the positions of the pooling windows in volumes of the shape
  /// `dims`. Returns false after a problem.
  bool start(ArrayRef<int64_t> dims) {
    for (unsigned i = 0; i < 3; ++i) {
      std::optional<NDHWCWindowDim> found = places(i, dims[1 + i], window[i]);
      if (!found)
        return false;
      at[i] = *found;
      counts[i] = found->count;
      lengths[i] = dims[1 + i];
    }
    return true;
  }
  SmallVector<NamedAttribute> ofPlanes() {
    return {pair("window", window[1], window[2]),
            pair("strides", strides[1], strides[2]), padding};
  }
  SmallVector<NamedAttribute> ofColumns() {
    return {pair("window", window[0], 1), pair("strides", strides[0], 1),
            padding};
  }
  /// Pools the planes of a volume over height and width. Returns the pooled
  /// volume, reshaped to columns.
  template <typename OpT> Value poolPlanes(Value volume) {
    Value planes = make<OpT>({this->planes(volume)}, ofPlanes());
    return columns(fromPlanes(planes, dimsOf(volume)[1]));
  }
  /// Reshapes the result of `poolPlanes` from columns to planes, which have the
  /// height and width of the pooled volume.
  Value planesOf(Value columns) {
    return planes(fromColumns(columns, counts[1], counts[2]));
  }

  /// Pools the planes of a volume over height and width, and the columns of the
  /// results over the depth. Returns a volume.
  template <typename OpT> Value poolVolume(Value volume) {
    return fromColumns(make<OpT>({poolPlanes<OpT>(volume)}, ofColumns()),
                       counts[1], counts[2]);
  }
  /// Returns the gradient of `volume`, given `pooled`, the maxima of its
  /// windows, and `gradient`, their gradient.
  Value gradientOfMax(Value volume, Value pooled, Value gradient);
  /// Implements `gradientOfMax` recursively. `dims` are the dimensions along
  /// which windows overlap. Each call handles the first of them: it sums the
  /// gradients over all offsets in the window along this dimension. `seen` is
  /// the volume, padded along `dims`. Along other dimensions, each element is
  /// in only one window, and `pooled` and `gradient` have been repeated to the
  /// volume's size.
  Value gradientOfTaps(ArrayRef<unsigned> dims, Value seen, Value pooled,
                       Value gradient);

  /// Returns, for each window of `volume`, the element of `given` at the
  /// position of the window's first maximum. `given` has the volume's shape;
  /// `pooled` has the maxima.
  Value atLargest(Value volume, Value pooled, Value given);
  /// Returns, for each window, the element of `volume` at the offset `tap`
  /// within the window.
  Value seenAt(Value volume, Triple tap);

  Triple window, counts = {};
  std::array<NDHWCWindowDim, 3> at;
  Triple lengths = {};
};

} // namespace

Value Pool3DImport::gradientOfTaps(ArrayRef<unsigned> dims, Value seen,
                                   Value pooled, Value gradient) {
  if (!seen)
    return {};
  if (dims.empty()) {
    Value difference = make<AbsOp>({make<SubOp>({seen, pooled})});
    Value least = number(getElementTypeOrSelf(gradient), leastDifference);
    Value isLargest = make<LessOp>({difference, least});
    Value nothing = make<ZerosLikeOp>({gradient});
    return make<SelectOp>({isLargest, gradient, nothing});
  }
  unsigned dim = dims.front();
  int64_t reach = (at[dim].count - 1) * strides[dim] + 1;
  SmallVector<Value> pieces;
  for (int64_t tap = 0; tap < window[dim]; ++tap) {
    Value piece = gradientOfTaps(
        dims.drop_front(), slice(seen, dim + 1, tap, tap + reach, strides[dim]),
        pooled, gradient);
    piece = spread(piece, dim + 1, strides[dim], tap - at[dim].before,
                   lengths[dim]);
    if (piece)
      pieces.push_back(piece);
  }
  return sum(pieces);
}

Value Pool3DImport::gradientOfMax(Value volume, Value pooled, Value gradient) {
  SmallVector<unsigned> overlapping;
  for (unsigned dim = 0; dim < 3; ++dim) {
    if (strides[dim] < window[dim]) {
      overlapping.push_back(dim);
      volume = padded(volume, dim + 1, at[dim].before, at[dim].after);
      continue;
    }
    // Windows do not overlap along this dimension, so repeat the maxima and
    // gradients: each element gets those of its only window.
    for (Value *tensor : {&pooled, &gradient})
      *tensor = spread(*tensor, dim + 1, strides[dim], -at[dim].before,
                       lengths[dim], window[dim]);
  }
  if (!pooled || !gradient)
    return {};
  return gradientOfTaps(overlapping, volume, pooled, gradient);
}

Value Pool3DImport::seenAt(Value volume, Triple tap) {
  for (unsigned dim = 0; dim < 3; ++dim) {
    int64_t reach = (at[dim].count - 1) * strides[dim] + 1;
    volume = slice(padded(volume, dim + 1, at[dim].before, at[dim].after),
                   dim + 1, tap[dim], tap[dim] + reach, strides[dim]);
  }
  return volume;
}

Value Pool3DImport::atLargest(Value volume, Value pooled, Value given) {
  // Padding has the value 0, which may equal a maximum, so exclude positions in
  // the padding by a mask.
  auto type = RankedTensorType::get({1, lengths[0], lengths[1], lengths[2], 1},
                                    node.body.builder.getI1Type());
  Value isElement = createConstant(node.body.builder, node.loc,
                                   DenseElementsAttr::get(type, true));
  Value result = make<ZerosLikeOp>({pooled});
  // Visit the offsets in the window in reverse: the first maximum is selected
  // last and therefore wins.
  int64_t taps = window[0] * window[1] * window[2];
  for (int64_t tap = taps - 1; tap >= 0 && result; --tap) {
    Triple place = {tap / (window[1] * window[2]), tap / window[2] % window[1],
                    tap % window[2]};
    Value isLargest = make<EqualOp>({seenAt(volume, place), pooled});
    isLargest = make<LogicalAndOp>({isLargest, seenAt(isElement, place)});
    result = make<SelectOp>({isLargest, seenAt(given, place), result});
  }
  return result;
}

template <typename OpT> static void importPool(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  Pool3DImport pool(node);
  Value volume = pool ? pool.volume(0) : Value();
  if (!volume || !pool.start(dimsOf(volume)))
    return;
  pool.finish(pool.poolVolume<OpT>(volume));
}

// Imports MaxPool3DGrad. All elements that equal the maximum of a window
// receive its gradient, while in 2-D pooling only the first one does. Input 1,
// the result of the forward pool, is recomputed.
static void importMaxPoolGrad(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  Pool3DImport pool(node);
  Value volume = pool ? pool.volume(0) : Value();
  Value gradient = volume ? pool.volume(2) : Value();
  if (!gradient || !pool.start(dimsOf(volume)))
    return;
  Value pooled = pool.poolVolume<MaxPoolOp>(volume);
  if (!pooled)
    return;
  checkSameShape(node, pooled, gradient,
                 "Expected grad shape to be {}, but got {}");
  pool.finish(pool.gradientOfMax(volume, pooled, gradient));
}

static void importMaxPoolGradGrad(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  Pool3DImport pool(node);
  Value volume = pool ? pool.volume(0) : Value();
  Value given = volume ? pool.volume(2) : Value();
  if (!given || !pool.start(dimsOf(volume)))
    return;
  Value pooled = pool.poolVolume<MaxPoolOp>(volume);
  if (!pooled)
    return;
  checkSameShape(node, volume, given,
                 "Expected grad shape to be {}, but got {}");
  pool.finish(pool.atLargest(volume, pooled, given));
}

// Imports AvgPool3DGrad as the transpose of `poolVolume`: computes the gradient
// of the columns first, then that of the planes.
static void importAvgPoolGrad(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  Pool3DImport pool(node);
  SmallVector<int64_t> shape;
  if (pool)
    shape = pool.volumeShape(0);
  Value gradient = shape.empty() ? Value() : pool.volume(1);
  if (!gradient || !pool.start(shape))
    return;
  int64_t width = pool.counts[1] * pool.counts[2];
  Value ofColumns = pool.make<AvgPoolGradOp>(
      {pool.imageShape(0, 1, {shape[1], width, shape[4]}),
       pool.columns(gradient)},
      pool.ofColumns());
  Value ofPlanes = pool.make<AvgPoolGradOp>(
      {pool.imageShape(0, shape[1], {shape[2], shape[3], shape[4]}),
       pool.planesOf(ofColumns)},
      pool.ofPlanes());
  pool.finish(pool.fromPlanes(ofPlanes, shape[1]));
}

void addVolumeOps(OpTable &table) {
  table["Conv3D"] = {Effect::Pure, importConvolution};
  table["Conv3DBackpropInputV2"] = {Effect::Pure, importBackpropInput};
  table["Conv3DBackpropFilterV2"] = {Effect::Pure, importBackpropFilter};
  table["MaxPool3D"] = {Effect::Pure, importPool<MaxPoolOp>};
  table["MaxPool3DGrad"] = {Effect::Pure, importMaxPoolGrad};
  table["MaxPool3DGradGrad"] = {Effect::Pure, importMaxPoolGradGrad};
  table["AvgPool3D"] = {Effect::Pure, importPool<AvgPoolOp>};
  table["AvgPool3DGrad"] = {Effect::Pure, importAvgPoolGrad};
}

} // namespace ingot::importer
