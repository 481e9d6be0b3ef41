//===- SessionManagerTest.cpp - Where a session's state comes from --------===//
// SPDX-License-Identifier: Apache-2.0

#include "CounterProgram.h"

#include "runtime/Checkpoint/BundleReader.h"
#include "runtime/Session/CheckpointContents.h"
#include "runtime/Session/SessionManager.h"
#include "runtime/Support/ErrorSlot.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <thread>
#include <unistd.h>

using namespace ingot;
using namespace ingot::test;

namespace {

/// Keeps the messages.
class RecordingReporter final : public SessionLogger {
public:
  void note(const std::string &message) override { notes.push_back(message); }
  void warning(const std::string &message) override {
    warnings.push_back(message);
  }
  std::vector<std::string> notes, warnings;
};

class SessionManagerTest : public testing::Test {
protected:
  SessionManagerTest() : files({".", "run", "start"}) {
    options.directory = "run";
    options.numShards = 1;
    options.sharded = true;
  }

  std::unique_ptr<Session> create() {
    auto session = Session::create(program, oneThread(files));
    EXPECT_TRUE(session) << session.status().message();
    return std::move(*session);
  }

  /// Runs `count` steps and returns the elements that they drew.
  std::vector<int64_t> runSteps(Session &session, int count) {
    auto bound = session.bind(*findEntry(program, INGOT_ROLE_STEP));
    std::vector<int64_t> elements;
    for (int i = 0; i < count; ++i) {
      Status status = session.run(*bound);
      EXPECT_TRUE(status.isOk()) << status.message();
      elements.push_back(*static_cast<const int64_t *>(bound->fetch(1)));
    }
    return elements;
  }

  Status prepare(Session &session, const SessionStateSource &source) {
    SessionManager manager(source, reporter);
    Status status = manager.prepare(session);
    checkpointFailure = manager.failedOnCheckpoint();
    restoredFrom = manager.restoredFrom();
    return status;
  }

  /// Trains from the initial state, and saves in run/ after each number of
  /// steps in `at`.
  void trainAndSave(std::vector<int> at) {
    auto session = create();
    ASSERT_TRUE(prepare(*session, {}).isOk());
    CheckpointManager checkpoints(files, options);
    int done = 0;
    for (int step : at) {
      runSteps(*session, step - done);
      done = step;
      auto state = collectState(session->context(), 0, 0);
      ASSERT_TRUE(state) << state.status().message();
      auto saved = checkpoints.save(step, state->items);
      ASSERT_TRUE(saved) << saved.status().message();
    }
  }

  void flipByte(const std::string &path, size_t at) {
    std::string bytes = files.get(path);
    ASSERT_GT(bytes.size(), at);
    bytes[at] ^= 1;
    files.put(path, bytes);
  }

  ingot_program program = counterProgram();
  FaultFileSystem files;
  CheckpointManagerOptions options;
  RecordingReporter reporter;
  bool checkpointFailure = false;
  std::string restoredFrom;
};

TEST_F(SessionManagerTest, WithoutCheckpointTheInitEntryRuns) {
  auto session = create();
  CheckpointManager checkpoints(files, options);
  SessionStateSource source;
  source.checkpoints = &checkpoints;
  ASSERT_TRUE(prepare(*session, source).isOk());
  EXPECT_EQ(session->globalStep(), 0);
  EXPECT_EQ(*static_cast<float *>(session->context().variables[CounterW]),
            0.5f);
  EXPECT_EQ(restoredFrom, "");
}

TEST_F(SessionManagerTest, RestoredSessionContinuesAtNextElement) {
  auto whole = create();
  ASSERT_TRUE(prepare(*whole, {}).isOk());
  // The run goes past the first pass, so that the second order of the shuffle
  // matters.
  std::vector<int64_t> expected = runSteps(*whole, 100);

  trainAndSave({47});
  auto resumed = create();
  CheckpointManager checkpoints(files, options);
  SessionStateSource source;
  source.checkpoints = &checkpoints;
  source.writes = true;
  ASSERT_TRUE(prepare(*resumed, source).isOk());
  EXPECT_EQ(resumed->globalStep(), 47);
  EXPECT_EQ(restoredFrom, "run/model.ckpt-47");
  std::vector<int64_t> rest = runSteps(*resumed, 53);
  EXPECT_EQ(rest, std::vector<int64_t>(expected.begin() + 47, expected.end()));
  for (uint32_t i : {CounterW, CounterV0, CounterV1})
    EXPECT_EQ(std::memcmp(whole->context().variables[i],
                          resumed->context().variables[i],
                          program.variables[i].byte_size),
              0)
        << program.variables[i].spec.name;
}

TEST_F(SessionManagerTest, StringVariablesAreRestored) {
  trainAndSave({1});
  auto session = create();
  SessionStateSource source;
  source.checkpoint = "run/model.ckpt-1";
  ASSERT_TRUE(prepare(*session, source).isOk());
  auto *label =
      static_cast<ingot_string *>(session->context().variables[CounterLabel]);
  EXPECT_EQ(std::string(label->data, label->size), "a label\nof two lines");
}

TEST_F(SessionManagerTest, LocalVariablesAreInitializedAfterARestore) {
  trainAndSave({5});
  auto session = create();
  SessionStateSource source;
  source.checkpoint = "run/model.ckpt-5";
  ASSERT_TRUE(prepare(*session, source).isOk());
  EXPECT_EQ(*static_cast<int64_t *>(session->context().variables[CounterSeen]),
            0);
}

TEST_F(SessionManagerTest, DamagedNewestFallsBackToPrevious) {
  trainAndSave({3, 6});
  flipByte("run/model.ckpt-6.data-00000-of-00001", 2);
  auto session = create();
  CheckpointManager checkpoints(files, options);
  SessionStateSource source;
  source.checkpoints = &checkpoints;
  source.writes = true;
  ASSERT_TRUE(prepare(*session, source).isOk());
  EXPECT_EQ(session->globalStep(), 3);
  ASSERT_FALSE(reporter.warnings.empty());
  EXPECT_NE(reporter.warnings[0].find("model.ckpt-6"), std::string::npos);
}

TEST_F(SessionManagerTest, OnlyDamagedCheckpointsFail) {
  trainAndSave({3});
  flipByte("run/model.ckpt-3.data-00000-of-00001", 2);
  auto session = create();
  CheckpointManager checkpoints(files, options);
  SessionStateSource source;
  source.checkpoints = &checkpoints;
  source.writes = true;
  Status status = prepare(*session, source);
  EXPECT_FALSE(status.isOk());
  EXPECT_TRUE(checkpointFailure);
  EXPECT_NE(status.message().find("'run'"), std::string::npos)
      << status.message();
}

TEST_F(SessionManagerTest, NamedCheckpointMustExist) {
  auto session = create();
  SessionStateSource source;
  source.checkpoint = "run/model.ckpt-9";
  Status status = prepare(*session, source);
  EXPECT_EQ(status.code(), StatusCode::NotFound);
  EXPECT_TRUE(checkpointFailure);
  EXPECT_NE(status.message().find("run/model.ckpt-9"), std::string::npos);
}

TEST_F(SessionManagerTest, InitFromIsReadOnlyWhereThereIsNoCheckpoint) {
  trainAndSave({4, 8});
  CheckpointManager checkpoints(files, options);
  SessionStateSource source;
  source.checkpoints = &checkpoints;
  source.initFrom = "run/model.ckpt-4";
  auto session = create();
  ASSERT_TRUE(prepare(*session, source).isOk());
  EXPECT_EQ(session->globalStep(), 8);

  CheckpointManagerOptions empty = options;
  empty.directory = "elsewhere";
  CheckpointManager none(files, empty);
  source.checkpoints = &none;
  auto other = create();
  ASSERT_TRUE(prepare(*other, source).isOk());
  EXPECT_EQ(other->globalStep(), 4);
  EXPECT_EQ(restoredFrom, "");
}

TEST_F(SessionManagerTest, InitFromAlsoContinuesTheInput) {
  auto whole = create();
  ASSERT_TRUE(prepare(*whole, {}).isOk());
  std::vector<int64_t> expected = runSteps(*whole, 30);
  trainAndSave({10});
  auto session = create();
  SessionStateSource source;
  source.initFrom = "run/model.ckpt-10";
  ASSERT_TRUE(prepare(*session, source).isOk());
  EXPECT_EQ(runSteps(*session, 20),
            std::vector<int64_t>(expected.begin() + 10, expected.end()));
}

/// Tests with checkpoints of steps 10 and 20, parts of which are mixed.
class MixedSetTest : public SessionManagerTest {
protected:
  void SetUp() override {
    variables.assign(program.variables,
                     program.variables + program.num_variables);
    static constexpr int64_t two[] = {2};
    variables.push_back({{"random", INGOT_INT64, 1, two},
                         16,
                         INGOT_VARIABLE_RANDOM_POSITION,
                         "",
                         0});
    program.variables = variables.data();
    ++program.num_variables;
    auto session = create();
    ASSERT_TRUE(prepare(*session, {}).isOk());
    for (StateToSave *state : {&at10, &at20}) {
      runSteps(*session, 10);
      static_cast<int64_t *>(session->context().variables.back())[0] += 7;
      auto collected = collectState(session->context(), 0, 0);
      ASSERT_TRUE(collected) << collected.status().message();
      *state = std::move(*collected);
      ASSERT_TRUE(detachState(*state).isOk());
    }
  }

