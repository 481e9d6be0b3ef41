//===- Runs.cpp - Runs trainers to compare their results ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/Trials/Runs.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Checkpoint/CheckpointReader.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ingot::trials {

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int isolate(const std::string &log, unsigned seconds,
            llvm::function_ref<int()> child) {
  fflush(nullptr);
  pid_t process = fork();
  if (process == 0) {
    int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    // Limit the CPU time of the child rather than its real time, so that other
    // load on the machine does not matter. The alarm ends a child that waits
    // forever, which takes no CPU time.
    rlimit limit = {seconds, seconds + 1};
    setrlimit(RLIMIT_CPU, &limit);
    alarm(30 * seconds);
    _exit(child());
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Adds the numbers in the lines of a --losses file to `outcome.tensors`, by
/// name.
static void addNumbers(const std::string &losses, TrainingOutcome &outcome) {
  std::istringstream lines(losses);
  for (std::string line; std::getline(lines, line);) {
    // Parses a line such as {"step": 1, "loss": 0.5, "observed": [[1, 2], [3,
    // 4]]}.
    std::string name;
    for (size_t at = 0; at < line.size();) {
      if (line[at] == '"') {
        size_t end = line.find('"', at + 1);
        std::string text = line.substr(at + 1, end - at - 1);
        if (text == "inf" || text == "-inf" || text == "nan" ||
            text == "Infinity" || text == "-Infinity" || text == "NaN")
          outcome.tensors[name].push_back(strtod(text.c_str(), nullptr));
        else
          name = "fetch " + text;
        at = end + 1;
      } else if (isdigit(line[at]) || line[at] == '-') {
        char *end;
        double number = strtod(line.c_str() + at, &end);
        if (name != "fetch step")
          outcome.tensors[name].push_back(number);
        at = end - line.c_str();
      } else {
        ++at;
      }
    }
  }
}

/// Adds the float variables of a checkpoint to `outcome.tensors`.
static void addCheckpoint(const std::string &prefix, TrainingOutcome &outcome) {
  auto reader = CheckpointReader::open(FileSystem::posix(), prefix);
  if (!reader)
    return;
  for (const std::string &key : (*reader)->keys()) {
    const CheckpointEntry *entry = (*reader)->find(key);
    if (entry->dtype != INGOT_FLOAT)
      continue;
    int64_t elements = 1;
    for (int64_t size : entry->shape)
      elements *= size;
    std::vector<float> values(elements);
    Status status =
        (*reader)->read(key, "", entry->dtype, entry->shape, values.data());
    if (status.isOk())
      outcome.tensors[key].assign(values.begin(), values.end());
  }
}

TrainingOutcome train(const std::string &trainer, const std::string &folder,
                      int64_t steps, const std::vector<std::string> &flags,
                      const std::vector<std::string> &launcher) {
  std::string log = folder + ".log", losses = folder + ".losses";
  std::string last = std::to_string(steps);
  TrainingOutcome outcome;
  outcome.code = isolate(log, 120, [&] {
    std::vector<const char *> words;
    for (const std::string &word : launcher)
      words.push_back(word.c_str());
    words.insert(words.end(),
                 {trainer.c_str(), "train", "--model-dir", folder.c_str(),
                  "--max-steps", last.c_str(), "--losses", losses.c_str(),
                  "--quiet", "--on-nan", "ignore"});
    for (const std::string &flag : flags)
      words.push_back(flag.c_str());
    words.push_back(nullptr);
    execvp(words[0], const_cast<char **>(words.data()));
    return 127;
  });
  if (outcome.code != 0)
    outcome.message = readFile(log);
  outcome.losses = readFile(losses);
  std::string prefix = folder + "/model.ckpt-" + last;
  outcome.data = readFile(prefix + ".data-00000-of-00001");
  addNumbers(outcome.losses, outcome);
  addCheckpoint(prefix, outcome);
  return outcome;
}

double distance(const std::vector<double> &a, const std::vector<double> &b,
                size_t *where) {
  double most = 0;
  if (a.size() != b.size())
    return HUGE_VAL;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))
      continue;
    double apart = std::fabs(a[i] - b[i]);
    if (std::isnan(apart))
      apart = HUGE_VAL;
    if (apart > most && where)
      *where = i;
    most = std::max(most, apart);
  }
  return most;
}

double largest(const std::vector<double> &values) {
  double most = 0;
  for (double value : values)
    if (std::isfinite(value))
      most = std::max(most, std::fabs(value));
  return most;
}

} // namespace ingot::trials
