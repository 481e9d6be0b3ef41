//===- OpCall.h - Calls a runtime op as compiled code does ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TEST_RUNTIME_OPS_OPCALL_H
#define INGOT_TEST_RUNTIME_OPS_OPCALL_H

#include "runtime/Ops/OpKernelContext.h"

#include <cstring>
#include <deque>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

namespace ingot::test {

using Shape = std::vector<int64_t>;

template <typename T> constexpr int32_t dtypeOf() {
  if constexpr (std::is_same_v<T, float>)
    return INGOT_FLOAT;
  else if constexpr (std::is_same_v<T, double>)
    return INGOT_DOUBLE;
  else if constexpr (std::is_same_v<T, int32_t>)
    return INGOT_INT32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return INGOT_INT64;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return INGOT_UINT8;
  else if constexpr (std::is_same_v<T, bool>)
    return INGOT_BOOL;
  else
    return INGOT_STRING;
}

/// A call of a runtime op: a test adds inputs, outputs and attributes, runs it,
/// and reads the outputs.
class OpCall {
public:
  OpCall &input(int32_t dtype, const Shape &dims, const void *data,
                size_t bytes);
  template <typename T> OpCall &input(const Shape &dims, std::vector<T> data) {
    // std::vector<bool> does not store its elements as bytes.
    std::vector<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>> flat(
        data.begin(), data.end());
    return input(dtypeOf<T>(), dims, flat.data(), flat.size() * sizeof(T));
  }
  OpCall &texts(const Shape &dims, std::vector<std::string> data);

  /// Adds an output whose shape was unknown when the program was compiled.
  OpCall &output(int32_t dtype, uint32_t rank);
  /// Adds an output of a known shape.
  OpCall &output(int32_t dtype, const Shape &dims, bool isStatic);

  OpCall &attribute(const char *name, int64_t value);
  OpCall &attribute(const char *name, double value);
  OpCall &attribute(const char *name, std::string value);
  OpCall &attribute(const char *name, std::vector<int64_t> values);
  OpCall &attribute(const char *name, std::vector<std::string> values);

  /// Runs `function` as the op of a node named "n"; `context` may be null.
  Status run(ingot_runtime_op function, ingot_context *context = nullptr);

  Shape dims(size_t output) const { return outputDims[output]; }
  template <typename T> std::vector<T> values(size_t output) const {
    const T *data = static_cast<const T *>(outputs[output].data);
    return std::vector<T>(data, data + count(output));
  }
  std::vector<std::string> strings(size_t output) const;

private:
  size_t count(size_t output) const;

  RunArena memory;
  std::deque<std::string> texts_;
  std::deque<std::vector<char>> storage;
  std::deque<std::vector<int64_t>> lists;
  std::deque<std::vector<ingot_string>> stringLists;
  std::deque<Shape> inputDims, outputDims;
  std::vector<ingot_tensor> inputs, outputs;
  std::vector<size_t> allocated; // the outputs that the last run allocated
  std::vector<ingot_op_attribute> attributes;
};

} // namespace ingot::test

#endif // INGOT_TEST_RUNTIME_OPS_OPCALL_H
