//===- SetOpsTest.cpp - Ops whose results' sizes the data decides ---------===//

#include "test/runtime/Ops/OpCall.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

extern "C" {
int32_t ingot_op_where(ingot_context *, const ingot_op *, const ingot_tensor *,
                       ingot_tensor *);
}

namespace {

TEST(WhereTest, GivesCoordinatesInRowMajorOrder) {
  OpCall call;
  call.input<bool>({2, 3}, {true, false, true, false, false, true});
  call.output(INGOT_INT64, 2u);
  ASSERT_TRUE(call.run(ingot_op_where).isOk());
  EXPECT_EQ(call.dims(0), (Shape{3, 2}));
  EXPECT_EQ(call.values<int64_t>(0), (std::vector<int64_t>{0, 0, 0, 2, 1, 2}));
}

TEST(WhereTest, AScalarHasNoCoordinates) {
  OpCall call;
  call.input<float>({}, {0.5f}).output(INGOT_INT64, 2u);
  ASSERT_TRUE(call.run(ingot_op_where).isOk());
  EXPECT_EQ(call.dims(0), (Shape{1, 0}));
}

} // namespace