  static TensorToSave &item(StateToSave &state, const std::string &key) {
    return *std::find_if(state.items.begin(), state.items.end(),
                         [&](auto &item) { return item.key == key; });
  }
  /// Restores the checkpoint of step 10 with `keys` taken from the one of step
  /// 20, and returns the result.
  Status restoreMixed(const std::vector<std::string> &keys) {
    std::vector<TensorToSave> items = at10.items;
    for (TensorToSave &saved : items)
      if (std::find(keys.begin(), keys.end(), saved.key) != keys.end())
        saved.data = item(at20, saved.key).data;
    EXPECT_TRUE(
        writeCheckpoint(files, "run/model.ckpt-10", 1, true, items).isOk());
    auto session = create();
    CheckpointManager checkpoints(files, options);
    SessionStateSource source;
    source.checkpoints = &checkpoints;
    return prepare(*session, source);
  }

  std::vector<ingot_variable> variables;
  StateToSave at10, at20;
};

TEST_F(MixedSetTest, ConsistentSetIsRestored) {
  Status status = restoreMixed({});
  EXPECT_TRUE(status.isOk()) << status.message();
}

TEST_F(MixedSetTest, IsRejectedWithBothSteps) {
  const std::string position = "ingot/iterator/IteratorV2", set = "ingot/set";
  for (const std::vector<std::string> &keys :
       std::vector<std::vector<std::string>>{
           {position}, {"global_step"}, {set}, {position, set, "random"}}) {
    Status status = restoreMixed(keys);
    EXPECT_EQ(status.code(), StatusCode::DataLoss) << keys[0];
    for (const char *part : {"run/model.ckpt-10", "step 10", "step 20"})
      EXPECT_NE(status.message().find(part), std::string::npos)
          << status.message();
    EXPECT_TRUE(checkpointFailure);
  }
}

TEST_F(MixedSetTest, RandomStatesOfAnotherStepAreRefused) {
  Status status = restoreMixed({"random"});
  EXPECT_EQ(status.code(), StatusCode::DataLoss);
  EXPECT_NE(status.message().find("random"), std::string::npos)
      << status.message();
  EXPECT_NE(status.message().find("step 10"), std::string::npos)
      << status.message();
}

// A tool may write a checkpoint without positions of inputs: then nothing can
// be mixed up.
TEST_F(MixedSetTest, OmittedPartsAreAccepted) {
  auto leaveOut = [](StateToSave &state, const std::string &key) {
    std::erase_if(state.items,
                  [&](const TensorToSave &item) { return item.key == key; });
  };
  leaveOut(at10, "ingot/set");
  EXPECT_TRUE(restoreMixed({}).isOk());
  leaveOut(at10, "random");
  EXPECT_TRUE(restoreMixed({}).isOk());
  leaveOut(at10, "ingot/iterator/IteratorV2");
  EXPECT_TRUE(restoreMixed({}).isOk());
}

/// Tests with the items of a checkpoint of the counter program's initial state.
class InitFromTest : public SessionManagerTest {
protected:
  void SetUp() override {
    donor = create();
    ASSERT_TRUE(prepare(*donor, {}).isOk());
    auto collected = collectState(donor->context(), 0, 0);
    ASSERT_TRUE(collected);
    state = std::move(*collected);
  }
  TensorToSave &item(const std::string &key) {
    return *std::find_if(state.items.begin(), state.items.end(),
                         [&](auto &item) { return item.key == key; });
  }
  Status start(RestoreOptions initOptions = {}) {
    Status written =
        writeCheckpoint(files, "start/model", 1, true, state.items);
    EXPECT_TRUE(written.isOk()) << written.message();
    session = create();
    SessionStateSource source;
    source.initFrom = "start/model";
    source.initOptions = std::move(initOptions);
    return prepare(*session, source);
  }

