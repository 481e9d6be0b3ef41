//===- TableReader.cpp - Reads and checks leveldb tables ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/TableReader.h"
#include "runtime/Checkpoint/SnappyBlockStream.h"

#include <algorithm>
#include <cstring>
#include <optional>

using namespace ingot;

namespace {

constexpr uint64_t footerSize = 48;
constexpr uint64_t handlesSize = 40; // the rest of the footer is the magic
constexpr uint64_t trailerSize = SnappyBlockStream::trailerSize;
constexpr uint64_t tableMagic = 0xdb4775248b80fb57u;

// The largest block that readDataBlock() keeps in its cache; larger blocks are
// streamed. TensorFlow's blocks have 256 KiB unless a single tensor is larger.
#ifdef INGOT_FUZZ
// Files that a fuzzer makes are small, so a low limit makes them test streaming
// as well as caching.
constexpr size_t largestCached = 200;
#else
constexpr size_t largestCached = 1024 * 1024;
#endif

// The longest key in bytes. A key is a tensor's name and an encoded slice.
constexpr uint64_t largestKey = 1024 * 1024;

/// Removes a varint of at most 64 bits from the front of `text`. Returns false
/// for an encoding that is longer than necessary, which no writer makes.
bool takeVarint(std::string_view &text, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !text.empty(); shift += 7) {
    auto byte = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    if ((shift == 63 && byte > 1) || (shift > 0 && byte == 0))
      return false;
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return false;
}

template <typename T> T fixed(const char *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

} // namespace

TableReader::TableReader(std::string path,
                         std::unique_ptr<RandomAccessFile> file)
    : thePath(std::move(path)), file(std::move(file)) {}

TableReader::~TableReader() = default;

Expected<std::unique_ptr<TableReader>> TableReader::open(FileSystem &fileSystem,
                                                         std::string path) {
  INGOT_ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file,
                         fileSystem.openForReading(path));
  std::unique_ptr<TableReader> reader(
      new TableReader(std::move(path), std::move(file)));
  INGOT_RETURN_IF_ERROR(reader->load());
  return reader;
}

uint64_t TableReader::fileSize() const { return file->size(); }

bool TableReader::takeHandle(std::string_view &text, BlockHandle &handle) {
  return takeVarint(text, handle.offset) && takeVarint(text, handle.size);
}

Status TableReader::damaged(uint64_t offset, const std::string &what) const {
  return Status(StatusCode::DataLoss, "'" + thePath + "': damaged at offset " +
                                          std::to_string(offset) + ": " + what);
}

Status TableReader::readExactly(uint64_t offset, uint64_t size,
                                std::string &bytes) const {
  bytes.resize(size);
  INGOT_ASSIGN_OR_RETURN(size_t found, file->read(offset, size, bytes.data()));
  if (found != size)
    return damaged(offset, "the file ends after " + std::to_string(found) +
                               " of " + std::to_string(size) + " bytes");
  return Status::ok();
}

/// Reads the footer: the handles of the meta index block and of the index
/// block, zero padding, and the magic number. Checks that both blocks lie
/// directly before the footer, as handles of a damaged file could point
/// anywhere.
Status TableReader::readFooter() {
  if (file->size() < footerSize)
    return damaged(0, "a table has at least 48 bytes, this file has " +
                          std::to_string(file->size()));
  uint64_t start = file->size() - footerSize;
  std::string footer;
  INGOT_RETURN_IF_ERROR(readExactly(start, footerSize, footer));
  if (fixed<uint64_t>(footer.data() + handlesSize) != tableMagic)
    return damaged(start + handlesSize,
                   "the table's end mark is missing (a truncated file, or not "
                   "a checkpoint's index)");
  std::string_view handles(footer.data(), handlesSize);
  if (!takeHandle(handles, metaIndex) || !takeHandle(handles, index) ||
      handles.find_first_not_of('\0') != std::string_view::npos)
    return damaged(start, "the footer doesn't hold two block handles");
  // Check that the meta index block and the index block precede the footer
  // without a gap.
  if (index.size > start || start - index.size < trailerSize ||
      index.offset != start - index.size - trailerSize)
    return damaged(start, "the footer's index block doesn't end at the footer");
  if (metaIndex.size > index.offset ||
      index.offset - metaIndex.size < trailerSize ||
      metaIndex.offset != index.offset - metaIndex.size - trailerSize)
    return damaged(start,
                   "the footer's meta index block doesn't end at the index");
  return Status::ok();
}

/// Appends a whole stream to `contents`. Reserves at most 1 MiB in advance,
/// because the stream's size may come from damaged bytes. Returns false if the
/// stream cannot be read to its end.
static bool takeAll(TableRecordByteStream &stream, std::string &contents) {
  constexpr uint64_t largestPromise = 1 << 20;
  contents.reserve(std::min(stream.left(), largestPromise));
  while (stream.left() > 0) {
    std::string_view piece = stream.peek();
    if (piece.empty())
      return false;
    contents.append(piece);
    stream.advance(piece.size());
  }
  return true;
}

