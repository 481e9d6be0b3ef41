//===- Kinds.h - The kinds of nodes of random graphs ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TEST_FUZZ_GRAPHS_KINDS_H
#define INGOT_TEST_FUZZ_GRAPHS_KINDS_H

#include "test/fuzz/graphs/Recipe.h"

#include "ingot/graph.h"

namespace ingot::fuzz {

/// The state with which nodes are built.
struct Build {
  graph::Graph &graph;
  const Recipe &recipe;
  uint64_t noise;
  graph::Element batch;
  size_t number = 0; // index of the node that is being built

  /// Creates a trainable variable of the node. If `tie` is not 0, nodes that
  /// pass the same `tie` and shape share the variable.
  graph::Tensor variable(const std::string &name, const Sizes &shape,
                         double scale, double offset = 0, int64_t tie = 0);
  /// Creates a variable that no optimizer changes.
  graph::Variable state(const std::string &name, const Sizes &shape,
                        double scale, double offset);
  /// Returns `count` random numbers around `offset`. They depend only on the
  /// recipe's seed and on `name`, except for the noise.
  std::vector<float> numbers(const std::string &name, int64_t count,
                             double scale, double offset) const;
  /// Returns uniform random numbers in the shape of `like`. They differ between
  /// steps and seeds.
  graph::Tensor draw(graph::Tensor like, int64_t seed);
  /// Returns uniform random numbers of a shape. They differ between values of
  /// `counter`.
  graph::Tensor drawOf(graph::Tensor shape, graph::Tensor counter,
                       int64_t seed);

private:
  std::string nameOf(const std::string &name) const;
};

/// Returns the FNV-1a hash of `text`.
uint64_t hashOf(const std::string &text, uint64_t seed);

/// Returns the dataset that a recipe trains on: features, ids, and labels below
/// `classes`.
graph::Dataset makeDataset(const Recipe &recipe, const Build &b,
                           int64_t classes);
/// Adds a step of the recipe's optimizer on the variables whose names begin
/// with `tower`, and the other updates of variables that the recipe selects.
void train(graph::Graph &graph, graph::Entry &step, const Recipe &recipe,
           const std::string &tower, graph::Tensor loss);

using Values = std::vector<Value>;
using Numbers = std::vector<int64_t>;
using Tensors = std::vector<graph::Tensor>;
using Result = std::optional<Value>;

/// A kind of node, with its functions.
struct Kind {
  const char *name;
  unsigned arity;
  unsigned weight;
  /// Draws the numbers of a node with inputs `in`.
  Numbers (*draw)(Random &random, const Values &in);
  /// Returns the node's value, or std::nullopt if inputs or numbers do not fit.
  Result (*infer)(const Values &in, const Numbers &numbers);
  graph::Tensor (*build)(Build &b, const Tensors &in, const Values &values,
                         const Numbers &numbers);
};

/// Return the kinds of each file of Kinds/.
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

/// The number of different ids.
constexpr int64_t vocabulary = 11;

//===----------------------------------------------------------------------===//
// Helpers for several files of Kinds/

int64_t elementsOf(const Sizes &shape);
int64_t rankOf(const Values &in);
/// Returns `shape` with an unknown batch dimension before it.
graph::Shape withBatch(const Sizes &shape);
/// Reshapes `x` to the static sizes `shape` after its batch dimension. Layers
/// require static sizes, but the graph does not infer the sizes of every
/// tensor.
graph::Tensor withStaticSizes(graph::Tensor x, const Sizes &shape);
graph::Tensor ints(Build &b, const std::vector<int32_t> &values);

Numbers noNumbers(Random &random, const Values &in);
/// Infers the shape of the input. Ids are not allowed.
Result sameShape(const Values &in, const Numbers &numbers);
/// Infers the shape of the input, which needs a dimension after the batch. Ids
/// are not allowed.
Result inferNorm(const Values &in, const Numbers &numbers);

constexpr int64_t numActivations = 16;
graph::Tensor activate(graph::Tensor x, int64_t which);

} // namespace ingot::fuzz

#endif // INGOT_TEST_FUZZ_GRAPHS_KINDS_H
