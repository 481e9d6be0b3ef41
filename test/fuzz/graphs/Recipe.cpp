//===- Recipe.cpp - Random recipes, and their text ------------------------===//

#include "Recipe.h"

#include "Kinds.h"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace ingot::fuzz {

std::optional<std::vector<Value>> infer(const Recipe &recipe) {
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
  // The head computes on numbers.
  if (values.empty() || values.back().isIds)
    return std::nullopt;
  return values;
}

/// A kind, by weight.
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

/// A node on what is there; later values are taken more often.
static std::optional<Node>
drawNode(Random &random, const std::vector<Value> &values, int64_t batch) {
  constexpr int64_t maxElements = 32 * 1024;
  const Kind &kind = pickKind(random);
  auto place = [&]() -> int64_t {
    int64_t last = static_cast<int64_t>(values.size()) - 1;
    return random.oneIn(2) ? last : random.below(last + 1);
  };
  Node node{kind.name, {place()}, {}};
  std::vector<Value> in = {values[node.inputs[0]]};
  node.numbers = kind.draw(random, in);
  if (kind.arity == 2) {
    std::vector<int64_t> fitting;
    for (size_t other = 0; other < values.size(); ++other)
      if (kind.infer({in[0], values[other]}, node.numbers))
        fitting.push_back(static_cast<int64_t>(other));
    if (fitting.empty())
      return std::nullopt;
    node.inputs.push_back(random.pick(fitting));
    in.push_back(values[node.inputs[1]]);
  }
  std::optional<Value> value = kind.infer(in, node.numbers);
  if (!value || elementsOf(value->shape) * batch > maxElements ||
      value->shape.size() > 4)
    return std::nullopt;
  return node;
}

static Sizes drawFeatures(Random &random) {
  switch (random.below(3)) {
  case 0:
    return {random.pick<int64_t>({1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 40})};
  case 1:
    return {1 + random.below(8),
            random.pick<int64_t>({1, 2, 3, 4, 6, 8, 16, 17})};
  default:
    return {1 + random.below(9), 1 + random.below(9),
            random.pick<int64_t>({1, 2, 3, 4, 8})};
  }
}

Recipe generate(uint64_t seed) {
  Random random(seed * 0x2545f4914f6cdd1d + 1);
  Recipe recipe;
  recipe.seed = seed;
  // Small kernels are not cut into blocks: large batches belong here, too.
  recipe.batch =
      random.pick<int64_t>({1, 2, 3, 4, 5, 7, 8, 16, 32, 32, 33, 48, 64});
  recipe.dropRemainder = random.below(2);
  recipe.examples = recipe.batch * (1 + random.below(3)) +
                    (random.oneIn(2) ? random.below(recipe.batch) : 0);
  recipe.shuffle = random.oneIn(3) ? 1 + random.below(recipe.examples) : 0;
  recipe.steps = 3 + random.below(4);
  recipe.loss = random.below(4);
  recipe.optimizer = random.below(8);
  recipe.clips = random.oneIn(4);
  recipe.averages = random.oneIn(4) ? 1 + random.below(2) : 0;
  recipe.counts = random.oneIn(4);
  recipe.nodes.push_back({"features", {}, drawFeatures(random)});
  std::vector<Value> values = {{recipe.nodes[0].numbers}};
  if (random.oneIn(3)) {
    recipe.nodes.push_back({"ids", {}, {1 + random.below(6)}});
    values.push_back({recipe.nodes[1].numbers, /*isIds=*/true});
  }
  size_t wanted = 3 + random.below(12);
  for (int tries = 0; recipe.nodes.size() < wanted && tries < 200; ++tries)
    if (std::optional<Node> node = drawNode(random, values, recipe.batch)) {
      recipe.nodes.push_back(*node);
      values = infer(recipe).value_or(values);
      if (values.size() != recipe.nodes.size())
        recipe.nodes.pop_back();
    }
  if (random.oneIn(3))
    recipe.observed = random.below(static_cast<int64_t>(recipe.nodes.size()));
  return recipe;
}

namespace {

/// The numbers of a recipe, each with its name in the text.
template <typename Visit, typename R>
void visitNumbers(R &recipe, Visit visit) {
  visit("batch", recipe.batch);
  visit("examples", recipe.examples);
  visit("steps", recipe.steps);
  visit("drop_remainder", recipe.dropRemainder);
  visit("shuffle", recipe.shuffle);
  visit("loss", recipe.loss);
  visit("optimizer", recipe.optimizer);
  visit("clips", recipe.clips);
  visit("averages", recipe.averages);
  visit("counts", recipe.counts);
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
