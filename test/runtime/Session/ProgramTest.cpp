//===- ProgramTest.cpp - Descriptors, good and bad ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "CounterProgram.h"

#include "runtime/Session/Program.h"
#include "runtime/Session/Session.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;
using testing::Test;

static void expectRefused(const ingot_program &program, StatusCode code,
                          const std::string &part) {
  Status status = checkProgram(program);
  EXPECT_EQ(status.code(), code) << status.message();
  EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
}

TEST(ProgramTest, AcceptsAWellFormedDescriptor) {
  EXPECT_TRUE(checkProgram(counterProgram()).isOk());
}

TEST(ProgramTest, RefusesAnotherAbiVersionBeforeReadingItsTables) {
  ingot_program program;
  // All bytes are invalid, so that a use of any pointer would crash.
  std::memset(&program, 0xab, sizeof(program));
  program.magic = INGOT_PROGRAM_MAGIC;
  program.abi_version = INGOT_ABI_VERSION + 1;
  expectRefused(program, StatusCode::FailedPrecondition,
                "ABI version " + std::to_string(INGOT_ABI_VERSION + 1));
}

TEST(ProgramTest, RefusesADescriptorOfAnotherSize) {
  ingot_program program;
  std::memset(&program, 0xab, sizeof(program));
  program.magic = INGOT_PROGRAM_MAGIC;
  program.abi_version = INGOT_ABI_VERSION;
  program.struct_size = sizeof(program) - 8;
  expectRefused(program, StatusCode::FailedPrecondition,
                std::to_string(sizeof(program) - 8) + " bytes");
}

TEST(ProgramTest, RejectsMissingMagicNumber) {
  ingot_program program;
  std::memset(&program, 0xab, sizeof(program));
  expectRefused(program, StatusCode::FailedPrecondition, "magic");
}

TEST(ProgramTest, RejectsInconsistentVariableSize) {
  ingot_program program = counterProgram();
  std::vector<ingot_variable> variables(
      program.variables, program.variables + program.num_variables);
  variables[CounterV1].byte_size = 12;
  program.variables = variables.data();
  expectRefused(program, StatusCode::Internal, "v/part_1");
}

TEST(ProgramTest, RejectsUnknownAssignedVariable) {
  ingot_program program = counterProgram();
  std::vector<ingot_entry> entries(program.entries,
                                   program.entries + program.num_entries);
  const uint32_t assigned[] = {program.num_variables};
  entries[0].num_assigned = 1;
  entries[0].assigned = assigned;
  program.entries = entries.data();
  expectRefused(program, StatusCode::Internal, "entry 'init'");
}

namespace {

/// A counter program whose entries a test may change.
struct ChangedEntries {
  ingot_program program = counterProgram();
  std::vector<ingot_entry> entries{program.entries,
                                   program.entries + program.num_entries};

  ingot_entry &add(const char *name, ingot_role role) {
    entries.push_back(*findEntry(program, INGOT_ROLE_PREDICT));
    entries.back().name = name;
    entries.back().role = role;
    return entries.back();
  }
  const ingot_program &made() {
    program.entries = entries.data();
    program.num_entries = static_cast<uint32_t>(entries.size());
    return program;
  }
  int32_t indexOf(ingot_role role) const {
    return static_cast<int32_t>(findEntry(program, role) - program.entries);
  }
};

/// Adds an entry for the part of the step that process `place` of `count` runs.
void addPlace(ChangedEntries &changed, uint32_t place, uint32_t count) {
  ingot_entry &entry = changed.add("place", INGOT_ROLE_PLACED_STEP);
  entry.of = changed.indexOf(INGOT_ROLE_STEP);
  entry.place = place;
  entry.num_places = count;
}

} // namespace

// A damaged artifact may contain any number for an index, a role or a size.
TEST(ProgramTest, RejectsUnknownRoles) {
  for (uint32_t role : {0u, 22u, UINT32_MAX}) {
    ChangedEntries changed;
    changed.entries[0].role = role;
    expectRefused(changed.made(), StatusCode::Internal,
                  "unknown role " + std::to_string(role));
  }
}

