//===- Progress.cpp - What a long compilation is doing --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/Progress.h"

#include "llvm/Support/raw_ostream.h"

namespace ingot::driver {

Progress::Progress(bool isShown, std::chrono::milliseconds delay)
    : delay(delay) {
  if (isShown)
    printer = std::thread([this] { print(); });
}

Progress::~Progress() {
  {
    std::lock_guard lock(mutex);
    hasEnded = true;
  }
  ended.notify_one();
  if (printer.joinable())
    printer.join();
}

void Progress::begin(llvm::StringRef next, size_t parts) {
  std::lock_guard lock(mutex);
  stage = next.str();
  done = 0;
  count = parts;
}

void Progress::advance() {
  std::lock_guard lock(mutex);
  ++done;
}

void Progress::print() {
  auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex);
  for (std::chrono::milliseconds next = delay;
       !ended.wait_until(lock, start + next, [this] { return hasEnded; });
       next *= 2) {
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(next);
    std::string line =
        "progress: " + std::to_string(seconds.count()) + " s: " + stage;
    if (count != 0)
      line += ", " + std::to_string(done) + " of " + std::to_string(count);
    llvm::errs() << line + "\n";
  }
}

} // namespace ingot::driver
