//===- StoredTensor.cpp - The bytes of one tensor in a data shard ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/StoredTensor.h"
#include "runtime/ABI/Tensor.h"
#include "runtime/Support/Crc32c.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace ingot;

namespace {

// Bytes are read in chunks of this size, so that a chunk is still in the core's
// cache when it is added to the checksum. It is a multiple of every element
// size.
constexpr size_t chunkSize = 128 * 1024;

std::string hex(uint32_t value) {
  char buffer[16];
  int size = std::snprintf(buffer, sizeof(buffer), "0x%08x", value);
  return std::string(buffer, static_cast<size_t>(size));
}

} // namespace

Status StoredTensor::damaged(const std::string &what) const {
  return Status(StatusCode::DataLoss,
                "'" + path + "': tensor " + name + " (" +
                    std::to_string(entry.size) + " bytes at offset " +
                    std::to_string(entry.offset) + "): " + what);
}

Status StoredTensor::checkPlace() const {
  uint64_t size = file.size();
  if (entry.offset > size || entry.size > size - entry.offset)
    return damaged("the file has only " + std::to_string(size) + " bytes");
  return Status::ok();
}

Status StoredTensor::checkChecksum(uint32_t found) const {
  uint32_t expected = unmaskCrc32c(entry.crc32c);
  if (found != expected)
    return damaged("checksum is " + hex(found) + ", expected " + hex(expected));
  return Status::ok();
}

/// Reads the tensor's bytes in the data shard from front to end, through a
/// buffer of bounded size.
class StoredTensor::Cursor {
public:
  explicit Cursor(const StoredTensor &tensor)
      : tensor(tensor), next(tensor.entry.offset), unread(tensor.entry.size) {}

  /// Returns how many of the tensor's bytes the caller has not taken yet.
  uint64_t left() const { return unread + (buffer.size() - position); }

  Status take(char *bytes, size_t size) {
    while (size > 0) {
      if (position == buffer.size())
        INGOT_RETURN_IF_ERROR(fill());
      size_t part = std::min(size, buffer.size() - position);
      std::memcpy(bytes, buffer.data() + position, part);
      position += part;
      bytes += part;
      size -= part;
    }
    return Status::ok();
  }

  Status takeVarint(uint64_t &value) {
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      char byte;
      INGOT_RETURN_IF_ERROR(take(&byte, 1));
      auto bits = static_cast<unsigned char>(byte);
      if ((shift == 63 && bits > 1) || (shift > 0 && bits == 0))
        break;
      value |= static_cast<uint64_t>(bits & 0x7f) << shift;
      if (bits < 0x80)
        return Status::ok();
    }
    return tensor.damaged("a length is not a valid varint of 64 bits");
  }

private:
  Status fill() {
    size_t size = static_cast<size_t>(std::min<uint64_t>(unread, chunkSize));
    if (size == 0)
      return tensor.damaged("its elements need more bytes than it has");
    buffer.resize(size);
    position = 0;
    INGOT_ASSIGN_OR_RETURN(size_t found,
                           tensor.file.read(next, size, buffer.data()));
    if (found != size)
      return tensor.damaged("the file ended while it was read");
    next += size;
    unread -= size;
    return Status::ok();
  }

  const StoredTensor &tensor;
  uint64_t next;
  uint64_t unread;
  std::string buffer;
  size_t position = 0;
};

Status StoredTensor::readRaw(const TakeBytes &take) const {
  std::string buffer(
      static_cast<size_t>(std::min<uint64_t>(entry.size, chunkSize)), '\0');
  uint32_t crc = 0;
  for (uint64_t done = 0; done < entry.size;) {
    size_t size =
        static_cast<size_t>(std::min<uint64_t>(entry.size - done, chunkSize));
    INGOT_ASSIGN_OR_RETURN(size_t found,
                           file.read(entry.offset + done, size, buffer.data()));
    if (found != size)
      return damaged("the file ended while it was read");
    crc = crc32c(crc, buffer.data(), size);
    if (take)
      take(buffer.data(), size);
    done += size;
  }
  return checkChecksum(crc);
}

Status StoredTensor::readInto(char *destination) const {
  uint32_t crc = 0;
  for (uint64_t done = 0; done < entry.size;) {
    size_t size =
        static_cast<size_t>(std::min<uint64_t>(entry.size - done, chunkSize));
    INGOT_ASSIGN_OR_RETURN(
        size_t found, file.read(entry.offset + done, size, destination + done));
    if (found != size)
      return damaged("the file ended while it was read");
    crc = crc32c(crc, destination + done, size);
    done += size;
  }
  return checkChecksum(crc);
}

