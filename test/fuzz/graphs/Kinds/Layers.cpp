//===- Layers.cpp - Dense and convolutional layers, and norms -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/graphs/Kinds.h"

#include <algorithm>

using namespace ingot::graph;

namespace ingot::fuzz {

static Numbers drawDense(Random &random, const Values &) {
  return {random.pick<int64_t>({1, 2, 3, 4, 5, 8, 10, 16, 17, 32, 33, 64}),
          random.below(numActivations), random.below(2),
          random.oneIn(4) ? 1 + random.below(2) : 0};
}
static Result inferDense(const Values &in, const Numbers &n) {
  if (in[0].isIds || in[0].shape.empty())
    return {};
  Value value = in[0];
  value.shape.back() = n[0];
  return value;
}
static Tensor buildDense(Build &b, const Tensors &in, const Values &values,
                         const Numbers &n) {
  int64_t depth = values[0].shape.back();
  Tensor kernel = b.variable("kernel", {depth, n[0]},
                             1 / std::max<double>(1, depth / 4.0), 0, n[3]);
  Sizes shape = values[0].shape;
  Tensor x = shape.size() == 1 ? in[0] : reshape(in[0], Shape{unknown, depth});
  Tensor y = matmul(x, kernel);
  if (n[2])
    y = biasAdd(y, b.variable("bias", {n[0]}, 0.1));
  y = activate(y, n[1]);
  shape.back() = n[0];
  return shape.size() == 1 ? y : reshape(y, withBatch(shape));
}

static Numbers drawConv(Random &random, const Values &) {
  return {random.pick<int64_t>({1, 2, 3, 4, 8, 16}),
          1 + random.below(3),
          1 + random.below(2),
          random.below(2),
          random.below(numActivations),
          random.below(2)};
}
/// Returns how many positions a convolution or pooling window of `size` has
/// along a dimension of `length` with stride `stride`. `same` selects the
/// padding SAME instead of VALID.
static int64_t windows(int64_t length, int64_t size, int64_t stride,
                       bool same) {
  return same            ? (length + stride - 1) / stride
         : length < size ? 0
                         : (length - size) / stride + 1;
}
static Result inferWindow(const Value &in, int64_t size, int64_t stride,
                          bool same, int64_t channels) {
  if (in.isIds || in.shape.size() != 3)
    return {};
  int64_t height = windows(in.shape[0], size, stride, same);
  int64_t width = windows(in.shape[1], size, stride, same);
  if (height < 1 || width < 1)
    return {};
  return Value{{height, width, channels}};
}
static Result inferConv(const Values &in, const Numbers &n) {
  return inferWindow(in[0], n[1], n[2], n[3], n[0]);
}
static Tensor buildConv(Build &b, const Tensors &in, const Values &values,
                        const Numbers &n) {
  int64_t channels = values[0].shape[2];
  double scale = 1 / std::max(1.0, n[1] * n[1] * channels / 4.0);
  Tensor filter = b.variable("filter", {n[1], n[1], channels, n[0]}, scale);
  Tensor y = conv2d(withStaticSizes(in[0], values[0].shape), filter, n[2],
                    n[3] ? Padding::Same : Padding::Valid);
  if (n[5])
    y = biasAdd(y, b.variable("bias", {n[0]}, 0.1));
  return activate(y, n[4]);
}

static Numbers drawPool(Random &random, const Values &) {
  return {1 + random.below(3), 1 + random.below(2), random.below(2),
          random.below(2)};
}
static Result inferPool(const Values &in, const Numbers &n) {
  return in[0].shape.size() == 3
             ? inferWindow(in[0], n[0], n[1], n[2], in[0].shape[2])
             : Result();
}
static Tensor buildPool(Build &, const Tensors &in, const Values &,
                        const Numbers &n) {
  Padding padding = n[2] ? Padding::Same : Padding::Valid;
  return n[3] ? maxPool(in[0], n[0], n[1], padding)
              : avgPool(in[0], n[0], n[1], padding);
}

static Tensor buildBatchNorm(Build &, const Tensors &in, const Values &values,
                             const Numbers &) {
  return layers::batchNorm(withStaticSizes(in[0], values[0].shape),
                           /*training=*/true);
}
static Tensor buildLayerNorm(Build &, const Tensors &in, const Values &values,
                             const Numbers &) {
  return layers::layerNorm(withStaticSizes(in[0], values[0].shape));
}

/// Draws the numbers of a node with tied weights: it multiplies the input by a
/// matrix, and then by the transpose of the same variable.
static Numbers drawTied(Random &random, const Values &) {
  return {random.pick<int64_t>({1, 2, 3, 8, 16, 17}),
          random.below(numActivations)};
}
static Tensor buildTied(Build &b, const Tensors &in, const Values &values,
                        const Numbers &n) {
  const Sizes &shape = values[0].shape;
  int64_t depth = shape.back();
  Tensor kernel =
      b.variable("kernel", {depth, n[0]}, 1 / std::max<double>(1, depth / 4.0));
  Tensor rows = reshape(in[0], Shape{unknown, depth});
  Tensor y = matmul(activate(matmul(rows, kernel), n[1]), kernel,
                    /*transposeA=*/false, /*transposeB=*/true);
  return reshape(y, withBatch(shape));
}

/// Draws the numbers of a node "ensemble": the number of members, the number of
/// equal layers of each, and their activation. The result is the mean of the
/// members. Layers of different members are equal and independent, so their
/// launches can be batched; layers of one member are not independent.
static Numbers drawEnsemble(Random &random, const Values &) {
  return {2 + random.below(3), 1 + random.below(3),
          random.below(numActivations)};
}
static Tensor buildEnsemble(Build &b, const Tensors &in, const Values &values,
                            const Numbers &n) {
  const Sizes &shape = values[0].shape;
  int64_t depth = shape.back();
  Tensor rows = reshape(in[0], Shape{unknown, depth}), total;
  for (int64_t member = 0; member < n[0]; ++member) {
    Tensor x = rows;
    for (int64_t layer = 0; layer < n[1]; ++layer) {
      std::string name =
          "m" + std::to_string(member) + "_" + std::to_string(layer);
      double scale = 1 / std::max<double>(1, depth / 4.0);
      x = matmul(x, b.variable(name + "_kernel", {depth, depth}, scale));
      x = activate(biasAdd(x, b.variable(name + "_bias", {depth}, 0.1)), n[2]);
    }
    total = total ? total + x : x;
  }
  return reshape(total * (1.0 / static_cast<double>(n[0])), withBatch(shape));
}

std::vector<Kind> layerKinds() {
  return {
      {"dense", 1, 6, drawDense, inferDense, buildDense},
      {"tied", 1, 2, drawTied, inferNorm, buildTied},
      {"ensemble", 1, 3, drawEnsemble, inferNorm, buildEnsemble},
      {"conv", 1, 6, drawConv, inferConv, buildConv},
      {"pool", 1, 3, drawPool, inferPool, buildPool},
      {"batch_norm", 1, 3, noNumbers, inferNorm, buildBatchNorm},
      {"layer_norm", 1, 2, noNumbers, inferNorm, buildLayerNorm},
  };
}

} // namespace ingot::fuzz
