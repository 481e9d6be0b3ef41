//===- TrainerTest.cpp - A run whose loop is the caller's -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "FedProgram.h"

#include <cstring>
#include <thread>

using namespace ingot;
using namespace ingot::test;

TEST(Trainer, ResumesFromCheckpoint) {
  ingot_program program = counterProgram();
  FaultFileSystem files, others;
  OpenTrainer whole(program, others);
  for (int i = 0; i < 60; ++i)
    ASSERT_EQ(ingot_trainer_step(whole, nullptr, 0), INGOT_TRAINER_OK);
  ASSERT_EQ(ingot_trainer_save(whole), INGOT_TRAINER_OK);

  {
    OpenTrainer first(program, files, {"--save-checkpoints-steps=20"});
    for (int i = 0; i < 37; ++i)
      ASSERT_EQ(ingot_trainer_step(first, nullptr, 0), INGOT_TRAINER_OK);
  } // closed without a save, as by a kill
  OpenTrainer second(program, files);
  EXPECT_EQ(ingot_trainer_global_step(second), 20);
  for (int i = 20; i < 60; ++i)
    ASSERT_EQ(ingot_trainer_step(second, nullptr, 0), INGOT_TRAINER_OK);
  ASSERT_EQ(ingot_trainer_save(second), INGOT_TRAINER_OK);
  for (const char *name :
       {"run/model.ckpt-60.index", "run/model.ckpt-60.data-00000-of-00001"}) {
    EXPECT_NE(files.get(name), "") << name;
    EXPECT_EQ(files.get(name), others.get(name)) << name;
  }
}

TEST(Trainer, EndsAtMaxStepsWithCheckpoint) {
  FaultFileSystem files;
  ingot_program program = counterProgram();
  OpenTrainer trainer(program, files, {"--max-steps", "5"});
  int steps = 0;
  int32_t code;
  while ((code = ingot_trainer_step(trainer, nullptr, 0)) == INGOT_TRAINER_OK)
    ++steps;
  EXPECT_EQ(code, INGOT_TRAINER_END);
  EXPECT_EQ(steps, 5);
  EXPECT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_END);
  EXPECT_NE(files.get("run/model.ckpt-5.index"), "");
  // The fetches of the last step can still be read.
  ingot_trainer_tensor loss;
  EXPECT_EQ(ingot_trainer_fetch(trainer, "loss", &loss), INGOT_TRAINER_OK);
}

TEST(Trainer, EndsWithItsInput) {
  FaultFileSystem files;
  ingot_program program = counterProgram(/*passes=*/1);
  OpenTrainer trainer(program, files);
  for (int i = 0; i < counterRange; ++i)
    ASSERT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
  EXPECT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_END);
  EXPECT_NE(files.get("run/model.ckpt-40.index"), "");
}

TEST(Trainer, ReturnsFetchesOfStep) {
  FaultFileSystem files;
  ingot_program program = counterProgram();
  OpenTrainer trainer(program, files);
  ASSERT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
  ingot_trainer_tensor loss, v;
  ASSERT_EQ(ingot_trainer_fetch(trainer, "loss", &loss), INGOT_TRAINER_OK);
  EXPECT_STREQ(loss.name, "loss:0");
  EXPECT_EQ(loss.dtype, INGOT_TRAINER_FLOAT);
  EXPECT_EQ(loss.size, 4u);
  EXPECT_EQ(*static_cast<const float *>(loss.data),
            valueOf<float>(trainer, "w"));
  ASSERT_EQ(ingot_trainer_fetch(trainer, "v:0", &v), INGOT_TRAINER_OK);
  ASSERT_EQ(v.rank, 1u);
  EXPECT_EQ(v.dims[0], 4);
  float copy[4];
  ASSERT_EQ(ingot_trainer_copy(trainer, 2, copy, sizeof(copy)),
            INGOT_TRAINER_OK);
  EXPECT_EQ(std::memcmp(copy, v.data, sizeof(copy)), 0);
}

