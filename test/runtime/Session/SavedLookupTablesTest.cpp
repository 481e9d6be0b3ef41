//===- SavedLookupTablesTest.cpp - Lookup tables in checkpoints -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// Saves and restores the counter program with four lookup tables: two that its
// saver names, one that outlives a session though the saver does not name it,
// and one that each session fills anew.
//
//===----------------------------------------------------------------------===//

#include "CounterProgram.h"

#include "runtime/Session/RankGroup.h"
#include "runtime/Session/SavedLookupTables.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <gtest/gtest.h>

using namespace ingot;
using namespace ingot::test;

namespace {

using Entries = std::vector<LookupTable::Entry>;

constexpr int64_t pair[] = {2};
constexpr ingot_lookup_table lookupTables[] = {
    {"counts", INGOT_STRING, {"", INGOT_INT64, 0, nullptr}, 1},
    {"names", INGOT_INT64, {"", INGOT_STRING, 1, pair}, 1},
    {"hidden", INGOT_INT32, {"", INGOT_FLOAT, 1, pair}, 1},
    {"vocabulary", INGOT_STRING, {"", INGOT_INT64, 0, nullptr}, 0},
};
enum { Counts, Names, Hidden, Vocabulary };

/// The bytes of numbers, as tables store them.
template <typename... T> std::string bytes(T... numbers) {
  std::string all;
  (all.append(reinterpret_cast<const char *>(&numbers), sizeof(T)), ...);
  return all;
}

class SavedLookupTables : public testing::Test {
protected:
  SavedLookupTables() {
    const ingot_saver &graphs = program.savers[0];
    items.assign(graphs.items, graphs.items + graphs.num_items);
    for (uint32_t values : {1u, 0u})
      for (int32_t table : {Names, Counts})
        items.push_back(
            {keys[table][values], "", -1, -1, table, values, 0, {nullptr, 0}});
    saver = graphs;
    saver.items = items.data();
    saver.num_items = static_cast<uint32_t>(items.size());
    program.savers = &saver;
    program.lookup_tables = lookupTables;
    program.num_lookup_tables = std::size(lookupTables);
  }

  std::unique_ptr<Session> create() {
    auto session = Session::create(program, oneThread(files));
    EXPECT_TRUE(session) << session.status().message();
    EXPECT_TRUE(
        (*session)->runOnce(*findEntry(program, INGOT_ROLE_INIT)).isOk());
    return std::move(*session);
  }

  StateToSave collect(Session &session,
                      VariablesToSave which = VariablesToSave::Needed) {
    auto state = collectState(session.context(), 0, 0, {}, IteratorsToSave::All,
                              DeviceVariableHandling::Here, which);
    EXPECT_TRUE(state) << state.status().message();
    return std::move(*state);
  }

  void save(Session &session) {
    StateToSave state = collect(session);
    ASSERT_TRUE(detachState(state).isOk());
    write(state.items);
  }

  void write(const std::vector<TensorToSave> &saved) {
    ASSERT_TRUE(
        writeCheckpoint(files, "run/model.ckpt-1", 1, false, saved).isOk());
  }

  Expected<RestoreReport>
  restore(Session &session, const std::function<Status()> &initialize = {}) {
    RestoreOptions options;
    return restoreState(session.context(), 0, "run/model.ckpt-1", options,
                        initialize);
  }

  static void fill(Session &session) {
    LookupTables &tables = session.context().tables;
    tables[Counts].insert({{"b", bytes(int64_t(1))}, {"a", bytes(int64_t(2))}});
    tables[Counts].insert({{"c", bytes(int64_t(3))}, {"b", bytes(int64_t(4))}});
    tables[Counts].remove({"a", "z"});
    tables[Counts].insert({{"a", bytes(int64_t(5))}});
    tables[Names].insert(
        {{bytes(int64_t(7)), packTexts({"x", ""})},
         {bytes(int64_t(-7)), packTexts({"", std::string("y\0y", 3)})}});
    tables[Hidden].insert({{bytes(int32_t(3)), bytes(0.5f, 0.25f)}});
    ASSERT_TRUE(
        tables[Vocabulary].initialize({{"w", bytes(int64_t(0))}}).isOk());
  }

