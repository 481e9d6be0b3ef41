//===- FileReader.cpp - Records of one file ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Input/FileReader.h"

namespace ingot::input {

std::string FileReader::describe(uint64_t record, uint64_t offset) const {
  return "record " + std::to_string(record) + " of " + path + ", at byte " +
         std::to_string(offset) +
         (compression == Compression::None ? "" : " of the uncompressed data");
}

Status FileReader::seek(uint64_t offset, uint64_t record) {
  uint64_t skipped = 0;
  if (offset > stream->offset())
    INGOT_RETURN_IF_ERROR(stream->skip(offset - stream->offset(), skipped));
  if (stream->offset() != offset)
    return Status(StatusCode::DataLoss,
                  path +
                      ": the file has become shorter since the iterator was "
                      "saved: its state is at byte " +
                      std::to_string(offset) + ", but the file ends at byte " +
                      std::to_string(stream->offset()));
  numRead = record;
  return Status::ok();
}

} // namespace ingot::input
