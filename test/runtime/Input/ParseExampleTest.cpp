//===- ParseExampleTest.cpp - Wire forms of Example, good and bad ---------===//
// SPDX-License-Identifier: Apache-2.0
//
// Tests protobuf's rules for fields that occur several times in a message, and
// the errors for features that do not match the graph.
//
//===----------------------------------------------------------------------===//
#include "Records.h"

#include "runtime/Input/ParseExample.h"

#include <gtest/gtest.h>
#include <random>

using namespace ingot;
using namespace ingot::test;

namespace {

const int64_t two[] = {2};
const ingot_dense_feature floatsOfTwo = {"f", INGOT_FLOAT, 1, two, nullptr};
const ingot_dense_feature intsOfTwo = {"i", INGOT_INT64, 1, two, nullptr};
const ingot_dense_feature stringsOfTwo = {"s", INGOT_STRING, 1, two, nullptr};

/// Parses one example with one feature of two values.
template <typename T>
Status parseOne(const ingot_dense_feature &dense, const std::string &bytes,
                std::vector<T> &values) {
  ingot_parse_spec spec = {"parse_node", 1, &dense};
  ingot_string serialized = {bytes.data(), bytes.size()};
  values.assign(2, T());
  void *outputs[] = {values.data()};
  return parseExamples(spec, &serialized, 1, outputs);
}

void expectFloats(const std::string &bytes, std::vector<float> expected) {
  std::vector<float> values;
  Status status = parseOne(floatsOfTwo, bytes, values);
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(values, expected);
}

void expectInts(const std::string &bytes, std::vector<int64_t> expected) {
  std::vector<int64_t> values;
  Status status = parseOne(intsOfTwo, bytes, values);
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(values, expected);
}

void expectFailure(const ingot_dense_feature &dense, const std::string &bytes,
                   const std::vector<std::string> &words) {
  // Ingot_string is the widest of the three types.
  std::vector<ingot_string> room;
  Status status = parseOne(dense, bytes, room);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("parse_node"), std::string::npos);
  for (const std::string &word : words)
    EXPECT_NE(status.message().find(word), std::string::npos)
        << word << " in " << status.message();
}

