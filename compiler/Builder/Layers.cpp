//===- Layers.cpp - Layers of networks ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Builder/GraphImpl.h"

#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace ingot::graph::layers {

namespace {
/// The name scope of one layer, open while the object lives.
class LayerNameScope {
public:
  LayerNameScope(Tensor x, StringRef kind, const std::string &name)
      : data(*x.data()), outer(data.scope) {
    data.scope += (name.empty() ? data.layerName(kind) : name) + "/";
  }
  ~LayerNameScope() { data.scope = outer; }
  LayerNameScope(const LayerNameScope &) = delete;

  Graph &graph() { return *data.graph; }
  std::string scope() const { return data.scope; }
  Tensor fail(const llvm::Twine &message) {
    data.error(StringRef(data.scope).rtrim('/'), message);
    return {};
  }

private:
  GraphImpl &data;
  std::string outer;
};
} // namespace

// Returns the size of the last dimension of `x`, the number of its features.
// Reports an error and returns std::nullopt if this size is dynamic, or if the
// rank of `x` is not `rank`. A `rank` of 0 allows any rank.
static std::optional<int64_t> lastDim(LayerNameScope &layer, Tensor x,
                                      size_t rank) {
  auto shape = x.shape();
  if (!shape || shape->empty() || (rank && shape->size() != rank) ||
      shape->back() == unknown) {
    std::string given =
        shape ? "rank " + std::to_string(shape->size()) : "unknown rank";
    if (shape && !shape->empty() && shape->back() == unknown)
      given += " and a dynamic last dimension";
    layer.fail(
        "expected an input of " +
        (rank ? "rank " + llvm::Twine(rank) : "known rank of at least 1") +
        " with a static last dimension, but got an input of " + given);
    return std::nullopt;
  }
  return shape->back();
}

static Tensor activated(Tensor x, Activation activation) {
  return activation ? activation(x) : x;
}

Tensor dense(Tensor x, int64_t units, DenseOptions options) {
  if (!x)
    return {};
  LayerNameScope layer(x, "dense", options.name);
  auto inputs = lastDim(layer, x, 2);
  if (!inputs)
    return {};
  Graph &graph = layer.graph();
  Variable kernel = graph.variable("kernel", {*inputs, units}, x.dtype(),
                                   options.kernelInitializer);
  Tensor result = matmul(x, kernel);
  if (options.bias)
    result = biasAdd(result, graph.variable("bias", {units}, x.dtype(),
                                            options.biasInitializer));
  return activated(result, options.activation);
}

Tensor conv2d(Tensor x, int64_t filters, int64_t window,
              Conv2DOptions options) {
  if (!x)
    return {};
  LayerNameScope layer(x, "conv2d", options.name);
  auto channels = lastDim(layer, x, 4);
  if (!channels)
    return {};
  Graph &graph = layer.graph();
  Variable kernel =
      graph.variable("kernel", {window, window, *channels, filters}, x.dtype(),
                     options.kernelInitializer);
  Tensor result = graph::conv2d(x, kernel, options.stride, options.padding);
  if (options.bias)
    result = biasAdd(result, graph.variable("bias", {filters}, x.dtype(),
                                            options.biasInitializer));
  return activated(result, options.activation);
}

// Updates the moving average of a batch normalization: average - (average -
// value) * (1 - `momentum`), where `value` is the batch's statistic.
static void move(Variable average, Tensor value, double momentum) {
  Tensor old = average;
  average.assign(old - (old - value) * (1 - momentum));
}

