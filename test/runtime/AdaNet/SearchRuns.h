//===- SearchRuns.h - Searches on disks that fail ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TEST_RUNTIME_ADANET_SEARCHRUNS_H
#define INGOT_TEST_RUNTIME_ADANET_SEARCHRUNS_H

#include "SearchProgram.h"

#include "runtime/Checkpoint/CheckpointReader.h"
#include "runtime/CommandLine/TrainerMain.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <map>

namespace ingot::test {

/// Runs the trainer of an iteration, `program`, on `files`, and returns its
/// exit code.
inline int train(FileSystem &files, const ingot_program &program,
                 std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"trainer", "train", "--quiet",
                                        "--sync-saves"};
  for (const auto &[flag, value] : {std::pair("--model-dir", "run"),
                                    {"--summary-steps", "0"},
                                    {"--max-iteration-steps", "10"},
                                    {"--max-steps", "1000"},
                                    {"--save-checkpoints-steps", "4"},
                                    {"--seed", "1"},
                                    {"--threads", "1"}})
    if (std::find(more.begin(), more.end(), flag) == more.end())
      arguments.insert(arguments.end(), {flag, value});
  arguments.insert(arguments.end(), more.begin(), more.end());
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  return trainerMain(static_cast<int>(pointers.size()), pointers.data(),
                     program, files);
}

inline int train(FileSystem &files, int64_t iteration,
                 std::vector<std::string> more = {}, int64_t passes = -1) {
  return train(files, searchProgram(iteration, passes), std::move(more));
}

/// The elements of a numeric tensor of a checkpoint.
inline std::vector<int64_t> numbersIn(FaultFileSystem &files,
                                      const std::string &prefix,
                                      const std::string &key) {
  auto reader = CheckpointReader::open(files, prefix);
  EXPECT_TRUE(reader) << reader.status().message();
  auto tensor = readTensor(**reader, key);
  EXPECT_TRUE(tensor) << tensor.status().message();
  std::vector<int64_t> numbers(tensor->bytes.size() / sizeof(int64_t));
  std::memcpy(numbers.data(), tensor->bytes.data(), tensor->bytes.size());
  return numbers;
}

/// Returns the bytes of all files, by path, except for those that contain
/// times.
inline std::map<std::string, std::string>
contents(const FaultFileSystem &files) {
  std::map<std::string, std::string> all;
  for (const std::string &path : files.paths())
    if (!files.get(path).empty())
      all[path] = files.get(path);
  return all;
}

/// Copies the files of a run to another disk, and syncs them.
inline void copy(const FaultFileSystem &from, FaultFileSystem &to) {
  std::vector<std::string> paths = from.paths();
  for (const char *folder : {"run/report", "run/train_manager",
                             "run/train_manager/t0", "run/train_manager/t1"})
    if (std::find(paths.begin(), paths.end(), folder) != paths.end())
      (void)to.createDirectories(folder);
  for (const char *folder : {"run", "run/train_manager"})
    (void)to.syncDirectory(folder);
  for (const auto &[path, bytes] : contents(from))
    to.put(path, bytes);
}

/// The folders on the disk of a new search.
inline const std::vector<std::string> searchFolders = {".", "run"};

} // namespace ingot::test

#endif // INGOT_TEST_RUNTIME_ADANET_SEARCHRUNS_H
