//===- TrainerProcess.h - The counter trainer as a process ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TEST_RUNTIME_SESSION_TRAINERPROCESS_H
#define INGOT_TEST_RUNTIME_SESSION_TRAINERPROCESS_H

#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ingot::test {

/// How a process ended and its output.
struct ProcessResult {
  int exitCode = -1; // -1: by a signal
  int signal = 0;
  std::string out, err;
};

using Environment = std::map<std::string, std::string>;

/// The counter trainer, started with arguments and settings of its own.
class TrainerProcess {
public:
  explicit TrainerProcess(const std::vector<std::string> &arguments,
                          const Environment &environment = {});
  /// Kills it if it still runs.
  ~TrainerProcess();

  void signal(int number) const;
  /// True once it has a handler for the signal, and when it has ended.
  bool catches(int number) const;
  /// Waits for its end; its output is complete then.
  ProcessResult wait();

private:
  pid_t child = -1;
  std::string outPath, errPath;
};

/// Runs the counter trainer to its end.
ProcessResult runTrainer(const std::vector<std::string> &arguments,
                         const Environment &environment = {});

/// A new empty directory, removed with all it holds.
class TemporaryDirectory {
public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  const std::string &path() const { return thePath; }
  std::string operator/(const std::string &name) const {
    return thePath + "/" + name;
  }

private:
  std::string thePath;
};

/// The bytes of a file; "" if it does not exist.
std::string readFile(const std::string &path);
void writeFile(const std::string &path, const std::string &contents);

} // namespace ingot::test

#endif // INGOT_TEST_RUNTIME_SESSION_TRAINERPROCESS_H
