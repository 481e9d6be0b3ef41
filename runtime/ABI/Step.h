/*===- Step.h - Many launches as one kernel ---------------------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* A device's image may have an entry (ingot_device_image.step) that does the */
/* blocks of a whole run of launches, whose kernels are functions beside it:  */
/*                                                                            */
/*   step(table, num_rows, table_bytes, counter)                              */
/*                                                                            */
/* `table`, in the device's memory, is an array of ingot_step_row followed by */
/* argument tables. Rows up to one that waits run concurrently; one that      */
/* waits runs after a barrier over all blocks of the launch: a cooperative    */
/* launch, whose barrier counts in `counter`, 4 bytes that are zero at first, */
/* or, if `counter` is null, a single cluster.                                */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_RUNTIME_ABI_STEP_H
#define INGOT_RUNTIME_ABI_STEP_H

#include <stdint.h>

/* The threads of a block of the step's kernel. */
#define INGOT_STEP_THREADS 512
/* Shared memory of a block, for all functions, and the most lanes in it. */
#define INGOT_STEP_SHARED_BYTES (40 * 1024)
#define INGOT_STEP_MOST_LANES 15
/* The alignment of a function's part of shared memory. */
#define INGOT_STEP_SHARED_ALIGNMENT 128
/* Tables up to this size are copied to shared memory first. */
#define INGOT_STEP_TABLE_BYTES 4096
/* Kernels of more blocks than this gain nothing from the step kernel. */
#define INGOT_STEP_MOST_BLOCKS 1024
/* The first compute capability whose images use clusters. */
#define INGOT_FIRST_CLUSTER_CAPABILITY 90

/* A launch: function `function` runs blocks 0 to `blocks` - 1, each with
 * `threads` threads. A block of the step's kernel runs `lanes` of them
 * concurrently, with `shared` bytes of its shared memory for each. The first
 * runs in block `first` of the step's kernel. `arguments` is its argument
 * table's offset in the table. */
typedef struct ingot_step_row {
  uint32_t function, threads, blocks, lanes;
  uint32_t first, shared, arguments, waits;
} ingot_step_row;

#endif /* INGOT_RUNTIME_ABI_STEP_H */
