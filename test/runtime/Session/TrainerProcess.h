//===- TrainerProcess.h - The counter trainer as a process ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TEST_RUNTIME_SESSION_TRAINERPROCESS_H
#define INGOT_TEST_RUNTIME_SESSION_TRAINERPROCESS_H

#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ingot::test {

/// How a process ended, and what it printed.
struct ProcessResult {
  int exitCode = -1; // -1: a signal ended it
  int signal = 0;
  std::string out, err;
};

using Environment = std::map<std::string, std::string>;

/// A process of the counter trainer, with its own arguments and environment.
class TrainerProcess {
public:
  explicit TrainerProcess(const std::vector<std::string> &arguments,
                          const Environment &environment = {});
  /// Kills the process if it still runs.
  ~TrainerProcess();

  void signal(int number) const;
  /// Whether the process has a handler for the signal, or has ended.
  bool catches(int number) const;
  /// Waits for the end of the process, when its output is complete.
  ProcessResult wait();

private:
  pid_t child = -1;
  std::string outPath, errPath;
};

/// Runs the counter trainer until it ends.
ProcessResult runTrainer(const std::vector<std::string> &arguments,
                         const Environment &environment = {});

/// A new empty directory, which is removed with its contents at the end.
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

/// Returns the bytes of a file; "" if it does not exist.
std::string readFile(const std::string &path);
void writeFile(const std::string &path, const std::string &contents);

} // namespace ingot::test

#endif // INGOT_TEST_RUNTIME_SESSION_TRAINERPROCESS_H
