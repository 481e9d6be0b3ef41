//===- Console.h - Messages, log and progress on a terminal -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_CONSOLE_H
#define INGOT_RUNTIME_COMMANDLINE_CONSOLE_H

#include "runtime/Session/Reporter.h"

#include <functional>
#include <string>

namespace ingot {

/// A progress line that fits a terminal of `columns` columns: a bar filled up
/// to `part` (negative: no bar), the run's position and its values, each after
/// two blanks, and its speed.
std::string fitProgress(double part, std::string where,
                        const std::string &speed, size_t columns);

/// Messages go to stderr as a compiler's do ("error: ...", in colour only on a
/// terminal), the log to stdout, a progress bar to stderr if that is a
/// terminal.
class Console final : public Reporter {
public:
  enum class Kind { Log, Note, Warning, Error };
  /// Receives the text instead of the terminal.
  using Sink = std::function<void(Kind kind, const std::string &message)>;

  Console();
  /// A console that prints nothing: all goes to `sink`, of programs that have a
  /// trainer in them.
  explicit Console(Sink sink) : sink(std::move(sink)) {}
  ~Console() override { clearBar(); }

  /// Only warnings and errors from now on.
  void setQuiet(bool value) { quiet = value; }

  void error(const std::string &message);
  void warning(const std::string &message) override;
  void note(const std::string &message) override;
  /// A note that belongs to an error: printed even if quiet.
  void hint(const std::string &message);
  void log(const std::string &line) override;
  Status logStatus() const override;
  void progress(const Progress &progress) override;

private:
  void message(Kind kind, const std::string &message);
  void clearBar();
  bool isReaderGone(int error) const;

  Sink sink;
  bool isTerminal = false, isColoured = false;
  bool logsToTerminal = false;
  bool quiet = false;
  bool barShown = false;
  int logError = 0; // errno of the first line that was lost
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_CONSOLE_H
