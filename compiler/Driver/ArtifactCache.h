//===- ArtifactCache.h - Cache of linked trainers ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A cache from a graph, or the text of a program, to its linked trainer. The
// key also contains the compiler's build id, the flags and a hash of the
// runtime, so that a cached trainer is exactly the one that compiling again
// would produce.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_ARTIFACTCACHE_H
#define INGOT_COMPILER_DRIVER_ARTIFACTCACHE_H

#include "compiler/Driver/Compile.h"

#include <future>
#include <optional>

namespace ingot::driver {

/// Finds and stores the linked trainer of one compilation.
class ArtifactCache {
public:
  /// Computes the key if `options` compile a program given as text to an
  /// executable, and nothing else (no remarks, no stage dump). Otherwise the
  /// key stays empty: `reuse` then returns std::nullopt, and `keep` stores
  /// nothing.
  explicit ArtifactCache(const CompileOptions &options);

  /// Computes the key for the graph in `file`, under the same conditions. The
  /// key stays empty for a trainer that depends on other files (a SavedModel's
  /// variables, the ptxas of a device), and with --tune, which has to measure.
  void setGraph(const importer::GraphFile &file);

  /// Copies the trainer from the cache to the output, and returns the messages
  /// of its compilation. Returns std::nullopt on a cache miss, or if the output
  /// cannot be written.
  std::optional<std::string> reuse() const;
  /// Stores the trainer that was just linked. `messages` are those of its
  /// compilation.
  void keep(llvm::StringRef messages) const;

private:
  /// Whether `options` ask for a trainer only.
  bool isEnabled() const;
  void setKey(llvm::StringRef content);

  const CompileOptions &options;
  /// A hash of the runtime that trainers are linked with, which another thread
  /// computes while the graph is read.
  std::future<std::optional<std::string>> runtime;
  KernelCache cache; // a subfolder, so that trainers do not displace kernels
  std::string key;   // "": the cache is not used
};

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_ARTIFACTCACHE_H
