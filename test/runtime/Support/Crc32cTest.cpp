//===- Crc32cTest.cpp - The checksum against RFC 3720's vectors -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/Crc32c.h"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

using namespace ingot;

namespace {

struct Vector {
  std::string bytes;
  uint32_t crc;
};

// The examples of RFC 3720, appendix B.4, where checksums are printed in the
// order of their bytes.
std::vector<Vector> publishedVectors() {
  std::string rising, falling;
  for (int i = 0; i < 32; ++i) {
    rising.push_back(static_cast<char>(i));
    falling.push_back(static_cast<char>(31 - i));
  }
  // An iSCSI SCSI Read (10) command PDU.
  const unsigned char command[48] = {
      0x01, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
      0x00, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00,
      0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x18, 0x28, 0x00, 0x00, 0x00,
      0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
  return {
      {std::string(32, '\0'), 0x8a9136aau},
      {std::string(32, '\xff'), 0x62a8ab43u},
      {rising, 0x46dd794eu},
      {falling, 0x113fdb5cu},
      {std::string(reinterpret_cast<const char *>(command), 48), 0xd9963a56u},
  };
}

// The implementations from which crc32c() chooses one.
std::vector<detail::Crc32cImplementation::Sum *> supportedMethods() {
  std::vector<detail::Crc32cImplementation::Sum *> sums;
  for (const detail::Crc32cImplementation &method :
       detail::crc32cImplementations())
    if (method.isSupported())
      sums.push_back(method.sum);
  return sums;
}

TEST(Crc32c, AgreesWithThePublishedVectors) {
  for (const Vector &vector : publishedVectors()) {
    EXPECT_EQ(crc32c(0, vector.bytes.data(), vector.bytes.size()), vector.crc);
    EXPECT_EQ(
        detail::crc32cPortable(0, vector.bytes.data(), vector.bytes.size()),
        vector.crc);
    for (auto *sum : supportedMethods())
      EXPECT_EQ(sum(0, vector.bytes.data(), vector.bytes.size()), vector.crc);
  }
}

TEST(Crc32c, NoBytesGiveSeed) {
  EXPECT_EQ(crc32c(0, nullptr, 0), 0u);
  EXPECT_EQ(crc32c(0x12345678u, nullptr, 0), 0x12345678u);
}

TEST(Crc32c, ExtendsOverAnySplitAndAlignment) {
  std::mt19937 random(3720);
  std::string bytes(20000, '\0');
  for (char &byte : bytes)
    byte = static_cast<char>(random());
  for (int i = 0; i < 500; ++i) {
    size_t begin = random() % bytes.size();
    size_t size = random() % (bytes.size() - begin);
    size_t split = size == 0 ? 0 : random() % size;
    const char *data = bytes.data() + begin;
    uint32_t whole = detail::crc32cPortable(0, data, size);
    EXPECT_EQ(crc32c(0, data, size), whole);
    EXPECT_EQ(crc32c(crc32c(0, data, split), data + split, size - split),
              whole);
    for (auto *sum : supportedMethods())
      EXPECT_EQ(sum(sum(0, data, split), data + split, size - split), whole);
  }
}

TEST(Crc32c, UnmaskUndoesMask) {
  for (uint32_t crc : {0u, 1u, 0x8a9136aau, 0xffffffffu})
    EXPECT_EQ(unmaskCrc32c(maskCrc32c(crc)), crc);
  // The masked form of checksum 0 is the constant that the format adds.
  EXPECT_EQ(maskCrc32c(0), 0xa282ead8u);
}

} // namespace
