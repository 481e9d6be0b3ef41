//===- NpzReader.cpp - Reads NumPy's .npz archives ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Formats/NpzReader.h"

#include "runtime/Formats/NpyFormat.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <zlib.h>

using namespace ingot;
using namespace ingot::npy;

namespace {

constexpr uint32_t largest32 = 0xffffffff;
constexpr uint16_t largest16 = 0xffff, encrypted = 1;
constexpr uint16_t stored = 0, deflated = 8;
constexpr uint64_t endBytes = 22, locatorBytes = 20, end64Bytes = 56,
                   centralBytes = 46, localBytes = 30;
/// An upper bound on how many bytes one deflated byte can expand to.
constexpr uint64_t mostPerByte = 1032;
/// The first bytes of a member stay in memory, because a .npy file's header is
/// read more than once; everything after them is read once, in order.
constexpr uint64_t headBytes = 64 << 10;

template <typename T> T number(std::string_view bytes, uint64_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

Expected<std::string> readAt(const RandomAccessFile &file, uint64_t offset,
                             uint64_t size, const std::string &path) {
  if (offset > file.size() || size > file.size() - offset)
    return badFile(
        path, "not an .npz archive, or a damaged one: " + std::to_string(size) +
                  " bytes at offset " + std::to_string(offset) +
                  " are not in a file of " + std::to_string(file.size()));
  std::string bytes(size, '\0');
  INGOT_ASSIGN_OR_RETURN(size_t found, file.read(offset, size, bytes.data()));
  if (found != size)
    return badFile(path, "the file ends early");
  return bytes;
}

/// A member of the archive as a file, decompressed while it is read.
class ArchiveMemberFile final : public RandomAccessFile {
public:
  ArchiveMemberFile(std::shared_ptr<RandomAccessFile> archive,
                    const NpzReader::ArchiveMember &member, uint64_t begin,
                    std::string name)
      : archive(std::move(archive)), member(member), next(begin),
        left(member.packed), name(std::move(name)) {}
  ~ArchiveMemberFile() override {
    if (isInflating)
      ::inflateEnd(&stream);
  }

  uint64_t size() const override { return member.size; }

  Expected<size_t> read(uint64_t offset, size_t size,
                        char *buffer) const override {
    if (offset >= member.size)
      return size_t(0);
    size = static_cast<size_t>(std::min<uint64_t>(size, member.size - offset));
    INGOT_RETURN_IF_ERROR(fillHead());
    size_t copied = 0;
    if (offset < head.size()) {
      copied = std::min<size_t>(size, head.size() - offset);
      std::memcpy(buffer, head.data() + offset, copied);
    }
    if (copied < size) {
      if (offset + copied != position)
        return Status(StatusCode::Unimplemented,
                      name + " is read at an offset, but an array of an .npz "
                             "can be read from front to back only");
      INGOT_RETURN_IF_ERROR(produce(size - copied, buffer + copied));
    }
    return size;
  }

private:
  Status damaged(const std::string &what) const { return badFile(name, what); }

  Status fillHead() const {
    if (position > 0)
      return Status::ok();
    head.resize(std::min(headBytes, member.size));
    return produce(head.size(), head.data());
  }

  /// Reads and decompresses the member's next `size` bytes, and checks the
  /// member's CRC after the last of them. The member has at least `size` bytes
  /// left.
  Status produce(size_t size, char *to) const {
    INGOT_RETURN_IF_ERROR(member.method == deflated ? inflateNext(size, to)
                                                    : readNext(size, to));
    crc = static_cast<uint32_t>(
        ::crc32_z(crc, reinterpret_cast<const Bytef *>(to), size));
    position += size;
    if (position == member.size && crc != member.crc)
      return damaged("its checksum is wrong: it is damaged");
    return Status::ok();
  }

  Status readNext(size_t size, char *to) const {
    INGOT_ASSIGN_OR_RETURN(size_t found, archive->read(next, size, to));
    next += found;
    return found == size ? Status::ok() : damaged("the file ends early");
  }

  Status inflateNext(size_t size, char *to) const {
    if (!isInflating && ::inflateInit2(&stream, -MAX_WBITS) != Z_OK)
      return Status(
          StatusCode::ResourceExhausted,
          "out of memory: zlib cannot start to unpack an array of an .npz");
    isInflating = true;
    while (size > 0) {
      if (stream.avail_in == 0 && left > 0) {
        input.resize(std::min<uint64_t>(left, headBytes));
        INGOT_ASSIGN_OR_RETURN(size_t found,
                               archive->read(next, input.size(), input.data()));
        if (found != input.size())
          return damaged("the file ends early");
        next += found;
        left -= found;
        stream.next_in = reinterpret_cast<Bytef *>(input.data());
        stream.avail_in = static_cast<uInt>(found);
      }
      auto part = static_cast<uInt>(std::min<size_t>(size, 1 << 30));
      stream.next_out = reinterpret_cast<Bytef *>(to);
      stream.avail_out = part;
      int result = ::inflate(&stream, Z_NO_FLUSH);
      size_t made = part - stream.avail_out;
      to += made;
      size -= made;
      bool goesOn = result == Z_OK && (made > 0 || left > 0);
      if (!goesOn && size > 0)
        return damaged(result == Z_STREAM_END
                           ? "it has fewer bytes than the archive says"
                           : "it cannot be unpacked: it is damaged");
    }
    return Status::ok();
  }

  std::shared_ptr<RandomAccessFile> archive;
  NpzReader::ArchiveMember member;
  // `next` is the offset in the archive of the member's first unread byte. For
  // a deflated member, `left` is its number of unread compressed bytes.
  mutable uint64_t next, left;
  std::string name;
  mutable std::string head, input;
  mutable uint64_t position = 0;
  mutable uint32_t crc = 0;
  mutable z_stream stream = {};
  mutable bool isInflating = false;
};

} // namespace

std::pair<std::string, std::string>
ingot::splitNpzPath(const std::string &path) {
  constexpr std::string_view mark = ".npz:";
  size_t at = path.rfind(mark);
  if (at == std::string::npos)
    return {path, ""};
  return {path.substr(0, at + mark.size() - 1), path.substr(at + mark.size())};
}

Expected<NpzReader> NpzReader::open(FileSystem &fileSystem,
                                    const std::string &path) {
  NpzReader reader;
  reader.path = path;
  INGOT_ASSIGN_OR_RETURN(reader.file, fileSystem.openForReading(path));
  INGOT_RETURN_IF_ERROR(reader.readDirectory());
  return reader;
}

/// Finds the archive's central directory, ZIP's list of members, through the
/// end record in the file's last bytes, and reads it.
Status NpzReader::readDirectory() {
  uint64_t tail = std::min<uint64_t>(file->size(), endBytes + largest16);
  uint64_t tailAt = file->size() - tail;
  INGOT_ASSIGN_OR_RETURN(std::string bytes, readAt(*file, tailAt, tail, path));
  size_t at = tail < endBytes ? std::string::npos
                              : bytes.rfind("PK\5\6", tail - endBytes);
  if (at == std::string::npos)
    return badFile(path, "not an .npz archive: it has no directory at its end");
  uint64_t size = number<uint32_t>(bytes, at + 12),
           offset = number<uint32_t>(bytes, at + 16), limit = tailAt + at;
  if (number<uint16_t>(bytes, at + 10) == largest16 || size == largest32 ||
      offset == largest32) {
    if (limit < locatorBytes)
      return badFile(path, "a damaged archive: it has no ZIP64 directory");
    INGOT_ASSIGN_OR_RETURN(
        std::string locator,
        readAt(*file, limit - locatorBytes, locatorBytes, path));
    if (locator.starts_with("PK\6\7")) {
      limit = number<uint64_t>(locator, 8);
      INGOT_ASSIGN_OR_RETURN(std::string end,
                             readAt(*file, limit, end64Bytes, path));
      if (!end.starts_with("PK\6\6"))
        return badFile(path, "a damaged archive: no ZIP64 directory at "
                             "offset " +
                                 std::to_string(limit));
      size = number<uint64_t>(end, 40);
      offset = number<uint64_t>(end, 48);
    }
  }
  if (offset > limit || size > limit - offset)
    return badFile(path, "a damaged archive: a directory of " +
                             std::to_string(size) + " bytes at offset " +
                             std::to_string(offset) +
                             " does not end before its end record at " +
                             std::to_string(limit));
  INGOT_ASSIGN_OR_RETURN(std::string directory,
                         readAt(*file, offset, size, path));
  return parseDirectory(directory, offset);
}

/// Completes the sizes and the offset of `member`: those that do not fit 32
/// bits are 64-bit numbers in the ZIP64 field of `extra`, the member's extra
/// fields. Returns false if the extra fields are damaged.
static bool readExtra(std::string_view extra,
                      NpzReader::ArchiveMember &member) {
  while (extra.size() >= 4) {
    uint16_t id = number<uint16_t>(extra, 0), size = number<uint16_t>(extra, 2);
    extra.remove_prefix(4);
    if (size > extra.size())
      return false;
    std::string_view field = extra.substr(0, size);
    extra.remove_prefix(size);
    if (id != 1)
      continue;
    for (uint64_t *value : {&member.size, &member.packed, &member.offset})
      if (*value == largest32) {
        if (field.size() < 8)
          return false;
        *value = number<uint64_t>(field, 0);
        field.remove_prefix(8);
      }
  }
  return true;
}

/// Parses the directory's entries into `all`. `limit` is the file offset at
/// which the directory begins; all members lie before it.
Status NpzReader::parseDirectory(std::string_view directory, uint64_t limit) {
  while (!directory.empty()) {
    auto damaged = [&] {
      return badFile(path, "a damaged archive: entry " +
                               std::to_string(all.size() + 1) +
                               " of its directory is invalid");
    };
    if (directory.size() < centralBytes || !directory.starts_with("PK\1\2"))
      return damaged();
    ArchiveMember member;
    member.flags = number<uint16_t>(directory, 8);
    member.method = number<uint16_t>(directory, 10);
    member.crc = number<uint32_t>(directory, 16);
    member.packed = number<uint32_t>(directory, 20);
    member.size = number<uint32_t>(directory, 24);
    member.offset = number<uint32_t>(directory, 42);
    uint64_t nameSize = number<uint16_t>(directory, 28),
             extraSize = number<uint16_t>(directory, 30),
             commentSize = number<uint16_t>(directory, 32);
    directory.remove_prefix(centralBytes);
    if (nameSize + extraSize + commentSize > directory.size())
      return damaged();
    member.name = directory.substr(0, nameSize);
    if (!readExtra(directory.substr(nameSize, extraSize), member) ||
        member.offset > limit || member.packed > limit - member.offset)
      return damaged();
    directory.remove_prefix(nameSize + extraSize + commentSize);
    if (member.name.ends_with(".npy"))
      member.name.resize(member.name.size() - 4);
    all.push_back(std::move(member));
  }
  return Status::ok();
}

Expected<std::unique_ptr<RandomAccessFile>>
NpzReader::array(const std::string &name) const {
  std::string list;
  const ArchiveMember *found = nullptr;
  for (const ArchiveMember &member : all) {
    list += (list.empty() ? "'" : ", '") + member.name + "'";
    if (member.name == name && found)
      return badFile(path, "two arrays have the name '" + name +
                               "', but each must have a name of its own");
    if (member.name == name)
      found = &member;
  }
  if (!found)
    return Status(StatusCode::NotFound, "'" + path + "' has no array '" + name +
                                            "'; it has " +
                                            (list.empty() ? "none" : list));
  std::string full = path + ":" + name;
  if (found->flags & encrypted)
    return badFile(full,
                   "it is encrypted: write the archive without encryption");
  bool isDeflated = found->method == deflated;
  if (found->method != stored && !isDeflated)
    return badFile(full, "it is packed by method " +
                             std::to_string(found->method) +
                             "; expected a stored or deflated array");
  if (isDeflated ? found->size / mostPerByte > found->packed
                 : found->size != found->packed)
    return badFile(full,
                   std::to_string(found->packed) +
                       " packed bytes cannot expand to this number of bytes: " +
                       std::to_string(found->size));
  INGOT_ASSIGN_OR_RETURN(std::string local,
                         readAt(*file, found->offset, localBytes, path));
  if (!local.starts_with("PK\3\4"))
    return badFile(full, "a damaged archive: no array at offset " +
                             std::to_string(found->offset));
  uint64_t begin = found->offset + localBytes + number<uint16_t>(local, 26) +
                   number<uint16_t>(local, 28);
  if (begin > file->size() || found->packed > file->size() - begin)
    return badFile(full, "the file ends early");
  return std::unique_ptr<RandomAccessFile>(
      std::make_unique<ArchiveMemberFile>(file, *found, begin, full));
}
