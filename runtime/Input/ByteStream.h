//===- ByteStream.h - Sequential reading with decompression -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads the bytes of a file in order through a buffer, and inflates gzip and
// zlib files.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_BYTESTREAM_H
#define INGOT_RUNTIME_INPUT_BYTESTREAM_H

#include "runtime/Support/FileSystem.h"

#include <vector>

namespace ingot::input {

enum class Compression { None, Gzip, Zlib };

/// Parses a compression type of TensorFlow's readers: "", "GZIP" or "ZLIB".
Expected<Compression> parseCompression(std::string_view name);

class ByteStream {
public:
  virtual ~ByteStream() = default;

  /// Opens `path`, to read about `bufferSize` bytes at a time. Error messages
  /// name the path. A read that waits fails with Cancelled when `stopped`
  /// returns true.
  static Expected<std::unique_ptr<ByteStream>>
  open(FileSystem &fileSystem, const std::string &path, Compression compression,
       size_t bufferSize, StopPredicate stopped = nullptr);

  /// Sets `bytes` to the next `size` bytes, or fewer at the end. They are valid
  /// until the next call. Memory grows with the bytes in the file, not with
  /// `size`.
  Status read(uint64_t size, std::string_view &bytes);
  /// Like read(), but does not move past the bytes.
  Status peek(uint64_t size, std::string_view &bytes);
  /// Sets `line` to the bytes up to and including the next newline, or to the
  /// end of the file. They are valid until the next call.
  Status readLine(std::string_view &line);
  /// Skips up to `size` bytes, and sets `skipped` to their number.
  Status skip(uint64_t size, uint64_t &skipped);
  /// Returns the position: the number of uncompressed bytes read or skipped.
  uint64_t offset() const { return position; }

protected:
  explicit ByteStream(size_t bufferSize) : chunk(bufferSize) {}

  /// Reads (and inflates) up to `size` more bytes of the file into `to`, and
  /// returns their number, which is 0 only at the end.
  virtual Expected<size_t> fill(char *to, size_t size) = 0;
  /// Skips up to `size` bytes of the file without reading them, starting after
  /// the bytes that the last fill() has read. Returns the number of skipped
  /// bytes. Returns 0 for compressed files, whose bytes have to be inflated to
  /// be counted.
  virtual uint64_t jump(uint64_t size) { return 0; }

private:
  /// Appends more bytes to `buffer`. Returns false at the end.
  Expected<bool> refill();

  size_t chunk;
  std::vector<char> buffer;
  size_t begin = 0; // start of the unread bytes in `buffer`
  size_t end = 0;
  uint64_t position = 0;
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_BYTESTREAM_H
