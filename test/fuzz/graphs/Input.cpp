//===- Input.cpp - The input pipelines of random graphs -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "Kinds.h"

using namespace ingot::graph;

namespace ingot::fuzz {

/// Applies to `data` the transformations (such as map, skip and cache) that the
/// bits of `recipe.pipeline` select.
static Dataset prepare(const Recipe &recipe, Dataset data) {
  auto does = [&](int bit) { return (recipe.pipeline >> bit & 1) != 0; };
  if (does(0))
    data = data.map([](const Element &example) {
      Element changed = example;
      if (example.has("x"))
        changed.set("x", example["x"] * 0.75 + 0.125);
      return changed;
    });
  if (does(1) && recipe.examples - 2 >= recipe.batch)
    data = data.skip(1).take(recipe.examples - 2);
  if (does(2))
    data = data.concatenate(data.take(2));
  if (does(3))
    data = data.cache();
  if (recipe.shuffle > 0 && !does(4))
    data = data.shuffle(recipe.shuffle, /*seed=*/7);
  // If batch() comes before repeat(), each pass over the data is batched by
  // itself, so its last batch may be smaller. If repeat() comes first, no batch
  // is smaller.
  bool isEndless = !does(7);
  if (isEndless)
    data = data.repeat();
  if (recipe.shuffle > 0 && does(4))
    data = data.shuffle(recipe.shuffle, /*seed=*/7);
  if (does(5))
    data = data.batch(3).unbatch();
  data = data.batch(recipe.batch, recipe.dropRemainder != 0);
  if (!isEndless)
    data = data.repeat();
  return does(6) ? data.prefetch(2) : data;
}

Dataset makeDataset(const Recipe &recipe, const Build &b, int64_t classes) {
  std::vector<Column> columns;
  auto shaped = [&](Sizes shape) {
    shape.insert(shape.begin(), recipe.examples);
    return shape;
  };
  for (const Node &node : recipe.nodes)
    if (node.kind == "features") {
      Sizes shape = shaped(node.numbers);
      columns.push_back(
          {"x", Array(b.numbers("x", elementsOf(shape), 0.8, 0), shape)});
    } else if (node.kind == "ids") {
      Sizes shape = shaped(node.numbers);
      Random random(hashOf("ids", recipe.seed));
      std::vector<int32_t> ids;
      for (int64_t i = 0; i < elementsOf(shape); ++i)
        ids.push_back(static_cast<int32_t>(random.below(11)));
      columns.push_back({"ids", Array(ids, shape)});
    }
  Random random(hashOf("labels", recipe.seed));
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < recipe.examples; ++i)
    labels.push_back(random.below(classes));
  columns.push_back({"y", Array(labels, {recipe.examples})});
  return prepare(recipe, Dataset::slices(std::move(columns)));
}

} // namespace ingot::fuzz
