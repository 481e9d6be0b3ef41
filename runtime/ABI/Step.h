/*===- Step.h - Many launches as one kernel ---------------------*- C -*-===*/
/* A device's image may have an entry (ingot_device_image.step) that does the */
/* blocks of a whole run of launches, whose kernels are functions beside it:  */
/*                                                                            */
/*   step(table, num_rows, table_bytes, counter)                              */
/*                                                                            */
/* `table` has ingot_step_row after ingot_step_row, and after them argument   */
/* tables, in the device's memory. Rows up to one that waits run side by      */
/* side; one that waits comes after all before it, in all blocks of the       */
/* launch, which run at once (a cooperative launch) and meet at `counter`, 4  */
/* bytes that are zero at first; a null counter: the launch is one cluster.   */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_RUNTIME_ABI_STEP_H
#define INGOT_RUNTIME_ABI_STEP_H

#include <stdint.h>

/* The threads of a block of the step's kernel. */
#define INGOT_STEP_THREADS 512
/* The memory of one that functions share, and the most side by side. */
#define INGOT_STEP_SHARED_BYTES (40 * 1024)
#define INGOT_STEP_MOST_LANES 15
/* What one function has of it begins at a multiple of this. */
#define INGOT_STEP_SHARED_ALIGNMENT 128
/* Tables up to this size are copied there first. */
#define INGOT_STEP_TABLE_BYTES 4096
/* Kernels of more blocks than this gain nothing by it. */
#define INGOT_STEP_MOST_BLOCKS 1024
/* Images for this compute capability and later ones know clusters. */
#define INGOT_FIRST_CLUSTER_CAPABILITY 90

/* A launch: function `function` does blocks 0 to `blocks` - 1, each by
 * `threads` threads, `lanes` of them side by side in a block of the step's
 * kernel, with `shared` bytes of its shared memory for each. The first goes to
 * block `first` of these. `arguments` is its argument table's offset in the
 * table. */
typedef struct ingot_step_row {
  uint32_t function, threads, blocks, lanes;
  uint32_t first, shared, arguments, waits;
} ingot_step_row;

#endif /* INGOT_RUNTIME_ABI_STEP_H */
