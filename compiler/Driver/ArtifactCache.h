//===- ArtifactCache.h - Cache of linked trainers ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A cache from the text of a program to its linked trainer. The key also
// contains the compiler's build id and a hash of the runtime, so that a cached
// trainer is exactly the one that compiling the text again would produce.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_ARTIFACTCACHE_H
#define INGOT_COMPILER_DRIVER_ARTIFACTCACHE_H

#include "compiler/Driver/Compile.h"

namespace ingot::driver {

/// Finds and stores the linked trainer of one compilation.
class ArtifactCache {
public:
  /// Computes the key if `options` compile a program given as text to an
  /// executable, and nothing else (no remarks, no stage dump). Otherwise the
  /// key stays empty: `reuse` then returns false, and `keep` stores nothing.
  explicit ArtifactCache(const CompileOptions &options);

  /// Copies the trainer from the cache to the output. Returns false on a cache
  /// miss, or if the output cannot be written.
  bool reuse() const;
  /// Stores the trainer that was just linked.
  void keep() const;

private:
  const CompileOptions &options;
  std::string key; // "": the cache is not used
};

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_ARTIFACTCACHE_H
