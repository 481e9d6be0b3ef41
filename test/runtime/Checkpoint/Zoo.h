//===- Zoo.h - The checkpoints that TensorFlow wrote ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Gives tests access to test/data/checkpoint_zoo: to the values that TensorFlow
// has saved, and to all contents of a checkpoint.
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

/// Returns the path of a checkpoint in checkpoint_zoo, or, if it is there, in
/// checkpoint_formats.
std::string zooPath(const std::string &name);

/// A tensor, or a slice of one, as expect.json describes it.
struct ExpectedTensor {
  std::string key;
  int32_t dtype;
  /// The shape of `elements`, which may be a slice.
  Shape shape;
  /// "" for a whole tensor, or the slice as the saver wrote it.
  std::string slice;
  std::vector<std::string> elements; // see elementTexts()
};

/// All tensors of checkpoint `name`; for a partitioned tensor, each slice.
std::vector<ExpectedTensor> expectedTensors(const std::string &name);

/// The elements of a tensor or a slice, in memory.
struct TensorValue {
  std::string bytes;
  std::vector<std::string> strings;

  void *data(int32_t dtype);
  const void *data(int32_t dtype) const;
};

/// Returns memory for `shape` elements of `dtype`.
TensorValue makeValue(int32_t dtype, const Shape &shape);

/// Returns a text for each element, such that equal texts mean equal values:
/// numbers as %.17g (two for a complex number), strings in hexadecimal.
std::vector<std::string> elementTexts(int32_t dtype, const TensorValue &value);

/// Reads a tensor, or a slice of it, with a BundleReader or CheckpointReader,
/// and returns its elementTexts(). The test fails if it cannot be read.
template <typename Reader>
std::vector<std::string> readTexts(const Reader &reader, const std::string &key,
                                   const std::string &slice, int32_t dtype,
                                   const Shape &shape) {
  TensorValue value = makeValue(dtype, shape);
  Status status = reader.read(key, slice, dtype, shape, value.data(dtype));
  EXPECT_TRUE(status.isOk()) << status.message();
  return elementTexts(dtype, value);
}

/// All tensors and slices of a checkpoint, in the order of each shard; `values`
/// owns the memory of `items`.
struct WholeCheckpoint {
  std::vector<TensorToSave> items;
  std::vector<std::unique_ptr<TensorValue>> values;
  uint32_t numShards = 0;
};
Expected<WholeCheckpoint> readWhole(const BundleReader &reader);

/// Returns the bytes of a file.
std::string fileBytes(FileSystem &fileSystem, const std::string &path);

/// Returns the empty directory of the running test; its former contents are
/// removed.
std::string scratchDirectory();

} // namespace ingot::test

#endif // INGOT_TEST_RUNTIME_CHECKPOINT_ZOO_H
