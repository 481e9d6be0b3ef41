//===- SharingWatch.h - Whether a second thread still pays ------*- C++ -*-===//
//
// Trials take the shortest of some runs, as that is what code takes that nobody
// disturbs. Where another process wants a core for good, one of several threads
// waits for it again and again, and all others for that thread: then one thread
// is faster, for as long as that lasts.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_SHARINGWATCH_H
#define INGOT_RUNTIME_DEVICE_SHARINGWATCH_H

#include <cstdint>

namespace ingot {

/// Looks at the times of runs on several threads, in nanoseconds, and says when
/// one thread should do them for a while. As long as it isn't started, it says
/// nothing.
class SharingWatch {
public:
  /// One thread takes `alone` for a run that nobody disturbs, others less. Runs
  /// too short to look at the clock for are not watched.
  void start(int64_t alone);
  void stop() { undisturbed = 0; }

  /// Whether the next run's time is to be told.
  bool isOn() const { return undisturbed != 0; }
  /// Whether one thread should do the next run.
  bool isResting() const { return rest > 0; }
  void add(int64_t nanoseconds);

private:
  void endWindow(int64_t mean, int64_t time);

  /// One thread's time: in the trials, and as it was of late.
  int64_t undisturbed = 0, alone = 0;
  /// Of several threads, when they were last found to be slower.
  int64_t disturbed = 0;
  /// Of the window: a few runs, and some milliseconds.
  int64_t sum = 0, count = 0, windows = 0;
  /// How long one thread runs from now on, and how long the next time.
  int64_t rest = 0, nextRest = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_SHARINGWATCH_H
