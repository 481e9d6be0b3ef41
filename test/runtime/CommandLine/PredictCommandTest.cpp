//===- PredictCommandTest.cpp - trainer predict ---------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "proto/Example.pb.h"
#include "runtime/Summary/EventWriter.h"
#include "test/runtime/Session/TrainerProcess.h"

#include <cstring>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace ingot::test;

namespace {

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// The program predicts the sum of three numbers and w, in batches of two
/// examples; w is 0.5 before the first step.
class PredictCommandTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(runTrainer({"--model-dir", directory.path(), "--max-steps", "0",
                          "--quiet", "--summary-steps", "0"})
                  .exitCode,
              0);
  }
  ProcessResult predict(const std::string &input, const std::string &contents,
                        const std::string &output,
                        std::vector<std::string> more = {}) {
    writeFile(directory / input, contents);
    std::vector<std::string> flags = {"predict",
                                      "--model-dir",
                                      directory.path(),
                                      "--input",
                                      directory / input,
                                      "--output",
                                      output == "-" ? output
                                                    : directory / output};
    flags.insert(flags.end(), more.begin(), more.end());
    return runTrainer(flags);
  }
  TemporaryDirectory directory;
};

TEST_F(PredictCommandTest, CsvInCsvOut) {
  // With three rows, the last batch is padded, but no prediction is written for
  // the padding.
  ProcessResult result =
      predict("in.csv", "1,2,3\n4,5,6\n-1,0.5,0\n", "out.csv");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(readFile(directory / "out.csv"), "sum\n6.5\n15.5\n0\n");
}

TEST_F(PredictCommandTest, HeaderOrdersColumns) {
  ProcessResult result = predict("in.csv", "x_2,x_0,x_1\r\n3,\"1\",2\r\n", "-");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.out, "sum\n6.5\n");
  EXPECT_EQ(result.err, "");
}

TEST_F(PredictCommandTest, HeaderNamesColumnsAmongOthers) {
  ProcessResult result = predict(
      "in.csv", "y,x[2],x[0],id,x[1]\n9,3,1,7,2\n8,0,1,7,0\n", "out.csv");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(readFile(directory / "out.csv"), "sum\n6.5\n1.5\n");
  EXPECT_TRUE(
      contains(result.err, "columns that are not fed are ignored: 'y', 'id'"))
      << result.err;
  // A vector's name for each of its elements.
  result = predict("in.csv", "id,x,x,x\n7,1,2,3\n", "-");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.out, "sum\n6.5\n");
}

TEST_F(PredictCommandTest, MissingNumbersHaveTheirOwnValue) {
  const std::vector<std::string> missing = {"--missing", "x=0.25"};
  ProcessResult result = predict("in.csv", "1,,3\n,,\n", "-", missing);
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.out, "sum\n4.75\n1.25\n");
  result =
      predict("in.jsonl", "{\"x\":null}\n{\"x\":[1,2,3]}\n{}\n", "-", missing);
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.out, "{\"sum\":1.25}\n{\"sum\":6.5}\n{\"sum\":1.25}\n");
  for (const char *wrong : {"x", "z=1", "x=one"})
    EXPECT_EQ(predict("in.csv", "1,2,3\n", "-", {"--missing", wrong}).exitCode,
              2)
        << wrong;
}

TEST_F(PredictCommandTest, JsonLinesInAndOut) {
  ProcessResult result =
      predict("in.jsonl", "{\"x\":[1,2,3]}\n\n[4,5,6.25]\n", "out.jsonl");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(readFile(directory / "out.jsonl"),
            "{\"sum\":6.5}\n{\"sum\":15.75}\n");
}