TEST(Trainer, RunsEntriesBetweenSteps) {
  FaultFileSystem files;
  ingot_program program = counterProgram();
  OpenTrainer trainer(program, files);
  float x[6] = {1, 2, 3, 4, 5, 6};
  int64_t dims[2] = {2, 3};
  ingot_trainer_tensor feed = {"x", INGOT_TRAINER_FLOAT, 2, dims, x, sizeof(x)};
  ASSERT_EQ(ingot_trainer_run(trainer, "predict", &feed, 1), INGOT_TRAINER_OK)
      << trainer.error();
  float sums[2];
  ASSERT_EQ(ingot_trainer_copy(trainer, 0, sums, sizeof(sums)),
            INGOT_TRAINER_OK);
  EXPECT_FLOAT_EQ(sums[0], 6.5f);
  EXPECT_FLOAT_EQ(sums[1], 15.5f);
  // Feeds with dynamic dimensions.
  dims[0] = 3;
  dims[1] = 2;
  ASSERT_EQ(ingot_trainer_run(trainer, "sums", &feed, 1), INGOT_TRAINER_OK);
  ingot_trainer_tensor sum;
  ASSERT_EQ(ingot_trainer_fetch(trainer, "sum", &sum), INGOT_TRAINER_OK);
  EXPECT_EQ(sum.dims[0], 3);
  EXPECT_EQ(sum.size, 12u);
  EXPECT_FLOAT_EQ(static_cast<const float *>(sum.data)[2], 14.0f);
}

TEST(Trainer, SavesWrittenVariablesAtSavedStep) {
  FaultFileSystem files;
  ingot_program program = counterProgram();
  {
    OpenTrainer trainer(program, files);
    float w = 42;
    ingot_trainer_tensor value = {"w", INGOT_TRAINER_FLOAT, 0, nullptr, &w, 4};
    ASSERT_EQ(ingot_trainer_write(trainer, &value), INGOT_TRAINER_OK);
    ingot_trainer_string label = {"another", 7};
    value = {"label", INGOT_TRAINER_STRING, 0, nullptr, &label, sizeof(label)};
    ASSERT_EQ(ingot_trainer_write(trainer, &value), INGOT_TRAINER_OK);
    label = {nullptr, 0}; // the trainer has copied the text
    ASSERT_EQ(ingot_trainer_save(trainer), INGOT_TRAINER_OK);
  }
  OpenTrainer again(program, files);
  EXPECT_EQ(ingot_trainer_global_step(again), 0);
  EXPECT_EQ(valueOf<float>(again, "w"), 42);
  auto label = valueOf<ingot_trainer_string>(again, "label");
  EXPECT_EQ(std::string(label.data, label.size), "another");
}

TEST(Trainer, SaveWithoutChangeWritesNothing) {
  FaultFileSystem files;
  ingot_program program = counterProgram();
  OpenTrainer trainer(program, files);
  ASSERT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
  ASSERT_EQ(ingot_trainer_save(trainer), INGOT_TRAINER_OK);
  size_t calls = files.calls();
  ASSERT_EQ(ingot_trainer_save(trainer), INGOT_TRAINER_OK);
  EXPECT_EQ(files.calls(), calls);
}

TEST(Trainer, RestoresCheckpointAndInput) {
  FaultFileSystem files;
  ingot_program program = counterProgram();
  OpenTrainer trainer(program, files, {"--save-checkpoints-steps=10"});
  std::vector<float> losses;
  for (int i = 0; i < 25; ++i) {
    ASSERT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
    losses.push_back(valueOf<float>(trainer, "w"));
  }
  ASSERT_EQ(ingot_trainer_restore(trainer, nullptr), INGOT_TRAINER_OK);
  EXPECT_EQ(ingot_trainer_global_step(trainer), 20);
  ASSERT_EQ(ingot_trainer_restore(trainer, "run/model.ckpt-10"),
            INGOT_TRAINER_OK)
      << trainer.error();
  EXPECT_EQ(ingot_trainer_global_step(trainer), 10);
  for (int i = 10; i < 25; ++i) {
    ASSERT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
    EXPECT_EQ(valueOf<float>(trainer, "w"), losses[static_cast<size_t>(i)]);
  }
}

