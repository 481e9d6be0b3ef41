//===- RematerializationPlan.h - What is recomputed, and when ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Decides which ops of a schedule are repeated later, so that their results
// need not be kept in between. Knows ops and buffers by their numbers only.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_HOST_REMATERIALIZATIONPLAN_H
#define INGOT_CODEGEN_HOST_REMATERIALIZATIONPLAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace ingot::hostgen {

struct ScheduledBuffer {
  int64_t bytes = 0;
  /// Whether ops outside of the schedule access the buffer, too, so that it is
  /// live during the whole schedule and is never recomputed.
  bool isLiveThroughout = false;
};

struct ScheduledOp {
  /// The op's index in the schedule that was planned, where it has no
  /// repetitions. That of a repetition is the index of the op that it repeats.
  unsigned origin = 0;
  bool isRepetition = false;
  /// The buffers that the op reads and writes. A repetition has the same
  /// numbers of them in the same order, but writes buffers of its own.
  llvm::SmallVector<unsigned, 4> reads, writes;
  /// The estimated cost: operations, and bytes that are read or written.
  int64_t cost = 0;
  /// The bytes that the op needs in addition, only while it runs.
  int64_t temporaryBytes = 0;
  /// The origin of the last op before which the op can be repeated with the
  /// same result: the first later op that overwrites one of its inputs, which
  /// is no buffer of the schedule. 0: the op must not be repeated.
  unsigned lastPlace = 0;
};

/// A sequence of ops, with the buffers that they access. Buffers without memory
/// of their own, such as variables, are not listed.
struct Schedule {
  std::vector<ScheduledBuffer> buffers;
  std::vector<ScheduledOp> ops;
};

/// The greatest number of bytes that are live at the same time, and the index
/// of the first op during which they are.
struct MemoryPeak {
  int64_t bytes = 0;
  size_t op = 0;
};

MemoryPeak peakOf(const Schedule &schedule);

/// Returns the bytes that are live while the op with the index `place` runs.
int64_t liveBytesAt(const Schedule &schedule, size_t place);

/// Returns the cost of all repetitions in a schedule.
int64_t repetitionCostOf(const Schedule &schedule);

/// Returns `schedule` with repetitions of some of its ops, so that its peak is
/// at most `limit` bytes, at a low cost. If that is not possible, returns the
/// schedule with the lowest peak that was found.
///
/// In rounds, until the limit is kept or nothing is gained any more:
///
/// 1. The ops before the peak are cut into segments of about equal bytes, each
///    at the op after which the fewest bytes are live (Chen et al., "Training
///    Deep Nets with Sublinear Memory Cost", 2016, algorithm 3). What an op of
///    a later segment reads is kept; all else is recomputed, a segment at a
///    time, right before its first reader after the peak. With about sqrt(n)
///    segments, a chain of n ops needs O(sqrt(n)) memory. Several numbers of
///    segments are tried, and several costs per byte up to which ops are
///    repeated.
/// 2. Of the plans that keep the limit, the cheapest is taken. If none does,
///    single values are recomputed besides, as long as that lowers the peak.
/// 3. As long as the limit permits, values are kept again, those with the
///    highest cost per byte first.
Schedule rematerialize(const Schedule &schedule, int64_t limit);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_REMATERIALIZATIONPLAN_H
