//===- ArtifactCache.h - Cache of linked trainers ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A program given as text determines its trainer, together with the compiler
// and the runtime: the same text gives the same trainer.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_ARTIFACTCACHE_H
#define INGOT_COMPILER_DRIVER_ARTIFACTCACHE_H

#include "compiler/Driver/Compile.h"

namespace ingot::driver {

class ArtifactCache {
public:
  /// Whether `options` ask for a trainer of a text, and for no other output.
  explicit ArtifactCache(const CompileOptions &options);

  /// Copies the trainer from the cache; false on a miss.
  bool reuse() const;
  /// Stores a linked trainer.
  void keep() const;

private:
  const CompileOptions &options;
  std::string key; // "": nothing is stored
};

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_ARTIFACTCACHE_H
