//===- VariableFunctionTest.cpp - Functions that read variables -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// A function must read the value that a variable has when an element is
// requested, however deep the function is in the pipeline; in a resumed run,
// the value at that time.
//
//===----------------------------------------------------------------------===//
#include "Pipelines.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

/// Returns x * 100 + the variable.
int32_t addVariable(ingot_context *, uint8_t *, void *const *,
                    const ingot_tensor *feeds, ingot_tensor *fetches) {
  *static_cast<int64_t *>(fetches[0].data) =
      *static_cast<const int64_t *>(feeds[0].data) * 100 +
      *static_cast<const int64_t *>(feeds[1].data);
  return 0;
}

/// The value of the variable; if it is negative, the variable has no value.
int64_t held = 0;

InputPipelineOptions options() {
  InputPipelineOptions options;
  options.readVariable = [](ingot_context *,
                            uint32_t) -> Expected<const void *> {
    if (held < 0)
      return Status(StatusCode::FailedPrecondition, "'v' has no value");
    return {static_cast<const void *>(&held)};
  };
  return options;
}

std::unique_ptr<Iterator> create(ProgramBuilder &builder, uint32_t root) {
  uint32_t index = builder.iterator(root);
  auto created = Iterator::create(builder.program(), index, options());
  EXPECT_TRUE(created) << created.status().message();
  return created ? std::move(*created) : nullptr;
}

int64_t nextWith(Iterator &iterator, int64_t value) {
  held = value;
  Taken taken = take(iterator, 1);
  EXPECT_TRUE(taken.status.isOk()) << taken.status.message();
  return taken.values.empty() ? -1 : taken.values[0];
}

uint32_t mapOfRange(ProgramBuilder &b) {
  return b.variableMap(b.range(50), addVariable, b.variable("v", INGOT_INT64));
}

TEST(VariableFunction, SeesTheValueAtTheRequest) {
  ProgramBuilder b;
  auto iterator = create(b, mapOfRange(b));
  ASSERT_TRUE(iterator->make().isOk());
  EXPECT_EQ(nextWith(*iterator, 7), 7);
  EXPECT_EQ(nextWith(*iterator, 9), 109);
  EXPECT_EQ(nextWith(*iterator, 0), 200);
}

TEST(VariableFunction, IsNotPrefetched) {
  ProgramBuilder b;
  uint32_t body = b.prefetch(mapOfRange(b), 10);
  for (uint32_t root :
       {b.prefetch(mapOfRange(b), 10), b.prefetch(b.repeat(mapOfRange(b)), 10),
        b.prefetch(b.flatMap(b.range(1), body), 10)}) {
    auto iterator = create(b, root);
    ASSERT_TRUE(iterator->make().isOk());
    for (int64_t i = 0; i < 20; ++i)
      EXPECT_EQ(nextWith(*iterator, i), 101 * i);
  }
}

TEST(VariableFunction, SeesValueOfResumedRun) {
  ProgramBuilder b;
  uint32_t root = b.prefetch(b.repeat(mapOfRange(b)));
  auto iterator = create(b, root);
  ASSERT_TRUE(iterator->make().isOk());
  EXPECT_EQ(nextWith(*iterator, 1), 1);
  EXPECT_EQ(nextWith(*iterator, 2), 102);
  std::string state = *iterator->save();
  auto other = create(b, root);
  ASSERT_TRUE(other->restore(state).isOk());
  EXPECT_EQ(nextWith(*other, 5), 205);
}

TEST(VariableFunction, FailsWhereTheVariableHasNoValue) {
  ProgramBuilder b;
  auto iterator = create(b, mapOfRange(b));
  ASSERT_TRUE(iterator->make().isOk());
  held = -1;
  Taken taken = take(*iterator, 1);
  EXPECT_EQ(taken.status.code(), StatusCode::FailedPrecondition);
  for (const char *part : {"MapDataset", "'v' has no value"})
    EXPECT_NE(taken.status.message().find(part), std::string::npos)
        << taken.status.message();
}

TEST(VariableFunction, IsRefusedWhereTablesDoNotFit) {
  ProgramBuilder b;
  uint32_t root = mapOfRange(b);
  b.variable("w", INGOT_INT64, {2});
  auto refusal = [&](std::vector<uint32_t> variables) {
    ingot_function &function = b.editFunction(root);
    function.num_variables = static_cast<uint32_t>(variables.size());
    function.variables = variables.data();
    uint32_t index = b.iterator(root);
    auto created = Iterator::create(b.program(), index, options());
    return created ? std::string() : created.status().message();
  };
  EXPECT_EQ(refusal({0}), "");
  EXPECT_NE(
      refusal({2}).find("reads variable 2, but the number of variables is 2"),
      std::string::npos);
  EXPECT_NE(refusal({1}).find("reads variable 'w' as another type or shape"),
            std::string::npos);
  EXPECT_NE(refusal({0, 0, 0}).find(
                "reads 3 variables as its last inputs, but has only 2 inputs"),
            std::string::npos);
}

} // namespace
