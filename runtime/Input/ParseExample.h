//===- ParseExample.h - tf.train.Example to tensors -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads the wire form of Example directly into the outputs of a parse op.
//
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
struct DynamicFeature {
  /// Values of all the Examples one after the other, in the vector of the
  /// feature's type.
  std::tuple<std::vector<float>, std::vector<int64_t>,
             std::vector<ingot_string>>
      values;
  /// The ends of each Example's values.
  std::vector<int64_t> ends;

  template <typename T> std::vector<T> &of() {
    return std::get<std::vector<T>>(values);
  }
};

/// One requested feature.
struct WantedFeature {
  std::string_view key;
  int32_t dtype = 0; // float, int64 or string
  /// The shape of one Example's values.
  std::span<const int64_t> shape;
  /// For a fixed shape: room for the values of every Example. Null: the feature
  /// is checked, but not stored.
  void *output = nullptr;
  /// The value of a missing feature; null: it is required.
  const void *byDefault = nullptr;
  /// Otherwise: where any number of values go. A missing feature has none.
  DynamicFeature *open = nullptr;
};

/// The features of `spec`, in its order, without outputs.
std::vector<WantedFeature> featuresOf(const ingot_parse_spec &spec);

/// Parses Examples one by one. Strings point into the Example or into a
/// default, and live as long as those do. For one thread at a time.
class ExampleParser {
public:
  ExampleParser(std::string_view node, std::vector<WantedFeature> features);

  /// Checks the requested features; to be called first.
  Status prepare();

  /// Sets the destination of the values of feature `feature`.
  void setOutput(size_t feature, void *output) {
    wanted[feature].output = output;
  }

  /// Writes the values of each feature to place `index` of its output. A
  /// feature that is missing and has no default, or has another type or number
  /// of values, is InvalidArgument, as are bytes that are not an Example; the
  /// message names node, example `number`, key, and what was expected and
  /// found.
  Status parse(std::string_view example, int64_t index, int64_t number);

  /// The size and bytes of an Example that has only the wanted features of the
  /// Example parsed last.
  size_t sizeOfWanted() const;
  void writeWanted(char *out) const;

private:
  struct Feature {
    std::string_view key;
    std::string_view entry; // the last map entry with this key
    bool found = false;
    int64_t elements = 0; // expected; of a dynamic shape, per step
  };

  bool findEntries(std::string_view example);
  bool noteEntry(std::string_view entry);
  template <typename T>
  Status fill(size_t feature, int64_t index, int64_t number);
  Status fail(int64_t number, const std::string &what) const;
  size_t sizeOfMap() const;

  std::string_view node;
  std::vector<WantedFeature> wanted;
  std::vector<Feature> features;
  std::vector<uint32_t> byKey; // sorted; empty where there are few
};

/// Parses `count` serialized Examples, each to its place.
Status parseExamples(std::string_view node,
                     std::span<const WantedFeature> features,
                     const ingot_string *serialized, int64_t count);

/// The same for `spec.num_dense` outputs, output i dense [count,
/// spec.dense[i].dims...] of dtype float, int64 or string.
Status parseExamples(const ingot_parse_spec &spec,
                     const ingot_string *serialized, int64_t count,
                     void *const *outputs);

} // namespace ingot

#endif // INGOT_RUNTIME_INPUT_PARSEEXAMPLE_H