  std::unique_ptr<Session> donor, session;
  StateToSave state;
  float other = 7.0f;
};

TEST_F(InitFromTest, UnusedTensorIsAnErrorUnlessAllowed) {
  TensorToSave extra = item("w");
  extra.key = "spare";
  state.items.push_back(extra);
  Status status = start();
  EXPECT_FALSE(status.isOk());
  EXPECT_TRUE(checkpointFailure);
  EXPECT_NE(status.message().find("spare"), std::string::npos);
  RestoreOptions lenient;
  lenient.allowUnused = true;
  EXPECT_TRUE(start(lenient).isOk());
}

TEST_F(InitFromTest, MissingVariableFailsOrKeepsInitialValue) {
  std::erase_if(state.items, [](auto &item) { return item.key == "w"; });
  Status status = start();
  EXPECT_FALSE(status.isOk());
  EXPECT_NE(status.message().find("'w'"), std::string::npos)
      << status.message();
  RestoreOptions lenient;
  lenient.allowMissing = true;
  ASSERT_TRUE(start(lenient).isOk());
  EXPECT_EQ(*static_cast<float *>(session->context().variables[CounterW]),
            0.5f);
}

TEST_F(InitFromTest, RestoreMapRenamesVariables) {
  item("w").key = "old/w";
  item("old/w").data = &other;
  EXPECT_FALSE(start().isOk());
  RestoreOptions map;
  map.renames = {{"^(w)$", "old/\\1"}};
  ASSERT_TRUE(start(map).isOk());
  EXPECT_EQ(*static_cast<float *>(session->context().variables[CounterW]),
            7.0f);
}

TEST_F(InitFromTest, OtherPipelinesStateIsIgnoredWithNote) {
  std::string foreign = "not a position";
  item("ingot/iterator/IteratorV2").data = &foreign;
  ASSERT_TRUE(start().isOk());
  ASSERT_FALSE(reporter.notes.empty());
  EXPECT_NE(reporter.notes.back().find("IteratorV2"), std::string::npos);
  auto fresh = create();
  ASSERT_TRUE(prepare(*fresh, {}).isOk());
  EXPECT_EQ(runSteps(*session, 5), runSteps(*fresh, 5));
}

TEST_F(InitFromTest, InModelDirectoryOtherPipelinesStateIsAnError) {
  std::string foreign = "not a position";
  item("ingot/iterator/IteratorV2").data = &foreign;
  CheckpointManager checkpoints(files, options);
  ASSERT_TRUE(checkpoints.save(3, state.items));
  session = create();
  SessionStateSource source;
  source.checkpoints = &checkpoints;
  Status status = prepare(*session, source);
  EXPECT_FALSE(status.isOk());
  EXPECT_TRUE(checkpointFailure);
  EXPECT_NE(status.message().find("IteratorV2"), std::string::npos);
}

TEST(TensorFlowCheckpointTest,
     VariablesAreReadAndAnotherPipelinesPositionIsNamed) {
  // A checkpoint of TensorFlow 2.15's Saver: test/data/mlp_adam.
  std::string prefix = INGOT_TEST_DATA "/mlp_adam/model.ckpt-60";
  auto bundle = BundleReader::open(FileSystem::posix(), prefix);
  ASSERT_TRUE(bundle) << bundle.status().message();
  const std::string iteratorKey = "IteratorV2:0_STATE";
  ingot_program program = counterProgram();
  std::vector<ingot_variable> variables;
  std::vector<ingot_saved_item> items;
  for (const std::string &key : (*bundle)->keys()) {
    const BundleEntry &entry = *(*bundle)->find(key);
    if (key == iteratorKey) {
      items.push_back({iteratorKey.c_str(), "", -1, 0, -1, 0, 0, {nullptr, 0}});
      continue;
    }
    int32_t index = static_cast<int32_t>(variables.size());
    if (key == "global_step")
      program.global_step = index;
    items.push_back({key.c_str(), "", index, -1, -1, 0, 0, {nullptr, 0}});
    ingot_tensor_spec spec = {key.c_str(), entry.dtype,
                              static_cast<uint32_t>(entry.shape.size()),
                              entry.shape.data()};
    variables.push_back(
        {spec, static_cast<uint64_t>(byteSizeOf(spec)), 0, "", 0});
  }
  ASSERT_EQ(variables.size(), 21u);
  ingot_saver saver = program.savers[0];
  saver.num_items = static_cast<uint32_t>(items.size());
  saver.items = items.data();
  program.savers = &saver;
  program.num_variables = static_cast<uint32_t>(variables.size());
  program.variables = variables.data();
  program.num_entries = 0;

  auto session = Session::create(program, oneThread());
  ASSERT_TRUE(session) << session.status().message();
  RecordingReporter reporter;
  SessionStateSource source;
  source.initFrom = prefix;
  SessionManager manager(source, reporter);
  Status status = manager.prepare(**session);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ((*session)->globalStep(), 60);
  ASSERT_EQ(reporter.notes.size(), 1u);
  EXPECT_NE(reporter.notes[0].find("cannot resume from the position that "
                                   "TensorFlow saved: dataset"),
            std::string::npos)
      << reporter.notes[0];
  EXPECT_NE(reporter.notes[0].find("'IteratorV2'"), std::string::npos);
  EXPECT_TRUE((*session)->context().iterators[0].iterator->isMade());
}

TEST_F(SessionManagerTest, VariablesThatTheSaverLeavesOutAreSavedToo) {
  ingot_saver saver = program.savers[0];
  const ingot_saved_item items[] = {
      {"w", "", CounterW, -1, -1, 0, 0, {nullptr, 0}}};
  saver.items = items;
  saver.num_items = 1;
  program.savers = &saver;
  auto session = create();
  ASSERT_TRUE(prepare(*session, {}).isOk());
  auto state = collectState(session->context(), 0, 0);
  ASSERT_TRUE(state);
  std::vector<std::string> keys;
  for (const TensorToSave &item : state->items)
    keys.push_back(item.key);
  // All variables but the local counter.
  EXPECT_EQ(keys, (std::vector<std::string>{
                      "w", "v/part_0", "v/part_1", "label", "global_step",
                      "ingot/iterator/IteratorV2", "ingot/set"}));
}

/// Returns the keys that the session's saver would save now.
std::vector<std::string>
savedKeys(Session &session, VariablesToSave which = VariablesToSave::Needed) {
  auto state = collectState(session.context(), 0, 0, {}, IteratorsToSave::All,
                            DeviceVariableHandling::Here, which);
  EXPECT_TRUE(state) << state.status().message();
  std::vector<std::string> keys;
  for (const TensorToSave &item : state->items)
    keys.push_back(item.key);
  return keys;
}

// The saver saves w under the name "v/part_0". The init entry gives v the same
// value in each run; label is of strings, which are always saved.
TEST_F(SessionManagerTest, VariablesWithTheirInitialValuesAreLeftOut) {
  const ingot_saved_item items[] = {
      {"v/part_0", "", CounterW, -1, -1, 0, 0, {nullptr, 0}}};
  ingot_saver saver = program.savers[0];
  saver.items = items;
  saver.num_items = 1;
  program.savers = &saver;
  std::vector<ingot_variable> variables(
      program.variables, program.variables + program.num_variables);
  for (uint32_t i : {CounterV0, CounterV1, CounterLabel})
    variables[i].flags |= INGOT_VARIABLE_CONSTANT_INIT;
  program.variables = variables.data();

  auto session = create();
  ASSERT_TRUE(prepare(*session, {}).isOk());
  using Keys = std::vector<std::string>;
  EXPECT_EQ(savedKeys(*session),
            (Keys{"v/part_0", "label", "global_step",
                  "ingot/iterator/IteratorV2", "ingot/set"}));
  EXPECT_EQ(savedKeys(*session, VariablesToSave::Listed), Keys{"v/part_0"});
  // Key "v/part_0" is taken by w, so the first part of v has another one.
  Keys all = {"v/part_0",    "ingot/variable/v/part_0",   "v/part_1", "label",
              "global_step", "ingot/iterator/IteratorV2", "ingot/set"};
  EXPECT_EQ(savedKeys(*session, VariablesToSave::All), all);
  EXPECT_EQ(variableKey(program, CounterW), "v/part_0");
  EXPECT_EQ(variableKey(program, CounterV0), "ingot/variable/v/part_0");

  CheckpointManager checkpoints(files, options);
  auto state = collectState(session->context(), 0, 0);
  ASSERT_TRUE(state && checkpoints.save(0, state->items));
  runSteps(*session, 3);
  EXPECT_EQ(savedKeys(*session), all);

  // A run that resumes initializes the missing variables, without a warning.
  auto other = create();
  RecordingReporter reporter;
  SessionStateSource source;
  source.checkpoints = &checkpoints;
  ASSERT_TRUE(SessionManager(source, reporter).prepare(*other).isOk());
  EXPECT_TRUE(reporter.warnings.empty()) << reporter.warnings[0];
  runSteps(*other, 3);
  for (uint32_t i : {CounterW, CounterV0, CounterV1})
    EXPECT_EQ(std::memcmp(other->context().variables[i],
                          session->context().variables[i],
                          variables[i].byte_size),
              0)
        << i;

  // A session that starts again after a failure does the same.
  ASSERT_TRUE(other->reset().isOk());
  ASSERT_TRUE(SessionManager(source, reporter).prepare(*other).isOk());
  EXPECT_TRUE(reporter.warnings.empty()) << reporter.warnings[0];
  runSteps(*other, 3);
  EXPECT_EQ(std::memcmp(other->context().variables[CounterV0],
                        session->context().variables[CounterV0],
                        variables[CounterV0].byte_size),
            0);

  // A checkpoint that has only the saver's list, such as one of TensorFlow,
  // does not say that other variables had their initial values.
  auto listed =
      collectState(session->context(), 0, 3, {}, IteratorsToSave::All,
                   DeviceVariableHandling::Here, VariablesToSave::Listed);
  ASSERT_TRUE(listed && checkpoints.save(3, listed->items));
  auto third = create();
  ASSERT_TRUE(SessionManager(source, reporter).prepare(*third).isOk());
  ASSERT_EQ(reporter.warnings.size(), 1u);
  EXPECT_NE(reporter.warnings[0].find(
                "get their initial values: 'v/part_0', 'v/part_1', 'label', "
                "'global_step'"),
            std::string::npos)
      << reporter.warnings[0];
}

// Like ChiefSessionCreator(checkpoint_filename_with_path=...). But there all
// sessions begin from the named checkpoint; here a session after a failure
// continues from the newest one.
TEST_F(SessionManagerTest, OnlyTheFirstSessionStartsFromTheNamedCheckpoint) {
  auto session = create();
  ASSERT_TRUE(prepare(*session, {}).isOk());
  CheckpointManager checkpoints(files, options);
  for (int64_t step : {2, 4, 6}) {
    runSteps(*session, 2);
    auto state = collectState(session->context(), 0, step);
    ASSERT_TRUE(state && checkpoints.save(step, state->items));
  }
  SessionStateSource source;
  source.checkpoints = &checkpoints;
  source.writes = true;
  source.startFrom = "run/model.ckpt-4";
  RecordingReporter reporter;
  SessionManager manager(source, reporter);
  auto other = create();
  ASSERT_TRUE(manager.prepare(*other).isOk());
  EXPECT_EQ(other->globalStep(), 4);
  EXPECT_EQ(manager.restoredFrom(), "run/model.ckpt-4");
  EXPECT_EQ(checkpoints.lastCheckpoints().size(), 3u);
  ASSERT_TRUE(other->reset().isOk());
  ASSERT_TRUE(manager.prepare(*other).isOk());
  EXPECT_EQ(other->globalStep(), 6);
  // If the named checkpoint is missing, no session has started from it, so the
  // next one tries it again.
  source.startFrom = "run/model.ckpt-5";
  SessionManager wrong(source, reporter);
  for (int i = 0; i < 2; ++i) {
    Status status = wrong.prepare(*create());
    EXPECT_TRUE(wrong.failedOnCheckpoint());
    EXPECT_NE(status.message().find("run/model.ckpt-5"), std::string::npos);
  }
}

// A further saver of the graph has its own var_list, and its checkpoints
// contain only these variables, as in TensorFlow.
TEST_F(SessionManagerTest, AnotherSaverSavesAndRestoresJustItsOwnVariables) {
  const ingot_saved_item items[] = {
      {"w", "", CounterW, -1, -1, 0, 0, {nullptr, 0}}};
  ingot_saver savers[] = {program.savers[0], program.savers[0]};
  savers[1].items = items;
  savers[1].num_items = 1;
  program.savers = savers;
  program.num_savers = 2;
  auto session = create();
  ASSERT_TRUE(prepare(*session, {}).isOk());
  runSteps(*session, 10);
  auto &context = session->context();
  auto state = collectState(context, 1, 0);
  ASSERT_TRUE(state) << state.status().message();
  ASSERT_EQ(state->items.size(), 1u);
  EXPECT_EQ(state->items[0].key, "w");
  ASSERT_TRUE(saveState(context, 1, "start/w").isOk());

  auto w = [&] { return *static_cast<float *>(context.variables[CounterW]); };
  float saved = w();
  runSteps(*session, 10);
  EXPECT_NE(w(), saved);
  Status status = restoreSaver(context, 1, "start/w");
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(w(), saved);
  EXPECT_EQ(session->globalStep(), 20);
  // The input was not restored: it continues.
  auto twin = create();
  ASSERT_TRUE(prepare(*twin, {}).isOk());
  runSteps(*twin, 20);
  EXPECT_EQ(runSteps(*session, 5), runSteps(*twin, 5));
}

TEST_F(SessionManagerTest, UninitializedVariablesAreNamed) {
  std::vector<ingot_entry> entries(program.entries,
                                   program.entries + program.num_entries);
  entries[0].num_assigned = 3; // label and global_step are left without a value
  program.entries = entries.data();
  auto session = create();
  Status status = prepare(*session, {});
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_NE(
      status.message().find("Variables not initialized: label, global_step"),
      std::string::npos)
      << status.message();
}

TEST_F(SessionManagerTest, WithoutReadyEntryEveryVariableIsChecked) {
  std::vector<ingot_entry> entries(program.entries,
                                   program.entries + program.num_entries);
  entries[0].num_assigned = 3;
  entries[2].role = INGOT_ROLE_OTHER;
  program.entries = entries.data();
  auto session = create();
  Status status = prepare(*session, {});
  EXPECT_NE(
      status.message().find("Variables not initialized: label, global_step"),
      std::string::npos)
      << status.message();
}

/// A ready entry that a user has written: it returns two texts while w is less
/// than 1.
int32_t askUser(ingot_context *, uint8_t *, void *const *variables,
                const ingot_tensor *, ingot_tensor *fetches) {
  static const ingot_string names[] = {{"the moon", 8}, {"the tide", 8}};
  fetches[0].dims[0] = *static_cast<float *>(variables[CounterW]) < 1 ? 2 : 0;
  fetches[0].data = const_cast<ingot_string *>(names);
  return 0;
}

int32_t readUninitialized(ingot_context *, uint8_t *, void *const *,
                          const ingot_tensor *, ingot_tensor *) {
  return recordError(Status(StatusCode::FailedPrecondition,
                            "Attempting to use uninitialized value spare"));
}

/// Returns three numbers.
int32_t countThree(ingot_context *, uint8_t *, void *const *,
                   const ingot_tensor *, ingot_tensor *fetches) {
  static const int64_t numbers[] = {7, 8, 9};
  fetches[0].dims[0] = 3;
  fetches[0].data = const_cast<int64_t *>(numbers);
  return 0;
}

int32_t failOtherwise(ingot_context *, uint8_t *, void *const *,
                      const ingot_tensor *, ingot_tensor *) {
  return recordError(
      Status(StatusCode::FailedPrecondition, "the table is not made"));
}

class ReadyTest : public SessionManagerTest {
protected:
  /// Gives the program a ready entry of `role` with code `code`, which returns
  /// elements of type `dtype`.
  void ask(ingot_code code, ingot_role role, int32_t dtype = INGOT_STRING) {
    static const int64_t open[] = {-1};
    fetches[0] = {"left:0", dtype, 1, open};
    entries = std::vector<ingot_entry>(program.entries,
                                       program.entries + program.num_entries);
    ingot_entry entry = test::entryOf("asked", role, code, {}, {}, {});
    if (code == askUser || code == countThree) {
      entry.num_fetches = 1;
      entry.fetches = fetches;
    }
    if (role == INGOT_ROLE_READY)
      entries[2] = entry;
    else
      entries.push_back(entry);
    program.entries = entries.data();
    program.num_entries = static_cast<uint32_t>(entries.size());
  }
  std::vector<ingot_entry> entries;
  ingot_tensor_spec fetches[1];
};

TEST_F(ReadyTest, UsersReadyOpNamesWhatIsNotReady) {
  ask(askUser, INGOT_ROLE_READY);
  auto session = create();
  Status status = prepare(*session, {});
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(status.message(),
            "entry 'init' and entry 'local_init' did not make the model ready: "
            "Variables not initialized: the moon, the tide");
}

TEST_F(ReadyTest, EmptyListIsReady) {
  ask(askUser, INGOT_ROLE_READY);
  SessionStateSource source;
  source.initFunction = [](Session &session) {
    *static_cast<float *>(session.context().variables[CounterW]) = 2;
    return Status::ok();
  };
  auto session = create();
  Status status = prepare(*session, source);
  EXPECT_TRUE(status.isOk()) << status.message();
}

// Old ready ops return int32 numbers, which mean that the model is ready.
TEST_F(ReadyTest, NumbersOfTypeInt32AreReady) {
  ask(countThree, INGOT_ROLE_READY, INGOT_INT32);
  Status status = prepare(*create(), {});
  EXPECT_TRUE(status.isOk()) << status.message();
  ask(countThree, INGOT_ROLE_READY, INGOT_INT64);
  EXPECT_EQ(prepare(*create(), {}).message(),
            "entry 'init' and entry 'local_init' did not make the model ready: "
            "Variables not initialized: left:0 = [7,8,9]");
}

// The warning is that of TensorFlow's log.
TEST_F(ReadyTest, OtherFailuresWarnAndFailTheSession) {
  ask(failOtherwise, INGOT_ROLE_READY);
  Status status = prepare(*create(), {});
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(status.message(), "entry 'asked': the table is not made");
  ask(failOtherwise, INGOT_ROLE_READY_FOR_LOCAL_INIT);
  EXPECT_FALSE(prepare(*create(), {}).isOk());
  EXPECT_EQ(
      reporter.warnings,
      (std::vector<std::string>{
          "Model not ready : error [entry 'asked': the table is not made]",
          "Model not ready for local init : error [entry 'asked': the table is "
          "not made]"}));
}

TEST_F(ReadyTest, MessageNamesTheInitFunction) {
  ask(askUser, INGOT_ROLE_READY);
  SessionStateSource source;
  source.initFunction = [](Session &) { return Status::ok(); };
  auto session = create();
  EXPECT_EQ(prepare(*session, source).message(),
            "entry 'init', the init function and entry 'local_init' did not "
            "make the model ready: Variables not initialized: the moon, the "
            "tide");
}

TEST_F(ReadyTest, ReadyForLocalInitComesBeforeTheLocalInitEntry) {
  ask(askUser, INGOT_ROLE_READY_FOR_LOCAL_INIT);
  auto session = create();
  Status status = prepare(*session, {});
  EXPECT_EQ(status.message(),
            "entry 'init' did not make the model ready for local init: "
            "Variables not initialized: the moon, the tide");
  EXPECT_FALSE(session->context().initialized[CounterSeen]);
}

TEST_F(ReadyTest, ReadyForLocalInitNeedsALocalInitEntry) {
  ask(askUser, INGOT_ROLE_READY_FOR_LOCAL_INIT);
  // Removes the program's local init entry.
  entries[1].role = INGOT_ROLE_OTHER;
  auto session = create();
  Status status = prepare(*session, {});
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("'asked'"), std::string::npos)
      << status.message();
}

