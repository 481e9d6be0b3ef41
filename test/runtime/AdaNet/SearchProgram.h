//===- SearchProgram.h - A search of AdaNet's, compiled by hand -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The programs of iterations 0, 1, ... of a small search, as codegen would
// write them, whose entries are C++ functions. Each iteration has two members,
// "a" and "b", and two candidates that they grow the ensemble by, of which that
// of "a" is the better one. A step draws x of a shuffled, repeated range;
// member m mixes it into its weight:
//
//   loss = |w|, of "b" 10 more      w <- 0.5 w + 0.01 x
//
// and the average of each candidate's loss moves as AdaNet's do. From iteration
// 2 on, "a" begins at the weight of the "a" before, and 1000 more.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TEST_RUNTIME_ADANET_SEARCHPROGRAM_H
#define INGOT_TEST_RUNTIME_ADANET_SEARCHPROGRAM_H

#include "runtime/Session/Session.h"

#include <vector>

namespace ingot::test {

/// The number of elements that the input has in one pass.
inline constexpr int64_t searchRange = 12;

/// Returns the program of an iteration. Its tables are never freed. The input
/// has `passes` passes; -1: it repeats without end.
const ingot_program &searchProgram(int64_t iteration, int64_t passes = -1);

/// Returns the elements that steps of these programs have drawn since the last
/// call.
std::vector<int64_t> takeDrawnElements();

/// Makes the loss of `member` (such as "t0_b") NaN from its step `step` on.
/// divergeAt("", 0) ends this.
void divergeAt(const std::string &member, int64_t step);

} // namespace ingot::test

#endif // INGOT_TEST_RUNTIME_ADANET_SEARCHPROGRAM_H
