//===- Zoo.h - The checkpoints that TensorFlow wrote ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Access to test/data/checkpoint_zoo: the values that TensorFlow saved, and
// reading a checkpoint whole.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TEST_RUNTIME_CHECKPOINT_ZOO_H
#define INGOT_TEST_RUNTIME_CHECKPOINT_ZOO_H

#include "runtime/Checkpoint/BundleReader.h"
#include "runtime/Checkpoint/SaveRestore.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ingot::test {

/// "<test data>/checkpoint_zoo/v2_single"; for checkpoints in
/// checkpoint_formats, their path there.
std::string zooPath(const std::string &name);

/// One tensor as expect.json has it.
struct ExpectedTensor {
  std::string key;
  int32_t dtype;
  Shape shape;                       // of `elements`: for a slice, the slice's
  std::string slice;                 // "", or as the saver wrote it
  std::vector<std::string> elements; // see elementTexts()
};

/// All tensors of checkpoint `name`; of partitioned ones each slice.
std::vector<ExpectedTensor> expectedTensors(const std::string &name);

/// A tensor's elements, or a part's, in memory.
struct TensorValue {
  std::string bytes;
  std::vector<std::string> strings;

  void *data(int32_t dtype);
  const void *data(int32_t dtype) const;
};

/// Room for `shape` elements.
TensorValue makeValue(int32_t dtype, const Shape &shape);

/// Each element as text that is the same just where the values are: numbers as
/// %.17g (complex: two), strings in hexadecimal.
std::vector<std::string> elementTexts(int32_t dtype, const TensorValue &value);

/// elementTexts() of a BundleReader's or CheckpointReader's tensor, or a part
/// of it; a failure of the test if it cannot be read.
template <typename Reader>
std::vector<std::string> readTexts(const Reader &reader, const std::string &key,
                                   const std::string &slice, int32_t dtype,
                                   const Shape &shape) {
  TensorValue value = makeValue(dtype, shape);
  Status status = reader.read(key, slice, dtype, shape, value.data(dtype));
  EXPECT_TRUE(status.isOk()) << status.message();
  return elementTexts(dtype, value);
}

/// Everything in a checkpoint, in the order of each shard: tensors, and slices
/// with their texts. `values` owns the items' memory.
struct WholeCheckpoint {
  std::vector<SaveItem> items;
  std::vector<std::unique_ptr<TensorValue>> values;
  uint32_t numShards = 0;
};
Expected<WholeCheckpoint> readWhole(const BundleReader &reader);

/// The bytes of a file.
std::string fileBytes(FileSystem &fileSystem, const std::string &path);

/// An empty directory of the test that is running; removed at the start.
std::string scratchDirectory();

} // namespace ingot::test

#endif // INGOT_TEST_RUNTIME_CHECKPOINT_ZOO_H
