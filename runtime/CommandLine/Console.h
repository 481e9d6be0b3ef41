//===- Console.h - Messages, log and progress on a terminal -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_CONSOLE_H
#define INGOT_RUNTIME_COMMANDLINE_CONSOLE_H

#include "runtime/Session/SessionLogger.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>

namespace ingot {

/// Returns a progress line that fits a terminal of `columns` columns. The line
/// has a bar that is filled up to the fraction `part` (no bar if `part` is
/// negative), `where` (the step, then values such as the loss, each after two
/// blanks) and `speed`.
std::string fitProgress(double part, std::string where,
                        const std::string &speed, size_t columns);

/// Prints messages to stderr as compilers do ("error: ...", in colour on a
/// terminal only), the log to stdout, and a progress bar to stderr if stderr is
/// a terminal.
class Console final : public SessionLogger {
public:
  enum class Kind { Log, Note, Warning, Error };
  /// A function that receives each message instead of the terminal.
  using Sink = std::function<void(Kind kind, const std::string &message)>;

  Console();
  /// Creates a console that passes all messages to `sink` and prints nothing,
  /// for programs that embed a trainer.
  explicit Console(Sink sink) : sink(std::move(sink)) {}
  ~Console() override { clearBar(); }

  /// From now on, each message and line of the log is one JSON object with the
  /// members time (UTC), level, message and, unless `step` is null or negative,
  /// step; there is no progress bar. Messages still go to stderr, the log to
  /// stdout.
  void setJson(std::shared_ptr<const std::atomic<int64_t>> step) {
    isJson = true;
    jsonStep = std::move(step);
  }
  /// If `value` is true, only warnings and errors are printed from now on.
  void setQuiet(bool value) { quiet = value; }

  /// For one of several processes that train together: from now on, errors
  /// begin with the process's name, `rank` ("rank 1 of 4 on node2"), and
  /// `beforeError` is called before the first error. If `reports` is false,
  /// nothing but errors is printed.
  void setRank(std::string rank, bool reports,
               std::function<void()> beforeError);

  void error(const std::string &message);
  void warning(const std::string &message) override;
  void note(const std::string &message) override;
  /// Prints a note that explains an error, even if quiet.
  void hint(const std::string &message);
  void log(const std::string &line) override;
  Status logStatus() const override;
  void progress(const Progress &progress) override;

private:
  void message(Kind kind, const std::string &message);
  void clearBar();
  std::string jsonLine(const char *level, const std::string &message) const;
  bool isReaderGone(int error) const;

  Sink sink;
  bool isTerminal = false, isColoured = false;
  bool logsToTerminal = false;
  bool quiet = false, onlyErrors = false;
  bool isJson = false;
  std::shared_ptr<const std::atomic<int64_t>> jsonStep;
  std::string rank;
  std::function<void()> beforeError;
  bool barShown = false;
  int logError = 0; // errno of the first write to the log that failed
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_CONSOLE_H
