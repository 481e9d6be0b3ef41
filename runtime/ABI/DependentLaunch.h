/*===- DependentLaunch.h - Programmatic dependent launch ----------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INGOT_RUNTIME_ABI_DEPENDENTLAUNCH_H
#define INGOT_RUNTIME_ABI_DEPENDENTLAUNCH_H

/* The first compute capability (10 * major + minor) whose kernels use
 * programmatic dependent launch: a kernel allows its successors to start early,
 * and waits for its predecessors to end before it accesses memory. */
#define INGOT_FIRST_WAITING_CAPABILITY 90

#endif /* INGOT_RUNTIME_ABI_DEPENDENTLAUNCH_H */
