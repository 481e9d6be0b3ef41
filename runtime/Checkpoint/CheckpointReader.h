//===- CheckpointReader.h - Reads checkpoints of any format -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The common interface of the readers of all checkpoint formats: tensors by
// name, stored whole or in slices. The formats are V2 bundles (a SavedModel's
// variables are one), V1 tables and safetensors files;
// docs/checkpoint-format.md describes them.
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

/// The description of one tensor in a checkpoint.
struct CheckpointEntry {
  int32_t dtype = 0;
  Shape shape; // shape of the full tensor
  /// The stored slices of a partitioned tensor; empty for one stored whole.
  std::vector<TensorSlice> slices;
};

/// The location of the bytes of a tensor, or of one of its stored slices.
struct TensorLocation {
  TensorSlice slice; // no extents: the whole tensor
  uint32_t shard = 0;
  /// The first byte and the number of bytes in the shard's file. In a V1 table,
  /// whose blocks may be compressed, the offset is that of the block and the
  /// size is 0.
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// A checkpoint that is open for reading. read(), check() and findDamage() may
/// be called from several threads.
class CheckpointReader {
public:
  enum class Format { V2, V1, Safetensors };

  /// Opens the checkpoint that `path` names, which may be:
  ///
  /// - the prefix of a V2 checkpoint ("run/model.ckpt-60"), or one of its files
  /// - a V1 checkpoint in one or several files ("run/model.ckpt-60",
  ///   "run/model.ckpt-60-?????-of-00003")
  /// - a safetensors file, with or without its suffix
  /// - a SavedModel's folder
  /// - a folder whose state file names a checkpoint
  ///
  /// Returns NotFound, listing the names that were tried, or DataLoss, naming
  /// file and offset, if the index or header is damaged.
  static Expected<std::unique_ptr<CheckpointReader>>
  open(FileSystem &fileSystem, const std::string &path);

  virtual ~CheckpointReader() = default;

  virtual Format format() const = 0;

  /// The names of all tensors, sorted. A partitioned tensor has one name.
  const std::vector<std::string> &keys() const { return names; }

  /// Returns the entry of tensor `key`, or null if there is none.
  virtual const CheckpointEntry *find(std::string_view key) const = 0;

  /// Returns the locations of tensor `key`: one for a tensor stored whole, else
  /// one for each slice, in the order of the entry's slices. Empty for an
  /// unknown tensor.
  virtual std::vector<TensorLocation> parts(std::string_view key) const = 0;

  /// The number of files that contain tensors, and the path of each.
  virtual uint32_t numShards() const = 0;
  virtual std::string shardPath(uint32_t shard) const = 0;

  /// Reads tensor `key` into `destination`, or only its slice `slice` (in the
  /// Saver's format, "10 4 0,4:-"; "" for the whole tensor).
  /// `destination` receives row-major elements of shape `shape` and type
  /// `dtype`, or an array of std::string for string tensors. Verifies the
  /// checksums that the format has. After a failure the contents of
  /// `destination` are unspecified.
  ///
  /// Returns NotFound if there is no such tensor or a file is missing,
  /// InvalidArgument if type or shape differ from the stored ones, and DataLoss
  /// for damage; the message names file, tensor, offset, and the found and
  /// expected values.
  Status read(std::string_view key, std::string_view slice, int32_t dtype,
              const Shape &shape, void *destination) const;

  /// Checks whether read() would accept these arguments, without reading
  /// elements. Error messages name neither file nor tensor, so callers prepend
  /// both.
  Status check(std::string_view key, std::string_view slice, int32_t dtype,
               const Shape &shape) const;

  /// Checks that the files are long enough for tensor `key`. Callers do this
  /// before they allocate memory for it.
  virtual Status checkPlaces(std::string_view key) const = 0;

  /// Reads every byte of every tensor, on up to `threads` threads, or on one
  /// thread per core if `threads` is 0. Verifies all checksums, and returns all
  /// errors.
  virtual std::vector<Status> findDamage(unsigned threads) const = 0;

  /// Returns the first error of findDamage(), or ok.
  Status verify(unsigned threads = 1) const;

protected:
  /// Reads parts(key)[part], which is a stored slice or the whole tensor, and
  /// covers box `from` of the tensor. Copies those elements of the part that
  /// lie in `box` to `destination`, in the row-major layout of `box`.
  virtual Status readPart(std::string_view key, size_t part,
                          const TensorSlice &from, const TensorSlice &box,
                          void *destination) const = 0;
  /// Returns the path of the file that describes the tensors (an index, a
  /// header), for error messages.
  virtual const std::string &describingFile() const = 0;

  std::vector<std::string> names;

private:
  Expected<TensorSlice> locate(std::string_view key, std::string_view slice,
                               int32_t dtype, const Shape &shape) const;
};

/// Returns "V2", "V1" or "safetensors".
const char *formatName(CheckpointReader::Format format);

/// Returns a tensor's name for messages: in quotes, with control characters
/// replaced by question marks.
std::string quotedKey(std::string_view key);

/// Returns the Saver's text for `slice` of a tensor of shape `full`, such as
/// "10 4 0,4:-"; "" for the whole tensor.
std::string sliceSpec(const Shape &full, const TensorSlice &slice);

/// A tensor in memory: its elements in row-major order, in `strings` if it is a
/// string tensor, otherwise in `bytes`.
struct TensorData {
  std::string bytes;
  std::vector<std::string> strings;

  void *data() {
    return strings.empty() ? static_cast<void *>(bytes.data())
                           : static_cast<void *>(strings.data());
  }
};

/// Reads tensor `key`, or its slice `slice`, into newly allocated memory.
/// Returns Unimplemented for variant tensors, which have no representation in
/// memory.
Expected<TensorData> readTensor(const CheckpointReader &reader,
                                std::string_view key,
                                std::string_view slice = "");

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_CHECKPOINTREADER_H
