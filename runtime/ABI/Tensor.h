/*===- Tensor.h - Tensors between compiled code and the runtime ---*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* Element types, strings and tensors. Most of the runtime needs no other     */
/* header of the ABI; the tables of a program are in Program.h.               */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_RUNTIME_ABI_TENSOR_H
#define INGOT_RUNTIME_ABI_TENSOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Alignment of variables, arenas, feeds and fetches, in bytes. Exception: the
 * fetches of a dataset's function are aligned to their element type only,
 * because they may be rows of a batch. */
#define INGOT_ALIGNMENT 64u

/* Element types, numbered as TensorFlow's DataType. */
typedef enum ingot_dtype {
  INGOT_FLOAT = 1,
  INGOT_DOUBLE = 2,
  INGOT_INT32 = 3,
  INGOT_UINT8 = 4,
  INGOT_INT16 = 5,
  INGOT_INT8 = 6,
  INGOT_STRING = 7,
  INGOT_COMPLEX64 = 8,
  INGOT_INT64 = 9,
  INGOT_BOOL = 10,
  INGOT_BFLOAT16 = 14,
  INGOT_UINT16 = 17,
  INGOT_COMPLEX128 = 18,
  INGOT_HALF = 19,
  INGOT_VARIANT = 21,
  INGOT_UINT32 = 22,
  INGOT_UINT64 = 23
} ingot_dtype;

/* ingot_string, ingot_tensor_spec, ingot_tensor, ingot_constant */
#define INGOT_TABLES "runtime/ABI/Tensor.def"
#include "runtime/ABI/DeclareStructs.def"

#ifdef __cplusplus
}
#endif

#endif /* INGOT_RUNTIME_ABI_TENSOR_H */
