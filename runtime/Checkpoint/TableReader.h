//===- TableReader.h - Reads and checks leveldb tables ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The index of a V2 checkpoint and the files of a V1 checkpoint are tables in
// leveldb's format. leveldb's own reader allocates as much memory as an
// unchecked footer requests, and ignores padding. This reader trusts nothing in
// the file: it checks every byte, block by block. Tables are written with
// leveldb (TableWriter.h).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_TABLEREADER_H
#define INGOT_RUNTIME_CHECKPOINT_TABLEREADER_H

#include "runtime/Checkpoint/TableRecordByteStream.h"
#include "runtime/Support/FileSystem.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ingot {

/// A function that is called for each record of a table. `key` and `value` are
/// valid during the call only. If it fails, reading ends and the failure is
/// returned.
using RecordVisitor =
    std::function<Status(std::string_view key, std::string_view value)>;

/// A function that is called for each record of a table, with its value as the
/// next `size` bytes of `stream`. Bytes that the function does not read are
/// skipped. If a read from the stream fails, the function's result does not
/// matter: the stream's failure is returned.
using StreamVisitor = std::function<Status(
    std::string_view key, TableRecordByteStream &stream, uint64_t size)>;

/// A table that is open for reading, also from several threads. Every checksum
/// is verified, blocks must fill the file without gaps, and blocks compressed
/// with snappy are expanded. Any deviation from what a table writer produces is
/// DataLoss, naming file and offset.
class TableReader {
public:
  /// Opens table `path` and reads its block index. Returns NotFound if the file
  /// does not exist.
  static Expected<std::unique_ptr<TableReader>> open(FileSystem &fileSystem,
                                                     std::string path);
  ~TableReader();

  const std::string &path() const { return thePath; }
  uint64_t fileSize() const;

  /// Visits all records, by strictly ascending key. One block is in memory at a
  /// time.
  Status visitAll(const RecordVisitor &visit) const;

  /// Visits all records, by strictly ascending key. Values may be of any size,
  /// as only a piece of a large block is in memory at a time. The checksum of a
  /// streamed block is verified at its end, so results of the visitor are valid
  /// only if streamAll() returns ok.
  Status streamAll(const StreamVisitor &visit) const;
  /// Visits the record of `key`. Returns false if there is none.
  Expected<bool> streamRecord(std::string_view key,
                              const StreamVisitor &visit) const;

  /// Returns the offset of the block that would contain the record of `key`; 0
  /// if `key` is above all keys.
  uint64_t blockOffset(std::string_view key) const;

private:
  /// The location of a block in the file. `size` excludes the trailer.
  struct BlockHandle {
    uint64_t offset = 0;
    uint64_t size = 0;
  };
  /// A data block. Its keys are at most `lastKey`.
  struct DataBlock {
    std::string lastKey;
    BlockHandle handle;
  };
  using BlockContents = std::shared_ptr<const std::string>;

  TableReader(std::string path, std::unique_ptr<RandomAccessFile> file);

  static bool takeHandle(std::string_view &text, BlockHandle &handle);
  Status damaged(uint64_t offset, const std::string &what) const;
  Status load();
  Status readExactly(uint64_t offset, uint64_t size, std::string &bytes) const;
  Status readFooter();
  Status readIndex();
  Expected<std::string> readBlock(const BlockHandle &handle) const;
  BlockContents findCached(const BlockHandle &handle) const;
  Expected<BlockContents> readDataBlock(const BlockHandle &handle) const;
  Status streamBlock(const BlockHandle &handle,
                     const StreamVisitor &visit) const;
  Status streamRecords(const BlockHandle &handle, TableRecordByteStream &stream,
                       const StreamVisitor &visit) const;
  Status visitBlock(const BlockHandle &handle, std::string_view block,
                    const RecordVisitor &visit) const;
  std::vector<DataBlock>::const_iterator findBlock(std::string_view key) const;

  std::string thePath;
  std::unique_ptr<RandomAccessFile> file;
  BlockHandle metaIndex, index;
  std::vector<DataBlock> blocks;
  // The data block that was read last, unless it is larger than the cache's
  // limit: successive reads often need the same block.
  mutable std::mutex cacheMutex;
  mutable BlockContents cached;
  mutable uint64_t cachedOffset = 0;
};

/// Reads table `path` and visits all its records, by ascending key.
Status readTable(FileSystem &fileSystem, const std::string &path,
                 const RecordVisitor &visit);

/// Returns true if `file` ends with the magic number of a table.
Expected<bool> hasTableFooter(const RandomAccessFile &file);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_TABLEREADER_H
