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

/// Temporary object files for the linker. The files are deleted when the
/// ObjectFiles is destroyed.
class ObjectFiles {
public:
  /// Stores `bytes`, the contents of an object file, in a temporary file.
  llvm::Error add(llvm::StringRef bytes) { return write(bytes, "o"); }

  /// Adds the object file of a kernel under the name `symbol`. `finish` writes
  /// all kernels into one archive.
  llvm::Error addKernel(llvm::StringRef image, llvm::StringRef symbol);
  llvm::Error finish();

  std::vector<std::string> paths() const;

private:
  llvm::Error write(llvm::StringRef bytes, llvm::StringRef suffix);

  std::vector<TemporaryFile> files;
  // Pairs of a kernel's symbol name and the bytes of its object file.
  std::vector<std::pair<std::string, std::string>> kernels;
};

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_OBJECTFILES_H
