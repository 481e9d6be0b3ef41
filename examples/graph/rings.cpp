// SPDX-License-Identifier: Apache-2.0
// A network of two layers that tells three rings apart by their points, written
// without TensorFlow, and compiled into a trainer:
//
//   build/bin/rings examples/graph/rings.csv trainer
//   ./trainer --model-dir run --max-steps 500
#include "ingot/graph.h"

#include <cstdio>

using namespace ingot::graph;

static Tensor network(const Element &batch) {
  Tensor points = stack({batch["x"], batch["y"]}, /*axis=*/1);
  Tensor hidden = layers::dense(
      points, 32,
      {.activation = relu, .kernelInitializer = glorotUniform(/*seed=*/1)});
  return layers::dense(hidden, 3,
                       {.kernelInitializer = glorotUniform(/*seed=*/2)});
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: rings DATA.csv TRAINER [GRAPH.pb]\n");
    return 2;
  }
  Graph g;
  Iterator input =
      g.iterator(Dataset::csv({argv[1]}, {{"x"}, {"y"}, {"ring", DType::Int64}})
                     .shuffle(/*buffer=*/300, /*seed=*/7)
                     .repeat()
                     .batch(32)
                     .prefetch(2));
  {
    Entry step(g, "step", Role::Step);
    Element batch = input.next();
    Tensor logits = network(batch);
    Tensor loss = mean(sparseSoftmaxCrossEntropy(logits, batch["ring"]));
    Optimizer::adam(/*learningRate=*/0.01).minimize(g, loss);
    summary("loss", loss);
    step.loss("loss", loss);
  }
  {
    Entry predict(g, "predict", Role::Predict);
    Element points{{"x", predict.feed("x", DType::Float32, {unknown})},
                   {"y", predict.feed("y", DType::Float32, {unknown})}};
    predict.fetch("ring", argMax(network(points), 1));
  }
  if (!g.finish() || (argc > 3 && !exportGraphDef(g, argv[3]))) {
    fputs(g.errors().c_str(), stderr);
    return 1;
  }
  return compile(g, argv[2]) ? 0 : 1;
}
