//===- KernelCache.h - Cache of compiled kernels ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A folder with a file per kernel, named by a hash of everything that its code
// depends on. Several compilers may use it at once. Format and reasons:
// docs/guide/kernel-cache.md.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_KERNELCACHE_H
#define INGOT_COMPILER_DRIVER_KERNELCACHE_H

#include "codegen/Backend.h"

#include <optional>
#include <string>

namespace ingot::driver {

class KernelCache {
public:
  /// A cache that stores nothing.
  KernelCache() = default;
  /// The cache in a folder, which is created if it is missing.
  static llvm::Expected<KernelCache> open(llvm::StringRef folder);
  /// The default folder in the user's caches; "" if there is none.
  static std::string defaultFolder();

  bool isOpen() const { return !folder.empty(); }

  /// The key of `content`, serialized IR, compiled for a target at an
  /// optimization level. "" if this compiler has no build id: then nothing may
  /// be taken from the cache.
  static std::string keyOf(llvm::StringRef content, llvm::StringRef target,
                           unsigned level);

  /// Nothing on a miss, or if the file is damaged.
  std::optional<codegen::KernelCode> find(llvm::StringRef key) const;
  /// A failure to store leaves the cache as it was and is not an error: the
  /// next compilation takes as long as this one.
  void store(llvm::StringRef key, const codegen::KernelCode &code) const;
  /// Removes files that are unused for long, or exceed the size limit.
  void prune() const;

private:
  std::string pathOf(llvm::StringRef key) const;

  std::string folder;
};

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_KERNELCACHE_H
