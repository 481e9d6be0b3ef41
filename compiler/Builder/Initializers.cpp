//===- Initializers.cpp - Initial values of variables ---------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Random values are drawn by the ops to which the importer converts
// TensorFlow's stateless random functions. So a built graph and an imported
// graph draw equal bits from equal seeds.
//
//===----------------------------------------------------------------------===//

#include "compiler/Builder/GraphImpl.h"

#include "mlir/Support/DebugStringHelper.h"
#include "llvm/Support/xxhash.h"

#include <cmath>

using namespace mlir;

namespace ingot::graph {

Initializer constant(double value) {
  return [value](Graph &graph, const std::string &name, DType dtype,
                 const Shape &shape) -> Tensor {
    GraphImpl &data = graph.data();
    auto type = data.tensorType(dtype, shape, name);
    return wrap(data, data.constant(splat(type, value)));
  };
}

Initializer zeros() { return constant(0); }
Initializer ones() { return constant(1); }

Initializer values(Array array) {
  return [array = std::move(array)](Graph &graph, const std::string &name,
                                    DType dtype, const Shape &shape) -> Tensor {
    GraphImpl &data = graph.data();
    if (array.dtype() != dtype || array.shape() != shape) {
      data.error(name,
                 "initial values have type " +
                     mlir::debugString(
                         data.tensorType(array.dtype(), array.shape(), name)) +
                     ", but the variable has type " +
                     mlir::debugString(data.tensorType(dtype, shape, name)));
      return {};
    }
    ElementsAttr elements = data.elements(array, name);
    return elements ? wrap(data, data.constant(elements)) : Tensor();
  };
}

// Returns the random numbers that the op named `op` draws, from a standard
// normal or a uniform distribution. Without `seed`, the seeds are the graph's
// seed and a hash of the variable's name.
static Tensor draw(Graph &graph, StringRef op, const std::string &name,
                   DType dtype, const Shape &shape, Seed seed) {
  GraphImpl &data = graph.data();
  std::vector<int64_t> seeds{seed.value_or(data.seed.value_or(0)), 0};
  if (!seed)
    seeds[1] = static_cast<int64_t>(llvm::xxh3_64bits(name));
  std::vector<Tensor> stream = graph.createAll(
      "stateless_random_get_key_counter", {graph.constant(Array(seeds, {2}))});
  if (stream.size() != 2)
    return {};
  std::vector<int32_t> philox{1};
  std::vector<int64_t> dims(shape.begin(), shape.end());
  return graph.create(op,
                      {graph.constant(Array(dims)), stream[0], stream[1],
                       graph.constant(Array(philox, {}))},
                      {{"dtype", dtype}});
}

Initializer uniform(double low, double high, Seed seed) {
  return [=](Graph &graph, const std::string &name, DType dtype,
             const Shape &shape) {
    Tensor numbers =
        draw(graph, "stateless_random_uniform", name, dtype, shape, seed);
    Tensor lowest = graph.scalar(low, dtype);
    return numbers * (graph.scalar(high, dtype) - lowest) + lowest;
  };
}

static Initializer drawn(StringRef op, double mean, double stddev, Seed seed) {
  return [=, op = op.str()](Graph &graph, const std::string &name, DType dtype,
                            const Shape &shape) {
    Tensor numbers = draw(graph, op, name, dtype, shape, seed);
    return numbers * graph.scalar(stddev, dtype) + graph.scalar(mean, dtype);
  };
}

Initializer normal(double mean, double stddev, Seed seed) {
  return drawn("stateless_random_normal", mean, stddev, seed);
}

Initializer truncatedNormal(double mean, double stddev, Seed seed) {
  return drawn("stateless_truncated_normal", mean, stddev, seed);
}

namespace {
enum class FanMode { Inputs, Average };
} // namespace

// Returns the number by which Keras' VarianceScaling divides the variance of
// the initial values of a variable: its fan-in (FanMode::Inputs), or the
// average of its fan-in and fan-out (FanMode::Average). For a convolution's
// filter, fan-in is the number of input channels times the number of taps of
// the window, and fan-out the number of output channels times the number of
// taps.
static double fanOf(const Shape &shape, FanMode fan) {
  double window = 1, inputs = 1, outputs = 1;
  if (shape.size() == 1) {
    inputs = outputs = shape[0];
  } else if (shape.size() > 1) {
    for (size_t dim = 0; dim + 2 < shape.size(); ++dim)
      window *= shape[dim];
    inputs = window * shape[shape.size() - 2];
    outputs = window * shape.back();
  }
  return std::max(1.0,
                  fan == FanMode::Inputs ? inputs : (inputs + outputs) / 2);
}

// Returns an initializer like Keras' VarianceScaling.
static Initializer scaled(double scale, FanMode fan, bool isUniform,
                          Seed seed) {
  return [=](Graph &graph, const std::string &name, DType dtype,
             const Shape &shape) {
    double variance = scale / fanOf(shape, fan);
    if (isUniform) {
      double limit = std::sqrt(3 * variance);
      return uniform(-limit, limit, seed)(graph, name, dtype, shape);
    }
    // Truncating a normal distribution at two standard deviations reduces its
    // standard deviation by the factor 0.8796. Dividing by this factor gives
    // the truncated numbers the variance `variance`.
    double stddev = std::sqrt(variance) / .87962566103423978;
    return truncatedNormal(0, stddev, seed)(graph, name, dtype, shape);
  };
}

Initializer glorotUniform(Seed seed) {
  return scaled(1, FanMode::Average, true, seed);
}
Initializer glorotNormal(Seed seed) {
  return scaled(1, FanMode::Average, false, seed);
}
Initializer heUniform(Seed seed) {
  return scaled(2, FanMode::Inputs, true, seed);
}
Initializer heNormal(Seed seed) {
  return scaled(2, FanMode::Inputs, false, seed);
}
Initializer lecunUniform(Seed seed) {
  return scaled(1, FanMode::Inputs, true, seed);
}
Initializer lecunNormal(Seed seed) {
  return scaled(1, FanMode::Inputs, false, seed);
}

} // namespace ingot::graph
