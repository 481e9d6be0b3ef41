//===- SecondOrStepTimer.h - Every N steps or S seconds ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_SECONDORSTEPTIMER_H
#define INGOT_RUNTIME_HOOKS_SECONDORSTEPTIMER_H

#include <cstdint>
#include <functional>

namespace ingot {

/// Decides when a periodic action is due, like TensorFlow's SecondOrStepTimer:
/// the first time that isDue() is called, and then N steps or S seconds after
/// the last call of done().
class SecondOrStepTimer {
public:
  /// Exactly one of `everySteps` and `everySeconds` is positive. `clock`
  /// returns the time in seconds.
  SecondOrStepTimer(int64_t everySteps, double everySeconds,
                    std::function<double()> clock);

  bool isDue(int64_t step) const;
  /// Records that the periodic action was done now, at `step`.
  void done(int64_t step);

  bool wasDone() const { return any; }
  int64_t lastStep() const { return last; }
  double lastTime() const { return time; }

private:
  int64_t everySteps;
  double everySeconds;
  std::function<double()> clock;
  bool any = false;
  int64_t last = 0;
  double time = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_SECONDORSTEPTIMER_H
