//===- StringOpsTest.cpp - Failures of string ops -------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Results of string ops are compared with TensorFlow's in test/values; these
// tests cover failures, with TensorFlow's messages.
//
//===----------------------------------------------------------------------===//

#include "test/runtime/Ops/OpCall.h"

#include "proto/Event.pb.h"
#include "runtime/Session/Context.h"
#include "runtime/Summary/SummaryCollector.h"

#include <gtest/gtest.h>
#include <limits>
#include <png.h>

using namespace ingot;
using namespace ingot::test;

extern "C" {
#define INGOT_DECLARE(name)                                                    \
  int32_t ingot_op_##name(ingot_context *, const ingot_op *,                   \
                          const ingot_tensor *, ingot_tensor *)
INGOT_DECLARE(assert);
INGOT_DECLARE(check_numerics);
INGOT_DECLARE(decode_csv);
INGOT_DECLARE(parse_features);
INGOT_DECLARE(regex_full_match);
INGOT_DECLARE(regex_replace);
INGOT_DECLARE(string_to_number);
INGOT_DECLARE(record_tensor);
INGOT_DECLARE(record_histogram);
INGOT_DECLARE(record_image);
}

namespace {

TEST(AssertTest, NamesTheNodeAndShowsTheData) {
  OpCall call;
  call.input<bool>({}, {false}).texts({}, {"x must be positive: "});
  call.input<float>({2, 3}, {1, 2.5f, -3, 4, 5, 6});
  call.attribute("summarize", int64_t(4));
  Status status = call.run(ingot_op_assert);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(status.message(), "node 'n': assertion failed: [x must be "
                              "positive: ] [[1 2.5 -3][4...]...]");
}

TEST(AssertTest, PassesWhereTheConditionHolds) {
  OpCall call;
  call.input<bool>({}, {true}).input<float>({1}, {1});
  EXPECT_TRUE(call.run(ingot_op_assert).isOk());
}

TEST(CheckNumericsTest, NamesNaNAndInf) {
  float inf = std::numeric_limits<float>::infinity();
  float nan = std::numeric_limits<float>::quiet_NaN();
  auto check = [](std::vector<float> values, int64_t signs) {
    OpCall call;
    call.input<float>({static_cast<int64_t>(values.size())}, values);
    call.attribute("message", std::string("m")).attribute("signs", signs);
    call.output(INGOT_FLOAT, 1u);
    return call.run(ingot_op_check_numerics).message();
  };
  EXPECT_EQ(check({1, 2}, 0), "");
  EXPECT_EQ(check({1, nan}, 0), "node 'n': m : Tensor had NaN values");
  EXPECT_EQ(check({inf, nan}, 0),
            "node 'n': m : Tensor had Inf and NaN values");
  EXPECT_EQ(check({-inf, 0}, 1), "node 'n': m : Tensor had -Inf values");
}

class CsvTest : public testing::Test {
protected:
  std::string read(std::string record) {
    OpCall call;
    call.texts({1}, {std::move(record)});
    call.input<int32_t>({0}, {}).texts({1}, {"none"});
    call.output(INGOT_INT32, 1u).output(INGOT_STRING, 1u);
    Status status = call.run(ingot_op_decode_csv);
    if (!status.isOk())
      return status.message().substr(strlen("node 'n': "));
    return std::to_string(call.values<int32_t>(0)[0]) + "|" +
           call.strings(1)[0];
  }
};

TEST_F(CsvTest, ReadsQuotedFieldsAndDefaults) {
  EXPECT_EQ(read("1,abc"), "1|abc");
  EXPECT_EQ(read("1,\"a,\"\"b\"\"\""), "1|a,\"b\"");
  EXPECT_EQ(read("-7,"), "-7|none");
  EXPECT_EQ(read("2,a\n"), "Unquoted fields cannot have quotes/CRLFs inside in "
                           "record 0");
}

TEST_F(CsvTest, FieldsInQuotesOutliveEachOther) {
  OpCall call;
  std::string longField(100, 'l');
  call.texts({2}, {"\"\"\"a\"\"\",plain,\"b,\"\"\",\"" + longField + "\"",
                   "\"\",\"" + longField + "\"\"\",,\"c\""});
  for (int i = 0; i < 4; ++i)
    call.texts({1}, {"none"});
  for (int i = 0; i < 4; ++i)
    call.output(INGOT_STRING, 1u);
  ASSERT_TRUE(call.run(ingot_op_decode_csv).isOk());
  std::vector<std::vector<std::string>> expected = {{"\"a\"", "none"},
                                                    {"plain", longField + "\""},
                                                    {"b,\"", "none"},
                                                    {longField, "c"}};
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(call.strings(i), expected[i]);
}

TEST_F(CsvTest, RefusesBadRecords) {
  EXPECT_EQ(read(",a"), "Field 0 is required but missing in record 0!");
  EXPECT_EQ(read("1"), "Expect 2 fields but have 1 in record 0");
  EXPECT_EQ(read("1,a,b"), "Expect 2 fields but have 3 in record 0");
  EXPECT_EQ(read("1.5,a"), "Field 0 in record 0 is not a valid int32: 1.5");
  EXPECT_NE(read("1,\"a").find("Quoted field has to end"), std::string::npos);
  EXPECT_NE(read("1,\"a\"b").find("escaped"), std::string::npos);
}

TEST(StringToNumberTest, NamesInvalidNumber) {
  OpCall call;
  call.texts({2}, {"1.5", "x1"}).output(INGOT_FLOAT, 1u);
  EXPECT_EQ(call.run(ingot_op_string_to_number).message(),
            "node 'n': StringToNumberOp could not correctly convert string: "
            "x1");
}

TEST(RegexTest, ExplainsInvalidPattern) {
  OpCall match;
  match.texts({1}, {"a"}).texts({}, {"(a"}).output(INGOT_BOOL, 1u);
  Status status = match.run(ingot_op_regex_full_match);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(status.message(),
            "node 'n': Invalid pattern: (a, error: missing ): (a");
  OpCall replace;
  replace.texts({1}, {"a"}).texts({}, {"a**"}).texts({}, {""});
  replace.output(INGOT_STRING, 1u);
  EXPECT_EQ(replace.run(ingot_op_regex_replace).message(),
            "node 'n': Invalid pattern: a**, error: bad repetition operator: "
            "**");
}

TEST(RegexTest, RewriteWithoutGroupChangesNothing) {
  OpCall replace;
  replace.texts({1}, {"abcb"}).texts({}, {"b"}).texts({}, {"<\\1>"});
  replace.output(INGOT_STRING, 1u);
  ASSERT_TRUE(replace.run(ingot_op_regex_replace).isOk());
  EXPECT_EQ(replace.strings(0)[0], "abcb");
}

TEST(ParseFeaturesTest, DefaultPadsSteps) {
  OpCall call;
  call.texts({1}, {""}).input<float>({0}, {});
  call.attribute("dense_keys", std::vector<std::string>{"f"});
  call.attribute("dense_shapes", std::vector<int64_t>{-1});
  call.output(INGOT_FLOAT, 2u);
  EXPECT_EQ(call.run(ingot_op_parse_features).message(),
            "node 'n': the default of feature 'f', which has a variable "
            "length, must be one element, but has shape [0]");
}

TEST(RecordTest, ScalarsGoToCurrentStepsSummaries) {
  ingot_context context;
  OpCall none;
  none.texts({}, {"tag"}).input<float>({1}, {1}).texts({}, {""});
  EXPECT_TRUE(none.run(ingot_op_record_tensor, &context).isOk());
  SummaryCollector summaries;
  context.summaries = &summaries;
  OpCall tensor;
  tensor.texts({}, {"tag"}).input<float>({2}, {1, 2}).texts({}, {""});
  tensor.input<int64_t>({}, {42});
  ASSERT_TRUE(tensor.run(ingot_op_record_tensor, &context).isOk());
  OpCall histogram;
  histogram.texts({}, {"h"}).input<float>({3}, {-1, 0, 2});
  ASSERT_TRUE(histogram.run(ingot_op_record_histogram, &context).isOk());
  ASSERT_EQ(summaries.values().size(), 2u);
  EXPECT_EQ(summaries.values()[0].step, 42);
  EXPECT_EQ(summaries.values()[1].step, -1);
  proto::Summary::Value value;
  ASSERT_TRUE(value.ParseFromString(summaries.values()[1].serialized));
  EXPECT_EQ(value.tag(), "h");
  EXPECT_EQ(value.histo().num(), 3);
  EXPECT_EQ(value.histo().sum(), 1);
  double count = 0;
  for (double bucket : value.histo().bucket())
    count += bucket;
  EXPECT_EQ(count, 3);
  // The summary has the tag and the metadata, then the tensor with its two
  // floats.
  ASSERT_TRUE(value.ParseFromString(summaries.values()[0].serialized));
  EXPECT_EQ(value.tag(), "tag");
  EXPECT_NE(summaries.values()[0].serialized.find(
                std::string("\x22\x08\x00\x00\x80\x3f\x00\x00\x00\x40", 10)),
            std::string::npos);
}

/// Tests of the bytes of the pictures that the op writes, with all their
/// channels.
class RecordImageTest : public testing::Test {
protected:
  struct Picture {
    std::string tag;
    std::vector<uint8_t> bytes;
    bool operator==(const Picture &) const = default;
  };

