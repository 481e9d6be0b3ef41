//===- Kinds.cpp - The kinds of nodes of random graphs --------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Each kind of node has a function that draws its numbers, one that infers its
// shape, and one that builds it. To add a kind, add a row to the table in a
// file of Kinds/.
//
//===----------------------------------------------------------------------===//

#include "Kinds.h"

#include <algorithm>

using namespace ingot::graph;

namespace ingot::fuzz {

int64_t elementsOf(const Sizes &shape) {
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  return elements;
}

int64_t rankOf(const Values &in) {
  return static_cast<int64_t>(in[0].shape.size());
}

Shape withBatch(const Sizes &shape) {
  Shape all = {unknown};
  all.insert(all.end(), shape.begin(), shape.end());
  return all;
}

Tensor withStaticSizes(Tensor x, const Sizes &shape) {
  std::optional<Shape> inferred = x.shape();
  bool isStatic = inferred && inferred->size() == shape.size() + 1 &&
                  std::find(inferred->begin() + 1, inferred->end(), unknown) ==
                      inferred->end();
  return isStatic ? x : reshape(x, withBatch(shape));
}

Tensor ints(Build &b, const std::vector<int32_t> &values) {
  return b.graph.constant(Array(values));
}

Numbers noNumbers(Random &, const Values &) { return {}; }

Result sameShape(const Values &in, const Numbers &) {
  return in[0].isIds ? Result() : in[0];
}

Result inferNorm(const Values &in, const Numbers &) {
  return in[0].isIds || in[0].shape.empty() ? Result() : in[0];
}

static Result inferFeatures(const Values &, const Numbers &n) {
  return Value{n};
}
static Result inferIds(const Values &, const Numbers &n) {
  return Value{n, /*isIds=*/true};
}
static Tensor buildFeatures(Build &b, const Tensors &, const Values &,
                            const Numbers &) {
  return b.batch["x"];
}
static Tensor buildIds(Build &b, const Tensors &, const Values &,
                       const Numbers &) {
  return b.batch["ids"];
}

const std::vector<Kind> &allKinds() {
  static const std::vector<Kind> kinds = [] {
    std::vector<Kind> all = {
        {"features", 0, 0, noNumbers, inferFeatures, buildFeatures},
        {"ids", 0, 0, noNumbers, inferIds, buildIds},
    };
    for (auto list : {layerKinds, recurrentKinds, randomKinds, elementwiseKinds,
                      shapeKinds, reductionKinds, indexKinds, controlKinds})
      for (const Kind &kind : list())
        all.push_back(kind);
    return all;
  }();
  return kinds;
}

const Kind *findKind(const std::string &name) {
  for (const Kind &kind : allKinds())
    if (kind.name == name)
      return &kind;
  return nullptr;
}

} // namespace ingot::fuzz
