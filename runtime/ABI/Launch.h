/*===- Launch.h - Kernels and the rows that launch them -----------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* A straight sequence of launches is data: rows of a launch table, which the */
/* runtime walks (ingot_rt_run). Rows contain no branches; control flow is    */
/* compiled code.                                                             */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_RUNTIME_ABI_LAUNCH_H
#define INGOT_RUNTIME_ABI_LAUNCH_H

#include "runtime/ABI/Tensor.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The code of a kernel: runs iterations [begin, end) of its grid. `arguments`
 * is a table of 8-byte slots: for each buffer its address, followed by its
 * dynamic sizes in the order of its dimensions; the last slot is the address of
 * scratch memory, if the kernel needs some. The results of an iteration do not
 * depend on the range. */
typedef void (*ingot_kernel)(void *const *arguments, int64_t begin,
                             int64_t end);

/* The element type of kernel arguments that have no ingot_dtype. */
#define INGOT_DTYPE_OTHER 0

/* Values of ingot_argument.kind: the initial value of the slot. */
enum {
  INGOT_ARGUMENT_ARENA = 0,    /* the arena's address plus `number` */
  INGOT_ARGUMENT_VARIABLE = 1, /* the address of variable `number` */
  INGOT_ARGUMENT_FETCH = 2,    /* fetch `number`; only of ingot_host_memory */
  INGOT_ARGUMENT_CONSTANT = 3  /* element `number` of the entry's constants */
};

/* ingot_launch, ingot_argument, ingot_grid_term, ingot_kernel_code,
 * ingot_kernel_info */
#define INGOT_TABLES "runtime/ABI/Launch.def"
#include "runtime/ABI/DeclareStructs.def"

#ifdef __cplusplus
}
#endif

#endif /* INGOT_RUNTIME_ABI_LAUNCH_H */
