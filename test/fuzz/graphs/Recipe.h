//===- Recipe.h - A random training graph, as text --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A recipe describes a graph: a DAG of nodes, an input pipeline, a head and an
// optimizer. Draw.cpp makes a recipe from a seed, Build.cpp a graph from a
// recipe, and Reduce.cpp a smaller recipe. The text of a recipe can be kept as
// a test and replayed.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TEST_FUZZ_GRAPHS_RECIPE_H
#define INGOT_TEST_FUZZ_GRAPHS_RECIPE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ingot::fuzz {

/// The random number generator splitmix64 (Steele, Lea and Flood, 2014).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t bits() {
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// Returns an integer in [0, count).
  int64_t below(int64_t count) {
    return static_cast<int64_t>(bits() % static_cast<uint64_t>(count));
  }
  bool oneIn(int64_t count) { return below(count) == 0; }
  /// Returns a number in [-1, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-52 - 1; }
  template <typename T> const T &pick(const std::vector<T> &list) {
    return list[below(static_cast<int64_t>(list.size()))];
  }

private:
  uint64_t state;
};

using Sizes = std::vector<int64_t>;

/// The result of a node: its sizes without the first dimension, which is the
/// batch, and whether it is ids.
struct Value {
  Sizes shape;
  bool isIds = false; // integers in [0, vocabulary)
  bool operator==(const Value &) const = default;
};

struct Node {
  std::string kind; // name of a Kind in Kinds.h
  std::vector<int64_t> inputs;
  std::vector<int64_t> numbers;
};

/// The description of a random graph and of its training. A field that selects
/// a feature, such as `clips`, is 0 if the graph does not have the feature.
struct Recipe {
  uint64_t seed = 0; // for data and initial values
  int64_t batch = 4, examples = 16, steps = 4;
  int64_t dropRemainder = 1, shuffle = 0;
  int64_t pipeline = 0; // bits that select datasets; see prepare() in Input.cpp
  int64_t loss = 0, optimizer = 0, clips = 0, averages = 0, counts = 0;
  int64_t accumulates = 0, regularizes = 0, weights = 0;
  int64_t observed = -1; // index of a node that is also fetched, or -1
  std::vector<Node> nodes;

  /// The value of `optimizer` that selects FTRL.
  static constexpr int64_t ftrl = 6;

  std::string toText() const;
  static std::optional<Recipe> parse(const std::string &text);
};

/// Returns a random recipe. The same seed always gives the same recipe. Recipes
/// of seeds that differ by little have the same batch size and similar shapes.
Recipe generate(uint64_t seed);

/// Returns the shape of each node's result, or std::nullopt if the recipe is
/// invalid.
std::optional<std::vector<Value>> infer(const Recipe &recipe);

/// Recipes that are trained together, in the same step of one program, which
/// saves compilations. Each has its own variables, input pipeline and loss.
using Towers = std::vector<Recipe>;

std::string toText(const Towers &towers);
/// Parses a text that toText() has written. Returns std::nullopt if it is
/// invalid.
std::optional<Towers> parseTowers(const std::string &text);
/// Returns what the names of a tower's variables begin with: "" if it is alone.
std::string nameOfTower(const Towers &towers, size_t number);
/// Returns the names of the tensors that the step of `towers` fetches besides
/// the losses.
std::vector<std::string> fetchesOf(const Towers &towers);

/// Returns the text of a program in the ingot dialect that trains `towers`. If
/// the graph builder rejects a recipe, returns std::nullopt and sets `why` to
/// the reason. If `noise` is not 0, it seeds changes of all initial values and
/// data by relative amounts of about 6e-8.
std::optional<std::string> buildProgram(const Towers &towers, uint64_t noise,
                                        std::string &why);

} // namespace ingot::fuzz

#endif // INGOT_TEST_FUZZ_GRAPHS_RECIPE_H