std::string fixed32(float value) {
  std::string bytes = "\x0d";
  return bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

TEST(ParseExample, ReadsPackedAndUnpackedFloats) {
  expectFloats(example(feature("f", 2, packedFloats({1, 2}))), {1, 2});
  expectFloats(example(feature("f", 2, fixed32(1) + fixed32(2))), {1, 2});
  expectFloats(example(feature("f", 2, packedFloats({1}) + fixed32(2))),
               {1, 2});
  expectFloats(
      example(feature("f", 2, packedFloats({}) + packedFloats({1, 2}))),
      {1, 2});
}

TEST(ParseExample, ReadsPackedAndUnpackedInts) {
  expectInts(example(feature("i", 3, packedInts({-1, INT64_MIN}))),
             {-1, INT64_MIN});
  std::string five = "\x08" + varint(5);
  expectInts(example(feature("i", 3, five + five)), {5, 5});
  expectInts(example(feature("i", 3, five + packedInts({INT64_MAX}))),
             {5, INT64_MAX});
}

TEST(ParseExample, LastMapEntryOfKeyWins) {
  expectFloats(example(feature("f", 2, packedFloats({1, 2})) +
                       feature("f", 2, packedFloats({3, 4}))),
               {3, 4});
  // Two Features messages in one Example are merged.
  expectFloats(example(feature("f", 2, packedFloats({1, 2}))) +
                   example(feature("f", 2, packedFloats({5, 6}))),
               {5, 6});
  // An empty feature counts as present, and replaces a full one.
  expectFailure(floatsOfTwo,
                example(feature("f", 2, packedFloats({1, 2})) +
                        delimited(1, delimited(1, "f") + delimited(2, ""))),
                {"'f'", "float", "required but could not be found"});
}

TEST(ParseExample, ListsOfOneFeatureMergeAndAnotherKindReplacesThem) {
  std::string one = delimited(2, packedFloats({1}));
  std::string two = delimited(2, packedFloats({2}));
  std::string ints = delimited(3, packedInts({9}));
  auto entry = [](const std::string &features) {
    return example(delimited(1, delimited(1, "f") + features));
  };
  expectFloats(entry(delimited(2, one + two)), {1, 2});
  expectFloats(entry(delimited(2, one) + delimited(2, two)), {1, 2});
  expectFloats(entry(delimited(2, one + ints + one + two)), {1, 2});
  expectFailure(floatsOfTwo, entry(delimited(2, one + two + ints)),
                {"'f'", "expected float", "found int64"});
}

TEST(ParseExample, KeyMayFollowValueAndUnknownFieldsAreSkipped) {
  std::string value = delimited(2, delimited(2, packedFloats({1, 2})));
  std::string group =
      varint(9 << 3 | 3) + varint(1 << 3) + varint(7) + varint(9 << 3 | 4);
  expectFloats(example(delimited(1, value + delimited(1, "f"))), {1, 2});
  expectFloats(group + example(group + delimited(1, group + delimited(1, "f") +
                                                        value + group)),
               {1, 2});
  expectFloats(varint(20 << 3 | 1) + "12345678" + varint(21 << 3 | 5) + "1234" +
                   example(feature("f", 2, packedFloats({1, 2}))),
               {1, 2});
}

TEST(ParseExample, StringsPointIntoTheRecord) {
  std::string bytes =
      example(feature("s", 1, delimited(1, "abc") + delimited(1, "")));
  std::vector<ingot_string> values;
  ASSERT_TRUE(parseOne(stringsOfTwo, bytes, values).isOk());
  EXPECT_EQ(std::string_view(values[0].data, values[0].size), "abc");
  EXPECT_GE(values[0].data, bytes.data());
  EXPECT_LE(values[0].data + 3, bytes.data() + bytes.size());
  EXPECT_EQ(values[1].size, 0u);
}

TEST(ParseExample, DefaultsStandInForWhatIsMissing) {
  const int64_t defaults[] = {7, 8};
  ingot_dense_feature dense = {"i", INGOT_INT64, 1, two, defaults};
  std::vector<int64_t> values;
  std::string others = example(feature("f", 2, packedFloats({1})));
  for (const std::string &bytes :
       {std::string(), others,
        example(delimited(1, delimited(1, "i") + delimited(2, "")))}) {
    ASSERT_TRUE(parseOne(dense, bytes, values).isOk());
    EXPECT_EQ(values, (std::vector<int64_t>{7, 8}));
  }
  // An empty list is not the same as a missing feature.
  Status status =
      parseOne(dense, example(feature("i", 3, packedInts({}))), values);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
}

TEST(ParseExample, NamesMismatchedFeatures) {
  expectFailure(floatsOfTwo, "", {"'f'", "required but could not be found"});
  expectFailure(floatsOfTwo, example(feature("f", 2, packedFloats({1, 2, 3}))),
                {"'f'", "float", "expected 2", "[2]", "found 3"});
  expectFailure(intsOfTwo, example(feature("i", 3, packedInts({1}))),
                {"'i'", "int64", "expected 2", "found 1"});
  expectFailure(stringsOfTwo, example(feature("s", 2, packedFloats({1, 2}))),
                {"'s'", "expected string", "found float"});
}

TEST(ParseExample, RefusesMalformedBytes) {
  std::string good = example(feature("f", 2, packedFloats({1, 2})));
  for (size_t size = 1; size < good.size(); ++size)
    expectFailure(floatsOfTwo, good.substr(0, size), {});
  // The length of a packed list of floats is no multiple of four bytes.
  expectFailure(floatsOfTwo,
                example(feature("f", 2, delimited(1, "123456789"))),
                {"'f'", "malformed"});
  // A varint without an end, field number 0, and an end-group without its group
  // are malformed.
  expectFailure(floatsOfTwo, std::string(11, '\xff'), {"malformed"});
  expectFailure(floatsOfTwo, good + std::string(1, '\0'), {"malformed"});
  expectFailure(floatsOfTwo, good + "\x0c", {"malformed"});
  // Groups that never end are malformed.
  expectFailure(floatsOfTwo, std::string(100000, '\x0b'), {"malformed"});
}

TEST(ParseExample, FindsAmongManyKeysAndFillsEachRowOfABatch) {
  std::vector<std::string> keys;
  for (int i = 0; i < 50; ++i)
    keys.push_back("key" + std::to_string(i * 37 % 50));
  std::vector<ingot_dense_feature> dense;
  for (const std::string &key : keys)
    dense.push_back({key.c_str(), INGOT_INT64, 0, nullptr, nullptr});
  ingot_parse_spec spec = {"parse_node", 50, dense.data()};
  std::vector<std::string> records;
  for (int row = 0; row < 3; ++row) {
    std::string entries;
    for (int i = 49; i >= 0; --i)
      entries +=
          feature("key" + std::to_string(i), 3, packedInts({1000 * row + i}));
    records.push_back(example(entries + feature("key", 3, packedInts({1}))));
  }
  std::vector<ingot_string> serialized;
  for (const std::string &record : records)
    serialized.push_back({record.data(), record.size()});
  std::vector<std::vector<int64_t>> values(50, std::vector<int64_t>(3));
  std::vector<void *> outputs;
  for (std::vector<int64_t> &column : values)
    outputs.push_back(column.data());
  Status status = parseExamples(spec, serialized.data(), 3, outputs.data());
  ASSERT_TRUE(status.isOk()) << status.message();
  for (int64_t i = 0; i < 50; ++i)
    for (int64_t row = 0; row < 3; ++row)
      EXPECT_EQ(values[i][row], 1000 * row + i * 37 % 50);
}

/// Parses examples with one feature of any number of floats.
Status parseOpen(std::vector<int64_t> shape,
                 const std::vector<std::string> &records, VarLenFeature &open) {
  FeatureToParse wanted;
  wanted.key = "f";
  wanted.dtype = INGOT_FLOAT;
  wanted.shape = shape;
  wanted.open = &open;
  std::vector<ingot_string> serialized;
  for (const std::string &record : records)
    serialized.push_back({record.data(), record.size()});
  return parseExamples("parse_node", {&wanted, 1}, serialized.data(),
                       static_cast<int64_t>(serialized.size()));
}

TEST(ParseExample, OpenFeaturesHoldAnyNumberOfValues) {
  VarLenFeature open;
  std::string one = delimited(2, packedFloats({1}));
  std::string ints = delimited(3, packedInts({9}));
  Status status =
      parseOpen({},
                {example(feature("f", 2, packedFloats({1, 2, 3}))), example(""),
                 example(feature("f", 2, fixed32(4) + packedFloats({5}))),
                 // Another kind replaces the previous one, but only within the
                 // same example.
                 example(delimited(1, delimited(1, "f") +
                                          delimited(2, one + ints + one)))},
                open);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(open.of<float>(), (std::vector<float>{1, 2, 3, 4, 5, 1}));
  EXPECT_EQ(open.ends, (std::vector<int64_t>{3, 3, 5, 6}));
}

TEST(ParseExample, OpenFeaturesComeInWholeSteps) {
  std::string record = example(feature("f", 2, packedFloats({1, 2, 3})));
  VarLenFeature good, bad, none;
  EXPECT_TRUE(parseOpen({-1, 3}, {record}, good).isOk());
  Status status = parseOpen({-1, 2}, {record}, bad);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("expected a multiple of 2"),
            std::string::npos)
      << status.message();
  EXPECT_FALSE(parseOpen({-1, 0}, {record}, none).isOk());
}

