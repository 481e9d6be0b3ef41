//===- Trial.h - One recipe, compiled and run in several ways ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TEST_FUZZ_GRAPHS_TRIAL_H
#define INGOT_TEST_FUZZ_GRAPHS_TRIAL_H

#include "Recipe.h"

#include "codegen/Rewrites.h"

#include <map>
#include <string>
#include <vector>

namespace ingot::fuzz {

/// What is tried besides the default against the reference.
struct TrialOptions {
  std::string work;    // a folder of its own
  std::string runtime; // what trainers are linked with
  std::string cache;   // of kernels; empty: none
  std::string cpu = "native";
  bool threads = false; // one thread against three
  bool levels = false;  // x86-64-v3 against `cpu`, x86-64-v2 against both
  bool resumes = false; // stopped in the middle and gone on
};

/// What came of a trial.
struct Verdict {
  enum Kind { Equal, Close, Refused, Stopped, Different, Crash } kind = Equal;
  std::string what; // the first that differs, or the message

  bool isFault() const { return kind == Different || kind == Crash; }
};

const char *nameOf(Verdict::Kind kind);

Verdict tryTowers(const Towers &towers, const TrialOptions &options);

/// Fewer towers and smaller recipes with the same kind of fault, and the
/// verdict on them.
Towers reduce(const Towers &towers, const TrialOptions &options,
              Verdict &verdict, double seconds);

} // namespace ingot::fuzz

#endif // INGOT_TEST_FUZZ_GRAPHS_TRIAL_H
