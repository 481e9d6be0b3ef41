//===- FeedsTest.cpp - Right and wrong feeds ------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "FedProgram.h"

#include <random>

using namespace ingot;
using namespace ingot::test;

namespace {

/// The feeds of a step of fedProgram(), which a test may change.
struct Feeds {
  float rate = 2, x[6] = {1, 2, 3, 4, 5, 6};
  uint8_t flags[3] = {0, 7, 1};
  ingot_trainer_string texts[2] = {{"ab", 2}, {nullptr, 0}};
  int64_t xDims[2] = {3, 2}, three = 3, two = 2;
  std::vector<ingot_trainer_tensor> all = {
      {"texts:0", INGOT_TRAINER_STRING, 1, &two, texts, sizeof(texts)},
      {"rate", INGOT_TRAINER_FLOAT, 0, nullptr, &rate, 4},
      {"x:0", INGOT_TRAINER_FLOAT, 2, xDims, x, sizeof(x)},
      {"flags", INGOT_TRAINER_BOOL, 1, &three, flags, 3},
  };

  int32_t step(ingot_trainer *trainer) const {
    return ingot_trainer_step(trainer, all.data(), all.size());
  }
};

class FeedErrors : public testing::Test {
protected:
  FaultFileSystem files;
  ingot_program program = fedProgram();
  OpenTrainer trainer{program, files};
  Feeds feeds;

  /// Expects that step() is rejected with a message that contains `words`, and
  /// changes nothing.
  void expectRefused(const std::string &words) {
    float before = valueOf<float>(trainer, "w");
    EXPECT_EQ(feeds.step(trainer), INGOT_TRAINER_INVALID_ARGUMENT);
    EXPECT_NE(trainer.error().find(words), std::string::npos)
        << trainer.error();
    EXPECT_EQ(valueOf<float>(trainer, "w"), before);
    EXPECT_EQ(ingot_trainer_global_step(trainer), 0);
    // The next step succeeds.
    EXPECT_EQ(Feeds().step(trainer), INGOT_TRAINER_OK) << trainer.error();
  }
};

} // namespace

TEST_F(FeedErrors, ValidFeedsAreAccepted) {
  ASSERT_EQ(feeds.step(trainer), INGOT_TRAINER_OK) << trainer.error();
  // w was 0.5; the step adds 2 * 21, 2 flags that are true, and 2 letters.
  EXPECT_EQ(valueOf<float>(trainer, "w"), 0.5f + 42 + 2 + 2);
  EXPECT_EQ(ingot_trainer_global_step(trainer), 1);
  // An empty batch is allowed.
  feeds.xDims[0] = 0;
  feeds.all[2].size = 0;
  feeds.all[2].data = nullptr;
  ASSERT_EQ(feeds.step(trainer), INGOT_TRAINER_OK) << trainer.error();
  EXPECT_EQ(valueOf<float>(trainer, "w"), 46.5f + 4);
}

TEST_F(FeedErrors, MissingFeedIsNamed) {
  feeds.all.pop_back();
  expectRefused("entry 'step' also needs feeds for 'flags:0' bool[3]");
}

TEST_F(FeedErrors, UnknownFeedIsNamed) {
  feeds.all[1].name = "rates";
  expectRefused(
      "'rates' is not a feed of entry 'step': did you mean 'rate:0'?");
}

TEST_F(FeedErrors, UnnamedFeedIsRejected) {
  feeds.all[1].name = nullptr;
  expectRefused("a tensor fed to entry 'step' has no name");
}

TEST_F(FeedErrors, DuplicateFeedIsRejected) {
  feeds.all.push_back(feeds.all[1]);
  feeds.all.back().name = "rate:0";
  expectRefused("feed 'rate:0' is given twice");
}

TEST_F(FeedErrors, TypesAreChecked) {
  feeds.all[2].dtype = INGOT_TRAINER_INT32;
  expectRefused("feed 'x:0' must be float32[?,2], but is int32[3,2]");
}

TEST_F(FeedErrors, ShapesAreChecked) {
  feeds.xDims[0] = 2;
  feeds.xDims[1] = 3;
  expectRefused("feed 'x:0' must be float32[?,2], but is float32[2,3]");
}

TEST_F(FeedErrors, RanksAreChecked) {
  feeds.all[2].rank = 0xffffffffu;
  expectRefused("feed 'x:0' must be float32[?,2], but has rank 4294967295");
}

