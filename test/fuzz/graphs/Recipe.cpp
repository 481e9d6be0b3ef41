//===- Recipe.cpp - Random recipes, and their text ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "Recipe.h"

#include "Kinds.h"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace ingot::fuzz {

/// Infers the shape of each node's result. Returns std::nullopt if a node does
/// not accept its inputs or, with `isWhole`, if the head cannot use the last
/// node's result because it is ids.
static std::optional<std::vector<Value>> infer(const Recipe &recipe,
                                               bool isWhole) {
  std::vector<Value> values;
  for (const Node &node : recipe.nodes) {
    const Kind *kind = findKind(node.kind);
    if (!kind || node.inputs.size() != kind->arity)
      return std::nullopt;
    std::vector<Value> in;
    for (int64_t input : node.inputs) {
      if (input < 0 || input >= static_cast<int64_t>(values.size()))
        return std::nullopt;
      in.push_back(values[input]);
    }
    std::optional<Value> value = kind->infer(in, node.numbers);
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  if (values.empty() || (isWhole && values.back().isIds))
    return std::nullopt;
  return values;
}

std::optional<std::vector<Value>> infer(const Recipe &recipe) {
  return infer(recipe, /*isWhole=*/true);
}

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

namespace {

/// Adds random nodes to a recipe.
class Drawing {
public:
  Drawing(Random &random, Recipe &recipe) : random(random), recipe(recipe) {}

  /// Adds `node` itself, such as the node with the features of the input.
  void add(Node node) {
    recipe.nodes.push_back(std::move(node));
    values = infer(recipe, /*isWhole=*/false).value_or(values);
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

private:
  void addAfterLast(const std::string &kind) {
    tryToAdd(*findKind(kind), static_cast<int64_t>(values.size()) - 1);
  }

  void tryToAdd(const Kind &kind, int64_t place) {
    constexpr int64_t maxElements = 32 * 1024;
    Node node{kind.name, {place}, {}};
    Values in = {values[place]};
    node.numbers = kind.draw(random, in);
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
      add(std::move(node));
  }

  Random &random;
  Recipe &recipe;
  Values values;
};

} // namespace

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

Recipe generate(uint64_t seed) {
  Random random(seed * 0x2545f4914f6cdd1d + 1);
  Recipe recipe;
  recipe.seed = seed;
  // Include large batches, since only they make kernels that are split into
  // blocks.
  recipe.batch = random.pick<int64_t>(
      {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 32, 32, 33, 33, 48, 64, 65});
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
  recipe.optimizer = random.below(12);
  recipe.clips = random.oneIn(3) ? 1 + random.below(3) : 0;
  recipe.averages = random.oneIn(4) ? 1 + random.below(2) : 0;
  recipe.counts = random.oneIn(4);
  recipe.accumulates = random.oneIn(6);
  recipe.regularizes = random.oneIn(6);
  recipe.weights = random.oneIn(4);
  Drawing drawing(random, recipe);
  drawing.add({"features", {}, drawFeatures(random)});
  if (random.oneIn(3))
    drawing.add({"ids", {}, {1 + random.below(6)}});
  size_t wanted = 3 + random.below(12);
  for (int tries = 0; recipe.nodes.size() < wanted && tries < 200; ++tries)
    if (random.oneIn(2))
      drawing.addBlock();
    else
      drawing.addAny();
  if (recipe.nodes.back().kind == "ids") // the head needs numbers
    recipe.nodes.push_back({"one_hot", {1}, {}});
  if (random.oneIn(3))
    recipe.observed = random.below(static_cast<int64_t>(recipe.nodes.size()));
  return recipe;
}

namespace {

/// Calls `visit(name, number)` for each integer field of a recipe, where `name`
/// stands for the field in the text form.
template <typename Visit, typename R>
void visitNumbers(R &recipe, Visit visit) {
  visit("batch", recipe.batch);
  visit("examples", recipe.examples);
  visit("steps", recipe.steps);
  visit("drop_remainder", recipe.dropRemainder);
  visit("shuffle", recipe.shuffle);
  visit("pipeline", recipe.pipeline);
  visit("loss", recipe.loss);
  visit("optimizer", recipe.optimizer);
  visit("clips", recipe.clips);
  visit("averages", recipe.averages);
  visit("counts", recipe.counts);
  visit("accumulates", recipe.accumulates);
  visit("regularizes", recipe.regularizes);
  visit("weights", recipe.weights);
  visit("observed", recipe.observed);
}

} // namespace

std::string Recipe::toText() const {
  std::ostringstream text;
  text << "seed " << seed << '\n';
  visitNumbers(*this, [&](const char *name, int64_t number) {
    text << name << ' ' << number << '\n';
  });
  for (const Node &node : nodes) {
    text << "node " << node.kind << ' ' << node.inputs.size();
    for (int64_t input : node.inputs)
      text << ' ' << input;
    for (int64_t number : node.numbers)
      text << ' ' << number;
    text << '\n';
  }
  return text.str();
}

std::optional<Recipe> Recipe::parse(const std::string &text) {
  Recipe recipe;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name == "seed") {
      words >> recipe.seed;
    } else if (name == "node") {
      Node node;
      size_t inputs = 0;
      words >> node.kind >> inputs;
      for (int64_t number; words >> number;)
        (node.inputs.size() < inputs ? node.inputs : node.numbers)
            .push_back(number);
      recipe.nodes.push_back(std::move(node));
      continue;
    } else {
      bool isKnown = false;
      visitNumbers(recipe, [&](const char *other, int64_t &number) {
        if (name == other)
          isKnown = static_cast<bool>(words >> number);
      });
      if (!isKnown)
        return std::nullopt;
    }
  }
  return recipe;
}

std::string toText(const Towers &towers) {
  std::string text;
  for (const Recipe &recipe : towers)
    text += (text.empty() ? "" : "tower\n") + recipe.toText();
  return text;
}

std::optional<Towers> parseTowers(const std::string &text) {
  constexpr std::string_view separator = "\ntower\n";
  Towers towers;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find(separator, at), text.size());
    std::optional<Recipe> recipe = Recipe::parse(text.substr(at, end - at));
    if (!recipe || recipe->nodes.empty())
      return std::nullopt;
    towers.push_back(std::move(*recipe));
    at = end + separator.size();
  }
  return towers;
}

} // namespace ingot::fuzz
