//===- Reduce.h - Reduces two values, element by element --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COLLECTIVE_REDUCE_H
#define INGOT_RUNTIME_COLLECTIVE_REDUCE_H

#include <cstddef>
#include <cstdint>

namespace ingot {

/// How two elements become one. Integers wrap; Max and Min of a NaN are NaN.
enum class Reduction { Sum, Max, Min };

/// Reduces `count` elements of `left` and `right` to `to`, which may be `left`.
using ReduceFunction = void (*)(void *to, const void *left, const void *right,
                                size_t count);

/// Returns the function for elements of an ingot_dtype: float32, float64,
/// int32, int64, or bfloat16 and float16, whose elements are rounded after each
/// reduction. Null for other types.
ReduceFunction reduceFunction(int32_t dtype, Reduction reduction);

/// Stores `count` elements that change nothing in a reduction: 0, or the lowest
/// or highest number. The type is one of reduceFunction()'s.
void fillNeutral(void *to, int32_t dtype, Reduction reduction, size_t count);

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_REDUCE_H