Tensor batchNorm(Tensor x, bool training, BatchNormOptions options) {
  if (!x)
    return {};
  LayerNameScope layer(x, "batch_normalization", options.name);
  auto channels = lastDim(layer, x, 0);
  if (!channels)
    return {};
  Graph &graph = layer.graph();
  DType dtype = x.dtype();
  Variable gamma = graph.variable("gamma", {*channels}, dtype, ones());
  Variable beta = graph.variable("beta", {*channels}, dtype);
  Variable movingMean = graph.variable("moving_mean", {*channels}, dtype,
                                       zeros(), {.trainable = false});
  Variable movingVariance = graph.variable("moving_variance", {*channels},
                                           dtype, ones(), {.trainable = false});
  Tensor mean = movingMean, variance = movingVariance;
  if (training) {
    Axes axes;
    for (size_t axis = 0; axis + 1 < x.shape()->size(); ++axis)
      axes.push_back(axis);
    Tensor kept = graph::mean(x, axes, /*keepDims=*/true);
    mean = reshape(kept, {*channels});
    variance = graph::mean(squaredDifference(x, kept), axes);
    move(movingMean, mean, options.momentum);
    move(movingVariance, variance, options.momentum);
  }
  Tensor scale = rsqrt(variance + options.epsilon) * gamma;
  return x * scale + (beta - mean * scale);
}

Tensor layerNorm(Tensor x, double epsilon, std::string name) {
  if (!x)
    return {};
  LayerNameScope layer(x, "layer_normalization", name);
  auto size = lastDim(layer, x, 0);
  if (!size)
    return {};
  Graph &graph = layer.graph();
  Variable gamma = graph.variable("gamma", {*size}, x.dtype(), ones());
  Variable beta = graph.variable("beta", {*size}, x.dtype());
  Tensor mean = graph::mean(x, {-1}, /*keepDims=*/true);
  Tensor variance =
      graph::mean(squaredDifference(x, mean), {-1}, /*keepDims=*/true);
  return (x - mean) * rsqrt(variance + epsilon) * gamma + beta;
}

Tensor dropout(Tensor x, double rate, bool training, Seed seed, Tensor step) {
  if (!x)
    return {};
  LayerNameScope layer(x, "dropout", "");
  if (!(rate >= 0 && rate < 1))
    return layer.fail("dropout rate " + std::to_string(rate) +
                      " is not in [0, 1)");
  if (!training || rate == 0)
    return x;
  Graph &graph = layer.graph();
  if (!step)
    step = graph.globalStep();
  // Random numbers are drawn with two seeds: `own`, by default a hash of the
  // layer's name, and the number of the step. So a step that is repeated after
  // a resume draws the same numbers as before.
  int64_t own = llvm::xxh3_64bits(layer.scope());
  if (seed)
    own = *seed;
  else if (auto base = graph.data().seed)
    own ^= *base;
  Tensor seeds = stack({graph.constant(Array(std::vector<int64_t>{own}, {})),
                        cast(step, DType::Int64)});
  std::vector<Tensor> stream =
      graph.createAll("stateless_random_get_key_counter", {seeds});
  if (stream.size() != 2)
    return {};
  Tensor numbers = graph.create(
      "stateless_random_uniform",
      {shapeOf(x), stream[0], stream[1], graph.scalar(1, DType::Int32)},
      {{"dtype", x.dtype()}});
  Tensor keeps = greaterEqual(numbers, scalarLike(x, rate));
  return select(keeps, x * (1 / (1 - rate)), scalarLike(x, 0));
}

Tensor embedding(Tensor ids, int64_t vocabulary, int64_t size,
                 Initializer initializer, std::string name) {
  if (!ids)
    return {};
  LayerNameScope layer(ids, "embedding", name);
  Variable table = layer.graph().variable("embeddings", {vocabulary, size},
                                          DType::Float32, initializer);
  return gather(table, ids);
}

Tensor flatten(Tensor x) {
  if (!x)
    return {};
  LayerNameScope layer(x, "flatten", "");
  auto shape = x.shape();
  int64_t size = 1;
  for (size_t dim = 1; shape && dim < shape->size(); ++dim)
    if ((*shape)[dim] == unknown ||
        __builtin_mul_overflow(size, (*shape)[dim], &size))
      shape.reset();
  if (!shape || shape->empty())
    return layer.fail("expected an input of known rank of at least 1, with "
                      "static dimensions except for the first");
  return reshape(x, {unknown, size});
}

} // namespace ingot::graph::layers