TEST(Trainer, EvaluationDoesNotChangeTraining) {
  FaultFileSystem files, others;
  ingot_program program = counterProgram(/*passes=*/2);
  OpenTrainer trainer(program, files), alone(program, others);
  for (int i = 0; i < 7; ++i) {
    ASSERT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
    ASSERT_EQ(ingot_trainer_step(alone, nullptr, 0), INGOT_TRAINER_OK);
  }
  const ingot_trainer_metric *metrics;
  size_t count;
  ASSERT_EQ(ingot_trainer_evaluate(trainer, nullptr, -1, &metrics, &count),
            INGOT_TRAINER_OK)
      << trainer.error();
  // The metrics are the mean of 0 to 39 over both passes, and the number of
  // elements.
  ASSERT_EQ(count, 2u);
  EXPECT_STREQ(metrics[0].name, "loss");
  EXPECT_EQ(metrics[0].value, 19.5);
  EXPECT_STREQ(metrics[1].name, "seen");
  EXPECT_EQ(metrics[1].value, 80);
  ASSERT_EQ(ingot_trainer_evaluate(trainer, nullptr, 3, &metrics, &count),
            INGOT_TRAINER_OK);
  EXPECT_EQ(metrics[1].value, 3);
  for (int i = 0; i < 7; ++i) {
    ASSERT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
    ASSERT_EQ(ingot_trainer_step(alone, nullptr, 0), INGOT_TRAINER_OK);
    EXPECT_EQ(valueOf<float>(trainer, "w"), valueOf<float>(alone, "w"));
  }
}

TEST(Trainer, ReadsBesideTrainingProcess) {
  FaultFileSystem files;
  ingot_program program = counterProgram();
  OpenTrainer trainer(program, files);
  // The first checkpoint is written while the first steps run, so save() waits
  // for it.
  ASSERT_EQ(ingot_trainer_save(trainer), INGOT_TRAINER_OK);
  OpenTrainer reader(program, files, {}, "run", /*readOnly=*/true);
  ASSERT_EQ(reader.code, INGOT_TRAINER_OK) << reader.message;
  EXPECT_EQ(valueOf<float>(reader, "w"), 0.5f);
  ASSERT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
  ASSERT_EQ(ingot_trainer_save(trainer), INGOT_TRAINER_OK);
  // A reader keeps the checkpoint with which it was opened until restore() is
  // called.
  EXPECT_EQ(ingot_trainer_global_step(reader), 0);
  ASSERT_EQ(ingot_trainer_restore(reader, nullptr), INGOT_TRAINER_OK);
  EXPECT_EQ(ingot_trainer_global_step(reader), 1);
  EXPECT_EQ(valueOf<float>(reader, "w"), valueOf<float>(trainer, "w"));
  auto paths = files.paths();
  EXPECT_EQ(ingot_trainer_step(reader, nullptr, 0),
            INGOT_TRAINER_FAILED_PRECONDITION);
  EXPECT_EQ(ingot_trainer_save(reader), INGOT_TRAINER_FAILED_PRECONDITION);
  EXPECT_EQ(paths, files.paths());
}

TEST(Trainer, RunsEntriesWithoutDirectory) {
  FaultFileSystem files;
  ingot_program program = counterProgram();
  OpenTrainer reader(program, files, {}, nullptr, /*readOnly=*/true);
  ASSERT_EQ(reader.code, INGOT_TRAINER_OK) << reader.message;
  EXPECT_EQ(valueOf<float>(reader, "w"), 0.5f);
  EXPECT_EQ(files.paths(), FaultFileSystem().paths());
}

TEST(Trainer, MessagesGoToCallerOnly) {
  FaultFileSystem files;
  ingot_program program = counterProgram();
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  OpenTrainer trainer(program, files, {"--log-steps=1", "--max-steps=1"});
  while (ingot_trainer_step(trainer, nullptr, 0) == INGOT_TRAINER_OK)
    ;
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  std::string all;
  for (const std::string &line : trainer.log)
    all += line + "\n";
  EXPECT_NE(all.find("0 saved 'run/model.ckpt-0'"), std::string::npos) << all;
  EXPECT_NE(all.find("0 step 1"), std::string::npos) << all;
}

TEST(Trainer, MovesBetweenThreads) {
  FaultFileSystem files, others;
  ingot_program program = counterProgram();
  OpenTrainer trainer(program, files), alone(program, others);
  for (int i = 0; i < 4; ++i) {
    std::thread([&] {
      for (int j = 0; j < 5; ++j)
        EXPECT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
    }).join();
    for (int j = 0; j < 5; ++j)
      EXPECT_EQ(ingot_trainer_step(alone, nullptr, 0), INGOT_TRAINER_OK);
  }
  EXPECT_EQ(valueOf<float>(trainer, "w"), valueOf<float>(alone, "w"));
}