TEST_F(ReadyTest, ReadingUninitializedVariableIsNotReady) {
  ask(readUninitialized, INGOT_ROLE_READY);
  auto session = create();
  EXPECT_EQ(prepare(*session, {}).message(),
            "entry 'init' and entry 'local_init' did not make the model ready: "
            "Attempting to use uninitialized value spare");
  EXPECT_TRUE(reporter.warnings.empty());
}

TEST_F(SessionManagerTest, FolderAndCheckpointAreExclusive) {
  trainAndSave({3});
  CheckpointManager checkpoints(files, options);
  SessionStateSource source;
  source.checkpoints = &checkpoints;
  source.checkpoint = "run/model.ckpt-3";
  auto session = create();
  Status status = prepare(*session, source);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("not both"), std::string::npos);
}

TEST_F(SessionManagerTest, FreshIteratorsStartAtTheFirstElement) {
  trainAndSave({7});
  SessionStateSource source;
  source.checkpoint = "run/model.ckpt-7";
  source.freshIterators = true;
  auto restored = create(), fresh = create();
  ASSERT_TRUE(prepare(*restored, source).isOk());
  ASSERT_TRUE(prepare(*fresh, {}).isOk());
  EXPECT_EQ(restored->globalStep(), 7);
  EXPECT_EQ(runSteps(*restored, 5), runSteps(*fresh, 5));
}

