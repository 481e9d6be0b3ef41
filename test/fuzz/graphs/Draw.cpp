//===- Draw.cpp - Random recipes ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "Kinds.h"

namespace ingot::fuzz {

/// Picks a random kind of node. The probability of a kind is proportional to
/// its weight.
static const Kind &pickKind(Random &random) {
  int64_t all = 0;
  for (const Kind &kind : allKinds())
    all += kind.weight;
  int64_t place = random.below(all);
  for (const Kind &kind : allKinds())
    if ((place -= kind.weight) < 0)
      return kind;
  return allKinds().back();
}

/// Draws the shape of an example's features: a vector, a sequence of vectors,
/// or an image. Some sizes are next to a power of two, such as 31, so that
/// kernels have remainder tiles.
static Sizes drawFeatures(Random &random) {
  switch (random.below(7)) {
  case 0:
  case 1:
    return {random.pick<int64_t>({1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 40})};
  case 2:
  case 3:
    return {1 + random.below(8),
            random.pick<int64_t>({1, 2, 3, 4, 6, 8, 16, 17})};
  case 4:
    return {1 + random.below(3), 1 + random.below(5), 1 + random.below(5),
            random.pick<int64_t>({1, 3, 4, 8})};
  default:
    return {1 + random.below(9), 1 + random.below(9),
            random.pick<int64_t>({1, 2, 3, 4, 8})};
  }
}

namespace {

/// What the recipes of neighboring seeds have in common: the batch size, and a
/// few shapes of features, optimizers and attributes of nodes to choose from.
/// Many of their kernels are then equal and compiled only once, which halves
/// the time for a graph.
struct Palette {
  explicit Palette(uint64_t seed);

  /// Draws the numbers of a node of `kind`: one of two choices for each list of
  /// input shapes.
  Numbers drawNumbers(Random &random, const Kind &kind, const Values &in) const;

  static constexpr uint64_t numSeeds = 512;
  static constexpr int numChoices = 3;
  uint64_t number;
  int64_t batch;
  std::vector<Sizes> features;
  std::vector<int64_t> optimizers;
};

Palette::Palette(uint64_t seed) : number(seed / numSeeds) {
  Random random(hashOf("palette", number));
  // Include large batches, since only they make kernels that are split into
  // blocks.
  batch = random.pick<int64_t>(
      {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 32, 32, 33, 33, 48, 64, 65});
  for (int i = 0; i < numChoices; ++i) {
    features.push_back(drawFeatures(random));
    optimizers.push_back(random.below(12));
  }
}

Numbers Palette::drawNumbers(Random &random, const Kind &kind,
                             const Values &in) const {
  std::string choice = kind.name + std::to_string(random.below(2));
  for (const Value &value : in)
    for (int64_t size : value.shape)
      choice += " " + std::to_string(size);
  Random shared(hashOf(choice, number));
  return kind.draw(shared, in);
}

/// Adds random nodes to a recipe.
class Drawing {
public:
  Drawing(Random &random, const Palette &palette, Recipe &recipe)
      : random(random), palette(palette), recipe(recipe) {}

  /// Adds a node without inputs, such as the features of an example.
  void addInput(Node node) {
    Result value = findKind(node.kind)->infer({}, node.numbers);
    add(std::move(node), *value);
  }

  /// Adds a random node of any kind. Its first input is often the last node, so
  /// that graphs become deep.
  void addAny() {
    int64_t last = static_cast<int64_t>(values.size()) - 1;
    tryToAdd(pickKind(random), random.oneIn(2) ? last : random.below(last + 1));
  }

  /// Adds a typical block of a network: a layer with much computation (such as
  /// a convolution), and a random number of elementwise nodes that may be fused
  /// into its kernel.
  void addBlock() {
    static const std::vector<std::string> heavy = {
        "dense", "dense", "conv", "ensemble", "recurrent", "attention"};
    static const std::vector<std::string> light = {
        "dropout", "dropout", "draws", "noise",     "activation",
        "scale",   "clip",    "tied",  "layer_norm"};
    addAfterLast(random.pick(heavy));
    for (int64_t count = 1 + random.below(3); count > 0; --count)
      addAfterLast(random.pick(light));
  }