TEST(ProgramTest, RejectsEntriesThatBelongToNoneOrToOneOfAnotherRole) {
  for (int32_t of : {-2, INT32_MIN, INT32_MAX, 10}) {
    ChangedEntries changed;
    changed.entries.back().of = of;
    expectRefused(
        changed.made(), StatusCode::Internal,
        "entry 'evaluate/metrics', of role metrics, belongs to entry " +
            std::to_string(of) +
            ", but entries are numbered from 0, and their count is 10");
  }
  ChangedEntries none;
  none.entries.back().of = -1;
  expectRefused(none.made(), StatusCode::Internal, "belongs to no entry");
  ChangedEntries other;
  other.entries.back().of = other.indexOf(INGOT_ROLE_STEP);
  expectRefused(other.made(), StatusCode::Internal, "the wrong entry");
  ChangedEntries itself;
  itself.entries.back().of = 9;
  expectRefused(itself.made(), StatusCode::Internal, "the wrong entry");
  ChangedEntries step;
  step.entries[3].of = 0;
  expectRefused(step.made(), StatusCode::Internal,
                "entry 'step', of role step, belongs to the wrong entry");
}

TEST(ProgramTest, RejectsMembersWhereTheRoleHasNone) {
  ChangedEntries changed;
  changed.entries[0].member = "t0_a";
  expectRefused(changed.made(), StatusCode::Internal, "is for a member");
  for (const char *member : {static_cast<const char *>(nullptr), ""}) {
    ChangedEntries without;
    ingot_entry &state = without.add("state", INGOT_ROLE_MEMBER_STATE);
    state.of = without.indexOf(INGOT_ROLE_STEP);
    state.member = member;
    expectRefused(without.made(), StatusCode::Internal, "not for a member");
  }
}

TEST(ProgramTest, RejectsPlacesAmongNoProcesses) {
  for (auto [place, count] : {std::pair(0u, 0u),
                              {0u, 1u},
                              {2u, 2u},
                              {UINT32_MAX, 2u},
                              {0u, UINT32_MAX}}) {
    ChangedEntries changed;
    addPlace(changed, place, count);
    expectRefused(changed.made(), StatusCode::Internal,
                  "is for process " + std::to_string(place) + " of " +
                      std::to_string(count));
  }
  ChangedEntries good, differing;
  addPlace(good, 0, 3);
  addPlace(good, 2, 3);
  EXPECT_TRUE(checkProgram(good.made()).isOk());
  addPlace(differing, 0, 3);
  addPlace(differing, 1, 4);
  expectRefused(differing.made(), StatusCode::Internal, "process 1 of 4");
  ChangedEntries step;
  step.entries[3].num_places = 2;
  expectRefused(step.made(), StatusCode::Internal, "one of several");
}

TEST(ProgramTest, RejectsUnknownIteratorsAndPredictions) {
  ChangedEntries changed;
  const uint32_t drawn[] = {changed.program.num_iterators};
  changed.entries[3].num_iterators = 1;
  changed.entries[3].iterators = drawn;
  expectRefused(changed.made(), StatusCode::Internal,
                "draws from iterator 1, but iterators are numbered from 0, and "
                "their count is 1");
  for (int32_t prediction : {-2, 10, INT32_MAX}) {
    ChangedEntries predicting;
    predicting.program.prediction = prediction;
    expectRefused(predicting.made(), StatusCode::Internal,
                  "predicts by entry " + std::to_string(prediction));
  }
}

TEST(ProgramTest, RejectsUnknownTables) {
  ChangedEntries changed;
  const uint32_t tables[] = {changed.program.num_lookup_tables};
  changed.entries[3].num_changed_tables = 1;
  changed.entries[3].changed_tables = tables;
  expectRefused(changed.made(), StatusCode::Internal,
                "entry 'step' changes lookup table " +
                    std::to_string(tables[0]) +
                    ", but tables are numbered from 0, and their count is " +
                    std::to_string(tables[0]));
}

TEST(ProgramTest, ChangesOfVariablesAndTablesAreChangesOfState) {
  ingot_entry entry = entryOf("e", INGOT_ROLE_OTHER, nullptr, {}, {}, {});
  EXPECT_FALSE(changesState(entry));
  entry.num_changed_tables = 1;
  EXPECT_TRUE(changesState(entry));
  entry.num_changed_tables = 0;
  entry.num_assigned = 1;
  EXPECT_TRUE(changesState(entry));
}

