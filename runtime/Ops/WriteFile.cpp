//===- WriteFile.cpp - Writes a string to a file --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/DataFile.h"
#include "runtime/Session/Context.h"
#include "runtime/Support/FileSystem.h"

using namespace ingot;
using namespace ingot::ops;

INGOT_RUNTIME_OP(write_file) {
  std::string path = pathOfDataFile(op, op.input(0).text(0));
  FileSystem &files = *op.context().fileSystem;
  size_t slash = path.rfind('/');
  if (slash != std::string::npos && slash > 0)
    INGOT_RETURN_IF_ERROR(files.createDirectories(path.substr(0, slash)));
  INGOT_ASSIGN_OR_RETURN(auto file, files.create(path));
  INGOT_RETURN_IF_ERROR(file->append(op.input(1).text(0)));
  return file->close();
}