TEST_F(FeedErrors, NegativeDimensionsAreRejected) {
  feeds.xDims[0] = -3;
  expectRefused("feed 'x:0' must be float32[?,2], but is float32[");
}

TEST_F(FeedErrors, SizesAreChecked) {
  feeds.all[2].size = 20;
  expectRefused("feed 'x:0': float32[3,2] has 24 bytes, found 20");
}

TEST_F(FeedErrors, OverflowingSizesAreRejected) {
  feeds.xDims[0] = INT64_MAX / 4;
  expectRefused("it has 2^63 bytes or more");
}

TEST_F(FeedErrors, NullDimsAreRejected) {
  feeds.all[2].dims = nullptr;
  expectRefused("feed 'x:0': its dims are null, and its rank is 2");
}

TEST_F(FeedErrors, NullDataIsRejected) {
  feeds.all[2].data = nullptr;
  expectRefused("feed 'x:0': its data is null");
}

TEST_F(FeedErrors, NullStringsAreRejected) {
  feeds.texts[1].size = 4;
  expectRefused("feed 'texts:0': string 1 has 4 bytes, but its data is null");
}

TEST_F(FeedErrors, NullArrayIsRejected) {
  EXPECT_EQ(ingot_trainer_step(trainer, nullptr, 4),
            INGOT_TRAINER_INVALID_ARGUMENT);
  EXPECT_EQ(trainer.error(),
            "4 feeds are given, but the pointer to their array is null");
}

TEST_F(FeedErrors, FailedStepIsRestorable) {
  ASSERT_EQ(feeds.step(trainer), INGOT_TRAINER_OK);
  ASSERT_EQ(ingot_trainer_save(trainer), INGOT_TRAINER_OK);
  feeds.rate = 1000;
  EXPECT_EQ(feeds.step(trainer), INGOT_TRAINER_INTERNAL);
  EXPECT_EQ(trainer.error(), "step 2: the sum is too large");
  // The failed step has changed some variables, so they are neither saved nor
  // trained on.
  for (int32_t code : {feeds.step(trainer), ingot_trainer_save(trainer),
                       ingot_trainer_run(trainer, "predict", nullptr, 0)}) {
    EXPECT_EQ(code, INGOT_TRAINER_FAILED_PRECONDITION);
    EXPECT_NE(trainer.error().find("ingot_trainer_restore()"),
              std::string::npos);
  }
  ASSERT_EQ(ingot_trainer_restore(trainer, nullptr), INGOT_TRAINER_OK)
      << trainer.error();
  EXPECT_EQ(valueOf<float>(trainer, "w"), 46.5f);
  EXPECT_EQ(Feeds().step(trainer), INGOT_TRAINER_OK) << trainer.error();
}

/// Random sizes, types and counts of feeds must be rejected, or lead to a
/// correct step. AddressSanitizer reports reads of memory that is not there.
TEST_F(FeedErrors, WrongSizesAreNeverRead) {
  std::mt19937_64 random(19);
  auto pick = [&](std::vector<int64_t> values) {
    return values[random() % values.size()];
  };
  int taken = 0;
  for (int i = 0; i < 3000; ++i) {
    Feeds spoilt;
    for (int times = 0; times < 2; ++times) {
      ingot_trainer_tensor &feed = spoilt.all[random() % spoilt.all.size()];
      switch (random() % 5) {
      case 0:
        feed.dtype = static_cast<int32_t>(pick({0, 1, 2, 7, 10, 21, 99, -1}));
        break;
      case 1: // a rank for which there are dims
        feed.rank = static_cast<uint32_t>(pick({0, feed.dims == spoilt.xDims ? 2
                                                   : feed.dims ? 1
                                                               : 0}));
        break;
      case 2:
        feed.size =
            static_cast<uint64_t>(pick({0, 1, 3, 16, 24, 32, INT64_MAX, -1}));
        break;
      case 3:
        if (feed.dims)
          const_cast<int64_t *>(feed.dims)[0] =
              pick({-1, 0, 1, 2, 3, INT64_MAX, INT64_MIN});
        break;
      case 4:
        feed.data = nullptr;
        break;
      }
    }
    int32_t code = spoilt.step(trainer);
    ASSERT_TRUE(code == INGOT_TRAINER_OK ||
                code == INGOT_TRAINER_INVALID_ARGUMENT)
        << code << trainer.error();
    taken += code == INGOT_TRAINER_OK;
  }
  EXPECT_EQ(ingot_trainer_global_step(trainer), taken);
  EXPECT_GT(taken, 0);
}
