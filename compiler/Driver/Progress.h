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

/// Prints lines such as "progress: 4 s: compiling kernels, 12 of 87", the first
/// after `delay`, the next after two, four, eight ... times as long. So a short
/// compilation prints nothing, and a long one only a few lines. All functions
/// may be called from any thread.
class Progress {
public:
  /// Prints nothing if not `isShown`.
  explicit Progress(bool isShown,
                    std::chrono::milliseconds delay = std::chrono::seconds(2));
  ~Progress();

  /// A stage begins, such as "compiling kernels". It has `count` parts; 0 if
  /// these are not counted.
  void begin(llvm::StringRef stage, size_t count = 0);
  /// Another part of the stage is done.
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
