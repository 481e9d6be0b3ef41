//===- ArtifactCache.h - Trainers that were linked before -------*- C++ -*-===//
//
// A program that was given as text names all that its trainer consists of, but
// for the compiler and the runtime: the same text gives the same trainer.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_ARTIFACTCACHE_H
#define INGOT_COMPILER_DRIVER_ARTIFACTCACHE_H

#include "compiler/Driver/Compile.h"

namespace ingot::driver {

class ArtifactCache {
public:
  /// Whether `options` ask for a trainer of a text, and for nothing else that
  /// compiling shows.
  explicit ArtifactCache(const CompileOptions &options);

  /// Writes the trainer where it is kept; false where it is not.
  bool reuse() const;
  /// Keeps what was linked.
  void keep() const;

private:
  const CompileOptions &options;
  std::string key; // "": nothing is kept
};

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_ARTIFACTCACHE_H
