//===- TemporaryFile.cpp - Temporary files for the linker -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/TemporaryFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace ingot::driver {

Expected<TemporaryFile> TemporaryFile::create(StringRef suffix,
                                              StringRef bytes) {
  SmallString<128> path;
  int descriptor;
  std::error_code error =
      sys::fs::createTemporaryFile("ingotc", suffix, descriptor, path);
  auto failure = [](std::error_code error) {
    return createStringError(error,
                             "cannot write a temporary file (TMPDIR sets its "
                             "folder): %s",
                             error.message().c_str());
  };
  if (error)
    return failure(error);
  TemporaryFile file(path.str().str());
  sys::RemoveFileOnSignal(path);
  raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << bytes;
  stream.close();
  error = stream.error();
  stream.clear_error();
  if (error)
    return failure(error);
  return file;
}

TemporaryFile::~TemporaryFile() {
  if (thePath.empty())
    return;
  (void)sys::fs::remove(thePath);
  sys::DontRemoveFileOnSignal(thePath);
}

} // namespace ingot::driver