Expected<std::string> TableReader::readBlock(const BlockHandle &handle) const {
  SnappyBlockStream stream(thePath, *file, handle.offset, handle.size);
  INGOT_RETURN_IF_ERROR(stream.open());
  std::string contents;
  (void)takeAll(stream, contents);
  INGOT_RETURN_IF_ERROR(stream.finish(Status::ok()));
  return contents;
}

TableReader::BlockContents
TableReader::findCached(const BlockHandle &handle) const {
  std::lock_guard<std::mutex> lock(cacheMutex);
  return cachedOffset == handle.offset ? cached : nullptr;
}

Expected<TableReader::BlockContents>
TableReader::readDataBlock(const BlockHandle &handle) const {
  if (BlockContents contents = findCached(handle))
    return contents;
  INGOT_ASSIGN_OR_RETURN(std::string bytes, readBlock(handle));
  auto contents = std::make_shared<const std::string>(std::move(bytes));
  if (contents->size() <= largestCached) {
    std::lock_guard<std::mutex> lock(cacheMutex);
    cached = contents;
    cachedOffset = handle.offset;
  }
  return contents;
}

/// Calls `visit` for each record of a block in memory. A record consists of
/// three varints (length of the key prefix shared with the previous key, length
/// of the rest of the key, length of the value), the rest of the key, and the
/// value. After the records come the restart points and their number.
Status TableReader::visitBlock(const BlockHandle &handle,
                               std::string_view block,
                               const RecordVisitor &visit) const {
  auto malformed = [&](std::string_view what) {
    return damaged(handle.offset, "the block's " + std::string(what));
  };
  if (block.size() < 4)
    return malformed("restart points are missing");
  uint64_t restarts = fixed<uint32_t>(block.data() + block.size() - 4);
  if (restarts > block.size() / 4 - 1)
    return malformed("restart points don't fit into it");
  std::string_view rest(block.data(), block.size() - 4 * (restarts + 1));
  std::string key;
  while (!rest.empty()) {
    uint64_t shared, unshared, valueSize;
    if (!takeVarint(rest, shared) || !takeVarint(rest, unshared) ||
        !takeVarint(rest, valueSize) || shared > key.size() ||
        unshared > rest.size() || valueSize > rest.size() - unshared)
      return malformed("records don't fit into it");
    key.resize(shared);
    key.append(rest.substr(0, unshared));
    INGOT_RETURN_IF_ERROR(visit(key, rest.substr(unshared, valueSize)));
    rest.remove_prefix(unshared + valueSize);
  }
  return Status::ok();
}

/// Calls `visit` for each record of a streamed block. The number of restart
/// points is at the end of the block, so a reader that streams the block does
/// not know in advance where the records end. But the first restart point is
/// always 0, which looks like a record with an empty key. As keys ascend, only
/// the first record can have an empty key; such a key after another record is
/// the restart point (leveldb's doc/table_format.md).
Status TableReader::streamRecords(const BlockHandle &handle,
                                  TableRecordByteStream &stream,
                                  const StreamVisitor &visit) const {
  auto malformed = [&](std::string_view what) {
    return damaged(handle.offset, "the block's " + std::string(what));
  };
  std::string key;
  for (bool isFirst = true;; isFirst = false) {
    uint64_t shared, unshared, valueSize, start = stream.left();
    if (!stream.readVarint(shared) || !stream.readVarint(unshared) ||
        !stream.readVarint(valueSize))
      return malformed("records don't fit into it");
    if (!isFirst && shared == 0 && unshared == 0) {
      // This is not a record but the first restart point, a uint32 that is 0.
      // Three of its bytes were just read as varints. It begins `start` bytes
      // before the end of the block. The bytes from there on must be restart
      // points of four bytes each, and then their number as a uint32. Check
      // that this is so.
      uint64_t rest = stream.left();
      uint32_t restarts = 0;
      if (start % 4 != 0 || start < 8 || !stream.skip(rest - 4) ||
          !stream.read(&restarts, 4) || restarts != start / 4 - 1)
        return malformed("restart points don't fit into it");
      return Status::ok();
    }
    if (shared > key.size() || unshared > stream.left() ||
        valueSize > stream.left() - unshared || shared + unshared > largestKey)
      return malformed("records don't fit into it");
    key.resize(shared + unshared);
    if (!stream.read(key.data() + shared, unshared))
      return malformed("records don't fit into it");
    uint64_t end = stream.position() + valueSize;
    INGOT_RETURN_IF_ERROR(visit(key, stream, valueSize));
    if (!stream.skip(end - stream.position()))
      return malformed("records don't fit into it");
  }
}

