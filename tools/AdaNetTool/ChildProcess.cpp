//===- ChildProcess.cpp - Programs that a tool runs -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/AdaNetTool/ChildProcess.h"

#include "runtime/Session/StopSignals.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ingot::adanet {

namespace {

std::atomic<pid_t> running = 0;
std::atomic<int> lastForwarded = 0;

void forwardSignal(int signal) {
  lastForwarded = signal;
  if (pid_t child = running.load())
    ::kill(child, signal);
}

/// While an object of this class exists, this process forwards the signals
/// SIGINT and SIGTERM to the child process `running` instead of ending.
class SignalForwarder {
public:
  SignalForwarder() {
    struct sigaction action = {};
    action.sa_handler = forwardSignal;
    for (size_t i = 0; i < std::size(signalsToStop); ++i) {
      bool stops = stopsBy(signalsToStop[i]);
      ::sigaction(signalsToStop[i], stops ? &action : nullptr, &before[i]);
    }
  }
  ~SignalForwarder() { restore(); }
  /// Restores the signal dispositions from before the constructor. The child
  /// calls this after fork, since only the parent forwards signals.
  void restore() const {
    for (size_t i = 0; i < std::size(signalsToStop); ++i)
      ::sigaction(signalsToStop[i], &before[i], nullptr);
  }

private:
  struct sigaction before[std::size(signalsToStop)] = {};
};

std::vector<char *> toArguments(const std::vector<std::string> &command) {
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

Status cannotStart(const std::string &program, int error) {
  return Status(StatusCode::NotFound,
                "cannot run '" + program + "': " + std::strerror(error));
}

/// Reads the pipe until its write end is closed, and appends all bytes to
/// `text`.
void readAll(int pipe, std::string &text) {
  char buffer[4096];
  while (true) {
    ssize_t size = ::read(pipe, buffer, sizeof(buffer));
    if (size > 0)
      text.append(buffer, static_cast<size_t>(size));
    else if (size == 0 || errno != EINTR)
      return;
  }
}

[[noreturn]] void runChild(const std::vector<char *> &arguments, pid_t parent,
                           int output, int failure) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // If the parent died before PR_SET_PDEATHSIG was set, the kernel does not
  // signal its death, so the child ends itself.
  if (::getppid() != parent)
    ::_exit(127);
  if (output >= 0)
    ::dup2(output, STDOUT_FILENO);
  ::execvp(arguments[0], arguments.data());
  int error = errno;
  [[maybe_unused]] ssize_t written = ::write(failure, &error, sizeof(error));
  ::_exit(127);
}

} // namespace

Expected<int> runProgram(const std::vector<std::string> &command,
                         std::string *output) {
  std::vector<char *> arguments = toArguments(command);
  int failure[2], text[2] = {-1, -1};
  if (::pipe2(failure, O_CLOEXEC) != 0)
    return cannotStart(command[0], errno);
  if (output && ::pipe2(text, O_CLOEXEC) != 0) {
    int error = errno;
    ::close(failure[0]);
    ::close(failure[1]);
    return cannotStart(command[0], error);
  }
  SignalForwarder signals;
  // Blocks SIGINT and SIGTERM until `running` holds the child's process id. A
  // signal that arrives in between stays pending and is forwarded afterwards.
  sigset_t stops, before;
  ::sigemptyset(&stops);
  for (int signal : signalsToStop)
    ::sigaddset(&stops, signal);
  ::sigprocmask(SIG_BLOCK, &stops, &before);
  pid_t parent = ::getpid();
  pid_t child = ::fork();
  if (child == 0) {
    signals.restore();
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    runChild(arguments, parent, text[1], failure[1]);
  }
  int error = child < 0 ? errno : 0;
  running = child > 0 ? child : 0;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::close(failure[1]);
  if (output)
    ::close(text[1]);
  if (child > 0) {
    int reported = 0;
    ssize_t size;
    do
      size = ::read(failure[0], &reported, sizeof(reported));
    while (size < 0 && errno == EINTR);
    if (size == sizeof(reported))
      error = reported;
    if (output)
      readAll(text[0], *output);
  }
  ::close(failure[0]);
  if (output)
    ::close(text[0]);
  int status = 0;
  if (child > 0)
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  running = 0;
  if (error)
    return cannotStart(command[0], error);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int forwardedSignal() { return lastForwarded.load(); }

Status becomeProgram(const std::vector<std::string> &command) {
  ::execvp(command[0].c_str(), toArguments(command).data());
  return cannotStart(command[0], errno);
}

} // namespace ingot::adanet
