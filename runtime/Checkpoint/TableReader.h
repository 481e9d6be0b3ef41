//===- TableReader.h - Reads sorted tables, trusting nothing ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The index of a V2 checkpoint and the files of a V1 checkpoint are tables in
// leveldb's format. leveldb's own
// reader allocates what an unchecked footer asks for and never looks at the
// padding, so files are read here instead: block by block, every byte accounted
// for. Writing goes through leveldb (TableWriter.h).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_TABLEREADER_H
#define INGOT_RUNTIME_CHECKPOINT_TABLEREADER_H

#include "runtime/Checkpoint/RecordStream.h"
#include "runtime/Support/FileSystem.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ingot {

/// Called for each record of a table; the views live until it returns. A
/// failure ends the reading and is returned.
using RecordVisitor =
    std::function<Status(std::string_view key, std::string_view value)>;

/// Called for each record of a table with its value, `size` bytes of `stream`;
/// bytes that it doesn't read are skipped. A false read needs no report: the
/// stream's own failure comes first.
using StreamVisitor = std::function<Status(
    std::string_view key, RecordStream &stream, uint64_t size)>;

/// A table open for reading, from several threads if need be. Every checksum
/// is verified, blocks must fill the file without gaps, and compressed blocks
/// (snappy) are expanded. Failures are DataLoss, naming file and offset, for
/// anything that is not as a table writer leaves it.
class TableReader {
public:
  /// Opens table `path` and reads its block index. NotFound if the file does
  /// not exist.
  static Expected<std::unique_ptr<TableReader>> open(FileSystem &fileSystem,
                                                     std::string path);
  ~TableReader();

  const std::string &path() const { return thePath; }
  uint64_t fileSize() const;

  /// Visits all records in strictly ascending order of keys. One block is in
  /// memory at a time.
  Status visitAll(const RecordVisitor &visit) const;

  /// The same for values of any size: of a large block only a piece is in
  /// memory at a time. Whether the bytes that a visitor was given are sound is
  /// known when the call returns.
  Status streamAll(const StreamVisitor &visit) const;
  /// Visits the record of `key`; returns whether there is one.
  Expected<bool> streamRecord(std::string_view key,
                              const StreamVisitor &visit) const;

  /// The offset of the block that would contain a record with `key`.
  uint64_t blockOffset(std::string_view key) const;

private:
  /// The location of a block; `size` excludes its trailer.
  struct Handle {
    uint64_t offset = 0;
    uint64_t size = 0;
  };
  /// A data block, whose keys are not above `lastKey`.
  struct DataBlock {
    std::string lastKey;
    Handle handle;
  };
  using Contents = std::shared_ptr<const std::string>;

  TableReader(std::string path, std::unique_ptr<RandomAccessFile> file);

  static bool takeHandle(std::string_view &text, Handle &handle);
  Status damaged(uint64_t offset, const std::string &what) const;
  Status load();
  Status readExactly(uint64_t offset, uint64_t size, std::string &bytes) const;
  Status readFooter();
  Status readIndex();
  Expected<std::string> readBlock(const Handle &handle) const;
  Contents findCached(const Handle &handle) const;
  Expected<Contents> readDataBlock(const Handle &handle) const;
  Status streamBlock(const Handle &handle, const StreamVisitor &visit) const;
  Status streamRecords(const Handle &handle, RecordStream &stream,
                       const StreamVisitor &visit) const;
  Status visitBlock(const Handle &handle, std::string_view block,
                    const RecordVisitor &visit) const;
  std::vector<DataBlock>::const_iterator findBlock(std::string_view key) const;

  std::string thePath;
  std::unique_ptr<RandomAccessFile> file;
  Handle metaIndex, index;
  std::vector<DataBlock> blocks;
  // The data block that was read last, unless it is large: successive reads
  // tend to be in one block.
  mutable std::mutex cacheMutex;
  mutable Contents cached;
  mutable uint64_t cachedOffset = 0;
};

/// Reads table `path` from the first record to the last.
Status readTable(FileSystem &fileSystem, const std::string &path,
                 const RecordVisitor &visit);

/// True if `file` ends as a table does.
Expected<bool> hasTableFooter(const RandomAccessFile &file);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_TABLEREADER_H