/// Reads string elements and verifies their checksums. `place` returns where to
/// store each string. The tensor is stored as the lengths of all strings
/// (varints), the masked checksum of the lengths, and the strings' bytes. For
/// the checksums each length counts as a 4-byte integer (8 bytes from 4 GiB
/// on), not as its varint.
Status StoredTensor::readStrings(const PlaceString &place) const {
  std::optional<int64_t> elements = elementCount(entry.shape);
  auto count = static_cast<uint64_t>(elements.value_or(0));
  if (entry.size < 4 || entry.size - 4 < count)
    return damaged("too few bytes for " + std::to_string(count) + " strings");
  Cursor cursor(*this);
  std::vector<uint64_t> lengths(count);
  uint32_t crc = 0;
  for (uint64_t &length : lengths) {
    INGOT_RETURN_IF_ERROR(cursor.takeVarint(length));
    crc = crc32c(crc, &length, length <= UINT32_MAX ? 4 : 8);
  }
  uint32_t stored;
  INGOT_RETURN_IF_ERROR(cursor.take(reinterpret_cast<char *>(&stored), 4));
  if (unmaskCrc32c(stored) != crc)
    return damaged("checksum of the strings' lengths is " + hex(crc) +
                   ", expected " + hex(unmaskCrc32c(stored)));
  crc = crc32c(crc, &stored, 4);
  uint64_t left = cursor.left();
  for (uint64_t length : lengths) {
    if (length > left)
      return damaged("its strings need more bytes than it has");
    left -= length;
  }
  if (left != 0)
    return damaged(std::to_string(left) + " bytes follow its last string");
  std::string unwanted;
  for (uint64_t i = 0; i < count; ++i) {
    std::string *text = place ? place(static_cast<int64_t>(i)) : nullptr;
    if (text) {
      text->resize(lengths[i]);
      INGOT_RETURN_IF_ERROR(cursor.take(text->data(), lengths[i]));
      crc = crc32c(crc, text->data(), lengths[i]);
      continue;
    }
    for (uint64_t left = lengths[i]; left > 0; left -= unwanted.size()) {
      unwanted.resize(std::min<uint64_t>(left, chunkSize));
      INGOT_RETURN_IF_ERROR(cursor.take(unwanted.data(), unwanted.size()));
      crc = crc32c(crc, unwanted.data(), unwanted.size());
    }
  }
  return checkChecksum(crc);
}

/// Reads variant elements and verifies their checksums. Each element is stored
/// as its length (a varint), its serialized bytes, and the masked checksum of
/// all bytes so far. In checksums each length counts as an 8-byte integer, not
/// as its varint.
Status StoredTensor::readVariants(std::string *variants) const {
  auto count = static_cast<uint64_t>(elementCount(entry.shape).value_or(0));
  Cursor cursor(*this);
  uint32_t crc = 0;
  std::string bytes;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t length;
    INGOT_RETURN_IF_ERROR(cursor.takeVarint(length));
    if (length > cursor.left())
      return damaged("a variant needs more bytes than it has");
    crc = crc32c(crc, &length, 8);
    while (length > 0) {
      bytes.resize(static_cast<size_t>(std::min<uint64_t>(length, chunkSize)));
      INGOT_RETURN_IF_ERROR(cursor.take(bytes.data(), bytes.size()));
      crc = crc32c(crc, bytes.data(), bytes.size());
      if (variants)
        variants[i] += bytes;
      length -= bytes.size();
    }
    uint32_t stored;
    INGOT_RETURN_IF_ERROR(cursor.take(reinterpret_cast<char *>(&stored), 4));
    if (unmaskCrc32c(stored) != crc)
      return damaged("checksum of variant " + std::to_string(i) + " is " +
                     hex(crc) + ", expected " + hex(unmaskCrc32c(stored)));
    crc = crc32c(crc, &stored, 4);
  }
  if (cursor.left() != 0)
    return damaged(std::to_string(cursor.left()) +
                   " bytes follow its last variant");
  return checkChecksum(crc);
}

Status StoredTensor::read(const TensorSlice &from, const TensorSlice &to,
                          void *destination) const {
  INGOT_RETURN_IF_ERROR(checkPlace());
  if (entry.dtype == INGOT_STRING) {
    auto *out = static_cast<std::string *>(destination);
    return readStrings([&](int64_t index) {
      std::string *text = nullptr;
      forEachSharedRun(
          from, index, 1, to,
          [&](int64_t toIndex, int64_t, int64_t) { text = out + toIndex; });
      return text;
    });
  }
  if (entry.dtype == INGOT_VARIANT && from == to)
    return readVariants(static_cast<std::string *>(destination));
  size_t elementSize = dtypeSize(entry.dtype);
  if (elementSize == 0)
    return Status(StatusCode::Unimplemented,
                  "'" + path + "': tensor " + name + " has type " +
                      dtypeName(entry.dtype) + ", which is not supported");
  auto *out = static_cast<char *>(destination);
  if (from == to)
    return readInto(out);
  int64_t begin = 0;
  return readRaw([&](const char *bytes, size_t size) {
    auto count = static_cast<int64_t>(size / elementSize);
    copySharedElements(from, begin, count, to, elementSize, bytes, out);
    begin += count;
  });
}

Status StoredTensor::verify() const {
  INGOT_RETURN_IF_ERROR(checkPlace());
  switch (entry.dtype) {
  case INGOT_STRING:
    return readStrings(nullptr);
  case INGOT_VARIANT:
    return readVariants(nullptr);
  default:
    return readRaw(nullptr);
  }
}
