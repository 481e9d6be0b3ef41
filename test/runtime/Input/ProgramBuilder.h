//===- ProgramBuilder.h - Programs as codegen lays them out -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Builds an ingot_program that has only the tables of pipelines. The tables
// live as long as the builder.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TEST_RUNTIME_INPUT_PROGRAMBUILDER_H
#define INGOT_TEST_RUNTIME_INPUT_PROGRAMBUILDER_H

#include "runtime/ABI/Program.h"

#include <deque>
#include <string>
#include <vector>

namespace ingot::test {

using Dims = std::vector<int64_t>;

class ProgramBuilder {
public:
  ProgramBuilder();

  ingot_tensor_spec spec(int32_t dtype, Dims dims = {});

  ingot_dataset_operand scalar(int64_t value);
  ingot_dataset_operand scalar32(int32_t value);
  ingot_dataset_operand boolean(bool value);
  ingot_dataset_operand string(std::string value);
  ingot_dataset_operand strings(const std::vector<std::string> &values);
  ingot_dataset_operand int64s(std::vector<int64_t> values, Dims dims);
  ingot_dataset_operand floats(std::vector<float> values, Dims dims);
  static ingot_dataset_operand argument(uint32_t index);

  /// Adds a dataset of any op, and returns its index.
  uint32_t dataset(const char *op, std::vector<uint32_t> inputs,
                   std::vector<ingot_dataset_operand> operands,
                   std::vector<ingot_tensor_spec> components,
                   std::vector<ingot_attribute> attributes = {},
                   int32_t function = -1, int32_t body = -1);

  // Adds a dataset of a common op, and returns its index. A dataset with one
  // input has that input's components, with another dimension if it batches.
  uint32_t range(int64_t count);
  uint32_t shuffle(uint32_t input, int64_t buffer, int64_t seed, int64_t seed2,
                   bool reshuffle = true);
  uint32_t unary(const char *op, uint32_t input, int64_t operand);
  uint32_t repeat(uint32_t input, int64_t count = -1);
  uint32_t batch(uint32_t input, int64_t size, bool dropRemainder = false);
  uint32_t prefetch(uint32_t input, int64_t depth = 2);
  uint32_t records(ingot_dataset_operand files, std::string compression = "");
  uint32_t map(uint32_t input, ingot_code code,
               std::vector<ingot_tensor_spec> outputs, uint64_t arenaSize = 0,
               std::vector<ingot_dataset_operand> captured = {});
  /// Adds a map from int64 to int64 whose function keeps a position and, if
  /// `wantsSeed`, a seed.
  uint32_t randomMap(uint32_t input, ingot_code code, bool wantsSeed = false,
                     bool isParallel = false);
  /// Adds a map from int64 to int64 whose function reads variable `variable`.
  uint32_t variableMap(uint32_t input, ingot_code code, uint32_t variable);
  uint32_t filter(uint32_t input, ingot_code predicate,
                  const char *op = "FilterDataset");
  uint32_t scan(uint32_t input, ingot_code code, ingot_dataset_operand initial);
  uint32_t window(uint32_t input, int64_t size, int64_t shift, int64_t stride,
                  bool dropRemainder = false);
  uint32_t flatMap(uint32_t input, uint32_t body);
  uint32_t interleave(uint32_t input, uint32_t body, int64_t cycleLength,
                      int64_t blockLength = 1);

  /// Adds a variable, and returns its index.
  uint32_t variable(const char *name, int32_t dtype, Dims dims = {});
  /// Adds an iterator over `dataset`, and returns its index.
  uint32_t iterator(uint32_t dataset);
  /// Adds a further dataset over which MakeIterator may make the iterator.
  void alternative(uint32_t iterator, uint32_t dataset);
  /// Returns the tables built so far; later additions are not in them.
  const ingot_program &program();

  /// Gives access to a dataset's table, so that a test can damage it.
  ingot_dataset &edit(uint32_t dataset) { return datasets[dataset]; }
  /// Gives access to the function of map `map`.
  ingot_function &editFunction(uint32_t map) {
    return functions[static_cast<size_t>(datasets[map].function)];
  }

private:
  int32_t function(uint32_t input, ingot_code code,
                   const std::vector<ingot_tensor_spec> &outputs,
                   uint64_t arenaSize,
                   const std::vector<ingot_dataset_operand> &captured);
  template <typename T> const T *keep(std::vector<T> values);
  ingot_dataset_operand constant(int32_t dtype, Dims dims, const void *data);

  std::deque<std::vector<char>> storage;
  std::deque<std::string> texts;
  std::vector<ingot_dataset> datasets;
  std::vector<ingot_function> functions;
  std::vector<ingot_variable> variables;
  std::vector<ingot_iterator> iterators;
  std::vector<ingot_alternative> alternatives;
  ingot_program tables{};
};

} // namespace ingot::test

#endif // INGOT_TEST_RUNTIME_INPUT_PROGRAMBUILDER_H
