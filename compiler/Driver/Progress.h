//===- Progress.h - What a long compilation is doing ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reports on standard error what a compilation is doing, if it takes long.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_PROGRESS_H
#define INGOT_COMPILER_DRIVER_PROGRESS_H

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace ingot::driver {

/// Prints lines such as "progress: 4 s: compiling kernels, 12 of 87". The first
/// line comes after `delay`, and further lines after two, four, eight ... times
/// this delay. So a short compilation prints nothing, and a long one only a few
/// lines. All functions may be called from any thread.
class Progress {
public:
  /// If `isShown` is false, prints nothing.
  explicit Progress(bool isShown,
                    std::chrono::milliseconds delay = std::chrono::seconds(2));
  ~Progress();

  /// Must be called when a stage, such as "compiling kernels", begins. `count`
  /// is the number of its parts, or 0 if the parts are not counted.
  void begin(llvm::StringRef stage, size_t count = 0);
  /// Must be called when another part of the stage is done.
  void advance();

private:
  void print();

  std::mutex mutex;
  std::condition_variable ended;
  std::string stage;
  size_t done = 0, count = 0;
  bool hasEnded = false;
  std::chrono::milliseconds delay;
  std::thread printer;
};

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_PROGRESS_H