class WaitTest : public SessionManagerTest {
protected:
  WaitTest() : checkpoints(files, options) {
    source.checkpoints = &checkpoints;
    source.recoveryWaitSeconds = 0.01;
    source.cluster.tasks = {{"chief", {"host0:2222"}},
                            {"worker", {"host1:2222", "host2:2222"}}};
    source.cluster.index = 1;
  }
  CheckpointManager checkpoints;
  SessionStateSource source;
};

TEST_F(WaitTest, RecoverReturnsWhetherItRecovered) {
  SessionManager manager(source, reporter);
  auto session = create();
  auto recovered = manager.recover(*session);
  ASSERT_TRUE(recovered) << recovered.status().message();
  EXPECT_FALSE(*recovered);
  // Only local variables have a value.
  EXPECT_TRUE(session->context().initialized[CounterSeen]);
  EXPECT_FALSE(session->context().initialized[CounterW]);

  trainAndSave({4});
  auto again = create();
  recovered = manager.recover(*again);
  ASSERT_TRUE(recovered) << recovered.status().message();
  EXPECT_TRUE(*recovered);
  EXPECT_EQ(again->globalStep(), 4);
}

// As in TensorFlow, the ready entry is not asked without a checkpoint, and the
// message says why a restored model is not ready.
TEST_F(WaitTest, RecoverSaysWhatIsNotReady) {
  std::vector<ingot_entry> entries(program.entries,
                                   program.entries + program.num_entries);
  program.entries = entries.data();
  entries[2].run = [](ingot_context *, uint8_t *, void *const *,
                      const ingot_tensor *, ingot_tensor *) {
    return recordError(
        Status(StatusCode::Internal, "nobody should have asked"));
  };
  SessionManager manager(source, reporter);
  auto session = create();
  auto recovered = manager.recover(*session);
  ASSERT_TRUE(recovered) << recovered.status().message();
  EXPECT_FALSE(*recovered);
  EXPECT_FALSE(manager.finish(*session).isOk());

  entries[2].role = INGOT_ROLE_OTHER;
  trainAndSave({4});
  entries[2].role = INGOT_ROLE_READY;
  static bool isAsked = false;
  entries[2].run = [](ingot_context *, uint8_t *, void *const *,
                      const ingot_tensor *, ingot_tensor *) {
    isAsked = true;
    return recordError(Status(StatusCode::FailedPrecondition,
                              "Attempting to use uninitialized value spare"));
  };
  SessionManager second(source, reporter);
  auto other = create();
  recovered = second.recover(*other);
  ASSERT_TRUE(recovered) << recovered.status().message();
  EXPECT_FALSE(*recovered);
  EXPECT_TRUE(isAsked);
  EXPECT_EQ(reporter.notes.back(),
            "restoring 'run/model.ckpt-4' did not make the model ready: "
            "Attempting to use uninitialized value spare");

  ingot_entry local = entries[2];
  local.role = INGOT_ROLE_READY_FOR_LOCAL_INIT;
  entries.push_back(local);
  program.entries = entries.data();
  program.num_entries = static_cast<uint32_t>(entries.size());
  auto third = create();
  recovered = second.recover(*third);
  ASSERT_TRUE(recovered) << recovered.status().message();
  EXPECT_FALSE(*recovered);
  EXPECT_EQ(reporter.notes.back(),
            "restoring 'run/model.ckpt-4' did not make the model ready for "
            "local init: Attempting to use uninitialized value spare");
}

