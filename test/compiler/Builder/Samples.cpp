// SPDX-License-Identifier: Apache-2.0
// Prints programs made with the graph builder, for which test/data/builder has
// the numbers that TensorFlow computes:
//
//   ingot-graph-samples optimizers|initializers|layers|losses|heads > x.mlir

#include "compiler/Ensemble/Heads.h"
#include "ingot/graph.h"

#include <google/protobuf/text_format.h>

#include <cstdio>
#include <map>

using namespace ingot::graph;
using namespace ingot::adanet;

static Array floats(std::vector<float> values, Shape shape) {
  return Array(values, std::move(shape));
}

// Adds one variable for each optimizer, which minimizes a function of that
// variable in a scope of its own.
static void optimizers(Graph &g) {
  std::vector<std::pair<std::string, Optimizer>> all = {
      {"sgd", Optimizer::sgd(0.1)},
      {"momentum", Optimizer::withMomentum(0.1, 0.9)},
      {"nesterov", Optimizer::withMomentum(0.1, 0.9, /*nesterov=*/true)},
      {"adam", Optimizer::adam(0.05)},
      {"adamw", Optimizer::adamW(0.05, 0.1)},
      {"adagrad", Optimizer::adagrad(0.3)},
      {"rmsprop", Optimizer::rmsProp(0.05, 0.8, 0.5)},
      {"ftrl", Optimizer::ftrl(0.3, 0.02, 0.01)},
  };
  for (auto [name, schedule] :
       std::initializer_list<std::pair<std::string, LearningRateSchedule>>{
           {"exponential", LearningRateSchedule::exponential(2, 0.5)},
           {"staircase",
            LearningRateSchedule::exponential(2, 0.5, /*staircase=*/true)},
           {"cosine", LearningRateSchedule::cosine(4, 0.1)},
           {"piecewise",
            LearningRateSchedule::piecewise({1, 3}, {0.3, 0.2, 0.05})}}) {
    all.push_back({name, Optimizer::sgd(0.1)});
    all.back().second.schedule = schedule;
  }
  all.push_back({"clipped", Optimizer::sgd(0.1)});
  all.back().second.clipNorm = 0.5;

  Entry train(g, "train", Role::Other);
  Tensor step = g.globalStep();
  Tensor a = g.constant(floats({1, -2, 0.5, 3}, {2, 2}));
  for (const auto &[name, optimizer] : all) {
    NameScope scope(g, name);
    Variable w = g.variable("w", {2, 2}, DType::Float32,
                            values(floats({0.5, 1, -1, 2}, {2, 2})));
    Variable b = g.variable("b", {2}, DType::Float32, constant(0.25));
    Tensor loss = sum(square(tanh(biasAdd(matmul(a, w), b)) - 0.5));
    optimizer.apply(g, {w, b}, gradients(loss, std::vector<Variable>{w, b}),
                    step);
    train.fetch(name + "/w", w);
    train.fetch(name + "/b", b);
  }
  g.globalStep().assign(step + 1);
}

static void initializers(Graph &g) {
  std::pair<std::string, Initializer> all[] = {
      {"zeros", zeros()},
      {"ones", ones()},
      {"constant", constant(0.3)},
      {"uniform", uniform(-2, 3, 11)},
      {"normal", normal(1, 2, 12)},
      {"truncated_normal", truncatedNormal(1, 2, 13)},
      {"glorot_uniform", glorotUniform(14)},
      {"glorot_normal", glorotNormal(15)},
      {"he_uniform", heUniform(16)},
      {"he_normal", heNormal(17)},
      {"lecun_uniform", lecunUniform(18)},
      {"lecun_normal", lecunNormal(19)},
  };
  Entry read(g, "values", Role::Other);
  for (const auto &[name, initializer] : all)
    for (const auto &[suffix, shape] :
         {std::pair<std::string, Shape>{"", {3, 4}},
          {"_vector", {5}},
          {"_filter", {2, 2, 3, 2}}})
      read.fetch(name + suffix,
                 g.variable(name + suffix, shape, DType::Float32, initializer));
}