TEST(ProgramTest, FindsEntriesByRoleOwnerAndMember) {
  ChangedEntries changed;
  changed.add("x", INGOT_ROLE_MEMBER_STATE).member = "a";
  changed.add("y", INGOT_ROLE_MEMBER_STATE).member = "b";
  for (size_t i = 10; i < 12; ++i)
    changed.entries[i].of = changed.indexOf(INGOT_ROLE_STEP);
  const ingot_program &program = changed.made();
  ASSERT_TRUE(checkProgram(program).isOk());
  const ingot_entry &evaluate = *findEntry(program, INGOT_ROLE_EVALUATE),
                    &step = *findEntry(program, INGOT_ROLE_STEP);
  EXPECT_EQ(findEntry(program, INGOT_ROLE_METRICS, evaluate),
            &program.entries[9]);
  EXPECT_EQ(findEntry(program, INGOT_ROLE_METRICS, step), nullptr);
  EXPECT_EQ(findEntry(program, INGOT_ROLE_DEFAULTS, step), nullptr);
  EXPECT_EQ(findEntry(program, INGOT_ROLE_MEMBER_STATE, "b"),
            &program.entries[11]);
  EXPECT_EQ(findEntry(program, INGOT_ROLE_MEMBER_STATE, "c"), nullptr);
  EXPECT_EQ(findEntry(program, INGOT_ROLE_MEMBER_STEP, "a"), nullptr);
}

TEST(ProgramTest, RefusesSaverItemOfNoKind) {
  ingot_program program = counterProgram();
  const ingot_saved_item items[] = {{"w", "", -1, -1, -1, 0, 0, {nullptr, 0}}};
  ingot_saver saver = program.savers[0];
  saver.num_items = 1;
  saver.items = items;
  program.savers = &saver;
  expectRefused(program, StatusCode::Internal, "item 'w'");
}

TEST(ProgramTest, ChoosesTheHighestTargetThatTheMachineRuns) {
  ingot_program program = counterProgram();
  const char *targets[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
  program.targets = targets;
  program.num_targets = 3;
  auto upTo3 = [](std::string_view level) { return level != "x86-64-v4"; };
  auto chosen = chooseTarget(program, upTo3);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(*chosen, 1u);
  auto all = chooseTarget(program, [](std::string_view) { return true; });
  ASSERT_TRUE(all);
  EXPECT_EQ(*all, 2u);
}

TEST(ProgramTest, NamesTheLevelThatAMachineLacks) {
  ingot_program program = counterProgram();
  const char *targets[] = {"x86-64-v3", "x86-64-v4"};
  program.targets = targets;
  auto chosen = chooseTarget(program, [](std::string_view) { return false; });
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.status().code(), StatusCode::Unavailable);
  EXPECT_NE(chosen.status().message().find("x86-64-v3"), std::string::npos);
}

TEST(ProgramTest, Bfloat16LevelNeedsItsInstruction) {
  EXPECT_EQ(hasCPULevel("x86-64-v4-bf16"),
            hasCPULevel("x86-64-v4") && __builtin_cpu_supports("avx512bf16"));
}

TEST(ProgramTest, UnitsOf256BitsAreThoseOfAMDCPUsWithAVX512) {
  EXPECT_EQ(hasCPULevel("x86-64-v4-fp256"),
            hasCPULevel("x86-64-v4-bf16") && halves512BitVectors());
  EXPECT_TRUE(__builtin_cpu_is("amd") || !halves512BitVectors());
}

TEST(ProgramTest, EveryMachineRunsTheBaseline) {
  EXPECT_TRUE(hasCPULevel("x86-64"));
  EXPECT_FALSE(hasCPULevel("x86-64-v99"));
  EXPECT_FALSE(hasCPULevel(""));
}

TEST(ProgramTest, FindsATensorByNameAndByItsNodesName) {
  ingot_program program = counterProgram();
  auto fetches = fetchesOf(*findEntry(program, INGOT_ROLE_STEP));
  EXPECT_EQ(findTensor(fetches, "element:0"), 1);
  EXPECT_EQ(findTensor(fetches, "element"), 1);
  EXPECT_EQ(findTensor(fetches, "element:1"), -1);
  EXPECT_EQ(findTensor(fetches, "elem"), -1);
}

