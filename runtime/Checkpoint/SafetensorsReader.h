//===- SafetensorsReader.h - Reads safetensors files ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A safetensors file has three parts: the header's size as a 64-bit number; the
// header, a JSON object that maps tensor names to type, shape and byte range;
// the elements. The format has no checksums.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_SAFETENSORSREADER_H
#define INGOT_RUNTIME_CHECKPOINT_SAFETENSORSREADER_H

#include "runtime/Checkpoint/CheckpointReader.h"

#include <map>
#include <optional>

namespace ingot {

/// Returns the format's name for TensorFlow's type `dtype`, such as "F32", or
/// null if the format lacks the type.
const char *safetensorsName(int32_t dtype);

/// A safetensors file that is open for reading.
class SafetensorsReader final : public CheckpointReader {
public:
  /// Opens `path`. Returns DataLoss, naming file and offset, if the header is
  /// incomplete or its tensors do not fill the rest of the file without gaps.
  static Expected<std::unique_ptr<SafetensorsReader>>
  open(FileSystem &fileSystem, const std::string &path);

  Format format() const override { return Format::Safetensors; }
  const CheckpointEntry *find(std::string_view key) const override;
  std::vector<TensorLocation> parts(std::string_view key) const override;
  uint32_t numShards() const override { return 1; }
  std::string shardPath(uint32_t) const override { return path; }
  Status checkPlaces(std::string_view) const override { return Status::ok(); }
  /// Returns no errors: the format has no checksums, and sizes were checked
  /// when the file was opened.
  std::vector<Status> findDamage(unsigned) const override { return {}; }

protected:
  Status readPart(std::string_view key, size_t part, const TensorSlice &from,
                  const TensorSlice &box, void *destination) const override;
  const std::string &describingFile() const override { return path; }

private:
  /// A tensor, with the location of its elements.
  struct SafetensorsEntry : CheckpointEntry {
    uint64_t offset = 0; // byte offset in the file
    uint64_t size = 0;
  };
  class HeaderParser;

  SafetensorsReader(std::string path, std::unique_ptr<RandomAccessFile> file)
      : path(std::move(path)), file(std::move(file)) {}

  Status damaged(uint64_t offset, const std::string &what) const;
  Status load();
  Status checkEntries(uint64_t dataStart);

  std::string path;
  std::unique_ptr<RandomAccessFile> file;
  std::map<std::string, SafetensorsEntry, std::less<>> entries;
};

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_SAFETENSORSREADER_H
