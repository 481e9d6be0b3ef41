//===- ElfImage.h - Reads an executable as mapped ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_DRIVER_ELFIMAGE_H
#define INGOT_COMPILER_DRIVER_ELFIMAGE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>

namespace ingot::driver {

/// An x86-64 executable with the addresses of the kernel's mapping. Every
/// access is bounds-checked against the file.
class ElfImage {
public:
  static llvm::Expected<ElfImage> parse(llvm::StringRef bytes);

  struct Segment {
    uint64_t address;
    llvm::StringRef contents; // the part in the file
    bool isWritable;
  };
  llvm::ArrayRef<Segment> loaded() const { return segments; }

  /// The file's bytes from an address to the end of its segment; empty outside
  /// of all segments.
  llvm::StringRef from(uint64_t address) const;

  /// The pointer at `address`, relative to the load address; nothing if no
  /// relocation sets it.
  std::optional<uint64_t> pointer(uint64_t address) const;

private:
  llvm::Error readDynamic();
  std::optional<llvm::StringRef> slice(uint64_t address, uint64_t size) const;
  bool isInRelr(uint64_t address) const;

  llvm::SmallVector<Segment, 4> segments;
  llvm::StringRef dynamic, rela, relr;
};

/// An error "damaged: `what`".
llvm::Error damaged(const llvm::Twine &what);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_ELFIMAGE_H
