//===- ByteStream.h - Sequential reading, plain or compressed ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a file in order, through one buffer; gzip and zlib files are
// inflated.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_BYTESTREAM_H
#define INGOT_RUNTIME_INPUT_BYTESTREAM_H

#include "runtime/Support/FileSystem.h"

#include <vector>

namespace ingot::input {

enum class Compression { None, Gzip, Zlib };

/// "", "GZIP" or "ZLIB", as TensorFlow's readers take it.
Expected<Compression> parseCompression(std::string_view name);

class ByteStream {
public:
  virtual ~ByteStream() = default;

  /// Opens `path`, reading about `bufferSize` bytes at a time. Messages name
  /// the path. Gives up with Cancelled where it waits when `stopped`.
  static Expected<std::unique_ptr<ByteStream>>
  open(FileSystem &fileSystem, const std::string &path, Compression compression,
       size_t bufferSize, StopPredicate stopped = nullptr);

  /// Makes `bytes` the next `size` bytes, fewer only at the end. They stay
  /// valid until the next call. Memory grows with the bytes in the file, not
  /// with the request.
  Status read(uint64_t size, std::string_view &bytes);
  /// The same without passing over them.
  Status peek(uint64_t size, std::string_view &bytes);
  /// Makes `line` the bytes up to the next newline and that newline, if the
  /// file has one. It stays valid until the next call.
  Status readLine(std::string_view &line);
  /// Passes over up to `size` bytes.
  Status skip(uint64_t size, uint64_t &skipped);
  /// Bytes read and skipped since the beginning, uncompressed.
  uint64_t offset() const { return position; }

protected:
  explicit ByteStream(size_t bufferSize) : chunk(bufferSize) {}

  /// Puts up to `size` further bytes at `to`; 0 at the end.
  virtual Expected<size_t> fill(char *to, size_t size) = 0;
  /// Skips bytes that no fill() has delivered, where that is cheaper than
  /// fill(); may skip fewer than requested.
  virtual uint64_t jump(uint64_t size) { return 0; }

private:
  /// Gets more bytes after those in `buffer`; false at the end.
  Expected<bool> refill();

  size_t chunk;
  std::vector<char> buffer;
  size_t begin = 0; // of the bytes in `buffer` that are not read yet
  size_t end = 0;
  uint64_t position = 0;
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_BYTESTREAM_H