TEST(Trainer, TwoTrainAtOnce) {
  FaultFileSystem files[3];
  ingot_program program = counterProgram();
  std::vector<std::unique_ptr<OpenTrainer>> trainers;
  for (FaultFileSystem &each : files)
    trainers.push_back(std::make_unique<OpenTrainer>(program, each));
  auto train = [&](size_t i) {
    for (int step = 0; step < 200; ++step)
      EXPECT_EQ(ingot_trainer_step(*trainers[i], nullptr, 0), INGOT_TRAINER_OK);
  };
  train(0);
  std::thread other([&] { train(1); });
  train(2);
  other.join();
  for (size_t i : {1, 2})
    EXPECT_EQ(valueOf<float>(*trainers[0], "w"),
              valueOf<float>(*trainers[i], "w"));
}

TEST(Trainer, KeepsCallersDenormalMode) {
  FaultFileSystem files;
  ingot_program program = counterProgram();
  volatile float least = 1e-38f;
  OpenTrainer trainer(program, files);
  EXPECT_NE(least / 4, 0);
  ASSERT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
  EXPECT_NE(least / 4, 0);
}

namespace {

/// What an init function does, and what it saw of the variables.
struct Init {
  static int32_t call(ingot_trainer *trainer, void *state) {
    auto &init = *static_cast<Init *>(state);
    ++init.calls;
    init.seen = valueOf<float>(trainer, "w");
    init.stepped = ingot_trainer_step(trainer, nullptr, 0);
    init.saved = ingot_trainer_save(trainer);
    init.restored = ingot_trainer_restore(trainer, nullptr);
    init.evaluated =
        ingot_trainer_evaluate(trainer, nullptr, 1, nullptr, nullptr);
    float x[6] = {1, 2, 3, 4, 5, 6};
    int64_t dims[2] = {2, 3};
    ingot_trainer_tensor feed = {"x",      INGOT_TRAINER_FLOAT, 2, dims, x,
                                 sizeof(x)};
    init.ran = ingot_trainer_run(trainer, "predict", &feed, 1);
    float w = 42;
    ingot_trainer_tensor value = {"w", INGOT_TRAINER_FLOAT, 0, nullptr, &w, 4};
    int32_t code = ingot_trainer_write(trainer, &value);
    if (init.fails) {
      value.name = "nothing";
      (void)ingot_trainer_write(trainer, &value);
      return INGOT_TRAINER_UNAVAILABLE;
    }
    return code;
  }
  int calls = 0;
  bool fails = false;
  float seen = 0;
  int32_t stepped = 0, saved = 0, restored = 0, evaluated = 0, ran = -1;
};

} // namespace

TEST(Trainer, InitFunctionGivesNewModelsTheirValues) {
  FaultFileSystem files;
  ingot_program program = counterProgram();
  Init init;
  {
    OpenTrainer trainer(program, files, {}, "run", false, {Init::call, &init});
    ASSERT_EQ(trainer.code, INGOT_TRAINER_OK) << trainer.message;
    EXPECT_EQ(init.calls, 1);
    EXPECT_EQ(init.seen, 0.5f); // init_fn runs after the init entry
    EXPECT_EQ(init.ran, INGOT_TRAINER_OK);
    for (int32_t code :
         {init.stepped, init.saved, init.restored, init.evaluated})
      EXPECT_EQ(code, INGOT_TRAINER_FAILED_PRECONDITION);
    EXPECT_EQ(valueOf<float>(trainer, "w"), 42);
    EXPECT_EQ(trainer.error(), "");
    ASSERT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
  }
  // The value that init_fn set is in the first checkpoint, from which the
  // second run continues.
  OpenTrainer second(program, files, {}, "run", false, {Init::call, &init});
  EXPECT_EQ(init.calls, 1);
  EXPECT_EQ(valueOf<float>(second, "w"), 42);

  OpenTrainer reader(program, files, {}, nullptr, true, {Init::call, &init});
  ASSERT_EQ(reader.code, INGOT_TRAINER_OK) << reader.message;
  EXPECT_EQ(init.calls, 2);
  EXPECT_EQ(valueOf<float>(reader, "w"), 42);

  init.fails = true;
  OpenTrainer failed(program, files, {}, "other", false, {Init::call, &init});
  EXPECT_EQ(failed.code, INGOT_TRAINER_UNAVAILABLE);
  EXPECT_TRUE(failed.message.starts_with(
      "the init function: 'nothing' is not a variable of this program"))
      << failed.message;
  EXPECT_EQ(files.get("other/checkpoint"), "");
}

