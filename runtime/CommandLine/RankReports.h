//===- RankReports.h - Where each rank of a training is ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Each rank says in <model-dir>/ranks/<rank>.json every few seconds at which
// step it is and what it does there, so that a rank that waits in vain can say
// for whom. Only where the ranks share the folder.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_RANKREPORTS_H
#define INGOT_RUNTIME_COMMANDLINE_RANKREPORTS_H

#include "runtime/Session/Ranks.h"
#include "runtime/Support/Activity.h"
#include "runtime/Support/FileSystem.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace ingot {

/// Reads what ranks say in a folder.
struct RankReader {
  FileSystem &fileSystem;
  std::string directory;
  double secondsBetween; // reports of one rank

  /// Returns what the reports say, at time `now` (seconds since 1970), of the
  /// rank that rank `self` waits for: "rank 3 (node4) was last at step 811,
  /// where it reads 'input.csv', 302 s ago". "" if they do not tell.
  std::string describeLate(unsigned self, unsigned ranks, double now) const;
  /// Returns true if rank 0 is alive and between two steps, where it saves and
  /// evaluates for as long as that takes.
  bool isFirstBetweenSteps(double now) const;
};

/// Writes the reports of this rank until it is destroyed, which removes them.
class RankReports {
public:
  /// Reports on the calling thread. Creates the folder in rank 0 only, which
  /// has to have been given its folder: others write where that exists.
  RankReports(const RankReader &place, const Ranks &ranks, std::string host);
  ~RankReports();

private:
  void removeOthers();
  void write();
  void writeUntilEnd();

  const RankReader place;
  const Ranks &ranks;
  const std::string host;
  const Activity &watched;
  std::mutex mutex;
  std::condition_variable ends;
  bool isEnding = false;
  std::thread thread;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_RANKREPORTS_H