TEST_F(WaitTest, FinishCompletesWhatRecoverLeft) {
  SessionManager manager(source, reporter);
  auto session = create();
  auto recovered = manager.recover(*session);
  ASSERT_TRUE(recovered && !*recovered);
  EXPECT_EQ(manager.finish(*session).message(),
            "no checkpoint was restored, and the entries run since then did "
            "not make the model ready: Variables not initialized: w, "
            "v/part_0, v/part_1, label, global_step");
  ASSERT_TRUE(session->runOnce(*findEntry(program, INGOT_ROLE_INIT)).isOk());
  Status status = manager.finish(*session);
  ASSERT_TRUE(status.isOk()) << status.message();
  auto fresh = create();
  ASSERT_TRUE(prepare(*fresh, {}).isOk());
  EXPECT_EQ(runSteps(*session, 5), runSteps(*fresh, 5));
}

// init_fn runs after variables have got their initial values and before local
// init, and not at all if a checkpoint of the model is restored.
TEST_F(WaitTest, InitFunctionRunsAfterInitialValuesOnly) {
  source.cluster = {};
  int calls = 0;
  source.initFunction = [&](Session &session) {
    ++calls;
    EXPECT_TRUE(session.context().initialized[CounterW]);
    EXPECT_FALSE(session.context().initialized[CounterSeen]);
    return Status::ok();
  };
  auto fresh = create();
  ASSERT_TRUE(prepare(*fresh, source).isOk());
  EXPECT_EQ(calls, 1);

  trainAndSave({2});
  CheckpointManagerOptions empty = options;
  empty.directory = "start";
  CheckpointManager none(files, empty);
  SessionStateSource started = source;
  started.checkpoints = &none;
  started.initFrom = "run/model.ckpt-2";
  auto second = create();
  ASSERT_TRUE(prepare(*second, started).isOk());
  EXPECT_EQ(calls, 2);

  source.restoreOptions.allowMissing = true;
  auto restored = create();
  ASSERT_TRUE(prepare(*restored, source).isOk());
  EXPECT_EQ(restoredFrom, "run/model.ckpt-2");
  EXPECT_EQ(calls, 2);

  source.checkpoints = &none;
  source.restoreOptions = {};
  source.initFunction = [](Session &) {
    return Status(StatusCode::Unavailable, "the store is down");
  };
  auto failed = create();
  EXPECT_EQ(prepare(*failed, source).message(), "the store is down");
}

