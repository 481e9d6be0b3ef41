//===- RematerializationPlan.cpp - What is recomputed, and when -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/RematerializationPlan.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace ingot::hostgen {

static constexpr size_t none = std::numeric_limits<size_t>::max();

/// Returns for each op the bytes that are live while it runs.
static std::vector<int64_t> liveBytesOf(const Schedule &schedule) {
  size_t numOps = schedule.ops.size();
  std::vector<size_t> first(schedule.buffers.size(), none),
      last(schedule.buffers.size(), 0);
  for (auto [place, op] : llvm::enumerate(schedule.ops))
    for (const auto *buffers : {&op.reads, &op.writes})
      for (unsigned buffer : *buffers) {
        first[buffer] = std::min(first[buffer], place);
        last[buffer] = place;
      }
  // For each op, the bytes that become live with it, minus those that became
  // dead after the op before.
  std::vector<int64_t> live(numOps + 1, 0);
  for (auto [number, buffer] : llvm::enumerate(schedule.buffers)) {
    if (buffer.isLiveThroughout) {
      live[0] += buffer.bytes;
    } else if (first[number] != none) {
      live[first[number]] += buffer.bytes;
      live[last[number] + 1] -= buffer.bytes;
    }
  }
  for (size_t place = 1; place < live.size(); ++place)
    live[place] += live[place - 1];
  live.pop_back();
  for (auto [bytes, op] : llvm::zip(live, schedule.ops))
    bytes += op.temporaryBytes;
  return live;
}

MemoryPeak peakOf(const Schedule &schedule) {
  MemoryPeak peak;
  for (auto [place, bytes] : llvm::enumerate(liveBytesOf(schedule)))
    if (bytes > peak.bytes)
      peak = {bytes, place};
  return peak;
}

int64_t liveBytesAt(const Schedule &schedule, size_t place) {
  return liveBytesOf(schedule)[place];
}

int64_t repetitionCostOf(const Schedule &schedule) {
  int64_t cost = 0;
  for (const ScheduledOp &op : schedule.ops)
    if (op.isRepetition)
      cost += op.cost;
  return cost;
}

namespace {

/// A set of buffers, by their numbers.
using BufferSet = std::vector<bool>;

/// Plans the repetitions that lower the peak of one schedule.
class PeakReduction {
public:
  PeakReduction(const Schedule &schedule, int64_t limit)
      : schedule(schedule), limit(limit), peak(peakOf(schedule)) {
    findUses();
    findPlaces();
  }

  /// Returns the best schedule found, which may be the given one.
  Schedule run() {
    if (peak.bytes <= limit)
      return schedule;
    best = {schedule, {}, peak.bytes, repetitionCostOf(schedule)};
    for (double intensity : intensities())
      for (int64_t segmentBytes : segmentSizes(intensity))
        consider(chooseDropped(intensity, segmentBytes));
    if (best.peak > limit)
      dropMore();
    if (best.peak <= limit)
      keepAgain();
    return std::move(best.schedule);
  }

private:
  /// A schedule, and the buffers that are recomputed in it after the peak.
  struct Plan {
    Schedule schedule;
    BufferSet dropped;
    int64_t peak, cost;
  };

  /// Finds the writer of each buffer, if it has only one and that comes before
  /// all its readers, and which buffers ops before and after the peak read.
  void findUses() {
    size_t count = schedule.buffers.size();
    writers.assign(count, none);
    lastReads.assign(count, none);
    isReadLater.assign(count, false);
    isRecomputable.assign(count, false);
    BufferSet isUsed(count, false);
    for (auto [place, op] : llvm::enumerate(schedule.ops)) {
      for (unsigned buffer : op.reads) {
        isUsed[buffer] = true;
        if (place < peak.op)
          lastReads[buffer] = place;
        else
          isReadLater[buffer] = true;
      }
      for (unsigned buffer : op.writes) {
        isRecomputable[buffer] = !isUsed[buffer] && op.lastPlace != 0 &&
                                 place < peak.op &&
                                 !schedule.buffers[buffer].isLiveThroughout;
        isUsed[buffer] = true;
        writers[buffer] = place;
      }
    }
    // What the op at the peak reads is live there in any case.
    if (peak.op < schedule.ops.size())
      for (unsigned buffer : schedule.ops[peak.op].reads)
        isRecomputable[buffer] = false;
  }