/// Calls `visit` for each record of a block. A block of up to `largestCached`
/// bytes is read into memory, a larger one is streamed.
Status TableReader::streamBlock(const BlockHandle &handle,
                                const StreamVisitor &visit) const {
  auto visitContents = [&](const std::string &contents) {
    return visitBlock(handle, contents,
                      [&](std::string_view key, std::string_view value) {
                        TableRecordByteStream stream(value);
                        return visit(key, stream, value.size());
                      });
  };
  if (BlockContents contents = findCached(handle))
    return visitContents(*contents);
  SnappyBlockStream stream(thePath, *file, handle.offset, handle.size);
  INGOT_RETURN_IF_ERROR(stream.open());
  if (stream.left() > largestCached)
    return stream.finish(streamRecords(handle, stream, visit));
  INGOT_ASSIGN_OR_RETURN(BlockContents contents, readDataBlock(handle));
  return visitContents(*contents);
}

/// Reads the handles of all data blocks from the index block. Checks that the
/// data blocks follow one another without gaps up to the meta index block.
Status TableReader::readIndex() {
  INGOT_ASSIGN_OR_RETURN(std::string contents, readBlock(index));
  uint64_t next = 0;
  INGOT_RETURN_IF_ERROR(visitBlock(
      index, contents, [&](std::string_view key, std::string_view value) {
        BlockHandle block;
        if (!takeHandle(value, block) || !value.empty())
          return damaged(index.offset, "an index record isn't a block handle");
        uint64_t left = metaIndex.offset - next;
        if (block.offset != next || block.size > left ||
            left - block.size < trailerSize)
          return damaged(index.offset, "the data blocks don't follow one "
                                       "another");
        if (!blocks.empty() && blocks.back().lastKey >= key)
          return damaged(index.offset, "the index's keys are not in order");
        next += block.size + trailerSize;
        blocks.push_back({std::string(key), block});
        return Status::ok();
      }));
  if (next != metaIndex.offset)
    return damaged(next, "bytes between the data blocks and the meta index");
  return Status::ok();
}

Status TableReader::load() {
  INGOT_RETURN_IF_ERROR(readFooter());
  INGOT_RETURN_IF_ERROR(readBlock(metaIndex).takeStatus());
  return readIndex();
}

Status TableReader::streamAll(const StreamVisitor &visit) const {
  std::optional<std::string> previous;
  for (const DataBlock &block : blocks)
    INGOT_RETURN_IF_ERROR(streamBlock(
        block.handle, [&](std::string_view key, TableRecordByteStream &stream,
                          uint64_t size) {
          if ((previous && *previous >= key) || key > block.lastKey)
            return damaged(block.handle.offset,
                           "the block's keys are not in order");
          previous.emplace(key);
          return visit(key, stream, size);
        }));
  return Status::ok();
}

Status TableReader::visitAll(const RecordVisitor &visit) const {
  std::optional<std::string> previous;
  for (const DataBlock &block : blocks) {
    INGOT_ASSIGN_OR_RETURN(std::string contents, readBlock(block.handle));
    INGOT_RETURN_IF_ERROR(
        visitBlock(block.handle, contents,
                   [&](std::string_view key, std::string_view value) {
                     if ((previous && *previous >= key) || key > block.lastKey)
                       return damaged(block.handle.offset,
                                      "the block's keys are not in order");
                     previous.emplace(key);
                     return visit(key, value);
                   }));
  }
  return Status::ok();
}

std::vector<TableReader::DataBlock>::const_iterator
TableReader::findBlock(std::string_view key) const {
  return std::lower_bound(blocks.begin(), blocks.end(), key,
                          [](const DataBlock &block, std::string_view key) {
                            return block.lastKey < key;
                          });
}

uint64_t TableReader::blockOffset(std::string_view key) const {
  auto block = findBlock(key);
  return block == blocks.end() ? 0 : block->handle.offset;
}

Expected<bool> TableReader::streamRecord(std::string_view key,
                                         const StreamVisitor &visit) const {
  auto block = findBlock(key);
  if (block == blocks.end())
    return false;
  bool found = false;
  INGOT_RETURN_IF_ERROR(streamBlock(
      block->handle, [&](std::string_view candidate,
                         TableRecordByteStream &stream, uint64_t size) {
        if (candidate != key)
          return Status::ok();
        found = true;
        return visit(candidate, stream, size);
      }));
  return found;
}

Status ingot::readTable(FileSystem &fileSystem, const std::string &path,
                        const RecordVisitor &visit) {
  INGOT_ASSIGN_OR_RETURN(std::unique_ptr<TableReader> reader,
                         TableReader::open(fileSystem, path));
  return reader->visitAll(visit);
}

Expected<bool> ingot::hasTableFooter(const RandomAccessFile &file) {
  if (file.size() < footerSize)
    return false;
  char magic[8];
  INGOT_ASSIGN_OR_RETURN(size_t found, file.read(file.size() - sizeof(magic),
                                                 sizeof(magic), magic));
  return found == sizeof(magic) && fixed<uint64_t>(magic) == tableMagic;
}
