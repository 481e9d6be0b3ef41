//===- SetOpsTest.cpp - Ops whose results' sizes the data decides ---------===//
// SPDX-License-Identifier: Apache-2.0
//
// Tests ops the sizes of whose results depend on the data. The expected values
// are those of the examples in TensorFlow's documentation.
//
//===----------------------------------------------------------------------===//

#include "test/runtime/Ops/OpCall.h"

#include <gtest/gtest.h>

#include <map>

using namespace ingot;
using namespace ingot::test;

extern "C" {
#define INGOT_DECLARE(name)                                                    \
  int32_t ingot_op_##name(ingot_context *, const ingot_op *,                   \
                          const ingot_tensor *, ingot_tensor *)
INGOT_DECLARE(where);
INGOT_DECLARE(unique);
INGOT_DECLARE(list_diff);
INGOT_DECLARE(dynamic_partition);
INGOT_DECLARE(dynamic_stitch);
INGOT_DECLARE(set_operation);
INGOT_DECLARE(project_images);
INGOT_DECLARE(ragged_to_tensor);
INGOT_DECLARE(sparse_reshape);
INGOT_DECLARE(sparse_to_dense);
INGOT_DECLARE(sparse_fill_empty_rows);
INGOT_DECLARE(sparse_slice);
}

