//===- HostileShapesTest.cpp - Sizes that nothing fits in -----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Dynamic sizes may be any numbers: the matrices of an empty batch may be
// larger than memory, and there may be no classes or windows.
//
//===----------------------------------------------------------------------===//

#include "test/runtime/Ops/OpCall.h"

#include <gtest/gtest.h>
#include <limits>

using namespace ingot;
using namespace ingot::test;

#define DECLARE(NAME)                                                          \
  int32_t NAME(ingot_context *, const ingot_op *, const ingot_tensor *,        \
               ingot_tensor *)
extern "C" {
DECLARE(ingot_op_ctc_loss);
DECLARE(ingot_op_log_matrix_determinant);
DECLARE(ingot_op_matrix_inverse);
DECLARE(ingot_op_matrix_solve);
DECLARE(ingot_op_max_pool_with_argmax);
DECLARE(ingot_op_qr);
}
#undef DECLARE

namespace {

constexpr int64_t large = int64_t(1) << 24;

TEST(HostileShapesTest, EmptyBatchOfMatricesAllocatesNothing) {
  OpCall inverse, solve, determinant, factors;
  inverse.input<float>({0, large, large}, {}).output(INGOT_FLOAT, 3u);
  ASSERT_TRUE(inverse.run(ingot_op_matrix_inverse).isOk());
  EXPECT_EQ(inverse.dims(0), (Shape{0, large, large}));

  solve.input<float>({0, large, large}, {}).input<float>({0, large, 1}, {});
  solve.output(INGOT_FLOAT, 3u);
  ASSERT_TRUE(solve.run(ingot_op_matrix_solve).isOk());
  EXPECT_EQ(solve.dims(0), (Shape{0, large, 1}));

  determinant.input<float>({0, large, large}, {});
  determinant.output(INGOT_FLOAT, 1u).output(INGOT_FLOAT, 1u);
  ASSERT_TRUE(determinant.run(ingot_op_log_matrix_determinant).isOk());
  EXPECT_EQ(determinant.dims(0), (Shape{0}));

  factors.input<float>({0, large, large}, {});
  factors.output(INGOT_FLOAT, 3u).output(INGOT_FLOAT, 3u);
  ASSERT_TRUE(factors.run(ingot_op_qr).isOk());
  EXPECT_EQ(factors.dims(1), (Shape{0, large, large}));
}

Status lossOf(int64_t classes, int64_t place) {
  OpCall call;
  call.input<float>({1, 1, classes},
                    std::vector<float>(static_cast<size_t>(classes)));
  call.input<int64_t>({1, 2}, {0, place}).input<int32_t>({1}, {0});
  call.input<int32_t>({1}, {1});
  call.output(INGOT_FLOAT, 1u).output(INGOT_FLOAT, 3u);
  return call.run(ingot_op_ctc_loss);
}

TEST(HostileShapesTest, LossWithoutClassesIsRefused) {
  EXPECT_TRUE(lossOf(2, 0).isOk());
  EXPECT_FALSE(lossOf(0, 0).isOk());
}

TEST(HostileShapesTest, LargestIndexIsRejected) {
  EXPECT_FALSE(lossOf(2, std::numeric_limits<int64_t>::max()).isOk());
}

Shape poolOf(int64_t height, int64_t window, int64_t stride, bool &isOk) {
  OpCall call;
  call.input<float>({1, height, 1, 1},
                    std::vector<float>(static_cast<size_t>(height)));
  call.output(INGOT_FLOAT, 4u).output(INGOT_INT64, 4u);
  call.attribute("window", std::vector<int64_t>{window, 1});
  call.attribute("strides", std::vector<int64_t>{stride, 1});
  call.attribute("padding", std::string("VALID"));
  isOk = call.run(ingot_op_max_pool_with_argmax).isOk();
  return isOk ? call.dims(0) : Shape();
}

// The expected sizes are TensorFlow's: (input - window + stride) / stride.
TEST(HostileShapesTest, OversizedWindowsAreRejected) {
  bool isOk;
  EXPECT_EQ(poolOf(5, 3, 2, isOk), (Shape{1, 2, 1, 1}));
  EXPECT_EQ(poolOf(0, 1, 3, isOk), (Shape{1, 0, 1, 1}));
  EXPECT_EQ(poolOf(2, 3, 2, isOk), (Shape{1, 0, 1, 1}));
  poolOf(2, 5, 1, isOk);
  EXPECT_FALSE(isOk);
  poolOf(4, std::numeric_limits<int64_t>::max(), 2, isOk);
  EXPECT_FALSE(isOk);
}

} // namespace
