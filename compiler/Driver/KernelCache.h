//===- KernelCache.h - Cache of compiled kernels ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The cache is a folder with one file per kernel, named by a hash of everything
// that the kernel's code depends on. Several compilers may use it at once.
// Format and reasons: docs/guide/kernel-cache.md.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_KERNELCACHE_H
#define INGOT_COMPILER_DRIVER_KERNELCACHE_H

#include "codegen/Backend.h"
#include "llvm/Support/FileSystem.h"

#include <chrono>
#include <optional>
#include <string>

namespace ingot::driver {

/// Writes `bytes` to a temporary file. Returns false after an error, such as a
/// full disk.
bool writeAll(llvm::sys::fs::TempFile &file, llvm::StringRef bytes);

/// A cache of compiled kernels in a folder.
class KernelCache {
public:
  /// Creates a cache that finds and stores nothing.
  KernelCache() = default;
  /// Opens the cache in `folder`, which is created if it does not exist.
  static llvm::Expected<KernelCache> open(llvm::StringRef folder);
  /// Returns the default folder, inside the user's cache directory, or "" if
  /// the environment names no such directory.
  static std::string defaultFolder();

  /// Returns the cache in the subfolder `name`, whose size limit is `maxBytes`.
  /// It is closed if this one is.
  KernelCache subcache(llvm::StringRef name, uint64_t maxBytes) const;

  bool isOpen() const { return !folder.empty(); }

  /// Returns the key of serialized IR `content`, compiled for `target` at
  /// optimization level `level`. Returns "" if this compiler has no build id:
  /// nothing may then be cached, as the key would not tell different compilers
  /// apart.
  static std::string keyOf(llvm::StringRef content, llvm::StringRef target,
                           unsigned level);

  /// Returns the cached code, or std::nullopt on a miss or if the file is
  /// damaged.
  std::optional<codegen::CompiledKernelImage> find(llvm::StringRef key) const;
  /// Stores the code of a kernel. If this fails, the cache stays as it was.
  /// That is no error: the next compilation merely has to compile the kernel
  /// again.
  void store(llvm::StringRef key,
             const codegen::CompiledKernelImage &code) const;
  /// Removes files that were not used for 30 days, and the least recently used
  /// ones if the cache exceeds its size limit.
  /// Does nothing if the folder was pruned shortly before.
  void prune() const;

private:
  std::string pathOf(llvm::StringRef key) const;

  std::string folder;
  uint64_t maxBytes = uint64_t(1) << 30;
  std::chrono::seconds pruningInterval = std::chrono::minutes(20);
};

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_KERNELCACHE_H
