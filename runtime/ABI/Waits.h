/*===- Waits.h - Kernels that wait for each other themselves ----*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INGOT_RUNTIME_ABI_WAITS_H
#define INGOT_RUNTIME_ABI_WAITS_H

/* Kernels of images for this compute capability (10 * major + minor) and later
 * ones let their successors start, and wait for their predecessors to end,
 * before they touch memory: they may be started early. */
#define INGOT_FIRST_WAITING_CAPABILITY 90

#endif /* INGOT_RUNTIME_ABI_WAITS_H */
