//===- Recipe.h - A random training graph, as text --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// What a graph is made of: a DAG of nodes, a pipeline, a head and an optimizer.
// A seed makes a recipe, Build.cpp a graph of it, Reduce.cpp a smaller recipe.
// Its text can be kept as a test and replayed.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TEST_FUZZ_GRAPHS_RECIPE_H
#define INGOT_TEST_FUZZ_GRAPHS_RECIPE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ingot::fuzz {

/// splitmix64 (Steele, Lea and Flood, 2014).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t bits() {
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// In [0, count).
  int64_t below(int64_t count) {
    return static_cast<int64_t>(bits() % static_cast<uint64_t>(count));
  }
  bool oneIn(int64_t count) { return below(count) == 0; }
  /// In [-1, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-52 - 1; }
  template <typename T> const T &pick(const std::vector<T> &list) {
    return list[below(static_cast<int64_t>(list.size()))];
  }

private:
  uint64_t state;
};

using Sizes = std::vector<int64_t>;

/// A tensor of the graph: its sizes without the batch, which comes first.
struct Value {
  Sizes shape;
  bool isIds = false; // integers below a vocabulary
  bool operator==(const Value &) const = default;
};

struct Node {
  std::string kind; // of Kinds.h
  std::vector<int64_t> inputs;
  std::vector<int64_t> numbers;
};

struct Recipe {
  uint64_t seed = 0; // of data and initial values
  int64_t batch = 4, examples = 16, steps = 4;
  int64_t dropRemainder = 1, shuffle = 0;
  int64_t pipeline = 0; // bits of Build.cpp's prepare()
  int64_t loss = 0, optimizer = 0, clips = 0, averages = 0, counts = 0;
  int64_t accumulates = 0, regularizes = 0, weights = 0;
  int64_t observed = -1; // a node that is fetched as well
  std::vector<Node> nodes;

  std::string toText() const;
  static std::optional<Recipe> parse(const std::string &text);
};

/// The recipe of a seed.
Recipe generate(uint64_t seed);

/// What each node computes; nothing where the recipe makes no sense.
std::optional<std::vector<Value>> infer(const Recipe &recipe);

/// Recipes that are trained by one step, each with its own variables, pipeline
/// and loss: several for the time to compile one program.
using Towers = std::vector<Recipe>;

std::string toText(const Towers &towers);
/// Nothing where it is no text of toText().
std::optional<Towers> parseTowers(const std::string &text);
/// What each tower fetches besides its loss.
std::vector<std::string> fetchesOf(const Towers &towers);

/// A program in the ingot dialect. Initial values and data have relative noise
/// of 6e-8 where `noise` is not 0. Nothing, and why, where the builder refuses.
std::optional<std::string> buildProgram(const Towers &towers, uint64_t noise,
                                        std::string &why);

} // namespace ingot::fuzz

#endif // INGOT_TEST_FUZZ_GRAPHS_RECIPE_H
