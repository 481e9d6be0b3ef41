//===- Reduce.cpp - A smaller recipe with the same fault ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "Kinds.h"
#include "Trial.h"

#include <algorithm>
#include <chrono>
#include <functional>

namespace ingot::fuzz {

/// Returns the recipe without the nodes that no other node uses. The last node
/// stays, because the head uses it.
static Recipe withoutUnused(const Recipe &recipe) {
  size_t count = recipe.nodes.size();
  std::vector<bool> used(count, false);
  used.back() = true;
  if (recipe.observed >= 0)
    used[recipe.observed] = true;
  for (size_t i = count; i-- > 0;)
    if (used[i])
      for (int64_t input : recipe.nodes[i].inputs)
        used[input] = true;
  Recipe smaller = recipe;
  smaller.nodes.clear();
  std::vector<int64_t> places(count, -1);
  for (size_t i = 0; i < count; ++i) {
    if (!used[i])
      continue;
    Node node = recipe.nodes[i];
    for (int64_t &input : node.inputs)
      input = places[input];
    places[i] = static_cast<int64_t>(smaller.nodes.size());
    smaller.nodes.push_back(std::move(node));
  }
  if (recipe.observed >= 0)
    smaller.observed = places[recipe.observed];
  return smaller;
}

/// Returns all recipes that are one change simpler than `recipe`. Those that
/// remove most come first, as they save most trials.
static std::vector<Recipe> simplerThan(const Recipe &recipe) {
  std::vector<Recipe> list;
  auto add = [&](const std::function<void(Recipe &)> &change) {
    Recipe other = recipe;
    change(other);
    list.push_back(std::move(other));
  };
  auto values = infer(recipe);
  if (!values)
    return list;
  int64_t count = static_cast<int64_t>(recipe.nodes.size());
  // Drop the last 1, 2, 4 and so on nodes, so that the head is computed on an
  // earlier node.
  for (int64_t last = 1; last < count; last = last * 2)
    if (count - last > 0)
      add([&](Recipe &r) { r.nodes.resize(count - last); });
  // Replace a node, in all nodes that use it, by an earlier node of the same
  // shape.
  for (int64_t node = count - 1; node > 0; --node)
    for (int64_t other = 0; other < node; ++other)
      if ((*values)[node] == (*values)[other])
        add([&](Recipe &r) {
          for (Node &user : r.nodes)
            std::replace(user.inputs.begin(), user.inputs.end(), node, other);
          if (node == count - 1)
            r.nodes.resize(other + 1);
        });
  if (recipe.observed >= 0)
    add([](Recipe &r) { r.observed = -1; });
  auto set = [&](int64_t Recipe::*field, int64_t to) {
    if (recipe.*field > to)
      add([&](Recipe &r) { r.*field = to; });
  };
  set(&Recipe::optimizer, 0);
  set(&Recipe::clips, 0);
  set(&Recipe::averages, 0);
  set(&Recipe::counts, 0);
  set(&Recipe::accumulates, 0);
  set(&Recipe::regularizes, 0);
  set(&Recipe::weights, 0);
  set(&Recipe::pipeline, 0);
  for (int bit = 0; bit < 8; ++bit)
    if (recipe.pipeline >> bit & 1)
      add([&](Recipe &r) { r.pipeline &= ~(int64_t(1) << bit); });
  set(&Recipe::shuffle, 0);
  set(&Recipe::loss, 1);
  set(&Recipe::steps, 1);
  set(&Recipe::steps, recipe.steps - 1);
  if (!recipe.dropRemainder)
    add([](Recipe &r) { r.dropRemainder = 1; });
  if (recipe.examples > recipe.batch)
    add([](Recipe &r) { r.examples = r.batch; });
  for (int64_t batch : {recipe.batch / 2, recipe.batch - 1})
    if (batch > 0)
      add([&](Recipe &r) {
        r.examples = std::max(batch, r.examples * batch / r.batch);
        r.batch = batch;
      });
  for (int64_t node = 0; node < count; ++node)
    if (recipe.nodes[node].kind == "draws" &&
        recipe.nodes[node].numbers.size() > 4)
      add([&](Recipe &r) { r.nodes[node].numbers.resize(4); });
  for (int64_t node = 0; node < count; ++node)
    for (size_t i = 0; i < recipe.nodes[node].numbers.size(); ++i)
      if (recipe.nodes[node].numbers[i] > 1)
        for (int64_t to : {int64_t(1), recipe.nodes[node].numbers[i] / 2})
          add([&](Recipe &r) { r.nodes[node].numbers[i] = to; });
  return list;
}

/// Returns all simpler lists of towers: with fewer towers, or with one tower
/// that is simpler.
static std::vector<Towers> simplerThan(const Towers &towers) {
  std::vector<Towers> list;
  if (towers.size() > 1)
    for (size_t i = 0; i < towers.size(); ++i)
      list.push_back({towers[i]});
  for (size_t i = 0; towers.size() > 2 && i < towers.size(); ++i) {
    list.push_back(towers);
    list.back().erase(list.back().begin() + i);
  }
  for (size_t i = 0; i < towers.size(); ++i)
    for (Recipe &recipe : simplerThan(towers[i])) {
      if (recipe.observed >= static_cast<int64_t>(recipe.nodes.size()))
        recipe.observed = -1;
      if (!infer(recipe))
        continue;
      recipe = withoutUnused(recipe);
      if (!infer(recipe))
        continue;
      list.push_back(towers);
      list.back()[i] = std::move(recipe);
    }
  return list;
}

Towers reduce(const Towers &towers, const TrialOptions &options,
              Verdict &verdict, double seconds) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  Towers smallest = towers;
  bool changed = true;
  while (changed) {
    changed = false;
    for (const Towers &candidate : simplerThan(smallest)) {
      if (std::chrono::duration<double>(Clock::now() - start).count() > seconds)
        return smallest;
      Verdict found = tryTowers(candidate, options);
      if (found.kind != verdict.kind)
        continue;
      smallest = candidate;
      verdict = found;
      changed = true;
      break;
    }
  }
  return smallest;
}

} // namespace ingot::fuzz
