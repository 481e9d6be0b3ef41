//===- FeedDefaults.h - Defaults of feeds -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_FEEDDEFAULTS_H
#define INGOT_RUNTIME_SESSION_FEEDDEFAULTS_H

#include "runtime/Session/Session.h"

namespace ingot {

/// Whether the feed of that name of an entry has a default.
bool hasDefault(const ingot_program &program, const ingot_entry &entry,
                std::string_view feed);

/// The defaults of an entry's feeds: of placeholders that have one.
class FeedDefaults {
public:
  /// For an entry whose feeds have no defaults.
  FeedDefaults() = default;
  /// Computes them; they depend on no variable.
  static Expected<FeedDefaults> compute(Session &session,
                                        const ingot_entry &entry);

  /// The default of the entry's feed `index`; null where it has none. Lasts as
  /// long as this object.
  const ingot_tensor *find(size_t index) const {
    return index < ofFeed.size() && ofFeed[index] >= 0
               ? &tensors[static_cast<size_t>(ofFeed[index])]
               : nullptr;
  }

private:
  std::optional<BoundEntry> bound; // whose fetches they are
  std::vector<ingot_tensor> tensors;
  std::vector<int> ofFeed;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_FEEDDEFAULTS_H