TEST_F(PredictCommandTest, TFRecordInAndOut) {
  ingot::proto::Example example;
  auto &feature = (*example.mutable_features()->mutable_feature())["x"];
  for (float value : {1.0f, 2.0f, 3.25f})
    feature.mutable_float_list()->add_value(value);
  std::string record = ingot::frameRecord(example.SerializeAsString());
  ProcessResult result = predict("in.tfrecord", record, "out.tfrecord");
  EXPECT_EQ(result.exitCode, 0) << result.err;
  std::string out = readFile(directory / "out.tfrecord");
  ASSERT_GT(out.size(), 16u);
  ingot::proto::Example found;
  ASSERT_TRUE(found.ParseFromString(out.substr(12, out.size() - 16)));
  EXPECT_EQ(found.features().feature().at("sum").float_list().value(0), 6.75f);

  result = predict("cut.tfrecord", record + record.substr(0, 20), "-",
                   {"--output-format", "csv"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_TRUE(contains(result.err, "record 2: truncated or damaged"))
      << result.err;
}

TEST_F(PredictCommandTest, RowErrorsAreReported) {
  // A parser that recurses for each bracket would need megabytes of stack.
  std::string deep =
      "{\"x\":" + std::string(1000000, '[') + std::string(1000000, ']') + "}\n";
  struct {
    const char *input;
    std::string contents;
    const char *message;
  } cases[] = {
      {"in.jsonl", deep, "line 1: lists nested 1000001 deep"},
      {"in.csv", "1,2,3\n1,2\n", "line 2: expected 3 fields, found 2"},
      {"in.csv", "1,2,3\n1,b,3\n", "line 2: 'x': expected float32, found 'b'"},
      {"in.csv", "x_0,x_2,y\n1,3,2\n", "line 1: the header lacks 'x_1'"},
      {"in.csv", "a,b,c\n1,3,2\n", "line 1: the header lacks 'x_0', 'x_1'"},
      {"in.csv", "1,2,3,4\n",
       "line 1: expected 3 fields, found 4; a header line may name the columns "
       "to read"},
      {"in.csv", "x_0,x_1,x_2,y\n1,2,3,4\n1,2,3\n",
       "line 3: expected 4 fields, found 3"},
      {"in.csv", "1,2,\"3\n", "line 1: a quoted field does not end"},
      {"in.jsonl", "{\"x\":[1,2]}\n", "line 1: 'x': expected a list of 3"},
      {"in.jsonl", "{\"y\":[1,2,3]}\n", "line 1: missing 'x'"},
      {"in.jsonl", "{\"x\":[1,2,3]}\nnonsense\n", "line 2: expected JSON"},
      {"in.jsonl", "{\"x\":[1,2,\"a\"]}\n", "expected float32, found 'a'"},
      {"in.tfrecord", "nonsense", "record 1: truncated or damaged"},
  };
  for (const auto &test : cases) {
    ProcessResult result = predict(test.input, test.contents, "out.csv");
    EXPECT_EQ(result.exitCode, 1) << test.message;
    EXPECT_TRUE(contains(result.err, test.message))
        << test.message << ": " << result.err;
    EXPECT_TRUE(contains(result.err, directory / test.input)) << result.err;
    // If a row is wrong, no prediction is written at all.
    EXPECT_EQ(readFile(directory / "out.csv"), "") << test.message;
    EXPECT_NE(::access((directory / "out.csv.tmp").c_str(), F_OK), 0)
        << test.message << ": the temporary file is left";
  }
}

// Consecutive rows of the same shape are a batch: a prediction tells the number
// of rows in its batch.
TEST_F(PredictCommandTest, RowsAreBatchedByLength) {
  std::vector<std::string> sums = {"--entry", "sums"};
  ProcessResult result =
      predict("in.jsonl", "[1]\n[2]\n[1,2,3]\n[]\n{\"x\":[7]}\n", "-", sums);
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.out, "{\"sum\":3}\n{\"sum\":4}\n{\"sum\":7}\n{\"sum\":1}\n"
                        "{\"sum\":8}\n");
  result = predict("in.csv", "1,2\n3\n4\n", "-", sums);
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.out, "sum\n4\n5\n6\n");
  // A batch has at most the requested number of rows.
  result =
      predict("in.csv", "1\n2\n3\n", "-", {"--entry", "sums", "--batch", "2"});
  EXPECT_EQ(result.out, "sum\n3\n4\n4\n") << result.err;
  result = predict("in.jsonl", "[1]\n3\n", "-", sums);
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find("line 2"), std::string::npos) << result.err;
}

TEST_F(PredictCommandTest, MissingFlagsAreUsageErrors) {
  EXPECT_EQ(runTrainer({"predict", "--model-dir", directory.path()}).exitCode,
            2);
  EXPECT_EQ(predict("in.data", "1,2,3\n", "-").exitCode, 2);
  EXPECT_EQ(predict("in.csv", "1,2,3\n", "-", {"--entry", "none"}).exitCode, 2);
  EXPECT_EQ(
      predict("in.data", "1,2,3\n", "-", {"--input-format", "csv"}).exitCode,
      0);
}

TEST_F(PredictCommandTest, WithoutACheckpointNothingIsPredicted) {
  TemporaryDirectory empty;
  writeFile(directory / "in.csv", "1,2,3\n");
  EXPECT_EQ(runTrainer({"predict", "--model-dir", empty.path(), "--input",
                        directory / "in.csv", "--output", "-"})
                .exitCode,
            4);
}

} // namespace
