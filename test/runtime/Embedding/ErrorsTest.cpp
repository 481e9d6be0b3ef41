//===- ErrorsTest.cpp - Errors of each function ---------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "FedProgram.h"

using namespace ingot;
using namespace ingot::test;

namespace {

class Errors : public testing::Test {
protected:
  FaultFileSystem files;
  ingot_program program = counterProgram();

  /// Opens a trainer that must fail, and returns its message.
  std::string failure(std::vector<const char *> flags,
                      const char *modelDir = "run", bool readOnly = false) {
    OpenTrainer trainer(program, files, std::move(flags), modelDir, readOnly);
    EXPECT_EQ(static_cast<ingot_trainer *>(trainer), nullptr);
    EXPECT_NE(trainer.code, INGOT_TRAINER_OK);
    code = trainer.code;
    return trainer.message;
  }
  int32_t code = 0;
};

} // namespace

TEST_F(Errors, NullHandlesAreRejected) {
  ingot_trainer_tensor value = {};
  const ingot_trainer_metric *metrics = nullptr;
  size_t count = 1;
  for (int32_t result :
       {ingot_trainer_step(nullptr, nullptr, 0),
        ingot_trainer_run(nullptr, "predict", nullptr, 0),
        ingot_trainer_fetch(nullptr, "loss", &value),
        ingot_trainer_copy(nullptr, 0, nullptr, 0),
        ingot_trainer_read(nullptr, "w", &value),
        ingot_trainer_write(nullptr, &value), ingot_trainer_save(nullptr),
        ingot_trainer_restore(nullptr, nullptr),
        ingot_trainer_evaluate(nullptr, nullptr, -1, &metrics, &count)})
    EXPECT_EQ(result, INGOT_TRAINER_INVALID_ARGUMENT);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(ingot_trainer_global_step(nullptr), -1);
  EXPECT_EQ(ingot_trainer_describe(nullptr), nullptr);
  EXPECT_STREQ(ingot_trainer_error(nullptr), "the trainer's handle is null");
  ingot_trainer_close(nullptr);
  char message[64] = "";
  ingot_trainer *trainer = nullptr;
  EXPECT_EQ(
      ingot_trainer_open(nullptr, nullptr, &trainer, message, sizeof(message)),
      INGOT_TRAINER_INVALID_ARGUMENT);
  EXPECT_STREQ(message, "the library is null");
}

TEST_F(Errors, MessagesAreTruncatedToTheirBuffer) {
  ingot_trainer *trainer = nullptr;
  char message[8] = "xxxxxxx";
  ingot_trainer_options options = INGOT_TRAINER_OPTIONS;
  EXPECT_EQ(
      embedding::openTrainer(program, files, &options, &trainer, message, 5),
      INGOT_TRAINER_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(message, 8), std::string("opti\0xx\0", 8));
  EXPECT_EQ(
      embedding::openTrainer(program, files, &options, &trainer, nullptr, 0),
      INGOT_TRAINER_INVALID_ARGUMENT);
}

TEST_F(Errors, OptionsHaveAVersion) {
  ingot_trainer *trainer = nullptr;
  char message[256];
  for (uint32_t version : {0u, 77u}) {
    ingot_trainer_options options = INGOT_TRAINER_OPTIONS;
    options.version = version;
    EXPECT_EQ(embedding::openTrainer(program, files, &options, &trainer,
                                     message, sizeof(message)),
              INGOT_TRAINER_INVALID_ARGUMENT);
    EXPECT_EQ(std::string(message),
              "options.version is " + std::to_string(version) +
                  ", expected 1 to " + std::to_string(INGOT_TRAINER_VERSION) +
                  ": initialize options with INGOT_TRAINER_OPTIONS");
  }
}

TEST_F(Errors, OtherCompilesLibrariesAreRejected) {
  ingot_trainer_library library = {INGOT_TRAINER_VERSION, "1234", &program,
                                   &embedding::trainerFunctions};
  ingot_trainer *trainer = nullptr;
  char message[256];
  EXPECT_EQ(ingot_trainer_open_as(&library, "5678", nullptr, &trainer, message,
                                  sizeof(message)),
            INGOT_TRAINER_INVALID_ARGUMENT);
  EXPECT_NE(std::string(message).find("different compiles"), std::string::npos);
  EXPECT_EQ(ingot_trainer_open_as(&library, "1234", nullptr, &trainer, message,
                                  sizeof(message)),
            INGOT_TRAINER_OK);
  ingot_trainer_close(trainer);
  library.version = INGOT_TRAINER_VERSION - 1;
  EXPECT_EQ(
      ingot_trainer_open(&library, nullptr, &trainer, message, sizeof(message)),
      INGOT_TRAINER_INVALID_ARGUMENT);
  EXPECT_NE(std::string(message).find("compile the graph again"),
            std::string::npos);
}

