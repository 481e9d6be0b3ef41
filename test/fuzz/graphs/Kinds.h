//===- Kinds.h - The kinds of nodes of random graphs ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TEST_FUZZ_GRAPHS_KINDS_H
#define INGOT_TEST_FUZZ_GRAPHS_KINDS_H

#include "test/fuzz/graphs/Recipe.h"

#include "ingot/graph.h"

namespace ingot::fuzz {

/// What the function `build` of a kind of node needs to add the node to a
/// graph.
struct Build {
  graph::Graph &graph;
  const Recipe &recipe;
  uint64_t noise;
  graph::Element batch;
  size_t number = 0; // index of the node that is being built

  /// Creates a trainable variable for the current node, and returns its value.
  /// Nodes that pass the same `tie`, which is not 0, and the same shape share
  /// one variable.
  graph::Tensor variable(const std::string &name, const Sizes &shape,
                         double scale, double offset = 0, int64_t tie = 0);
  /// Creates a variable for the current node that is not trained.
  graph::Variable state(const std::string &name, const Sizes &shape,
                        double scale, double offset);
  /// Returns `count` random numbers around `offset`. They depend only on the
  /// seed of the recipe and on `name`. If `noise` is not 0, each is changed by
  /// a tiny relative amount.
  std::vector<float> numbers(const std::string &name, int64_t count,
                             double scale, double offset) const;
  /// Returns uniform random numbers in the shape of `like`, which differ for
  /// each step and each `seed`.
  graph::Tensor draw(graph::Tensor like, int64_t seed);
  /// Returns uniform random numbers of shape `shape`, which differ for each
  /// value of `counter` and each `seed`.
  graph::Tensor drawOf(graph::Tensor shape, graph::Tensor counter,
                       int64_t seed);

private:
  std::string nameOf(const std::string &name) const;
};

/// Returns the FNV-1a hash of `text`, starting from a state that depends on
/// `seed`.
uint64_t hashOf(const std::string &text, uint64_t seed);

/// Returns the dataset that a recipe is trained on, with columns for features,
/// ids and labels. Labels are integers in [0, `classes`).
graph::Dataset makeDataset(const Recipe &recipe, const Build &b,
                           int64_t classes);
/// Adds to `step` the training of one tower: the update of all variables whose
/// names begin with `tower` by the recipe's optimizer, so that `loss` falls,
/// and further updates, such as moving averages, that the recipe selects.
void train(graph::Graph &graph, graph::Entry &step, const Recipe &recipe,
           const std::string &tower, graph::Tensor loss);

using Values = std::vector<Value>;
using Numbers = std::vector<int64_t>;
using Tensors = std::vector<graph::Tensor>;
using Result = std::optional<Value>;

/// A kind of node: its name, its number of inputs, the weight with which it is
/// drawn, and its functions. A node of any kind is described by its inputs and
/// a few integers ("numbers").
struct Kind {
  const char *name;
  unsigned arity;
  unsigned weight;
  /// Draws the numbers that describe a new node with the inputs `in`.
  Numbers (*draw)(Random &random, const Values &in);
  /// Returns the shape of the result, or std::nullopt if the kind does not
  /// allow such inputs or numbers.
  Result (*infer)(const Values &in, const Numbers &numbers);
  graph::Tensor (*build)(Build &b, const Tensors &in, const Values &values,
                         const Numbers &numbers);
};

/// Each returns the kinds that one file of the folder Kinds/ defines.
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

/// Ids, which index the rows of embeddings, are in [0, vocabulary).
constexpr int64_t vocabulary = 11;

//===----------------------------------------------------------------------===//
// Helpers for several files of Kinds/

int64_t elementsOf(const Sizes &shape);
int64_t rankOf(const Values &in);
/// Returns `shape` with a dynamic batch dimension put before the first
/// dimension.
graph::Shape withBatch(const Sizes &shape);
/// Returns `x`, reshaped to the static sizes `shape` (without the batch
/// dimension). Layers need static sizes, but the graph builder does not infer
/// those of every tensor.
graph::Tensor withStaticSizes(graph::Tensor x, const Sizes &shape);
graph::Tensor ints(Build &b, const std::vector<int32_t> &values);

Numbers noNumbers(Random &random, const Values &in);
/// For kinds whose result has the shape of the input: returns that shape, or
/// std::nullopt if the input is ids.
Result sameShape(const Values &in, const Numbers &numbers);
/// Like sameShape(), but returns std::nullopt also if the input has no
/// dimension besides the batch.
Result inferNorm(const Values &in, const Numbers &numbers);

constexpr int64_t numActivations = 16;
graph::Tensor activate(graph::Tensor x, int64_t which);

} // namespace ingot::fuzz

#endif // INGOT_TEST_FUZZ_GRAPHS_KINDS_H
