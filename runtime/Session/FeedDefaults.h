//===- FeedDefaults.h - Defaults of feeds -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_FEEDDEFAULTS_H
#define INGOT_RUNTIME_SESSION_FEEDDEFAULTS_H

#include "runtime/Session/Session.h"

namespace ingot {

/// Returns true if feed `feed` of `entry` has a default: if it is a
/// PlaceholderWithDefault in the graph.
bool hasDefault(const ingot_program &program, const ingot_entry &entry,
                std::string_view feed);

/// The default values of the feeds of one compiled function (entry): those of
/// the graph's PlaceholderWithDefault nodes.
class FeedDefaults {
public:
  /// Constructs the defaults of a compiled function without default feeds.
  FeedDefaults() = default;
  /// Computes the defaults by running the program's entry whose fetches are
  /// these defaults. They do not depend on variables, so they are computed
  /// once.
  static Expected<FeedDefaults> compute(Session &session,
                                        const ingot_entry &entry);

  /// Returns the default of the entry's feed `index`, or null if it has none.
  /// The tensor lives as long as this object.
  const ingot_tensor *find(size_t index) const {
    return index < ofFeed.size() && ofFeed[index] >= 0
               ? &tensors[static_cast<size_t>(ofFeed[index])]
               : nullptr;
  }

private:
  std::optional<BoundEntryPoint>
      bound; // owns the defaults, which are its fetches
  std::vector<ingot_tensor> tensors;
  std::vector<int> ofFeed;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_FEEDDEFAULTS_H
