//===- RawNumbers.h - Numbers as bytes --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_OPS_RAWNUMBERS_H
#define INGOT_RUNTIME_OPS_RAWNUMBERS_H

#include "runtime/Ops/OpKernelContext.h"

namespace ingot::ops {

/// Returns how many numbers of the type of output 0 are in `length` bytes, or
/// an error if these are no whole numbers.
Expected<int64_t> countRawNumbers(const OpKernelContext &op, size_t length);

/// Reverses the bytes of each number, unless they are in the order that
/// attribute `little_endian` states.
void orderRawNumbers(const OpKernelContext &op, std::span<char> bytes);

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_RAWNUMBERS_H
