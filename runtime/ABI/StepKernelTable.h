/*===- StepKernelTable.h - Table of the step kernel ---------------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* A device's image may contain a step kernel (ingot_device_image.step),      */
/* which runs all launches of a sequence as one kernel. The kernels of these  */
/* launches are functions in the same image:                                  */
/*                                                                            */
/*   step(table, num_rows, table_bytes, counter)                              */
/*                                                                            */
/* `table` is in the device's memory: an array of ingot_step_row, followed by */
/* argument tables. Consecutive rows run concurrently, up to the next row     */
/* with `waits`, which starts after a barrier over all blocks. The step       */
/* kernel is launched either as a cooperative grid, whose barrier uses        */
/* `counter`, 4 bytes that are zero before the first launch; or, if `counter` */
/* is null, as a single cluster.                                              */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_RUNTIME_ABI_STEPKERNELTABLE_H
#define INGOT_RUNTIME_ABI_STEPKERNELTABLE_H

#include <stdint.h>

/* The number of threads of a block of the step kernel. */
#define INGOT_STEP_THREADS 512
/* The bytes of shared memory of a block of the step kernel, which all functions
 * use, and the largest number of lanes of a block. */
#define INGOT_STEP_SHARED_BYTES (40 * 1024)
#define INGOT_STEP_MOST_LANES 15
/* The alignment of a lane's shared memory, in bytes. */
#define INGOT_STEP_SHARED_ALIGNMENT 128
/* The step kernel copies a table of at most this many bytes to shared memory,
 * and reads a larger one from global memory. */
#define INGOT_STEP_TABLE_BYTES 4096
/* A sequence with a launch of more blocks than this does not use the step
 * kernel, because it would gain nothing. */
#define INGOT_STEP_MOST_BLOCKS 1024
/* The first compute capability whose images use clusters. */
#define INGOT_FIRST_CLUSTER_CAPABILITY 90

/* A launch of the step kernel: function `function` runs blocks 0 to `blocks` -
 * 1 with `threads` threads each. A block of the step kernel has `lanes` lanes.
 * Each lane runs one block of the launch at a time, with `shared` bytes of
 * shared memory. Block 0 of the launch runs in block `first` of the step
 * kernel. `arguments` is the offset of the launch's argument table in the
 * table. `waits`: the launch starts after a barrier. */
typedef struct ingot_step_row {
  uint32_t function, threads, blocks, lanes;
  uint32_t first, shared, arguments, waits;
} ingot_step_row;

#endif /* INGOT_RUNTIME_ABI_STEPKERNELTABLE_H */