  /// For each op, finds the origin of the next op that is no repetition.
  void findPlaces() {
    places.resize(schedule.ops.size());
    unsigned next = std::numeric_limits<unsigned>::max();
    for (size_t i = schedule.ops.size(); i-- > 0;) {
      if (!schedule.ops[i].isRepetition)
        next = schedule.ops[i].origin;
      places[i] = next;
    }
  }

  /// Returns the cost of recomputing a buffer, per byte.
  double intensityOf(unsigned buffer) const {
    const ScheduledOp &writer = schedule.ops[writers[buffer]];
    int64_t bytes = 1;
    for (unsigned other : writer.writes)
      if (isRecomputable[other] && isReadLater[other])
        bytes += schedule.buffers[other].bytes;
    return static_cast<double>(writer.cost) / static_cast<double>(bytes);
  }

  /// Whether a buffer is live over the peak and can be recomputed.
  bool isCandidate(unsigned buffer) const {
    return isRecomputable[buffer] && isReadLater[buffer];
  }

  /// Returns the costs per byte up to which ops are repeated, in ascending
  /// order: the last one admits all ops.
  std::vector<double> intensities() const {
    std::vector<double> all, chosen;
    for (unsigned buffer = 0; buffer < schedule.buffers.size(); ++buffer)
      if (isCandidate(buffer))
        all.push_back(intensityOf(buffer));
    llvm::sort(all);
    constexpr size_t most = 6;
    for (size_t i = 1; i <= most && !all.empty(); ++i) {
      double value = all[(all.size() * i - 1) / most];
      if (chosen.empty() || chosen.back() < value)
        chosen.push_back(value);
    }
    return chosen;
  }

  /// Returns sizes of segments, in bytes of candidates, from one segment of all
  /// of them to one of each.
  std::vector<int64_t> segmentSizes(double intensity) const {
    int64_t total = 0, count = 0;
    for (unsigned buffer = 0; buffer < schedule.buffers.size(); ++buffer)
      if (isCandidate(buffer) && intensityOf(buffer) <= intensity) {
        total += schedule.buffers[buffer].bytes;
        ++count;
      }
    // Numbers of segments grow by an eighth, also between whole ones: layers
    // differ in size, and a cut should come between two of them.
    std::vector<int64_t> sizes;
    for (int64_t eighths = 8; eighths <= 8 * count; eighths += eighths / 8)
      sizes.push_back(8 * total / eighths);
    return sizes;
  }

  /// Returns for each op before the peak the number of its segment.
  std::vector<unsigned> cutSegments(const BufferSet &dropped,
                                    int64_t segmentBytes) const {
    std::vector<int64_t> crossing = bytesAfterEach(dropped);
    std::vector<unsigned> segments(peak.op, 0);
    int64_t bytes = 0;
    size_t cut = none; // the op after which the running segment may end
    for (size_t place = 0, begin = 0; place < peak.op; ++place) {
      bytes += keptBytesOf(place, dropped);
      if (2 * bytes >= segmentBytes &&
          (cut == none || crossing[place] <= crossing[cut]))
        cut = place;
      if (bytes <= segmentBytes || cut == none)
        continue;
      for (size_t later = cut + 1; later < peak.op; ++later)
        ++segments[later];
      begin = cut + 1;
      cut = none;
      bytes = 0;
      for (size_t later = begin; later <= place; ++later)
        bytes += keptBytesOf(later, dropped);
    }
    return segments;
  }

  /// Returns the bytes that an op writes and that would be kept for ops after
  /// the peak, if they were not in `dropped`.
  int64_t keptBytesOf(size_t place, const BufferSet &dropped) const {
    int64_t bytes = 0;
    for (unsigned buffer : schedule.ops[place].writes)
      if (dropped[buffer] && isReadLater[buffer])
        bytes += schedule.buffers[buffer].bytes;
    return bytes;
  }

