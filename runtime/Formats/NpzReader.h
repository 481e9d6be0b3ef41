//===- NpzReader.h - Reads NumPy's .npz archives ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads archives that numpy.savez and numpy.savez_compressed write: ZIP
// archives (APPNOTE.TXT 6.3, also ZIP64) of .npy files, stored or deflated.
// They are read through the runtime's file system, and every size and offset is
// checked against the file's size before it is used.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_FORMATS_NPZREADER_H
#define INGOT_RUNTIME_FORMATS_NPZREADER_H

#include "runtime/Support/FileSystem.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ingot {

/// Splits "F.npz:x" into the file F.npz and the array's name x, which is "" if
/// there is no ".npz:".
std::pair<std::string, std::string> splitNpzPath(const std::string &path);

/// An archive that is open for reading.
class NpzReader {
public:
  /// Opens an archive and reads its directory. Returns InvalidArgument, saying
  /// what is wrong with the file, if it is no archive or is damaged.
  static Expected<NpzReader> open(FileSystem &fileSystem,
                                  const std::string &path);

  /// Returns array `name` as a .npy file that can be read sequentially. Its
  /// checksum is verified when its last byte is read. Returns NotFound, listing
  /// the archive's arrays, if there is no such array.
  Expected<std::unique_ptr<RandomAccessFile>>
  array(const std::string &name) const;

  /// An array in the archive.
  struct ArchiveMember {
    std::string name; // the array's name, without ".npy"
    uint16_t flags = 0, method = 0;
    uint32_t crc = 0;
    uint64_t packed = 0, size = 0, offset = 0;
  };
  const std::vector<ArchiveMember> &members() const { return all; }

private:
  Status readDirectory();
  Status parseDirectory(std::string_view directory, uint64_t limit);

  std::string path;
  std::shared_ptr<RandomAccessFile> file;
  std::vector<ArchiveMember> all;
};

} // namespace ingot

#endif // INGOT_RUNTIME_FORMATS_NPZREADER_H
