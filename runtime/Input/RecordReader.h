//===- RecordReader.h - The records of one TFRecord file --------*- C++ -*-===//
//
// The format: length (8 bytes, little endian), masked crc32c of the length,
// data, masked crc32c of the data; and again.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_RECORDREADER_H
#define INGOT_RUNTIME_INPUT_RECORDREADER_H

#include "runtime/Input/ByteStream.h"

namespace ingot::input {

class RecordReader {
public:
  static Expected<std::unique_ptr<RecordReader>> open(FileSystem &fileSystem,
                                                      const std::string &path,
                                                      Compression compression,
                                                      size_t bufferSize);

  /// The next record, valid until the next call, with both checksums checked.
  /// A file that ends within a record is DataLoss.
  Status next(std::string_view &record, bool &end);
  /// Passes over one record, checking the length's checksum only.
  Status skip(bool &end);
  /// Goes forward to the record that begins at `offset` and is number `record`.
  Status seek(uint64_t offset, uint64_t record);

  /// Where the next record begins, in uncompressed bytes, and its number.
  uint64_t offset() const { return stream->offset(); }
  uint64_t record() const { return numRead; }
  /// "record 17 of data/train.tfrecord, at byte 5120", for the record that
  /// begins at `offset`.
  std::string describe(uint64_t record, uint64_t offset) const;

private:
  RecordReader(std::unique_ptr<ByteStream> stream, std::string path,
               Compression compression)
      : stream(std::move(stream)), path(std::move(path)),
        compression(compression) {}

  Status readLength(uint64_t &length, bool &end);
  Status truncated(uint64_t expected, uint64_t found) const;
  Status damaged(const char *what, uint32_t stored, uint32_t computed) const;

  std::unique_ptr<ByteStream> stream;
  std::string path;
  Compression compression;
  uint64_t recordOffset = 0; // of the record in hand
  uint64_t numRead = 0;
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_RECORDREADER_H
