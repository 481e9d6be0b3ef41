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

/// Returns what the reports in `directory` say of the rank that the others wait
/// for, at time `now` (seconds since 1970): "rank 3 (node4) was last at step
/// 811, reading its input, 302 s ago". "" if they do not tell.
/// `secondsBetween`: how often reports are written.
std::string describeLateRank(FileSystem &fileSystem,
                             const std::string &directory, unsigned self,
                             unsigned ranks, double now, double secondsBetween);

/// Writes the reports of this rank until it is destroyed, which removes them.
class RankReports {
public:
  /// Reports on the calling thread. Creates `directory` in rank 0 only, which
  /// has to have been given its folder: others write where that exists.
  RankReports(FileSystem &fileSystem, std::string directory, const Ranks &ranks,
              std::string host, double secondsBetween);
  ~RankReports();

private:
  void removeOthers();
  void write();
  void writeUntilEnd();

  FileSystem &fileSystem;
  std::string directory, host;
  const Ranks &ranks;
  const Activity &watched;
  double secondsBetween;
  std::mutex mutex;
  std::condition_variable ends;
  bool isEnding = false;
  std::thread thread;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_RANKREPORTS_H
