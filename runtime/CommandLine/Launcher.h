//===- Launcher.h - What started this process -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Launchers (mpirun, srun) tell their processes in environment variables that
// there are others. Only an engine knows for sure; the variables tell whether
// to ask one, and whether its answer can be right.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_LAUNCHER_H
#define INGOT_RUNTIME_COMMANDLINE_LAUNCHER_H

#include "runtime/Support/Expected.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ingot {

using Environment = std::function<const char *(const char *)>;

struct Launcher {
  /// The variable that says so; "" if nothing does: a process alone.
  std::string variable;
  int64_t size = 1, rank = 0;

  bool isThere() const { return !variable.empty(); }
};

/// Reads the variables of Open MPI's, MPICH's and Slurm's launchers.
Launcher readLauncher(const Environment &environment);

/// What the ranks of one training have to agree on, and what messages about a
/// rank say.
struct RankConfiguration {
  std::string host;
  std::string build;  // the build id of the executable
  std::string target; // the CPU level whose code the rank runs
  /// Flags that change results, one a line: "--max-steps 10".
  std::string flags;
  /// The number of chief and workers in TF_CONFIG; 0 without it.
  int64_t tasks = 0;
};

/// Returns InvalidArgument, naming rank and host, if ranks differ.
Status compareRanks(const std::vector<RankConfiguration> &ranks);

/// Returns the build id of this executable, in hex, or "" if it has none.
std::string ownBuildId();

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_LAUNCHER_H
