//===- CheckpointReader.h - Reads checkpoints of any format -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The readers' view of a checkpoint: tensors by name, whole or stored in
// slices. Formats are V2 bundles (a SavedModel's variables among them), V1
// tables and safetensors files; docs/checkpoint-format.md describes them.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_CHECKPOINTREADER_H
#define INGOT_RUNTIME_CHECKPOINT_CHECKPOINTREADER_H

#include "runtime/Checkpoint/TensorSlice.h"
#include "runtime/Support/FileSystem.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ingot {

/// One tensor of a checkpoint.
struct CheckpointEntry {
  int32_t dtype = 0;
  Shape shape; // of the full tensor
  /// The stored slices of a partitioned tensor; empty for one stored whole.
  std::vector<TensorSlice> slices;
};

/// The location of a tensor, or of one stored slice of it.
struct StoredPart {
  TensorSlice slice; // no extents: the whole tensor
  uint32_t shard = 0;
  /// First byte and number of bytes in the shard's file. Of a V1 table, whose
  /// blocks may be compressed: of the block, and 0.
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// A checkpoint open for reading. read(), check() and findDamage() may be
/// called from several threads.
class CheckpointReader {
public:
  enum class Format { V2, V1, Safetensors };

  /// Opens what `path` names: the prefix of a V2 checkpoint
  /// ("run/model.ckpt-60") or one of its files; a V1 checkpoint, in one file or
  /// in several ("run/model.ckpt-60", "run/model.ckpt-60-?????-of-00003"); a
  /// safetensors file, with or without its suffix; a SavedModel's folder; or
  /// a folder whose state file names a checkpoint. NotFound lists what was
  /// looked for. DataLoss, naming file and place, if what describes the tensors
  /// is damaged.
  static Expected<std::unique_ptr<CheckpointReader>>
  open(FileSystem &fileSystem, const std::string &path);

  virtual ~CheckpointReader() = default;

  virtual Format format() const = 0;

  /// Names of all tensors, sorted; a partitioned tensor appears once.
  const std::vector<std::string> &keys() const { return names; }

  /// The entry of tensor `key`, or null.
  virtual const CheckpointEntry *find(std::string_view key) const = 0;

  /// The locations of tensor `key`: one part, or one for each of its slices, in
  /// the order of the entry. Empty for an unknown tensor.
  virtual std::vector<StoredPart> parts(std::string_view key) const = 0;

  /// Files with tensors in them, and the path of each.
  virtual uint32_t numShards() const = 0;
  virtual std::string shardPath(uint32_t shard) const = 0;

  /// Reads tensor `key`, or its part `slice` (a saver's text, "10 4 0,4:-"; ""
  /// for all of it), into `destination`: `shape` row-major elements of type
  /// `dtype`, or that many std::string for string tensors. Whatever the format
  /// has as checksums is verified; after a failure `destination` holds
  /// anything. NotFound: no such tensor, or a file is missing.
  /// InvalidArgument: another type or shape than stored. DataLoss: damage; the
  /// message names file, tensor, offset, what was found and what was expected.
  Status read(std::string_view key, std::string_view slice, int32_t dtype,
              const Shape &shape, void *destination) const;

  /// Whether read() would succeed; reads no tensor, and leaves file and tensor
  /// to the caller's message.
  Status check(std::string_view key, std::string_view slice, int32_t dtype,
               const Shape &shape) const;

  /// Whether the files are long enough for the entry of tensor `key`: checked
  /// before memory for it is allocated.
  virtual Status checkPlaces(std::string_view key) const = 0;

  /// Reads every byte that belongs to a tensor, on up to `threads` threads (0:
  /// one a core), verifies every checksum, and returns all that is wrong.
  virtual std::vector<Status> findDamage(unsigned threads) const = 0;

  /// The first of findDamage().
  Status verify(unsigned threads = 1) const;

protected:
  /// Copies the elements that stored part number `part` of `key` shares with
  /// `box` into `destination`, row-major in `box`. `from` is the part's box.
  virtual Status readPart(std::string_view key, size_t part,
                          const TensorSlice &from, const TensorSlice &box,
                          void *destination) const = 0;
  /// The file that messages name, where a tensor isn't as it is wanted.
  virtual const std::string &describingFile() const = 0;

  std::vector<std::string> names;

private:
  Expected<TensorSlice> locate(std::string_view key, std::string_view slice,
                               int32_t dtype, const Shape &shape) const;
};

/// "V2", "V1", "safetensors".
const char *formatName(CheckpointReader::Format format);

/// A tensor's name as messages show it: in quotes, with bytes that don't print
/// as question marks.
std::string quotedKey(std::string_view key);

/// The text by which a saver asks for `slice` of a tensor of shape `full`:
/// "10 4 0,4:-"; "" for all of it.
std::string sliceSpec(const Shape &full, const TensorSlice &slice);

/// A tensor in memory: row-major elements as bytes, or strings.
struct TensorData {
  std::string bytes;
  std::vector<std::string> strings;

  void *data() {
    return strings.empty() ? static_cast<void *>(bytes.data())
                           : static_cast<void *>(strings.data());
  }
};

/// Reads tensor `key`, or its part `slice`, into memory of its own.
/// Unimplemented for types without a form in memory (variants).
Expected<TensorData> readTensor(const CheckpointReader &reader,
                                std::string_view key,
                                std::string_view slice = "");

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_CHECKPOINTREADER_H
