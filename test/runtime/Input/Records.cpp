//===- Records.cpp - TFRecord files made byte by byte ---------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Writes TFRecord files by code of its own, to test the reader.
//
//===----------------------------------------------------------------------===//
#include "Records.h"

#include "runtime/Support/Crc32c.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace ingot::test {

static std::string littleEndian(uint64_t value, size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i)
    bytes += static_cast<char>(value >> 8 * i);
  return bytes;
}

static std::string checksum(std::string_view bytes) {
  return littleEndian(maskCrc32c(crc32c(0, bytes.data(), bytes.size())), 4);
}

std::string framed(std::string_view data) {
  std::string length = littleEndian(data.size(), 8);
  return length + checksum(length) + std::string(data) + checksum(data);
}

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void writeFile(const std::string &path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  EXPECT_TRUE(file.good()) << path;
}

TestFolder::TestFolder() : path(testing::TempDir() + "ingot-input-XXXXXX") {
  EXPECT_NE(mkdtemp(path.data()), nullptr);
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7)
    bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

std::string delimited(uint32_t field, std::string_view bytes) {
  return varint(field << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}

std::string feature(std::string_view key, uint32_t list,
                    std::string_view values) {
  return delimited(1,
                   delimited(1, key) + delimited(2, delimited(list, values)));
}

std::string packedFloats(const std::vector<float> &values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  if (!values.empty())
    std::memcpy(bytes.data(), values.data(), bytes.size());
  return delimited(1, bytes);
}

std::string packedInts(const std::vector<int64_t> &values) {
  std::string bytes;
  for (int64_t value : values)
    bytes += varint(static_cast<uint64_t>(value));
  return delimited(1, bytes);
}

std::string example(std::string_view entries) { return delimited(1, entries); }

} // namespace ingot::test
