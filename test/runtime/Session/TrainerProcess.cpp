//===- TrainerProcess.cpp - The counter trainer as a process --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "TrainerProcess.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <ftw.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ingot::test;

/// Creates an empty file for the output of a process.
static std::string outputFile() {
  std::string path = testing::TempDir() + "ingot-output-XXXXXX";
  int descriptor = ::mkstemp(path.data());
  if (descriptor < 0)
    std::abort();
  ::close(descriptor);
  return path;
}

static void redirect(const std::string &path, int descriptor) {
  int file = ::open(path.c_str(), O_WRONLY | O_TRUNC);
  if (file < 0 || ::dup2(file, descriptor) < 0)
    ::_exit(126);
}

TrainerProcess::TrainerProcess(const std::vector<std::string> &arguments,
                               const Environment &environment)
    : outPath(outputFile()), errPath(outputFile()) {
  std::vector<char *> argv = {const_cast<char *>("trainer")};
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  child = ::fork();
  if (child != 0)
    return;
  redirect(outPath, STDOUT_FILENO);
  redirect(errPath, STDERR_FILENO);
  for (const auto &[name, value] : environment)
    ::setenv(name.c_str(), value.c_str(), 1);
  ::execv(INGOT_COUNTER_TRAINER, argv.data());
  ::_exit(127);
}

TrainerProcess::~TrainerProcess() {
  if (child > 0) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  ::unlink(outPath.c_str());
  ::unlink(errPath.c_str());
}

void TrainerProcess::signal(int number) const { ::kill(child, number); }

bool TrainerProcess::catches(int number) const {
  std::string status = readFile("/proc/" + std::to_string(child) + "/status");
  size_t at = status.find("SigCgt:");
  if (at == std::string::npos)
    return status.empty() || status.find("State:\tZ") != std::string::npos;
  return (std::strtoull(status.c_str() + at + 7, nullptr, 16) >> (number - 1)) &
         1;
}

ProcessResult TrainerProcess::wait() {
  int status = 0;
  ::waitpid(child, &status, 0);
  child = -1;
  ProcessResult result;
  if (WIFEXITED(status))
    result.exitCode = WEXITSTATUS(status);
  else
    result.signal = WTERMSIG(status);
  result.out = readFile(outPath);
  result.err = readFile(errPath);
  return result;
}

ProcessResult ingot::test::runTrainer(const std::vector<std::string> &arguments,
                                      const Environment &environment) {
  return TrainerProcess(arguments, environment).wait();
}

TemporaryDirectory::TemporaryDirectory()
    : thePath(testing::TempDir() + "ingot-test-XXXXXX") {
  if (!::mkdtemp(thePath.data()))
    std::abort();
}

TemporaryDirectory::~TemporaryDirectory() {
  ::nftw(
      thePath.c_str(),
      [](const char *path, const struct stat *, int, struct FTW *) {
        return ::remove(path);
      },
      16, FTW_DEPTH | FTW_PHYS);
}

std::string ingot::test::readFile(const std::string &path) {
  std::string contents;
  if (std::FILE *file = std::fopen(path.c_str(), "rb")) {
    char buffer[4096];
    while (size_t size = std::fread(buffer, 1, sizeof(buffer), file))
      contents.append(buffer, size);
    std::fclose(file);
  }
  return contents;
}

void ingot::test::writeFile(const std::string &path,
                            const std::string &contents) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (!file)
    std::abort();
  std::fwrite(contents.data(), 1, contents.size(), file);
  std::fclose(file);
}
