//===- FedProgram.h - The counter program, with a fed step ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TEST_RUNTIME_EMBEDDING_FEDPROGRAM_H
#define INGOT_TEST_RUNTIME_EMBEDDING_FEDPROGRAM_H

#include "test/runtime/Session/CounterProgram.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include "runtime/Embedding/TrainerFunctions.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace ingot::test {

/// The counter program with another step: it reads no element, but adds to w
/// the product of rate:0 (a scalar) and the sum of x:0 (float32[?,2]), and 1
/// for each true of flags:0 (bool[3]) and each byte of texts:0 (string[2]). If
/// the sum exceeds 1000, the step fails, after it has changed w.
ingot_program fedProgram();

/// Opens a trainer of `program` on `files` with `flags`.
class OpenTrainer {
public:
  OpenTrainer(const ingot_program &program, FileSystem &files,
              std::vector<const char *> flags = {},
              const char *modelDir = "run", bool readOnly = false,
              std::pair<ingot_trainer_init, void *> init = {},
              bool recovers = false) {
    ingot_trainer_options options = INGOT_TRAINER_OPTIONS;
    options.init_fn = init.first;
    options.init_state = init.second;
    flags.push_back("--threads=1");
    if (!readOnly)
      flags.push_back("--summary-steps=0");
    options.flags = flags.data();
    options.num_flags = flags.size();
    options.model_dir = modelDir;
    options.read_only = readOnly;
    options.log = [](void *state, int32_t kind, const char *text) {
      auto &lines = *static_cast<std::vector<std::string> *>(state);
      lines.push_back(std::to_string(kind) + " " + text);
    };
    options.log_state = &log;
    char text[512] = "";
    code =
        embedding::openTrainer(program, files, &options, &handle, text,
                               sizeof(text), recovers ? &initialized : nullptr);
    message = text;
  }
  ~OpenTrainer() { close(); }
  OpenTrainer(const OpenTrainer &) = delete;
  OpenTrainer &operator=(const OpenTrainer &) = delete;

  void close() {
    ingot_trainer_close(handle);
    handle = nullptr;
  }
  operator ingot_trainer *() const { return handle; }
  std::string error() const { return ingot_trainer_error(handle); }

  int32_t code = 0, initialized = -1;
  std::string message;
  std::vector<std::string> log;

private:
  ingot_trainer *handle = nullptr;
};

/// Returns the only element of variable `name`.
template <typename T> T valueOf(ingot_trainer *trainer, const char *name) {
  ingot_trainer_tensor value = {};
  EXPECT_EQ(ingot_trainer_read(trainer, name, &value), INGOT_TRAINER_OK)
      << ingot_trainer_error(trainer);
  EXPECT_EQ(value.size, sizeof(T));
  return value.data ? *static_cast<const T *>(value.data) : T();
}

} // namespace ingot::test

#endif // INGOT_TEST_RUNTIME_EMBEDDING_FEDPROGRAM_H
