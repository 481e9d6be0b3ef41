//===- NpzTest.cpp - NumPy's archives of arrays ---------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The archives are those that Python's zipfile wrote, as numpy.savez does
// (test/fuzz/make_checkpoint_seeds.py).
//
//===----------------------------------------------------------------------===//

#include "runtime/Formats/Npy.h"
#include "runtime/Formats/NpzReader.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace ingot;

namespace {

int64_t dims2x3[] = {2, 3};
const ingot_tensor_spec spec = {"x", INGOT_FLOAT, 2, dims2x3};
using Values = std::vector<float>;

std::string seed(const std::string &name) {
  std::ifstream file(INGOT_TEST_DATA "/../fuzz/seeds-npz/" + name,
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Reads array `name` from an archive with these bytes.
Expected<Values> read(const std::string &bytes, const std::string &name) {
  test::FaultFileSystem disk;
  disk.put("f.npz", bytes);
  INGOT_ASSIGN_OR_RETURN(NpzReader npz, NpzReader::open(disk, "f.npz"));
  INGOT_ASSIGN_OR_RETURN(auto file, npz.array(name));
  Values values(6);
  INGOT_RETURN_IF_ERROR(readNpy(*file, "f.npz:" + name, spec, values.data()));
  return values;
}

std::string messageOf(const std::string &bytes, const std::string &name) {
  return read(bytes, name).status().message();
}

TEST(Npz, ReadsArraysThatAreStoredOrDeflated) {
  for (auto [file, name] :
       {std::pair("stored", "x"), std::pair("stored", "y"),
        std::pair("deflated", "x"), std::pair("deflated", "a/b"),
        std::pair("zip64", "x")}) {
    auto values = read(seed(file), name);
    ASSERT_TRUE(values) << file << ": " << values.status().message();
    EXPECT_EQ(*values, (Values{0, 1, 2, 3, 4, 5})) << file;
  }
}

TEST(Npz, ListsItsArrays) {
  EXPECT_EQ(messageOf(seed("deflated"), "z"),
            "'f.npz' has no array 'z'; it has 'x', 'a/b'");
  EXPECT_EQ(messageOf(seed("empty"), "z"),
            "'f.npz' has no array 'z'; it has none");
  EXPECT_NE(messageOf(seed("bzip2"), "x").find("packed by method 12"),
            std::string::npos);
  EXPECT_NE(messageOf("step 1: nothing", "x").find("not an .npz archive"),
            std::string::npos);
}

TEST(Npz, RejectsTruncationAnywhere) {
  for (const char *name : {"stored", "deflated", "zip64"})
    for (std::string bytes = seed(name); !bytes.empty();) {
      bytes.pop_back();
      EXPECT_FALSE(read(bytes, "x")) << name << " of " << bytes.size();
    }
}

TEST(Npz, SurvivesFlippedBits) {
  for (const char *name : {"stored", "deflated", "zip64"}) {
    const std::string whole = seed(name);
    for (size_t i = 0; i < whole.size(); ++i)
      for (char bits : {1, 16, -1}) {
        std::string bytes = whole;
        bytes[i] = static_cast<char>(bytes[i] ^ bits);
        // A bit flipped in an element must be found by the checksum.
        if (auto values = read(bytes, "x"))
          EXPECT_EQ(*values, (Values{0, 1, 2, 3, 4, 5})) << name << " " << i;
      }
  }
}

TEST(Npz, ChecksSizes) {
  // An entry of the central directory has 46 bytes, with the sizes at bytes 20
  // and 24.
  std::string bytes = seed("deflated");
  size_t entry = bytes.find("PK\1\2");
  ASSERT_NE(entry, std::string::npos);
  bytes.replace(entry + 24, 4, "\xf0\xff\xff\xff");
  EXPECT_NE(messageOf(bytes, "x").find("number of bytes: 4294967280"),
            std::string::npos);
}

TEST(Npz, PathsNameAnArray) {
  using Path = std::pair<std::string, std::string>;
  EXPECT_EQ(splitNpzPath("a/F.npz:x/y"), Path("a/F.npz", "x/y"));
  EXPECT_EQ(splitNpzPath("a/F.npz"), Path("a/F.npz", ""));
  EXPECT_EQ(splitNpzPath("x:y.npy"), Path("x:y.npy", ""));
}

} // namespace
