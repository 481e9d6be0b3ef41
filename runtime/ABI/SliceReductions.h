/*===- SliceReductions.h - Kernels that combine slices' values ----*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* A device's image of a program whose batch is divided into slices contains  */
/* kernels that combine two values, one for each element type and kind of     */
/* exchange of the program. Their names are sliceReductionKernel():           */
/*                                                                            */
/*   kernel(to, left, right, count)                                           */
/*                                                                            */
/* The parameters are three addresses in the device's memory and a number of  */
/* elements, 64 bits each. `to` may be `left`. Any number of blocks computes  */
/* all elements.                                                              */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_RUNTIME_ABI_SLICEREDUCTIONS_H
#define INGOT_RUNTIME_ABI_SLICEREDUCTIONS_H

/* The number of threads of a block, and of elements for which a launch should
 * have a block. */
#define INGOT_REDUCTION_THREADS 256
#define INGOT_REDUCTION_ELEMENTS 1024

#ifdef __cplusplus

#include "runtime/ABI/ExchangeKinds.h"
#include "runtime/ABI/Tensor.h"

#include <cstdint>
#include <string>

namespace ingot {

/// Returns the symbol of the kernel that combines values of type `dtype` as
/// exchanges of kind `kind` do, or "" if devices have no such kernel. It cannot
/// be the symbol of another kernel: kernels are named after nodes, and no
/// node's name has a $.
inline std::string sliceReductionKernel(int32_t dtype,
                                        ingot_exchange_kind kind) {
  const char *type = dtype == INGOT_FLOAT    ? "f32"
                     : dtype == INGOT_DOUBLE ? "f64"
                     : dtype == INGOT_INT32  ? "i32"
                     : dtype == INGOT_INT64  ? "i64"
                                             : nullptr;
  const char *operation = kind == INGOT_EXCHANGE_SUM   ? "sum"
                          : kind == INGOT_EXCHANGE_MAX ? "max"
                          : kind == INGOT_EXCHANGE_MIN ? "min"
                                                       : nullptr;
  if (!type || !operation)
    return "";
  return std::string("ingot$") + operation + "_" + type;
}

} // namespace ingot

#endif /* __cplusplus */

#endif /* INGOT_RUNTIME_ABI_SLICEREDUCTIONS_H */
