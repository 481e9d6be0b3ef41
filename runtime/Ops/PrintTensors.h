//===- PrintTensors.h - Prints tensors as TensorFlow does -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_OPS_PRINTTENSORS_H
#define INGOT_RUNTIME_OPS_PRINTTENSORS_H

#include "runtime/Ops/OpKernelContext.h"

namespace ingot::ops {

/// Appends element `i` as text: floats with 6 digits (doubles with 15), or more
/// digits if these do not identify the value; strings with C's escapes, in
/// quotes if `isQuoted`.
void appendText(std::string &text, const OpInput &input, size_t i,
                bool isQuoted);

/// Returns the first `limit` elements (negative: all) as Assert and Print show
/// them, with rows in brackets: "[1 2][3...]...".
std::string summarize(const OpInput &input, int64_t limit);

/// Returns the first and the last `limit` elements of each dimension (negative:
/// all) as tf.print shows them, with line breaks between rows.
std::string summarizeEnds(const OpInput &input, int64_t limit);

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_PRINTTENSORS_H
