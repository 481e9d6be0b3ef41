//===- ParseExample.h - tf.train.Example to tensors -------------*- C++ -*-===//
//
// Reads the wire form of Example directly into the outputs of a parse op.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_PARSEEXAMPLE_H
#define INGOT_RUNTIME_INPUT_PARSEEXAMPLE_H

#include "runtime/ABI/Program.h"
#include "runtime/Support/Status.h"

#include <span>
#include <string_view>
#include <tuple>
#include <vector>

namespace ingot {

/// A feature of which Examples have any number of values each.
struct OpenFeature {
  /// Values of all the Examples one after the other, in the vector of the
  /// feature's type.
  std::tuple<std::vector<float>, std::vector<int64_t>,
             std::vector<ingot_string>>
      values;
  /// Where those of each Example end.
  std::vector<int64_t> ends;

  template <typename T> std::vector<T> &of() {
    return std::get<std::vector<T>>(values);
  }
};

/// One feature that is asked for.
struct WantedFeature {
  std::string_view key;
  int32_t dtype = 0; // float, int64 or string
  /// The shape of one Example's values.
  std::span<const int64_t> shape;
  /// Of a fixed shape: room for the values of every Example.
  void *output = nullptr;
  /// What stands in for a missing feature; null: it must be present.
  const void *byDefault = nullptr;
  /// Otherwise: where any number of values go. A missing feature has none.
  OpenFeature *open = nullptr;
};

/// Parses `count` serialized Examples. Strings point into `serialized` or into
/// a default, and live as long as those do. A feature that is missing and has
/// no default, or has another type or number of values than asked for, is
/// InvalidArgument, as are bytes that are no Example; the message names node,
/// example, key, what was expected and what was found.
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
