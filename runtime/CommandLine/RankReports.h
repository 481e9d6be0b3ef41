//===- RankReports.h - Step and activity of each rank -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Every few seconds, each rank (one of the processes that train together)
// writes its step and its current activity to <model-dir>/ranks/<rank>.json. If
// a rank waits too long for others, for example in an all-reduce, the error
// message names the rank that is late, with its last report. This needs a model
// directory that all ranks share.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_RANKREPORTS_H
#define INGOT_RUNTIME_COMMANDLINE_RANKREPORTS_H

#include "runtime/Session/RankGroup.h"
#include "runtime/Support/FileSystem.h"
#include "runtime/Support/Thread.h"
#include "runtime/Support/ThreadActivity.h"

#include <condition_variable>
#include <mutex>

namespace ingot {

/// Reads the reports of ranks in a folder.
struct RankReportReader {
  FileSystem &fileSystem;
  std::string directory;
  double secondsBetween; // seconds between two reports of one rank

  /// Returns a description of the rank for which rank `self` waits, from its
  /// report and the time `now` (seconds since 1970): "rank 3 (node4) was last
  /// at step 811, where it reads 'input.csv', 302 s ago". Returns "" if the
  /// reports do not show which rank is late.
  std::string describeLate(unsigned self, unsigned ranks, double now) const;
  /// Returns true if rank 0 still reports.
  bool isFirstAlive(double now) const;
  /// Returns true if rank 0 still reports and is between two steps. Between
  /// steps it saves checkpoints and evaluates, which may take longer than any
  /// timeout, so the other ranks should go on waiting.
  bool isFirstBetweenSteps(double now) const;
};

/// Writes the reports of this rank periodically. The destructor removes them.
class RankReportWriter {
public:
  /// Writes the first report on the calling thread. Rank 0 creates the folder
  /// of reports in its model directory, which must exist; other ranks write
  /// only if the folder exists.
  RankReportWriter(const RankReportReader &place, const RankGroup &ranks,
                   std::string host);
  ~RankReportWriter();

private:
  void removeOthers();
  void write();
  void writeUntilEnd();

  const RankReportReader place;
  const RankGroup &ranks;
  const std::string host;
  const ThreadActivity &watched;
  std::mutex mutex;
  std::condition_variable ends;
  bool isEnding = false;
  Thread thread;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_RANKREPORTS_H
