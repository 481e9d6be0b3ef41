//===- Build.cpp - The training program of a recipe -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "Kinds.h"

#include <algorithm>

using namespace ingot::graph;

namespace ingot::fuzz {

/// The number of different labels of examples.
constexpr int64_t numClasses = 5;

uint64_t hashOf(const std::string &text, uint64_t seed) {
  uint64_t hash = seed ^ 0xcbf29ce484222325; // offset basis and prime of FNV-1a
  for (char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::vector<float> Build::numbers(const std::string &name, int64_t count,
                                  double scale, double offset) const {
  Random random(hashOf(name, recipe.seed));
  Random other(hashOf(name, noise));
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    double value = offset + scale * (random.uniform() + random.uniform());
    if (noise != 0)
      value *= 1 + 6e-8 * other.uniform();
    values.push_back(static_cast<float>(value));
  }
  return values;
}

std::string Build::nameOf(const std::string &name) const {
  return "n" + std::to_string(number) + "/" + name;
}

Tensor Build::variable(const std::string &name, const Sizes &shape,
                       double scale, double offset, int64_t tie) {
  std::string full = nameOf(name);
  if (tie != 0) {
    full = "tied" + std::to_string(tie);
    for (int64_t size : shape)
      full += "_" + std::to_string(size);
  }
  Array array(numbers(full, elementsOf(shape), scale, offset), shape);
  return graph.variable(full, shape, DType::Float32, values(array)).read();
}

Variable Build::state(const std::string &name, const Sizes &shape, double scale,
                      double offset) {
  std::string full = nameOf(name);
  VariableOptions options;
  options.trainable = false;
  Array array(numbers(full, elementsOf(shape), scale, offset), shape);
  return graph.variable(full, shape, DType::Float32, values(array), options);
}

Tensor Build::draw(Tensor like, int64_t seed) {
  return drawOf(shapeOf(like), graph.globalStep(), seed);
}

Tensor Build::drawOf(Tensor shape, Tensor counter, int64_t seed) {
  Tensor seeds = stack({graph.constant(Array(std::vector<int64_t>{seed}, {})),
                        cast(counter, DType::Int64)});
  std::vector<Tensor> stream =
      graph.createAll("stateless_random_get_key_counter", {seeds});
  if (stream.size() != 2)
    return {};
  return graph.create(
      "stateless_random_uniform",
      {shape, stream[0], stream[1], graph.scalar(1, DType::Int32)},
      {{"dtype", DType::Float32}});
}

namespace {

Tensor lossOf(Build &b, Tensor last, const Sizes &shape, int64_t classes) {
  int64_t depth = elementsOf(shape);
  Tensor rows = reshape(last, Shape{unknown, depth});
  int64_t units = b.recipe.loss == 0 ? classes : 1;
  Tensor logits =
      matmul(rows, b.variable("head", {depth, units},
                              1 / std::max<double>(1, depth / 4.0)));
  Tensor labels = b.batch["y"];
  Tensor weights;
  if (b.recipe.weights)
    weights = tanh(cast(labels, DType::Float32) * 0.3);
  if (b.recipe.loss == 0)
    return reduceLoss(
        sparseSoftmaxCrossEntropy(
            biasAdd(logits, b.variable("head_bias", {units}, 0.1)), labels),
        weights);
  Tensor predicted = reshape(logits, Shape{unknown});
  Tensor target = cast(labels, DType::Float32);
  switch (b.recipe.loss) {
  case 1:
    return reduceLoss(square(predicted - target), weights);
  case 2:
    return reduceLoss(huberLoss(predicted, target), weights, Reduction::Mean);
  default:
    return reduceLoss(
        sigmoidCrossEntropy(
            predicted,
            cast(greater(target, scalarLike(target, 1)), DType::Float32)),
        weights, Reduction::SumByNonzeroWeights);
  }
}

/// A recipe that is trained as a part of the step: buildTower() adds its nodes
/// and its loss to the step under construction.
struct Tower {
  const Recipe &recipe;
  const std::vector<Value> &values;
  Iterator input;
  std::string name; // "" if the program has only one tower
};

/// Changes each element of a node's result by up to an ulp, as another order of
/// sums may do. Noise in the inputs alone is not enough, since for example a
/// batch norm removes most of it. It is enough for most programs, and this
/// costs compile time, so only runs after the first one have it.
Tensor addNoise(Build &b, Tensor x) {
  constexpr int64_t seed = 1000, numNodes = 100;
  Tensor draw =
      b.draw(x, seed + static_cast<int64_t>(b.noise * numNodes + b.number));
  return x * (draw * 0x1p-22 + (1 - 0x1p-23));
}

Tensor buildTower(Graph &graph, Entry &step, const Tower &tower, Build &b) {
  b.batch = tower.input.next();
  std::vector<Tensor> tensors;
  for (const Node &node : tower.recipe.nodes) {
    b.number = tensors.size();
    std::vector<Tensor> in;
    std::vector<Value> shapes;
    for (int64_t place : node.inputs) {
      in.push_back(tensors[place]);
      shapes.push_back(tower.values[place]);
    }
    tensors.push_back(findKind(node.kind)->build(b, in, shapes, node.numbers));
    if (b.noise > 1 && !tower.values[b.number].isIds)
      tensors.back() = addNoise(b, tensors.back());
  }
  b.number = tensors.size();
  if (tower.recipe.observed >= 0)
    step.fetch(tower.name + "observed", tensors[tower.recipe.observed]);
  return lossOf(b, tensors.back(), tower.values.back().shape, numClasses);
}

} // namespace

std::string nameOfTower(const Towers &towers, size_t number) {
  return towers.size() == 1 ? "" : "t" + std::to_string(number) + "/";
}

std::vector<std::string> fetchesOf(const Towers &towers) {
  std::vector<std::string> names;
  for (size_t i = 0; i < towers.size(); ++i) {
    std::string name = nameOfTower(towers, i);
    if (towers.size() > 1)
      names.push_back(name + "loss");
    if (towers[i].observed >= 0)
      names.push_back(name + "observed");
    if (towers[i].counts)
      names.push_back(name + "count");
  }
  return names;
}

std::optional<std::string> buildProgram(const Towers &towers, uint64_t noise,
                                        std::string &why) {
  Graph graph;
  graph.setSeed(static_cast<int64_t>(towers.front().seed % 1000));
  std::vector<std::vector<Value>> values;
  std::vector<Tower> built;
  for (const Recipe &recipe : towers) {
    std::optional<std::vector<Value>> inferred = infer(recipe);
    if (!inferred) {
      why = "the recipe's shapes do not fit";
      return std::nullopt;
    }
    values.push_back(std::move(*inferred));
  }
  for (size_t i = 0; i < towers.size(); ++i) {
    Build b{graph, towers[i], noise, {}};
    std::string name = "IteratorV2" + (i ? "_" + std::to_string(i) : "");
    built.push_back(
        {towers[i], values[i],
         graph.iterator(makeDataset(towers[i], b, numClasses), name),
         nameOfTower(towers, i)});
  }
  {
    Entry step(graph, "step", Role::Step);
    Tensor total;
    for (const Tower &tower : built) {
      std::optional<NameScope> scope;
      if (!tower.name.empty())
        scope.emplace(graph, tower.name.substr(0, tower.name.size() - 1));
      Build b{graph, tower.recipe, noise, {}};
      Tensor loss = buildTower(graph, step, tower, b);
      train(graph, step, tower.recipe, tower.name, loss);
      if (!tower.name.empty())
        step.fetch(tower.name + "loss", loss);
      total = total ? total + loss : loss;
    }
    Variable global = graph.globalStep();
    global.assign(global.read() + graph.scalar(1, DType::Int64));
    step.loss("loss", total);
  }
  if (!graph.finish()) {
    why = graph.errors();
    return std::nullopt;
  }
  return graph.toMLIR();
}

} // namespace ingot::fuzz
