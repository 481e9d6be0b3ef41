//===- FixedLengthRecordReader.h - Records of one length --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads records of a fixed length between a header and a footer.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_FIXEDLENGTHRECORDREADER_H
#define INGOT_RUNTIME_INPUT_FIXEDLENGTHRECORDREADER_H

#include "runtime/Input/FileReader.h"

namespace ingot::input {

/// The sizes in bytes of a file's header, of each record and of the footer.
struct FixedLengthRecordSizes {
  uint64_t header, record, footer;
};

class FixedLengthRecordReader final : public FileReader {
public:
  FixedLengthRecordReader(std::unique_ptr<ByteStream> stream, std::string path,
                          Compression compression, FixedLengthRecordSizes sizes)
      : FileReader(std::move(stream), std::move(path), compression),
        sizes(sizes) {}
  Status next(std::string_view &record, bool &end) override;
  Status skip(bool &end) override;

private:
  /// Sets `end` to true if less than a whole record is left before the file's
  /// footer.
  Status look(bool &end);

  FixedLengthRecordSizes sizes;
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_FIXEDLENGTHRECORDREADER_H
