//===- WindowFailureTest.cpp - Windows over elements that fail ------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Only the windows that contain a failing element fail; the windows after them
// are the same as without the failure. (The test values.further_datasets
// compares the order of windows with TensorFlow.)
//
//===----------------------------------------------------------------------===//
#include "Pipelines.h"

#include "runtime/Support/ErrorSlot.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

/// Fails on 1, 4, 7, ...
int32_t failOnSome(ingot_context *, uint8_t *, void *const *,
                   const ingot_tensor *feeds, ingot_tensor *fetches) {
  int64_t number = *static_cast<const int64_t *>(feeds[0].data);
  *static_cast<int64_t *>(fetches[0].data) = number;
  return recordError(number % 3 == 1
                         ? Status(StatusCode::InvalidArgument, "a bad number")
                         : Status::ok());
}

using Numbers = std::vector<int64_t>;

class WindowFailure : public testing::Test {
protected:
  std::unique_ptr<Iterator> create(int64_t size, int64_t shift, int64_t stride,
                                   bool drops) {
    ingot_tensor_spec number = b.spec(INGOT_INT64);
    uint32_t map = b.map(b.range(14), failOnSome, {number});
    uint32_t elements = b.dataset("WindowElements", {},
                                  {ProgramBuilder::argument(0)}, {number});
    uint32_t windows = b.window(map, size, shift, stride, drops);
    uint32_t root = b.dataset("IgnoreErrorsDataset",
                              {b.flatMap(windows, elements)}, {}, {number});
    uint32_t index = b.iterator(root);
    auto created = Iterator::create(b.program(), index, {});
    EXPECT_TRUE(created) << created.status().message();
    return std::move(*created);
  }

  /// Returns all elements. They must be the same after a restore at every place
  /// at which the iterator can be saved.
  Numbers elements(int64_t size, int64_t shift, int64_t stride,
                   bool drops = false) {
    auto iterator = create(size, shift, stride, drops);
    if (!iterator->make().isOk())
      return {};
    std::string state = *iterator->save();
    Numbers all = take(*iterator, 100).values;
    EXPECT_TRUE(iterator->restore(state).isOk());
    for (size_t at = 0; at < all.size(); ++at) {
      auto other = create(size, shift, stride, drops);
      Status status = other->restore(*iterator->save());
      EXPECT_TRUE(status.isOk()) << status.message();
      EXPECT_EQ(take(*other, 100).values,
                Numbers(all.begin() + static_cast<ptrdiff_t>(at), all.end()))
          << "from " << at;
      take(*iterator, 1);
    }
    return all;
  }

  ProgramBuilder b;
};

TEST_F(WindowFailure, IsSkippedByStride) {
  // The windows are 0 2, 3 5, 6 8, 9 11 and 12: the failing elements 1, 4, 7,
  // ... lie between their elements or after them.
  EXPECT_EQ(elements(2, 3, 2), (Numbers{0, 2, 3, 5, 6, 8, 9, 11, 12}));
}

TEST_F(WindowFailure, IsSkippedByShift) {
  EXPECT_EQ(elements(1, 3, 1), (Numbers{0, 3, 6, 9, 12}));
}

TEST_F(WindowFailure, FailsEachWindowWithIt) {
  EXPECT_EQ(elements(2, 1, 1), (Numbers{2, 3, 5, 6, 8, 9, 11, 12}));
}

TEST_F(WindowFailure, DoesNotFailDroppedWindow) {
  auto iterator = create(15, 1, 1, /*drops=*/true);
  ASSERT_TRUE(iterator->make().isOk());
  Taken taken = take(*iterator, 1);
  EXPECT_EQ(taken.status.code(), StatusCode::OutOfRange);
}

} // namespace