TEST_F(Errors, TrainingNeedsModelDirectory) {
  EXPECT_NE(failure({}, nullptr).find("options.model_dir is missing"),
            std::string::npos);
  EXPECT_EQ(code, INGOT_TRAINER_INVALID_ARGUMENT);
}

TEST_F(Errors, ProcessFlagsAreRejected) {
  EXPECT_NE(failure({"--max-step=3"}).find("--max-steps"), std::string::npos);
  EXPECT_NE(failure({"--max-steps=x"}).find("--max-steps"), std::string::npos);
  EXPECT_NE(failure({"train"}).find("unexpected argument 'train'"),
            std::string::npos);
  EXPECT_EQ(failure({"--hook", "x.so"}),
            "--hook is not for libraries: run your own code between steps");
  EXPECT_EQ(failure({"--watchdog-secs=3"}),
            "--watchdog-secs is not for libraries: a watchdog would end the "
            "process");
  EXPECT_EQ(failure({"--model-dir=other"}),
            "--model-dir is not for libraries: set options.model_dir");
  EXPECT_NE(
      failure({"--max-steps=3"}, "run", /*readOnly=*/true).find("--max-steps"),
      std::string::npos);
  EXPECT_EQ(files.paths(), FaultFileSystem().paths());
}

TEST_F(Errors, ReaderNeedsItsCheckpoint) {
  EXPECT_NE(failure({}, "run", /*readOnly=*/true).find("'run'"),
            std::string::npos);
  EXPECT_NE(failure({"--checkpoint=run/model.ckpt-7"}, nullptr, true)
                .find("run/model.ckpt-7"),
            std::string::npos);
  EXPECT_NE(failure({"--checkpoint=x"}, "run", true).find("exclude"),
            std::string::npos);
}

TEST_F(Errors, UnwritableFolderFailsAtOpen) {
  std::string file = testing::TempDir() + "ingot-embedding-file";
  ASSERT_TRUE(FileSystem::posix().create(file));
  OpenTrainer trainer(program, FileSystem::posix(), {},
                      (file + "/run").c_str());
  EXPECT_NE(trainer.code, INGOT_TRAINER_OK);
  EXPECT_NE(trainer.message.find(file), std::string::npos) << trainer.message;
  EXPECT_TRUE(FileSystem::posix().remove(file).isOk());
}

TEST_F(Errors, NamesAndBuffersAreChecked) {
  OpenTrainer trainer(program, files);
  ingot_trainer_tensor value = {};
  EXPECT_EQ(ingot_trainer_fetch(trainer, "loss", &value),
            INGOT_TRAINER_FAILED_PRECONDITION);
  EXPECT_EQ(trainer.error(), "nothing to fetch: no entry has run yet");
  ASSERT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
  EXPECT_EQ(trainer.error(), "");
  auto expect = [&](int32_t result, const char *words) {
    EXPECT_EQ(result, INGOT_TRAINER_INVALID_ARGUMENT);
    EXPECT_NE(trainer.error().find(words), std::string::npos)
        << trainer.error();
  };
  expect(
      ingot_trainer_fetch(trainer, "accuracy", &value),
      "'accuracy' is not a fetch of entry 'step', which has loss:0, element:0, "
      "v:0; to add one, compile the graph with ingotc --observe TENSOR");
  expect(ingot_trainer_fetch(trainer, nullptr, &value), "the name is null");
  expect(ingot_trainer_fetch(trainer, "loss", nullptr), "the pointer");
  expect(ingot_trainer_copy(trainer, 3, &value, 4),
         "fetch index 3 is out of range");
  expect(ingot_trainer_copy(trainer, 0, &value, 8),
         "fetch 'loss:0' has 4 bytes, but the size of the buffer is 8");
  expect(ingot_trainer_copy(trainer, 0, nullptr, 4), "the destination is null");
  expect(ingot_trainer_read(trainer, "v", &value),
         "'v' is not a variable of this program");
  expect(ingot_trainer_read(trainer, nullptr, &value), "the name is null");
  expect(ingot_trainer_read(trainer, "w", nullptr), "the pointer");
  expect(ingot_trainer_write(trainer, nullptr), "the value is null");
  expect(ingot_trainer_write(trainer, &value), "the tensor has no name");
  expect(ingot_trainer_run(trainer, "predikt", nullptr, 0),
         "'predikt' is not an entry of this program: did you mean 'predict'?");
  expect(ingot_trainer_run(trainer, nullptr, nullptr, 0), "the entry is null");
  expect(ingot_trainer_run(trainer, "predict", nullptr, 0),
         "entry 'predict' also needs feeds for 'x:0' float32[2,3]");
  expect(ingot_trainer_evaluate(trainer, "nothing", -1, nullptr, nullptr),
         "nothing");
  expect(ingot_trainer_evaluate(trainer, nullptr, 0, nullptr, nullptr),
         "cannot evaluate 0 batches");
  EXPECT_EQ(ingot_trainer_global_step(trainer), 1);
}