// Any bytes must lead to values or to a message; sanitizers report the rest.
TEST(ParseExample, SurvivesAnyBytes) {
  const ingot_dense_feature dense[] = {floatsOfTwo, intsOfTwo, stringsOfTwo};
  ingot_parse_spec spec = {"parse_node", 3, dense};
  std::string good =
      example(feature("f", 2, packedFloats({1, 2})) +
              feature("i", 3, packedInts({-1, 300})) +
              feature("s", 1, delimited(1, "abc") + delimited(1, "")));
  std::mt19937 random(1);
  size_t refused = 0;
  for (int round = 0; round < 50000; ++round) {
    std::string bytes = good;
    for (int edit = random() % 4; edit >= 0; --edit) {
      size_t at = random() % bytes.size();
      switch (random() % 3) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes.erase(at, 1 + random() % 3);
        break;
      default:
        bytes.insert(at, 1, static_cast<char>(random()));
      }
    }
    float floats[2];
    int64_t ints[2];
    ingot_string strings[2] = {};
    void *outputs[] = {floats, ints, strings};
    // A copy without spare bytes, so that a read past the end is found.
    std::vector<char> exact(bytes.begin(), bytes.end());
    ingot_string serialized = {exact.data(), exact.size()};
    Status status = parseExamples(spec, &serialized, 1, outputs);
    VarLenFeature open;
    FeatureToParse wanted;
    wanted.key = "f";
    wanted.dtype = INGOT_FLOAT;
    wanted.open = &open;
    EXPECT_TRUE(!status.isOk() ||
                parseExamples("n", {&wanted, 1}, &serialized, 1).isOk());
    refused += !status.isOk();
    for (const ingot_string &value : strings) {
      if (status.isOk()) {
        EXPECT_LE(value.size, exact.size());
      }
    }
  }
  EXPECT_GT(refused, 10000u);
}

} // namespace
