//===- Trial.h - One recipe, compiled and run in several ways ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TEST_FUZZ_GRAPHS_TRIAL_H
#define INGOT_TEST_FUZZ_GRAPHS_TRIAL_H

#include "Recipe.h"

#include "codegen/OptionalPassSet.h"

#include <map>
#include <string>
#include <vector>

namespace ingot::fuzz {

/// Where a trial keeps its files, and in which ways it compiles and runs a
/// program in addition to the default way. The results of all ways are
/// compared.
struct TrialOptions {
  std::string work;    // folder for the files of a trial; cleared before each
  std::string runtime; // folder of the runtime that trainers are linked with
  std::string cache;   // folder of the kernel cache; "": do not cache
  std::string cpu = "native";
  bool threads = false; // compare one thread with three
  bool levels = false;  // also compile for x86-64-v3 and x86-64-v2
  bool resumes = false; // compare with a run that is stopped and resumed
  bool memory = false;  // also compile for the least memory of a step
  bool slices = false;  // split one graph's batch, for one rank and for several
  bool device = false;  // run one graph's kernels on the emulated device
  std::vector<std::string>
      launcher;         // starts two ranks; {}: no MPI is installed
  std::string emulator; // ingot-ptx-emulate
  std::string cuda;     // folder of the tests' libcuda.so.1
};

/// The result of a trial: whether the optimized programs agree with the
/// reference.
struct Verdict {
  enum Kind { Equal, Close, Refused, Stopped, Different, Crash } kind = Equal;
  std::string what; // the first difference, or an error message

  bool isFault() const { return kind == Different || kind == Crash; }
};

const char *nameOf(Verdict::Kind kind);

/// Trains `towers` in all ways that `options` says. Slices and the device are
/// tried on the first of several towers only: emulated threads take time, and
/// towers of different batches have no common number of slices.
Verdict tryTowers(const Towers &towers, const TrialOptions &options);

/// Reduces `towers`, which have shown a fault, to fewer towers and smaller
/// recipes that show the same kind of fault, and returns these. Sets `verdict`
/// to their verdict. Stops after about `seconds` seconds.
Towers reduce(const Towers &towers, const TrialOptions &options,
              Verdict &verdict, double seconds);

} // namespace ingot::fuzz

#endif // INGOT_TEST_FUZZ_GRAPHS_TRIAL_H
