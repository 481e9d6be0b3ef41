//===- Console.cpp - Messages, log and progress on a terminal -------------===//

#include "runtime/CommandLine/Console.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace ingot;

Console::Console() {
  isTerminal = ::isatty(STDERR_FILENO);
  const char *term = std::getenv("TERM");
  isColoured = isTerminal && !std::getenv("NO_COLOR") && term &&
               std::strcmp(term, "dumb") != 0;
}

void Console::message(const char *kind, const char *colour,
                      const std::string &message) {
  clearBar();
  if (isColoured)
    std::fprintf(stderr, "\033[1;%sm%s:\033[0m %s\n", colour, kind,
                 message.c_str());
  else
    std::fprintf(stderr, "%s: %s\n", kind, message.c_str());
}

void Console::error(const std::string &text) { message("error", "31", text); }

void Console::warning(const std::string &text) {
  message("warning", "35", text);
}

void Console::note(const std::string &text) {
  if (!quiet)
    message("note", "36", text);
}

void Console::hint(const std::string &text) { message("note", "36", text); }

void Console::log(const std::string &line) {
  if (quiet)
    return;
  clearBar();
  std::fprintf(stdout, "%s\n", line.c_str());
  std::fflush(stdout);
}

void Console::clearBar() {
  if (barShown)
    std::fputs("\r\033[K", stderr);
  barShown = false;
}

/// "1:02:03", "2:03".
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

void Console::progress(const Progress &progress) {
  if (quiet || !isTerminal)
    return;
  std::string line;
  char number[64];
  if (progress.last > progress.first) {
    constexpr int width = 30;
    double part = static_cast<double>(progress.step - progress.first) /
                  static_cast<double>(progress.last - progress.first);
    int filled = static_cast<int>(part * width);
    line += '[';
    line.append(static_cast<size_t>(filled), '#');
    line.append(static_cast<size_t>(width - filled), '.');
    std::snprintf(number, sizeof(number), "] %lld/%lld",
                  static_cast<long long>(progress.step),
                  static_cast<long long>(progress.last));
  } else {
    std::snprintf(number, sizeof(number), "step %lld",
                  static_cast<long long>(progress.step));
  }
  line += number + progress.text;
  if (progress.stepsPerSecond > 0) {
    std::snprintf(number, sizeof(number), "  %.0f steps/s",
                  progress.stepsPerSecond);
    line += number;
    if (progress.last > progress.step)
      line += "  " +
              durationText(static_cast<double>(progress.last - progress.step) /
                           progress.stepsPerSecond) +
              " left";
  }
  // A line that wraps could not be overwritten.
  winsize window = {};
  size_t columns = 80;
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1)
    columns = window.ws_col;
  if (line.size() >= columns)
    line.resize(columns - 1);
  std::fprintf(stderr, "\r%s\033[K", line.c_str());
  std::fflush(stderr);
  barShown = true;
}
