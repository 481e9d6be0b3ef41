//===- KernelCache.h - Kernels that were compiled before --------*- C++ -*-===//
//
// A folder with a file for each kernel, named for all that its code depends
// on. Several compilers may use it at once. What it is on disk, and why:
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
  /// A cache that keeps nothing.
  KernelCache() = default;
  /// The cache in a folder, which is made where it is missing.
  static llvm::Expected<KernelCache> open(llvm::StringRef folder);
  /// The folder of the user's caches for it; "" where there is none.
  static std::string defaultFolder();

  bool isOpen() const { return !folder.empty(); }

  /// The name of what is made of `content`, serialized IR, for a target at an
  /// optimization level. "" where this compiler does not know which it is: then
  /// nothing may be taken for its work.
  static std::string keyOf(llvm::StringRef content, llvm::StringRef target,
                           unsigned level);

  /// None where it is not there, or is not what was stored.
  std::optional<codegen::KernelCode> find(llvm::StringRef key) const;
  /// A failure to store leaves the cache as it was and is no error: the next
  /// compilation takes as long as this one.
  void store(llvm::StringRef key, const codegen::KernelCode &code) const;
  /// Removes what was not used for long, or is too much.
  void prune() const;

private:
  std::string pathOf(llvm::StringRef key) const;

  std::string folder;
};

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_KERNELCACHE_H
