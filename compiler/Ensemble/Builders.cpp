//===- Builders.cpp - Built-in networks of searches -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "ingot/adanet.h"

#include <cmath>

using namespace ingot::graph;

namespace ingot::adanet {

Builder::~Builder() = default;
std::vector<Metric> Builder::metrics(const MetricContext &) const { return {}; }
UserEnsembler::~UserEnsembler() = default;
UserStrategy::~UserStrategy() = default;
Generator::~Generator() = default;

// Looks up the rows of a trained embedding table for the category ids of
// `feature`. An id outside of the table, such as -1 for an unknown category,
// yields a vector of zeros, as in tf.feature_column.
static Tensor embed(Graph &graph, const std::string &name,
                    const Feature &feature) {
  NameScope scope(graph, "input_layer/" + name + "_embedding");
  double stddev = 1 / std::sqrt(static_cast<double>(feature.embedding));
  Variable weights =
      graph.variable("embedding_weights", {feature.depth, feature.embedding},
                     DType::Float32, truncatedNormal(0, stddev));
  Tensor last = scalarLike(feature.values, feature.depth - 1.0);
  Tensor ids =
      minimum(maximum(feature.values, scalarLike(feature.values, 0)), last);
  Tensor isKnown = cast(equal(ids, feature.values), DType::Float32);
  return gather(weights, ids) * expandDims(isKnown, 1);
}

Tensor inputLayer(Graph &graph, const Features &features) {
  std::vector<Tensor> parts;
  for (const auto &[name, feature] : features)
    parts.push_back(!feature.depth ? feature.values
                    : feature.embedding
                        ? embed(graph, name, feature)
                        : oneHot(feature.values, feature.depth));
  return parts.size() == 1 ? parts[0] : concat(parts, 1);
}

namespace {

/// Builds a network of dense layers; the last one computes the logits. Its
/// complexity is the square root of the number of hidden layers (AN-177).
class DnnBuilder final : public Builder {
public:
  DnnBuilder(Optimizer optimizer, std::vector<int64_t> sizes, double dropout,
             std::string name, layers::Activation activation = relu)
      : trainedBy(std::move(optimizer)), sizes(std::move(sizes)), rate(dropout),
        ownName(std::move(name)), activation(activation) {}

  std::string name() const override { return ownName; }
  Optimizer optimizer() const override { return trainedBy; }

  Subnetwork build(BuildContext &context) const override {
    Subnetwork network;
    network.lastLayer = inputLayer(context.graph, context.features);
    for (int64_t size : sizes) {
      network.lastLayer =
          layers::dense(network.lastLayer, size, {.activation = activation});
      if (rate > 0 && context.training)
        network.lastLayer =
            layers::dropout(network.lastLayer, rate, true, {}, context.step);
    }
    network.logits = layers::dense(network.lastLayer, context.logitsDimension);
    network.complexity = std::sqrt(static_cast<double>(sizes.size()));
    return network;
  }

  Hyperparameters hyperparameters() const override {
    Hyperparameters all = {{"num_layers", static_cast<int64_t>(sizes.size())}};
    if (!sizes.empty())
      all["layer_size"] = sizes[0];
    if (rate > 0)
      all["dropout"] = rate;
    return all;
  }

private:
  Optimizer trainedBy;
  std::vector<int64_t> sizes;
  double rate;
  std::string ownName;
  layers::Activation activation;
};

/// Builds a convolutional network (see ConvolutionalOptions). Once the height
/// or width of the images has shrunk to 1, the remaining convolutions are not
/// followed by pooling. The complexity is the square root of the number of
/// layers, not counting the layer that computes the logits.
class ConvolutionalBuilder final : public Builder {
public:
  ConvolutionalBuilder(Optimizer optimizer, ConvolutionalOptions options)
      : trainedBy(std::move(optimizer)), options(std::move(options)) {}

  std::string name() const override {
    return std::to_string(options.filters.size()) + "_layer_cnn";
  }
  Optimizer optimizer() const override { return trainedBy; }

  Subnetwork build(BuildContext &context) const override {
    Tensor x =
        reshape(inputLayer(context.graph, context.features),
                {unknown, options.height, options.width, options.channels});
    int64_t height = options.height, width = options.width;
    for (int64_t filters : options.filters) {
      x = layers::conv2d(x, filters, 3, {.activation = relu});
      if (height < 2 || width < 2)
        continue;
      x = maxPool(x, 2, 2);
      height /= 2;
      width /= 2;
    }
    int64_t channels =
        options.filters.empty() ? options.channels : options.filters.back();
    Subnetwork network;
    network.lastLayer =
        layers::dense(reshape(x, {unknown, height * width * channels}),
                      options.denseSize, {.activation = relu});
    network.logits = layers::dense(network.lastLayer, context.logitsDimension);
    network.complexity =
        std::sqrt(static_cast<double>(options.filters.size() + 1));
    return network;
  }

