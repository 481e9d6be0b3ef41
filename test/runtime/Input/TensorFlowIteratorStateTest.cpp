//===- TensorFlowIteratorStateTest.cpp - Damaged states of TensorFlow -----===//
// SPDX-License-Identifier: Apache-2.0
//
// The bytes of TensorFlow's states are not trusted: what is damaged is refused,
// allocates no memory that the bytes do not account for, and leaves iterators
// as they are. What TensorFlow itself wrote is tested end to end
// (test/e2e/datasets.py).
//
//===----------------------------------------------------------------------===//
#include "Pipelines.h"

#include "proto/IteratorVariant.pb.h"
#include "runtime/Input/TensorFlowIteratorState.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Status.h"

#include <gtest/gtest.h>
#include <random>
#include <snappy.h>

using namespace ingot;
using namespace ingot::input;
using namespace ingot::test;

namespace {

std::unique_ptr<Iterator> made(ProgramBuilder &builder) {
  uint32_t root = builder.prefetch(builder.batch(
      builder.repeat(builder.shuffle(builder.range(20), 6, 42, 7)), 3));
  uint32_t index = builder.iterator(root);
  auto created = Iterator::create(builder.program(), index, {});
  EXPECT_TRUE(created) << created.status().message();
  EXPECT_TRUE((*created)->make().isOk());
  return std::move(*created);
}

/// Returns what parsing a variant of one iterator gives, whose only tensor is
/// `tensor`.
Status parse(const proto::IteratorTensor &tensor) {
  proto::IteratorVariant variant;
  variant.set_type_name("tensorflow::Iterator");
  variant.set_metadata("Iterator::Root@@key");
  *variant.add_tensors() = tensor;
  TensorMemoryPool pool;
  TensorFlowIteratorState state(pool, TensorFlowIteratorState::Direction::Read);
  std::string bytes = variant.SerializeAsString();
  return state.parse({&bytes, 1});
}

void expectRefused(const Status &status, const std::string &words) {
  EXPECT_EQ(status.code(), StatusCode::DataLoss);
  EXPECT_NE(status.message().find(words), std::string::npos)
      << status.message();
}

TEST(TensorFlowIteratorState, GoesOnWhereItWasWritten) {
  ProgramBuilder builder;
  auto iterator = made(builder);
  take(*iterator, 5);
  auto variants = iterator->saveForTensorFlow();
  ASSERT_TRUE(variants) << variants.status().message();
  auto expected = take(*iterator, 9);
  ProgramBuilder other;
  auto fresh = made(other);
  ASSERT_TRUE(fresh->restore(packVariants(*variants)).isOk());
  EXPECT_EQ(take(*fresh, 9).values, expected.values);
}

TEST(TensorFlowIteratorState, WhoseBytesChangeIsRefusedOrRead) {
  ProgramBuilder builder;
  auto iterator = made(builder);
  take(*iterator, 5);
  auto variants = iterator->saveForTensorFlow();
  ASSERT_TRUE(variants) << variants.status().message();
  std::mt19937 random(7);
  unsigned numRefused = 0;
  for (unsigned round = 0; round < 4000; ++round) {
    std::vector<std::string> damaged = *variants;
    std::string &bytes = damaged[random() % damaged.size()];
    if (round % 4 == 0)
      bytes.resize(random() % bytes.size());
    else
      for (unsigned flips = 1 + random() % 3; flips > 0; --flips)
        bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
    TensorMemoryPool pool;
    TensorFlowIteratorState state(pool,
                                  TensorFlowIteratorState::Direction::Read);
    numRefused += !state.parse(damaged).isOk();
  }
  EXPECT_GT(numRefused, 1000u);
  EXPECT_LT(numRefused, 4000u);
}

TEST(TensorFlowIteratorState, ThatIsRefusedLeavesTheIteratorWhereItIs) {
  ProgramBuilder builder;
  auto iterator = made(builder);
  take(*iterator, 5);
  auto variants = iterator->saveForTensorFlow();
  ASSERT_TRUE(variants) << variants.status().message();
  auto position = iterator->save();
  ASSERT_TRUE(position);
  // The state of one iterator of the tree alone.
  variants->resize(1);
  EXPECT_FALSE(iterator->restore(packVariants({*variants})).isOk());
  auto after = iterator->save();
  ASSERT_TRUE(after);
  EXPECT_EQ(*after, *position);
}

TEST(TensorFlowIteratorState, WithAShapeThatItsBytesDoNotFillIsRefused) {
  proto::IteratorTensor tensor;
  tensor.set_dtype(INGOT_FLOAT);
  tensor.add_float_val(1);
  tensor.mutable_tensor_shape()->add_dim()->set_size(4);
  EXPECT_TRUE(parse(tensor).isOk()); // the last element is repeated
  for (int64_t size : {int64_t(1) << 40, INT64_MAX, int64_t(-1)}) {
    tensor.mutable_tensor_shape()->mutable_dim(0)->set_size(size);
    expectRefused(parse(tensor), "a tensor has 4 bytes");
  }
}

TEST(TensorFlowIteratorState, WithALengthThatItsBytesCannotHaveIsRefused) {
  proto::CompressedTensors packed;
  std::string data;
  snappy::Compress("12345678", 8, &data);
  // Snappy's data begin with their length as a varint: 4 GiB less one.
  packed.set_data("\xff\xff\xff\xff\x0f" + data.substr(1));
  proto::IteratorTensor tensor;
  auto *inner = tensor.add_variant_val();
  inner->set_type_name("tensorflow.data.CompressedElement");
  inner->set_metadata(packed.SerializeAsString());
  tensor.set_dtype(INGOT_VARIANT);
  expectRefused(parse(tensor), "cannot be expanded");
  packed.set_data(data);
  auto *component = packed.add_components();
  component->set_dtype(INGOT_INT64);
  component->add_uncompressed_bytes(8);
  inner->set_metadata(packed.SerializeAsString());
  EXPECT_TRUE(parse(tensor).isOk());
  component->add_uncompressed_bytes(UINT64_MAX);
  inner->set_metadata(packed.SerializeAsString());
  expectRefused(parse(tensor), "too few bytes");
}

} // namespace
