//===- LauncherEnvironment.h - What started this process --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Launchers (mpirun, srun) set environment variables, which tell a process that
// it was started together with other ones. The variables decide whether to load
// MPI. The number of ranks comes from MPI, and is only compared with the
// variables.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_LAUNCHERENVIRONMENT_H
#define INGOT_RUNTIME_COMMANDLINE_LAUNCHERENVIRONMENT_H

#include "runtime/Support/Expected.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ingot {

using Environment = std::function<const char *(const char *)>;

struct LauncherEnvironment {
  /// The environment variable by which the launcher was recognized; "" if there
  /// is no launcher, so this process is alone.
  std::string variable;
  int64_t size = 1, rank = 0;

  bool isThere() const { return !variable.empty(); }
};

/// Reads the variables of Open MPI's, MPICH's and Slurm's launchers.
LauncherEnvironment readLauncher(const Environment &environment);

/// The properties of a rank that must be the same on all ranks of a training,
/// and its host, for messages.
struct RankConfiguration {
  std::string host;
  std::string build;  // the build id of the executable
  std::string target; // the CPU level whose code the rank runs
  /// The flags that change results, one per line: "--max-steps 10".
  std::string flags;
  /// How many processes train according to TF_CONFIG, the chief included; 0 if
  /// TF_CONFIG is not set.
  int64_t tasks = 0;
};

/// Returns InvalidArgument, naming a rank and its host, if properties that must
/// be the same differ between ranks.
Status compareRanks(const std::vector<RankConfiguration> &ranks);

/// Returns the build id of this executable, in hex, or "" if it has none.
std::string ownBuildId();

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_LAUNCHERENVIRONMENT_H
