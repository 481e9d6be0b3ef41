//===- ReadFile.cpp - Reads a file into a string, or its numbers ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/DataFile.h"
#include "runtime/Ops/RawNumbers.h"
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

// A read_file whose result only a decode_raw uses: reads the file into the
// memory of the numbers.
INGOT_RUNTIME_OP(read_raw_file) {
  std::string path = pathOfDataFile(op, op.input(0).text(0));
  INGOT_ASSIGN_OR_RETURN(auto file,
                         op.context().fileSystem->openForReading(path));
  size_t length = file->size();
  INGOT_ASSIGN_OR_RETURN(int64_t count, countRawNumbers(op, length));
  INGOT_ASSIGN_OR_RETURN(void *memory, op.allocate(0, {&count, 1}));
  auto *bytes = static_cast<char *>(memory);
  INGOT_ASSIGN_OR_RETURN(size_t found, file->read(0, length, bytes));
  if (found != length)
    return Status(StatusCode::DataLoss,
                  "'" + path + "' has become shorter while it was read");
  orderRawNumbers(op, {bytes, length});
  return Status::ok();
}
