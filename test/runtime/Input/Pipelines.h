//===- Pipelines.h - The pipelines of orders.txt ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Each of them as make_orders.py builds it, and TensorFlow's elements.
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
  std::vector<int64_t> seeds;      // seed, seed2 of each shuffle in the graph
  std::vector<int64_t> batchSizes; // empty: elements are scalars
  std::vector<int64_t> elements;
};

const std::vector<Order> &orders();

/// The root of the pipeline named as `order`; fails the test for an unknown
/// name.
uint32_t buildPipeline(ProgramBuilder &builder, const Order &order);

/// Elements of an iterator over int64 tensors, up to `limit` calls or the end.
struct Taken {
  std::vector<int64_t> sizes; // of each call's tensor
  std::vector<int64_t> values;
  Status status; // of the last call
};
Taken take(Iterator &iterator, size_t limit);

} // namespace ingot::test

#endif // INGOT_TEST_RUNTIME_INPUT_PIPELINES_H
