//===- ImageDecodersTest.cpp - Image files whose bytes are anything -------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/ImageDecoders.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <vector>
#include <zlib.h>

using namespace ingot;
using namespace ingot::ops;
using namespace std::literals;

namespace {

std::string contentsOf(const std::string &name) {
  std::ifstream file(INGOT_TEST_DATA "/models/image_files/" + name,
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

using Opened = Expected<std::unique_ptr<ImageDecoder>>;

/// Reads the image into memory of exactly its size. Returns whether the image
/// could be read.
bool reads(Opened opened, size_t bytesOfNumber) {
  if (!opened)
    return false;
  ImageDecoder &decoder = **opened;
  EXPECT_GT(decoder.height, 0);
  EXPECT_GT(decoder.width, 0);
  auto size =
      static_cast<size_t>(decoder.height * decoder.width * decoder.channels);
  // A damaged header can state any size.
  if (size > (1u << 24))
    return false;
  std::vector<uint8_t> pixels(size * bytesOfNumber);
  return decoder.read(pixels.data()).isOk();
}

bool readsJpeg(std::string_view bytes) {
  bool any = false;
  for (bool recovers : {false, true})
    for (bool isCut : {false, true}) {
      JpegOptions options;
      options.recoversTruncated = recovers;
      options.acceptableFraction = 0;
      if (isCut)
        options.window = {1, 3, 5, 6};
      any |= reads(openJpeg(bytes, options), 1);
    }
  return any;
}

bool readsPng(std::string_view bytes) {
  bool any = false;
  for (int64_t channels : {0, 1, 3, 4})
    for (bool isWide : {false, true})
      any |= reads(openPng(bytes, channels, isWide), isWide ? 2 : 1);
  return any;
}

std::string bmp() {
  // A bitmap of 5 by 3 pixels of 24 bits, whose rows are padded by one byte.
  std::string bytes = "BM";
  bytes.resize(54 + 3 * 16);
  bytes[10] = 54;
  bytes[18] = 5;
  bytes[22] = 3;
  bytes[28] = 24;
  return bytes;
}

bool readsBmp(std::string_view bytes) {
  bool any = false;
  for (int64_t channels : {0, 3, 4})
    any |= reads(openBmp(bytes, channels), 1);
  return any;
}

struct Format {
  const char *name;
  std::string bytes;
  bool (*reads)(std::string_view);
};

std::vector<Format> formats() {
  return {{"jpeg", contentsOf("1.jpg"), readsJpeg},
          {"png", contentsOf("0.png"), readsPng},
          {"bmp", bmp(), readsBmp}};
}

TEST(ImageDecodersTest, WholeFilesAreRead) {
  for (const Format &format : formats())
    EXPECT_TRUE(format.reads(format.bytes)) << format.name;
}

TEST(ImageDecodersTest, TruncatedFilesAreHandled) {
  for (const Format &format : formats())
    for (size_t size = 0; size < format.bytes.size(); ++size) {
      // The bytes are in memory of their own, so that a read past their end is
      // found.
      std::vector<char> part(format.bytes.data(), format.bytes.data() + size);
      format.reads({part.data(), size});
    }
}

TEST(ImageDecodersTest, DamagedFilesAreHandled) {
  std::mt19937 random(1);
  for (const Format &format : formats())
    for (int round = 0; round < 2000; ++round) {
      std::string bytes = format.bytes;
      // Headers are changed more often than the rest.
      for (int change = 0; change < 3; ++change)
        bytes[random() % (change == 0 ? 64 : bytes.size())] =
            static_cast<char>(random());
      format.reads(bytes);
    }
}

TEST(ImageDecodersTest, ShortFilesOfManyPixelsAreRejectedFirst) {
  std::string bytes = contentsOf("0.png");
  // After the signature and a length come "IHDR", width and height.
  constexpr size_t header = 12, size = 17;
  bytes.replace(header + 4, 8, "\0\0\x4e\x20\0\0\x4e\x20"s);
  auto sum = static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef *>(bytes.data() + header), size));
  for (size_t i = 0; i < 4; ++i)
    bytes[header + size + i] = static_cast<char>(sum >> (24 - 8 * i));
  Opened opened = openPng(bytes, 0, false);
  ASSERT_FALSE(opened);
  EXPECT_NE(
      opened.status().message().find("are too few for 20000 by 20000 pixels"),
      std::string::npos)
      << opened.status().message();
}

TEST(ImageDecodersTest, WindowsOutsideAreRefused) {
  std::string bytes = contentsOf("1.jpg");
  Opened whole = openJpeg(bytes, {});
  ASSERT_TRUE(whole) << whole.status().message();
  int64_t height = (*whole)->height, width = (*whole)->width;
  using Window = std::array<int64_t, 4>;
  for (const Window &window :
       {Window{0, 0, height + 1, width}, Window{0, 1, height, width},
        Window{-1, 0, 2, 2}, Window{0, 0, 0, 1}, Window{0, 0, 1, -1},
        Window{height, 0, 1, 1}, Window{INT32_MAX, 0, INT32_MAX, 1}}) {
    JpegOptions options;
    options.window = window;
    EXPECT_FALSE(openJpeg(bytes, options));
  }
  JpegOptions options;
  options.window = {height - 1, width - 1, 1, 1};
  EXPECT_TRUE(reads(openJpeg(bytes, options), 1));
}

} // namespace
