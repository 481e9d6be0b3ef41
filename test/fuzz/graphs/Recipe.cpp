//===- Recipe.cpp - The shapes and the text of recipes --------------------===//
// SPDX-License-Identifier: Apache-2.0

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
  // The head cannot use ids.
  if (values.empty() || values.back().isIds)
    return std::nullopt;
  return values;
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