TEST(Trainer, OlderCallersHaveNoInitFunction) {
  FaultFileSystem files;
  ingot_program program = counterProgram();
  // In version 1 of the struct, there is no init_fn.
  ingot_trainer_options options = INGOT_TRAINER_OPTIONS;
  options.version = 1;
  options.model_dir = "run";
  options.init_fn = [](ingot_trainer *, void *) -> int32_t { return 13; };
  ingot_trainer *trainer = nullptr;
  EXPECT_EQ(
      embedding::openTrainer(program, files, &options, &trainer, nullptr, 0),
      INGOT_TRAINER_OK);
  ingot_trainer_close(trainer);
}

TEST(Trainer, RecoveringTellsWhetherThereWasACheckpoint) {
  FaultFileSystem files;
  ingot_program program = counterProgram();
  {
    OpenTrainer trainer(program, files, {"--max-steps=8"}, "run", false, {},
                        /*recovers=*/true);
    ASSERT_EQ(trainer.code, INGOT_TRAINER_OK) << trainer.message;
    EXPECT_EQ(trainer.initialized, 0);
    // No variable has a value yet, so there is nothing to train or save.
    for (int32_t code : {ingot_trainer_step(trainer, nullptr, 0),
                         ingot_trainer_save(trainer)}) {
      EXPECT_EQ(code, INGOT_TRAINER_FAILED_PRECONDITION);
      EXPECT_NE(trainer.error().find(
                    "Variables not initialized: w, v/part_0, v/part_1, label"),
                std::string::npos)
          << trainer.error();
    }
    EXPECT_EQ(files.get("run/checkpoint"), "");
    ASSERT_EQ(ingot_trainer_run(trainer, "init", nullptr, 0), INGOT_TRAINER_OK)
        << trainer.error();
    float w = 42;
    ingot_trainer_tensor value = {"w", INGOT_TRAINER_FLOAT, 0, nullptr, &w, 4};
    ASSERT_EQ(ingot_trainer_write(trainer, &value), INGOT_TRAINER_OK);
    ASSERT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK)
        << trainer.error();
    EXPECT_EQ(ingot_trainer_global_step(trainer), 1);
    ASSERT_EQ(ingot_trainer_save(trainer), INGOT_TRAINER_OK);
    EXPECT_NE(files.get("run/model.ckpt-0.index"), "");
  }
  OpenTrainer again(program, files, {}, "run", false, {}, /*recovers=*/true);
  ASSERT_EQ(again.code, INGOT_TRAINER_OK) << again.message;
  EXPECT_EQ(again.initialized, 1);
  EXPECT_EQ(ingot_trainer_global_step(again), 1);
  ASSERT_EQ(ingot_trainer_step(again, nullptr, 0), INGOT_TRAINER_OK);
}

TEST(Trainer, ReadersRecoverToo) {
  FaultFileSystem files;
  ingot_program program = counterProgram();
  OpenTrainer early(program, files,
                    {"--wait-for-checkpoint", "--max-wait-secs=0.05",
                     "--recovery-wait-secs=0.01"},
                    "run", true, {}, /*recovers=*/true);
  ASSERT_EQ(early.code, INGOT_TRAINER_OK) << early.message;
  EXPECT_EQ(early.initialized, 0);
  ingot_trainer_tensor value;
  EXPECT_EQ(ingot_trainer_read(early, "w", &value),
            INGOT_TRAINER_FAILED_PRECONDITION);
  {
    OpenTrainer trainer(program, files);
    ASSERT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
    ASSERT_EQ(ingot_trainer_save(trainer), INGOT_TRAINER_OK);
  }
  ASSERT_EQ(ingot_trainer_restore(early, nullptr), INGOT_TRAINER_OK)
      << early.error();
  EXPECT_EQ(ingot_trainer_global_step(early), 1);

  OpenTrainer late(program, files, {}, "run", true, {}, /*recovers=*/true);
  EXPECT_EQ(late.initialized, 1);
  // If the checkpoint was given by name, damage is an error.
  files.put("run/model.ckpt-1.index", "broken");
  OpenTrainer broken(program, files, {"--checkpoint=run/model.ckpt-1"}, nullptr,
                     true, {}, /*recovers=*/true);
  EXPECT_NE(broken.code, INGOT_TRAINER_OK);
}