TEST_F(Errors, VariablesKeepTypeAndShape) {
  OpenTrainer trainer(program, files);
  int64_t two = 2, three = 3;
  float values[3] = {1, 2, 3};
  auto expect = [&](ingot_trainer_tensor value, const char *words) {
    EXPECT_EQ(ingot_trainer_write(trainer, &value),
              INGOT_TRAINER_INVALID_ARGUMENT);
    EXPECT_NE(trainer.error().find(words), std::string::npos)
        << trainer.error();
  };
  expect({"v/part_0", INGOT_TRAINER_FLOAT, 1, &three, values, 12},
         "variable 'v/part_0' must be float32[2], but is float32[3]");
  expect({"v/part_0", INGOT_TRAINER_INT32, 1, &two, values, 8},
         "variable 'v/part_0' must be float32[2], but is int32[2]");
  expect({"v/part_0", INGOT_TRAINER_FLOAT, 1, &two, values, 12},
         "has 8 bytes, found 12");
  expect({"v/part_0", INGOT_TRAINER_FLOAT, 1, &two, nullptr, 8},
         "its data is null");
  EXPECT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
}

TEST_F(Errors, MissingCheckpointIsRecoverable) {
  OpenTrainer trainer(program, files);
  ASSERT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
  EXPECT_NE(ingot_trainer_restore(trainer, "run/model.ckpt-99"),
            INGOT_TRAINER_OK);
  EXPECT_NE(trainer.error().find("model.ckpt-99"), std::string::npos);
  EXPECT_EQ(ingot_trainer_step(trainer, nullptr, 0),
            INGOT_TRAINER_FAILED_PRECONDITION);
  ASSERT_EQ(ingot_trainer_restore(trainer, nullptr), INGOT_TRAINER_OK)
      << trainer.error();
  EXPECT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
}

/// During a save, each call to the disk fails once: the save must report it,
/// the next save must succeed, and the restored checkpoint must be whole.
TEST_F(Errors, FullDiskFailsSaveOnly) {
  size_t before = 0, calls = 0;
  {
    FaultFileSystem measured;
    OpenTrainer trainer(program, measured);
    ASSERT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
    // The first checkpoint may still be being written while the step runs.
    ASSERT_EQ(ingot_trainer_restore(trainer, nullptr), INGOT_TRAINER_OK);
    ASSERT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
    before = measured.calls();
    ASSERT_EQ(ingot_trainer_save(trainer), INGOT_TRAINER_OK);
    calls = measured.calls() - before;
  }
  ASSERT_GT(calls, 5u);
  size_t failures = 0;
  for (size_t call = 0; call < calls; ++call) {
    FaultFileSystem disk;
    OpenTrainer trainer(program, disk);
    ASSERT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
    ASSERT_EQ(ingot_trainer_restore(trainer, nullptr), INGOT_TRAINER_OK);
    ASSERT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
    disk.failCall(disk.calls() + call, StatusCode::ResourceExhausted);
    int32_t result = ingot_trainer_save(trainer);
    if (result != INGOT_TRAINER_OK) {
      ++failures;
      EXPECT_EQ(result, INGOT_TRAINER_RESOURCE_EXHAUSTED) << call;
      EXPECT_NE(trainer.error(), "");
      ASSERT_EQ(ingot_trainer_step(trainer, nullptr, 0), INGOT_TRAINER_OK);
      EXPECT_EQ(ingot_trainer_save(trainer), INGOT_TRAINER_OK)
          << trainer.error();
    }
    float w = valueOf<float>(trainer, "w");
    int64_t step = ingot_trainer_global_step(trainer);
    trainer.close();
    OpenTrainer again(program, disk);
    EXPECT_EQ(ingot_trainer_global_step(again), step) << call;
    EXPECT_EQ(valueOf<float>(again, "w"), w) << call;
  }
  EXPECT_GT(failures, 3u);
}

TEST_F(Errors, FullDiskFailsOpen) {
  for (size_t call = 0; call < 40; ++call) {
    FaultFileSystem disk;
    disk.failCall(call, StatusCode::ResourceExhausted);
    OpenTrainer trainer(program, disk);
    if (trainer.code == INGOT_TRAINER_OK)
      continue;
    EXPECT_EQ(trainer.code, INGOT_TRAINER_RESOURCE_EXHAUSTED) << call;
    EXPECT_NE(trainer.message, "") << call;
  }
}
