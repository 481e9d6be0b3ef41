//===- MachineLimits.h - Peak arithmetic and bandwidth ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Measures the roofline of this machine: the peak rate of fused multiply-adds
// and the bandwidth of each level of the memory hierarchy.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_MACHINELIMITS_H
#define INGOT_RUNTIME_DEVICE_MACHINELIMITS_H

#include "runtime/Support/Expected.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace ingot {

/// The bandwidth of `threads` threads, each with a working set of
/// `workingSet` bytes of its own.
struct Bandwidth {
  size_t workingSet;
  double bytesPerSecond; // of all threads
};

/// A lower bound of the time of a computation.
struct RooflineBound {
  double seconds;
  bool isByArithmetic; // otherwise by memory traffic
};

/// What `threads` threads of this machine reach together.
struct MachineLimits {
  unsigned threads;
  double flopsPerSecond;             // of float32 numbers
  std::vector<Bandwidth> bandwidths; // by ascending working set; not empty
  /// The shortest time in which a thread tells all others to begin and learns
  /// that they are done: the least that dividing work among threads costs.
  double forkJoinSeconds = 0;

  /// Returns the roofline's bound of a computation of `flops` operations that
  /// reads and writes `bytes` bytes. Assumes that the threads divide the bytes
  /// evenly, and that a part resides in the first cache that is large enough.
  /// Does not include `forkJoinSeconds`, as launches that do not depend on each
  /// other may share it.
  RooflineBound boundOf(double flops, double bytes) const;
};

/// Returns the highest rate, in operations a second, that `threads` threads
/// reach in independent chains of float32 multiply-adds. `level` is a CPU
/// target that this machine supports, such as "x86-64-v3": it determines the
/// width of the vectors, and whether multiply-adds are fused. Takes about
/// `seconds`. Returns ResourceExhausted if the system has no more threads.
Expected<double> measurePeakFlops(std::string_view level, unsigned threads,
                                  double seconds);

/// Returns the highest bandwidth, in bytes a second, that `threads` threads
/// reach together at y = a * x + y, where the two arrays of a thread have
/// `workingSet` bytes. An element counts as two reads and a write; what a write
/// allocates in a cache is not counted. Takes about `seconds`. Returns
/// ResourceExhausted if the system has no more threads or memory.
Expected<double> measureBandwidth(size_t workingSet, unsigned threads,
                                  double seconds);

/// Returns the shortest time in which a thread tells `threads` - 1 others to
/// begin and learns that they are done; 0 for one thread. Takes about
/// `seconds`. Returns ResourceExhausted if the system has no more threads.
Expected<double> measureForkJoin(unsigned threads, double seconds);

/// Measures all limits, for working sets from 16 KiB to 64 MiB. Takes about
/// `seconds` for each of 15 measurements.
Expected<MachineLimits> measureMachineLimits(std::string_view level,
                                             unsigned threads, double seconds);

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_MACHINELIMITS_H
