//===- ObjectFiles.h - The linker's inputs in temporary files ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_DRIVER_OBJECTFILES_H
#define INGOT_COMPILER_DRIVER_OBJECTFILES_H

#include "compiler/Driver/TemporaryFile.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace ingot::driver {

/// Files that are deleted with this object.
class ObjectFiles {
public:
  /// Stores the bytes of an object file.
  llvm::Error add(llvm::StringRef bytes) { return write(bytes, "o"); }

  /// A kernel's image, ELF, under the name `symbol`. Kernels are stored in one
  /// archive, which `finish` writes.
  llvm::Error addKernel(llvm::StringRef image, llvm::StringRef symbol);
  llvm::Error finish();

  std::vector<std::string> paths() const;

private:
  llvm::Error write(llvm::StringRef bytes, llvm::StringRef suffix);

  std::vector<TemporaryFile> files;
  std::vector<std::pair<std::string, std::string>> kernels; // name, bytes
};

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_OBJECTFILES_H
