//===- Kinds.h - The kinds of nodes of random graphs ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TEST_FUZZ_GRAPHS_KINDS_H
#define INGOT_TEST_FUZZ_GRAPHS_KINDS_H

#include "test/fuzz/graphs/Recipe.h"

#include "ingot/graph.h"

namespace ingot::fuzz {

/// What nodes are built with.
struct Build {
  graph::Graph &graph;
  const Recipe &recipe;
  uint64_t noise;
  graph::Element batch;
  size_t number = 0; // of the node

  /// A trainable variable of the node's. One of the same `tie` is shared by
  /// nodes that ask for the same shape; 0: none.
  graph::Tensor variable(const std::string &name, const Sizes &shape,
                         double scale, double offset = 0, int64_t tie = 0);
  /// One that no optimizer changes.
  graph::Variable state(const std::string &name, const Sizes &shape,
                        double scale, double offset);
  /// Numbers around `offset`, the same for each recipe and name.
  std::vector<float> numbers(const std::string &name, int64_t count,
                             double scale, double offset) const;
  /// Uniform numbers in the shape of `like`, others for each step and seed.
  graph::Tensor draw(graph::Tensor like, int64_t seed);
  /// Uniform numbers of a shape, others for each `counter`.
  graph::Tensor drawOf(graph::Tensor shape, graph::Tensor counter,
                       int64_t seed);

private:
  std::string nameOf(const std::string &name) const;
};

/// FNV-1a.
uint64_t hashOf(const std::string &text, uint64_t seed);

/// What a recipe trains on: features, ids, and labels below `classes`.
graph::Dataset makeDataset(const Recipe &recipe, const Build &b,
                           int64_t classes);
/// The step of the recipe's optimizer on the variables whose names begin with
/// `tower`, and what else changes variables.
void train(graph::Graph &graph, graph::Entry &step, const Recipe &recipe,
           const std::string &tower, graph::Tensor loss);

using Values = std::vector<Value>;
using Numbers = std::vector<int64_t>;
using Tensors = std::vector<graph::Tensor>;
using Result = std::optional<Value>;

struct Kind {
  const char *name;
  unsigned arity;
  unsigned weight;
  /// Numbers of a node on such inputs.
  Numbers (*draw)(Random &random, const Values &in);
  /// What it computes; nothing where inputs or numbers do not fit.
  Result (*infer)(const Values &in, const Numbers &numbers);
  graph::Tensor (*build)(Build &b, const Tensors &in, const Values &values,
                         const Numbers &numbers);
};

/// Those of each file of Kinds/.
std::vector<Kind> layerKinds();
std::vector<Kind> recurrentKinds();
std::vector<Kind> randomKinds();
std::vector<Kind> elementwiseKinds();
std::vector<Kind> shapeKinds();
std::vector<Kind> reductionKinds();
std::vector<Kind> indexKinds();
std::vector<Kind> controlKinds();

const std::vector<Kind> &allKinds();
const Kind *findKind(const std::string &name);

/// Of ids.
constexpr int64_t vocabulary = 11;

//===----------------------------------------------------------------------===//
// What several files of Kinds/ use
//===----------------------------------------------------------------------===//

int64_t elementsOf(const Sizes &shape);
int64_t rankOf(const Values &in);
/// The shape of a tensor of these sizes, with an unknown batch.
graph::Shape withBatch(const Sizes &shape);
/// `x`, whose sizes are static but for the batch's. Layers need that, and the
/// graph does not infer the sizes of every tensor.
graph::Tensor withStaticSizes(graph::Tensor x, const Sizes &shape);
graph::Tensor ints(Build &b, const std::vector<int32_t> &values);

Numbers noNumbers(Random &random, const Values &in);
/// Of numbers.
Result sameShape(const Values &in, const Numbers &numbers);
/// Of numbers, with a dimension after the batch.
Result inferNorm(const Values &in, const Numbers &numbers);

constexpr int64_t numActivations = 16;
graph::Tensor activate(graph::Tensor x, int64_t which);

} // namespace ingot::fuzz

#endif // INGOT_TEST_FUZZ_GRAPHS_KINDS_H
