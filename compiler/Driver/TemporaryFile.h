//===- TemporaryFile.h - Temporary files for the linker ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_DRIVER_TEMPORARYFILE_H
#define INGOT_COMPILER_DRIVER_TEMPORARYFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace ingot::driver {

/// A temporary file, which is deleted when this object is destroyed.
class TemporaryFile {
public:
  /// Creates a file with the contents `bytes` and a name that ends in `suffix`.
  static llvm::Expected<TemporaryFile> create(llvm::StringRef suffix,
                                              llvm::StringRef bytes = "");
  TemporaryFile(TemporaryFile &&other)
      : thePath(std::exchange(other.thePath, {})) {}
  TemporaryFile &operator=(TemporaryFile &&) = delete;
  ~TemporaryFile();

  const std::string &path() const { return thePath; }

private:
  explicit TemporaryFile(std::string path) : thePath(std::move(path)) {}

  std::string thePath;
};

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_TEMPORARYFILE_H
