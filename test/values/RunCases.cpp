//===- RunCases.cpp - A trainer's main() that runs many command lines -----===//
// SPDX-License-Identifier: Apache-2.0
//
// The main() of the trainers of value suites, in place of
// runtime/CommandLine/Main.cpp. `trainer FILE` does for each line of FILE what
// a trainer does that is started with the line's arguments, which are separated
// by tabs. Each line runs in a process of its own, which is forked instead of
// started. For each line, it prints the exit code (128 plus the signal's number
// for a killed process), the number of bytes of the output, and the output. If
// a failing run has changed a variable, the output names the variable.
//
//===----------------------------------------------------------------------===//

#include "runtime/ABI/Program.h"
#include "runtime/CommandLine/TrainerMain.h"
#include "runtime/Device/ParallelLoops.h"
#include "runtime/Session/Program.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

/// A case that takes more seconds is killed by SIGALRM.
static constexpr unsigned secondsPerCase = 60;
/// A case cannot allocate more memory: a wrong feed may state any size.
[[maybe_unused]] static constexpr rlim_t bytesPerCase = rlim_t(4) << 30;

static std::vector<char *> splitAtTabs(std::string &line) {
  std::vector<char *> parts = {line.data()};
  for (char &c : line)
    if (c == '\t') {
      c = '\0';
      parts.push_back(&c + 1);
    }
  return parts;
}

/// The code of the watched entry, and the size of its arena.
static ingot_code entryCode = nullptr;
static uint64_t arenaSize = 0;

/// Fills the arena, except for the addresses in it, with NaNs: an earlier run
/// may leave anything there, but the first one finds zeros.
static void leaveNaNs(uint8_t *arena) {
  auto *words = reinterpret_cast<uint64_t *>(arena);
  std::replace(words, words + arenaSize / sizeof(uint64_t), uint64_t(0),
               ~uint64_t(0));
}

/// Runs the entry's code, and prints the variables that a failing run has
/// changed. Variables with states of random ops are left out: a drawn number
/// stays drawn.
static int32_t runWatched(ingot_context *context, uint8_t *arena,
                          void *const *variables, const ingot_tensor *feeds,
                          ingot_tensor *fetches) {
  const ingot_program &program = ingot_main_program;
  std::vector<std::string> before;
  for (uint32_t i = 0; i < program.num_variables; ++i)
    before.emplace_back(static_cast<const char *>(variables[i]),
                        program.variables[i].byte_size);
  leaveNaNs(arena);
  int32_t code = entryCode(context, arena, variables, feeds, fetches);
  for (uint32_t i = 0; code != 0 && i < program.num_variables; ++i)
    if (!ingot::isRandomState(program.variables[i]) &&
        std::memcmp(before[i].data(), variables[i], before[i].size()) != 0)
      std::fprintf(stderr, "variable '%s' is changed by a run that fails\n",
                   program.variables[i].spec.name);
  return code;
}

/// Returns the program with runWatched() as the code of entry `name`.
static ingot_program watched(const char *name,
                             std::vector<ingot_entry> &entries) {
  ingot_program program = ingot_main_program;
  entries.assign(program.entries, program.entries + program.num_entries);
  for (ingot_entry &entry : entries)
    if (std::strcmp(entry.name, name) == 0) {
      entryCode = std::exchange(entry.run, runWatched);
      arenaSize = entry.arena_size;
    }
  program.entries = entries.data();
  return program;
}

/// Runs the trainer in the child process; all its output goes to `said`.
[[noreturn]] static void runTrainer(std::string line, char *executable,
                                    std::FILE *said) {
  std::vector<char *> arguments = splitAtTabs(line);
  arguments.insert(arguments.begin(), executable);
  dup2(fileno(said), STDOUT_FILENO);
  dup2(fileno(said), STDERR_FILENO);
  alarm(secondsPerCase);
#if !defined(__SANITIZE_ADDRESS__) &&                                          \
    !defined(__SANITIZE_THREAD__) // sanitizers map far more memory
  // CUDA's driver reserves far more addresses than it uses.
  if (!std::getenv("INGOT_TEST_GPU")) {
    rlimit limit = {bytesPerCase, bytesPerCase};
    setrlimit(RLIMIT_AS, &limit);
  }
#endif
  std::vector<ingot_entry> entries;
  ingot_program program =
      watched(arguments.size() > 2 ? arguments[2] : "", entries);
  std::exit(ingot::trainerMain(static_cast<int>(arguments.size()),
                               arguments.data(), program));
}

/// Runs one command line, and prints its exit code and output. Returns false if
/// there is no process or file for it.
static bool run(const std::string &line, char *executable) {
  std::FILE *said = std::tmpfile();
  if (!said)
    return false;
  pid_t child = fork();
  if (child == 0)
    runTrainer(line, executable, said);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    return false;
  std::string text(static_cast<size_t>(lseek(fileno(said), 0, SEEK_END)), '\0');
  std::rewind(said);
  text.resize(std::fread(text.data(), 1, text.size(), said));
  std::fclose(said);
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::printf("%d %zu\n", code, text.size());
  std::fwrite(text.data(), 1, text.size(), stdout);
  // Otherwise the next child would print the unwritten output again.
  return std::fflush(stdout) == 0;
}

int main(int argc, char **argv) {
  // Kernels of these small cases would otherwise not be split among threads.
  ingot::forceParallelForTesting();
  std::ifstream file(argc == 2 ? argv[1] : "");
  if (!file) {
    std::fprintf(stderr, "usage: %s FILE, which has a command line a line\n",
                 argv[0]);
    return ingot::ExitUsage;
  }
  for (std::string line; std::getline(file, line);)
    if (!run(line, argv[0])) {
      std::perror(argv[0]);
      return ingot::ExitFailed;
    }
  return ingot::ExitDone;
}
