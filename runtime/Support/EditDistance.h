//===- EditDistance.h - Levenshtein distance --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_EDITDISTANCE_H
#define INGOT_RUNTIME_SUPPORT_EDITDISTANCE_H

#include <cstddef>
#include <string_view>

namespace ingot {

/// Returns the Levenshtein distance: how many characters have to be inserted,
/// removed or replaced to turn `a` into `b`.
size_t editDistance(std::string_view a, std::string_view b);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_EDITDISTANCE_H
