//===- Kinds.h - The kinds of nodes of random graphs ------------*- C++ -*-===//
#ifndef INGOT_TEST_FUZZ_GRAPHS_KINDS_H
#define INGOT_TEST_FUZZ_GRAPHS_KINDS_H

#include "Recipe.h"

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
  /// Numbers around `offset`, the same for each recipe and name.
  std::vector<float> numbers(const std::string &name, int64_t count,
                             double scale, double offset) const;
  /// Uniform numbers in the shape of `like`, others for each step and seed.
  graph::Tensor draw(graph::Tensor like, int64_t seed);
};

struct Kind {
  const char *name;
  unsigned arity;
  unsigned weight;
  /// Numbers of a node on such inputs.
  std::vector<int64_t> (*draw)(Random &random, const std::vector<Value> &in);
  /// What it computes; nothing where inputs or numbers do not fit.
  std::optional<Value> (*infer)(const std::vector<Value> &in,
                                const std::vector<int64_t> &numbers);
  graph::Tensor (*build)(Build &b, const std::vector<graph::Tensor> &in,
                         const std::vector<Value> &values,
                         const std::vector<int64_t> &numbers);
};

const std::vector<Kind> &allKinds();
const Kind *findKind(const std::string &name);

int64_t elementsOf(const Sizes &shape);

} // namespace ingot::fuzz

#endif // INGOT_TEST_FUZZ_GRAPHS_KINDS_H