  /// The inputs are a tag, the pictures and a color.
  std::vector<Picture> record(OpCall &call) {
    ingot_context context;
    SummaryCollector summaries;
    context.summaries = &summaries;
    Status status = call.run(ingot_op_record_image, &context);
    EXPECT_TRUE(status.isOk()) << status.message();
    std::vector<Picture> pictures;
    for (const SummaryValue &summary : summaries.values()) {
      proto::Summary::Value value;
      EXPECT_TRUE(value.ParseFromString(summary.serialized));
      pictures.push_back({value.tag(), decode(value.image())});
    }
    return pictures;
  }

private:
  static std::vector<uint8_t> decode(const proto::Summary::Image &stored) {
    png_image image = {};
    image.version = PNG_IMAGE_VERSION;
    const std::string &encoded = stored.encoded_image_string();
    EXPECT_TRUE(png_image_begin_read_from_memory(&image, encoded.data(),
                                                 encoded.size()));
    EXPECT_EQ(image.height, static_cast<uint32_t>(stored.height()));
    EXPECT_EQ(image.width, static_cast<uint32_t>(stored.width()));
    EXPECT_EQ(PNG_IMAGE_SAMPLE_CHANNELS(image.format),
              static_cast<uint32_t>(stored.colorspace()));
    std::vector<uint8_t> bytes(PNG_IMAGE_SIZE(image));
    EXPECT_TRUE(
        png_image_finish_read(&image, nullptr, bytes.data(), 0, nullptr));
    return bytes;
  }
};

// The expected bytes are TensorFlow's.
TEST_F(RecordImageTest, FloatsFillTheRange) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  auto bytesOf = [&](Shape shape, std::vector<float> pixels) {
    OpCall call;
    call.texts({}, {"t"}).input<float>(shape, pixels);
    call.input<uint8_t>({4}, {7, 8, 9, 10}).attribute("max_images", int64_t(1));
    std::vector<Picture> pictures = record(call);
    EXPECT_EQ(pictures.size(), 1u);
    EXPECT_EQ(pictures.at(0).tag, "t/image");
    return pictures.at(0).bytes;
  };
  using Bytes = std::vector<uint8_t>;
  EXPECT_EQ(bytesOf({1, 2, 2, 1}, {0, 1, 2, 4}), (Bytes{0, 63, 127, 255}));
  EXPECT_EQ(bytesOf({1, 2, 2, 1}, {0, -1, 2, 4}), (Bytes{128, 96, 191, 255}));
  EXPECT_EQ(bytesOf({1, 4, 1, 1}, {1, -3, 2.9f, 0.5f}),
            (Bytes{170, 1, 250, 149}));
  EXPECT_EQ(bytesOf({1, 2, 1, 1}, {1e-8f, 0}), (Bytes{0, 0}));
  EXPECT_EQ(bytesOf({1, 2, 1, 1}, {-1e-8f, 0}), (Bytes{128, 128}));
  EXPECT_EQ(bytesOf({1, 1, 3, 1}, {nan, 1, 2}), (Bytes{7, 127, 255}));
  EXPECT_EQ(bytesOf({1, 1, 1, 4}, {nan, 1, 2, 5}), (Bytes{7, 8, 9, 10}));
}

TEST_F(RecordImageTest, BytesAreUnchanged) {
  OpCall call;
  call.texts({}, {"t"}).input<uint8_t>({3, 1, 1, 3},
                                       {1, 2, 3, 4, 5, 6, 7, 8, 9});
  call.input<uint8_t>({4}, {255, 0, 0, 255});
  call.attribute("max_images", int64_t(2));
  EXPECT_EQ(record(call), (std::vector<Picture>{{"t/image/0", {1, 2, 3}},
                                                {"t/image/1", {4, 5, 6}}}));
}

TEST_F(RecordImageTest, RejectsInvalidShapes) {
  for (Shape shape : {Shape{1, 1, 2}, Shape{1, 1, 1, 2}, Shape{2, 0, 1, 1}}) {
    ingot_context context;
    SummaryCollector summaries;
    context.summaries = &summaries;
    OpCall call;
    std::vector<float> pixels(shape[1] ? 2 : 0);
    call.texts({}, {"t"}).input<float>(shape, pixels);
    call.input<uint8_t>({4}, {255, 0, 0, 255});
    EXPECT_EQ(call.run(ingot_op_record_image, &context).code(),
              StatusCode::InvalidArgument);
  }
}

} // namespace
