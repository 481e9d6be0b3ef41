//===- ShapeOpsTest.cpp - Shape checks at run time ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/runtime/Ops/OpCall.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

extern "C" {
int32_t ingot_op_ensure_shape(ingot_context *, const ingot_op *,
                              const ingot_tensor *, ingot_tensor *);
int32_t ingot_op_broadcast_gradient_args(ingot_context *, const ingot_op *,
                                         const ingot_tensor *, ingot_tensor *);
}

namespace {

TEST(EnsureShapeTest, PassesMatchingShapes) {
  OpCall call;
  call.input<float>({2, 1}, {1, 2}).output(INGOT_FLOAT, 2u);
  call.attribute("shape", std::vector<int64_t>{-1, 1});
  ASSERT_TRUE(call.run(ingot_op_ensure_shape).isOk());
  EXPECT_EQ(call.dims(0), (Shape{2, 1}));
  EXPECT_EQ(call.values<float>(0), (std::vector<float>{1, 2}));
}

TEST(EnsureShapeTest, RefusesAnotherSize) {
  OpCall call;
  call.input<float>({2, 1}, {1, 2}).output(INGOT_FLOAT, 2u);
  call.attribute("shape", std::vector<int64_t>{3, -1});
  EXPECT_FALSE(call.run(ingot_op_ensure_shape).isOk());
}

// The expected axes are those of TensorFlow's BroadcastGradientArgs.
void expectAxes(std::vector<int32_t> a, std::vector<int32_t> b,
                const std::vector<int32_t> &first,
                const std::vector<int32_t> &second) {
  OpCall call;
  call.input<int32_t>({static_cast<int64_t>(a.size())}, a);
  call.input<int32_t>({static_cast<int64_t>(b.size())}, b);
  call.output(INGOT_INT32, 1u).output(INGOT_INT32, 1u);
  ASSERT_TRUE(call.run(ingot_op_broadcast_gradient_args).isOk());
  EXPECT_EQ(call.values<int32_t>(0), first);
  EXPECT_EQ(call.values<int32_t>(1), second);
}

TEST(BroadcastGradientArgsTest, AxesOfBothSides) {
  expectAxes({2, 1, 3}, {2, 1, 1}, {1}, {1, 2});
  expectAxes({2, 1}, {1}, {1}, {0, 1});
  expectAxes({1, 5, 2}, {1, 1, 2}, {0}, {0, 1});
}

TEST(BroadcastGradientArgsTest, EqualShapesHaveNone) {
  expectAxes({2, 1}, {2, 1}, {}, {});
}

TEST(BroadcastGradientArgsTest, RefusesShapesThatDoNotFit) {
  OpCall call;
  call.input<int32_t>({1}, {2}).input<int32_t>({1}, {3});
  call.output(INGOT_INT32, 1u).output(INGOT_INT32, 1u);
  EXPECT_FALSE(call.run(ingot_op_broadcast_gradient_args).isOk());
}

} // namespace