TEST_F(SessionManagerTest, NothingToInitializeWithIsAnError) {
  std::vector<ingot_entry> entries(program.entries,
                                   program.entries + program.num_entries);
  entries[0].role = entries[1].role = INGOT_ROLE_OTHER;
  program.entries = entries.data();
  auto session = create();
  Status status = prepare(*session, {});
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(status.message(),
            "the model is not initialized, and the program has no init entry "
            "and no local init entry: uninitialized variables: w, v/part_0, "
            "v/part_1, label, global_step");
}

TEST_F(WaitTest, RecoverWaitsForACheckpoint) {
  source.waitForCheckpoint = true;
  source.maxWaitSeconds = 0.05;
  SessionManager first(source, reporter);
  auto session = create();
  auto recovered = first.recover(*session);
  ASSERT_TRUE(recovered) << recovered.status().message();
  EXPECT_FALSE(*recovered);

  std::thread other([this] {
    ::usleep(50000);
    trainAndSave({2});
  });
  source.maxWaitSeconds = std::numeric_limits<double>::infinity();
  SessionManager second(source, reporter);
  session = create();
  recovered = second.recover(*session);
  other.join();
  ASSERT_TRUE(recovered) << recovered.status().message();
  EXPECT_TRUE(*recovered);
  EXPECT_EQ(second.restoredFrom(), "run/model.ckpt-2");
}

