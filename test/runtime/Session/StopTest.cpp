//===- StopTest.cpp - SIGTERM at any moment -------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "TrainerProcess.h"

#include "runtime/Checkpoint/CheckpointManager.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

using namespace ingot::test;

namespace {

/// The phases of a run that last long enough for a signal to come during them.
enum Phase { Init, Restore, Step, Save, InputWait, PipeWait, numPhases };

/// The environment that makes runs spend a long time in `phase`.
Environment settings(Phase phase) {
  switch (phase) {
  case Init:
    return {{"COUNTER_INIT_USEC", "20000"}, {"COUNTER_STEP_USEC", "200"}};
  case Restore:
    return {{"COUNTER_LOCAL_INIT_USEC", "20000"}, {"COUNTER_STEP_USEC", "200"}};
  case Step:
    return {{"COUNTER_STEP_USEC", "3000"}};
  case Save:
    return {{"COUNTER_STEP_USEC", "100"}};
  case PipeWait:
    return {};
  default:
    return {{"COUNTER_INPUT_USEC", "5000"}};
  }
}

/// Returns the step of the newest checkpoint if all its checksums are right; -1
/// if they are not, or there is no checkpoint.
int64_t newestStep(const std::string &directory) {
  ingot::CheckpointManagerOptions options;
  options.directory = directory;
  ingot::CheckpointManager checkpoints(ingot::FileSystem::posix(), options);
  auto latest = checkpoints.latestComplete();
  if (!latest || !latest->found || !latest->warnings.empty())
    return -1;
  return latest->found->step.value_or(-1);
}

/// A pipe in place of an input file, to which write() adds lines now and then,
/// or never.
class Pipe {
public:
  explicit Pipe(std::string thePath) : path(std::move(thePath)) {
    if (::mkfifo(path.c_str(), 0600) != 0)
      std::abort();
  }
  ~Pipe() {
    if (descriptor >= 0)
      ::close(descriptor);
  }

  /// Opens the pipe, so that its reader can open it too, and writes `count`
  /// lines from line `first` on.
  void write(int first, int count) {
    // A pipe that is opened for reading as well does not wait for a reader.
    if (descriptor < 0)
      descriptor = ::open(path.c_str(), O_RDWR);
    std::string lines = testLines(first, count);
    if (::write(descriptor, lines.data(), lines.size()) !=
        static_cast<ssize_t>(lines.size()))
      std::abort();
  }

  static std::string testLines(int first, int count) {
    std::string lines;
    for (int i = first; i < first + count; ++i)
      lines += std::to_string(7 * i % 11) + "\n";
    return lines;
  }

private:
  std::string path;
  int descriptor = -1;
};

/// A small number of runs, unless INGOT_STOP_RUNS asks for more, such as 200.
int numRuns() {
  const char *text = std::getenv("INGOT_STOP_RUNS");
  return text ? std::atoi(text) : 24;
}

TEST(StopTest, SignalCompletesCurrentStep) {
  std::mt19937 random(20251121);
  int stops = 0, byPhase[numPhases] = {};
  for (int run = 0; run < numRuns(); ++run) {
    auto phase = static_cast<Phase>(run % numPhases);
    TemporaryDirectory directory;
    std::string losses = directory / "losses";
    std::vector<std::string> flags = {"--model-dir",
                                      directory / "run",
                                      "--max-steps",
                                      "100000",
                                      "--save-checkpoints-steps",
                                      phase == Save ? "1" : "1000",
                                      "--losses",
                                      losses,
                                      "--quiet",
                                      "--threads",
                                      run % 2 ? "1" : "2"};
    if (phase == Restore) {
      std::vector<std::string> first = flags;
      first[3] = "5";
      ASSERT_EQ(runTrainer(first).exitCode, 0);
    }
    Environment environment = settings(phase);
    std::string input = directory / "lines";
    std::optional<Pipe> pipe;
    if (phase == PipeWait) {
      pipe.emplace(input);
      environment["COUNTER_LINES"] = input;
      if (run / numPhases % 2)
        environment["COUNTER_PREFETCH"] = "";
    }
    TrainerProcess process(flags, environment);
    while (!process.catches(SIGTERM))
      ::usleep(200);
    // Every third pipe has no writer; the lines of the others do not make a
    // whole number of steps.
    for (int at = 0; pipe && run / numPhases % 3 && at < 100;
         at += 10, ::usleep(500))
      pipe->write(at, 10);
    ::usleep(static_cast<useconds_t>(random() % 40000));
    process.signal(SIGTERM);
    ProcessResult end = process.wait();
    ASSERT_EQ(end.exitCode, 128 + SIGTERM)
        << "run " << run << ", phase " << phase << ", signal " << end.signal
        << ": " << end.err;
    ++stops;
    ++byPhase[phase];
    // Every step whose loss is in the file must be saved completely.
    std::string text = readFile(losses);
    auto lines = std::count(text.begin(), text.end(), '\n');
    EXPECT_EQ(newestStep(directory / "run"), lines)
        << "run " << run << ", phase " << phase;
    if (!pipe)
      continue;
    // A file with the pipe's lines and more takes the pipe's place. The run
    // resumes at the next line, and ends with the same losses as an
    // uninterrupted run.
    pipe.reset();
    ::unlink(input.c_str());
    writeFile(input, Pipe::testLines(0, 200));
    ASSERT_EQ(runTrainer(flags, environment).exitCode, 0);
    flags[1] = directory / "whole";
    flags[7] = directory / "whole.losses";
    ASSERT_EQ(runTrainer(flags, environment).exitCode, 0);
    EXPECT_EQ(readFile(losses), readFile(flags[7])) << "run " << run;
  }
  EXPECT_EQ(stops, numRuns());
  for (int count : byPhase)
    EXPECT_GE(count, numRuns() / numPhases);
}

} // namespace
