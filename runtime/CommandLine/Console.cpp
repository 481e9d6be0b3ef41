//===- Console.cpp - Messages, log and progress on a terminal -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Console.h"

#include "runtime/Support/Json.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace ingot;

Console::Console() {
  isTerminal = ::isatty(STDERR_FILENO);
  logsToTerminal = ::isatty(STDOUT_FILENO);
  const char *term = std::getenv("TERM");
  isColoured = isTerminal && !std::getenv("NO_COLOR") && term &&
               std::strcmp(term, "dumb") != 0;
}

std::string Console::jsonLine(const char *level,
                              const std::string &message) const {
  timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  std::tm parts = {};
  char time[40], millis[8];
  std::strftime(time, sizeof(time), "%Y-%m-%dT%H:%M:%S",
                ::gmtime_r(&now.tv_sec, &parts));
  std::snprintf(millis, sizeof(millis), ".%03dZ",
                static_cast<int>(now.tv_nsec / 1'000'000));
  std::string line = std::string("{\"time\":\"") + time + millis +
                     "\",\"level\":\"" + level + "\",\"message\":";
  appendJsonString(line, message);
  if (int64_t step = jsonStep ? jsonStep->load() : -1; step >= 0)
    line += ",\"step\":" + std::to_string(step);
  return line + "}";
}

void Console::message(Kind kind, const std::string &message) {
  if (sink)
    return sink(kind, message);
  struct ConsoleMessageStyle {
    const char *name, *colour;
  };
  constexpr ConsoleMessageStyle note = {"note", "36"},
                                warning = {"warning", "35"},
                                error = {"error", "31"};
  const ConsoleMessageStyle &style = kind == Kind::Error     ? error
                                     : kind == Kind::Warning ? warning
                                                             : note;
  clearBar();
  if (isJson)
    std::fprintf(stderr, "%s\n", jsonLine(style.name, message).c_str());
  else if (isColoured)
    std::fprintf(stderr, "\033[1;%sm%s:\033[0m %s\n", style.colour, style.name,
                 message.c_str());
  else
    std::fprintf(stderr, "%s: %s\n", style.name, message.c_str());
}

void Console::setRank(std::string newRank, bool reports,
                      std::function<void()> newBeforeError) {
  rank = std::move(newRank);
  onlyErrors = !reports;
  quiet |= onlyErrors;
  beforeError = std::move(newBeforeError);
}

void Console::error(const std::string &text) {
  if (auto call = std::exchange(beforeError, nullptr))
    call();
  message(Kind::Error, rank.empty() ? text : rank + ": " + text);
}

void Console::warning(const std::string &text) {
  if (!onlyErrors)
    message(Kind::Warning, text);
}

void Console::note(const std::string &text) {
  if (!quiet)
    message(Kind::Note, text);
}

void Console::hint(const std::string &text) { message(Kind::Note, text); }

/// Returns true if writing failed with `error` because nobody reads the output:
/// a pipe lost its reader, or the terminal was closed.
bool Console::isReaderGone(int error) const {
  return error == EPIPE || (error == EIO && logsToTerminal);
}

void Console::log(const std::string &line) {
  if (sink)
    return sink(Kind::Log, line);
  if (quiet)
    return;
  clearBar();
  errno = 0;
  if ((std::fprintf(stdout, "%s\n",
                    (isJson ? jsonLine("info", line) : line).c_str()) < 0 ||
       std::fflush(stdout) != 0) &&
      !isReaderGone(errno) && logError == 0)
    logError = errno;
}

Status Console::logStatus() const {
  return logError == 0
             ? Status::ok()
             : Status(StatusCode::ResourceExhausted,
                      std::string("cannot write the log to standard output: ") +
                          std::strerror(logError));
}

void Console::clearBar() {
  if (barShown)
    std::fputs("\r\033[K", stderr);
  barShown = false;
}

/// Formats `seconds` as hours, minutes and seconds: "1:02:03", or "2:03".
static std::string durationText(double seconds) {
  char text[32];
  long long total = static_cast<long long>(seconds + 0.5);
  if (total >= 3600)
    std::snprintf(text, sizeof(text), "%lld:%02lld:%02lld", total / 3600,
                  total / 60 % 60, total % 60);
  else
    std::snprintf(text, sizeof(text), "%lld:%02lld", total / 60, total % 60);
  return text;
}

/// Returns the width of the terminal in columns, or 80 if it is unknown.
static size_t columnsOf(int descriptor) {
  winsize window = {};
  if (::ioctl(descriptor, TIOCGWINSZ, &window) == 0 && window.ws_col > 1)
    return window.ws_col;
  return 80;
}

std::string ingot::fitProgress(double part, std::string where,
                               const std::string &speed, size_t columns) {
  // The progress line must be shorter than the width of the terminal: a
  // carriage return cannot overwrite a line that wraps. The least important
  // parts are dropped first: the bar's length, then values after the loss, then
  // the speed.
  constexpr size_t longestBar = 30, shortestBar = 8, brackets = 3;
  size_t room = columns - 1, text = where.size() + speed.size();
  std::string line;
  if (part >= 0 && text + shortestBar + brackets <= room) {
    size_t width = std::min(longestBar, room - text - brackets);
    auto filled =
        static_cast<size_t>(std::min(part, 1.0) * static_cast<double>(width));
    line = "[" + std::string(filled, '#') + std::string(width - filled, '.') +
           "] ";
  } else if (text > room) {
    // Remove values from the end, one at a time. Values are separated by two
    // blanks.
    while (where.size() + speed.size() > room) {
      size_t last = where.rfind("  ");
      if (last == std::string::npos)
        break;
      where.resize(last);
    }
  }
  line += where;
  if (line.size() + speed.size() <= room)
    line += speed;
  if (line.size() > room)
    line.resize(room);
  return line;
}

void Console::progress(const Progress &progress) {
  if (quiet || !isTerminal || isJson)
    return;
  std::string where, speed;
  char number[64];
  bool hasEnd = progress.last > progress.first;
  where = hasEnd ? std::to_string(progress.step) + "/" +
                       std::to_string(progress.last)
                 : "step " + std::to_string(progress.step);
  where += progress.text;
  if (progress.stepsPerSecond > 0) {
    std::snprintf(number, sizeof(number), "  %.0f steps/s",
                  progress.stepsPerSecond);
    speed = number;
    if (progress.last > progress.step)
      speed += "  " +
               durationText(static_cast<double>(progress.last - progress.step) /
                            progress.stepsPerSecond) +
               " left";
  }
  std::string line = fitProgress(
      hasEnd ? static_cast<double>(progress.step - progress.first) /
                   static_cast<double>(progress.last - progress.first)
             : -1,
      where, speed, columnsOf(STDERR_FILENO));
  std::fprintf(stderr, "\r%s\033[K", line.c_str());
  std::fflush(stderr);
  barShown = true;
}
