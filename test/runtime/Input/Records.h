//===- Records.h - TFRecord files made byte by byte -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Makes files for tests of readers: well-formed ones, and ones that are damaged
// in a known place.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TEST_RUNTIME_INPUT_RECORDS_H
#define INGOT_TEST_RUNTIME_INPUT_RECORDS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ingot::test {

/// Returns a record as in a file: its length, its bytes, and both checksums.
std::string framed(std::string_view data);

std::string readFile(const std::string &path);
void writeFile(const std::string &path, std::string_view bytes);

/// A folder for the running test, removed with its contents.
class TestFolder {
public:
  TestFolder();
  ~TestFolder();
  std::string operator/(std::string_view name) const {
    return path + "/" + std::string(name);
  }
  std::string path;
};

// Returns a piece of protobuf's wire format.
std::string varint(uint64_t value);
std::string delimited(uint32_t field, std::string_view bytes);
/// Returns a map entry of Features: `list` is the number of the list's field in
/// Feature (1 bytes, 2 float, 3 int64), and `values` the list's bytes.
std::string feature(std::string_view key, uint32_t list,
                    std::string_view values);
std::string packedFloats(const std::vector<float> &values);
std::string packedInts(const std::vector<int64_t> &values);
/// Returns an Example with these map entries.
std::string example(std::string_view entries);

} // namespace ingot::test

#endif // INGOT_TEST_RUNTIME_INPUT_RECORDS_H
