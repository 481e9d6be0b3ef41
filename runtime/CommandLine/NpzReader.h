//===- NpzReader.h - NumPy's archives of arrays -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads archives of numpy.savez and numpy.savez_compressed: ZIP archives
// (APPNOTE.TXT 6.3, ZIP64 too) of .npy files, stored or deflated. They are read
// through the runtime's file system; every size and offset is checked against
// the file's size before it is used.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_NPZREADER_H
#define INGOT_RUNTIME_COMMANDLINE_NPZREADER_H

#include "runtime/Support/FileSystem.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ingot {

/// "F.npz:x" is array `x` of F.npz: file and array; the array is "" where there
/// is no ".npz:".
std::pair<std::string, std::string> splitNpzPath(const std::string &path);

/// An archive open for reading.
class NpzReader {
public:
  /// InvalidArgument, naming the file and its fault, if it is not an archive
  /// or is damaged.
  static Expected<NpzReader> open(FileSystem &fileSystem,
                                  const std::string &path);

  /// Array `name` as a .npy file, which is read sequentially. Its checksum is
  /// verified when its last byte is read. NotFound lists the archive's arrays.
  Expected<std::unique_ptr<RandomAccessFile>>
  array(const std::string &name) const;

  struct Member {
    std::string name; // without ".npy"
    uint16_t flags = 0, method = 0;
    uint32_t crc = 0;
    uint64_t packed = 0, size = 0, offset = 0;
  };
  const std::vector<Member> &members() const { return all; }

private:
  Status readDirectory();
  Status parseDirectory(std::string_view directory, uint64_t limit);

  std::string path;
  std::shared_ptr<RandomAccessFile> file;
  std::vector<Member> all;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_NPZREADER_H
