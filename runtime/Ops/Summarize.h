//===- Summarize.h - Tensors as TensorFlow prints them ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_OPS_SUMMARIZE_H
#define INGOT_RUNTIME_OPS_SUMMARIZE_H

#include "runtime/Ops/Op.h"

namespace ingot::ops {

/// Appends element `i`: floats with 6 digits (doubles 15), or as many as say
/// exactly which one it is; strings with C's escapes, in quotes if `isQuoted`.
void appendText(std::string &text, const Input &input, size_t i, bool isQuoted);

/// The first `limit` elements (negative: all), rows in brackets: Assert's and
/// Print's "[1 2][3...]...".
std::string summarize(const Input &input, int64_t limit);

/// The first and the last `limit` of each dimension (negative: all), as
/// tf.print writes them, with line breaks between rows.
std::string summarizeEnds(const Input &input, int64_t limit);

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_SUMMARIZE_H
