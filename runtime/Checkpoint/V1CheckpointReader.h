//===- V1CheckpointReader.h - Reads V1 checkpoints --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A V1 checkpoint is one sorted table, or several with names like
// `<prefix>-00000-of-00002`. The first record of a table lists its tensors;
// each other record holds the elements of one slice.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_V1CHECKPOINTREADER_H
#define INGOT_RUNTIME_CHECKPOINT_V1CHECKPOINTREADER_H

#include "runtime/Checkpoint/CheckpointReader.h"
#include "runtime/Checkpoint/TableReader.h"
#include "runtime/Checkpoint/TensorValues.h"

#include <map>

namespace ingot {

/// A V1 checkpoint that is open for reading. Slices of one tensor may be in
/// different tables. Elements are decoded piece by piece into the destination,
/// so a large slice needs no memory besides the destination.
class V1CheckpointReader final : public CheckpointReader {
public:
  /// Opens the tables `files`, and reads the first record of each. The
  /// checksums of elements are verified when they are read.
  static Expected<std::unique_ptr<V1CheckpointReader>>
  open(FileSystem &fileSystem, const std::vector<std::string> &files);

  ~V1CheckpointReader() override;

  Format format() const override { return Format::V1; }
  const CheckpointEntry *find(std::string_view key) const override;
  std::vector<TensorLocation> parts(std::string_view key) const override;
  uint32_t numShards() const override;
  std::string shardPath(uint32_t shard) const override;
  Status checkPlaces(std::string_view) const override { return Status::ok(); }
  std::vector<Status> findDamage(unsigned threads) const override;

protected:
  Status readPart(std::string_view key, size_t part, const TensorSlice &from,
                  const TensorSlice &box, void *destination) const override;
  const std::string &describingFile() const override {
    return tables.front()->path();
  }

private:
  /// A tensor with its slices and the tables that hold them.
  struct TensorWithSlices : CheckpointEntry {
    std::vector<TensorSlice> stored; // one slice for a whole tensor
    std::vector<uint32_t> tables;    // index of each slice's table
  };

  V1CheckpointReader() = default;

  Status load(uint32_t table);
  Status addTensors(uint32_t table, std::string_view value);
  Status finish(const std::string &name, TensorWithSlices &entry) const;
  Status findTableDamage(uint32_t table) const;
  Status decode(const TableReader &table, std::string_view key,
                TableRecordByteStream &record, uint64_t size,
                std::string_view name, const TensorWithSlices &entry,
                const TensorSlice &slice,
                const TensorValueSink &destination) const;
  Status damaged(const TableReader &table, std::string_view key,
                 std::string_view name, const std::string &what) const;

  std::vector<std::unique_ptr<TableReader>> tables;
  std::map<std::string, TensorWithSlices, std::less<>> entries;
};

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_V1CHECKPOINTREADER_H