  Hyperparameters hyperparameters() const override {
    return {{"num_layers", static_cast<int64_t>(options.filters.size())},
            {"dense_size", options.denseSize}};
  }

private:
  Optimizer trainedBy;
  ConvolutionalOptions options;
};

/// The generator of AdaNet's simple_dnn example. In each iteration it proposes
/// two networks: a DNN as deep as the newest member of the previous ensemble,
/// and one with one more layer.
class SimpleDnn final : public Generator {
public:
  SimpleDnn(Optimizer optimizer, SimpleDnnOptions options)
      : optimizer(std::move(optimizer)), options(options) {}

  std::vector<std::shared_ptr<const Builder>>
  generate(const GeneratorContext &context) const override {
    // As in AdaNet's simple_dnn, the depth of the new networks is that of the
    // newest member of the previous ensemble (AN-185).
    int64_t depth = options.initialNumLayers;
    if (!context.previous.empty()) {
      Hyperparameters last = context.previous.back().builder->hyperparameters();
      auto found = last.find("num_layers");
      if (found != last.end() && std::holds_alternative<int64_t>(found->second))
        depth = std::get<int64_t>(found->second);
    }
    return {build(depth), build(depth + 1)};
  }

private:
  std::shared_ptr<const Builder> build(int64_t depth) const {
    auto layers = static_cast<size_t>(std::max<int64_t>(depth, 0));
    return std::make_shared<DnnBuilder>(
        optimizer, std::vector<int64_t>(layers, options.layerSize),
        options.dropout,
        depth ? std::to_string(depth) + "_layer_dnn" : "linear");
  }

  Optimizer optimizer;
  SimpleDnnOptions options;
};

/// A generator that returns the builders given to its constructor, the same in
/// every iteration, like adanet.subnetwork.SimpleGenerator.
class SimpleGenerator final : public Generator {
public:
  explicit SimpleGenerator(std::vector<std::shared_ptr<const Builder>> builders)
      : builders(std::move(builders)) {}
  std::vector<std::shared_ptr<const Builder>>
  generate(const GeneratorContext &) const override {
    return builders;
  }

private:
  std::vector<std::shared_ptr<const Builder>> builders;
};

} // namespace

std::shared_ptr<const Generator> simpleDnn(Optimizer optimizer,
                                           SimpleDnnOptions options) {
  return std::make_shared<SimpleDnn>(std::move(optimizer), options);
}

std::shared_ptr<const Generator>
fixedBuilders(std::vector<std::shared_ptr<const Builder>> builders) {
  return std::make_shared<SimpleGenerator>(std::move(builders));
}

std::shared_ptr<const Builder> linearBuilder(Optimizer optimizer) {
  return std::make_shared<DnnBuilder>(std::move(optimizer),
                                      std::vector<int64_t>(), 0, "linear");
}

static constexpr std::pair<const char *, layers::Activation> activations[] = {
    {"relu", relu},         {"relu6", relu6}, {"elu", elu},
    {"selu", selu},         {"tanh", tanh},   {"sigmoid", sigmoid},
    {"softplus", softplus},
};

std::vector<std::string> activationNames() {
  std::vector<std::string> names;
  for (const auto &[name, function] : activations)
    names.emplace_back(name);
  return names;
}

std::shared_ptr<const Builder> dnnBuilder(Optimizer optimizer,
                                          std::vector<int64_t> layerSizes,
                                          double dropout,
                                          const std::string &activation) {
  std::string name = "dnn";
  for (int64_t size : layerSizes)
    name += "_" + std::to_string(size);
  layers::Activation function = relu;
  for (const auto &[known, one] : activations)
    if (activation == known) {
      function = one;
      name += "_" + activation;
    }
  return std::make_shared<DnnBuilder>(
      std::move(optimizer), std::move(layerSizes), dropout, name, function);
}

std::shared_ptr<const Builder>
convolutionalBuilder(Optimizer optimizer, ConvolutionalOptions options) {
  return std::make_shared<ConvolutionalBuilder>(std::move(optimizer),
                                                std::move(options));
}

} // namespace ingot::adanet
