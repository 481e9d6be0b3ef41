//===- ParseExample.h - Parses tf.train.Examples ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Parses serialized Examples directly into the outputs of a parse op.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_PARSEEXAMPLE_H
#define INGOT_RUNTIME_INPUT_PARSEEXAMPLE_H

#include "runtime/ABI/Dataset.h"
#include "runtime/Support/Status.h"

#include <span>
#include <string_view>
#include <tuple>
#include <vector>

namespace ingot {

/// A feature with any number of values per Example.
struct VarLenFeature {
  /// The values of all Examples, one after the other, in the vector of the
  /// feature's type.
  std::tuple<std::vector<float>, std::vector<int64_t>,
             std::vector<ingot_string>>
      values;
  /// For each Example, the index after its last value in the vector.
  std::vector<int64_t> ends;

  template <typename T> std::vector<T> &of() {
    return std::get<std::vector<T>>(values);
  }
};

/// A feature to parse.
struct FeatureToParse {
  std::string_view key;
  int32_t dtype = 0; // float, int64 or string
  /// The shape of the feature's values in one Example.
  std::span<const int64_t> shape;
  /// If the feature has a fixed shape: memory for the values of all Examples,
  /// or null to check the feature without storing it.
  void *output = nullptr;
  /// The values if an Example lacks the feature; null: a missing feature is an
  /// error.
  const void *byDefault = nullptr;
  /// If the feature may have any number of values: their destination. An
  /// Example that lacks the feature then has no values.
  VarLenFeature *open = nullptr;
};

/// Returns the features of `spec` in the same order. Their destinations are not
/// set.
std::vector<FeatureToParse> featuresOf(const ingot_parse_spec &spec);

/// Parses Examples one by one. Parsed strings refer to bytes of the Example or
/// of a default value, which must stay alive. Not thread-safe.
class ExampleParser {
public:
  ExampleParser(std::string_view node, std::vector<FeatureToParse> features);

  /// Checks the features to parse, and prepares their look-up. Must be called
  /// before parse().
  Status prepare();

  /// Sets the destination of the values of feature `feature`.
  void setOutput(size_t feature, void *output) {
    wanted[feature].output = output;
  }

  /// Writes the values of each feature to index `index` of its output. Returns
  /// InvalidArgument if the bytes are not an Example, or if a feature is
  /// missing and has no default, or has another type or number of values. The
  /// message names the node, example `number`, the key, and what was expected
  /// and found.
  Status parse(std::string_view example, int64_t index, int64_t number);

  /// writeWanted() writes a serialized Example that consists only of the wanted
  /// features of the last parsed Example. sizeOfWanted() returns its size in
  /// bytes.
  size_t sizeOfWanted() const;
  void writeWanted(char *out) const;

private:
  struct Feature {
    std::string_view key;
    std::string_view entry; // last map entry with the feature's key
    bool found = false;
    // The expected number of values; if the shape is dynamic, the number of
    // values per index of the first dimension.
    int64_t elements = 0;
  };

  bool findEntries(std::string_view example);
  bool noteEntry(std::string_view entry);
  template <typename T>
  Status fill(size_t feature, int64_t index, int64_t number);
  Status fail(int64_t number, const std::string &what) const;
  size_t sizeOfMap() const;

  std::string_view node;
  std::vector<FeatureToParse> wanted;
  std::vector<Feature> features;
  // The indices of the features, sorted by key; empty if there are only a few.
  std::vector<uint32_t> byKey;
};

/// Parses `count` serialized Examples; Example i goes to index i of the
/// outputs.
Status parseExamples(std::string_view node,
                     std::span<const FeatureToParse> features,
                     const ingot_string *serialized, int64_t count);

/// Parses `count` Examples into `spec.num_dense` outputs. Output i is dense, of
/// shape [count, spec.dense[i].dims...] and type float, int64 or string.
Status parseExamples(const ingot_parse_spec &spec,
                     const ingot_string *serialized, int64_t count,
                     void *const *outputs);

} // namespace ingot

#endif // INGOT_RUNTIME_INPUT_PARSEEXAMPLE_H