static void layersAndGradients(Graph &g) {
  auto weights = [](int64_t seed) { return uniform(-0.5, 0.5, seed); };
  Entry run(g, "forward", Role::Other);
  Tensor image = run.feed("image", DType::Float32, {unknown, 6, 6, 2});
  Tensor ids = run.feed("ids", DType::Int64, {unknown});
  Tensor x = layers::conv2d(
      image, 3, 3,
      {.kernelInitializer = weights(1), .biasInitializer = weights(2)});
  x = layers::batchNorm(x, /*training=*/true);
  x = maxPool(relu(x), 2, 2);
  x = layers::conv2d(x, 4, 2,
                     {.activation = elu,
                      .stride = 1,
                      .padding = Padding::Valid,
                      .bias = false,
                      .kernelInitializer = weights(3)});
  x = layers::flatten(avgPool(x, 2, 1));
  Tensor words = layers::embedding(ids, 7, 5, weights(4));
  x = layers::layerNorm(concat({x, words}, 1));
  Tensor dropped =
      layers::dropout(x, 0.25, /*training=*/true, 21, g.globalStep());
  x = layers::dense(dropped, 3,
                    {.activation = tanh, .kernelInitializer = weights(5)});
  Tensor loss = mean(square(x - 0.3));
  std::vector<Variable> trained = g.variables("", /*onlyTrainable=*/true);
  std::vector<Tensor> derivatives = gradients(loss, trained);
  run.fetch("dropped", dropped);
  run.fetch("output", x);
  run.fetch("loss", loss);
  for (size_t index = 0; index < trained.size(); ++index)
    run.fetch("gradient/" + trained[index].name(), derivatives[index]);
  for (const char *name : {"moving_mean", "moving_variance"})
    run.fetch(name, g.findVariable("batch_normalization/" + std::string(name)));
}

static void losses(Graph &g) {
  Entry run(g, "losses", Role::Other);
  Tensor logits = run.feed("logits", DType::Float32, {unknown, 3});
  Tensor ids = run.feed("ids", DType::Int64, {unknown});
  Tensor targets = run.feed("targets", DType::Float32, {unknown, 3});
  Tensor weights = run.feed("weights", DType::Float32, {unknown});
  Tensor sparse = sparseSoftmaxCrossEntropy(logits, ids);
  run.fetch("sparse", sparse);
  run.fetch("softmax", softmaxCrossEntropy(logits, softmax(targets)));
  run.fetch("sigmoid", sigmoidCrossEntropy(logits, targets));
  run.fetch("absolute", absoluteError(logits, targets));
  run.fetch("huber", huberLoss(logits, targets, 0.7));
  run.fetch("sum", reduceLoss(sparse, weights, Reduction::Sum));
  run.fetch("sum_over_batch_size", reduceLoss(sparse, weights));
  run.fetch("mean", reduceLoss(sparse, weights, Reduction::Mean));
  run.fetch("sum_by_nonzero_weights",
            reduceLoss(sparse, weights, Reduction::SumByNonzeroWeights));
  run.fetch("unweighted", reduceLoss(sparse));
}

static void heads(Graph &g) {
  std::pair<std::string, std::string> all[] = {
      {"regression", "regression {} label: 'r' weight: 'w'"},
      {"regression_2", "regression {} label: 'r' label: 's'"},
      {"binary", "binary {} label: 'b' weight: 'w'"},
      {"multi_class", "multi_class { classes: 3 } label: 'c' weight: 'w'"},
      {"multi_class_unweighted", "multi_class { classes: 3 } label: 'c'"},
      {"multi_label",
       "multi_label {} label: 'b' label: 'd' label: 'e' weight: 'w'"},
      {"multi", "multi { head { regression {} label: 'r' name: 'size' }"
                "        head { multi_class { classes: 3 } label: 'c' "
                "               name: 'kind' weight: 'w' } }"},
  };
  Entry run(g, "heads", Role::Other);
  Columns columns;
  for (const char *name : {"r", "s", "w"})
    columns[name] = run.feed(name, DType::Float32, {unknown});
  for (const char *name : {"b", "c", "d", "e"})
    columns[name] = run.feed(name, DType::Int64, {unknown});
  Tensor scores = run.feed("logits", DType::Float32, {unknown, 4});
  for (const auto &[name, text] : all) {
    NameScope scope(g, name);
    ingot::proto::SearchHead description;
    if (!google::protobuf::TextFormat::ParseFromString(text, &description))
      return g.addError("'" + name + "' is no head");
    auto head = ingot::ensemble::makeHead(description);
    Tensor logits = slice(scores, {0, 0}, {-1, head->logitsDimension()});
    head->check(columns);
    Tensor loss = head->loss(logits, columns);
    run.fetch(name + ":loss", loss);
    for (const NamedTensor &figure : head->figures(logits, columns))
      run.fetch(name + ":" + figure.name, figure.value);
    for (const NamedTensor &figure : head->predictions(logits))
      run.fetch(name + "=" + figure.name, figure.value);
    run.fetch(name + ":gradient",
              gradients(loss, std::vector<Tensor>{logits})[0]);
  }
}

int main(int argc, char **argv) {
  const std::map<std::string, void (*)(Graph &)> samples = {
      {"optimizers", optimizers},
      {"initializers", initializers},
      {"layers", layersAndGradients},
      {"losses", losses},
      {"heads", heads}};
  auto sample = argc == 2 ? samples.find(argv[1]) : samples.end();
  if (sample == samples.end()) {
    fprintf(stderr, "usage: %s SAMPLE\n", argv[0]);
    return 2;
  }
  Graph g;
  sample->second(g);
  if (!g.finish()) {
    fputs(g.errors().c_str(), stderr);
    return 1;
  }
  fputs(g.toMLIR().c_str(), stdout);
}
