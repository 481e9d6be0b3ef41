//===- ElfImage.h - Reads ELF files by virtual address ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_DRIVER_ELFIMAGE_H
#define INGOT_COMPILER_DRIVER_ELFIMAGE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>

namespace ingot::driver {

/// A parsed ELF file: an x86-64 executable, addressed by virtual addresses as
/// if it were loaded. Every access is checked against the size of the file.
class ElfImage {
public:
  static llvm::Expected<ElfImage> parse(llvm::StringRef bytes);

  struct ElfSegment {
    uint64_t address;
    llvm::StringRef
        contents; // the bytes that are in the file; the rest is zero
    bool isWritable;
  };
  llvm::ArrayRef<ElfSegment> loaded() const { return segments; }

  /// Returns the file's bytes from `address` to the end of its segment, or an
  /// empty string if no segment contains the address.
  llvm::StringRef from(uint64_t address) const;

  /// Returns the pointer at `address`, relative to the load address, or
  /// std::nullopt if no relocation sets a pointer there.
  std::optional<uint64_t> pointer(uint64_t address) const;

private:
  llvm::Error readDynamic();
  std::optional<llvm::StringRef> slice(uint64_t address, uint64_t size) const;
  bool isInRelr(uint64_t address) const;

  llvm::SmallVector<ElfSegment, 4> segments;
  llvm::StringRef dynamic, rela, relr;
};

/// Returns the error for a file with inconsistent contents: "damaged: " and
/// `what`.
llvm::Error damaged(const llvm::Twine &what);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_ELFIMAGE_H
