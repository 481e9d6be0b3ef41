//===- ForgedTable.cpp - Tables whose checksums hold ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/ForgedTable.h"

#include "runtime/Checkpoint/ObjectCheckpointNames.h"
#include "runtime/Checkpoint/TableWriter.h"
#include "runtime/Support/Crc32c.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace ingot;
using namespace ingot::fuzz;

void fuzz::require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

namespace {

bool takeVarint(std::string_view &text, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !text.empty(); shift += 7) {
    auto byte = static_cast<uint8_t>(text.front());
    text.remove_prefix(1);
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return false;
}

/// Corrects the checksum of a block. `handle` begins with the block's handle,
/// which is consumed. Returns the contents of the block, or an empty view if
/// the block is outside of the table.
std::string_view repairBlock(std::string &table, std::string_view &handle) {
  uint64_t offset, size;
  if (!takeVarint(handle, offset) || !takeVarint(handle, size) ||
      table.size() < 5 || offset > table.size() - 5 ||
      size > table.size() - 5 - offset)
    return {};
  uint32_t crc = maskCrc32c(crc32c(0, table.data() + offset, size + 1));
  std::memcpy(table.data() + offset + size + 1, &crc, sizeof(crc));
  return std::string_view(table).substr(offset, size);
}

void repairTable(std::string &table) {
  if (table.size() < 48)
    return;
  std::string footer = table.substr(table.size() - 48);
  std::string_view handles = footer;
  repairBlock(table, handles);
  std::string block(repairBlock(table, handles));
  std::string_view records = block;
  uint64_t shared, unshared, valueSize;
  while (takeVarint(records, shared) && takeVarint(records, unshared) &&
         takeVarint(records, valueSize) && unshared <= records.size() &&
         valueSize <= records.size() - unshared) {
    std::string_view handle = records.substr(unshared, valueSize);
    repairBlock(table, handle);
    records.remove_prefix(unshared + valueSize);
  }
}

std::string buildFromRecords(std::string_view bytes) {
  std::map<std::string, std::string> records;
  while (bytes.size() >= 3) {
    size_t keySize = static_cast<uint8_t>(bytes[0]);
    size_t valueSize = static_cast<uint8_t>(bytes[1]) |
                       static_cast<size_t>(static_cast<uint8_t>(bytes[2])) << 8;
    bytes.remove_prefix(3);
    keySize = std::min(keySize, bytes.size());
    std::string key(bytes.substr(0, keySize));
    bytes.remove_prefix(keySize);
    valueSize = std::min(valueSize, bytes.size());
    records[key] = bytes.substr(0, valueSize);
    bytes.remove_prefix(valueSize);
  }
  Expected<std::string> table = buildTable(records);
  require(static_cast<bool>(table), "a table can't be built");
  return std::move(*table);
}

void requireMessage(const Status &status) {
  require(!status.isOk() && !status.message().empty(), "an empty message");
}

} // namespace

std::string fuzz::forgeTable(const uint8_t *data, size_t size) {
  if (size == 0)
    return "";
  std::string bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
  switch (data[0] % 3) {
  case 1:
    repairTable(bytes);
    return bytes;
  case 2:
    return buildFromRecords(bytes);
  default:
    return bytes;
  }
}

void fuzz::readEverything(FileSystem &fileSystem, const std::string &path) {
  auto reader = CheckpointReader::open(fileSystem, path);
  if (!reader)
    return requireMessage(reader.status());
  for (const Status &status : (*reader)->findDamage(1))
    requireMessage(status);
  if (auto objects = ObjectCheckpointNames::read(**reader); !objects)
    requireMessage(objects.status());
  for (const std::string &key : (*reader)->keys()) {
    const CheckpointEntry *entry = (*reader)->find(key);
    require(entry, "a key without an entry");
    require((*reader)->parts(key).size() ==
                std::max<size_t>(entry->slices.size(), 1),
            "not a part for each slice");
    if (auto tensor = readTensor(**reader, key); !tensor)
      requireMessage(tensor.status());
    // Read half of the first dimension as a slice, as a partitioned variable
    // does.
    if (entry->shape.empty() || entry->shape[0] < 2)
      continue;
    TensorSlice half;
    for (int64_t dimension : entry->shape)
      half.extents.push_back({0, dimension});
    half.extents[0].length /= 2;
    if (auto tensor = readTensor(**reader, key, sliceSpec(entry->shape, half));
        !tensor)
      requireMessage(tensor.status());
  }
}