TEST_F(WaitTest, DirectoryAndCheckpointExcludeOneAnother) {
  trainAndSave({2});
  source.checkpoint = "run/model.ckpt-2";
  SessionManager manager(source, reporter);
  auto session = create();
  auto recovered = manager.recover(*session);
  ASSERT_FALSE(recovered);
  EXPECT_EQ(recovered.status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(manager.waitForSession(*session, 1).code(),
            StatusCode::InvalidArgument);
}

TEST_F(WaitTest, IncompatibleCheckpointFailsAtOnce) {
  trainAndSave({2});
  std::vector<ingot_variable> variables(
      program.variables, program.variables + program.num_variables);
  // Without a saver, w is saved under its own name, which the checkpoints do
  // not contain.
  program.num_savers = 0;
  variables[CounterW].spec.name = "renamed";
  program.variables = variables.data();
  auto session = create();
  SessionManager manager(source, reporter);
  Status status =
      manager.waitForSession(*session, std::numeric_limits<double>::infinity());
  EXPECT_EQ(status.code(), StatusCode::NotFound);
  for (const char *part :
       {"worker 1 (host2:2222) cannot continue from the checkpoints of the "
        "chief, chief 0 (host0:2222)",
        "'renamed'"})
    EXPECT_NE(status.message().find(part), std::string::npos)
        << part << ": " << status.message();
  EXPECT_TRUE(manager.failedOnCheckpoint());
}

TEST_F(WaitTest, TimeoutNamesChiefAndVariables) {
  std::vector<ingot_variable> variables(
      program.variables, program.variables + program.num_variables);
  variables[CounterW].device = "/job:ps/task:0";
  variables[CounterV1].device = "/job:ps/task:1";
  program.variables = variables.data();
  auto session = create();
  SessionManager manager(source, reporter);
  Status status = manager.waitForSession(*session, 0.1);
  EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
  for (const char *part :
       {"worker 1 (host2:2222) waits for the chief, chief 0 (host0:2222)",
        "'run'", "w on /job:ps/task:0", "v/part_1 on /job:ps/task:1",
        "v/part_0, label, global_step"})
    EXPECT_NE(status.message().find(part), std::string::npos)
        << part << ": " << status.message();
}

TEST_F(WaitTest, WorkerStartsAfterChiefsSave) {
  auto session = create();
  SessionManager manager(source, reporter);
  std::thread chief([this] {
    ::usleep(50000);
    trainAndSave({2});
  });
  Status status = manager.waitForSession(*session, 30);
  chief.join();
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(session->globalStep(), 2);
}

// The messages of each look and of local initialization are those of TensorFlow
// 2.15's log, for which scripts search.
TEST_F(WaitTest, WaitsAreLoggedAsInTensorFlow) {
  auto session = create();
  SessionManager manager(source, reporter);
  Status status = manager.waitForSession(*session, 0.025);
  EXPECT_TRUE(
      status.message().starts_with("Session was not ready after waiting 0 "
                                   "secs: worker 1 (host2:2222) waits for "))
      << status.message();
  const std::string waiting =
      "Waiting for model to be ready.  Ready_for_local_init_op:  None, ready: "
      "Variables not initialized: w, v/part_0, v/part_1, label, global_step; "
      "worker 1 (host2:2222) waits for the chief, chief 0 (host0:2222) to save "
      "a checkpoint in 'run'";
  std::vector<std::string> &notes = reporter.notes;
  EXPECT_GE(std::count(notes.begin(), notes.end(), waiting), 2);
  EXPECT_EQ(notes[0], "Running local_init_op.");
  EXPECT_EQ(notes[1], "Done running local_init_op.");
  EXPECT_EQ(notes[2], waiting);
  EXPECT_EQ(notes[3], "Running local_init_op.");

  // The message says what is asked before local init (Ready_for_local_init_op).
  std::vector<ingot_entry> entries(program.entries,
                                   program.entries + program.num_entries);
  entries.push_back(entries[2]);
  entries.back().role = INGOT_ROLE_READY_FOR_LOCAL_INIT;
  program.entries = entries.data();
  program.num_entries = static_cast<uint32_t>(entries.size());
  notes.clear();
  auto other = create();
  EXPECT_FALSE(manager.waitForSession(*other, 0.015).isOk());
  EXPECT_TRUE(notes[0].starts_with(
      "Waiting for model to be ready.  Ready_for_local_init_op:  Variables not "
      "initialized: w, v/part_0, v/part_1, label, seen, global_step, ready: "
      "None; "))
      << notes[0];
}

TEST_F(WaitTest, WaitsForCheckpointsAreLoggedAsInTensorFlow) {
  source.cluster = {};
  source.waitForCheckpoint = true;
  source.maxWaitSeconds = 0.025;
  auto session = create();
  ASSERT_TRUE(prepare(*session, source).isOk());
  std::vector<std::string> &notes = reporter.notes;
  EXPECT_GE(std::count(notes.begin(), notes.end(),
                       "Waiting for checkpoint to be available in 'run'"),
            2);
  EXPECT_EQ(notes.back(), "Done running local_init_op.");
}

TEST_F(WaitTest, WorkerIgnoresDamagedCheckpoint) {
  trainAndSave({3});
  flipByte("run/model.ckpt-3.data-00000-of-00001", 2);
  auto session = create();
  SessionManager manager(source, reporter);
  EXPECT_EQ(manager.waitForSession(*session, 0.05).code(),
            StatusCode::DeadlineExceeded);
}

TEST_F(WaitTest, PrepareWaitsForACheckpointAndThenInitializes) {
  source.cluster = {};
  source.waitForCheckpoint = true;
  source.maxWaitSeconds = 0.1;
  auto session = create();
  ASSERT_TRUE(prepare(*session, source).isOk());
  EXPECT_EQ(restoredFrom, "");

  std::thread other([this] {
    ::usleep(50000);
    trainAndSave({2});
  });
  source.maxWaitSeconds = 30;
  auto second = create();
  Status status = prepare(*second, source);
  other.join();
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(restoredFrom, "run/model.ckpt-2");
}

TEST_F(SessionManagerTest, InitEntryIsFed) {
  static const ingot_tensor_spec feeds[] = {
      {"start:0", INGOT_FLOAT, 0, nullptr}};
  std::vector<ingot_entry> entries(program.entries,
                                   program.entries + program.num_entries);
  entries[0].num_feeds = 1;
  entries[0].feeds = feeds;
  program.entries = entries.data();
  auto session = create();
  Status unfed = prepare(*session, {});
  EXPECT_EQ(unfed.code(), StatusCode::InvalidArgument);
  EXPECT_NE(unfed.message().find("--init-feed"), std::string::npos)
      << unfed.message();
  float start = 3;
  SessionStateSource source;
  source.initFeeds = {{&start, nullptr, 0, INGOT_FLOAT}};
  session = create();
  Status status = prepare(*session, source);
  EXPECT_TRUE(status.isOk()) << status.message();
}

TEST_F(SessionManagerTest, IteratorsMayHaveTheirOwnCheckpoints) {
  auto savesInput = [&](IteratorsToSave iterators) {
    auto session = create();
    EXPECT_TRUE(prepare(*session, {}).isOk());
    runSteps(*session, 3);
    auto state = collectState(session->context(), sessionSaver(program), 0, {},
                              iterators);
    EXPECT_TRUE(state);
    auto has = [&](const char *key) {
      return std::any_of(
          state->items.begin(), state->items.end(),
          [&](const TensorToSave &item) { return item.key == key; });
    };
    EXPECT_TRUE(has("global_step"));
    return has("ingot/iterator/IteratorV2");
  };
  // The graph's saver names the iterator, so it is saved in either case.
  EXPECT_TRUE(savesInput(IteratorsToSave::Named));
  program.num_savers = 0;
  EXPECT_TRUE(savesInput(IteratorsToSave::All));
  EXPECT_FALSE(savesInput(IteratorsToSave::Named));
}

TEST_F(SessionManagerTest, RestartedInputIsReported) {
  program.num_savers = 0;
  CheckpointManager checkpoints(files, options);
  auto session = create();
  ASSERT_TRUE(prepare(*session, {}).isOk());
  runSteps(*session, 3);
  auto state =
      collectState(session->context(), -1, 0, {}, IteratorsToSave::Named);
  ASSERT_TRUE(state && checkpoints.save(3, state->items));
  SessionStateSource source;
  source.checkpoints = &checkpoints;
  auto noted = [&] {
    return std::count(reporter.notes.begin(), reporter.notes.end(),
                      "'run/model.ckpt-3' has no state of iterator "
                      "'IteratorV2': the iterator starts at its first element");
  };
  auto restored = create();
  reporter.notes.clear();
  ASSERT_TRUE(prepare(*restored, source).isOk());
  EXPECT_EQ(noted(), 1);
  // There is no message if a hook restores the input.
  reporter.notes.clear();
  source.inputIsElsewhere = true;
  auto other = create();
  ASSERT_TRUE(prepare(*other, source).isOk());
  EXPECT_EQ(noted(), 0);
}

TEST_F(SessionManagerTest, SessionMakesOtherIterators) {
  std::vector<ingot_entry> entries(program.entries,
                                   program.entries + program.num_entries);
  // As in Estimator's graphs, no local init entry runs MakeIterator.
  entries[1].role = INGOT_ROLE_OTHER;
  entries[0].num_assigned = 5;
  std::vector<ingot_variable> variables(
      program.variables, program.variables + program.num_variables);
  program.entries = entries.data();
  const uint32_t all[] = {0, 1, 2, 3, 4, 5};
  entries[0].assigned = all;
  entries[0].num_assigned = 6;
  auto session = create();
  Status status = prepare(*session, {});
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(runSteps(*session, 3).size(), 3u);
}

TEST_F(SessionManagerTest, SaveAndRestoreEntriesOfGraphWork) {
  auto session = create();
  ASSERT_TRUE(prepare(*session, {}).isOk());
  runSteps(*session, 6);
  std::string path = "run/by-hand";
  ingot_string prefix = {path.data(), path.size()};
  const ingot_tensor feeds[] = {{&prefix, nullptr, 0, INGOT_STRING}};
  auto save = session->bind(*findEntry(program, INGOT_ROLE_SAVE));
  ASSERT_TRUE(save);
  ASSERT_TRUE(session->run(*save, feeds).isOk());
  std::vector<int64_t> expected = runSteps(*session, 10);
  auto restore = session->bind(*findEntry(program, INGOT_ROLE_RESTORE));
  ASSERT_TRUE(restore);
  Status status = session->run(*restore, feeds);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(session->globalStep(), 6);
  EXPECT_EQ(runSteps(*session, 10), expected);
}

// As when AdaNet grows: increment.ckpt-1 contains the same step as
// model.ckpt-9.
TEST_F(SessionManagerTest, StepIsReadFromCheckpoint) {
  trainAndSave({3, 9});
  for (const std::string &path : files.paths())
    if (path.starts_with("run/model.ckpt-9."))
      files.put("run/increment.ckpt-1" + path.substr(16), files.get(path));
  EXPECT_EQ(savedGlobalStep(program, files, "run/model.ckpt-3"), 3);
  EXPECT_EQ(savedGlobalStep(program, files, "run/increment.ckpt-1"), 9);
  // If the checkpoint does not exist, its name is all that tells the step.
  EXPECT_EQ(savedGlobalStep(program, files, "run/model.ckpt-70"), 70);

  files.put("run/checkpoint",
            "model_checkpoint_path: \"increment.ckpt-1\"\n"
            "all_model_checkpoint_paths: \"model.ckpt-3\"\n"
            "all_model_checkpoint_paths: \"model.ckpt-9\"\n"
            "all_model_checkpoint_paths: \"increment.ckpt-1\"\n");
  CheckpointManager checkpoints(files, options);
  SessionStateSource source;
  source.checkpoints = &checkpoints;
  source.writes = true;
  auto session = create();
  ASSERT_TRUE(prepare(*session, source).isOk());
  EXPECT_EQ(restoredFrom, "run/increment.ckpt-1");
  EXPECT_EQ(session->globalStep(), 9);
}

} // namespace
