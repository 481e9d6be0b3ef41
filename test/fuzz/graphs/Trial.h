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

/// The ways to compile and run a program that are compared with the reference,
/// besides the default one.
struct TrialOptions {
  std::string work;    // folder for files, which is cleared
  std::string runtime; // folder of the runtime that trainers are linked with
  std::string cache;   // folder of the kernel cache; empty: none
  std::string cpu = "native";
  bool threads = false; // compare one thread with three
  bool levels = false;  // also compile for x86-64-v3 and x86-64-v2
  bool resumes = false; // compare with a run that is stopped and resumed
};

/// The result of a trial.
struct Verdict {
  enum Kind { Equal, Close, Refused, Stopped, Different, Crash } kind = Equal;
  std::string what; // the first difference, or the message

  bool isFault() const { return kind == Different || kind == Crash; }
};

const char *nameOf(Verdict::Kind kind);

Verdict tryTowers(const Towers &towers, const TrialOptions &options);

/// Returns fewer towers and smaller recipes that have the same kind of fault.
/// `verdict` receives the verdict on them. Stops after about `seconds`.
Towers reduce(const Towers &towers, const TrialOptions &options,
              Verdict &verdict, double seconds);

} // namespace ingot::fuzz

#endif // INGOT_TEST_FUZZ_GRAPHS_TRIAL_H