namespace {

using I32 = std::vector<int32_t>;
using I64 = std::vector<int64_t>;

TEST(WhereTest, GivesCoordinatesInRowMajorOrder) {
  OpCall call;
  call.input<bool>({2, 3}, {true, false, true, false, false, true});
  call.output(INGOT_INT64, 2u);
  ASSERT_TRUE(call.run(ingot_op_where).isOk());
  EXPECT_EQ(call.dims(0), (Shape{3, 2}));
  EXPECT_EQ(call.values<int64_t>(0), (I64{0, 0, 0, 2, 1, 2}));
}

TEST(WhereTest, ScalarHasNoCoordinates) {
  OpCall call;
  call.input<float>({}, {0.5f}).output(INGOT_INT64, 2u);
  ASSERT_TRUE(call.run(ingot_op_where).isOk());
  EXPECT_EQ(call.dims(0), (Shape{1, 0}));
}

TEST(UniqueTest, KeepsOrderOfFirstOccurrence) {
  OpCall call;
  call.input<int32_t>({9}, {1, 1, 2, 4, 4, 4, 7, 8, 8});
  call.output(INGOT_INT32, 1u).output(INGOT_INT32, 1u).output(INGOT_INT32, 1u);
  ASSERT_TRUE(call.run(ingot_op_unique).isOk());
  EXPECT_EQ(call.values<int32_t>(0), (I32{1, 2, 4, 7, 8}));
  EXPECT_EQ(call.values<int32_t>(1), (I32{0, 0, 1, 2, 2, 2, 3, 4, 4}));
  EXPECT_EQ(call.values<int32_t>(2), (I32{2, 1, 3, 1, 2}));
}

TEST(UniqueTest, NegativeIntegersAreNumberedFromTheLeast) {
  OpCall call;
  call.input<int64_t>({6}, {-3, 5, -3, -7, 5, 0});
  call.output(INGOT_INT64, 1u).output(INGOT_INT64, 1u).output(INGOT_INT64, 1u);
  ASSERT_TRUE(call.run(ingot_op_unique).isOk());
  EXPECT_EQ(call.values<int64_t>(0), (I64{-3, 5, -7, 0}));
  EXPECT_EQ(call.values<int64_t>(1), (I64{0, 1, 0, 2, 1, 3}));
  EXPECT_EQ(call.values<int64_t>(2), (I64{2, 2, 1, 1}));
}

TEST(UniqueTest, IntegersOfTheWholeRangeAreHashed) {
  OpCall call;
  call.input<int64_t>({5}, {INT64_MAX, INT64_MIN, 0, INT64_MAX, INT64_MIN});
  call.output(INGOT_INT64, 1u).output(INGOT_INT32, 1u).output(INGOT_INT32, 1u);
  ASSERT_TRUE(call.run(ingot_op_unique).isOk());
  EXPECT_EQ(call.values<int64_t>(0), (I64{INT64_MAX, INT64_MIN, 0}));
  EXPECT_EQ(call.values<int32_t>(1), (I32{0, 1, 2, 0, 1}));
  EXPECT_EQ(call.values<int32_t>(2), (I32{2, 2, 1}));
}

TEST(UniqueTest, NoIntegerIsDistinctInAnEmptyVector) {
  OpCall call;
  call.input<int32_t>({0}, {});
  call.output(INGOT_INT32, 1u).output(INGOT_INT32, 1u).output(INGOT_INT32, 1u);
  ASSERT_TRUE(call.run(ingot_op_unique).isOk());
  for (size_t output : {0, 1, 2})
    EXPECT_EQ(call.dims(output), (Shape{0})) << output;
}

TEST(UniqueTest, ArraysAndHashTablesNumberIntegersAsAMapDoes) {
  // In the small range elements are numbered by an array, in the large one by a
  // hash table.
  for (uint32_t range : {300u, 1'000'000'007u}) {
    std::vector<int32_t> elements;
    for (uint32_t i = 0; i < 1000; ++i)
      elements.push_back(
          static_cast<int32_t>(i * i % 701 * 2'654'435'761u % range));
    I32 distinct, numbers;
    std::map<int32_t, int32_t> seen;
    for (int32_t element : elements) {
      auto [found, isNew] =
          seen.try_emplace(element, static_cast<int32_t>(seen.size()));
      if (isNew)
        distinct.push_back(element);
      numbers.push_back(found->second);
    }
    OpCall call;
    call.input<int32_t>({1000}, elements);
    call.output(INGOT_INT32, 1u)
        .output(INGOT_INT32, 1u)
        .output(INGOT_INT32, 1u);
    ASSERT_TRUE(call.run(ingot_op_unique).isOk());
    EXPECT_EQ(call.values<int32_t>(0), distinct) << range;
    EXPECT_EQ(call.values<int32_t>(1), numbers) << range;
  }
}

TEST(UniqueTest, FindsEqualSlicesAlongAnAxis) {
  for (int64_t axis : {0, -2}) {
    OpCall call;
    call.input<int32_t>({3, 3}, {1, 0, 0, 1, 0, 0, 2, 0, 0});
    call.attribute("axis", axis);
    call.output(INGOT_INT32, 2u)
        .output(INGOT_INT64, 1u)
        .output(INGOT_INT64, 1u);
    ASSERT_TRUE(call.run(ingot_op_unique).isOk());
    EXPECT_EQ(call.dims(0), (Shape{2, 3}));
    EXPECT_EQ(call.values<int32_t>(0), (I32{1, 0, 0, 2, 0, 0}));
    EXPECT_EQ(call.values<int64_t>(1), (I64{0, 0, 1}));
  }
  OpCall call;
  call.input<int32_t>({3, 3}, {1, 0, 0, 1, 0, 0, 2, 0, 0});
  call.attribute("axis", int64_t(1));
  call.output(INGOT_INT32, 2u).output(INGOT_INT32, 1u).output(INGOT_INT32, 1u);
  ASSERT_TRUE(call.run(ingot_op_unique).isOk());
  EXPECT_EQ(call.dims(0), (Shape{3, 2}));
  EXPECT_EQ(call.values<int32_t>(0), (I32{1, 0, 1, 0, 2, 0}));
  EXPECT_EQ(call.values<int32_t>(1), (I32{0, 1, 1}));
}

TEST(UniqueTest, ComparesStrings) {
  OpCall call;
  call.texts({4}, {"a", "", "a", std::string("\0", 1)});
  call.output(INGOT_STRING, 1u).output(INGOT_INT32, 1u).output(INGOT_INT32, 1u);
  ASSERT_TRUE(call.run(ingot_op_unique).isOk());
  EXPECT_EQ(call.strings(0),
            (std::vector<std::string>{"a", "", std::string("\0", 1)}));
}

TEST(ListDiffTest, KeepsOrderAndDuplicates) {
  OpCall call;
  call.input<int32_t>({6}, {1, 2, 3, 4, 5, 6}).input<int32_t>({3}, {1, 3, 5});
  call.output(INGOT_INT32, 1u).output(INGOT_INT32, 1u);
  ASSERT_TRUE(call.run(ingot_op_list_diff).isOk());
  EXPECT_EQ(call.values<int32_t>(0), (I32{2, 4, 6}));
  EXPECT_EQ(call.values<int32_t>(1), (I32{1, 3, 5}));
}

TEST(PartitionTest, PartitionsSlices) {
  OpCall call;
  call.input<int32_t>({5}, {10, 20, 30, 40, 50});
  call.input<int32_t>({5}, {0, 0, 1, 1, 0});
  call.output(INGOT_INT32, 1u).output(INGOT_INT32, 1u);
  ASSERT_TRUE(call.run(ingot_op_dynamic_partition).isOk());
  EXPECT_EQ(call.values<int32_t>(0), (I32{10, 20, 50}));
  EXPECT_EQ(call.values<int32_t>(1), (I32{30, 40}));
}

TEST(PartitionTest, RejectsUnknownPartitions) {
  OpCall call;
  call.input<int32_t>({2}, {10, 20}).input<int32_t>({2}, {0, 2});
  call.output(INGOT_INT32, 1u).output(INGOT_INT32, 1u);
  EXPECT_EQ(call.run(ingot_op_dynamic_partition).message(),
            "node 'n': partitions[1] is 2, which is not in [0, 2)");
}

TEST(StitchTest, LastDuplicateWins) {
  OpCall call;
  call.input<int32_t>({}, {6}).input<int32_t>({2}, {4, 1});
  call.input<int32_t>({2, 2}, {5, 2, 0, 3});
  call.input<int32_t>({2}, {61, 62});
  call.input<int32_t>({2, 2}, {41, 42, 11, 12});
  call.input<int32_t>({2, 2, 2}, {51, 52, 21, 22, 1, 2, 31, 32});
  call.output(INGOT_INT32, 2u);
  ASSERT_TRUE(call.run(ingot_op_dynamic_stitch).isOk());
  EXPECT_EQ(call.values<int32_t>(0),
            (I32{1, 2, 11, 12, 21, 22, 31, 32, 41, 42, 51, 52, 61, 62}));
}

TEST(SetOperationTest, RowsOfTheResultAreSorted) {
  OpCall call;
  call.input<int64_t>({2, 3}, {3, 1, 1, 5, 4, 5});
  call.input<int64_t>({2, 2}, {2, 1, 5, 4});
  call.attribute("set_operation", std::string("a-b"));
  call.output(INGOT_INT64, 2u).output(INGOT_INT64, 1u).output(INGOT_INT64, 1u);
  ASSERT_TRUE(call.run(ingot_op_set_operation).isOk());
  EXPECT_EQ(call.values<int64_t>(0), (I64{0, 0}));
  EXPECT_EQ(call.values<int64_t>(1), (I64{3}));
  EXPECT_EQ(call.values<int64_t>(2), (I64{2, 1}));
}

TEST(SetOperationTest, ScalarsAreRejected) {
  for (I64 shape : {I64{}, I64{4}}) {
    OpCall call;
    auto rank = static_cast<int64_t>(shape.size());
    for (int i = 0; i < 2; ++i) {
      call.input<int64_t>({1, rank}, I64(shape.size(), 0));
      call.input<int64_t>({1}, {7}).input<int64_t>({rank}, shape);
    }
    call.attribute("set_operation", std::string("a-b"));
    call.output(INGOT_INT64, 2u).output(INGOT_INT64, 1u);
    call.output(INGOT_INT64, 1u);
    Status status = call.run(ingot_op_set_operation);
    EXPECT_NE(
        status.message().find("has rank " + std::to_string(rank) + " < 2"),
        std::string::npos)
        << status.message();
  }
}

TEST(SparseTest, ReshapeKeepsPlaces) {
  OpCall call;
  call.input<int64_t>({5, 3}, {0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 2, 3});
  call.input<int64_t>({3}, {2, 3, 6}).input<int64_t>({2}, {9, -1});
  call.output(INGOT_INT64, 2u).output(INGOT_INT64, 1u);
  ASSERT_TRUE(call.run(ingot_op_sparse_reshape).isOk());
  EXPECT_EQ(call.values<int64_t>(0), (I64{0, 0, 0, 1, 1, 2, 4, 2, 8, 1}));
  EXPECT_EQ(call.values<int64_t>(1), (I64{9, 4}));
}

TEST(RaggedTest, RejectsInconsistentPartitions) {
  struct Case {
    std::string type;
    I64 partition;
    const char *message;
  };
  for (const Case &one :
       {Case{"ROW_SPLITS", {0, 3, 2}, "row 1 ends at 2, before it begins"},
        Case{"ROW_SPLITS", {1, 3}, "the first row split must be 0, but is 1"},
        Case{"ROW_SPLITS",
             {0, 4},
             "describe 4 values, but the values tensor has only 3 rows"},
        Case{"ROW_SPLITS", {}, "the first row partition is empty"},
        Case{"VALUE_ROWIDS",
             {0, 2, 2},
             "value 1 has row id 2, which is not in [0, 2)"},
        Case{"VALUE_ROWIDS",
             {-1, 0, 0},
             "value 0 has row id -1, which is not in [0, 2)"}}) {
    OpCall call;
    call.input<int64_t>({}, {-1}).input<float>({3}, {1, 2, 3});
    call.input<float>({}, {0});
    std::vector<std::string> types = {one.type};
    if (one.type == "VALUE_ROWIDS") {
      types.insert(types.begin(), "FIRST_DIM_SIZE");
      call.input<int64_t>({}, {2});
    }
    call.input<int64_t>({std::ssize(one.partition)}, one.partition);
    call.attribute("types", types).output(INGOT_FLOAT, 2u);
    Status status = call.run(ingot_op_ragged_to_tensor);
    EXPECT_NE(status.message().find(one.message), std::string::npos)
        << status.message();
  }
}

TEST(ProjectImagesTest, RejectsInvalidShapes) {
  for (auto [height, transforms, message] :
       {std::tuple(0, 1, "the output size 0 x 4 must be positive"),
        std::tuple(4, 3, "transforms of shape [3, 8] do not match images")}) {
    OpCall call;
    call.input<float>({2, 2, 2, 1}, std::vector<float>(8));
    call.input<float>({transforms, 8},
                      std::vector<float>(static_cast<size_t>(transforms) * 8));
    call.input<int32_t>({2}, {height, 4}).input<float>({}, {0});
    call.attribute("interpolation", std::string("NEAREST"));
    call.output(INGOT_FLOAT, 4u);
    Status status = call.run(ingot_op_project_images);
    EXPECT_NE(status.message().find(message), std::string::npos)
        << status.message();
  }
}

TEST(SparseTest, ToDenseRefusesIndicesOutOfOrder) {
  OpCall call;
  call.input<int32_t>({2, 1}, {1, 0}).input<int32_t>({1}, {3});
  call.input<float>({}, {7}).input<float>({}, {0});
  call.output(INGOT_FLOAT, 1u);
  EXPECT_EQ(call.run(ingot_op_sparse_to_dense).message(),
            "node 'n': row 1 of sparse_indices is out of order");
  call.attribute("validate_indices", int64_t(0));
  ASSERT_TRUE(call.run(ingot_op_sparse_to_dense).isOk());
  EXPECT_EQ(call.values<float>(0), (std::vector<float>{7, 7, 0}));
}

TEST(SparseTest, EmptyRowsGetTheDefaultValue) {
  OpCall call;
  call.input<int64_t>({4, 2}, {0, 1, 0, 3, 2, 0, 3, 1});
  call.texts({4}, {"a", "b", "c", "d"});
  call.input<int64_t>({2}, {5, 6}).texts({}, {"-"});
  call.output(INGOT_INT64, 2u).output(INGOT_STRING, 1u);
  call.output(INGOT_BOOL, 1u).output(INGOT_INT64, 1u);
  ASSERT_TRUE(call.run(ingot_op_sparse_fill_empty_rows).isOk());
  EXPECT_EQ(call.values<int64_t>(0), (I64{0, 1, 0, 3, 1, 0, 2, 0, 3, 1, 4, 0}));
  EXPECT_EQ(call.strings(1),
            (std::vector<std::string>{"a", "b", "-", "c", "d", "-"}));
  EXPECT_EQ(call.values<uint8_t>(2), (std::vector<uint8_t>{0, 1, 0, 0, 1}));
  EXPECT_EQ(call.values<int64_t>(3), (I64{0, 1, 3, 4}));
}

TEST(SparseTest, SliceEndsWithTensor) {
  OpCall call;
  call.input<int64_t>({4, 2}, {0, 2, 0, 5, 1, 0, 1, 4});
  call.input<int32_t>({4}, {1, 2, 3, 4}).input<int64_t>({2}, {2, 7});
  call.input<int64_t>({2}, {0, 4}).input<int64_t>({2}, {2, 4});
  call.output(INGOT_INT64, 2u).output(INGOT_INT32, 1u).output(INGOT_INT64, 1u);
  ASSERT_TRUE(call.run(ingot_op_sparse_slice).isOk());
  EXPECT_EQ(call.values<int64_t>(0), (I64{0, 1, 1, 0}));
  EXPECT_EQ(call.values<int32_t>(1), (I32{2, 4}));
  EXPECT_EQ(call.values<int64_t>(2), (I64{2, 3}));
}

} // namespace
