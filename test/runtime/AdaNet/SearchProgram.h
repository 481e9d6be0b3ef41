//===- SearchProgram.h - A search of AdaNet's, compiled by hand -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The programs of iterations 0, 1, ... of a small search, as codegen would
// write them, but with C++ functions as entries. Each iteration has two
// members, "a" and "b", and two candidates, each of which adds one of them to
// the ensemble; the one with "a" is the better one. A step draws x from a
// shuffled, repeated range, and changes the weight w of each member:
//
//   loss = |w| for "a", |w| + 10 for "b"      w <- 0.5 w + 0.01 x
//
// It also updates the moving average of each candidate's loss, as AdaNet does,
// moves the position of a random op by one, and puts x into a lookup table,
// with this position. From iteration 2 on, the weight of "a" starts at that of
// the previous iteration's "a", plus 1000.
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