  /// Returns for each op before the peak the bytes that are computed up to it,
  /// and read after it and before the peak.
  std::vector<int64_t> bytesAfterEach(const BufferSet &dropped) const {
    std::vector<int64_t> bytes(peak.op + 1, 0);
    for (unsigned buffer = 0; buffer < schedule.buffers.size(); ++buffer)
      if (dropped[buffer] && lastReads[buffer] != none) {
        bytes[writers[buffer]] += schedule.buffers[buffer].bytes;
        bytes[lastReads[buffer]] -= schedule.buffers[buffer].bytes;
      }
    for (size_t place = 1; place < bytes.size(); ++place)
      bytes[place] += bytes[place - 1];
    return bytes;
  }

  /// Returns the buffers that are recomputed if the ops before the peak are cut
  /// into segments of `segmentBytes`, and only ops of at most `intensity` are
  /// repeated.
  BufferSet chooseDropped(double intensity, int64_t segmentBytes) const {
    BufferSet dropped(schedule.buffers.size(), false);
    for (unsigned buffer = 0; buffer < schedule.buffers.size(); ++buffer)
      dropped[buffer] =
          isRecomputable[buffer] && intensityOf(buffer) <= intensity;
    std::vector<unsigned> segments = cutSegments(dropped, segmentBytes);
    BufferSet result = dropped;
    for (size_t place = 0; place < peak.op; ++place) {
      const ScheduledOp &op = schedule.ops[place];
      if (llvm::any_of(op.writes, [&](unsigned b) { return dropped[b]; }))
        for (unsigned buffer : op.reads)
          if (dropped[buffer] && segments[writers[buffer]] < segments[place])
            result[buffer] = false;
    }
    keepWhatCostsMore(result);
    return result;
  }

  /// Removes the results of ops from `dropped` for which operands would have to
  /// be kept that take as many bytes.
  void keepWhatCostsMore(BufferSet &dropped) const {
    for (size_t place = 0; place < peak.op; ++place) {
      const ScheduledOp &op = schedule.ops[place];
      int64_t gained = 0, lost = 0;
      for (unsigned buffer : op.writes)
        if (dropped[buffer] && isRead(buffer))
          gained += schedule.buffers[buffer].bytes;
      for (unsigned buffer : op.reads)
        if (!dropped[buffer] && !isReadLater[buffer] &&
            !schedule.buffers[buffer].isLiveThroughout)
          lost += schedule.buffers[buffer].bytes;
      if (lost > 0 && gained <= lost)
        for (unsigned buffer : op.writes)
          dropped[buffer] = false;
    }
  }

  bool isRead(unsigned buffer) const {
    return lastReads[buffer] != none || isReadLater[buffer];
  }

  /// Takes the plan that recomputes `dropped` if it is better than the best one
  /// known. Returns whether it was taken.
  bool consider(BufferSet dropped) {
    std::optional<Schedule> made;
    while (!(made = recompute(dropped)))
      ;
    Plan plan{std::move(*made), std::move(dropped), 0, 0};
    plan.peak = peakOf(plan.schedule).bytes;
    plan.cost = repetitionCostOf(plan.schedule);
    auto rank = [&](const Plan &one) {
      int64_t excess = std::max<int64_t>(one.peak - limit, 0);
      return std::pair(excess, one.cost);
    };
    if (rank(plan) >= rank(best))
      return false;
    best = std::move(plan);
    return true;
  }

  /// Recomputes further values, one at a time, if that lowers the peak, those
  /// with the lowest cost per byte first.
  void dropMore() {
    std::vector<std::pair<double, unsigned>> order;
    for (unsigned buffer = 0; buffer < schedule.buffers.size(); ++buffer)
      if (isCandidate(buffer))
        order.emplace_back(intensityOf(buffer), buffer);
    llvm::sort(order);
    for (auto [intensity, buffer] : order) {
      BufferSet dropped = best.dropped;
      dropped.resize(schedule.buffers.size(), false);
      if (best.peak <= limit || dropped[buffer])
        continue;
      dropped[buffer] = true;
      consider(std::move(dropped));
    }
  }