  /// Converts the last node's result to numbers if it is ids, which the head
  /// cannot use.
  void finish() {
    if (values.back().isIds)
      tryToAdd(*findKind("one_hot"), static_cast<int64_t>(values.size()) - 1);
  }

private:
  void add(Node node, Value value) {
    recipe.nodes.push_back(std::move(node));
    values.push_back(std::move(value));
  }

  void addAfterLast(const std::string &kind) {
    tryToAdd(*findKind(kind), static_cast<int64_t>(values.size()) - 1);
  }

  void tryToAdd(const Kind &kind, int64_t place) {
    constexpr int64_t maxElements = 32 * 1024;
    Node node{kind.name, {place}, {}};
    Values in = {values[place]};
    node.numbers = palette.drawNumbers(random, kind, in);
    if (kind.arity == 2) {
      std::vector<int64_t> fitting;
      for (size_t other = 0; other < values.size(); ++other)
        if (kind.infer({in[0], values[other]}, node.numbers))
          fitting.push_back(static_cast<int64_t>(other));
      if (fitting.empty())
        return;
      node.inputs.push_back(random.pick(fitting));
      in.push_back(values[node.inputs[1]]);
    }
    Result value = kind.infer(in, node.numbers);
    if (value && elementsOf(value->shape) * recipe.batch <= maxElements &&
        value->shape.size() <= 4)
      add(std::move(node), *value);
  }

  Random &random;
  const Palette &palette;
  Recipe &recipe;
  Values values;
};

} // namespace

Recipe generate(uint64_t seed) {
  Random random(seed * 0x2545f4914f6cdd1d + 1);
  Palette palette(seed);
  Recipe recipe;
  recipe.seed = seed;
  recipe.batch = palette.batch;
  recipe.dropRemainder = random.below(2);
  recipe.examples = recipe.batch * (1 + random.below(3));
  // Often let the number of examples be no multiple of the batch size, so that
  // the last batch is smaller; in particular by one example, as a batch of size
  // 1 shows most off-by-one errors.
  if (random.oneIn(2))
    recipe.examples += random.oneIn(3) ? 1 : random.below(recipe.batch);
  recipe.shuffle = random.oneIn(3) ? 1 + random.below(recipe.examples) : 0;
  recipe.steps = 3 + random.below(4);
  for (int bit = 0; bit < 7; ++bit)
    recipe.pipeline |= int64_t(random.oneIn(6)) << bit;
  // Bit 7 batches each pass over the data by itself, so that a pass may end
  // with a smaller batch. It is set in half of the recipes, because without it
  // no batch is smaller.
  recipe.pipeline |= int64_t(random.oneIn(2)) << 7;
  recipe.loss = random.below(4);
  recipe.optimizer = random.pick(palette.optimizers);
  recipe.clips = random.oneIn(3) ? 1 + random.below(3) : 0;
  recipe.averages = random.oneIn(4) ? 1 + random.below(2) : 0;
  recipe.counts = random.oneIn(4);
  recipe.accumulates = random.oneIn(6);
  recipe.regularizes = random.oneIn(6);
  recipe.weights = random.oneIn(4);
  Drawing drawing(random, palette, recipe);
  drawing.addInput({"features", {}, random.pick(palette.features)});
  if (random.oneIn(3))
    drawing.addInput({"ids", {}, {1 + random.below(6)}});
  size_t wanted = 3 + random.below(12);
  for (int tries = 0; recipe.nodes.size() < wanted && tries < 200; ++tries)
    if (random.oneIn(2))
      drawing.addBlock();
    else
      drawing.addAny();
  drawing.finish();
  if (random.oneIn(3))
    recipe.observed = random.below(static_cast<int64_t>(recipe.nodes.size()));
  return recipe;
}

} // namespace ingot::fuzz
