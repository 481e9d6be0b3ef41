//===- ByteStream.cpp - Sequential reading with decompression ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The buffer of ByteStream, and its two subclasses: one fills the buffer by
// reading a plain file, the other by inflating a compressed file.
//===----------------------------------------------------------------------===//
#include "runtime/Input/ByteStream.h"

#include <algorithm>
#include <cstring>
#include <zlib.h>

namespace ingot::input {

Expected<Compression> parseCompression(std::string_view name) {
  if (name.empty())
    return Compression::None;
  if (name == "GZIP")
    return Compression::Gzip;
  if (name == "ZLIB")
    return Compression::Zlib;
  return Status(StatusCode::Unimplemented,
                "compression type '" + std::string(name) +
                    "' is not supported, expected '', 'GZIP' or 'ZLIB'");
}

Expected<bool> ByteStream::refill() {
  if (begin) {
    std::memmove(buffer.data(), buffer.data() + begin, end - begin);
    end -= begin;
    begin = 0;
  }
  // Double the buffer only when bytes of the file have filled it, so that a
  // forged length cannot make the buffer much larger than the file.
  if (end == buffer.size())
    buffer.resize(std::max(chunk, buffer.size() * 2));
  INGOT_ASSIGN_OR_RETURN(size_t filled,
                         fill(buffer.data() + end, buffer.size() - end));
  end += filled;
  return filled != 0;
}

Status ByteStream::readLine(std::string_view &line) {
  size_t searched = 0, size = 0;
  while (size == 0) {
    std::string_view rest(buffer.data() + begin, end - begin);
    if (size_t at = rest.find('\n', searched); at != rest.npos) {
      size = at + 1;
      break;
    }
    searched = rest.size();
    INGOT_ASSIGN_OR_RETURN(bool more, refill());
    if (!more)
      break;
  }
  return read(size ? size : searched, line);
}

Status ByteStream::peek(uint64_t size, std::string_view &bytes) {
  while (end - begin < size) {
    INGOT_ASSIGN_OR_RETURN(bool more, refill());
    if (!more)
      break;
  }
  bytes = {buffer.data() + begin, std::min<uint64_t>(size, end - begin)};
  return Status::ok();
}

Status ByteStream::read(uint64_t size, std::string_view &bytes) {
  INGOT_RETURN_IF_ERROR(peek(size, bytes));
  begin += bytes.size();
  position += bytes.size();
  return Status::ok();
}

Status ByteStream::skip(uint64_t size, uint64_t &skipped) {
  skipped = std::min<uint64_t>(size, end - begin);
  begin += skipped;
  if (skipped < size)
    skipped += jump(size - skipped);
  position += skipped;
  while (skipped < size) {
    std::string_view bytes;
    INGOT_RETURN_IF_ERROR(
        read(std::min<uint64_t>(size - skipped, chunk), bytes));
    if (bytes.empty())
      break;
    skipped += bytes.size();
  }
  return Status::ok();
}

namespace {

class UncompressedStream final : public ByteStream {
public:
  UncompressedStream(std::unique_ptr<SequentialFile> file, size_t bufferSize)
      : ByteStream(bufferSize), file(std::move(file)) {}

private:
  Expected<size_t> fill(char *to, size_t size) override {
    return file->read(size, to);
  }
  uint64_t jump(uint64_t size) override { return file->skip(size); }

  std::unique_ptr<SequentialFile> file;
};

class InflatingStream final : public ByteStream {
public:
  InflatingStream(std::unique_ptr<SequentialFile> file, std::string path,
                  bool gzip, size_t bufferSize)
      : ByteStream(bufferSize), file(std::move(file)), path(std::move(path)),
        gzip(gzip), compressed(bufferSize) {}

  ~InflatingStream() override {
    if (begun)
      inflateEnd(&state);
  }

private:
  Expected<size_t> fill(char *to, size_t size) override {
    if (!begun) {
      // 15 is the largest window; adding 16 makes zlib expect a gzip header.
      if (inflateInit2(&state, gzip ? 15 + 16 : 15) != Z_OK)
        return Status(
            StatusCode::ResourceExhausted,
            path + ": out of memory: zlib cannot start to decompress the file");
      begun = true;
    }
    size = std::min<size_t>(size, size_t(1) << 30); // zlib's sizes are uInt
    state.next_out = reinterpret_cast<Bytef *>(to);
    state.avail_out = static_cast<uInt>(size);
    while (state.avail_out == size) {
      if (state.avail_in == 0) {
        INGOT_ASSIGN_OR_RETURN(
            size_t count, file->read(compressed.size(), compressed.data()));
        fileOffset += count;
        state.next_in = reinterpret_cast<Bytef *>(compressed.data());
        state.avail_in = static_cast<uInt>(count);
        if (count == 0) {
          if (atMemberEnd)
            return size_t(0);
          return Status(StatusCode::DataLoss,
                        path + ": compressed data ends early, at byte " +
                            std::to_string(fileOffset));
        }
      }
      // A file may consist of several gzip members.
      if (atMemberEnd)
        inflateReset(&state);
      int result = inflate(&state, Z_NO_FLUSH);
      atMemberEnd = result == Z_STREAM_END;
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return Status(StatusCode::DataLoss,
                      path + ": compressed data is damaged before byte " +
                          std::to_string(fileOffset - state.avail_in) + ": " +
                          (state.msg ? state.msg : "no reason given"));
    }
    return size - state.avail_out;
  }

  std::unique_ptr<SequentialFile> file;
  std::string path;
  bool gzip;
  std::vector<char> compressed;
  uint64_t fileOffset = 0;
  z_stream state{};
  bool begun = false;
  bool atMemberEnd = true; // initially true: an empty file is valid
};

} // namespace

Expected<std::unique_ptr<ByteStream>> ByteStream::open(FileSystem &fileSystem,
                                                       const std::string &path,
                                                       Compression compression,
                                                       size_t bufferSize,
                                                       StopPredicate stopped) {
  INGOT_ASSIGN_OR_RETURN(auto file, fileSystem.openStream(path, stopped));
  if (compression == Compression::None)
    return {std::make_unique<UncompressedStream>(std::move(file), bufferSize)};
  return {std::make_unique<InflatingStream>(
      std::move(file), path, compression == Compression::Gzip, bufferSize)};
}

} // namespace ingot::input
