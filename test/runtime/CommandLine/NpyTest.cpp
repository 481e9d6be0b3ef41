//===- NpyTest.cpp - NumPy's .npy files -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Formats/Npy.h"

#include "test/runtime/Support/FaultFileSystem.h"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

using namespace ingot;
using namespace ingot::test;
using namespace std::string_literals;

namespace {

const int64_t dims2x3[] = {2, 3}, dims4[] = {4}, dims3[] = {3}, dims2[] = {2},
              dims0x2[] = {0, 2};

std::string fixture(const std::string &name) {
  return INGOT_TEST_DATA "/npy/" + name + ".npy";
}

template <typename T>
std::vector<T> readFixture(const std::string &name,
                           const ingot_tensor_spec &spec, size_t count) {
  // One element more, to see writes past the end.
  std::vector<T> values(count + 1, T(77));
  Status status =
      readNpy(FileSystem::posix(), fixture(name), spec, values.data());
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(values.back(), T(77));
  values.pop_back();
  return values;
}

TEST(NpyTest, ReadsNumPysFiles) {
  EXPECT_EQ(
      readFixture<float>("float32_2x3", {"x", INGOT_FLOAT, 2, dims2x3}, 6),
      (std::vector<float>{0, 0.5, 1, 1.5, 2, 2.5}));
  EXPECT_EQ(
      readFixture<int64_t>("int64_scalar", {"x", INGOT_INT64, 0, nullptr}, 1),
      (std::vector<int64_t>{-5}));
  EXPECT_EQ(readFixture<uint8_t>("bool_4", {"x", INGOT_BOOL, 1, dims4}, 4),
            (std::vector<uint8_t>{1, 0, 1, 1}));
  EXPECT_EQ(readFixture<uint16_t>("float16_3", {"x", INGOT_HALF, 1, dims3}, 3),
            (std::vector<uint16_t>{0x3e00, 0xc000, 0x7bff}));
  EXPECT_EQ(
      readFixture<int32_t>("int32_version2_2", {"x", INGOT_INT32, 1, dims2}, 2),
      (std::vector<int32_t>{7, -8}));
  readFixture<uint8_t>("uint8_empty_0x2", {"x", INGOT_UINT8, 2, dims0x2}, 0);
}

TEST(NpyTest, ColumnMajorArraysAreTransposed) {
  EXPECT_EQ(readFixture<double>("float64_fortran_2x3",
                                {"x", INGOT_DOUBLE, 2, dims2x3}, 6),
            (std::vector<double>{0, 0.25, 0.5, 0.75, 1, 1.25}));
}

TEST(NpyTest, Float32IsReadIntoBfloat16) {
  EXPECT_EQ(readFixture<uint16_t>("float32_2x3",
                                  {"x", INGOT_BFLOAT16, 2, dims2x3}, 6),
            (std::vector<uint16_t>{0, 0x3f00, 0x3f80, 0x3fc0, 0x4000, 0x4020}));
}

TEST(NpyTest, AnotherTypeOrShapeIsRefusedWithBoth) {
  int32_t values[8];
  auto message = [&](const std::string &name, const ingot_tensor_spec &spec) {
    Status status = readNpy(FileSystem::posix(), fixture(name), spec, values);
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
    return status.message();
  };
  std::string text = message("float32_2x3", {"x", INGOT_INT32, 2, dims2x3});
  EXPECT_NE(text.find("'<f4' of shape (2,3)"), std::string::npos) << text;
  EXPECT_NE(text.find("'<i4' of shape (2,3)"), std::string::npos) << text;
  text = message("float32_2x3", {"x", INGOT_FLOAT, 1, dims4});
  EXPECT_NE(text.find("expected '<f4' of shape (4,)"), std::string::npos)
      << text;
  text = message("big_endian_int32_2", {"x", INGOT_INT32, 1, dims2});
  EXPECT_NE(text.find("'>i4'"), std::string::npos) << text;
}

TEST(NpyTest, ReadsTextOfBytesAndOfCharacters) {
  auto read = [](const std::string &name, uint32_t rank, const int64_t *dims) {
    const ingot_tensor_spec spec = {"x", INGOT_STRING, rank, dims};
    auto file = FileSystem::posix().openForReading(fixture(name));
    return readNpyStrings(**file, name, spec);
  };
  auto bytes = read("bytes_2x3", 2, dims2x3);
  ASSERT_TRUE(bytes) << bytes.status().message();
  EXPECT_EQ(*bytes, (std::vector<std::string>{"a", "", "two", "\xff\0x"s,
                                              "four", "b"}));
  auto text = read("text_3", 1, dims3);
  ASSERT_TRUE(text) << text.status().message();
  EXPECT_EQ(*text, (std::vector<std::string>{"größe", "€uro", "🙂"}));
  for (const char *other : {"objects_2", "float32_2x3", "text_3"})
    EXPECT_NE(read(other, 1, dims2)
                  .status()
                  .message()
                  .find("expected text ('S' or '<U') of shape (2,) for 'x'"),
              std::string::npos)
        << other;
}

class NpyBytesTest : public testing::Test {
protected:
  FaultFileSystem files;
};

TEST_F(NpyBytesTest, WrittenFileMatchesNumPyBytes) {
  const float values[] = {0, 0.5, 1, 1.5, 2, 2.5};
  ASSERT_TRUE(
      writeNpy(files, "x.npy", {"x", INGOT_FLOAT, 2, dims2x3}, values).isOk());
  auto numpys = FileSystem::posix().openForReading(fixture("float32_2x3"));
  ASSERT_TRUE(numpys);
  std::string expected((*numpys)->size(), '\0');
  ASSERT_TRUE((*numpys)->read(0, expected.size(), expected.data()));
  // NumPy writes "(2, 3)" and pads to the same size.
  std::string found = files.get("x.npy");
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_EQ(found.substr(0, 10), expected.substr(0, 10));
  EXPECT_EQ(found.substr(128), expected.substr(128));
  float again[6];
  ASSERT_TRUE(
      readNpy(files, "x.npy", {"x", INGOT_FLOAT, 2, dims2x3}, again).isOk());
  EXPECT_EQ(std::memcmp(again, values, sizeof(values)), 0);
}

TEST_F(NpyBytesTest, EveryTruncationAndEveryFlippedHeaderBitIsHandled) {
  const int32_t values[] = {1, 2, 3, 4};
  const ingot_tensor_spec spec = {"x", INGOT_INT32, 1, dims4};
  ASSERT_TRUE(writeNpy(files, "x.npy", spec, values).isOk());
  std::string whole = files.get("x.npy");
  int32_t read[4];
  for (size_t size = 0; size < whole.size(); ++size) {
    files.put("cut.npy", whole.substr(0, size));
    EXPECT_FALSE(readNpy(files, "cut.npy", spec, read).isOk()) << size;
  }
  for (size_t bit = 0; bit < 128 * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] ^= static_cast<char>(1 << bit % 8);
    files.put("flipped.npy", flipped);
    // A flipped bit in the padding may go unnoticed, but not one in the data.
    std::memset(read, 0, sizeof(read));
    if (readNpy(files, "flipped.npy", spec, read).isOk()) {
      EXPECT_EQ(std::memcmp(read, values, sizeof(values)), 0) << bit;
    }
  }
}

