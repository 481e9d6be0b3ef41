//===- NpzWriter.cpp - Writes NumPy's .npz archives -----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Writes a ZIP archive of uncompressed .npy files as numpy.savez does
// (APPNOTE.TXT 6.3, with ZIP64 records for sizes that need them). The archive
// is written through the runtime's file system, which a ZIP library would
// bypass.
//===----------------------------------------------------------------------===//

#include "runtime/Formats/OutputFile.h"

#include <algorithm>
#include <zlib.h>

using namespace ingot;

namespace {

constexpr uint32_t largest32 = 0xffffffff;
constexpr uint16_t largest16 = 0xffff;
constexpr uint16_t plainVersion = 20, zip64Version = 45;
constexpr uint16_t namesAreUtf8 = 1 << 11;
// The date of every member, 1980-01-01, the earliest one that ZIP can state. It
// is constant so that the same tensors give the same bytes.
constexpr uint16_t date = 1 << 5 | 1;

template <typename T> void put(std::string &text, T value) {
  text.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

/// A member of the archive: one .npy file.
struct ZipMember {
  std::string name;
  uint32_t crc = 0;
  uint64_t size = 0;
  uint64_t offset = 0;

  bool isLarge() const { return size >= largest32; }
};

/// Appends the fields that a member's local header and its entry in the central
/// directory have in common.
void putCommon(std::string &text, const ZipMember &member, bool zip64,
               uint16_t extraSize) {
  put<uint16_t>(text, zip64 ? zip64Version : plainVersion);
  put<uint16_t>(text, namesAreUtf8);
  put<uint16_t>(text, 0); // method: stored
  put<uint16_t>(text, 0); // time of day
  put<uint16_t>(text, date);
  put<uint32_t>(text, member.crc);
  uint32_t size =
      member.isLarge() ? largest32 : static_cast<uint32_t>(member.size);
  put<uint32_t>(text, size);
  put<uint32_t>(text, size);
  put<uint16_t>(text, static_cast<uint16_t>(member.name.size()));
  put<uint16_t>(text, extraSize);
}

std::string localHeader(const ZipMember &member) {
  std::string text("PK\3\4", 4);
  putCommon(text, member, member.isLarge(), member.isLarge() ? 20 : 0);
  text += member.name;
  if (member.isLarge()) {
    put<uint16_t>(text, 1); // id of the ZIP64 field
    put<uint16_t>(text, 16);
    put<uint64_t>(text, member.size);
    put<uint64_t>(text, member.size);
  }
  return text;
}

std::string centralHeader(const ZipMember &member) {
  std::string extra;
  if (member.isLarge()) {
    put<uint64_t>(extra, member.size);
    put<uint64_t>(extra, member.size);
  }
  if (member.offset >= largest32)
    put<uint64_t>(extra, member.offset);
  auto extraSize = static_cast<uint16_t>(extra.empty() ? 0 : extra.size() + 4);
  std::string text("PK\1\2", 4);
  put<uint16_t>(text, extra.empty() ? plainVersion : zip64Version);
  putCommon(text, member, !extra.empty(), extraSize);
  put<uint16_t>(text, 0); // size of the comment
  put<uint16_t>(text, 0); // number of the disk
  put<uint16_t>(text, 0); // internal attributes
  put<uint32_t>(text, 0);
  put<uint32_t>(text, member.offset >= largest32
                          ? largest32
                          : static_cast<uint32_t>(member.offset));
  text += member.name;
  if (!extra.empty()) {
    put<uint16_t>(text, 1); // id of the ZIP64 field
    put<uint16_t>(text, static_cast<uint16_t>(extra.size()));
    text += extra;
  }
  return text;
}

std::string endRecords(uint64_t count, uint64_t size, uint64_t offset) {
  std::string text;
  if (count >= largest16 || size >= largest32 || offset >= largest32) {
    uint64_t at = offset + size;
    text.append("PK\6\6", 4);
    put<uint64_t>(text, 44); // size of the rest of the record
    put<uint16_t>(text, zip64Version);
    put<uint16_t>(text, zip64Version);
    put<uint32_t>(text, 0); // number of this disk
    put<uint32_t>(text, 0);
    put<uint64_t>(text, count);
    put<uint64_t>(text, count);
    put<uint64_t>(text, size);
    put<uint64_t>(text, offset);
    text.append("PK\6\7", 4);
    put<uint32_t>(text, 0);
    put<uint64_t>(text, at);
    put<uint32_t>(text, 1);
  }
  auto count16 = static_cast<uint16_t>(std::min<uint64_t>(count, largest16));
  text.append("PK\5\6", 4);
  put<uint16_t>(text, 0); // number of this disk
  put<uint16_t>(text, 0);
  put<uint16_t>(text, count16);
  put<uint16_t>(text, count16);
  put<uint32_t>(text,
                static_cast<uint32_t>(std::min<uint64_t>(size, largest32)));
  put<uint32_t>(text,
                static_cast<uint32_t>(std::min<uint64_t>(offset, largest32)));
  put<uint16_t>(text, 0); // size of the comment
  return text;
}

uint32_t crcOf(uint32_t crc, std::string_view bytes) {
  return static_cast<uint32_t>(::crc32_z(
      crc, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
}

} // namespace

Expected<size_t> ingot::writeNpz(
    FileSystem &fileSystem, const std::string &path, bool force,
    std::span<const TensorToSave> items,
    const std::function<void(const TensorToSave &, const std::string &why)>
        &leaveOut) {
  std::vector<ZipMember> members;
  INGOT_RETURN_IF_ERROR(
      writeWhole(fileSystem, path, force, [&](WritableFile &file) -> Status {
        uint64_t written = 0;
        auto append = [&](std::string_view bytes) {
          written += bytes.size();
          return file.append(bytes);
        };
        for (const TensorToSave &item : items) {
          if (item.key.size() > largest16 - 4)
            return Status(StatusCode::InvalidArgument,
                          "'" + item.key.substr(0, 40) + "...': the name has " +
                              std::to_string(item.key.size()) +
                              " bytes, but names in an .npz have at most " +
                              std::to_string(largest16 - 4));
          INGOT_ASSIGN_OR_RETURN(TensorData tensor, item.load());
          auto array = npyArray(item.dtype, item.shape, std::move(tensor));
          if (!array) {
            leaveOut(item, array.status().message());
            continue;
          }
          ZipMember member;
          member.name = item.key + ".npy";
          member.crc = crcOf(crcOf(0, array->header), array->bytes);
          member.size = array->header.size() + array->bytes.size();
          member.offset = written;
          INGOT_RETURN_IF_ERROR(append(localHeader(member)));
          INGOT_RETURN_IF_ERROR(append(array->header));
          INGOT_RETURN_IF_ERROR(append(array->bytes));
          members.push_back(std::move(member));
        }
        uint64_t directory = written;
        for (const ZipMember &member : members)
          INGOT_RETURN_IF_ERROR(append(centralHeader(member)));
        return append(
            endRecords(members.size(), written - directory, directory));
      }));
  return members.size();
}
