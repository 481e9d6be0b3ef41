//===- ReadFile.cpp - Reads a file into a string --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/DataFile.h"
#include "runtime/Session/Context.h"
#include "runtime/Support/DataPaths.h"

using namespace ingot;
using namespace ingot::ops;

std::string ingot::ops::pathOfDataFile(const OpKernelContext &op,
                                       std::string_view name) {
  return resolveDataPath(op.context().dataDirectory, op.context().dataMap,
                         name);
}

Expected<std::string> ingot::ops::readDataFile(const OpKernelContext &op,
                                               const std::string &path) {
  INGOT_ASSIGN_OR_RETURN(auto file,
                         op.context().fileSystem->openForReading(path));
  std::string content(file->size(), '\0');
  INGOT_ASSIGN_OR_RETURN(size_t size,
                         file->read(0, content.size(), content.data()));
  content.resize(size);
  return content;
}

INGOT_RUNTIME_OP(read_file) {
  INGOT_ASSIGN_OR_RETURN(
      std::string bytes,
      readDataFile(op, pathOfDataFile(op, op.input(0).text(0))));
  INGOT_ASSIGN_OR_RETURN(auto contents, op.output<ingot_string>(0, {}));
  INGOT_ASSIGN_OR_RETURN(contents[0], op.string(bytes));
  return Status::ok();
}