TEST(ProgramTest, UnknownOrOverflowingShapeHasNoSize) {
  const int64_t unknown[] = {2, -1}, huge[] = {INT64_MAX, 2},
                wide[] = {INT64_MAX / 2};
  EXPECT_EQ(byteSizeOf({"x", INGOT_FLOAT, 2, unknown}), -1);
  EXPECT_EQ(byteSizeOf({"x", INGOT_INT8, 2, huge}), -1);
  EXPECT_EQ(byteSizeOf({"x", INGOT_FLOAT, 1, wide}), -1);
  EXPECT_EQ(byteSizeOf({"x", INGOT_VARIANT, 0, nullptr}), -1);
  EXPECT_EQ(typeText({"x", INGOT_FLOAT, 2, unknown}), "float32[2,?]");
}

TEST(SessionTest, FeedsAreChecked) {
  ingot_program program = counterProgram();
  auto session = Session::create(program, {});
  ASSERT_TRUE(session) << session.status().message();
  auto bound = (*session)->bind(*findEntry(program, INGOT_ROLE_PREDICT));
  ASSERT_TRUE(bound);
  alignas(INGOT_ALIGNMENT) float x[6] = {};
  int64_t right[] = {2, 3}, wrong[] = {3, 2};
  ingot_tensor feed = {x, right, 2, INGOT_FLOAT};
  EXPECT_TRUE((*session)->run(*bound, {&feed, 1}).isOk());
  auto refused = [&](std::span<const ingot_tensor> feeds, const char *found) {
    Status status = (*session)->run(*bound, feeds);
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
    EXPECT_NE(status.message().find(found), std::string::npos)
        << status.message();
  };
  refused({}, "but is not given");
  feed.dims = wrong;
  refused({&feed, 1}, "float32[3,2]");
  feed = {x, right, 2, INGOT_INT32};
  refused({&feed, 1}, "int32[2,3]");
  feed = {x, right, 1, INGOT_FLOAT};
  refused({&feed, 1}, "float32[2]");
}

static int32_t count(ingot_context *, uint8_t *, void *const *,
                     const ingot_tensor *, ingot_tensor *fetches) {
  alignas(INGOT_ALIGNMENT) static int64_t numbers[] = {7, 8, 9};
  EXPECT_EQ(fetches[0].data, nullptr);
  fetches[0].data = numbers;
  fetches[0].dims[0] = 3;
  return 0;
}

TEST(SessionTest, CodeSizesDynamicFetches) {
  ingot_program program = counterProgram();
  auto session = Session::create(program, {});
  ASSERT_TRUE(session) << session.status().message();
  ingot_entry entry = *findEntry(program, INGOT_ROLE_READY);
  const int64_t dims[] = {-1};
  const ingot_tensor_spec fetch = {"counted:0", INGOT_INT64, 1, dims};
  entry.run = count;
  entry.num_fetches = 1;
  entry.fetches = &fetch;
  auto bound = (*session)->bind(entry);
  ASSERT_TRUE(bound) << bound.status().message();
  ASSERT_TRUE((*session)->run(*bound).isOk());
  EXPECT_EQ(typeText(bound->fetchSpec(0)), "int64[3]");
  EXPECT_EQ(static_cast<const int64_t *>(bound->fetch(0))[2], 9);
}

TEST(SessionTest, MemoryOfVariablesAndFetchesIsAligned) {
  ingot_program program = counterProgram();
  auto session = Session::create(program, {});
  ASSERT_TRUE(session);
  auto bound = (*session)->bind(*findEntry(program, INGOT_ROLE_STEP));
  ASSERT_TRUE(bound);
  for (void *variable : (*session)->context().variables)
    EXPECT_EQ(reinterpret_cast<uintptr_t>(variable) % INGOT_ALIGNMENT, 0u);
  for (size_t i = 0; i < bound->fetches().size(); ++i)
    EXPECT_EQ(reinterpret_cast<uintptr_t>(bound->fetch(i)) % INGOT_ALIGNMENT,
              0u);
}
