//===- Pipelines.h - The pipelines of orders.txt ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Builds the pipelines of test/data/input/orders.txt as make_orders.py does,
// and reads the elements that TensorFlow returns for them.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TEST_RUNTIME_INPUT_PIPELINES_H
#define INGOT_TEST_RUNTIME_INPUT_PIPELINES_H

#include "ProgramBuilder.h"

#include "runtime/Input/Iterator.h"

#include <string>
#include <vector>

namespace ingot::test {

/// A line of orders.txt.
struct Order {
  std::string name;
  /// Seed and seed2 of each shuffle in the graph.
  std::vector<int64_t> seeds;
  /// Sizes of the batches; empty: elements are scalars.
  std::vector<int64_t> batchSizes;
  std::vector<int64_t> elements;
};

const std::vector<Order> &orders();

/// Builds the pipeline with the name in `order`, and returns its root. An
/// unknown name fails the test.
uint32_t buildPipeline(ProgramBuilder &builder, const Order &order);

/// The elements that an iterator over int64 tensors returns, up to `limit`
/// calls or its end.
struct Taken {
  std::vector<int64_t> sizes; // the size of each call's tensor
  std::vector<int64_t> values;
  Status status; // the status of the last call
};
Taken take(Iterator &iterator, size_t limit);

/// Options with which parallel maps call their functions on up to three
/// threads, `group` calls at a time, however quick they are, or in order.
inline InputPipelineOptions mapOptions(bool isParallel, unsigned group = 1) {
  InputPipelineOptions options;
  options.parallelCalls = isParallel ? 3 : 1;
  options.parallelCallGroup = group;
  options.minParallelCallTime = std::chrono::nanoseconds(0);
  return options;
}

} // namespace ingot::test

#endif // INGOT_TEST_RUNTIME_INPUT_PIPELINES_H
