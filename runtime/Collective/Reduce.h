//===- Reduce.h - Reduces two values, element by element --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COLLECTIVE_REDUCE_H
#define INGOT_RUNTIME_COLLECTIVE_REDUCE_H

#include <cstddef>
#include <cstdint>

namespace ingot {

/// The operation that combines two elements. Integers wrap around; Max and Min
/// of a NaN are NaN.
enum class Reduction { Sum, Max, Min };

/// Combines the elements of `left` and `right`, `count` each, and stores the
/// results in `to`, which may be `left`.
using ReduceFunction = void (*)(void *to, const void *left, const void *right,
                                size_t count);

/// Returns the function for elements of an ingot_dtype, or null if there is
/// none. There are functions for float32, float64, int32 and int64, and for
/// bfloat16 and float16, which are rounded after each operation.
ReduceFunction reduceFunction(int32_t dtype, Reduction reduction);

/// Stores `count` copies of the neutral element of a reduction: 0 for a sum,
/// the lowest number for a maximum, the highest number for a minimum.
/// reduceFunction() must support the type.
void fillNeutral(void *to, int32_t dtype, Reduction reduction, size_t count);

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_REDUCE_H