  static constexpr const char *keys[2][2] = {{"counts-keys", "counts-values"},
                                             {"names-keys", "names-values"}};
  FaultFileSystem files{{"run"}};
  ingot_program program = counterProgram();
  std::vector<ingot_saved_item> items;
  ingot_saver saver;
};

std::vector<std::string> keysOf(const StateToSave &state) {
  std::vector<std::string> found;
  for (const TensorToSave &item : state.items)
    if (item.key.find("-keys") != std::string::npos ||
        item.key.find("-values") != std::string::npos ||
        item.key.starts_with("ingot/table/"))
      found.push_back(item.key);
  return found;
}

TEST_F(SavedLookupTables, AreThoseOfTheListAndThoseThatOutliveASession) {
  auto session = create();
  fill(*session);
  const std::vector<std::string> listed = {"names-keys", "names-values",
                                           "counts-keys", "counts-values"};
  EXPECT_EQ(keysOf(collect(*session, VariablesToSave::Listed)), listed);
  std::vector<std::string> needed = listed;
  needed.insert(needed.end(),
                {"ingot/table/hidden/keys", "ingot/table/hidden/values"});
  EXPECT_EQ(keysOf(collect(*session)), needed);
  EXPECT_EQ(keysOf(collect(*session, VariablesToSave::All)), needed);
}

TEST_F(SavedLookupTables, AreRestoredInTheirOrder) {
  auto session = create(), other = create();
  fill(*session);
  save(*session);
  LookupTables &tables = other->context().tables;
  tables[Counts].insert({{"gone", bytes(int64_t(9))}});
  auto report = restore(*other);
  ASSERT_TRUE(report) << report.status().message();
  // A key that was removed and added again comes last.
  EXPECT_EQ(tables[Counts].list(), (Entries{{"b", bytes(int64_t(4))},
                                            {"c", bytes(int64_t(3))},
                                            {"a", bytes(int64_t(5))}}));
  for (int table : {Counts, Names, Hidden})
    EXPECT_EQ(tables[table].list(), session->context().tables[table].list());
  EXPECT_EQ(tables[Vocabulary].size(), 0u);
  EXPECT_FALSE(tables[Vocabulary].isInitialized());
  EXPECT_TRUE(report->warnings.empty());
}

TEST_F(SavedLookupTables, WithoutContentsAreRestoredEmpty) {
  auto session = create(), other = create();
  save(*session);
  fill(*other);
  ASSERT_TRUE(restore(*other));
  EXPECT_EQ(other->context().tables[Counts].size(), 0u);
  EXPECT_EQ(other->context().tables[Hidden].size(), 0u);
}

TEST_F(SavedLookupTables, OutsideOfTheListMayLackInACheckpoint) {
  auto session = create(), other = create();
  fill(*session);
  StateToSave state = collect(*session, VariablesToSave::Listed);
  write(state.items);
  bool ran = false;
  auto report = restore(*other, [&] {
    ran = true;
    other->context().tables[Hidden].insert(
        {{bytes(int32_t(1)), bytes(1.0f, 1.0f)}});
    return Status::ok();
  });
  ASSERT_TRUE(report) << report.status().message();
  EXPECT_TRUE(ran);
  EXPECT_EQ(other->context().tables[Hidden].size(), 1u);
  ASSERT_EQ(report->warnings.size(), 1u);
  EXPECT_NE(report->warnings[0].find("tables that the graph's saver leaves "
                                     "out, which have their initial contents: "
                                     "'hidden'"),
            std::string::npos)
      << report->warnings[0];
}

TEST_F(SavedLookupTables, OfTheListAreAskedFor) {
  auto session = create();
  fill(*session);
  StateToSave state = collect(*session);
  std::erase_if(state.items, [](const TensorToSave &item) {
    return item.key == "counts-values";
  });
  write(state.items);
  auto report = restore(*session);
  ASSERT_FALSE(report);
  EXPECT_NE(report.status().message().find("'counts-values'"),
            std::string::npos);
}

TEST_F(SavedLookupTables, NeedAValueForEachKey) {
  auto session = create();
  fill(*session);
  for (const char *key : {"counts-keys", "names-values"}) {
    StateToSave state = collect(*session);
    for (TensorToSave &item : state.items)
      if (item.key == key)
        item.shape[0] -= 1;
    write(state.items);
    Entries before = session->context().tables[Counts].list();
    auto report = restore(*session);
    ASSERT_FALSE(report);
    EXPECT_NE(report.status().message().find(" keys for the "),
              std::string::npos)
        << report.status().message();
    EXPECT_EQ(session->context().tables[Counts].list(), before);
  }
}

TEST_F(SavedLookupTables, OfAnotherTypeOrShapeAreRefused) {
  auto session = create();
  fill(*session);
  StateToSave state = collect(*session);
  const float wrong[] = {1, 2, 3};
  for (TensorToSave &item : state.items) {
    if (item.key == "counts-values") {
      item.dtype = INGOT_FLOAT;
      item.data = wrong;
    }
    if (item.key == "ingot/table/hidden/values") {
      item.shape = {1, 3};
      item.data = wrong;
    }
  }
  write(state.items);
  auto report = restore(*session);
  ASSERT_FALSE(report);
  for (const char *name : {"'counts-values'", "'ingot/table/hidden/values'"})
    EXPECT_NE(report.status().message().find(name), std::string::npos)
        << report.status().message();
}

TEST_F(SavedLookupTables, AreTakenOverByOtherRanks) {
  auto session = create(), other = create();
  fill(*session);
  for (int table : {Counts, Names, Hidden, Vocabulary}) {
    LookupTable &from = session->context().tables[table],
                &to = other->context().tables[table];
    ASSERT_TRUE(to.setState(from.state()).isOk());
    EXPECT_EQ(to.list(), from.list());
    EXPECT_EQ(to.isInitialized(), table == Vocabulary);
  }
}

} // namespace
