//===- ObjectFiles.h - What is linked, in temporary files -------*- C++ -*-===//
#ifndef INGOT_COMPILER_DRIVER_OBJECTFILES_H
#define INGOT_COMPILER_DRIVER_OBJECTFILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace ingot::driver {

/// Files that are gone with this object.
class ObjectFiles {
public:
  ObjectFiles() = default;
  ~ObjectFiles();
  ObjectFiles(const ObjectFiles &) = delete;
  ObjectFiles &operator=(const ObjectFiles &) = delete;

  /// Keeps the bytes of an object file.
  llvm::Error add(llvm::StringRef bytes) { return write(bytes, "o"); }

  /// A kernel's image, ELF, under the name `symbol`. Kernels are kept in one
  /// archive, which `finish` writes.
  llvm::Error addKernel(llvm::StringRef image, llvm::StringRef symbol);
  llvm::Error finish();

  llvm::ArrayRef<std::string> paths() const { return files; }

private:
  llvm::Error write(llvm::StringRef bytes, llvm::StringRef suffix);

  std::vector<std::string> files;
  std::vector<std::pair<std::string, std::string>> kernels; // name, bytes
};

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_OBJECTFILES_H