TEST_F(NpyBytesTest, DamagedTextIsRefused) {
  const ingot_tensor_spec spec = {"x", INGOT_STRING, 1, dims2};
  auto message = [&](const std::string &descr, const std::string &data) {
    files.put("x.npy", npyHeader(descr, {2}) + data);
    auto file = files.openForReading("x.npy");
    return readNpyStrings(**file, "x.npy", spec).status().message();
  };
  EXPECT_EQ(message("|S2", "abc"s + '\0'), "");
  EXPECT_EQ(message("|S0", ""), "");
  EXPECT_NE(message("|S2", "abc").find("found 3 bytes"), std::string::npos);
  EXPECT_NE(message("|S4294967295", "abc").find("expected 8589934590"),
            std::string::npos);
  EXPECT_NE(message("|S99999999999", "").find("expected text"),
            std::string::npos);
  EXPECT_NE(message(">U1", "abcdefgh").find("expected text"),
            std::string::npos);
  // A surrogate, and a code point greater than U+10FFFF, are errors.
  for (const char *code : {"\0\xd8\0\0", "\0\0\x11\0"})
    EXPECT_NE(message("<U1", "a\0\0\0"s + std::string(code, 4))
                  .find("element 1 has an invalid character"),
              std::string::npos);
}

TEST_F(NpyBytesTest, StringsCannotBeWritten) {
  ingot_string value = {"x", 1};
  Status status =
      writeNpy(files, "x.npy", {"s:0", INGOT_STRING, 0, nullptr}, &value);
  EXPECT_FALSE(status.isOk());
  EXPECT_NE(status.message().find("'s:0'"), std::string::npos);
}

} // namespace