  /// Keeps values again that were dropped, as long as the limit permits, those
  /// with the highest cost per byte first.
  void keepAgain() {
    std::vector<std::pair<double, unsigned>> order;
    for (unsigned buffer = 0; buffer < best.dropped.size(); ++buffer)
      if (best.dropped[buffer])
        order.emplace_back(-intensityOf(buffer), buffer);
    llvm::sort(order);
    for (auto [intensity, buffer] : order) {
      BufferSet dropped = best.dropped;
      dropped[buffer] = false;
      consider(std::move(dropped));
    }
  }

  /// Returns the schedule in which the ops after the peak read repetitions of
  /// the buffers in `dropped`. If one of them can no longer be recomputed where
  /// it is read, removes it from `dropped` and returns std::nullopt.
  std::optional<Schedule> recompute(BufferSet &dropped) const {
    Schedule result;
    result.buffers = schedule.buffers;
    result.ops.reserve(schedule.ops.size());
    llvm::append_range(result.ops,
                       llvm::ArrayRef(schedule.ops).take_front(peak.op));
    std::vector<unsigned> copies(schedule.buffers.size(), 0);
    for (size_t place = peak.op; place < schedule.ops.size(); ++place) {
      ScheduledOp op = schedule.ops[place];
      for (unsigned &buffer : op.reads) {
        if (!dropped[buffer])
          continue;
        if (!repeat(buffer, places[place], dropped, copies, result))
          return std::nullopt;
        buffer = copies[buffer];
      }
      result.ops.push_back(std::move(op));
    }
    return result;
  }

  /// Appends the repetitions that compute `buffer` to `result`, before the op
  /// with the origin `place`, unless there are some. Their copies of buffers
  /// are noted in `copies`. Returns false if an op may no longer be repeated
  /// there; its results are removed from `dropped`.
  bool repeat(unsigned buffer, unsigned place, BufferSet &dropped,
              std::vector<unsigned> &copies, Schedule &result) const {
    if (copies[buffer] != 0)
      return true;
    const ScheduledOp &writer = schedule.ops[writers[buffer]];
    if (place > writer.lastPlace) {
      for (unsigned other : writer.writes)
        dropped[other] = false;
      return false;
    }
    ScheduledOp repetition = writer;
    repetition.isRepetition = true;
    for (unsigned &read : repetition.reads) {
      if (!dropped[read])
        continue;
      if (!repeat(read, place, dropped, copies, result))
        return false;
      read = copies[read];
    }
    for (unsigned &write : repetition.writes) {
      unsigned copy = static_cast<unsigned>(result.buffers.size());
      result.buffers.push_back({schedule.buffers[write].bytes, false});
      if (dropped[write])
        copies[write] = copy;
      write = copy;
    }
    result.ops.push_back(std::move(repetition));
    return true;
  }

  const Schedule &schedule;
  int64_t limit;
  MemoryPeak peak;
  /// For each buffer, the index of the op that writes it last.
  std::vector<size_t> writers;
  /// For each buffer, the index of the last op before the peak that reads it.
  std::vector<size_t> lastReads;
  BufferSet isReadLater;    // by an op at or after the peak
  BufferSet isRecomputable; // by a repetition of its only writer
  /// For each op, the origin of the next op that is no repetition.
  std::vector<unsigned> places;
  Plan best;
};

} // namespace

Schedule rematerialize(const Schedule &schedule, int64_t limit) {
  // Each round lowers the peak of the schedule that the one before has made, so
  // that also repetitions are repeated. A few rounds reach all that can be.
  constexpr int mostRounds = 8;
  Schedule best = schedule;
  for (int round = 0; round < mostRounds; ++round) {
    int64_t peak = peakOf(best).bytes;
    if (peak <= limit)
      break;
    Schedule next = PeakReduction(best, limit).run();
    if (peakOf(next).bytes >= peak)
      break;
    best = std::move(next);
  }
  return best;
}

} // namespace ingot::hostgen
