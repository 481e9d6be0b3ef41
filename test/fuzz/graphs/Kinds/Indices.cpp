//===- Indices.cpp - Tables, and what is chosen by an index ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/graphs/Kinds.h"

using namespace ingot::graph;

namespace ingot::fuzz {

static Numbers drawEmbedding(Random &random, const Values &) {
  return {random.pick<int64_t>({1, 2, 3, 4, 8, 16}), random.oneIn(3) ? 1 : 0};
}
static Result inferEmbedding(const Values &in, const Numbers &n) {
  if (!in[0].isIds)
    return {};
  Value value{in[0].shape};
  value.shape.push_back(n[0]);
  return value;
}
static Tensor buildEmbedding(Build &b, const Tensors &in, const Values &,
                             const Numbers &n) {
  return gather(b.variable("table", {vocabulary, n[0]}, 0.5, 0, n[1]), in[0]);
}

/// Infers the shape of a node that looks up the row of a table at the index of
/// the largest element of the input (argMax).
static Result inferChoice(const Values &in, const Numbers &n) {
  if (in[0].isIds || in[0].shape.size() != 1 || in[0].shape[0] < 2)
    return {};
  return Value{{n[0]}};
}
static Tensor buildChoice(Build &b, const Tensors &in, const Values &values,
                          const Numbers &n) {
  Tensor table = b.variable("table", {values[0].shape[0], n[0]}, 0.5);
  return gather(table, argMax(in[0], 1));
}

static Result inferOneHot(const Values &in, const Numbers &) {
  if (!in[0].isIds)
    return {};
  Value value{in[0].shape};
  value.shape.push_back(vocabulary);
  return value;
}
static Tensor buildOneHot(Build &, const Tensors &in, const Values &,
                          const Numbers &) {
  return oneHot(in[0], vocabulary);
}

std::vector<Kind> indexKinds() {
  return {
      {"embedding", 1, 4, drawEmbedding, inferEmbedding, buildEmbedding},
      {"choice", 1, 1, drawEmbedding, inferChoice, buildChoice},
      {"one_hot", 1, 2, noNumbers, inferOneHot, buildOneHot},
  };
}

} // namespace ingot::fuzz
